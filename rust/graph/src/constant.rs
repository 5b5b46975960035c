//! Values that the graph alone decides: constants, and pure ops of them, evaluated by their own kernels.

use crate::facts::ElementsPart;
use crate::function::no_functions;
use crate::graph::Graph;
use crate::kernel::{KernelContext, KernelInit, Step, Variables};
use crate::node::{Node, OutputId};
use crate::resource::Resources;
use crate::wait::Cancellation;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, with_denormals_flushed};

/// Values above this many elements are not computed: shapes and indices are small.
const MAX_ELEMENTS: usize = 4096;
/// Most nodes visited for one value; values that need more count as unknown.
const MAX_NODES: usize = 256;

/// Returns the value of an output, where constants and known shapes decide it.
pub fn value(graph: &Graph, output: OutputId) -> Option<Tensor> {
    evaluate(graph, output, &mut { MAX_NODES })
}

/// Returns the output that a branch or loop brings in from around it as `output`; any other output itself.
///
/// TF 1.x: a shape is inferred before what the node reads is brought in, so a rule sees values around branches and loops.
pub fn source(graph: &Graph, output: OutputId) -> OutputId {
    let mut from = output;
    for _ in 0..MAX_NODES {
        let Ok(node) = graph.node(from.node) else { break };
        if graph.is_fed(from) {
            break;
        }
        let brings_in = is_constant_enter(node) || matches!(&*node.op.name, "Switch" | "RefSwitch");
        match node.inputs.first() {
            Some(&outer) if brings_in => from = outer,
            _ => break,
        }
    }
    from
}

fn is_constant_enter(node: &Node) -> bool {
    matches!(&*node.op.name, "Enter" | "RefEnter") && node.attrs.bool("is_constant").unwrap_or(false)
}

/// Returns `value` of a part of the requested output.
///
/// TF 1.x: it evaluates what one loop brings in, but no node that reads such a value.
fn part(graph: &Graph, output: OutputId) -> Option<Tensor> {
    let node = graph.node(output.node).ok()?;
    let from = if is_constant_enter(node) && !graph.is_fed(output) { *node.inputs.first()? } else { output };
    evaluate(graph, from, &mut { MAX_NODES })
}

fn evaluate(graph: &Graph, output: OutputId, budget: &mut usize) -> Option<Tensor> {
    let node = graph.node(output.node).ok().filter(|_| !graph.is_fed(output))?;
    if &*node.op.name == "Const" {
        return node.attrs.tensor("value").ok();
    }
    *budget = budget.checked_sub(1)?;
    if node.op.elements == Some(ElementsPart::Size) {
        return array_size(graph, *node.inputs.first()?, budget);
    }
    // A feed may replace the value of a PlaceholderWithDefault.
    let open = node.op.has_effects() || node.op.is_foreign || &*node.op.name == "PlaceholderWithDefault";
    if open || node.inputs.is_empty() || node.outputs.iter().any(|o| o.is_ref) {
        return None;
    }
    if &*node.op.name == "Shape" || &*node.op.name == "ShapeN" || &*node.op.name == "Size" || &*node.op.name == "Rank" {
        return from_shape(graph, node, output.index as usize);
    }
    if node.outputs.iter().any(|o| o.shape.elements().is_some_and(|n| n > MAX_ELEMENTS)) {
        return None;
    }
    if &*node.op.name == "Switch" {
        return switched(graph, node, output, budget);
    }
    let mut inputs = Vec::with_capacity(node.inputs.len());
    for &i in &node.inputs {
        let t = evaluate(graph, i, budget)?;
        if t.elements() > MAX_ELEMENTS {
            return None;
        }
        inputs.push(t);
    }
    run(node, inputs).ok()?.into_iter().nth(output.index as usize)?
}

/// Returns the number of elements of an array whose size is fixed. TF 1.x: shapes in a program's graph do not follow from it.
fn array_size(graph: &Graph, mut handle: OutputId, budget: &mut usize) -> Option<Tensor> {
    while graph.is_specialized() && !graph.is_fed(handle) {
        let maker = graph.node(handle.node).ok()?;
        let from = *maker.inputs.first()?;
        match maker.op.elements? {
            ElementsPart::MakeArray if !maker.attrs.bool("dynamic_size").unwrap_or(true) => {
                return evaluate(graph, from, budget);
            }
            ElementsPart::MakeGradients => handle = from,
            _ => break,
        }
    }
    None
}

