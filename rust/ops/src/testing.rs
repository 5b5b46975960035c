//! Runs one op outside a session: what the ops' unit tests stand on.

use ferroflow_graph::{
    AttrValue, Cancellation, Graph, InputArg, KernelContext, KernelInit, NodeSpec, OutputId, Resources, Step, Variables,
};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{PartialShape, Result, Status, Tensor};

/// An input argument: one tensor or a list of them.
pub(crate) enum Arg {
    One(Tensor),
    List(Vec<Tensor>),
}

/// The values and the inferred shapes of an op's outputs on constant inputs.
pub(crate) struct Outcome {
    pub values: Vec<Tensor>,
    pub shapes: Vec<PartialShape>,
}

/// Builds `Const` nodes for the inputs and one node of `op`, infers its shapes and runs its kernel with `threads` threads.
/// Fails as graph construction or the kernel fails, or where an output does not fit its inferred shape or type.
pub(crate) fn run_args(op: &str, args: Vec<Arg>, attrs: &[(&str, AttrValue)], threads: usize) -> Result<Outcome> {
    let build = |e: ferroflow_graph::BuildError| Status::invalid_argument(e.to_string());
    let mut graph = Graph::new(crate::registry()?);
    let mut values = Vec::new();
    let mut constant = |graph: &mut Graph, t: Tensor| -> Result<OutputId> {
        let attrs =
            vec![("value".to_owned(), AttrValue::Tensor(t.clone())), ("dtype".to_owned(), AttrValue::Type(t.dtype()))];
        let name = format!("c{}", graph.len());
        let spec = NodeSpec { op: "Const", name: &name, inputs: vec![], control_inputs: vec![], attrs, device: "" };
        values.push(t);
        Ok(OutputId { node: graph.add_node(spec).map_err(build)?, index: 0 })
    };
    let mut inputs = Vec::new();
    for arg in args {
        inputs.push(match arg {
            Arg::One(t) => InputArg::One(constant(&mut graph, t)?),
            Arg::List(l) => InputArg::List(l.into_iter().map(|t| constant(&mut graph, t)).collect::<Result<_>>()?),
        });
    }
    let attrs = attrs.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect();
    let spec = NodeSpec { op, name: "node", inputs, control_inputs: vec![], attrs, device: "" };
    let id = graph.add_node(spec).map_err(build)?;
    let node = graph.node(id)?.clone();
    let Some(factory) = node.op.kernel else { return Err(Status::unimplemented("no kernel")) };
    let resources = Resources::new();
    let types: Vec<_> = values.iter().map(|t| t.dtype()).collect();
    let kernel = factory(&KernelInit { node: &node, input_types: &types, resources: &resources })?;
    let cancellation = Cancellation::new();
    let step = Step { threads: Threads::new(threads), cancellation: &cancellation, resources: &resources };
    let mut outputs = vec![None; node.outputs.len()];
    kernel.compute(&mut KernelContext::new(&step, &node, &mut values, &mut outputs, Variables::default()))?;
    let mut results = Vec::new();
    for (value, declared) in outputs.into_iter().zip(&node.outputs) {
        let value = value.ok_or_else(|| Status::internal("an output was not set"))?;
        if value.dtype() != declared.dtype || !declared.shape.is_compatible_with(&PartialShape::from(value.shape())) {
            return Err(Status::internal(format!("{value:?} is not the declared {declared:?}")));
        }
        results.push(value);
    }
    Ok(Outcome { values: results, shapes: node.outputs.iter().map(|o| o.shape.clone()).collect() })
}

/// `run_args` for ops without list inputs, on one thread; the values of the outputs.
pub(crate) fn run(op: &str, inputs: &[Tensor], attrs: &[(&str, AttrValue)]) -> Result<Vec<Tensor>> {
    let args = inputs.iter().map(|t| Arg::One(t.clone())).collect();
    Ok(run_args(op, args, attrs, 1)?.values)
}
