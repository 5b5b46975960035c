//! Chains and trees of elementwise ops become one node that reads and writes memory once.
//!
//! A node joins the group of its readers if all of them are in one group and nothing else depends on it. Fetches,
//! targets and control edges would. The group runs in the place of its last node. No cycle can arise, because every
//! member is an ancestor of that node.

use super::program_reader;
use super::readers::Readers;
use super::replace::Replacement;
use crate::context::Context;
use crate::draft::{Action, Draft};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{Elementwise, Graph, KernelContext, NodeId, Role, Stretch};
use ferroflow_tensor::elementwise::{Instruction, Program, Value};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, Result, Shape, Status, Tensor, broadcast};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Groups do not grow beyond this many nodes.
const MAX_NODES: usize = 8192;

/// The scalar operation of a node, if a program can compute it.
enum Formula {
    Apply(Elementwise),
    /// AddN, whose inputs are known to have one shape: summed from the left, as its kernel does.
    Sum,
}

fn formula(d: &Draft, graph: &Graph, i: usize) -> Option<(Formula, DType)> {
    let n = &d.nodes[i];
    if !matches!(n.action, Action::Run(_)) || n.is_ref.contains(&true) || n.node.outputs.len() != 1 {
        return None;
    }
    let dtype = n.node.outputs[0].dtype;
    if !matches!(dtype, DType::F32 | DType::F64) {
        return None;
    }
    let inputs: Vec<_> = n.node.inputs.iter().filter_map(|&o| graph.output(o).ok()).collect();
    if inputs.iter().any(|o| o.dtype != dtype) {
        return None;
    }
    match n.node.op.elementwise {
        Some(f @ (Elementwise::Unary(_) | Elementwise::Binary(_))) => Some((Formula::Apply(f), dtype)),
        Some(Elementwise::Sum) => {
            let first = &inputs.first()?.shape;
            let one_shape = first.is_fully_known() && inputs.iter().all(|o| o.shape == *first);
            one_shape.then_some((Formula::Sum, dtype))
        }
        _ => None,
    }
}

/// Makes the readers of constants wait for what the constants wait for, where all of these are elementwise. Gradients
/// have such constants: `gradients/Square_grad/Const` waits for the gradient that its reader's reader takes.
///
/// Returns the nodes waited for, each with a node that waits.
fn pass_on_waits(d: &mut Draft, formulas: &[Option<(Formula, DType)>]) -> Vec<(u32, u32)> {
    let mut followers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (i, n) in d.nodes.iter().enumerate() {
        if !n.control.is_empty() && n.node.op.role == Role::Constant {
            followers.insert(i as u32, Vec::new());
        }
    }
    if followers.is_empty() {
        return Vec::new();
    }
    for (i, n) in d.nodes.iter().enumerate() {
        for c in &n.control {
            if let Some(of_constant) = followers.get_mut(c) {
                of_constant.push(i as u32);
            }
        }
    }
    let mut constants: Vec<_> = followers.into_iter().collect();
    constants.sort_unstable_by_key(|(constant, _)| *constant);
    let mut waits = Vec::new();
    for (constant, following) in constants {
        let guard = d.nodes[constant as usize].guard;
        let is_pure = |&i: &u32| formulas[i as usize].is_some() && d.nodes[i as usize].guard == guard;
        if d.targets.contains(&constant)
            || !following.iter().all(is_pure)
            || !d.nodes[constant as usize].control.iter().all(is_pure)
        {
            continue;
        }
        let waited = std::mem::take(&mut d.nodes[constant as usize].control);
        for &reader in &following {
            let control = &mut d.nodes[reader as usize].control;
            control.extend(waited.iter().copied().filter(|&w| w != reader));
            waits.extend(waited.iter().map(|&w| (w, reader)));
        }
    }
    waits
}