/// Evaluates an output of a Switch: its data, where the graph decides that the output is the one taken.
fn switched(graph: &Graph, node: &Node, output: OutputId, budget: &mut usize) -> Option<Tensor> {
    let [data, pred] = node.inputs[..] else { return None };
    let taken: bool = evaluate(graph, pred, budget)?.to_scalar().ok()?;
    if usize::from(taken) == output.index as usize { evaluate(graph, data, budget) } else { None }
}

/// Evaluates Shape, Size and Rank, which need no value, only a known shape.
fn from_shape(graph: &Graph, node: &Node, index: usize) -> Option<Tensor> {
    let shape = &graph.output(*node.inputs.get(index)?).ok()?.shape;
    let dtype = node.outputs.get(index)?.dtype;
    let numbers: Vec<i64> = match &*node.op.name {
        "Rank" => vec![shape.rank()? as i64],
        // TF 1.x: one empty dimension does not decide the size while another is unknown.
        "Size" => vec![shape.to_shape()?.elements() as i64],
        _ => shape.to_shape()?.to_i64(),
    };
    let out_shape: Vec<usize> = if matches!(&*node.op.name, "Rank" | "Size") { vec![] } else { vec![numbers.len()] };
    if dtype == ferroflow_tensor::DType::I64 {
        return Tensor::from_slice(out_shape.as_slice(), &numbers).ok();
    }
    let narrow: Option<Vec<i32>> = numbers.iter().map(|&n| i32::try_from(n).ok()).collect();
    Tensor::from_slice(out_shape.as_slice(), &narrow?).ok()
}

/// Returns `value` of an int output, element by element in row-major order, with None for undecided elements: Pack may
/// join known and unknown ones. Returns None if not even the number of elements is decided.
pub fn partial_i64s(graph: &Graph, output: OutputId) -> Option<Vec<Option<i64>>> {
    partial(graph, output, &mut { MAX_NODES })
}

fn partial(graph: &Graph, output: OutputId, budget: &mut usize) -> Option<Vec<Option<i64>>> {
    if let Some(known) = evaluate(graph, output, &mut { MAX_NODES }) {
        return Some(known.to_i64s().ok()?.into_iter().map(Some).collect());
    }
    *budget = budget.checked_sub(1)?;
    let count = graph.output(output).ok()?.shape.elements().filter(|&n| n <= MAX_ELEMENTS);
    let node = graph.node(output.node).ok()?;
    if graph.is_fed(output) || &*node.op.name != "Pack" || node.attrs.int("axis").unwrap_or(0) != 0 {
        return count.map(|n| vec![None; n]);
    }
    let mut all = Vec::new();
    // The parts are of one shape, so one known part gives the number of elements of all.
    let parts: Vec<_> = node.inputs.iter().map(|&i| partial(graph, i, budget)).collect();
    let each = parts.iter().flatten().map(Vec::len).next().or(count.map(|n| n / parts.len().max(1)))?;
    for part in parts {
        all.extend(part.unwrap_or_else(|| vec![None; each]));
    }
    (all.len() <= MAX_ELEMENTS).then_some(all)
}

/// Runs a pure node's kernel once, outside any session.
fn run(node: &Node, mut inputs: Vec<Tensor>) -> Result<Vec<Option<Tensor>>> {
    let Some(factory) = node.op.kernel else { bail!(Unimplemented, "{} has no kernel", node.op.name) };
    let resources = Resources::new();
    let types: Vec<_> = inputs.iter().map(|t| t.dtype()).collect();
    let kernel = factory(&KernelInit { node, input_types: &types, resources: &resources })?;
    let cancellation = Cancellation::new();
    let step = Step {
        threads: Threads::single(),
        cancellation: &cancellation,
        resources: &resources,
        locals: &resources,
        functions: no_functions(),
        rendezvous: None,
    };
    let mut outputs = vec![None; node.outputs.len()];
    let mut context = KernelContext::new(&step, node, &mut inputs, &mut outputs, Variables::default());
    with_denormals_flushed(|| kernel.compute(&mut context))?;
    Ok(outputs)
}

