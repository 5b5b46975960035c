//! `Replacement`: several nodes of a draft become one, the only way in which rewrites fuse.

use crate::context::Context;
use crate::draft::{Action, Draft};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Node};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;

/// Nodes that become one, which stands at the place of the last and has its outputs.
///
/// One rule holds for all rewrites. The nodes have one guard, and nothing else depends on those before the last
/// (`only_reader`). The new node waits for everything that any of them waited for, except for each other.
pub(super) struct Replacement {
    /// In topological order.
    pub nodes: SmallVec<[u32; 4]>,
    /// The new node; None keeps the last one, whose kernel and inputs change.
    pub node: Option<Arc<Node>>,
    pub kernel: Arc<dyn Kernel>,
    pub inputs: SmallVec<[Source; 3]>,
    pub rewrite: Rewrite,
}

impl Replacement {
    pub fn apply(self, d: &mut Draft) {
        let Some(&last) = self.nodes.last() else { return };
        let inside: FxHashSet<u32> = self.nodes.iter().copied().collect();
        let mut computes = Vec::new();
        let mut control: SmallVec<[u32; 2]> = SmallVec::new();
        for &i in &self.nodes {
            let node = &mut d.nodes[i as usize];
            computes.append(&mut node.computes);
            for c in &node.control {
                if !inside.contains(c) && !control.contains(c) {
                    control.push(*c);
                }
            }
            if i != last {
                node.action = Action::Nothing;
            }
        }
        let place = &mut d.nodes[last as usize];
        if let Some(node) = self.node {
            place.node = node;
        }
        place.action = Action::Run(self.kernel);
        // References that stay in their places are still written.
        let stays = |k| place.is_ref.get(k) == Some(&true) && place.inputs.get(k) == self.inputs.get(k);
        place.is_ref = (0..self.inputs.len()).map(stays).collect();
        place.inputs = self.inputs;
        place.control = control;
        place.computes = computes;
        place.rewrite = Some(self.rewrite);
    }
}

/// Makes a node of a fused op, and its kernel, in the place of node `i`; None if the op has no kernel. The `inputs` all
/// have the dtype of its output.
pub(super) fn fused_node(
    d: &Draft,
    cx: &Context<'_>,
    i: u32,
    op: &str,
    attrs: AttrMap,
    inputs: usize,
) -> Option<(Arc<Node>, Arc<dyn Kernel>)> {
    let place = &d.nodes[i as usize].node;
    let op = cx.graph.registry().get(op)?.clone();
    let types = vec![place.outputs.first()?.dtype; inputs];
    let node = Arc::new(Node { op, attrs, ..Node::clone(place) });
    let kernel = node.op.kernel?(&KernelInit { node: &node, input_types: &types, resources: cx.resources }).ok()?;
    Some((node, kernel.into()))
}
