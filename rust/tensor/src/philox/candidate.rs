//! Candidate sampling for losses over many classes: which classes, and how often each was to be expected.

use std::collections::HashSet;
use std::fmt;

use super::convert::unit_f32;
use super::generator::{Philox, Words};

/// Draws after which distinct classes are given up on: those left have next to no weight.
const MOST_TRIES: u64 = i32::MAX as u64;

/// Returns the number of blocks by which one run moves the stream. A run that redraws more often than this allows
/// reuses some of the next run's bits.
pub fn blocks_per_run(num_sampled: usize) -> u64 {
    (num_sampled as u64).wrapping_mul(2048 / 4)
}

/// A distribution over the classes `0..range`.
#[derive(Clone, Debug)]
pub enum CandidateSampler {
    /// Every class alike.
    Uniform { range: u64 },
    /// Class `k` in proportion to `ln((k + 2) / (k + 1))`: classes sorted by falling frequency (Zipf).
    LogUniform { range: u64 },
    /// Class `k` in proportion to a weight of its own.
    Weighted(Weights),
    /// Class `k` in proportion to one more than how often it was counted.
    Counted(Counts),
}

/// Fixed weights, drawn from by Walker's alias method: a bucket for each class, shared with at most one other class.
///
/// Source: Walker, "An efficient method for generating discrete random variables with general distributions", 1977.
#[derive(Clone, Debug)]
pub struct Weights {
    weights: Vec<f32>,
    total: f32,
    /// For each bucket, the share of its own class, and the class that has the rest.
    buckets: Vec<(f32, usize)>,
}

impl Weights {
    /// Stores weights that are not negative.
    pub fn new(weights: Vec<f32>) -> Weights {
        let n = weights.len();
        // TF: probabilities are relative to a sum in single precision, buckets to one in double.
        let total = weights.iter().fold(0.0, |sum: f32, w| sum + w);
        let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        let mut shares: Vec<f64> = weights.iter().map(|&w| f64::from(w * n as f32) / sum).collect();
        let mut buckets: Vec<(f32, usize)> = (0..n).map(|i| (1.0, i)).collect();
        let (mut low, mut high): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| shares[i] < 1.0);
        let mut filled = Vec::new();
        while let (Some(&l), Some(&h)) = (low.last(), high.last()) {
            low.pop();
            high.pop();
            buckets[l].1 = h;
            filled.push(l);
            shares[h] -= 1.0 - shares[l];
            if shares[h] < 1.0 { low.push(h) } else { high.push(h) }
        }
        for i in filled {
            buckets[i].0 = shares[i] as f32;
        }
        Weights { weights, total, buckets }
    }

    /// Returns a class, drawn in proportion to its weight; 0 if there are no weights.
    pub fn draw(&self, words: &mut Words) -> i64 {
        let share = unit_f32(words.next_u32());
        let bucket = words.next_below_u32(self.buckets.len() as u32) as usize;
        let (own, other) = self.buckets.get(bucket).copied().unwrap_or((1.0, 0));
        (if share < own { bucket } else { other }) as i64
    }
}

/// Counts of classes, kept as the sums of a binary tree.
#[derive(Clone, Debug)]
pub struct Counts {
    range: usize,
    /// Leaves in a power of two; node `i` is the sum of nodes `2 i` and `2 i + 1`.
    sums: Vec<i32>,
}

impl Counts {
    /// Starts with a count of 1 for every class; there are at most `i32::MAX` classes.
    pub fn new(range: usize) -> Counts {
        let leaves = range.next_power_of_two();
        let mut sums = vec![0; 2 * leaves];
        sums[leaves..leaves + range].fill(1);
        for i in (1..leaves).rev() {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
        Counts { range, sums }
    }

    fn leaf(&self, class: usize) -> usize {
        self.sums.len() / 2 + class
    }

    /// Counts classes, as long as all counts together fit.
    pub fn add(&mut self, classes: &[i64]) {
        for &class in classes {
            if self.sums[1] == i32::MAX || class < 0 || class as usize >= self.range {
                continue;
            }
            let mut node = self.leaf(class as usize);
            while node > 0 {
                self.sums[node] += 1;
                node /= 2;
            }
        }
    }

    fn draw(&self, words: &mut Words) -> i64 {
        let mut place = words.next_below_u32(self.sums[1] as u32) as i32;
        let mut node = 1;
        while node < self.sums.len() / 2 {
            node *= 2;
            if place >= self.sums[node] {
                place -= self.sums[node];
                node += 1;
            }
        }
        (node - self.sums.len() / 2) as i64
    }
}

/// More distinct classes were requested than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeTooSmall;

impl fmt::Display for RangeTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sampler's range is too small.")
    }
}

impl std::error::Error for RangeTooSmall {}

impl CandidateSampler {
    /// Fills `classes` and returns how many draws that took: as many as there are classes unless `unique` made it redraw.
    ///
    /// # Errors
    /// `RangeTooSmall` if `unique` and there are fewer classes than places, or if there is no class at all.
    pub fn sample(&self, base: &Philox, unique: bool, classes: &mut [i64]) -> Result<u64, RangeTooSmall> {
        let needed = if unique { classes.len() as u64 } else { 1.min(classes.len() as u64) };
        if self.drawable() < needed {
            return Err(RangeTooSmall);
        }
        let mut words = Words::new(*base);
        let mut seen = HashSet::new();
        let mut tries = 0;
        for class in classes {
            loop {
                if tries == MOST_TRIES {
                    return Err(RangeTooSmall);
                }
                tries += 1;
                *class = self.draw(&mut words);
                if !unique || seen.insert(*class) {
                    break;
                }
            }
        }
        Ok(tries)
    }

