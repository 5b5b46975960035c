//! Nodes with equal op, attributes, inputs and guard become one.

use super::stand_in::StandIn;
use crate::draft::Draft;
use crate::flow::GuardId;
use crate::source::Source;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: usize,
    guard: GuardId,
    inputs: SmallVec<[Source; 3]>,
}

/// The nodes of one pass by what they have in common but for attributes.
#[derive(Default)]
pub(super) struct EqualNodes(FxHashMap<Key, Vec<u32>>);

impl EqualNodes {
    /// Returns the node of an earlier call that equals node `i`; without one, node `i` is kept for later calls.
    pub fn find(&mut self, d: &Draft, i: u32) -> Option<StandIn> {
        let n = &d.nodes[i as usize];
        let key = Key { op: Arc::as_ptr(&n.node.op).addr(), guard: n.guard, inputs: n.inputs.clone() };
        let alike = self.0.entry(key).or_default();
        let equal = alike.iter().copied().find(|&j| d.nodes[j as usize].node.attrs == n.node.attrs);
        if equal.is_none() {
            alike.push(i);
        }
        equal.map(StandIn::Node)
    }
}
