//! Normal samples between bounds.
//!
//! Source: Robert, "Simulation of truncated normal variables", Statistics and Computing 5, 1995.

use super::convert::Sample;
use super::fill::BLOCKS_PER_VALUE;
use super::generator::Philox;
use super::pairs::Pairs;
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};

const SAMPLES_PER_TASK: usize = 1024;
/// After so many tries the last candidate is the sample. A try succeeds with a probability of more than one half.
const MAX_TRIES: usize = 100;

/// The mean and standard deviation of a normal distribution, and the bounds of its samples.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    pub mean: f64,
    pub stddev: f64,
    pub low: f64,
    pub high: f64,
}

impl Parameters {
    /// Returns false if nothing can be drawn: `stddev` must be positive, `low` below `high`, and one of them finite.
    pub fn are_valid(&self) -> bool {
        self.stddev > 0.0 && self.low < self.high && (self.low.is_finite() || self.high.is_finite())
    }

    /// Returns a sample of the standard normal distribution, scaled back.
    fn draw(&self, pairs: Pairs) -> f64 {
        // Samples are drawn on the side where the lower bound is finite, and nearer to the mean.
        let is_mirrored = self.low == f64::NEG_INFINITY || self.high < self.mean;
        let (low, high, stddev) = match is_mirrored {
            false => (self.low, self.high, self.stddev),
            true => (self.high, self.low, -self.stddev),
        };
        let (low, high) = ((low - self.mean) / stddev, (high - self.mean) / stddev);
        let root = (low * low + 4.0).sqrt();
        let cutoff = 2.0 * (0.5 + low * (low - root) / 4.0).exp() / (low + root);
        let sample = match high - low < cutoff {
            true => uniform_candidates(low, high, pairs),
            false => exponential_candidates(low, high, (low + root) / 2.0, pairs),
        };
        sample * stddev + self.mean
    }
}

/// Draws from short intervals: candidates are uniform.
fn uniform_candidates(low: f64, high: f64, mut pairs: Pairs) -> f64 {
    let nearest = if low < 0.0 { 0.0 } else { low * low };
    let mut candidate = low;
    for _ in 0..MAX_TRIES {
        candidate = low + pairs.uniform() * (high - low);
        if pairs.uniform() <= ((nearest - candidate * candidate) / 2.0).exp() {
            break;
        }
    }
    candidate
}

/// Draws from tails: candidates are exponential with rate `alpha`, from the lower bound on.
fn exponential_candidates(low: f64, high: f64, alpha: f64, mut pairs: Pairs) -> f64 {
    let mut candidate = low;
    for _ in 0..MAX_TRIES {
        let next = low - (-pairs.uniform()).ln_1p() / alpha;
        let distance = if low < alpha { alpha - next } else { low - alpha };
        let is_likely = pairs.uniform() <= (-distance * distance / 2.0).exp();
        if next < high {
            candidate = next;
            if is_likely {
                break;
            }
        }
    }
    candidate
}

/// Fills `out`, which has an equal part for each of `parameters`, with samples.
///
/// Every sample is a function of the base and its place. A run moves the stream on by
/// [`blocks_per_run`](super::fill::blocks_per_run) of the number of values.
pub fn fill_truncated_normal<T: Sample>(
    base: &Philox,
    threads: Threads,
    parameters: &[Parameters],
    out: &mut [T],
) -> Result<(), Interrupted> {
    if parameters.is_empty() || out.is_empty() {
        return Ok(());
    }
    let samples = out.len().div_ceil(parameters.len());
    try_for_chunks_mut(threads, out, SAMPLES_PER_TASK, |start, chunk| {
        for (place, value) in (start..).zip(chunk) {
            let source = base.skipped((place as u64).wrapping_mul(BLOCKS_PER_VALUE));
            *value = T::from_f64(parameters[place / samples].draw(Pairs::new(source)));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(parameters: Parameters, count: usize) -> Vec<f64> {
        let mut out = vec![0.0; count];
        fill_truncated_normal(&Philox::new(3, 4), Threads::single(), &[parameters], &mut out).unwrap();
        out
    }

    #[test]
    fn samples_are_between_their_bounds() {
        for (low, high) in
            [(-1.0, 1.0), (0.5, 0.6), (3.0, 9.0), (-40.0, -39.0), (f64::NEG_INFINITY, -2.0), (30.0, f64::INFINITY)]
        {
            let parameters = Parameters { mean: 1.0, stddev: 2.0, low, high };
            assert!(parameters.are_valid());
            assert!(samples(parameters, 2000).iter().all(|&x| low <= x && x <= high), "{parameters:?}");
        }
    }

    #[test]
    fn means_are_those_of_the_distribution() {
        // Means by the formula of the truncated normal distribution, from SciPy.
        for (low, high, mean) in
            [(-2.0, 2.0, 0.0), (0.0, 1.0, 0.459_862), (2.0, 5.0, 2.373_180), (-1.0, 4.0, 0.287_452)]
        {
            let drawn = samples(Parameters { mean: 0.0, stddev: 1.0, low, high }, 40_000);
            let found = drawn.iter().sum::<f64>() / drawn.len() as f64;
            assert!((found - mean).abs() < 0.02, "[{low}, {high}]: {found}");
        }
    }

    #[test]
    fn nothing_is_drawn_from_an_empty_interval() {
        let parameters = Parameters { mean: 0.0, stddev: 1.0, low: -1.0, high: 1.0 };
        assert!(!Parameters { high: -1.0, ..parameters }.are_valid());
        assert!(!Parameters { stddev: 0.0, ..parameters }.are_valid());
        assert!(!Parameters { low: f64::NEG_INFINITY, high: f64::INFINITY, ..parameters }.are_valid());
        assert!(!Parameters { low: f64::NAN, ..parameters }.are_valid());
    }
}
