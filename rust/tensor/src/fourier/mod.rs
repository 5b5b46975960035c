//! Discrete Fourier transforms of rows and of columns.
//!
//! Sixteen rows or columns (eight of float64) are transformed side by side, one in each lane of a [`tile::Tile`]: rows or columns
//! are read into a tile, passes go over it ([`passes`]), and the results are written. A long row is a matrix: its columns
//! are transformed, and then its rows ([`long`]). Bits depend on the length alone: not on the CPU, on the number of threads,
//! or on other rows.
//!
//! Nothing is scaled unless a factor is given: a transform there and back multiplies by the length of the rows.

mod long;
mod numbers;
mod passes;
mod plan;
mod real;
mod tile;

pub use plan::Direction;
pub use real::{real_inverse_rows, real_rows};

use crate::gemm::tiled::lanes::{Lanes, Plain};
use crate::threads::{Columns, Pieces, Threads, try_for_chunks_mut, try_for_rows_mut};
use crate::vector::{Isa, Level};
use crate::{Result, Scalar};
use ferroflow_sync::ProcessMutex;
use long::{Long, Split};
use num_complex::Complex;
use num_traits::Float;
use plan::Plan;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tile::{Kind, Strided, Tile, read_columns, read_rows, scale, transform, write_columns, write_rows};

#[cfg(target_arch = "x86_64")]
use crate::gemm::tiled::lanes::Pair;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;
/// Numbers in all tables that are kept; with more, all are made anew.
const KEPT: usize = 1 << 22;

/// A factor of all results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale<T> {
    None,
    /// A factor of real and imaginary parts.
    Real(T),
    /// A complex factor without an imaginary part. An infinity stays one beside a NaN, as where C multiplies complex numbers.
    Complex(T),
}

/// Returns `x` times the complex number `(factor, 0)`, as C multiplies complex numbers: an infinity stays one beside a
/// NaN.
fn scaled<T: Float>(x: Complex<T>, factor: T) -> Complex<T> {
    let product = |x: Complex<T>| Complex::new(x.re * factor - x.im * T::zero(), x.re * T::zero() + x.im * factor);
    let y = product(x);
    if !(y.re.is_nan() && y.im.is_nan() && (x.re.is_infinite() || x.im.is_infinite())) {
        return y;
    }
    let boxed = |x: T| if x.is_infinite() { x.signum() } else { T::zero() };
    let direction = product(Complex::new(boxed(x.re), boxed(x.im)));
    Complex::new(direction.re * T::infinity(), direction.im * T::infinity())
}

/// Work on lanes.
trait Job<T> {
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn run<L: Lanes<Elem = T>>(self);
}

mod kept {
    use super::{Arc, Direction, Isa, Job, Long, Plan, Result};

    /// What rows of this type are computed with.
    #[allow(private_bounds, private_interfaces, reason = "only this module implements and calls it")]
    pub trait Kept: Sized {
        /// Transforms side by side.
        const LANES: usize;
        fn run_on(isa: Isa, job: impl Job<Self>);
        fn run(job: impl Job<Self>) {
            Self::run_on(Isa::current(), job);
        }
        /// Returns the tables of a length.
        fn plan(n: usize, direction: Direction) -> Result<Arc<Plan<Self>>>;
        /// Returns the tables of a length that is split.
        fn long(n: usize, direction: Direction) -> Result<Arc<Long<Self>>>;
        /// Returns the cosines and sines of the first half of the parts of a turn, and of the half itself.
        fn turns(n: usize, direction: Direction) -> Arc<Vec<[Self; 2]>>;
        fn of(x: f64) -> Self;
        /// Returns the parts of complex numbers, a real part before each imaginary part.
        fn parts(numbers: &[super::Complex<Self>]) -> &[Self];
        fn parts_mut(numbers: &mut [super::Complex<Self>]) -> &mut [Self];
    }
}

/// float32 or float64.
pub trait Real: Float + Scalar + Default + kept::Kept {}
impl Real for f32 {}
impl Real for f64 {}

/// The tables of the lengths met so far.
struct Tables<T> {
    plans: HashMap<(usize, Direction), Arc<Plan<T>>>,
    longs: HashMap<(usize, Direction), Arc<Long<T>>>,
    turns: HashMap<(usize, Direction), Arc<Vec<[T; 2]>>>,
    /// Numbers in them.
    size: usize,
}

impl<T> Tables<T> {
    fn new() -> Tables<T> {
        Tables { plans: HashMap::new(), longs: HashMap::new(), turns: HashMap::new(), size: 0 }
    }

