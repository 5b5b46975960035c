//! Normal samples between bounds.
//!
//! Source: Robert, "Simulation of truncated normal variables", Statistics and Computing 5, 1995.

use super::convert::{Sample, normals_f32, normals_f64, unit_f16, unit_f32, unit_f64};
use super::generator::Philox;
use crate::threads::{Interrupted, stopped};
use crate::vector::scalar::{exp, log};
use crate::{Result, Status};
use half::f16;
use num_traits::Float;

/// TF 1.x: blocks are set aside for so many tries of each sample; more are an error.
const MAX_TRIES: u64 = 1000;
/// TF 1.x: samples of one batch where all batches have the same parameters.
const SAMPLES_OF_SHARED: usize = 100;
/// Candidates are normal if a bound is so far from the mean, and the other one on its other side.
const FAR: f64 = 1.3;

/// The numbers and the arithmetic of one type of samples: each step is rounded to it.
pub trait Drawn: Sample + Float {
    /// Candidates that one block gives.
    const OF_BLOCK: usize;

    /// Returns numbers in [0, 1); the first `OF_BLOCK` count.
    fn uniforms(words: [u32; 4]) -> [Self; 4];

    /// Returns standard normal numbers; the first `OF_BLOCK` count.
    fn normals(words: [u32; 4]) -> [Self; 4];

    /// Returns e to the power of the number, the same bits on every machine.
    fn exponential(self) -> Self;

    /// Returns the natural logarithm, the same bits on every machine.
    fn logarithm(self) -> Self;

    /// Returns the nearest number of this type.
    fn of(value: f64) -> Self {
        Self::from_f64(value)
    }
}

fn pairs_f32([a, b, c, d]: [u32; 4]) -> [f32; 4] {
    let ([first, second], [third, fourth]) = (normals_f32(a, b), normals_f32(c, d));
    [first, second, third, fourth]
}

impl Drawn for f32 {
    const OF_BLOCK: usize = 4;

    fn uniforms(words: [u32; 4]) -> [f32; 4] {
        words.map(unit_f32)
    }

    fn normals(words: [u32; 4]) -> [f32; 4] {
        pairs_f32(words)
    }

    fn exponential(self) -> f32 {
        exp(self)
    }

    fn logarithm(self) -> f32 {
        log(self)
    }
}

impl Drawn for f16 {
    const OF_BLOCK: usize = 4;

    fn uniforms(words: [u32; 4]) -> [f16; 4] {
        words.map(unit_f16)
    }

    fn normals(words: [u32; 4]) -> [f16; 4] {
        pairs_f32(words).map(f16::from_f32)
    }

    fn exponential(self) -> f16 {
        f16::from_f32(exp(self.to_f32()))
    }

    fn logarithm(self) -> f16 {
        f16::from_f32(log(self.to_f32()))
    }
}

impl Drawn for f64 {
    const OF_BLOCK: usize = 2;

    fn uniforms([a, b, c, d]: [u32; 4]) -> [f64; 4] {
        [unit_f64(a, b), unit_f64(c, d), 0.0, 0.0]
    }

    fn normals(words: [u32; 4]) -> [f64; 4] {
        let [first, second] = normals_f64(words);
        [first, second, 0.0, 0.0]
    }

    fn exponential(self) -> f64 {
        exp(self)
    }

    fn logarithm(self) -> f64 {
        log(self)
    }
}

/// The mean and standard deviation of a normal distribution, and the bounds of its samples.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<T> {
    pub mean: T,
    pub stddev: T,
    pub low: T,
    pub high: T,
}

impl<T: Drawn> Parameters<T> {
    /// Returns false if nothing can be drawn: `stddev` must be positive, `low` below `high`, and one of them finite.
    pub fn are_valid(&self) -> bool {
        self.stddev > T::zero() && self.low < self.high && (self.low.is_finite() || self.high.is_finite())
    }

