//! Long rows: a row of n1 x n2 numbers is a matrix of n1 rows and n2 columns. Its columns are transformed, its numbers are turned,
//! its rows are transformed, and the results are transposed.

use super::numbers::Numbers;
use super::plan::{Chirp, Direction, Plan, chirp, convolution_length, narrow, turned};
use super::tile::{Kind, Strided, Tile, read_rows, scale as scale_tile, transform, write_columns};
use super::{BLOCK, Job, Real, Scale, of_columns, scaled};
use crate::gemm::tiled::lanes::{Lanes, for_lanes};
use crate::threads::{Columns, Pieces, Threads, try_for_chunks_mut, try_for_rows_mut};
use crate::{Result, Tensor};
use num_complex::Complex;
use std::ops::Range;
use std::sync::Arc;

/// The longest row that is transformed in one tile.
const LONGEST: usize = 1024;
/// The most that one side of the matrix may be longer than the other one.
const UNEVEN: usize = 64;

pub(super) fn is_long(n: usize) -> bool {
    n > LONGEST
}

/// The parts of a whole turn, made of two tables.
struct Turns {
    coarse: Vec<[f64; 2]>,
    fine: Vec<[f64; 2]>,
}

impl Turns {
    fn new(n: usize, direction: Direction) -> Turns {
        let side = n.isqrt() + 1;
        let table = |step: usize| (0..side).map(|k| turned(k * step, n, direction)).collect();
        Turns { coarse: table(side), fine: table(1) }
    }

    /// Returns the cosine and the sine of part `k` < n.
    fn get(&self, k: usize) -> [f64; 2] {
        let side = self.fine.len();
        let ([a, b], [c, d]) = (self.coarse[k / side], self.fine[k % side]);
        [a * c - b * d, a * d + b * c]
    }
}

/// The tables of a row that is split.
pub(super) struct Split<T> {
    columns: Arc<Plan<T>>,
    rows: Arc<Plan<T>>,
    turns: Turns,
    /// For each row of the matrix the turns of the first columns, as numbers of a tile.
    lanes: Vec<T>,
}

/// How a long row is transformed.
pub(super) enum Long<T> {
    Split(Split<T>),
    /// A convolution of long rows.
    Chirp(Chirp<T>),
}

impl<T: Real> Long<T> {
    pub fn new(n: usize, direction: Direction) -> Result<Long<T>> {
        let first = (1..=n.isqrt()).rev().find(|&d| n.is_multiple_of(d)).unwrap_or(1);
        if n / first > UNEVEN * first {
            return Ok(Long::Chirp(chirp(n, convolution_length(2 * n - 1), direction)?));
        }
        let mut lanes = vec![T::default(); first * 2 * T::LANES];
        for (k, number) in lanes.chunks_exact_mut(2 * T::LANES).enumerate() {
            for lane in 0..T::LANES {
                [number[lane], number[T::LANES + lane]] = narrow(turned(k * lane, n, direction));
            }
        }
        let (columns, rows) = (T::plan(first, direction)?, T::plan(n / first, direction)?);
        Ok(Long::Split(Split { columns, rows, turns: Turns::new(n, direction), lanes }))
    }

    /// Returns the numbers in its tables.
    pub fn size(&self) -> usize {
        match self {
            Long::Split(split) => split.lanes.len() / 2 + 2 * split.turns.fine.len(),
            Long::Chirp(chirp) => chirp.factors.len() + chirp.kernel.len(),
        }
    }
}

for_lanes! {
    /// # Safety
    /// The CPU has the features of `L`; `tile` and `lanes` have as many numbers as there are factors.
    unsafe fn turn_numbers = turn_body<L: Lanes>(tile: *mut L::Elem, lanes: *const L::Elem, factors: &[[L::Elem; 2]])
}

#[inline(always)]
unsafe fn turn_body<L: Lanes>(tile: *mut L::Elem, lanes: *const L::Elem, factors: &[[L::Elem; 2]]) {
    for (i, factor) in factors.iter().enumerate() {
        // SAFETY: by the contract of `turn_numbers`.
        unsafe {
            let (at, by) = (tile.add(i * Numbers::<L>::ELEMENTS), lanes.add(i * Numbers::<L>::ELEMENTS));
            Numbers::<L>::load(at).mul(Numbers::load(by).mul(Numbers::splat(factor))).store(at);
        }
    }
}

impl<T: Real> Split<T> {
    fn n(&self) -> usize {
        self.columns.n * self.rows.n
    }

    /// Turns the numbers of a tile of columns, which begin with column `first`. `factors` is room for a factor of each row.
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    pub unsafe fn turn<L: Lanes<Elem = T>>(&self, first: usize, factors: &mut Vec<[T; 2]>, numbers: &mut [T]) {
        let rows = self.columns.n;
        assert!(numbers.len() >= rows * Numbers::<L>::ELEMENTS && self.lanes.len() >= rows * Numbers::<L>::ELEMENTS);
        factors.clear();
        // Rows times columns are less than n.
        factors.extend((0..rows).map(|k| narrow::<T>(self.turns.get(k * first))));
        // SAFETY: by this function's contract; the numbers as just checked.
        unsafe { turn_numbers::<L>(numbers.as_mut_ptr(), self.lanes.as_ptr(), factors) }
    }
}

