//! The visibility rule: which version of each variable every reader of a step sees.
//!
//! 1. The writes of one variable in a step are totally ordered, by their places in one order of all nodes of the step.
//!    That order keeps the edges and, if these leave a choice, takes the least node id first. Pairs of writes by their ids
//!    alone could close a cycle. Write number k makes version k, and version 0 is the one at the start of the
//!    step.
//! 2. An op that reads a variable sees the version made by the last write that data or control edges order before that op.
//! 3. A fetched variable is read after the last write.
//! 4. Other steps may write a variable while a step waits for a lock. So an op behind the lock sees the value at the time
//!    when the lock is held. If a write of this step is ordered between the two, the op sees that version.

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
    /// The nodes that take a lock.
    pub locks: Vec<u32>,
}

/// A version of a variable that is read anew, because other steps may have written it before a lock was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Renewal {
    pub lock: u32,
    /// The number of this step's writes before the lock.
    pub writes: u32,
}

/// The versions of each variable. Version 0 is the one at the start of the step. The writers make the next ones, in their
/// order. The renewals have the last numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    writers: Vec<Vec<u32>>,
    renewals: Vec<Vec<Renewal>>,
}

impl Versions {
    /// Returns the nodes that write a variable, in order.
    pub fn writers(&self, variable: VariableIndex) -> &[u32] {
        self.writers.get(variable as usize).map_or(&[], |list| list)
    }

    /// Returns the order of writes as pairs of nodes.
    pub fn write_order(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.writers.iter().flat_map(|list| list.windows(2).map(|pair| (pair[0], pair[1])))
    }

    /// Returns the version after all writes of this step.
    pub fn last(&self, variable: VariableIndex) -> u32 {
        self.writers(variable).len() as u32
    }

    /// Returns the version that a node makes.
    pub fn made_by(&self, variable: VariableIndex, writer: u32) -> Option<u32> {
        self.writers(variable).iter().position(|&w| w == writer).map(|p| p as u32 + 1)
    }

    /// Returns the renewal that a version is; None for the start version and the versions that this step writes.
    pub fn renewal(&self, variable: VariableIndex, version: u32) -> Option<Renewal> {
        let index = version.checked_sub(self.last(variable) + 1)?;
        self.renewals.get(variable as usize)?.get(index as usize).copied()
    }

    /// Returns the node that a version comes from: its writer, or the lock after which it is read.
    pub fn maker(&self, variable: VariableIndex, version: u32) -> Option<u32> {
        match self.renewal(variable, version) {
            Some(renewal) => Some(renewal.lock),
            None => self.writers(variable).get(version.checked_sub(1)? as usize).copied(),
        }
    }

    /// Returns the node whose write replaces a version.
    pub fn replacer(&self, variable: VariableIndex, version: u32) -> Option<u32> {
        let writes = self.renewal(variable, version).map_or(version, |renewal| renewal.writes);
        self.writers(variable).get(writes as usize).copied()
    }

    /// Returns the versions that are read from the variable itself and that a node's write replaces.
    pub fn loaded_before(&self, variable: VariableIndex, writer: u32) -> impl Iterator<Item = u32> + '_ {
        let renewed = self.renewals.get(variable as usize).map_or(0, Vec::len) as u32;
        let last = self.last(variable);
        std::iter::once(0)
            .chain(last + 1..=last + renewed)
            .filter(move |&version| self.replacer(variable, version) == Some(writer))
    }

    /// Applies the rule. `edges.hard` holds the data and control edges; the order of writes is added to it.
    /// `edges.soft` gets edges from readers of a version to the write that replaces it. Also returns, for each entry of
    /// `Accesses::reads`, the version that it sees.
    pub fn assign(accesses: &Accesses, edges: &mut Edges, id: impl Fn(u32) -> u64) -> Result<(Versions, Vec<u32>)> {
        let mut writers: Vec<Vec<u32>> = vec![Vec::new(); accesses.variables];
        let mut position = Vec::new();
        if !accesses.writes.is_empty() || !accesses.locks.is_empty() {
            position = vec![0u32; edges.hard.len()];
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
        let mut locks = accesses.locks.clone();
        locks.sort_by_key(|&n| position[n as usize]);
        let (renewals, seen) = seen_versions(accesses, &writers, &locks, &edges.hard);
        let versions = Versions { writers, renewals };
        for (before, after) in versions.write_order() {
            edges.hard[before as usize].push(after);
        }
        for (&(node, variable), &version) in accesses.reads.iter().zip(&seen) {
            if let Some(next) = versions.replacer(variable, version)
                && next != node
            {
                edges.soft[node as usize].push(next);
            }
        }
        Ok((versions, seen))
    }
}

