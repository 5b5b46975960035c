//! Groups of elementwise nodes that one program can compute.
//!
//! A node joins the group of its readers if all of them are in one group and nothing else depends on it. Fetches,
//! targets and control edges would. The group runs in the place of its last node. No cycle can arise, because every
//! member is an ancestor of that node. Members that wait for others by control edges all wait for the same, so that nothing
//! is read later than it was.

use super::formula::Formulas;
use super::readers::Readers;
use crate::draft::Draft;
use crate::source::Source;
use ferroflow_graph::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Groups do not grow beyond this many nodes.
const MAX_NODES: usize = 8192;

/// Returns the nodes of each group in topological order, with the last one of each.
///
/// In a loop, a node that waits is the last of its group. It waits for the loop's condition alone, and often computes the
/// same in every iteration.
pub(super) fn find(d: &Draft, readers: &Readers, formulas: &Formulas, in_loop: bool) -> Vec<(u32, Vec<u32>)> {
    if in_loop {
        let waits = |&i: &u32| !d.nodes[i as usize].node.control_inputs.is_empty();
        return grouped(d, readers, formulas, &(0..d.nodes.len() as u32).filter(waits).collect());
    }
    let groups = grouped(d, readers, formulas, &FxHashSet::default());
    let apart: FxHashSet<u32> = groups.iter().flat_map(|(_, nodes)| waiting_apart(d, nodes)).collect();
    if apart.is_empty() { groups } else { grouped(d, readers, formulas, &apart) }
}

/// Returns the members before the last that wait for others by control edges, unless all of these members do. A member
/// also waits for others through those that it reads.
fn waiting_apart(d: &Draft, nodes: &[u32]) -> Vec<u32> {
    let control = |i: u32| &d.nodes[i as usize].node.control_inputs;
    let members = &nodes[..nodes.len() - 1];
    let waiting: Vec<u32> = members.iter().copied().filter(|&i| !control(i).is_empty()).collect();
    let all: FxHashSet<NodeId> = waiting.iter().flat_map(|&i| control(i).iter().copied()).collect();
    let mut waited: FxHashMap<u32, FxHashSet<NodeId>> = FxHashMap::default();
    for &i in members.iter().filter(|_| !all.is_empty()) {
        let mut own: FxHashSet<NodeId> = control(i).iter().copied().collect();
        for source in &d.nodes[i as usize].inputs {
            if let Source::Output { node, .. } = source {
                own.extend(waited.get(node).into_iter().flatten());
            }
        }
        if own.len() < all.len() {
            return waiting;
        }
        waited.insert(i, own);
    }
    Vec::new()
}

/// Returns the groups in which no node of `apart` is before the last.
fn grouped(d: &Draft, readers: &Readers, formulas: &Formulas, apart: &FxHashSet<u32>) -> Vec<(u32, Vec<u32>)> {
    // The last node of each node's group; groups are keyed by it.
    let mut group: Vec<Option<u32>> = vec![None; d.nodes.len()];
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for i in (0..d.nodes.len() as u32).rev() {
        let Some(formula) = &formulas[i as usize] else { continue };
        let joined = of_readers(d, readers, &group, i).filter(|&candidate| {
            !apart.contains(&i)
                && formulas[candidate as usize].as_ref().is_some_and(|f| formula.suits(f))
                && members.get(&candidate).is_some_and(|m| m.len() < MAX_NODES)
        });
        // Others than its group may not read a mask.
        if joined.is_none() && formula.makes_mask() {
            continue;
        }
        let last = joined.unwrap_or(i);
        group[i as usize] = Some(last);
        members.entry(last).or_default().push(i);
    }
    let mut groups: Vec<_> = members.into_iter().collect();
    groups.sort_unstable_by_key(|(last, _)| *last);
    groups.iter_mut().for_each(|(_, nodes)| nodes.reverse());
    groups
}

/// Returns the group that all readers of a node are in, if nothing else depends on the node.
fn of_readers(d: &Draft, readers: &Readers, group: &[Option<u32>], i: u32) -> Option<u32> {
    let node = &d.nodes[i as usize];
    let candidate = group[*readers.of(i).first()? as usize]?;
    let joins = !readers.is_watched(i)
        && d.nodes[candidate as usize].guard == node.guard
        && readers.of(i).iter().all(|&r| group[r as usize] == Some(candidate));
    joins.then_some(candidate)
}
