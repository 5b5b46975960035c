//! Reductions and writes to variables compute elementwise results as they read them, so that these are never in memory.

use super::fused::Fused;
use super::readers::Readers;
use super::replace::Replacement;
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::rewrites::Rewrite;
use crate::source::{Source, VariableIndex};
use ferroflow_graph::{KernelContext, KernelInit};
use smallvec::SmallVec;
use std::sync::Arc;

/// Returns the only reader of a node, if the reader can compute the input that it reads by a program.
pub(super) fn find(d: &Draft, cx: &Context<'_>, readers: &Readers, i: u32) -> Option<u32> {
    let reader = readers.only(d, i)?;
    let node = &d.nodes[reader as usize];
    let input = node.node.op.kernel_of_program?.input;
    let reads = matches!(node.inputs.get(input), Some(Source::Output { node, index: 0 }) if *node == i);
    let runs = matches!(node.action, Action::Run(_)) && cx.options.rewrites.contains(rewrite(node));
    (reads && runs && (!node.is_ref.contains(&true) || written(node).is_some())).then_some(reader)
}

fn rewrite(reader: &StepNode) -> Rewrite {
    if reader.is_ref.contains(&true) { Rewrite::Update } else { Rewrite::Reduction }
}

/// Returns the variable that a node writes through its first input. There is none for a handle that is a value of the
/// step.
fn written(node: &StepNode) -> Option<VariableIndex> {
    match (node.is_ref.first(), node.inputs.first()) {
        (Some(true), Some(&Source::Variable { variable, .. })) => Some(variable),
        _ => None,
    }
}

/// Returns whether a write had better not compute its value. Versions of variables would be kept for it, or each iteration
/// of a loop would compute what the first one does.
fn is_better_alone(d: &Draft, carried: Option<&[u32]>, fused: &Fused, reader: u32) -> bool {
    let place = &d.nodes[reader as usize];
    let Some(written) = written(place) else { return false };
    let is_replaced = |source: &Source| match *source {
        Source::Variable { variable, version, .. } => {
            d.versions.replacer(variable, version).is_some_and(|next| next != reader)
        }
        _ => false,
    };
    let waits = !place.control.is_empty() || d.versions.made_by(written, reader) != Some(1);
    let stays = |source: &Source, carried: &[u32]| match source {
        Source::Constant(_) => true,
        Source::Feed(slot) => !carried.contains(slot),
        _ => false,
    };
    waits && fused.inputs.iter().any(is_replaced)
        || carried.is_some_and(|carried| fused.inputs.iter().all(|source| stays(source, carried)))
}

/// Puts the group's program into its reader. `carried` are the feeds of a loop that change from one iteration to the next.
pub(super) fn replacement(
    d: &Draft,
    cx: &Context<'_>,
    carried: Option<&[u32]>,
    fused: &Fused,
    reader: u32,
) -> Option<Replacement> {
    let place = &d.nodes[reader as usize];
    if is_better_alone(d, carried, fused, reader) {
        return None;
    }
    let types: SmallVec<[_; 2]> =
        place.node.inputs.iter().map(|&o| cx.graph.output(o).map(|t| t.dtype)).collect::<Result<_, _>>().ok()?;
    let init = KernelInit { node: &place.node, input_types: &types, resources: cx.resources };
    let of_program = place.node.op.kernel_of_program?;
    let inner = (of_program.make)(&init, fused.program.clone()).ok()?;
    let (program, blame) = (fused.program.clone(), fused.blame.clone());
    let given = of_program.input..of_program.input + program.given();
    let kernel = move |ctx: &mut KernelContext<'_>| {
        blame.check(&program, &ctx.inputs()[given.clone()])?;
        inner.compute(ctx).map_err(|e| blame.at_node(&program, &ctx.inputs()[given.clone()], e))
    };
    let mut inputs: SmallVec<[Source; 3]> = place.inputs[..of_program.input].into();
    inputs.extend(fused.inputs.iter().chain(&place.inputs[of_program.input + 1..]).copied());
    Some(Replacement {
        nodes: fused.nodes.iter().copied().chain([reader]).collect(),
        node: None,
        kernel: Arc::new(kernel),
        inputs,
        rewrite: rewrite(place),
    })
}
