//! Shapes of the elements of lists and arrays.
//!
//! A list is a value: its shapes go where it goes. An array is one object behind many handles. Each node of the step may
//! read from it what any other writes, whatever the order.

use crate::facts::ElementsPart;
use crate::graph::Graph;
use crate::node::{Node, NodeId, OutputId};
use ferroflow_tensor::PartialShape;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The shape that all elements share; None as long as there are none.
type Shared = Option<PartialShape>;

fn join(a: &Shared, b: &Shared) -> Shared {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.most_specific_common(b)),
        (one, None) | (None, one) => one.clone(),
    }
}

/// The facts about the lists and arrays of a step. Without an entry, elements may have any shape.
#[derive(Default)]
pub(super) struct Elements {
    lists: FxHashMap<OutputId, Shared>,
    /// The node that made the array, by its handles.
    makers: FxHashMap<OutputId, NodeId>,
    arrays: FxHashMap<NodeId, Shared>,
    /// The arrays of gradients: by the array and their name.
    gradients: FxHashMap<(NodeId, Arc<str>), NodeId>,
    /// The array of an array of gradients.
    origins: FxHashMap<NodeId, NodeId>,
    /// Arrays that nodes without rules here may write.
    shared: FxHashSet<NodeId>,
    /// True if any array may be written by way of an unknown handle.
    are_open: bool,
    has_changed: bool,
}

impl Elements {
    /// Returns true if the last pass learned of shapes that earlier nodes of it did not see.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    /// Notes that an output is the list or the handle of another.
    pub fn forward(&mut self, from: OutputId, to: OutputId) {
        match self.lists.get(&from).cloned() {
            Some(list) => self.lists.insert(to, list),
            None => self.lists.remove(&to),
        };
        if let Some(&maker) = self.makers.get(&from) {
            self.makers.insert(to, maker);
        }
    }

    /// Joins what comes to a Merge; `is_new` if it is visited for the first time.
    pub fn merge(&mut self, from: &[OutputId], to: OutputId, is_new: bool) {
        let before = self.lists.get(&to).cloned();
        let mut joined = if is_new { Some(None) } else { before.clone() };
        for o in from {
            joined = joined.zip(self.lists.get(o)).map(|(a, b)| join(&a, b));
        }
        self.has_changed |= !is_new && joined != before;
        match joined {
            Some(list) => self.lists.insert(to, list),
            None => self.lists.remove(&to),
        };
        let makers: FxHashSet<NodeId> = from.iter().filter_map(|o| self.makers.get(o).copied()).collect();
        match (makers.len(), makers.iter().next()) {
            (1, Some(&maker)) if from.iter().all(|o| self.makers.contains_key(o)) => {
                self.makers.insert(to, maker);
            }
            (0, _) => {}
            _ => self.open(),
        }
    }

    /// Notes what a node does to lists and arrays. Returns the output that has elements, and its shape: what rules of
    /// ops state of it comes from the program.
    pub fn visit(&mut self, graph: &Graph, node: &Node) -> Option<(usize, PartialShape)> {
        let input = |i: usize| node.inputs.get(i).copied();
        let shape = |i: usize| graph.output(input(i)?).ok().map(|t| t.shape.clone());
        let out = |index| OutputId { node: node.id, index };
        match node.op.elements? {
            ElementsPart::EmptyList => {
                self.lists.insert(out(0), None);
            }
            ElementsPart::Push => {
                let list = self.lists.get(&input(0)?).map(|list| join(list, &shape(1)));
                match list {
                    Some(list) => self.lists.insert(out(0), list),
                    None => self.lists.remove(&out(0)),
                };
            }
            ElementsPart::Pop => {
                self.forward(input(0)?, out(0));
                return Some((1, self.lists.get(&out(0)).cloned().flatten().unwrap_or_else(PartialShape::unknown)));
            }
            ElementsPart::MakeArray => {
                self.makers.insert(out(0), node.id);
                self.arrays.entry(node.id).or_default();
            }
            ElementsPart::MakeGradients => {
                let Some(&origin) = self.makers.get(&input(0)?) else {
                    self.open();
                    return None;
                };
                let name: Arc<str> = String::from_utf8_lossy(&node.attrs.bytes("source").unwrap_or_default()).into();
                let maker = *self.gradients.entry((origin, name)).or_insert(node.id);
                self.makers.insert(out(0), maker);
                self.origins.insert(maker, origin);
                self.arrays.entry(maker).or_default();
            }
            ElementsPart::Write => self.write(input(0)?, shape(2)),
            ElementsPart::WriteRows => {
                let rows = shape(2).and_then(|s| Some(PartialShape::from_dims(s.dims()?.get(1..)?)));
                self.write(input(0)?, Some(rows.unwrap_or_else(PartialShape::unknown)));
            }
            ElementsPart::WriteParts => self.write(input(0)?, Some(PartialShape::unknown())),
            ElementsPart::Read => return Some((0, self.read(input(0)?))),
            ElementsPart::ReadRows => {
                let rows = PartialShape::vector(shape(1)?.dim(0));
                return Some((0, rows.concatenate(&self.read(input(0)?))));
            }
            ElementsPart::Size | ElementsPart::Inspect => {}
        }
        None
    }

    /// Notes that a node without rules reads these outputs: it may write their arrays.
    pub fn share(&mut self, inputs: &[OutputId]) {
        for o in inputs {
            if let Some(&maker) = self.makers.get(o) {
                self.has_changed |= self.shared.insert(maker);
            }
        }
    }

    fn open(&mut self) {
        self.has_changed |= !std::mem::replace(&mut self.are_open, true);
    }

    fn write(&mut self, handle: OutputId, element: Shared) {
        let Some(&maker) = self.makers.get(&handle) else {
            self.open();
            return;
        };
        let all = self.arrays.entry(maker).or_default();
        let joined = join(all, &element);
        if joined != *all {
            *all = joined;
            self.has_changed = true;
        }
    }

    fn read(&self, handle: OutputId) -> PartialShape {
        let Some(maker) = self.makers.get(&handle) else { return PartialShape::unknown() };
        let origin = self.origins.get(maker).unwrap_or(maker);
        if self.are_open || self.shared.contains(maker) || self.shared.contains(origin) {
            return PartialShape::unknown();
        }
        // A gradient that nobody wrote is zeros of the shape of the array's element.
        let shape = self.arrays.get(maker).zip(self.arrays.get(origin)).and_then(|(own, of)| join(own, of));
        shape.unwrap_or_else(PartialShape::unknown)
    }
}
