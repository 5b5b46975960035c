//! `Dependents`: which instructions of a plan come after a given one, for steps that fail.

/// The order that a plan must keep: data, control, tests, and the writes of each variable.
pub struct Dependents {
    /// By node of the draft: the nodes that come after it.
    pub(crate) after: Vec<Vec<u32>>,
    /// The draft node of each instruction; None for loads, whose readers find that the slot is empty.
    pub(crate) nodes: Vec<Option<u32>>,
}

/// The instructions of a failed step that must not run.
pub struct Blocked<'a> {
    dependents: &'a Dependents,
    nodes: Vec<bool>,
}

impl<'a> Blocked<'a> {
    pub fn new(dependents: &'a Dependents) -> Blocked<'a> {
        Blocked { dependents, nodes: vec![false; dependents.after.len()] }
    }

    /// Adds an instruction that has failed or does not run, and all that come after it.
    pub fn add(&mut self, instruction: usize) {
        let mut reached: Vec<u32> = self.dependents.nodes[instruction].into_iter().collect();
        while let Some(i) = reached.pop() {
            if !std::mem::replace(&mut self.nodes[i as usize], true) {
                reached.extend(&self.dependents.after[i as usize]);
            }
        }
    }

    pub fn contains(&self, instruction: usize) -> bool {
        self.dependents.nodes[instruction].is_some_and(|i| self.nodes[i as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_by_nodes_without_instructions_is_blocked() {
        // Node 1 only orders; instruction 2 is a load.
        let after = vec![vec![1], vec![2], vec![], vec![2]];
        let dependents = Dependents { after, nodes: vec![Some(0), Some(3), None, Some(2)] };
        let blocked_by = |k: usize| {
            let mut blocked = Blocked::new(&dependents);
            blocked.add(k);
            (0..4).filter(|&k| blocked.contains(k)).collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2, 3].map(blocked_by), [vec![0, 3], vec![1, 3], vec![], vec![3]]);
    }
}
