//! The visibility rule: which version of each variable every reader of a step sees.
//!
//! 1. The writes of one variable in a step are totally ordered, by their places in one order of all nodes of the step.
//!    That order keeps the edges and, if these leave a choice, takes the least node id first. Pairs of writes by their ids
//!    alone could close a cycle. Write number k makes version k, and version 0 is the one at the start of the
//!    step.
//! 2. An op that reads a variable sees the version made by the last write that data or control edges order before that op.
//! 3. A fetched variable is read after the last write.

use crate::order::Edges;
use crate::source::VariableIndex;
use ferroflow_tensor::Result;

/// The accesses of the nodes `0..len` of a step to variables.
pub(crate) struct Accesses {
    /// (node, variable): the node writes it. One entry per reference input.
    pub writes: Vec<(u32, VariableIndex)>,
    /// (node, variable): the node consumes its value or inspects it.
    pub reads: Vec<(u32, VariableIndex)>,
    pub variables: usize,
}

pub(crate) struct Versions {
    /// For each variable, the nodes that write it, in order: the k-th (from 0) makes version k + 1.
    pub writers: Vec<Vec<u32>>,
    /// For each entry of `Accesses::reads`, the version it sees.
    pub seen: Vec<u32>,
}

impl Versions {
    /// Applies the rule. `edges.hard` holds the data and control edges; the order of writes is added to it.
    /// `edges.soft` gets edges from readers of a version to the write that replaces it.
    pub fn assign(accesses: &Accesses, edges: &mut Edges, id: impl Fn(u32) -> u64) -> Result<Versions> {
        let mut writers: Vec<Vec<u32>> = vec![Vec::new(); accesses.variables];
        if !accesses.writes.is_empty() {
            let mut position = vec![0u32; edges.hard.len()];
            for (i, node) in edges.order(id)?.into_iter().enumerate() {
                position[node as usize] = i as u32;
            }
            for &(node, variable) in &accesses.writes {
                let list = &mut writers[variable as usize];
                if !list.contains(&node) {
                    list.push(node);
                }
            }
            writers.iter_mut().for_each(|list| list.sort_by_key(|&n| position[n as usize]));
        }
        let seen = seen_versions(accesses, &writers, &edges.hard);
        for list in &writers {
            for pair in list.windows(2) {
                edges.hard[pair[0] as usize].push(pair[1]);
            }
        }
        for (&(node, variable), &version) in accesses.reads.iter().zip(&seen) {
            if let Some(&next) = writers[variable as usize].get(version as usize)
                && next != node
            {
                edges.soft[node as usize].push(next);
            }
        }
        Ok(Versions { writers, seen })
    }
}

/// Marks, variable by variable, what lies behind each write.
fn seen_versions(accesses: &Accesses, writers: &[Vec<u32>], successors: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![0u32; accesses.reads.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); accesses.variables];
    for (i, &(_, variable)) in accesses.reads.iter().enumerate() {
        readers[variable as usize].push(i);
    }
    let mut version = vec![0u32; successors.len()];
    let mut touched: Vec<u32> = Vec::new();
    let mut stack: Vec<u32> = Vec::new();
    for (list, readers) in writers.iter().zip(&readers) {
        if readers.is_empty() {
            continue;
        }
        for (k, &writer) in list.iter().enumerate() {
            let made = k as u32 + 1;
            stack.extend(&successors[writer as usize]);
            while let Some(n) = stack.pop() {
                if version[n as usize] < made {
                    version[n as usize] = made;
                    touched.push(n);
                    stack.extend(&successors[n as usize]);
                }
            }
        }
        for &r in readers {
            seen[r] = version[accesses.reads[r].0 as usize];
        }
        for n in touched.drain(..) {
            version[n as usize] = 0;
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unordered_reader_sees_the_start_and_goes_first() {
        // 0 writes, 1 reads without an edge between them.
        let accesses = Accesses { writes: vec![(0, 0)], reads: vec![(1, 0)], variables: 1 };
        let mut edges = Edges::new(2);
        let v = Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert_eq!(v.seen, [0]);
        assert_eq!(edges.order(u64::from).unwrap(), [1, 0]);
    }

    #[test]
    fn a_reader_behind_a_write_sees_it() {
        // 0 and 1 write; 2 is behind 0, 3 behind both.
        let accesses = Accesses { writes: vec![(0, 0), (1, 0)], reads: vec![(2, 0), (3, 0)], variables: 1 };
        let mut edges = Edges::new(4);
        edges.hard[0] = vec![2, 3];
        edges.hard[1] = vec![3];
        let v = Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert_eq!((v.seen, v.writers), (vec![1, 2], vec![vec![0, 1]]));
        assert_eq!(edges.order(u64::from).unwrap(), [0, 2, 1, 3]);
    }

    #[test]
    fn two_variables_never_tie_writes_into_a_cycle() {
        // a1(0) a2(1) write A; b3(2) b4(3) write B; edges a2 -> b3 and b4 -> a1.
        let accesses = Accesses { writes: vec![(0, 0), (1, 0), (2, 1), (3, 1)], reads: vec![], variables: 2 };
        let mut edges = Edges::new(4);
        edges.hard[1] = vec![2];
        edges.hard[3] = vec![0];
        Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert!(edges.order(u64::from).is_ok());
    }
}
