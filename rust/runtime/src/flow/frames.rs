//! Frames: the loops of a step and the nodes that run in each.

use crate::prune::is_fed_placeholder;
use crate::schedule::Edges;
use ferroflow_graph::{Flow, Graph, Node, NodeId, OutputId};
use ferroflow_tensor::{Result, bail};
use rustc_hash::{FxHashMap, FxHashSet};

/// Index of a frame.
pub(crate) type FrameId = usize;

/// The frame of what is in no loop.
pub(crate) const ROOT: FrameId = 0;

pub(crate) struct Frame {
    pub name: String,
    pub parent: FrameId,
    pub children: Vec<FrameId>,
    /// The nodes that run here, in an order in which each comes after what it waits for. An Enter runs outside, an Exit inside its loop.
    pub members: Vec<NodeId>,
    pub enters: Vec<NodeId>,
}

pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// Where each node runs; what is not named runs in the root frame.
    of: FxHashMap<NodeId, FrameId>,
    /// The frame that each Enter leads into.
    entered: FxHashMap<NodeId, FrameId>,
}

impl Frames {
    /// Sorts the nodes of a step into frames.
    ///
    /// Errors: `InvalidArgument` for a cycle outside loops, an Exit outside a loop, and inputs from loops that are not nested.
    pub fn find(graph: &Graph, ids: &[NodeId], fed: &FxHashSet<OutputId>) -> Result<Frames> {
        let root = Frame { name: String::new(), parent: ROOT, children: vec![], members: vec![], enters: vec![] };
        let mut found = Frames { frames: vec![root], of: FxHashMap::default(), entered: FxHashMap::default() };
        let has_loops = ids.iter().any(|&id| graph.node(id).is_ok_and(|n| n.op.flow == Some(Flow::Enter)));
        if !has_loops {
            for &id in ids {
                let node = graph.node(id)?;
                if matches!(node.op.flow, Some(Flow::Exit)) {
                    bail!(InvalidArgument, "The node '{}' leaves a loop but is in none", node.name);
                }
            }
            found.frames[ROOT].members = ids.to_vec();
            if ids.iter().any(|&id| graph.node(id).is_ok_and(|n| n.op.flow.is_some())) {
                found.frames[ROOT].members = order(graph, ids)?;
            }
            return Ok(found);
        }
        let mut by_name: FxHashMap<(FrameId, String), FrameId> = FxHashMap::default();
        for id in order(graph, ids)? {
            let node = graph.node(id)?;
            let frame = found.frame_of_inputs(graph, node, fed)?;
            found.frames[frame].members.push(id);
            if frame != ROOT {
                found.of.insert(id, frame);
            }
            match node.op.flow {
                Some(Flow::Enter) => {
                    let name = node.attrs.str("frame_name")?;
                    let next = found.frames.len();
                    let child = *by_name.entry((frame, name.clone())).or_insert(next);
                    if child == next {
                        found.frames[frame].children.push(child);
                        let (members, enters) = (vec![], vec![]);
                        found.frames.push(Frame { name, parent: frame, children: vec![], members, enters });
                    }
                    found.frames[child].enters.push(id);
                    found.entered.insert(id, child);
                }
                Some(Flow::Exit) if frame == ROOT => {
                    bail!(InvalidArgument, "The node '{}' leaves a loop but is in none", node.name)
                }
                _ => {}
            }
        }
        Ok(found)
    }

    pub fn get(&self, id: FrameId) -> &Frame {
        &self.frames[id]
    }

    /// The frame a node runs in.
    pub fn of(&self, node: NodeId) -> FrameId {
        self.of.get(&node).copied().unwrap_or(ROOT)
    }

    /// The frame that a node's outputs belong to.
    pub fn of_output(&self, node: &Node) -> FrameId {
        match node.op.flow {
            Some(Flow::Enter) => self.entered.get(&node.id).copied().unwrap_or(ROOT),
            Some(Flow::Exit) => self.frames[self.of(node.id)].parent,
            _ => self.of(node.id),
        }
    }

    /// Whether `inner` is `outer` or nested in it.
    pub fn is_within(&self, mut inner: FrameId, outer: FrameId) -> bool {
        // A frame is made after its parent.
        while inner > outer {
            inner = self.frames[inner].parent;
        }
        inner == outer
    }

    /// Of the frames nested in `outer`, the outermost around `inner`.
    pub fn child_around(&self, mut inner: FrameId, outer: FrameId) -> Option<FrameId> {
        while inner != ROOT {
            let parent = self.frames[inner].parent;
            if parent == outer {
                return Some(inner);
            }
            inner = parent;
        }
        None
    }

    fn frame_of_inputs(&self, graph: &Graph, node: &Node, fed: &FxHashSet<OutputId>) -> Result<FrameId> {
        let mut frame = ROOT;
        let data = node.inputs.iter().filter(|o| !fed.contains(o)).map(|o| o.node);
        let control = node.control_inputs.iter().copied().filter(|&c| !is_fed_placeholder(graph, c, fed));
        for from in data.chain(control) {
            let from = graph.node(from)?;
            if is_back_edge(node, from) {
                continue;
            }
            let of = self.of_output(from);
            if self.is_within(of, frame) {
                frame = of;
            } else if !self.is_within(frame, of) {
                bail!(
                    InvalidArgument,
                    "The node '{}' has inputs from different frames. The input '{}' is in frame '{}'. Another input is in \
                     frame '{}'.",
                    node.name,
                    from.name,
                    self.frames[of].name,
                    self.frames[frame].name
                );
            }
        }
        Ok(frame)
    }
}

/// The edge that closes a loop's cycle.
pub(crate) fn is_back_edge(to: &Node, from: &Node) -> bool {
    to.op.flow == Some(Flow::Merge) && from.op.flow == Some(Flow::NextIteration)
}

/// An order of the nodes in which each comes after what it waits for, back edges aside.
fn order(graph: &Graph, ids: &[NodeId]) -> Result<Vec<NodeId>> {
    let local: FxHashMap<NodeId, u32> = ids.iter().enumerate().map(|(i, &id)| (id, i as u32)).collect();
    let mut edges = Edges::new(ids.len());
    for (i, &id) in ids.iter().enumerate() {
        let node = graph.node(id)?;
        for p in node.predecessors() {
            if let Some(&from) = local.get(&p)
                && !is_back_edge(node, graph.node(p)?)
            {
                edges.hard[from as usize].push(i as u32);
            }
        }
    }
    Ok(edges.order(u64::from)?.into_iter().map(|i| ids[i as usize]).collect())
}
