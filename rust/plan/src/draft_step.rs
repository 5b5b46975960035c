//! Drafts a request: prunes the graph, places its nodes, and resolves what they read.

use crate::context::Context;
use crate::draft::Draft;
use crate::flow::{Frames, ROOT};
use crate::plan::Placed;
use crate::regions::build_region;
use crate::request::{Request, prune};
use crate::resolve::resolve;
use crate::roots::Roots;
use crate::step_graph::{HandleUse, StepGraph};
use ferroflow_graph::{Flow, Graph, NodeId, OutputId};
use ferroflow_tensor::{Result, bail};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Drafts a request; also returns its nodes with their devices.
pub(crate) fn draft_step(request: &Request, cx: &Context<'_>) -> Result<(Draft, Vec<Placed>)> {
    let graph = cx.graph;
    let fed: FxHashSet<OutputId> = request.feeds.iter().copied().collect();
    let feeds: FxHashMap<OutputId, u32> = request.feeds.iter().enumerate().map(|(i, &o)| (o, i as u32)).collect();
    let ids = prune(graph, request, &fed)?;
    let frames = Frames::find(graph, &ids, &fed)?;
    let mut placement = Vec::with_capacity(ids.len());
    for &id in &ids {
        let node = graph.node(id)?;
        let device = cx.device(node).map_err(|e| e.at_node(id))?;
        placement.push(Placed { node: node.clone(), device, in_loop: frames.of_output(node) != ROOT });
    }
    let roots = RefCell::new(Roots { graph, feeds: &feeds, memo: FxHashMap::default() });
    let exit_readers = exit_readers(graph, &ids, request)?;
    let unused = RefCell::default();
    let step = StepGraph {
        cx,
        fed: &fed,
        feeds: &feeds,
        frames: &frames,
        roots: &roots,
        exit_readers: &exit_readers,
        unused: &unused,
    };
    let mut region = build_region(&step, ROOT)?;
    for &o in &request.fetches {
        let node = graph.node(o.node)?;
        if frames.of_output(node) != ROOT && !fed.contains(&o) {
            bail!(InvalidArgument, "{} is inside a loop and cannot be fetched", node.name);
        }
        let guard = region.output_guard(&step, o)?;
        let source = region.source(&step, o, HandleUse::Handle)?;
        region.draft.fetches.push(source);
        region.draft.fetch_guards.push(guard);
    }
    let mut d = region.draft;
    d.targets = request.targets.iter().filter_map(|t| region.local.get(t).copied()).collect();
    resolve(&mut d)?;
    Ok((d, placement))
}

/// Returns the nodes of a step that read each Exit; one that is fetched has itself among them.
fn exit_readers(graph: &Graph, ids: &[NodeId], request: &Request) -> Result<FxHashMap<NodeId, Vec<NodeId>>> {
    let mut readers: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    let is_exit = |id: NodeId| graph.node(id).is_ok_and(|n| n.op.flow == Some(Flow::Exit));
    for &id in ids {
        for o in graph.node(id)?.inputs.iter().filter(|o| is_exit(o.node)) {
            readers.entry(o.node).or_default().push(id);
        }
    }
    let fetched = request.fetches.iter().map(|o| o.node).chain(request.targets.iter().copied());
    fetched.filter(|&id| is_exit(id)).for_each(|id| readers.entry(id).or_default().push(id));
    Ok(readers)
}