    /// Returns the expected number of times that `class` is among `num_sampled` classes that took `tries` draws.
    pub fn expected_count(&self, class: i64, num_sampled: usize, tries: u64) -> f32 {
        let probability = self.probability(class);
        if tries == num_sampled as u64 {
            return probability * num_sampled as f32;
        }
        // 1 - (1 - p)^tries without cancellation. TensorFlow computes it so for any number of tries.
        -(tries as f32 * (-probability).ln_1p()).exp_m1()
    }

    /// Returns the number of classes.
    pub fn range(&self) -> u64 {
        match self {
            Self::Uniform { range } | Self::LogUniform { range } => *range,
            Self::Weighted(w) => w.weights.len() as u64,
            Self::Counted(c) => c.range as u64,
        }
    }

    /// Returns the number of classes that can be drawn.
    fn drawable(&self) -> u64 {
        match self {
            Self::Weighted(w) => w.weights.iter().filter(|&&w| w > 0.0).count() as u64,
            _ => self.range(),
        }
    }

    fn draw(&self, words: &mut Words) -> i64 {
        match self {
            Self::Uniform { range } => words.next_below(*range) as i64,
            Self::LogUniform { range } => {
                let range = *range;
                let class = (words.next_f64() * log_span(range)).exp() as u64 - 1;
                // Rounding can give the range itself, which is no class.
                (class % range) as i64
            }
            Self::Weighted(w) => w.draw(words),
            Self::Counted(c) => c.draw(words),
        }
    }

    fn probability(&self, class: i64) -> f32 {
        match self {
            Self::Uniform { range } => (1.0 / *range as f64) as f32,
            Self::LogUniform { range } => {
                (((class as f64 + 2.0) / (class as f64 + 1.0)).ln() / log_span(*range)) as f32
            }
            Self::Weighted(w) => {
                let weight = usize::try_from(class).ok().and_then(|c| w.weights.get(c));
                weight.map_or(0.0, |weight| weight / w.total)
            }
            Self::Counted(c) => {
                let count = usize::try_from(class).ok().filter(|&k| k < c.range).map_or(0, |k| c.sums[c.leaf(k)]);
                count as f32 / c.sums[1] as f32
            }
        }
    }
}

/// Returns the logarithm that a log-uniform draw spreads over: of the range plus one.
fn log_span(range: u64) -> f64 {
    (range.saturating_add(1) as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samplers() -> [CandidateSampler; 4] {
        let mut counts = Counts::new(50);
        counts.add(&[3, 3, 3, 49, 0, -1, 50]);
        [
            CandidateSampler::Uniform { range: 50 },
            CandidateSampler::LogUniform { range: 50 },
            CandidateSampler::Weighted(Weights::new((1..=50).map(|w| w as f32).collect())),
            CandidateSampler::Counted(counts),
        ]
    }

    #[test]
    fn unique_draws_of_the_whole_range_are_a_permutation() {
        for sampler in samplers() {
            let mut classes = [0; 50];
            let tries = sampler.sample(&Philox::new(1, 2), true, &mut classes).unwrap();
            assert!(tries >= 50);
            classes.sort_unstable();
            assert!(classes.into_iter().eq(0..50));
        }
    }

    #[test]
    fn more_unique_classes_than_the_range_are_refused() {
        for sampler in samplers() {
            assert_eq!(sampler.sample(&Philox::new(1, 2), true, &mut [0; 51]), Err(RangeTooSmall));
            assert_eq!(sampler.sample(&Philox::new(1, 2), false, &mut [0; 51]), Ok(51));
        }
        assert_eq!(
            CandidateSampler::LogUniform { range: 0 }.sample(&Philox::new(1, 2), false, &mut [0]),
            Err(RangeTooSmall)
        );
    }

    #[test]
    fn probabilities_sum_to_one() {
        for sampler in samplers() {
            let sum: f32 = (0..50).map(|class| sampler.expected_count(class, 1, 1)).sum();
            assert!((sum - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn classes_come_as_often_as_expected() {
        let n = 200_000;
        for sampler in samplers() {
            let mut classes = vec![0; n];
            sampler.sample(&Philox::new(5, 6), false, &mut classes).unwrap();
            for class in [0, 3, 20, 49] {
                let found = classes.iter().filter(|&&c| c == class).count() as f32;
                let expected = sampler.expected_count(class, n, n as u64);
                assert!((found - expected).abs() < 5.0 * expected.sqrt() + 1.0, "{class} {found} {expected}");
            }
        }
    }

    #[test]
    fn classes_without_weight_are_not_waited_for() {
        let sampler = CandidateSampler::Weighted(Weights::new(vec![0.0, 1.0, 0.0, 2.0]));
        assert_eq!(sampler.sample(&Philox::new(1, 2), true, &mut [0; 3]), Err(RangeTooSmall));
        let mut classes = [0; 2];
        sampler.sample(&Philox::new(1, 2), true, &mut classes).unwrap();
        classes.sort_unstable();
        assert_eq!(classes, [1, 3]);
    }
}