    /// Draws candidates of the standard normal distribution until all of `out` is filled.
    ///
    /// Errors: as for `fill_truncated_normal`.
    fn fill(self, source: &mut Philox, out: &mut [T]) -> Result<()> {
        // Samples are drawn on the side where the lower bound is finite, and nearer to the mean.
        let is_mirrored = self.low == T::neg_infinity() || self.high < self.mean;
        let (low, high, stddev) = match is_mirrored {
            false => (self.low, self.high, self.stddev),
            true => (self.high, self.low, -self.stddev),
        };
        let (low, high) = ((low - self.mean) / stddev, (high - self.mean) / stddev);
        let (half, two, four) = (T::of(0.5), T::of(2.0), T::of(4.0));
        let root = (low * low + four).sqrt();
        let cutoff = two * (half + (low * (low - root)) / four).exponential() / (low + root);
        let width = high - low;
        let (far, zero) = (T::of(FAR), T::zero());
        let mut sink = Sink { out, filled: 0, tries: 0, scale: |sample| sample * stddev + self.mean };
        let nearest = if low < zero { zero } else { low * low };
        let alpha = (low + root) / two;
        while !sink.is_full() {
            if stopped() {
                return Err(Interrupted.into());
            }
            if (low < -far && high >= zero) || (high > far && low <= zero) {
                for sample in T::normals(source.next_block()).into_iter().take(T::OF_BLOCK) {
                    sink.put(sample, sample >= low && sample <= high, "randn")?;
                }
            } else if width < cutoff {
                let candidates = T::uniforms(source.next_block()).map(|u| u * width + low);
                let chances = T::uniforms(source.next_block());
                for (z, u) in candidates.into_iter().zip(chances).take(T::OF_BLOCK) {
                    sink.put(z, u <= ((nearest - z * z) / two).exponential(), "uniform")?;
                }
            } else {
                for pair in T::uniforms(source.next_block())[..T::OF_BLOCK].chunks_exact(2) {
                    let z = -pair[0].logarithm() / alpha + low;
                    let x = if low < alpha { z - alpha } else { low - alpha };
                    let is_accepted = pair[1] <= (-x * x / two).exponential() && z < high;
                    sink.put(z, is_accepted, "exponential distribution")?;
                }
            }
        }
        Ok(())
    }
}

/// The samples of a batch, as far as they are drawn.
struct Sink<'a, T, F> {
    out: &'a mut [T],
    filled: usize,
    /// Candidates that were refused since the last sample.
    tries: u64,
    scale: F,
}

impl<T: Drawn, F: Fn(T) -> T> Sink<'_, T, F> {
    fn is_full(&self) -> bool {
        self.filled == self.out.len()
    }

    /// Takes a candidate if it is accepted.
    ///
    /// Errors: `Internal` if it is the last of many in a row that are not.
    fn put(&mut self, candidate: T, is_accepted: bool, sampler: &str) -> Result<()> {
        if self.is_full() {
            return Ok(());
        }
        if is_accepted {
            self.out[self.filled] = (self.scale)(candidate);
            (self.filled, self.tries) = (self.filled + 1, 0);
            return Ok(());
        }
        self.tries += 1;
        if self.tries < MAX_TRIES {
            return Ok(());
        }
        Err(Status::internal(format!("TruncatedNormal {sampler} rejection sampler failed to accept a sample.")))
    }
}

/// Returns the number of batches, and the samples of each, that values are drawn in; the last one can be shorter.
fn batches_of(parameters: usize, values: usize) -> (usize, usize) {
    if parameters == 1 {
        (values.div_ceil(SAMPLES_OF_SHARED), SAMPLES_OF_SHARED)
    } else {
        (parameters, values.div_ceil(parameters.max(1)))
    }
}

/// Returns the number of blocks by which one run moves the stream on.
pub fn blocks_per_truncated_run(parameters: usize, values: usize) -> u64 {
    let (batches, samples) = batches_of(parameters, values);
    (batches as u64).wrapping_mul(2 * MAX_TRIES).wrapping_mul(samples as u64 + 3) / 4
}

/// Fills `out` with samples: it has an equal part for each of `parameters`, or is drawn from the only ones.
///
/// TF 1.x: all batches that one thread draws follow each other in one stream; this is the order of one thread.
///
/// # Errors
/// `Internal` if no candidate is accepted: the square of a bound, in standard deviations from the mean, is infinite.
/// That of `Interrupted` once the thread's watch says to stop. `out` is incomplete then.
pub fn fill_truncated_normal<T: Drawn>(mut source: Philox, parameters: &[Parameters<T>], out: &mut [T]) -> Result<()> {
    let (_, samples) = batches_of(parameters.len(), out.len());
    for (batch, part) in out.chunks_mut(samples.max(1)).enumerate() {
        parameters[if parameters.len() == 1 { 0 } else { batch }].fill(&mut source, part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(parameters: Parameters<f64>, count: usize) -> Vec<f64> {
        let mut out = vec![0.0; count];
        fill_truncated_normal(Philox::new(3, 4), &[parameters], &mut out).unwrap();
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
    fn bounds_whose_square_is_infinite_accept_nothing() {
        let mut out = [0.0f32];
        for (bound, is_drawn) in [(1.8e19, true), (1.9e19, false), (1e30, false)] {
            for (low, high) in [(bound, f32::INFINITY), (f32::NEG_INFINITY, -bound)] {
                let parameters = Parameters { mean: 0.0, stddev: 1.0, low, high };
                match fill_truncated_normal(Philox::new(3, 7), &[parameters], &mut out) {
                    Ok(()) => assert!(is_drawn && out[0].abs() == bound, "{bound}: {out:?}"),
                    Err(error) => {
                        assert!(!is_drawn && error.message().contains("failed to accept a sample"), "{bound}")
                    }
                }
            }
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