/// Marks, variable by variable, what lies behind each write and each lock. Returns the renewals of each variable, and for
/// each entry of `Accesses::reads` the version that it sees.
fn seen_versions(
    accesses: &Accesses,
    writers: &[Vec<u32>],
    locks: &[u32],
    successors: &[Vec<u32>],
) -> (Vec<Vec<Renewal>>, Vec<u32>) {
    let mut seen = vec![0u32; accesses.reads.len()];
    let mut renewals: Vec<Vec<Renewal>> = vec![Vec::new(); accesses.variables];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); accesses.variables];
    for (i, &(_, variable)) in accesses.reads.iter().enumerate() {
        readers[variable as usize].push(i);
    }
    let mut writes = vec![0u32; successors.len()];
    let mut held: Vec<Option<u32>> = vec![None; if locks.is_empty() { 0 } else { successors.len() }];
    let mut touched: Vec<u32> = Vec::new();
    let mut stack: Vec<u32> = Vec::new();
    for ((list, readers), renewals) in writers.iter().zip(&readers).zip(&mut renewals) {
        if readers.is_empty() {
            continue;
        }
        for (k, &writer) in list.iter().enumerate() {
            let made = k as u32 + 1;
            stack.extend(&successors[writer as usize]);
            while let Some(n) = stack.pop() {
                if writes[n as usize] < made {
                    writes[n as usize] = made;
                    touched.push(n);
                    stack.extend(&successors[n as usize]);
                }
            }
        }
        // Of the locks behind the same writes, the last one in order is the one that a node sees.
        for &lock in locks {
            stack.extend(&successors[lock as usize]);
            while let Some(n) = stack.pop() {
                if writes[n as usize] == writes[lock as usize] && held[n as usize] != Some(lock) {
                    held[n as usize] = Some(lock);
                    stack.extend(&successors[n as usize]);
                }
            }
        }
        for &r in readers {
            let node = accesses.reads[r].0 as usize;
            seen[r] = writes[node];
            if let Some(lock) = held.get(node).copied().flatten() {
                let renewal = Renewal { lock, writes: writes[node] };
                let index = renewals.iter().position(|&known| known == renewal).unwrap_or(renewals.len());
                if index == renewals.len() {
                    renewals.push(renewal);
                }
                seen[r] = (list.len() + 1 + index) as u32;
            }
        }
        for n in touched.drain(..) {
            writes[n as usize] = 0;
        }
        held.fill(None);
    }
    (renewals, seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unordered_reader_sees_the_start_and_goes_first() {
        // 0 writes, 1 reads without an edge between them.
        let accesses = Accesses { writes: vec![(0, 0)], reads: vec![(1, 0)], variables: 1, locks: vec![] };
        let mut edges = Edges::new(2);
        let (_, seen) = Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert_eq!(seen, [0]);
        assert_eq!(edges.order(u64::from).unwrap(), [1, 0]);
    }

    #[test]
    fn a_reader_behind_a_write_sees_it() {
        // 0 and 1 write; 2 is behind 0, 3 behind both.
        let accesses =
            Accesses { writes: vec![(0, 0), (1, 0)], reads: vec![(2, 0), (3, 0)], variables: 1, locks: vec![] };
        let mut edges = Edges::new(4);
        edges.hard[0] = vec![2, 3];
        edges.hard[1] = vec![3];
        let (versions, seen) = Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert_eq!((seen, versions.writers(0)), (vec![1, 2], &[0, 1][..]));
        assert_eq!(edges.order(u64::from).unwrap(), [0, 2, 1, 3]);
    }

    #[test]
    fn two_variables_never_tie_writes_into_a_cycle() {
        // a1(0) a2(1) write A; b3(2) b4(3) write B; edges a2 -> b3 and b4 -> a1.
        let accesses =
            Accesses { writes: vec![(0, 0), (1, 0), (2, 1), (3, 1)], reads: vec![], variables: 2, locks: vec![] };
        let mut edges = Edges::new(4);
        edges.hard[1] = vec![2];
        edges.hard[3] = vec![0];
        Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert!(edges.order(u64::from).is_ok());
    }

    #[test]
    fn a_reader_behind_a_lock_sees_what_other_steps_wrote_before_it() {
        // 0 takes a lock, 1 reads, 2 writes, 3 reads, 4 takes the lock again, 5 reads; 6 reads without a lock.
        let reads = vec![(1, 0), (3, 0), (5, 0), (6, 0)];
        let accesses = Accesses { writes: vec![(2, 0)], reads, variables: 1, locks: vec![0, 4] };
        let mut edges = Edges::new(7);
        (0..5).for_each(|i| edges.hard[i].push(i as u32 + 1));
        let (versions, seen) = Versions::assign(&accesses, &mut edges, u64::from).unwrap();
        assert_eq!(seen, [2, 1, 3, 0]);
        assert_eq!(versions.renewal(0, 2), Some(Renewal { lock: 0, writes: 0 }));
        assert_eq!(versions.renewal(0, 3), Some(Renewal { lock: 4, writes: 1 }));
        assert_eq!((versions.maker(0, 2), versions.maker(0, 1), versions.maker(0, 3)), (Some(0), Some(2), Some(4)));
        assert_eq!((versions.replacer(0, 2), versions.replacer(0, 3)), (Some(2), None));
        assert_eq!(versions.loaded_before(0, 2).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(versions.last(0), 1);
    }
}
