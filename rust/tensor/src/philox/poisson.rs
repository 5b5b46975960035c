//! Poisson samples.
//!
//! Sources: Knuth, "Seminumerical algorithms", for small rates. Hörmann, "The transformed rejection method for
//! generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993, for rates from 10.

use super::convert::Sample;
use super::fill::BLOCKS_PER_VALUE;
use super::generator::Philox;
use super::pairs::Pairs;
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};

const SAMPLES_PER_TASK: usize = 1024;
/// The rate from which rejection replaces the product of uniforms.
const REJECTION_FROM: f64 = 10.0;

/// Fills `out`, `[samples, rates.len()]` by rows, with samples of Poisson(rate), one column per rate.
///
/// The stream's places are numbered the other way round, rate by rate. A run moves it on by
/// [`blocks_per_run`](super::fill::blocks_per_run) of the number of values. A negative rate gives 0. An infinite one
/// gives infinity, or 0 where `U` is an integer; NaN gives NaN, or 0. A finite one above what `U` holds gives `U`'s
/// highest value (the last two never end in TensorFlow).
pub fn fill_poisson<R: Sample, U: Sample>(
    base: &Philox,
    threads: Threads,
    rates: &[R],
    out: &mut [U],
) -> Result<(), Interrupted> {
    if rates.is_empty() {
        return Ok(());
    }
    let rates: Vec<Rate<U>> = rates.iter().map(|rate| Rate::new(rate.to_f64())).collect();
    let samples = out.len() / rates.len();
    try_for_chunks_mut(threads, out, SAMPLES_PER_TASK, |start, chunk| {
        for (position, value) in (start..).zip(chunk) {
            let (sample, column) = (position / rates.len(), position % rates.len());
            let place = (column * samples + sample) as u64;
            let source = base.skipped(place.wrapping_mul(BLOCKS_PER_VALUE));
            *value = rates[column].draw(Pairs::new(source));
        }
    })
}

/// The values that depend on the rate alone.
enum Rate<U> {
    /// Every sample is this value, without a draw.
    Fixed(U),
    /// Count uniforms until their product is down to `exp(-rate)`.
    Product { exp_neg_rate: f64 },
    /// Hörmann's hat `(2a / (1/2 - |u|) + b) u + rate + 0.43`.
    Rejection { rate: f64, log_rate: f64, a: f64, b: f64, inv_alpha: f64 },
}

impl<U: Sample> Rate<U> {
    fn new(rate: f64) -> Self {
        if rate == f64::INFINITY {
            Self::Fixed(U::INFINITY)
        } else if rate.is_nan() || rate > U::HIGHEST {
            // Rejection would never find a sample.
            Self::Fixed(U::from_f64(rate.clamp(0.0, U::HIGHEST)))
        } else if rate < REJECTION_FROM {
            Self::Product { exp_neg_rate: (-rate).exp() }
        } else {
            let b = 0.931 + 2.53 * rate.sqrt();
            let a = -0.059 + 0.02483 * b;
            Self::Rejection { rate, log_rate: rate.ln(), a, b, inv_alpha: 1.1239 + 1.1328 / (b - 3.4) }
        }
    }

    fn draw(&self, mut pairs: Pairs) -> U {
        match *self {
            Self::Fixed(value) => value,
            Self::Product { exp_neg_rate } => {
                let mut product = pairs.uniform();
                let mut count = 0.0;
                while product > exp_neg_rate {
                    product *= pairs.uniform();
                    count += 1.0;
                }
                U::from_f64(count)
            }
            Self::Rejection { rate, log_rate, a, b, inv_alpha } => loop {
                let u = pairs.uniform() - 0.5;
                let v = pairs.uniform();
                let from_edge = 0.5 - u.abs();
                let k = ((2.0 * a / from_edge + b) * u + rate + 0.43).floor();
                if k > U::HIGHEST {
                    continue;
                }
                if from_edge >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0) {
                    return U::from_f64(k);
                }
                if k < 0.0 || from_edge < 0.013 && v > from_edge {
                    continue;
                }
                let s = (v * inv_alpha / (a / (from_edge * from_edge) + b)).ln();
                if s <= -rate + k * log_rate - ln_factorial(k) {
                    return U::from_f64(k);
                }
            },
        }
    }
}

/// Returns ln(k!) of a whole `k` from 0 on, within a few units in the last place.
fn ln_factorial(k: f64) -> f64 {
    // Up to 22! a double holds the factorial itself.
    if k < 23.0 {
        return (2..=k as u32).map(f64::from).product::<f64>().ln();
    }
    // Stirling's series of ln Gamma(x); at x >= 24 the first term left out is below 1e-18.
    let x = k + 1.0;
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_factorials_follow_the_recurrence() {
        let mut sum = 0.0;
        for k in 0_u32..2000 {
            sum += f64::from(k.max(1)).ln();
            let value = ln_factorial(f64::from(k));
            assert!((value - sum).abs() <= 1e-13 * sum.max(1.0), "{k}: {value} {sum}");
        }
    }

    #[test]
    fn samples_of_any_rate_end() {
        let rates = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e30, 2e9];
        let mut out = vec![0_i32; 20 * rates.len()];
        fill_poisson(&Philox::new(1, 2), Threads::single(), &rates, &mut out).unwrap();
        for row in out.chunks(rates.len()) {
            assert_eq!(row[..6], [0, 0, 0, 0, 0, i32::MAX]);
            assert!((1_900_000_000..2_100_000_000).contains(&row[6]));
        }
        let mut out = [0.0_f64; 3];
        fill_poisson(&Philox::new(1, 2), Threads::single(), &[f64::NAN, f64::INFINITY, 1e308], &mut out).unwrap();
        assert!(out[0].is_nan() && out[1] == f64::INFINITY && out[2] > 0.9e308);
    }

    #[test]
    fn means_are_the_rate() {
        let rates = [0.5_f64, 9.0, 10.0, 400.0];
        let mut out = vec![0_i64; 20_000 * rates.len()];
        fill_poisson(&Philox::new(5, 6), Threads::single(), &rates, &mut out).unwrap();
        for (column, rate) in rates.iter().enumerate() {
            let mean = out.iter().skip(column).step_by(rates.len()).sum::<i64>() as f64 / 20_000.0;
            // Five standard errors of the mean, whose variance is the rate / n.
            assert!((mean - rate).abs() < 5.0 * (rate / 20_000.0).sqrt(), "rate {rate}: {mean}");
        }
    }
}
