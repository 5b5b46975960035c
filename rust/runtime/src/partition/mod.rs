//! Partitioning: a step whose nodes run in several processes becomes one graph for each, joined by `_Send` and `_Recv`.
//!
//! What a partitioned step computes is what it would compute in one process. The visibility rule is decided on the whole
//! step: a value of a variable that crosses a border is sent as the version that its reader sees; nodes keep the order in
//! which the rule numbers writes; and where a path leaves a part and comes back, a control edge stands for it. What is
//! behind a conditional is received under the same predicate, which each part tests for itself.

mod assemble;
mod crossing;
mod cut;
mod sites;

pub use assemble::assemble;

use crate::draft::Context;
use crate::flow::Frames;
use crate::prune::{Request, prune};
use crate::region::draft;
use cut::Cutter;
use ferroflow_graph::{AttrMap, Graph, KernelContext, Node, NodeId, OutputId};
use ferroflow_tensor::{PartialShape, Result};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A node of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct PartNode {
    pub name: String,
    pub op: String,
    /// (node of the part, output).
    pub inputs: Vec<(u32, u32)>,
    pub control_inputs: Vec<u32>,
    pub attrs: AttrMap,
    /// What is known of the outputs.
    pub shapes: Vec<PartialShape>,
}

/// What one process does in a step.
#[derive(Default)]
pub struct Part {
    pub nodes: Vec<PartNode>,
    /// The node of the whole graph for which each stands.
    pub origin: Vec<NodeId>,
    /// Nodes that are fed, and which of the step's feeds each is. Only the part of this process has any.
    pub feeds: Vec<(u32, usize)>,
    /// Outputs that are fetched, and which of the step's fetches each is.
    pub fetches: Vec<((u32, u32), usize)>,
    pub targets: Vec<u32>,
}

impl Part {
    /// What the part is asked for.
    pub fn request(&self) -> Request {
        let output = |&(node, index): &(u32, u32)| OutputId { node, index };
        Request {
            feeds: self.feeds.iter().map(|&(node, _)| OutputId { node, index: 0 }).collect(),
            fetches: self.fetches.iter().map(|(o, _)| output(o)).collect(),
            targets: self.targets.clone(),
        }
    }
}

/// Where a value comes from that a part receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeSource {
    /// One of the step's feeds.
    Feed(usize),
    Site(usize),
}

/// A value on its way from one process to another; its position is the key of its rendezvous.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: EdgeSource,
    pub to: usize,
}

/// A step cut at the borders of processes, called sites. Site 0 is this process.
pub struct Split {
    /// By site; those that do nothing are empty.
    pub parts: Vec<Part>,
    pub edges: Vec<Edge>,
    /// The nodes of the step with their devices, and whether their outputs are inside of a loop.
    pub placement: Vec<(Arc<Node>, usize, bool)>,
}

fn nothing(_: &mut KernelContext<'_>) -> Result<()> {
    Ok(())
}

/// Cuts a request; `site_of` gives the site of each device.
///
/// Errors: those of placement and of the graph's structure; `Unimplemented` for a loop that has state in several processes;
/// `InvalidArgument` for a resource that is used in another process than its own.
pub(crate) fn split(
    request: &Request,
    cx: &Context<'_>,
    sites: usize,
    site_of: &dyn Fn(usize) -> usize,
) -> Result<Split> {
    let graph: &Graph = cx.graph;
    let fed: FxHashSet<OutputId> = request.feeds.iter().copied().collect();
    let mut placement = Vec::new();
    let kernel: &crate::draft::KernelSource<'_> = &|_, _, _| Ok(Arc::new(nothing));
    let whole = Context { kernel, optimize: false, ..*cx };
    let d = draft(request, &whole, &mut placement)?;
    let ids = prune(graph, request, &fed)?;
    let frames = Frames::find(graph, &ids, &fed)?;
    let mut site = vec![0; graph.len()];
    for (node, device, _) in &placement {
        site[node.id as usize] = site_of(*device);
    }
    sites::keep_loops_whole(graph, &ids, &frames, &mut site)?;
    let feeds: FxHashMap<OutputId, u32> = request.feeds.iter().enumerate().map(|(i, &o)| (o, i as u32)).collect();
    let mut cutter = Cutter::new(graph, request, &fed, &feeds, &d, &frames, &ids, &site, sites)?;
    cutter.run()?;
    let (parts, edges) = cutter.finish();
    Ok(Split { parts, edges, placement })
}
