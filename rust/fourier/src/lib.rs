//! Discrete Fourier transforms of contiguous rows, on the calling thread: the only crate that names `rustfft`.
//!
//! Nothing is scaled: a transform there and back multiplies by the length of the rows.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "references of tests"))]
#![forbid(unsafe_code)]

use ferroflow_sync::ProcessMutex;
use ferroflow_tensor::fourier::Direction;
use num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftNum, FftPlanner};
use std::collections::HashSet;
use std::sync::Arc;

/// Lengths whose tables are kept; with more, all are made anew.
const MAX_LENGTHS: usize = 256;

/// The tables of the lengths met so far: making them costs more than a short transform.
struct Planners<T: FftNum> {
    lengths: HashSet<usize>,
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
}

impl<T: FftNum> Planners<T> {
    fn new() -> Planners<T> {
        Planners { lengths: HashSet::new(), complex: FftPlanner::new(), real: RealFftPlanner::new() }
    }

    /// Returns the planners that are kept, after a length is counted.
    fn with(kept: &mut Option<Planners<T>>, n: usize) -> &mut Planners<T> {
        let planners = kept.get_or_insert_with(Planners::new);
        if planners.lengths.insert(n) && planners.lengths.len() > MAX_LENGTHS {
            *planners = Planners::new();
        }
        planners
    }
}

/// float32 or float64, and how transforms of them are planned: methods of a trait, so that they are compiled here, once.
pub trait Real: FftNum + Default {
    fn complex(n: usize, direction: Direction) -> Arc<dyn Fft<Self>>;
    fn real(n: usize) -> Arc<dyn RealToComplex<Self>>;
    fn real_inverse(n: usize) -> Arc<dyn ComplexToReal<Self>>;
}

macro_rules! real {
    ($($t:ty, $planners:ident;)*) => {$(
        static $planners: ProcessMutex<Option<Planners<$t>>> = ProcessMutex::new(None, || None);

        impl Real for $t {
            fn complex(n: usize, direction: Direction) -> Arc<dyn Fft<$t>> {
                let mut planners = $planners.lock();
                let planner = &mut Planners::with(&mut planners, n).complex;
                match direction {
                    Direction::Forward => planner.plan_fft_forward(n),
                    Direction::Inverse => planner.plan_fft_inverse(n),
                }
            }
            fn real(n: usize) -> Arc<dyn RealToComplex<$t>> {
                Planners::with(&mut $planners.lock(), n).real.plan_fft_forward(n)
            }
            fn real_inverse(n: usize) -> Arc<dyn ComplexToReal<$t>> {
                Planners::with(&mut $planners.lock(), n).real.plan_fft_inverse(n)
            }
        }
    )*};
}
real! {
    f32, SINGLE;
    f64, DOUBLE;
}

/// Transforms of rows of `n` complex numbers.
pub struct ComplexRows<T: Real> {
    n: usize,
    fft: Option<Arc<dyn Fft<T>>>,
}

impl<T: Real> ComplexRows<T> {
    pub fn new(n: usize, direction: Direction) -> ComplexRows<T> {
        // The transform of one number is that number. Arithmetic would lose a NaN's payload or a zero's sign.
        ComplexRows { n, fft: (n > 1).then(|| T::complex(n, direction)) }
    }

    /// Returns the room that `run` needs.
    pub fn scratch(&self) -> Vec<Complex<T>> {
        let length = self.fft.as_ref().map_or(0, |fft| fft.get_inplace_scratch_len());
        vec![Complex::default(); length]
    }

    /// Transforms each whole row of `data` in its place.
    pub fn run(&self, data: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        if let Some(fft) = &self.fft {
            let whole = data.len() / self.n * self.n;
            fft.process_with_scratch(&mut data[..whole], scratch);
        }
    }
}

/// Transforms of rows of `n` real numbers to the `n / 2 + 1` numbers of non-negative frequency.
pub struct RealRows<T: Real> {
    n: usize,
    fft: Option<Arc<dyn RealToComplex<T>>>,
}

impl<T: Real> RealRows<T> {
    pub fn new(n: usize) -> RealRows<T> {
        RealRows { n, fft: (n > 0).then(|| T::real(n)) }
    }

    /// Transforms rows, the first `n` numbers of each `stride` of `from`, to whole rows of `to`.
    pub fn run(&self, from: &[T], stride: usize, to: &mut [Complex<T>]) {
        if let 1 | 2 = self.n {
            for (from, to) in from.chunks_exact(stride).zip(to.chunks_exact_mut(self.n)) {
                match (&from[..self.n], to) {
                    (&[x], [to]) => *to = x.into(),
                    (&[x, y], [sum, difference]) => (*sum, *difference) = ((x + y).into(), (x - y).into()),
                    _ => {}
                }
            }
            return;
        }
        let Some(fft) = &self.fft else { return };
        let mut row = vec![T::default(); self.n];
        let mut scratch = fft.make_scratch_vec();
        for (from, to) in from.chunks_exact(stride).zip(to.chunks_exact_mut(self.n / 2 + 1)) {
            row.copy_from_slice(&from[..self.n]);
            // It fails for wrong lengths only, and these are right.
            let _ = fft.process_with_scratch(&mut row, to, &mut scratch);
        }
    }
}

