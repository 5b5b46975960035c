//! `Summary`: sorted values with bounds of their ranks.

/// A value, its weight, and the least and the greatest weight of all values below and up to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub value: f32,
    pub weight: f32,
    pub min_rank: f32,
    pub max_rank: f32,
}

impl Entry {
    /// Returns the greatest rank of the value before.
    fn max_rank_before(&self) -> f32 {
        self.max_rank - self.weight
    }

    /// Returns the least rank of the value after.
    fn min_rank_after(&self) -> f32 {
        self.min_rank + self.weight
    }

    /// Returns the entry with its ranks raised by those of another summary's values around it.
    fn raised(self, below: f32, up_to: f32) -> Entry {
        Entry { min_rank: self.min_rank + below, max_rank: self.max_rank + up_to, ..self }
    }
}

/// Entries in the order of their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Summary(pub Vec<Entry>);

impl Summary {
    /// Returns the summary of values with weights, in any order; equal values become one.
    pub fn of_values(mut values: Vec<(f32, f32)>) -> Summary {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut entries: Vec<Entry> = Vec::with_capacity(values.len());
        for (value, weight) in values {
            match entries.last_mut() {
                Some(last) if last.value == value => last.weight += weight,
                _ => entries.push(Entry { value, weight, min_rank: 0.0, max_rank: 0.0 }),
            }
        }
        let mut below = 0.0;
        for entry in &mut entries {
            entry.min_rank = below;
            entry.max_rank = below + entry.weight;
            below += entry.weight;
        }
        Summary(entries)
    }

    pub fn total_weight(&self) -> f32 {
        self.0.last().map_or(0.0, |e| e.max_rank)
    }

    /// Adds another summary's entries. The error is then the greater one of both.
    pub fn merge(&mut self, other: &Summary) {
        if other.0.is_empty() {
            return;
        }
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let own = std::mem::take(&mut self.0);
        let (mut a, mut b) = (own.iter().peekable(), other.0.iter().peekable());
        // The least ranks after the last entry taken from each side.
        let (mut after_a, mut after_b) = (0.0, 0.0);
        while let (Some(x), Some(y)) = (a.peek().copied(), b.peek().copied()) {
            if x.value < y.value {
                self.0.push(x.raised(after_b, y.max_rank_before()));
                after_a = x.min_rank_after();
                a.next();
            } else if y.value < x.value {
                self.0.push(y.raised(after_a, x.max_rank_before()));
                after_b = y.min_rank_after();
                b.next();
            } else {
                let sum = x.raised(y.min_rank, y.max_rank);
                self.0.push(Entry { weight: x.weight + y.weight, ..sum });
                (after_a, after_b) = (x.min_rank_after(), y.min_rank_after());
                a.next();
                b.next();
            }
        }
        self.0.extend(a.map(|x| x.raised(after_b, other.total_weight())));
        let of_own = own.last().map_or(0.0, |e| e.max_rank);
        self.0.extend(b.map(|y| y.raised(after_a, of_own)));
    }

    /// Drops entries until about `size` are left: the first and the last stay. The error grows by at most the greater
    /// one of `1 / size` and `error`, as a part of the total weight.
    pub fn compress(&mut self, size: usize, error: f64) {
        let size = size.max(2);
        let count = self.0.len();
        if count <= size {
            return;
        }
        let gap = f64::from(self.total_weight()) * (1.0 / size as f64).max(error);
        let mut kept = vec![self.0[0]];
        let (mut at, mut last, mut credit) = (0, 1, 0i128);
        while at + 1 < count {
            let mut next = at + 1;
            while next < count
                && credit < count as i128
                && f64::from(self.0[next].max_rank_before() - self.0[at].min_rank_after()) <= gap
            {
                credit += size as i128;
                next += 1;
            }
            at = if at + 1 == next { at + 1 } else { next - 1 };
            kept.push(self.0[at]);
            last = at;
            credit -= count as i128;
        }
        if last + 1 != count {
            kept.extend(self.0.last());
        }
        self.0 = kept;
    }

    /// Returns the error of the ranks as a part of the total weight.
    fn error(&self) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let gaps = self.0.windows(2).map(|pair| {
            let [before, entry] = [pair[0], pair[1]];
            let own = entry.max_rank - entry.min_rank - entry.weight;
            own.max(entry.max_rank_before() - before.min_rank_after())
        });
        f64::from(gaps.fold(0.0, f32::max)) / f64::from(self.total_weight())
    }

    /// Returns about `count` of the values, which bound buckets of about equal weight.
    pub fn boundaries(&self, count: i64) -> Vec<f32> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut fewer = self.clone();
        let error = (self.error() + 1.0 / count as f64) as f32;
        fewer.compress(usize::try_from(count).unwrap_or(0), f64::from(error));
        let mut values: Vec<f32> = fewer.0.iter().map(|e| e.value).collect();
        values.dedup();
        values
    }

    /// Returns the values at `count` + 1 ranks of equal distance, the least and the greatest value among them.
    pub fn quantiles(&self, count: i64) -> Vec<f32> {
        let entries = &self.0;
        if entries.is_empty() {
            return Vec::new();
        }
        let count = count.max(2);
        let mut at = 0;
        let each = (0..=count).map(|rank| {
            let twice = 2.0 * (rank as f32 * self.total_weight() / count as f32);
            let mut next = at + 1;
            while next < entries.len() && twice >= entries[next].min_rank + entries[next].max_rank {
                next += 1;
            }
            at = next - 1;
            let is_before = |next: &Entry| twice < entries[at].min_rank_after() + next.max_rank_before();
            match entries.get(next) {
                Some(after) if !is_before(after) => after.value,
                _ => entries[at].value,
            }
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(value: f32, weight: f32, min_rank: f32, max_rank: f32) -> Entry {
        Entry { value, weight, min_rank, max_rank }
    }

    #[test]
    fn merged_values_have_the_ranks_of_both() {
        let mut a = Summary(vec![entry(1.0, 3.0, 0.0, 3.0), entry(4.0, 2.0, 3.0, 5.0)]);
        let b = Summary(vec![entry(3.0, 1.0, 0.0, 1.0), entry(4.0, 1.0, 1.0, 2.0)]);
        a.merge(&b);
        assert_eq!(a.0, [entry(1.0, 3.0, 0.0, 3.0), entry(3.0, 1.0, 3.0, 4.0), entry(4.0, 3.0, 4.0, 7.0)]);
    }

    #[test]
    fn boundaries_of_few_values_are_those_values() {
        let summary = Summary::of_values(vec![(2.0, 1.0), (1.0, 1.0), (2.0, 3.0), (5.0, 1.0)]);
        assert_eq!(summary.boundaries(10), [1.0, 2.0, 5.0]);
        assert_eq!(summary.quantiles(2), [1.0, 2.0, 5.0]);
        assert!(Summary::default().boundaries(3).is_empty());
    }
}