pub(super) fn fuse_elementwise(d: &mut Draft, cx: &Context<'_>) {
    let [reductions, stretches] = [Rewrite::Reduction, Rewrite::Stretch].map(|r| cx.options.rewrites.contains(r));
    let formulas: Vec<_> = (0..d.nodes.len()).map(|i| formula(d, cx.graph, i)).collect();
    let waits = pass_on_waits(d, &formulas);
    let mut readers = Readers::find(d);
    waits.into_iter().for_each(|(waited, waiting)| readers.add(waited, waiting));
    // The last node of each node's group; groups are keyed by it.
    let mut group: Vec<Option<u32>> = vec![None; d.nodes.len()];
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for i in (0..d.nodes.len()).rev() {
        let Some((_, dtype)) = &formulas[i] else { continue };
        let mut last = i as u32;
        if !readers.is_watched(last)
            && d.nodes[i].node.control_inputs.is_empty()
            && let Some(&first_reader) = readers.of(last).first()
            && let Some(candidate) = group[first_reader as usize]
            && d.nodes[candidate as usize].guard == d.nodes[i].guard
            && readers.of(i as u32).iter().all(|&r| group[r as usize] == Some(candidate))
            && formulas[candidate as usize].as_ref().is_some_and(|(_, t)| t == dtype)
            && members.get(&candidate).is_some_and(|m| m.len() < MAX_NODES)
        {
            last = candidate;
        }
        group[i] = Some(last);
        members.entry(last).or_default().push(i as u32);
    }
    let mut groups: Vec<_> = members.into_iter().collect();
    groups.sort_unstable_by_key(|(last, _)| *last);
    for (last, mut nodes) in groups {
        let reader = if reductions { program_reader::find(d, &readers, last) } else { None };
        nodes.reverse();
        let operands = Operands::find(d, &formulas, stretches.then_some(&readers), &nodes);
        if nodes.len() == 1 && reader.is_none() && operands.stretches.is_empty() {
            continue;
        }
        // A group that makes no program runs node by node.
        let Ok(fused) = Fused::new(d, &readers, &formulas, &nodes, operands) else { continue };
        if let Some(replacement) = reader.and_then(|r| program_reader::replacement(d, cx, &fused, r)) {
            replacement.apply(d);
        } else if fused.nodes.len() > 1 || fused.rewrite == Rewrite::Stretch {
            fused.replacement().apply(d);
        }
    }
}

/// The operands of a group's program: inputs from outside, then constants, then the results of its instructions.
#[derive(Default)]
struct Operands {
    inputs: SmallVec<[Source; 3]>,
    /// The inputs that other nodes would stretch, these nodes, and the sources that decide the shapes.
    stretches: Vec<(Value, u32, Source)>,
    constants: Vec<Tensor>,
    /// Input or constant number of each source from outside.
    external: FxHashMap<Source, Value>,
    /// Position in the group of each member.
    inside: FxHashMap<u32, usize>,
}

impl Operands {
    fn find(
        d: &Draft,
        formulas: &[Option<(Formula, DType)>],
        stretched_for: Option<&Readers>,
        nodes: &[u32],
    ) -> Operands {
        let inside = nodes.iter().enumerate().map(|(k, &n)| (n, k)).collect();
        let mut found = Operands { inside, ..Operands::default() };
        for &n in nodes {
            for &source in &d.nodes[n as usize].inputs {
                if found.member(&source).is_some() || found.external.contains_key(&source) {
                    continue;
                }
                if let Some((stretching, stretch)) =
                    stretched_for.and_then(|r| Self::stretching(d, formulas, r, nodes[0], source))
                {
                    let inputs = &d.nodes[stretching as usize].inputs;
                    let value = found.inputs.len() as Value;
                    found.external.insert(source, value);
                    found.inputs.push(inputs[stretch.of]);
                    found.stretches.push((value, stretching, inputs[stretch.by]));
                } else if let Source::Constant(c) = source {
                    found.external.insert(source, found.constants.len() as Value);
                    found.constants.push(d.constants[c as usize].clone());
                } else {
                    found.external.insert(source, found.inputs.len() as Value);
                    found.inputs.push(source);
                }
            }
        }
        // The program's last inputs are the constants.
        for (source, value) in &mut found.external {
            if matches!(source, Source::Constant(_)) {
                *value += found.inputs.len() as Value;
            }
        }
        found
    }

    /// Returns the node that only stretches what the group reads of it, if all who depend on it are elementwise.
    fn stretching(
        d: &Draft,
        formulas: &[Option<(Formula, DType)>],
        readers: &Readers,
        member: u32,
        source: Source,
    ) -> Option<(u32, Stretch)> {
        let Source::Output { node, index: 0 } = source else { return None };
        let (stretching, place) = (&d.nodes[node as usize], &d.nodes[member as usize]);
        let stretch = stretching.node.op.stretch?;
        let only_here = !readers.is_watched(node) && readers.of(node).iter().all(|&r| formulas[r as usize].is_some());
        let same_place = stretching.guard == place.guard && stretching.task == place.task;
        let runs = matches!(stretching.action, Action::Run(_)) && !stretching.is_ref.contains(&true);
        (only_here && same_place && runs).then_some((node, stretch))
    }

    fn member(&self, source: &Source) -> Option<usize> {
        match source {
            Source::Output { node, .. } => self.inside.get(node).copied(),
            _ => None,
        }
    }

    /// Returns the number of values before the first instruction's.
    fn count(&self) -> usize {
        self.inputs.len() + self.constants.len()
    }
}

/// The program of a group.
pub(super) struct Fused {
    pub program: Arc<Program>,
    /// The nodes that it replaces, in topological order.
    pub nodes: SmallVec<[u32; 4]>,
    pub blame: Blame,
    pub inputs: SmallVec<[Source; 3]>,
    rewrite: Rewrite,
}

