//! Orders the nodes of a step: a topological order that also respects soft edges as far as they close no cycle.

use ferroflow_tensor::{Result, bail};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Edges between nodes `0..len`.
pub(crate) struct Edges {
    /// Must hold: data, control, order of writes.
    pub hard: Vec<Vec<u32>>,
    /// Should hold: readers of a version before the write that replaces it.
    pub soft: Vec<Vec<u32>>,
}

impl Edges {
    pub fn new(len: usize) -> Edges {
        Edges { hard: vec![Vec::new(); len], soft: vec![Vec::new(); len] }
    }

    /// Returns a topological order of the hard edges. Nodes that break no soft edge go first; among them the one of
    /// least `priority`. If there is none, the node of least priority goes and its soft edges are dropped.
    ///
    /// Errors: `InvalidArgument` where the hard edges close a cycle.
    pub fn order(&self, priority: impl Fn(u32) -> u64) -> Result<Vec<u32>> {
        let n = self.hard.len();
        let (mut hard_in, mut soft_in) = (vec![0u32; n], vec![0u32; n]);
        self.hard.iter().flatten().for_each(|&t| hard_in[t as usize] += 1);
        self.soft.iter().flatten().for_each(|&t| soft_in[t as usize] += 1);
        // Ready by the hard edges; `held` has the nodes before which a soft edge would still put another one.
        let (mut ready, mut held) = (BinaryHeap::new(), BinaryHeap::new());
        let mut done = vec![false; n];
        let mut order = Vec::with_capacity(n);
        for i in 0..n as u32 {
            if hard_in[i as usize] == 0 {
                let heap = if soft_in[i as usize] == 0 { &mut ready } else { &mut held };
                heap.push(Reverse((priority(i), i)));
            }
        }
        while let Some(Reverse((_, i))) = ready.pop().or_else(|| held.pop()) {
            if std::mem::replace(&mut done[i as usize], true) {
                continue;
            }
            order.push(i);
            for &t in &self.hard[i as usize] {
                hard_in[t as usize] -= 1;
                if hard_in[t as usize] == 0 {
                    let heap = if soft_in[t as usize] == 0 { &mut ready } else { &mut held };
                    heap.push(Reverse((priority(t), t)));
                }
            }
            for &t in &self.soft[i as usize] {
                soft_in[t as usize] -= 1;
                if soft_in[t as usize] == 0 && hard_in[t as usize] == 0 && !done[t as usize] {
                    ready.push(Reverse((priority(t), t)));
                }
            }
        }
        if order.len() < n {
            bail!(InvalidArgument, "Graph is invalid, contains a cycle with {} nodes", n - order.len());
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(n: usize, hard: &[(u32, u32)], soft: &[(u32, u32)]) -> Edges {
        let mut e = Edges::new(n);
        hard.iter().for_each(|&(a, b)| e.hard[a as usize].push(b));
        soft.iter().for_each(|&(a, b)| e.soft[a as usize].push(b));
        e
    }

    #[test]
    fn least_priority_first_within_the_edges() {
        let e = edges(4, &[(3, 0)], &[]);
        assert_eq!(e.order(u64::from).unwrap(), [1, 2, 3, 0]);
    }

    #[test]
    fn soft_edges_hold_where_they_can() {
        let e = edges(3, &[], &[(2, 0)]);
        assert_eq!(e.order(u64::from).unwrap(), [1, 2, 0]);
        let e = edges(3, &[(0, 1)], &[(1, 0), (2, 0)]);
        assert_eq!(e.order(u64::from).unwrap(), [2, 0, 1]);
    }

    #[test]
    fn a_cycle_is_an_error() {
        assert!(edges(2, &[(0, 1), (1, 0)], &[]).order(u64::from).is_err());
    }
}
