//! Values and identities that follow from the shapes of a step, in a graph that is specialized.

use super::stand_in::StandIn;
use crate::context::Context;
use crate::draft::Draft;
use crate::source::Source;
use ferroflow_graph::OutputId;
use ferroflow_tensor::Shape;

/// Returns what the readers of node `i` read instead, if the shapes decide it.
pub(super) fn find(cx: &Context<'_>, d: &Draft, i: u32) -> Option<StandIn> {
    values(cx, d, i).or_else(|| same(cx, d, i))
}

/// Returns the outputs of a node that reads only shapes.
fn values(cx: &Context<'_>, d: &Draft, i: u32) -> Option<StandIn> {
    let node = d.nodes[i as usize].node.as_ref();
    if !node.op.reads_shapes {
        return None;
    }
    let value = |index| cx.graph.constant_value(OutputId { node: node.id, index: index as u32 });
    (0..node.outputs.len()).map(value).collect::<Option<Vec<_>>>().map(StandIn::Values)
}

/// Returns the input of a node that does not change it.
fn same(cx: &Context<'_>, d: &Draft, i: u32) -> Option<StandIn> {
    let n = &d.nodes[i as usize];
    let op = &n.node.op;
    let reduces_nothing = || match n.inputs.get(1) {
        Some(Source::Constant(axes)) => d.constants.get(*axes as usize).is_some_and(|axes| axes.elements() == 0),
        _ => false,
    };
    let from = match op.stretch {
        Some(stretch) => stretch.of,
        None if op.keeps_elements || (op.kernel_of_program.is_some() && reduces_nothing()) => 0,
        None => return None,
    };
    let shape = |o: OutputId| cx.graph.output(o).ok().and_then(|t| t.shape.to_shape());
    let before: Shape = shape(*n.node.inputs.get(from)?)?;
    let after = shape(OutputId { node: n.node.id, index: 0 })?;
    (before == after).then(|| StandIn::Forwarded(n.inputs[from]))
}