/// The nodes that errors of a program belong to: of each stretched input, and of each instruction.
#[derive(Clone)]
pub(super) struct Blame {
    stretching: Vec<NodeId>,
    computing: Vec<NodeId>,
}

impl Fused {
    /// Makes the program of nodes that are given in topological order.
    fn new(
        d: &Draft,
        readers: &Readers,
        formulas: &[Option<(Formula, DType)>],
        nodes: &[u32],
        operands: Operands,
    ) -> Result<Fused> {
        let mut instructions = Vec::with_capacity(nodes.len());
        let mut computing: Vec<NodeId> = Vec::with_capacity(nodes.len());
        let mut results: Vec<Value> = Vec::with_capacity(nodes.len());
        let mut dtype = DType::F32;
        for &n in nodes {
            let node = &d.nodes[n as usize];
            let value = |s: &Source| operands.member(s).map_or_else(|| operands.external[s], |k| results[k]);
            let values: SmallVec<[Value; 4]> = node.inputs.iter().map(value).collect();
            let Some((formula, of)) = &formulas[n as usize] else {
                return Err(Status::internal("a node without a formula was fused"));
            };
            dtype = *of;
            let mut push = |instruction| {
                instructions.push(instruction);
                computing.push(node.node.id);
                (operands.count() + instructions.len() - 1) as Value
            };
            let result = match (formula, &values[..]) {
                (&Formula::Apply(Elementwise::Unary(f)), &[x]) => push(Instruction::Unary(f, x)),
                (&Formula::Apply(Elementwise::Binary(f)), &[x, y]) => push(Instruction::Binary(f, x, y)),
                (&Formula::Sum, &[first, ref rest @ ..]) if !rest.is_empty() => {
                    rest.iter().fold(first, |sum, &x| push(Instruction::Binary(Binary::Add, sum, x)))
                }
                _ => return Err(Status::internal("a fused node has an unexpected number of inputs")),
            };
            results.push(result);
        }
        let output = results.last().copied().into_iter().collect();
        let program =
            Program::new(dtype, operands.count(), instructions, output)?.with_constants(operands.constants)?;
        let (mut stretches, mut stretching, mut inputs) = (Vec::new(), Vec::new(), operands.inputs);
        let mut replaced = SmallVec::new();
        for (value, i, by) in operands.stretches {
            let node = &d.nodes[i as usize].node;
            let stretch = node.op.stretch.ok_or_else(|| Status::internal("a node that does not stretch was fused"))?;
            stretches.push((value, stretch.shape));
            stretching.push(node.id);
            inputs.push(by);
            // What others read, too, stays until none of them does.
            if readers.of(i).iter().all(|r| nodes.contains(r)) {
                replaced.push(i);
            }
        }
        let rewrite = if stretches.is_empty() { Rewrite::Elementwise } else { Rewrite::Stretch };
        replaced.extend_from_slice(nodes);
        let program = Arc::new(program.with_stretches(stretches));
        Ok(Fused { program, nodes: replaced, blame: Blame { stretching, computing }, inputs, rewrite })
    }

    fn replacement(self) -> Replacement {
        let Fused { program, nodes, blame, inputs, rewrite } = self;
        let kernel = move |ctx: &mut KernelContext<'_>| {
            let threads = ctx.threads();
            let mut outputs = program.run(ctx.inputs_mut(), threads).map_err(|e| blame.at_node(&program, ctx, e))?;
            if let Some(value) = outputs.pop() {
                ctx.set_output(0, value);
            }
            Ok(())
        };
        Replacement { nodes, node: None, kernel: Arc::new(kernel), inputs, rewrite }
    }
}

impl Blame {
    /// Returns the error at the node whose operands do not fit, if that is the reason.
    pub fn at_node(&self, program: &Program, ctx: &KernelContext<'_>, e: Status) -> Status {
        let (inputs, rest) = ctx.inputs().split_at(program.inputs() - program.constants().len());
        let mut shapes: Vec<Shape> = inputs.iter().chain(program.constants()).map(|t| t.shape().clone()).collect();
        for ((&(value, shape), by), id) in program.stretches().iter().zip(rest).zip(&self.stretching) {
            match shape(&shapes[value as usize], by) {
                Ok(shape) => shapes[value as usize] = shape,
                Err(_) => return e.at_node(*id),
            }
        }
        for (instruction, id) in program.instructions().iter().zip(&self.computing) {
            let shape = match *instruction {
                Instruction::Unary(_, x) => shapes[x as usize].clone(),
                Instruction::Binary(_, x, y) => match broadcast(&shapes[x as usize], &shapes[y as usize]) {
                    Ok(s) => s,
                    Err(_) => return e.at_node(*id),
                },
            };
            shapes.push(shape);
        }
        e
    }
}