/// Returns the shape that a vector of dimensions describes; unknown where not even its length is decided.
///
/// Errors: `InvalidArgument` for dimensions below -1.
pub fn as_shape(graph: &Graph, output: OutputId) -> Result<PartialShape> {
    shape_of_dims(graph, output, &mut { MAX_NODES })
}

fn shape_of_dims(graph: &Graph, output: OutputId, budget_left: &mut usize) -> Result<PartialShape> {
    if let Some(dims) = part(graph, output) {
        let dims = dims.to_i64s()?;
        if let Some(d) = dims.iter().find(|&&d| d < -1) {
            bail!(InvalidArgument, "Dimension {d} must be >= -1");
        }
        return Ok(PartialShape::from_wire(Some(&dims)));
    }
    let node = graph.node(output.node)?;
    let unknown = match graph.output(output)?.shape.dim(0) {
        Some(n) => PartialShape::unknown_of_rank(n),
        None => PartialShape::unknown(),
    };
    if *budget_left == 0 || graph.is_fed(output) {
        return Ok(unknown);
    }
    *budget_left -= 1;
    let input = |i: usize| node.inputs.get(i).copied();
    match (&*node.op.name, input(0)) {
        ("Shape", Some(x)) => Ok(graph.output(x)?.shape.clone()),
        ("ShapeN", _) => match input(output.index as usize) {
            Some(x) => Ok(graph.output(x)?.shape.clone()),
            None => Ok(unknown),
        },
        ("Cast" | "Identity", Some(x)) => shape_of_dims(graph, x, budget_left),
        ("Pack", _) => {
            let dims = node.inputs.iter().map(|&i| {
                let value = part(graph, i).and_then(|t| t.to_i64s().ok());
                value.and_then(|v| v.first().copied()).and_then(|d| usize::try_from(d).ok())
            });
            Ok(PartialShape::from_dims(&dims.collect::<Vec<_>>()))
        }
        ("ConcatV2", _) => {
            let n = node.inputs.len().saturating_sub(1);
            let mut all = PartialShape::scalar();
            for &part in &node.inputs[..n] {
                all = all.concatenate(&shape_of_dims(graph, part, budget_left)?);
            }
            Ok(all)
        }
        ("StridedSlice", Some(x)) => Ok(sliced(graph, node, x, budget_left)?.unwrap_or(unknown)),
        _ => Ok(unknown),
    }
}

/// Returns `dims[begin:end:stride]` of a partly known vector of dimensions.
fn sliced(graph: &Graph, node: &Node, dims: OutputId, budget_left: &mut usize) -> Result<Option<PartialShape>> {
    let bound = |i: usize| {
        let t = part(graph, *node.inputs.get(i)?)?.to_i64s().ok()?;
        if t.len() == 1 { t.first().copied() } else { None }
    };
    let (Some(begin), Some(end), Some(stride)) = (bound(1), bound(2), bound(3)) else { return Ok(None) };
    let mask = |name| node.attrs.int(name).unwrap_or(0);
    let exotic = mask("ellipsis_mask") | mask("new_axis_mask") | mask("shrink_axis_mask");
    let Some(dims) = shape_of_dims(graph, dims, budget_left)?.dims() else { return Ok(None) };
    if exotic != 0 || stride < 1 {
        return Ok(None);
    }
    let n = dims.len() as i64;
    let clamp = |x: i64| if x < 0 { (x + n).max(0) } else { x.min(n) } as usize;
    let begin = if mask("begin_mask") & 1 == 1 { 0 } else { clamp(begin) };
    let end = if mask("end_mask") & 1 == 1 { dims.len() } else { clamp(end) };
    let picked: Vec<_> = dims[begin..end.max(begin)].iter().step_by(stride as usize).copied().collect();
    Ok(Some(PartialShape::from_dims(&picked)))
}

