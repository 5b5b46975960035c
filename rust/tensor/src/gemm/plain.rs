//! Matrix products without a special kernel: integers, and half-precision floats by way of f32.

use half::{bf16, f16};
use num_traits::{WrappingAdd, WrappingMul, Zero};

use super::matrix::{MatRef, check};
use super::scratch::Scratch;
use super::{Epilogue, matmul_f32};
use crate::status::Result;
use crate::threads::{Threads, try_for_chunks_mut};

/// Elements of c times inner steps worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 16;
/// Elements of a conversion that are worth a task.
const TASK_ELEMENTS: usize = 1 << 15;

/// Computes `c = a * b`, or `c + a * b` with `accumulate`, for integers; overflow wraps around.
///
/// # Errors
/// `InvalidArgument` when the sizes do not agree.
pub fn matmul_wrapping<T>(
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
) -> Result<()>
where
    T: Copy + Zero + WrappingAdd + WrappingMul + Send + Sync,
{
    check(&a, &b, c.len())?;
    let (cols, depth) = (b.cols(), a.cols());
    if c.is_empty() {
        return Ok(());
    }
    let task_rows = (TASK_PRODUCTS / (cols * depth).max(1)).max(1);
    try_for_chunks_mut(threads, c, task_rows * cols, |start, chunk| {
        for (offset, row) in chunk.chunks_mut(cols).enumerate() {
            if !accumulate {
                row.fill(T::zero());
            }
            for step in 0..depth {
                let factor = a.at(start / cols + offset, step);
                let add = |sum: &mut T, value: T| *sum = sum.wrapping_add(&factor.wrapping_mul(&value));
                match b.row(step) {
                    Some(values) => row.iter_mut().zip(values).for_each(|(sum, &value)| add(sum, value)),
                    None => row.iter_mut().enumerate().for_each(|(col, sum)| add(sum, b.at(step, col))),
                }
            }
        }
    })?;
    Ok(())
}

/// A float stored in 16 bits.
pub trait HalfFloat: Copy + Send + Sync {
    /// Returns the same number in f32.
    fn widen(self) -> f32;
    /// Returns the nearest number, ties to even.
    fn narrow(value: f32) -> Self;
}

impl HalfFloat for f16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(value: f32) -> f16 {
        f16::from_f32(value)
    }
}

impl HalfFloat for bf16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(value: f32) -> bf16 {
        bf16::from_f32(value)
    }
}

/// Computes `c = a * b`, or `c + a * b` with `accumulate`, for f16 and bf16: sums in f32, rounded once at the end.
///
/// # Errors
/// `InvalidArgument` when the sizes do not agree; `ResourceExhausted` when there is no memory for the f32 copies.
pub fn matmul_half<T: HalfFloat>(
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<()> {
    check(&a, &b, c.len())?;
    let mut wide_a = Scratch::<f32>::new(a.rows(), a.cols())?;
    let mut wide_b = Scratch::<f32>::new(b.rows(), b.cols())?;
    let mut wide_c = Scratch::<f32>::new(a.rows(), b.cols())?;
    widen(threads, a, wide_a.values_mut())?;
    widen(threads, b, wide_b.values_mut())?;
    if accumulate {
        widen(threads, MatRef::row_major(c, a.rows(), b.cols())?, wide_c.values_mut())?;
    }
    let a = MatRef::row_major(wide_a.values(), a.rows(), a.cols())?;
    let b = MatRef::row_major(wide_b.values(), b.rows(), b.cols())?;
    matmul_f32(threads, a, b, wide_c.values_mut(), accumulate, epilogue)?;
    let sums = wide_c.values();
    try_for_chunks_mut(threads, c, TASK_ELEMENTS, |start, chunk| {
        for (value, &sum) in chunk.iter_mut().zip(&sums[start..]) {
            *value = T::narrow(sum);
        }
    })?;
    Ok(())
}

/// Writes the matrix row by row in f32.
fn widen<T: HalfFloat>(threads: Threads, from: MatRef<'_, T>, to: &mut [f32]) -> Result<()> {
    let cols = from.cols().max(1);
    try_for_chunks_mut(threads, to, (TASK_ELEMENTS / cols).max(1) * cols, |start, chunk| {
        for (offset, row) in chunk.chunks_mut(cols).enumerate() {
            let index = start / cols + offset;
            match from.row(index) {
                Some(values) => row.iter_mut().zip(values).for_each(|(wide, value)| *wide = value.widen()),
                None => row.iter_mut().enumerate().for_each(|(col, wide)| *wide = from.at(index, col).widen()),
            }
        }
    })?;
    Ok(())
}
