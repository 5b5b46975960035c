//! Rows, a few at a time, which are transposed into a tile and out of it.
//!
//! An even number of real numbers is half as many complex ones. Rows are taken only where that is fast: for as many rows as
//! there are lanes. A row's bits depend on whether there are so many.

use super::numbers::Numbers;
use super::plan::{Direction, Plan};
use super::tile::{Tile, read_rows, scale, scale_parts, transform, write_rows};
use super::{BLOCK, Job, Real};
use crate::Result;
use crate::gemm::tiled::lanes::{Lanes, for_lanes};
use crate::threads::{Threads, try_for_chunks_mut};
use num_complex::Complex;
use std::sync::Arc;

/// The most numbers of a row: with more, a tile leaves the caches.
const LONGEST: usize = 2048;

/// Rows of complex numbers that are longer are worth two transposes.
const SHORTEST: usize = 64;

/// Returns true for products of 2, 3 and 5; `n` is not 0.
fn is_smooth(mut n: usize) -> bool {
    for prime in [2, 3, 5] {
        while n.is_multiple_of(prime) {
            n /= prime;
        }
    }
    n == 1
}

/// Returns the tables of rows of `n` complex numbers, where `count` of them are better transformed in lanes.
fn plan<T: Real>(n: usize, count: usize, direction: Direction) -> Option<Arc<Plan<T>>> {
    if count >= T::LANES && n <= LONGEST { T::plan(n, direction) } else { None }
}

/// Returns the elements of whole rows that make a parallel block, of rows that have `elements` of `row`.
fn block<T: Real>(row: usize, elements: usize) -> usize {
    (BLOCK / row).div_ceil(T::LANES).max(1) * T::LANES * elements
}

/// Transforms rows of complex numbers.
struct Rows<'a, T> {
    plan: &'a Plan<T>,
    /// The rows' elements; None if they are in `to`.
    from: Option<&'a [T]>,
    to: &'a mut [T],
    factor: Option<T>,
}

impl<T: Real> Job<T> for Rows<'_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(self) {
        let stride = 2 * self.plan.n;
        let mut tile = Tile::new(self.plan.n);
        for (k, to) in self.to.chunks_mut(L::N * stride).enumerate() {
            let size = (to.len() / stride, stride);
            let from = self.from.map_or(&*to, |from| &from[k * L::N * stride..]);
            // SAFETY: by the contract of `Job::run`.
            unsafe {
                read_rows::<L>(&mut tile, from, stride, size);
                transform::<L>(self.plan, &mut tile);
                if let Some(factor) = self.factor {
                    scale::<L>(&mut tile, factor);
                }
                write_rows::<L>(&mut tile, to, stride, size);
            }
        }
    }
}

/// The transform of rows of complex numbers.
pub struct RowTransform<T> {
    pub(super) plan: Arc<Plan<T>>,
}

impl<T: Real> RowTransform<T> {
    /// Returns None for rows that are better transformed one by one. These are few rows, and short and long ones. Lengths
    /// are left out that are products of 2, 3 and 5, multiples of 32, or have a prime factor above 199.
    pub fn new(n: usize, count: usize, direction: Direction) -> Option<RowTransform<T>> {
        if n <= SHORTEST || n.is_multiple_of(32) || is_smooth(n) {
            return None;
        }
        plan(n, count, direction).map(|plan| RowTransform { plan })
    }

    /// Transforms rows, which are in `to`, or in `from` if that is given, and multiplies the results by the complex number
    /// (factor, 0).
    ///
    /// Errors: `Interrupted` once the watch of this thread says to stop.
    ///
    /// Panics: where `from` and `to` have different lengths.
    pub fn run(
        &self,
        threads: Threads,
        from: Option<&[Complex<T>]>,
        to: &mut [Complex<T>],
        factor: Option<T>,
    ) -> Result<()> {
        assert!(from.is_none_or(|from| from.len() == to.len()), "as many numbers as results");
        let plan = &*self.plan;
        try_for_chunks_mut(threads, to, block::<T>(2 * plan.n, plan.n), |start, to| {
            let from = from.map(|from| T::parts(&from[start..start + to.len()]));
            T::run(Rows { plan, from, to: T::parts_mut(to), factor });
        })?;
        Ok(())
    }
}