    /// Returns the tables that are kept, after room is made for `size` more numbers.
    fn with_room(kept: &mut Option<Tables<T>>, size: usize) -> &mut Tables<T> {
        let tables = kept.get_or_insert_with(Tables::new);
        if tables.size + size > KEPT {
            *tables = Tables::new();
        }
        tables.size += size;
        tables
    }
}

macro_rules! kept {
    ($($t:ty, $lanes:literal, $tables:ident, $avx512:ty, $avx2:ty;)*) => {$(
        static $tables: ProcessMutex<Option<Tables<$t>>> = ProcessMutex::new(None, || None);

        #[allow(private_bounds, private_interfaces, reason = "as for the trait")]
        impl kept::Kept for $t {
            const LANES: usize = $lanes;

            fn run_on(isa: Isa, job: impl Job<$t>) {
                // SAFETY: an `Isa` exists only for what this machine has.
                unsafe {
                    match isa.level() {
                        #[cfg(target_arch = "x86_64")]
                        Level::Avx512 => job.run::<$avx512>(),
                        #[cfg(target_arch = "x86_64")]
                        Level::Avx2 => job.run::<$avx2>(),
                        _ => job.run::<Plain<$t, $lanes>>(),
                    }
                }
            }

            fn plan(n: usize, direction: Direction) -> Result<Arc<Plan<$t>>> {
                let key = (n, direction);
                if let Some(found) = $tables.lock().as_ref().and_then(|kept| kept.plans.get(&key).cloned()) {
                    return Ok(found);
                }
                let made = Arc::new(Plan::new(n, direction)?);
                let mut kept = $tables.lock();
                Tables::with_room(&mut kept, made.size()).plans.insert(key, made.clone());
                Ok(made)
            }

            fn long(n: usize, direction: Direction) -> Result<Arc<Long<$t>>> {
                let key = (n, direction);
                if let Some(found) = $tables.lock().as_ref().and_then(|kept| kept.longs.get(&key).cloned()) {
                    return Ok(found);
                }
                let made = Arc::new(Long::new(n, direction)?);
                let mut kept = $tables.lock();
                Tables::with_room(&mut kept, made.size()).longs.insert(key, made.clone());
                Ok(made)
            }

            fn turns(n: usize, direction: Direction) -> Arc<Vec<[$t; 2]>> {
                let key = (n, direction);
                if let Some(found) = $tables.lock().as_ref().and_then(|kept| kept.turns.get(&key).cloned()) {
                    return found;
                }
                let made = Arc::new((0..=n / 2).map(|k| plan::narrow(plan::turned(k, n, direction))).collect::<Vec<_>>());
                let mut kept = $tables.lock();
                Tables::with_room(&mut kept, made.len()).turns.insert(key, made.clone());
                made
            }

            fn of(x: f64) -> $t {
                x as $t
            }

            fn parts(numbers: &[Complex<$t>]) -> &[$t] {
                // SAFETY: a complex number is its two parts (`repr(C)`).
                unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), 2 * numbers.len()) }
            }

            fn parts_mut(numbers: &mut [Complex<$t>]) -> &mut [$t] {
                // SAFETY: as in `parts`; the borrow is exclusive.
                unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), 2 * numbers.len()) }
            }
        }
    )*};
}
kept! {
    f32, 16, SINGLE, __m512, Pair<__m256>;
    f64, 8, DOUBLE, __m512d, Pair<__m256d>;
}

/// Returns the rows of `elements` elements of one parallel block, whole tiles.
fn block_rows<T: Real>(elements: usize) -> usize {
    (BLOCK / elements.max(1)).div_ceil(T::LANES).max(1) * T::LANES
}

/// Transforms rows of complex numbers in a tile, a few at a time.
struct Rows<'a, T> {
    plan: &'a Plan<T>,
    /// The rows' elements; None if they are in `to`.
    from: Option<&'a [T]>,
    to: &'a mut [T],
    scale: Scale<T>,
}

impl<T: Real> Job<T> for Rows<'_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(self) {
        let stride = 2 * self.plan.n;
        let mut tile = Tile::new(self.plan.room());
        for (k, to) in self.to.chunks_mut(L::N * stride).enumerate() {
            let size = (to.len() / stride, stride);
            let from = self.from.map_or(&*to, |from| &from[k * L::N * stride..]);
            // SAFETY: by the contract of `Job::run`.
            unsafe {
                read_rows::<L>(&mut tile, from, stride, size, Kind::Complex);
                transform::<L>(self.plan, &mut tile);
                scale::<L>(&mut tile, self.plan.n, self.scale);
                write_rows::<L>(&mut tile, to, stride, size, Kind::Complex);
            }
        }
    }
}

