//! Functions that make many elements one: sums, products, extremes, all and any, over slices, rows and matrices.

use super::elements::{Elements, Scratch, try_chunks};
use ferroflow_tensor::Result;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{self, Binary, Operand, Reduce, Reducible};
use std::ops::Range;

/// Elements of one parallel block.
pub(super) const BLOCK: usize = 1 << 16;

/// The function that makes the elements of type `T` one.
pub(super) trait Fold<T>: Sync + Send + 'static {
    /// Returns the result of no elements.
    fn nothing(&self) -> T;
    fn slice(&self, x: &[T]) -> T;
    /// Computes `slice` of each row of `n` elements, at least one.
    fn slices(&self, x: &[T], n: usize, out: &mut [T]) {
        for (o, row) in out.iter_mut().zip(x.chunks(n)) {
            *o = self.slice(row);
        }
    }
    /// Returns the result of a long range, in an order that only its length decides.
    ///
    /// Errors: `Cancelled` if the step is interrupted.
    fn long_slice(&self, threads: Threads, x: &impl Elements<T>, range: Range<usize>) -> Result<T>;
    /// Computes `acc[j] = f(acc[j], column j)`.
    fn rows_into(&self, acc: &mut [T], rows: &[T]);
    /// Computes `acc[j] = f(acc[j], row[j])`.
    fn row_into(&self, acc: &mut [T], row: &[T]);
    /// Makes the elements of a row the results of that row alone.
    fn begin(&self, _row: &mut [T]) {}
    /// Computes the columns of each of several matrices of `size` rows and columns, as `rows_into` does.
    fn matrices(&self, x: &[T], size: (usize, usize), out: &mut [T])
    where
        T: Copy,
    {
        one_by_one(self, x, size, out);
    }
}

/// Computes `Fold::matrices` by `rows_into`.
fn one_by_one<T: Copy, F: Fold<T> + ?Sized>(f: &F, x: &[T], (rows, columns): (usize, usize), out: &mut [T]) {
    for (acc, x) in out.chunks_mut(columns).zip(x.chunks(rows * columns)) {
        acc.fill(f.nothing());
        f.rows_into(acc, x);
    }
}

pub(super) struct Numeric(pub(super) Reduce);

impl Numeric {
    /// Returns the op of two numbers that the reduction repeats.
    pub(super) fn of_two(&self) -> Binary {
        match self.0 {
            Reduce::Sum => Binary::Add,
            Reduce::Prod => Binary::Mul,
            Reduce::Min => Binary::Minimum,
            Reduce::Max => Binary::Maximum,
        }
    }

    pub(super) fn is_extreme(&self) -> bool {
        matches!(self.0, Reduce::Min | Reduce::Max)
    }
}

/// Lists the lengths of the parts that pairwise summation cuts a slice into, no longer than a block.
fn leaves(start: usize, length: usize, out: &mut Vec<std::ops::Range<usize>>) {
    match vector::split_point(length).filter(|_| length > BLOCK) {
        None => out.push(start..start + length),
        Some(middle) => {
            leaves(start, middle, out);
            leaves(start + middle, length - middle, out);
        }
    }
}

/// Returns the partial results of `leaves`, combined as they were cut.
fn join<T: Reducible>(f: Reduce, length: usize, parts: &mut impl Iterator<Item = T::Accumulator>) -> T::Accumulator {
    match vector::split_point(length).filter(|_| length > BLOCK) {
        None => parts.next().unwrap_or_default(),
        Some(middle) => {
            let left = join::<T>(f, middle, parts);
            let right = join::<T>(f, length - middle, parts);
            vector::combine::<T>(f, left, right)
        }
    }
}

fn wide_result<T: Reducible>(
    f: Reduce,
    threads: Threads,
    x: &impl Elements<T>,
    range: Range<usize>,
) -> Result<T::Accumulator> {
    if range.len() <= BLOCK {
        return Ok(vector::reduce_slice_wide(f, x.read(range, &mut Scratch::default())?));
    }
    let mut parts = Vec::new();
    leaves(range.start, range.len(), &mut parts);
    let mut results = vec![T::Accumulator::default(); parts.len()];
    try_chunks(threads, &mut results, 1, |i, result| {
        let mut scratch = Scratch::default();
        for (slot, part) in result.iter_mut().zip(&parts[i..]) {
            *slot = vector::reduce_slice_wide(f, x.read(part.clone(), &mut scratch)?);
        }
        Ok(())
    })?;
    Ok(join::<T>(f, range.len(), &mut results.into_iter()))
}

impl<T: Reducible> Fold<T> for Numeric {
    fn nothing(&self) -> T {
        vector::reduce_slice(self.0, &[])
    }

    fn slice(&self, x: &[T]) -> T {
        vector::reduce_slice(self.0, x)
    }

    fn slices(&self, x: &[T], n: usize, out: &mut [T]) {
        if n <= vector::SHORT_ROW {
            vector::reduce_short_rows(self.0, &x[..n * out.len()], n, out);
            return;
        }
        for (o, row) in out.iter_mut().zip(x.chunks(n)) {
            *o = self.slice(row);
        }
    }

    fn long_slice(&self, threads: Threads, x: &impl Elements<T>, range: Range<usize>) -> Result<T> {
        Ok(T::narrowed(wide_result(self.0, threads, x, range)?))
    }

    fn rows_into(&self, acc: &mut [T], rows: &[T]) {
        vector::reduce_rows_into(self.0, acc, rows);
    }

    fn matrices(&self, x: &[T], size: (usize, usize), out: &mut [T]) {
        if size.0 <= vector::LOW {
            vector::reduce_low_matrices(self.0, x, size, out);
        } else {
            one_by_one(self, x, size, out);
        }
    }

    fn row_into(&self, acc: &mut [T], row: &[T]) {
        vector::binary_in_place_left(self.of_two(), acc, Operand::Slice(row));
    }

    fn begin(&self, row: &mut [T]) {
        // A NaN must not stay: on the right it is passed over.
        if self.is_extreme() {
            vector::binary_in_place_right(self.of_two(), Operand::Scalar(self.nothing()), row);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Logical {
    All,
    Any,
}

impl Fold<bool> for Logical {
    fn nothing(&self) -> bool {
        *self == Logical::All
    }

    fn slice(&self, x: &[bool]) -> bool {
        match self {
            Logical::All => vector::all(x),
            Logical::Any => vector::any(x),
        }
    }

    fn long_slice(&self, _: Threads, x: &impl Elements<bool>, range: Range<usize>) -> Result<bool> {
        Ok(self.slice(x.read(range, &mut Scratch::default())?))
    }

    fn rows_into(&self, acc: &mut [bool], rows: &[bool]) {
        match self {
            Logical::All => vector::all_rows_into(acc, rows),
            Logical::Any => vector::any_rows_into(acc, rows),
        }
    }

    fn row_into(&self, acc: &mut [bool], row: &[bool]) {
        self.rows_into(acc, row);
    }
}