for_lanes! {
    /// Makes the `half` + 1 numbers of non-negative frequency of the transform of pairs of real numbers.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `from` has `half` numbers, `to` has room for one more, and so many turns are readable.
    unsafe fn join = join_body<L: Lanes>(from: *const L::Elem, to: *mut L::Elem, half: usize, turns: *const [L::Elem; 2], one_half: &L::Elem)
}

#[inline(always)]
unsafe fn join_body<L: Lanes>(
    from: *const L::Elem,
    to: *mut L::Elem,
    half: usize,
    turns: *const [L::Elem; 2],
    one_half: &L::Elem,
) {
    // SAFETY: by the contract of `join`.
    unsafe {
        let one_half = L::splat(one_half);
        for k in 0..=half {
            let at = |k: usize| from.add(if k == half { 0 } else { k } * Numbers::<L>::ELEMENTS);
            let (z, mirrored) =
                (Numbers::<L>::load(at(k)).scale(one_half), Numbers::load(at(half - k)).scale(one_half));
            let mirrored = mirrored.conj();
            let odd = z.sub(mirrored).mul(Numbers::splat(&*turns.add(k)));
            z.add(mirrored).beside(odd).0.store(to.add(k * Numbers::<L>::ELEMENTS));
        }
    }
}

for_lanes! {
    /// Makes the numbers whose inverse transform is pairs of real numbers, from `half` + 1 numbers of non-negative frequency.
    ///
    /// # Safety
    /// As for `join`, with `from` and `to` exchanged.
    unsafe fn part = part_body<L: Lanes>(from: *const L::Elem, to: *mut L::Elem, half: usize, turns: *const [L::Elem; 2])
}

#[inline(always)]
unsafe fn part_body<L: Lanes>(from: *const L::Elem, to: *mut L::Elem, half: usize, turns: *const [L::Elem; 2]) {
    // SAFETY: by the contract of `part`.
    unsafe {
        for k in 0..half {
            let x = Numbers::<L>::load(from.add(k * Numbers::<L>::ELEMENTS));
            let mirrored = Numbers::<L>::load(from.add((half - k) * Numbers::<L>::ELEMENTS)).conj();
            let odd = x.sub(mirrored).mul(Numbers::splat(&*turns.add(k)));
            x.add(mirrored).beside(odd).1.store(to.add(k * Numbers::<L>::ELEMENTS));
        }
    }
}

/// The tables of rows of an even number of real numbers.
struct RealPlan<T> {
    plan: Arc<Plan<T>>,
    /// The turns of the numbers of non-negative frequency.
    turns: Arc<Vec<[T; 2]>>,
}

impl<T: Real> RealPlan<T> {
    fn new(n: usize, count: usize, direction: Direction) -> Option<RealPlan<T>> {
        let plan = if n.is_multiple_of(2) && n > 2 { plan(n / 2, count, direction)? } else { return None };
        Some(RealPlan { plan, turns: T::turns(n, direction) })
    }

    /// Returns half of the numbers of a row.
    fn half(&self) -> usize {
        assert!(self.turns.len() > self.plan.n, "a turn for each number of non-negative frequency");
        self.plan.n
    }
}

struct RealRows<'a, T> {
    tables: &'a RealPlan<T>,
    from: &'a [T],
    stride: usize,
    to: &'a mut [T],
}

