//! Groups of elementwise nodes that one program can compute.
//!
//! A node joins the group of its readers if all of them are in one group and nothing else depends on it. Fetches,
//! targets and control edges would. The group runs in the place of its last node. No cycle can arise, because every
//! member is an ancestor of that node.

use super::formula::Formulas;
use super::readers::Readers;
use crate::draft::Draft;
use rustc_hash::FxHashMap;

/// Groups do not grow beyond this many nodes.
const MAX_NODES: usize = 8192;

/// Returns the nodes of each group in topological order, with the last one of each.
pub(super) fn find(d: &Draft, readers: &Readers, formulas: &Formulas) -> Vec<(u32, Vec<u32>)> {
    // The last node of each node's group; groups are keyed by it.
    let mut group: Vec<Option<u32>> = vec![None; d.nodes.len()];
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for i in (0..d.nodes.len() as u32).rev() {
        let Some(formula) = &formulas[i as usize] else { continue };
        let joined = of_readers(d, readers, &group, i).filter(|&candidate| {
            formulas[candidate as usize].as_ref().is_some_and(|f| formula.suits(f))
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
        && node.node.control_inputs.is_empty()
        && d.nodes[candidate as usize].guard == node.guard
        && readers.of(i).iter().all(|&r| group[r as usize] == Some(candidate));
    joins.then_some(candidate)
}