/// Transforms the rows of matrices, which become columns of the results.
struct TransposedRows<'a, 'p, T> {
    split: &'a Split<T>,
    from: &'a [T],
    numbers: Range<usize>,
    pieces: Pieces<'p, T>,
    scale: Scale<T>,
}

impl<T: Real> Job<T> for TransposedRows<'_, '_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(mut self) {
        let (plan, count) = (&*self.split.rows, self.split.columns.n);
        let per_matrix = count.div_ceil(L::N);
        let mut tile = Tile::new(plan.room());
        for number in self.numbers {
            let Some(mut piece) = self.pieces.piece(number) else { continue };
            let (rows, stride) = (piece.columns() / 2, 2 * plan.n);
            let first = (number / per_matrix * count + number % per_matrix * L::N) * stride;
            let to = Strided { first: piece.as_mut_ptr(), stride: 2 * count };
            // SAFETY: by the contract of `Job::run`; a piece has as many rows as a transform has numbers.
            unsafe {
                read_rows::<L>(&mut tile, &self.from[first..], stride, (rows, stride), Kind::Complex);
                transform::<L>(plan, &mut tile);
                scale_tile::<L>(&mut tile, plan.n, self.scale);
                write_columns::<L>(&mut tile, to, (plan.n, rows));
            }
        }
    }
}

/// Returns room for as many elements as `like` has.
pub(super) fn room<T: Real>(elements: usize) -> Result<Tensor> {
    Tensor::new(T::DTYPE, [elements])
}

fn by_split<T: Real>(
    threads: Threads,
    from: Option<&[T]>,
    to: &mut [T],
    split: &Split<T>,
    scale: Scale<T>,
) -> Result<()> {
    let mut between = room::<T>(to.len())?;
    let between = between.slice_mut::<T>()?;
    let (columns, rows) = (&*split.columns, &*split.rows);
    of_columns(threads, Some(from.unwrap_or(to)), between, (columns, rows.n), Scale::None, Some(split))?;
    let from = &*between;
    let groups = Columns::new(to, (rows.n, 2 * columns.n), 2 * T::LANES);
    let block = (BLOCK / (2 * T::LANES * rows.n)).max(1);
    try_for_rows_mut(threads, groups.count(), block, groups, |numbers, pieces| {
        T::run(TransposedRows { split, from, numbers, pieces, scale });
    })?;
    Ok(())
}

/// Multiplies each of `from` by its factor, and writes it, or its conjugate, to `to`.
fn multiplied<T: Real>(
    threads: Threads,
    from: &[T],
    to: &mut [T],
    factors: &[[T; 2]],
    conjugate: (bool, bool),
) -> Result<()> {
    try_for_chunks_mut(threads, to, BLOCK, |start, to| {
        let parts = from[start..].as_chunks::<2>().0.iter().zip(&factors[start / 2..]);
        for (to, (&[re, im], &[cos, sin])) in to.as_chunks_mut::<2>().0.iter_mut().zip(parts) {
            let im = if conjugate.0 { -im } else { im };
            let product = [re * cos - im * sin, re * sin + im * cos];
            *to = if conjugate.1 { [product[0], -product[1]] } else { product };
        }
    })?;
    Ok(())
}

fn by_chirp<T: Real>(
    threads: Threads,
    from: Option<&[T]>,
    to: &mut [T],
    chirp: &Chirp<T>,
    scale: Scale<T>,
) -> Result<()> {
    let (n, m) = (chirp.factors.len(), chirp.kernel.len());
    let (mut spread, mut product) = (room::<T>(2 * m)?, room::<T>(2 * m)?);
    let (spread, product) = (spread.slice_mut::<T>()?, product.slice_mut::<T>()?);
    for (row, to) in to.chunks_exact_mut(2 * n).enumerate() {
        let from = from.map_or(&*to, |from| &from[row * 2 * n..(row + 1) * 2 * n]);
        spread[2 * n..].fill(T::default());
        multiplied(threads, from, &mut spread[..2 * n], &chirp.factors, (false, false))?;
        super::of_rows(threads, None, spread, m, Direction::Forward, Scale::None)?;
        multiplied(threads, spread, product, &chirp.kernel, (false, true))?;
        super::of_rows(threads, None, product, m, Direction::Forward, Scale::None)?;
        multiplied(threads, &product[..2 * n], to, &chirp.factors, (true, false))?;
        match scale {
            Scale::None => {}
            Scale::Real(factor) => to.iter_mut().for_each(|x| *x = *x * factor),
            Scale::Complex(factor) => {
                for number in to.as_chunks_mut::<2>().0 {
                    let product = scaled(Complex::new(number[0], number[1]), factor);
                    *number = [product.re, product.im];
                }
            }
        }
    }
    Ok(())
}

/// Transforms rows as `of_rows` does.
pub(super) fn rows<T: Real>(
    threads: Threads,
    from: Option<&[T]>,
    to: &mut [T],
    n: usize,
    direction: Direction,
    scale: Scale<T>,
) -> Result<()> {
    match &*T::long(n, direction)? {
        Long::Split(split) => {
            debug_assert_eq!(split.n(), n);
            by_split(threads, from, to, split, scale)
        }
        Long::Chirp(chirp) => by_chirp(threads, from, to, chirp, scale),
    }
}