impl<T: Real> Job<T> for RealRows<'_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(self) {
        let half = self.tables.half();
        let row = 2 * (half + 1);
        let mut tile = Tile::new(half + 1);
        let one_half = T::of(0.5);
        for (k, to) in self.to.chunks_mut(L::N * row).enumerate() {
            let rows = to.len() / row;
            let from = &self.from[k * L::N * self.stride..];
            // SAFETY: by the contract of `Job::run`; the tile has room for half + 1 numbers, and there are as many turns.
            unsafe {
                read_rows::<L>(&mut tile, from, self.stride, (rows, 2 * half));
                transform::<L>(&self.tables.plan, &mut tile);
                let (numbers, results) = tile.halves();
                join::<L>(numbers.as_ptr(), results.as_mut_ptr(), half, self.tables.turns.as_ptr(), &one_half);
                tile.turn();
                write_rows::<L>(&mut tile, to, row, (rows, row));
            }
        }
    }
}

/// The transform of rows of real numbers.
pub struct RealRowTransform<T>(RealPlan<T>);

impl<T: Real> RealRowTransform<T> {
    /// Returns None where rows are better transformed one by one: for few rows, long ones, odd lengths, and those with a prime
    /// factor above 199.
    pub fn new(n: usize, count: usize) -> Option<RealRowTransform<T>> {
        RealPlan::new(n, count, Direction::Forward).map(RealRowTransform)
    }

    /// Transforms rows, the first numbers of each `stride` of `from`, to whole rows of the n / 2 + 1 numbers of non-negative
    /// frequency.
    ///
    /// Errors: `Interrupted` once the watch of this thread says to stop.
    pub fn run(&self, threads: Threads, from: &[T], stride: usize, to: &mut [Complex<T>]) -> Result<()> {
        let (tables, row) = (&self.0, self.0.half() + 1);
        try_for_chunks_mut(threads, to, block::<T>(4 * row, row), |start, to| {
            T::run(RealRows { tables, from: &from[start / row * stride..], stride, to: T::parts_mut(to) });
        })?;
        Ok(())
    }
}

struct RealInverseRows<'a, T> {
    tables: &'a RealPlan<T>,
    from: &'a [T],
    to: &'a mut [T],
    factor: T,
}

impl<T: Real> Job<T> for RealInverseRows<'_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(self) {
        let half = self.tables.half();
        let (row, number) = (2 * (half + 1), Numbers::<L>::ELEMENTS);
        let mut tile = Tile::new(half + 1);
        for (k, to) in self.to.chunks_mut(L::N * 2 * half).enumerate() {
            let rows = to.len() / (2 * half);
            let from = &self.from[k * L::N * row..];
            // SAFETY: as in `RealRows`.
            unsafe {
                read_rows::<L>(&mut tile, from, row, (rows, row));
                let (numbers, results) = tile.halves();
                for real in [0, half] {
                    numbers[real * number + L::N..(real + 1) * number].fill(T::default());
                }
                part::<L>(numbers.as_ptr(), results.as_mut_ptr(), half, self.tables.turns.as_ptr());
                tile.turn();
                transform::<L>(&self.tables.plan, &mut tile);
                scale_parts::<L>(&mut tile, self.factor);
                write_rows::<L>(&mut tile, to, 2 * half, (rows, 2 * half));
            }
        }
    }
}

/// The transform back to rows of real numbers.
pub struct RealInverseRowTransform<T>(RealPlan<T>);

impl<T: Real> RealInverseRowTransform<T> {
    /// Returns None as `RealRowTransform::new` does.
    pub fn new(n: usize, count: usize) -> Option<RealInverseRowTransform<T>> {
        RealPlan::new(n, count, Direction::Inverse).map(RealInverseRowTransform)
    }

    /// Transforms whole rows of n / 2 + 1 numbers of non-negative frequency to rows of n real numbers, times a factor. The
    /// imaginary parts of the first and the last number do not count.
    ///
    /// Errors: `Interrupted` once the watch of this thread says to stop.
    pub fn run(&self, threads: Threads, from: &[Complex<T>], to: &mut [T], factor: T) -> Result<()> {
        let (tables, half) = (&self.0, self.0.half());
        try_for_chunks_mut(threads, to, block::<T>(4 * half, 2 * half), |start, to| {
            let from = T::parts(&from[start / (2 * half) * (half + 1)..]);
            T::run(RealInverseRows { tables, from, to, factor });
        })?;
        Ok(())
    }
}
