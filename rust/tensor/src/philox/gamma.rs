//! Gamma samples.
//!
//! Source: Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.

use super::convert::Sample;
use super::fill::BLOCKS_PER_VALUE;
use super::generator::Philox;
use super::pairs::Pairs;
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};

const SAMPLES_PER_TASK: usize = 1024;

/// Fills `out`, `[samples, alphas.len()]` by rows, with samples of Gamma(alpha, 1), one column per alpha.
///
/// The stream's places are numbered the other way round, alpha by alpha. A run moves it on by
/// [`blocks_per_run`](super::fill::blocks_per_run) of the number of values; an alpha below zero or NaN gives NaN or no useful number.
pub fn fill_gamma<T: Sample>(base: &Philox, threads: Threads, alphas: &[T], out: &mut [T]) -> Result<(), Interrupted> {
    if alphas.is_empty() {
        return Ok(());
    }
    let shapes: Vec<Shape> = alphas.iter().map(|alpha| Shape::new(alpha.to_f64())).collect();
    let samples = out.len() / alphas.len();
    try_for_chunks_mut(threads, out, SAMPLES_PER_TASK, |start, chunk| {
        for (position, value) in (start..).zip(chunk) {
            let (sample, column) = (position / shapes.len(), position % shapes.len());
            let place = (column * samples + sample) as u64;
            let source = base.skipped(place.wrapping_mul(BLOCKS_PER_VALUE));
            *value = T::from_f64(shapes[column].draw(Pairs::new(source)));
        }
    })
}

/// The values that depend on alpha alone.
struct Shape {
    alpha: f64,
    /// The paper's d, of alpha + 1 where alpha is below one.
    d: f64,
    /// The paper's c.
    c: f64,
}

impl Shape {
    fn new(alpha: f64) -> Self {
        let d = alpha + if alpha < 1.0 { 2.0 / 3.0 } else { -1.0 / 3.0 };
        Self { alpha, d, c: 1.0 / 3.0 / d.sqrt() }
    }

    fn draw(&self, mut pairs: Pairs) -> f64 {
        if self.alpha == 1.0 {
            // TF 1.x computes `log(1 - u)`, TF 2.x `log1p(-u)`, as here. They differ in the last place of float64.
            return -(-pairs.uniform()).ln_1p();
        }
        loop {
            let x = pairs.normal();
            let cube_root = 1.0 + self.c * x;
            if cube_root <= 0.0 {
                continue;
            }
            let v = cube_root * cube_root * cube_root;
            let u = pairs.uniform();
            // The squeeze avoids both logarithms in nine of ten cases.
            if u < 1.0 - 0.0331 * (x * x) * (x * x) || u.ln() < 0.5 * x * x + self.d * (1.0 - v + v.ln()) {
                let sample = self.d * v;
                return if self.alpha < 1.0 { sample * pairs.uniform().powf(1.0 / self.alpha) } else { sample };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_any_alpha_end_and_those_of_a_positive_one_are_not_negative() {
        let alphas = [f64::MIN_POSITIVE, 1e-3, 1.0, 1e300, f64::INFINITY, 0.0, -0.5, -3.0, f64::NAN];
        let mut out = vec![0.0; 50 * alphas.len()];
        fill_gamma(&Philox::new(1, 2), Threads::single(), &alphas, &mut out).unwrap();
        for row in out.chunks(alphas.len()) {
            assert!(row[..5].iter().all(|&value| value >= 0.0), "{row:?}");
        }
    }

    #[test]
    fn means_are_alpha() {
        let alphas = [0.3_f64, 1.0, 7.5];
        let mut out = vec![0.0; 20_000 * alphas.len()];
        fill_gamma(&Philox::new(5, 6), Threads::single(), &alphas, &mut out).unwrap();
        for (column, alpha) in alphas.iter().enumerate() {
            let mean = out.iter().skip(column).step_by(alphas.len()).sum::<f64>() / 20_000.0;
            // Five standard errors of the mean, whose variance is alpha / n.
            assert!((mean - alpha).abs() < 5.0 * (alpha / 20_000.0).sqrt(), "alpha {alpha}: {mean}");
        }
    }
}
