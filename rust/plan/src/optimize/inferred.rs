//! Values and identities that follow from the shapes of a step, in a graph that is specialized.

use super::stand_in::StandIn;
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::source::Source;
use ferroflow_graph::{ElementsPart, Elementwise, OutputId};
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
    let constant = |s: &Source| match s {
        Source::Constant(c) => d.constants.get(*c as usize),
        _ => None,
    };
    let reduces_nothing = || n.inputs.get(1).and_then(constant).is_some_and(|axes| axes.elements() == 0);
    let from = match op.stretch {
        Some(stretch) => stretch.of,
        None if op.keeps_elements || (op.keeps_elements_without_axes && reduces_nothing()) => 0,
        None => return None,
    };
    // Another input may be faulty, which the kernel reports.
    if n.inputs.iter().enumerate().any(|(i, s)| i != from && constant(s).is_none()) {
        return None;
    }
    let shape = |o: OutputId| cx.graph.output(o).ok().and_then(|t| t.shape.to_shape());
    let before: Shape = shape(*n.node.inputs.get(from)?)?;
    let after = shape(OutputId { node: n.node.id, index: 0 })?;
    (before == after).then(|| StandIn::Forwarded(n.inputs[from]))
}

/// Returns the nodes that must run although only their shapes are read, because they may fail.
pub(super) fn that_may_fail(d: &Draft) -> Vec<u32> {
    let mut stack: Vec<Source> = d.decided.iter().flat_map(|&i| d.nodes[i as usize].inputs.iter().copied()).collect();
    let mut seen = vec![false; d.nodes.len()];
    let mut found = Vec::new();
    while let Some(source) = stack.pop() {
        let Source::Output { node, .. } = source else { continue };
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        let n = &d.nodes[node as usize];
        if may_fail(n) {
            found.push(node);
        } else {
            stack.extend(n.inputs.iter().copied());
        }
    }
    found
}

/// Returns true if a node may fail although the shapes of its inputs fit.
fn may_fail(n: &StepNode) -> bool {
    let is_integer = || n.node.outputs.first().is_some_and(|o| o.dtype.is_integer());
    match (&n.action, n.node.op.elementwise) {
        (Action::Nothing | Action::Merge(_), _) => false,
        // A gradient takes from a list the values that the loop before it put there.
        (Action::Run(_), None) => n.node.op.elements != Some(ElementsPart::Pop),
        // A quotient of integers may have a zero below.
        (Action::Run(_), Some(Elementwise::Binary(_))) => is_integer(),
        (Action::Run(_), Some(_)) => false,
        _ => true,
    }
}