#[cfg(test)]
mod tests {
    use crate::attr::AttrValue;
    use crate::graph::{Graph, InputArg, NodeSpec};
    use crate::node::{NodeId, OutputId};
    use crate::op_def::Op;
    use crate::registry::Registry;
    use crate::shape_rules;
    use ferroflow_tensor::{DType, PartialShape, Tensor};

    /// Returns a graph of the ops that the tests need; none has a kernel.
    fn graph() -> Graph {
        let mut r = Registry::new();
        r.add(Op::new("Const").output("output: dtype").attr("value: tensor").attr("dtype: type"));
        r.add(Op::new("Unknown").output("output: int32"));
        r.add(Op::new("Enter").input("data: T").output("output: T").attr("T: type").attr("is_constant: bool = false"));
        r.add(Op::new("Switch").input("data: T").input("pred: int32").output("f: T").output("t: T").attr("T: type"));
        r.add(Op::new("Pack").input("values: N * int32").output("output: int32").attr("N: int"));
        r.add(Op::new("Fill").input("dims: int32").output("output: float").shape(shape_rules::from_shape_input));
        Graph::new(r.finish().unwrap())
    }

    fn add(g: &mut Graph, op: &str, inputs: Vec<InputArg>, attrs: Vec<(String, AttrValue)>) -> NodeId {
        let name = format!("n{}", g.len());
        g.add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" }).unwrap()
    }

    fn one(node: NodeId) -> InputArg {
        InputArg::One(OutputId { node, index: 0 })
    }

    fn constant(g: &mut Graph, value: Tensor) -> NodeId {
        add(
            g,
            "Const",
            vec![],
            vec![("value".into(), AttrValue::Tensor(value)), ("dtype".into(), AttrValue::Type(DType::I32))],
        )
    }

    fn enter(g: &mut Graph, from: NodeId, is_constant: bool) -> NodeId {
        add(g, "Enter", vec![one(from)], vec![("is_constant".into(), AttrValue::Bool(is_constant))])
    }

    /// Returns the shape that Fill has for these dimensions.
    fn filled(g: &mut Graph, dims: NodeId) -> PartialShape {
        let fill = add(g, "Fill", vec![one(dims)], vec![]);
        g.output(OutputId { node: fill, index: 0 }).unwrap().shape.clone()
    }

    #[test]
    fn a_shape_from_around_loops_and_branches_is_known() {
        let mut g = graph();
        let dims = constant(&mut g, Tensor::from_slice([2], &[3i32, 5]).unwrap());
        let known = PartialShape::from_dims(&[Some(3), Some(5)]);
        let pred = add(&mut g, "Unknown", vec![], vec![]);
        let once = enter(&mut g, dims, true);
        let branch = add(&mut g, "Switch", vec![one(once), one(pred)], vec![]);
        let twice = enter(&mut g, branch, true);
        for inner in [dims, once, branch, twice] {
            assert_eq!(filled(&mut g, inner), known);
        }
        // A variable of the loop has another value in the next iteration.
        let variable = enter(&mut g, dims, false);
        assert_eq!(filled(&mut g, variable).rank(), None);
    }

    #[test]
    fn a_dimension_from_around_one_loop_is_known_and_behind_more_it_is_not() {
        let mut g = graph();
        let n = constant(&mut g, Tensor::scalar(4i32));
        let two = constant(&mut g, Tensor::scalar(2i32));
        let pred = add(&mut g, "Unknown", vec![], vec![]);
        let once = enter(&mut g, n, true);
        let twice = enter(&mut g, once, true);
        let branch = add(&mut g, "Switch", vec![one(n), one(pred)], vec![]);
        let mut packed = |part: NodeId| {
            let parts = [part, two].map(|node| OutputId { node, index: 0 }).to_vec();
            let pack = add(&mut g, "Pack", vec![InputArg::List(parts)], vec![]);
            filled(&mut g, pack)
        };
        assert_eq!(packed(once), PartialShape::from_dims(&[Some(4), Some(2)]));
        assert_eq!(packed(twice), PartialShape::from_dims(&[None, Some(2)]));
        assert_eq!(packed(branch), PartialShape::from_dims(&[None, Some(2)]));
    }
}
