//! Sums of chosen rows of a matrix, each times a number: what products with a sparse matrix are made of.

use super::isa::{Isa, for_each_isa};
use num_complex::Complex;

/// Columns whose sums are kept in registers.
const WIDTH: usize = 32;

/// An element type that rows can be added up in; integers wrap.
pub trait Scaled: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn plus_scaled(self, factor: Self, x: Self) -> Self;
}

macro_rules! scaled_plain {
    ($($t:ty),*) => {$(
        impl Scaled for $t {
            #[inline(always)]
            fn plus_scaled(self, factor: $t, x: $t) -> $t {
                self + factor * x
            }
        }
    )*};
}
scaled_plain!(f32, f64, Complex<f32>, Complex<f64>);

macro_rules! scaled_wrapping {
    ($($t:ty),*) => {$(
        impl Scaled for $t {
            #[inline(always)]
            fn plus_scaled(self, factor: $t, x: $t) -> $t {
                self.wrapping_add(factor.wrapping_mul(x))
            }
        }
    )*};
}
scaled_wrapping!(i32, i64);

/// Computes `sums[j] += factors[e] * matrix[rows[e] * sums.len() + j]` for each e in order.
///
/// # Panics
/// A row is not in the matrix.
pub fn add_scaled_rows<T: Scaled>(sums: &mut [T], factors: &[T], rows: &[usize], matrix: &[T]) {
    add_scaled_rows_with(Isa::current(), sums, factors, rows, matrix);
}

/// Runs `add_scaled_rows` with a chosen instruction set.
pub fn add_scaled_rows_with<T: Scaled>(isa: Isa, sums: &mut [T], factors: &[T], rows: &[usize], matrix: &[T]) {
    // SAFETY: an `Isa` exists only for what the machine has.
    unsafe { pick(isa)(sums, factors, rows, matrix) }
}

for_each_isa!(pick = add_all<T: Scaled>(sums: &mut [T], factors: &[T], rows: &[usize], matrix: &[T]));

#[inline(always)]
fn add_all<T: Scaled>(sums: &mut [T], factors: &[T], rows: &[usize], matrix: &[T]) {
    let columns = sums.len();
    let mut first = 0;
    while let Some(block) = sums.get_mut(first..first + WIDTH) {
        let mut held = [T::default(); WIDTH];
        held.copy_from_slice(block);
        for (&factor, &row) in factors.iter().zip(rows) {
            let from = &matrix[row * columns + first..][..WIDTH];
            for (sum, &x) in held.iter_mut().zip(from) {
                *sum = sum.plus_scaled(factor, x);
            }
        }
        block.copy_from_slice(&held);
        first += WIDTH;
    }
    let rest = &mut sums[first..];
    if let [sum] = rest {
        for (&factor, &row) in factors.iter().zip(rows) {
            *sum = sum.plus_scaled(factor, matrix[row * columns + first]);
        }
    } else if !rest.is_empty() {
        for (&factor, &row) in factors.iter().zip(rows) {
            let from = &matrix[row * columns + first..][..rest.len()];
            for (sum, &x) in rest.iter_mut().zip(from) {
                *sum = sum.plus_scaled(factor, x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_gives_the_bits_of_plain_loops() {
        for columns in [1, 2, 31, 32, 33, 70] {
            let matrix: Vec<f32> = (0..5 * columns).map(|i| (i as f32 * 0.7).sin()).collect();
            let (factors, rows) = ([0.3f32, -1.7, 2.9, 0.1], [4, 0, 3, 0]);
            let mut plain: Vec<f32> = (0..columns).map(|j| j as f32).collect();
            for (factor, row) in factors.iter().zip(rows) {
                for (j, sum) in plain.iter_mut().enumerate() {
                    *sum += factor * matrix[row * columns + j];
                }
            }
            for isa in Isa::available() {
                let mut sums: Vec<f32> = (0..columns).map(|j| j as f32).collect();
                add_scaled_rows_with(isa, &mut sums, &factors, &rows, &matrix);
                assert_eq!(sums, plain);
            }
        }
        let mut sums = [i32::MAX];
        add_scaled_rows(&mut sums, &[2], &[0], &[1]);
        assert_eq!(sums, [i32::MIN + 1]);
    }
}
