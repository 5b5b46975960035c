//! Frames: the loops of a step and the nodes that run in each.

use crate::order::Edges;
use crate::request::is_fed_placeholder;
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
    /// The frame it was entered from, which may be one that is no loop.
    entered_from: FrameId,
    /// No variable of it goes around: what is in it runs once, in its parent.
    is_straight: bool,
    pub children: Vec<FrameId>,
    /// The nodes that run here, in an order in which each comes after what it waits for. An Enter runs outside, an Exit inside its loop.
    pub members: Vec<NodeId>,
    pub enters: Vec<NodeId>,
}

pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// Frame of each node; nodes that are not listed run in the root frame.
    of: FxHashMap<NodeId, FrameId>,
    /// The frame that each Enter leads into.
    entered: FxHashMap<NodeId, FrameId>,
}

impl Frames {
    /// Sorts the nodes of a step into frames.
    ///
    /// Errors: `InvalidArgument` for a cycle outside loops, an Exit outside a loop, and inputs from loops that are not nested.
    pub fn find(graph: &Graph, ids: &[NodeId], fed: &FxHashSet<OutputId>) -> Result<Frames> {
        let mut found = Frames { frames: Vec::new(), of: FxHashMap::default(), entered: FxHashMap::default() };
        found.add(String::new(), ROOT, ROOT, false);
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
        let mut parts = Parts::find(graph, ids)?;
        let mut by_name: FxHashMap<(FrameId, String, u32), FrameId> = FxHashMap::default();
        for id in order(graph, ids)? {
            let node = graph.node(id)?;
            let frame = found.frame_of_inputs(graph, node, fed)?;
            let runs_in = found.enclosing(frame);
            found.frames[runs_in].members.push(id);
            if frame != ROOT {
                found.of.insert(id, frame);
            }
            match node.op.flow {
                Some(Flow::Enter) => {
                    let name = node.attrs.str("frame_name")?;
                    // Two loops may have one name; the part that each is in distinguishes them.
                    let part = parts.entered(node);
                    let next = found.frames.len();
                    let child = *by_name.entry((frame, name.clone(), part)).or_insert(next);
                    if child == next {
                        let is_straight = !parts.goes_around(part);
                        found.add(name, runs_in, frame, is_straight);
                        if !is_straight {
                            found.frames[runs_in].children.push(child);
                        }
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

    fn add(&mut self, name: String, parent: FrameId, entered_from: FrameId, is_straight: bool) {
        let (children, members, enters) = (Vec::new(), Vec::new(), Vec::new());
        self.frames.push(Frame { name, parent, entered_from, is_straight, children, members, enters });
    }

    /// Returns the innermost loop around a frame, itself included, or the root.
    fn enclosing(&self, mut frame: FrameId) -> FrameId {
        while self.frames[frame].is_straight {
            frame = self.frames[frame].entered_from;
        }
        frame
    }

    pub fn get(&self, id: FrameId) -> &Frame {
        &self.frames[id]
    }

    /// Returns the frame a node runs in.
    pub fn of(&self, node: NodeId) -> FrameId {
        self.enclosing(self.named(node))
    }

    /// Returns the frame that a node's outputs belong to.
    pub fn of_output(&self, node: &Node) -> FrameId {
        self.enclosing(self.named_output(node))
    }

    /// Returns whether a node brings values into a loop, or out of one.
    pub fn is_border(&self, node: &Node) -> bool {
        match node.op.flow {
            Some(Flow::Enter) => !self.frames[self.entered.get(&node.id).copied().unwrap_or(ROOT)].is_straight,
            Some(Flow::Exit) => !self.frames[self.named(node.id)].is_straight,
            _ => false,
        }
    }

    /// Returns the frame of a node by the names of Enters, be it a loop or not.
    fn named(&self, node: NodeId) -> FrameId {
        self.of.get(&node).copied().unwrap_or(ROOT)
    }

    fn named_output(&self, node: &Node) -> FrameId {
        match node.op.flow {
            Some(Flow::Enter) => self.entered.get(&node.id).copied().unwrap_or(ROOT),
            Some(Flow::Exit) => self.frames[self.named(node.id)].entered_from,
            _ => self.named(node.id),
        }
    }

    /// Returns whether `inner` is `outer` or nested in it.
    pub fn is_within(&self, mut inner: FrameId, outer: FrameId) -> bool {
        // A frame is made after its parent.
        while inner > outer {
            inner = self.frames[inner].entered_from;
        }
        inner == outer
    }

    /// Returns the outermost of the frames around `inner` that are nested in `outer`.
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
            let of = self.named_output(from);
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

/// The parts of a step that are connected without crossing the border of a frame.
struct Parts {
    /// Parents of a union-find structure, by position in the step's list, with a second position for the outputs of
    /// Enters and Exits. Each entry leads to the representative of its part, whose entry is its own position.
    up: Vec<u32>,
    local: FxHashMap<NodeId, u32>,
    around: FxHashSet<u32>,
}

impl Parts {
    fn find(graph: &Graph, ids: &[NodeId]) -> Result<Parts> {
        let local = ids.iter().enumerate().map(|(i, &id)| (id, i as u32)).collect();
        let mut parts = Parts { up: (0..2 * ids.len() as u32).collect(), local, around: FxHashSet::default() };
        for (i, &id) in ids.iter().enumerate() {
            for from in graph.node(id)?.predecessors() {
                if let Some(out) = parts.output(graph.node(from)?) {
                    let (a, b) = (parts.shortened(i as u32), parts.shortened(out));
                    parts.up[a as usize] = b;
                }
            }
        }
        while parts.join_borders(graph, ids)? {}
        for (i, &id) in ids.iter().enumerate() {
            let node = graph.node(id)?;
            for from in node.predecessors() {
                if is_back_edge(node, graph.node(from)?) {
                    let part = parts.shortened(i as u32);
                    parts.around.insert(part);
                }
            }
        }
        Ok(parts)
    }

    /// Joins everything that leads into one part, and out of it, around the part. Returns whether anything was joined.
    fn join_borders(&mut self, graph: &Graph, ids: &[NodeId]) -> Result<bool> {
        let mut outside: FxHashMap<u32, u32> = FxHashMap::default();
        let mut joined = false;
        for flow in [Flow::Enter, Flow::Exit] {
            for (i, &id) in ids.iter().enumerate() {
                let node = graph.node(id)?;
                if node.op.flow != Some(flow) {
                    continue;
                }
                let (Some(out), own) = (self.output(node), i as u32) else { continue };
                let (inner, outer) = if flow == Flow::Enter { (out, own) } else { (own, out) };
                let (inner, outer) = (self.shortened(inner), self.shortened(outer));
                let of_all = *outside.entry(inner).or_insert(outer);
                let of_all = self.shortened(of_all);
                if of_all != outer {
                    self.up[outer as usize] = of_all;
                    joined = true;
                }
            }
        }
        Ok(joined)
    }

    /// Returns the place of a node's outputs.
    fn output(&self, node: &Node) -> Option<u32> {
        let place = *self.local.get(&node.id)?;
        let crosses = matches!(node.op.flow, Some(Flow::Enter | Flow::Exit));
        Some(if crosses { place + self.local.len() as u32 } else { place })
    }

    /// Returns the place that stands for a part, and shortens the path to it for later calls.
    fn shortened(&mut self, mut at: u32) -> u32 {
        while self.up[at as usize] != at {
            let next = self.up[at as usize];
            self.up[at as usize] = self.up[next as usize];
            at = self.up[at as usize];
        }
        at
    }

    /// Returns the part that an Enter leads into.
    fn entered(&mut self, enter: &Node) -> u32 {
        self.output(enter).map_or(0, |place| self.shortened(place))
    }

    /// Returns whether a variable of a loop is in the part.
    fn goes_around(&self, part: u32) -> bool {
        self.around.contains(&part)
    }
}

/// Returns whether the edge between two nodes closes a loop's cycle.
pub(crate) fn is_back_edge(to: &Node, from: &Node) -> bool {
    to.op.flow == Some(Flow::Merge) && from.op.flow == Some(Flow::NextIteration)
}

/// Returns an order of the nodes in which each comes after what it waits for, back edges aside.
pub(crate) fn order(graph: &Graph, ids: &[NodeId]) -> Result<Vec<NodeId>> {
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