/// Transforms pieces of columns of complex numbers, a piece at a time in a tile.
struct ColumnPieces<'a, 'p, T> {
    plan: &'a Plan<T>,
    /// The elements of all matrices; None if they are in the pieces.
    from: Option<&'a [T]>,
    numbers: Range<usize>,
    pieces: Pieces<'p, T>,
    /// Columns of a matrix.
    columns: usize,
    scale: Scale<T>,
    split: Option<&'a Split<T>>,
}

impl<T: Real> Job<T> for ColumnPieces<'_, '_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(mut self) {
        let (n, stride) = (self.plan.n, 2 * self.columns);
        let mut tile = Tile::new(self.plan.room());
        let mut factors = Vec::new();
        for number in self.numbers {
            let Some(mut piece) = self.pieces.piece(number) else { continue };
            let size = (n, piece.columns() / 2);
            let to = Strided { first: piece.as_mut_ptr(), stride };
            let first = match self.from {
                Some(from) => from[piece.place(0).start..piece.place(n - 1).end].as_ptr(),
                None => to.first.cast_const(),
            };
            // SAFETY: by the contract of `Job::run`; a piece has n rows of its columns, and so has `from`.
            unsafe {
                read_columns::<L>(&mut tile, Strided { first, stride }, size);
                transform::<L>(self.plan, &mut tile);
                if let Some(split) = self.split {
                    let first = number % self.columns.div_ceil(L::N) * L::N;
                    split.turn::<L>(first, &mut factors, tile.numbers());
                }
                scale::<L>(&mut tile, n, self.scale);
                write_columns::<L>(&mut tile, to, size);
            }
        }
    }
}

/// Transforms columns as `columns` does; with `split` each number is turned as between the two halves of a long transform.
fn of_columns<T: Real>(
    threads: Threads,
    from: Option<&[T]>,
    to: &mut [T],
    (plan, columns): (&Plan<T>, usize),
    scale: Scale<T>,
    split: Option<&Split<T>>,
) -> Result<()> {
    assert!(from.is_none_or(|from| from.len() == to.len()), "as many numbers as results");
    let groups = Columns::new(to, (plan.n, 2 * columns), 2 * T::LANES);
    let block = (BLOCK / (2 * T::LANES * plan.n)).max(1);
    try_for_rows_mut(threads, groups.count(), block, groups, |numbers, pieces| {
        T::run(ColumnPieces { plan, from, numbers, pieces, columns, scale, split });
    })?;
    Ok(())
}

/// Transforms the columns of each row-major matrix of `n` rows and `columns` columns of complex numbers. The matrices follow
/// each other in `to`, or in `from` if that is given.
///
/// Errors: `Interrupted` once the watch of this thread says to stop; `ResourceExhausted` without memory.
///
/// Panics: where `from` and `to` have different lengths.
pub fn columns<T: Real>(
    threads: Threads,
    from: Option<&[Complex<T>]>,
    to: &mut [Complex<T>],
    (n, columns): (usize, usize),
    direction: Direction,
    scale: Scale<T>,
) -> Result<()> {
    let plan = T::plan(n, direction)?;
    of_columns(threads, from.map(T::parts), T::parts_mut(to), (&plan, columns), scale, None)
}

/// Transforms rows of `n` complex numbers, in `to`, or in `from` if that is given.
///
/// Errors, panics: as for `columns`.
pub fn rows<T: Real>(
    threads: Threads,
    from: Option<&[Complex<T>]>,
    to: &mut [Complex<T>],
    n: usize,
    direction: Direction,
    scale: Scale<T>,
) -> Result<()> {
    of_rows(threads, from.map(T::parts), T::parts_mut(to), n, direction, scale)
}

fn of_rows<T: Real>(
    threads: Threads,
    from: Option<&[T]>,
    to: &mut [T],
    n: usize,
    direction: Direction,
    scale: Scale<T>,
) -> Result<()> {
    assert!(from.is_none_or(|from| from.len() == to.len()), "as many numbers as results");
    if long::is_long(n) {
        return long::rows(threads, from, to, n, direction, scale);
    }
    let plan = T::plan(n, direction)?;
    let block = block_rows::<T>(2 * n) * 2 * n;
    try_for_chunks_mut(threads, to, block, |start, to| {
        let from = from.map(|from| &from[start..start + to.len()]);
        T::run(Rows { plan: &plan, from, to, scale });
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
