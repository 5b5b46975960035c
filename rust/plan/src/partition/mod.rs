//! Partitioning: a step whose nodes run in several processes becomes one graph for each, joined by `_Send` and `_Recv`.
//!
//! A partitioned step gives the results of one process. The visibility rule is decided on the whole step: a variable's
//! value that crosses a border is sent as the version of its reader. Nodes keep the order in which the rule numbers
//! writes. If a path leaves a part and comes back, a control edge replaces it. Values behind a conditional are received
//! under the same predicate, which each part tests for itself.

mod assemble;
mod cut;
mod part;
mod sites;
mod transfers;

pub use assemble::assemble;
pub use part::{Edge, EdgeSource, Part, PartNode, Split};

use crate::context::{Context, PlanOptions};
use crate::draft_step::draft_step;
use crate::flow::Frames;
use crate::request::{Request, prune};
use crate::rewrites::Rewrites;
use cut::{Cutter, Whole};
use ferroflow_graph::{Graph, KernelContext, OutputId};
use ferroflow_tensor::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

fn nothing(_: &mut KernelContext<'_>) -> Result<()> {
    Ok(())
}

/// Cuts a request; `site_of` gives the site of each device.
///
/// Errors: those of placement and of the graph's structure. `Unimplemented` for a loop that has state in several
/// processes. `InvalidArgument` for a resource that is used in another process than its own.
pub fn split(request: &Request, cx: &Context<'_>, sites: usize, site_of: &dyn Fn(usize) -> usize) -> Result<Split> {
    let graph: &Graph = cx.graph;
    let fed: FxHashSet<OutputId> = request.feeds.iter().copied().collect();
    let kernel: &crate::context::KernelSource<'_> = &|_, _, _| Ok(Arc::new(nothing));
    let options = PlanOptions { rewrites: Rewrites::NONE, ..cx.options.clone() };
    let whole = Context { kernel, options: &options, ..*cx };
    let (d, placement) = draft_step(request, &whole)?;
    let ids = prune(graph, request, &fed)?;
    let frames = Frames::find(graph, &ids, &fed)?;
    let mut site = vec![0; graph.len()];
    for placed in &placement {
        site[placed.node.id as usize] = site_of(placed.device);
    }
    sites::keep_loops_whole(graph, &ids, &frames, &mut site)?;
    let feeds: FxHashMap<OutputId, u32> = request.feeds.iter().enumerate().map(|(i, &o)| (o, i as u32)).collect();
    let (draft, frames, ids, site) = (&d, &frames, &ids[..], &site[..]);
    let mut cutter = Cutter::new(Whole { graph, request, fed: &fed, feeds: &feeds, draft, frames, ids, site, sites })?;
    cutter.run()?;
    let (parts, edges) = cutter.finish();
    Ok(Split { parts, edges, placement })
}
