//! Guards: under which outcomes of the step's predicates a node runs.

use crate::source::Source;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// One condition of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Literal {
    /// The loop's condition held: the node belongs to the loop's body.
    Body,
    /// The loop's condition did not hold.
    Leaving,
    /// The predicate came out so.
    Outcome { predicate: Source, value: bool },
    /// One of the inputs of this step node, a Merge that joins unrelated branches, had a value.
    Joined(u32),
}

impl Literal {
    pub fn opposite(self) -> Option<Literal> {
        match self {
            Literal::Body => Some(Literal::Leaving),
            Literal::Leaving => Some(Literal::Body),
            Literal::Outcome { predicate, value } => Some(Literal::Outcome { predicate, value: !value }),
            Literal::Joined(_) => None,
        }
    }
}

/// A set of literals that must all hold, sorted.
pub(crate) type Guard = SmallVec<[Literal; 2]>;

/// Index of a guard.
pub(crate) type GuardId = u32;

/// The guard of what always runs.
pub(crate) const ALWAYS: GuardId = 0;

/// The guards of a draft, each once.
pub(crate) struct Guards {
    sets: Vec<Guard>,
    index: FxHashMap<Guard, GuardId>,
}

impl Guards {
    pub fn new() -> Guards {
        Guards { sets: vec![Guard::new()], index: FxHashMap::from_iter([(Guard::new(), ALWAYS)]) }
    }

    pub fn get(&self, id: GuardId) -> &[Literal] {
        &self.sets[id as usize]
    }

    fn intern(&mut self, set: Guard) -> GuardId {
        if let Some(&id) = self.index.get(&set) {
            return id;
        }
        let id = self.sets.len() as GuardId;
        self.sets.push(set.clone());
        self.index.insert(set, id);
        id
    }

    /// Returns the guard that holds where both hold.
    pub fn and(&mut self, a: GuardId, b: GuardId) -> GuardId {
        if a == b || b == ALWAYS {
            return a;
        }
        if a == ALWAYS {
            return b;
        }
        let mut set = self.sets[a as usize].clone();
        set.extend(self.sets[b as usize].iter().copied());
        set.sort_unstable();
        set.dedup();
        self.intern(set)
    }

    pub fn with(&mut self, a: GuardId, literal: Literal) -> GuardId {
        let one = self.intern(Guard::from_slice(&[literal]));
        self.and(a, one)
    }

    /// Returns what two guards share that differ in the outcome of one predicate: one of them holds exactly where that does.
    pub fn either(&mut self, a: GuardId, b: GuardId) -> Option<GuardId> {
        let (x, y) = (&self.sets[a as usize], &self.sets[b as usize]);
        let differs = |from: &Guard, other: &Guard| {
            let mut own = from.iter().filter(|l| !other.contains(l));
            (own.next().copied(), own.next().is_some())
        };
        let ((p, more_p), (q, more_q)) = (differs(x, y), differs(y, x));
        if more_p || more_q || p?.opposite() != q {
            return None;
        }
        let shared = self.shared(a, b);
        Some(shared)
    }

    /// Returns the literals that both have.
    pub fn shared(&mut self, a: GuardId, b: GuardId) -> GuardId {
        let other = &self.sets[b as usize];
        let set = self.sets[a as usize].iter().copied().filter(|l| other.contains(l)).collect();
        self.intern(set)
    }

    /// Replaces the predicates by what stands for them.
    pub fn rewrite(&mut self, to: impl Fn(Source) -> Source) {
        for set in &mut self.sets {
            for literal in set.iter_mut() {
                if let Literal::Outcome { predicate, .. } = literal {
                    *predicate = to(*predicate);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(feed: u32, value: bool) -> Literal {
        Literal::Outcome { predicate: Source::Feed(feed), value }
    }

    #[test]
    fn a_guard_is_the_set_of_its_literals() {
        let mut g = Guards::new();
        let a = g.with(ALWAYS, outcome(0, true));
        let ab = g.with(a, outcome(1, false));
        let b = g.with(ALWAYS, outcome(1, false));
        assert_eq!(g.with(b, outcome(0, true)), ab);
        assert_eq!((g.and(ab, a), g.and(ALWAYS, b), g.get(ab).len()), (ab, b, 2));
    }

    #[test]
    fn two_branches_join_to_what_they_share() {
        let mut g = Guards::new();
        let outer = g.with(ALWAYS, outcome(0, true));
        let (yes, no) = (g.with(outer, outcome(1, true)), g.with(outer, outcome(1, false)));
        assert_eq!(g.either(yes, no), Some(outer));
        let other = g.with(outer, outcome(2, false));
        assert_eq!((g.either(yes, other), g.either(yes, yes), g.either(yes, outer)), (None, None, None));
        assert_eq!(g.shared(yes, other), outer);
    }
}
