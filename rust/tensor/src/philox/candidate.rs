//! Candidate sampling for losses over many classes: which classes, and how often each was to be expected.

use std::collections::HashSet;
use std::fmt;

use super::generator::{Philox, Words};

/// How far one run moves the stream; a run that redraws more often than this allows for reuses some of the next run's bits.
pub fn blocks_per_run(num_sampled: usize) -> u64 {
    (num_sampled as u64).wrapping_mul(2048 / 4)
}

/// A distribution over the classes `0..range`.
#[derive(Clone, Copy, Debug)]
pub enum CandidateSampler {
    /// Every class alike.
    Uniform { range: u64 },
    /// Class `k` in proportion to `ln((k + 2) / (k + 1))`: classes sorted by falling frequency (Zipf).
    LogUniform { range: u64 },
}

/// More distinct classes are asked for than there are.
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
        if self.range() < needed {
            return Err(RangeTooSmall);
        }
        let mut words = Words::new(*base);
        let mut seen = HashSet::new();
        let mut tries = 0;
        for class in classes {
            loop {
                tries += 1;
                *class = self.draw(&mut words);
                if !unique || seen.insert(*class) {
                    break;
                }
            }
        }
        Ok(tries)
    }

    /// How often `class` is expected among `num_sampled` classes that took `tries` draws.
    pub fn expected_count(&self, class: i64, num_sampled: usize, tries: u64) -> f32 {
        let probability = self.probability(class);
        if tries == num_sampled as u64 {
            return probability * num_sampled as f32;
        }
        // 1 - (1 - p)^tries without cancellation, and as TensorFlow does as if the number of tries were always this.
        -(tries as f32 * (-probability).ln_1p()).exp_m1()
    }

    fn range(&self) -> u64 {
        match *self {
            Self::Uniform { range } | Self::LogUniform { range } => range,
        }
    }

    fn draw(&self, words: &mut Words) -> i64 {
        match *self {
            Self::Uniform { range } => words.next_below(range) as i64,
            Self::LogUniform { range } => {
                let class = (words.next_f64() * log_span(range)).exp() as u64 - 1;
                // Rounding can give the range itself.
                (class % range) as i64
            }
        }
    }

    fn probability(&self, class: i64) -> f32 {
        match *self {
            Self::Uniform { range } => (1.0 / range as f64) as f32,
            Self::LogUniform { range } => (((class as f64 + 2.0) / (class as f64 + 1.0)).ln() / log_span(range)) as f32,
        }
    }
}

/// The logarithm that a log-uniform draw spreads over: of the range plus one.
fn log_span(range: u64) -> f64 {
    (range.saturating_add(1) as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLERS: [CandidateSampler; 2] =
        [CandidateSampler::Uniform { range: 50 }, CandidateSampler::LogUniform { range: 50 }];

    #[test]
    fn unique_draws_of_the_whole_range_are_a_permutation() {
        for sampler in SAMPLERS {
            let mut classes = [0; 50];
            let tries = sampler.sample(&Philox::new(1, 2), true, &mut classes).unwrap();
            assert!(tries >= 50);
            classes.sort_unstable();
            assert!(classes.into_iter().eq(0..50));
        }
    }

    #[test]
    fn more_unique_classes_than_the_range_are_refused() {
        for sampler in SAMPLERS {
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
        for sampler in SAMPLERS {
            let sum: f32 = (0..50).map(|class| sampler.expected_count(class, 1, 1)).sum();
            assert!((sum - 1.0).abs() < 1e-5);
        }
    }
}