/// The inverse of `RealRows`: the imaginary parts of numbers that must be real do not count.
pub struct RealInverseRows<T: Real> {
    n: usize,
    fft: Option<Arc<dyn ComplexToReal<T>>>,
}

impl<T: Real> RealInverseRows<T> {
    pub fn new(n: usize) -> RealInverseRows<T> {
        RealInverseRows { n, fft: (n > 0).then(|| T::real_inverse(n)) }
    }

    /// Transforms rows, the first `n / 2 + 1` numbers of each `stride` of `from`, to whole rows of `to`.
    pub fn run(&self, from: &[Complex<T>], stride: usize, to: &mut [T]) {
        let half = self.n / 2 + 1;
        if let 1 | 2 = self.n {
            // As a complex transform whose imaginary parts are dropped last; infinite ones leave NaN.
            let real = |x: Complex<T>| x.re - x.im * T::default();
            for (from, to) in from.chunks_exact(stride).zip(to.chunks_exact_mut(self.n)) {
                match (&from[..half], to) {
                    (&[x], [to]) => *to = real(x),
                    (&[x, y], [even, odd]) => (*even, *odd) = (real(x + y), real(x - y)),
                    _ => {}
                }
            }
            return;
        }
        let Some(fft) = &self.fft else { return };
        let mut row = vec![Complex::default(); half];
        let mut scratch = fft.make_scratch_vec();
        for (from, to) in from.chunks_exact(stride).zip(to.chunks_exact_mut(self.n)) {
            row.copy_from_slice(&from[..half]);
            row[0].im = T::default();
            if self.n.is_multiple_of(2) {
                row[half - 1].im = T::default();
            }
            // It fails for wrong lengths and for imaginary parts that are zero here.
            let _ = fft.process_with_scratch(&mut row, to, &mut scratch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<Complex<f64>> {
        (0..n).map(|i| Complex::new((i as f64 * 0.7).sin(), (i as f64 * 1.3).cos())).collect()
    }

    /// Returns the definition.
    fn slow(x: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
        let n = x.len();
        let term = |k: usize, j: usize| Complex::cis(sign * std::f64::consts::TAU * (k * j % n) as f64 / n as f64);
        (0..n).map(|k| (0..n).map(|j| x[j] * term(k, j)).sum()).collect()
    }

    fn assert_close(a: &[Complex<f64>], b: &[Complex<f64>]) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-10), "{a:?} {b:?}");
    }

    #[test]
    fn rows_of_every_length_are_transformed() {
        for n in [1, 2, 3, 5, 8, 12, 17, 100, 101] {
            for (direction, sign) in [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)] {
                let mut x = numbers(2 * n);
                let expected = [slow(&x[..n], sign), slow(&x[n..], sign)].concat();
                let rows = ComplexRows::new(n, direction);
                rows.run(&mut x, &mut rows.scratch());
                assert_close(&x, &expected);
            }
        }
    }

    #[test]
    fn real_rows_are_half_of_complex_ones_and_come_back() {
        for n in [1usize, 2, 3, 7, 8, 30] {
            let real: Vec<f64> = numbers(2 * (n + 1)).iter().map(|x| x.re).collect();
            let mut half = vec![Complex::default(); 2 * (n / 2 + 1)];
            RealRows::new(n).run(&real, n + 1, &mut half);
            for (row, half) in real.chunks(n + 1).zip(half.chunks(n / 2 + 1)) {
                let complex: Vec<_> = row[..n].iter().map(|&x| Complex::new(x, 0.0)).collect();
                assert_close(half, &slow(&complex, -1.0)[..n / 2 + 1]);
            }
            let mut back = vec![0.0; 2 * n];
            RealInverseRows::new(n).run(&half, n / 2 + 1, &mut back);
            for (row, back) in real.chunks(n + 1).zip(back.chunks(n)) {
                assert!(row.iter().zip(back).all(|(a, b)| (a - b / n as f64).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn rows_of_nothing_stay() {
        let mut none: [Complex<f32>; 0] = [];
        ComplexRows::new(0, Direction::Forward).run(&mut none, &mut []);
        RealRows::<f32>::new(0).run(&[], 1, &mut none);
        RealInverseRows::<f32>::new(0).run(&[], 1, &mut []);
    }

    #[test]
    fn more_lengths_than_are_kept_can_be_met() {
        for n in 1..2 * MAX_LENGTHS {
            let mut x = vec![Complex::new(1.0f32, 0.0); n];
            let rows = ComplexRows::new(n, Direction::Forward);
            rows.run(&mut x, &mut rows.scratch());
            assert!((x[0].re - n as f32).abs() < 1e-3);
        }
    }
}
