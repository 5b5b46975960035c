//! Locks: the parts of a step that hold one lock run one after the other.
//!
//! A part begins with the node that takes the lock, and ends with the readers of that node's output. Without an order
//! of parts, the visibility rule could put a write of one part between the writes of another. The other part would then
//! wait for a lock that is never released.

use crate::draft::{Action, Draft, order_edges};
use crate::order::Edges;
use crate::source::Source;
use ferroflow_tensor::{DType, Result};

/// Orders the parts of a draft that hold one lock: control edges lead from the end of each part to the beginning of the
/// next. The order keeps the draft's edges. Parts that need each other's values can never end, and get no edges.
pub(crate) fn order_holders(d: &mut Draft) -> Result<()> {
    if d.locks.len() < 2 {
        return Ok(());
    }
    let mut locks = std::mem::take(&mut d.locks);
    locks.sort_by(|a, b| a.1.cmp(&b.1));
    for same in locks.chunk_by(|a, b| a.1 == b.1) {
        if same.len() > 1 {
            let holders: Vec<u32> = same.iter().map(|&(node, _)| node).collect();
            order_same(d, &holders)?;
        }
    }
    d.locks = locks;
    Ok(())
}

fn order_same(d: &mut Draft, holders: &[u32]) -> Result<()> {
    let edges = order_edges(d);
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); d.nodes.len()];
    for (i, node) in d.nodes.iter().enumerate() {
        for source in &node.inputs {
            if let Source::Output { node: from, .. } = *source {
                readers[from as usize].push(i as u32);
            }
        }
    }
    let ends: Vec<Vec<u32>> = holders.iter().map(|&h| ends_of(d, &readers, h)).collect();
    for (before, after) in sequence(&edges, holders, &ends)? {
        d.nodes[holders[after] as usize].control.extend(ends[before].iter().copied());
    }
    Ok(())
}

/// Returns the nodes after which the lock that a node takes is free: the readers of its output, also through nodes that
/// forward it. A loop holds its locks itself.
fn ends_of(d: &Draft, readers: &[Vec<u32>], holder: u32) -> Vec<u32> {
    let is_loop = |i: u32| matches!(d.nodes[i as usize].action, Action::Loop(_));
    let mut found: Vec<u32> = Vec::new();
    let mut forwarding = vec![holder];
    while let Some(from) = forwarding.pop() {
        if is_loop(from) {
            continue;
        }
        for &reader in &readers[from as usize] {
            if !found.contains(&reader) {
                found.push(reader);
                if d.nodes[reader as usize].node.outputs.iter().any(|o| o.dtype == DType::Variant) {
                    forwarding.push(reader);
                }
            }
        }
    }
    if found.is_empty() {
        found.push(holder);
    }
    found
}

/// Returns pairs of holders, by index: the part of the first ends before that of the second begins. A holder precedes
/// all whose ends it comes before. Otherwise the order of all nodes decides.
fn sequence(edges: &Edges, holders: &[u32], ends: &[Vec<u32>]) -> Result<Vec<(usize, usize)>> {
    let order = edges.order(u64::from)?;
    let words = holders.len().div_ceil(64);
    let mut before = vec![0u64; edges.hard.len() * words];
    let mut index_of = vec![None; edges.hard.len()];
    holders.iter().enumerate().for_each(|(k, &h)| index_of[h as usize] = Some(k));
    let mut by_place = Vec::with_capacity(holders.len());
    for &node in &order {
        let i = node as usize;
        if let Some(k) = index_of[i] {
            by_place.push(k);
            before[i * words + k / 64] |= 1 << (k % 64);
        }
        for &t in &edges.hard[i] {
            for w in 0..words {
                before[t as usize * words + w] |= before[i * words + w];
            }
        }
    }
    let mut remaining = vec![0u64; words];
    (0..holders.len()).for_each(|k| remaining[k / 64] |= 1 << (k % 64));
    let needed = |k: usize, w: usize| {
        let own = if k / 64 == w { 1u64 << (k % 64) } else { 0 };
        ends[k].iter().fold(0, |bits, &e| bits | before[e as usize * words + w]) & !own
    };
    let mut pairs = Vec::with_capacity(holders.len());
    let mut last = None;
    while !by_place.is_empty() {
        let is_free = |&k: &usize| (0..words).all(|w| needed(k, w) & remaining[w] == 0);
        let Some(at) = by_place.iter().position(is_free) else { break };
        let next = by_place.remove(at);
        remaining[next / 64] &= !(1 << (next % 64));
        pairs.extend(last.map(|last| (last, next)));
        last = Some(next);
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(n: usize, hard: &[(u32, u32)]) -> Edges {
        let mut e = Edges::new(n);
        hard.iter().for_each(|&(a, b)| e.hard[a as usize].push(b));
        e
    }

    #[test]
    fn parts_go_in_the_order_of_their_nodes() {
        // Parts 0..1, 2..3 and 4..5.
        let e = edges(6, &[(0, 1), (2, 3), (4, 5)]);
        assert_eq!(sequence(&e, &[0, 2, 4], &[vec![1], vec![3], vec![5]]).unwrap(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn a_part_goes_before_those_that_need_its_values_to_end() {
        // The end of the part 0..1 needs the end of 2..3.
        let e = edges(4, &[(0, 1), (2, 3), (3, 1)]);
        assert_eq!(sequence(&e, &[0, 2], &[vec![1], vec![3]]).unwrap(), [(1, 0)]);
    }

    #[test]
    fn parts_that_need_each_other_get_no_order() {
        let e = edges(4, &[(0, 1), (2, 3), (0, 3), (2, 1)]);
        assert_eq!(sequence(&e, &[0, 2], &[vec![1], vec![3]]).unwrap(), []);
    }
}
