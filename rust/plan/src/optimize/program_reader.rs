//! A reduction of an elementwise result computes the elements as it reads them, so that they are never in memory.

use super::fused::Fused;
use super::readers::Readers;
use super::replace::Replacement;
use crate::context::Context;
use crate::draft::{Action, Draft};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{KernelContext, KernelInit};
use smallvec::SmallVec;
use std::sync::Arc;

/// Returns the only reader of a node, if the reader can compute its input 0 by a program.
pub(super) fn find(d: &Draft, readers: &Readers, i: u32) -> Option<u32> {
    let reader = readers.only(d, i)?;
    let node = &d.nodes[reader as usize];
    let reads = matches!(node.inputs.first(), Some(Source::Output { node, index: 0 }) if *node == i);
    let runs = matches!(node.action, Action::Run(_)) && !node.is_ref.contains(&true);
    (reads && runs && node.node.op.kernel_of_program.is_some()).then_some(reader)
}

/// Puts the group's program into its reader.
pub(super) fn replacement(d: &Draft, cx: &Context<'_>, fused: &Fused, reader: u32) -> Option<Replacement> {
    let place = &d.nodes[reader as usize];
    let types: SmallVec<[_; 2]> =
        place.node.inputs.iter().map(|&o| cx.graph.output(o).map(|t| t.dtype)).collect::<Result<_, _>>().ok()?;
    let init = KernelInit { node: &place.node, input_types: &types, resources: cx.resources };
    let inner = (place.node.op.kernel_of_program?)(&init, fused.program.clone()).ok()?;
    let (program, blame) = (fused.program.clone(), fused.blame.clone());
    let kernel = move |ctx: &mut KernelContext<'_>| {
        blame.check(&program, ctx)?;
        inner.compute(ctx).map_err(|e| blame.at_node(&program, ctx, e))
    };
    Some(Replacement {
        nodes: fused.nodes.iter().copied().chain([reader]).collect(),
        node: None,
        kernel: Arc::new(kernel),
        inputs: fused.inputs.iter().chain(&place.inputs[1..]).copied().collect(),
        rewrite: Rewrite::Reduction,
    })
}
