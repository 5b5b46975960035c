//! Discrete Fourier transforms of columns, and of many rows.
//!
//! Sixteen columns (eight of float64) are transformed side by side, one in each lane of a [`tile::Tile`]. Columns are read
//! into a tile, [`passes`] go over it, and the results are written. Bits depend on the column alone.
//!
//! Nothing is scaled unless a factor is given: a transform there and back multiplies by the length.

mod numbers;
mod passes;
mod plan;
mod rows;
mod tile;

pub use plan::Direction;
pub use rows::{RealInverseRowTransform, RealRowTransform, RowTransform};

use crate::gemm::tiled::lanes::{Lanes, Plain};
use crate::threads::{Columns, Pieces, Threads, try_for_rows_mut};
use crate::vector::{Isa, Level};
use crate::{Result, Scalar};
use ferroflow_sync::ProcessMutex;
use num_complex::Complex;
use num_traits::Float;
use plan::Plan;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tile::{Strided, Tile, read_columns, scale, transform, write_columns};

#[cfg(target_arch = "x86_64")]
use crate::gemm::tiled::lanes::Pair;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;
/// The most numbers of a column: with more, a tile leaves the caches.
const LONGEST: usize = 8192;
/// The most numbers of a column where most lanes are empty.
const LONGEST_OF_FEW: usize = 128;
/// Numbers in all tables that are kept; with more, all are made anew.
const KEPT: usize = 1 << 22;

/// Returns `x` times the complex number `(factor, 0)`, as C multiplies complex numbers: an infinity stays one beside a
/// NaN.
pub fn scaled<T: Float>(x: Complex<T>, factor: T) -> Complex<T> {
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
    /// Does the work.
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn run<L: Lanes<Elem = T>>(self);
}

mod kept {
    use super::{Arc, Direction, Isa, Job, Plan};

    /// A type of numbers, and their tables.
    #[allow(private_bounds, private_interfaces, reason = "only this module implements and calls it")]
    pub trait Kept: Sized {
        /// Transforms side by side.
        const LANES: usize;
        fn run_on(isa: Isa, job: impl Job<Self>);
        fn run(job: impl Job<Self>) {
            Self::run_on(Isa::current(), job);
        }
        /// Returns the tables of a length; None if it has a prime factor that is too large.
        fn plan(n: usize, direction: Direction) -> Option<Arc<Plan<Self>>>;
        /// Returns the cosines and sines of the first half of the `n` parts of a turn, and of the half itself.
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
    turns: HashMap<(usize, Direction), Arc<Vec<[T; 2]>>>,
    /// Numbers in them.
    size: usize,
}

impl<T> Tables<T> {
    fn new() -> Tables<T> {
        Tables { plans: HashMap::new(), turns: HashMap::new(), size: 0 }
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

            fn plan(n: usize, direction: Direction) -> Option<Arc<Plan<$t>>> {
                let key = (n, direction);
                if let Some(found) = $tables.lock().as_ref().and_then(|kept| kept.plans.get(&key).cloned()) {
                    return Some(found);
                }
                let made = Arc::new(Plan::new(n, direction)?);
                let mut kept = $tables.lock();
                Tables::with_room(&mut kept, made.size()).plans.insert(key, made.clone());
                Some(made)
            }

            fn turns(n: usize, direction: Direction) -> Arc<Vec<[$t; 2]>> {
                let key = (n, direction);
                if let Some(found) = $tables.lock().as_ref().and_then(|kept| kept.turns.get(&key).cloned()) {
                    return found;
                }
                let made: Vec<_> = (0..=n / 2).map(|k| plan::turned(k, n, direction).map(<$t>::of)).collect();
                let made = Arc::new(made);
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

/// Transforms pieces of columns, a piece at a time in a tile.
struct ColumnPieces<'a, 'p, T> {
    plan: &'a Plan<T>,
    /// The elements of all matrices; None if they are in the pieces.
    from: Option<&'a [T]>,
    numbers: Range<usize>,
    pieces: Pieces<'p, T>,
    /// Elements from one row to the next.
    stride: usize,
    factor: Option<T>,
}

impl<T: Real> Job<T> for ColumnPieces<'_, '_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(mut self) {
        let (n, stride) = (self.plan.n, self.stride);
        let mut tile = Tile::new(n);
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
                if let Some(factor) = self.factor {
                    scale::<L>(&mut tile, factor);
                }
                write_columns::<L>(&mut tile, to, size);
            }
        }
    }
}

/// The transform of columns of one length.
pub struct ColumnTransform<T> {
    plan: Arc<Plan<T>>,
}

impl<T: Real> ColumnTransform<T> {
    /// Returns None for columns that are better transformed one by one. These are very long ones, few long ones, and
    /// lengths with a prime factor above 199.
    ///
    /// Panics: where `n` is 0.
    pub fn new(n: usize, columns: usize, direction: Direction) -> Option<ColumnTransform<T>> {
        assert!(n > 0, "columns have a length");
        let most = if columns >= T::LANES / 2 { LONGEST } else { LONGEST_OF_FEW };
        if n <= most { T::plan(n, direction).map(|plan| ColumnTransform { plan }) } else { None }
    }

    /// Transforms the columns of each row-major matrix of `columns` columns, and multiplies the results by the complex number
    /// (factor, 0). The matrices follow each other in `to`, or in `from` if that is given.
    ///
    /// Errors: `Interrupted` once the watch of this thread says to stop.
    ///
    /// Panics: where `from` and `to` have different lengths.
    pub fn run(
        &self,
        threads: Threads,
        from: Option<&[Complex<T>]>,
        to: &mut [Complex<T>],
        columns: usize,
        factor: Option<T>,
    ) -> Result<()> {
        assert!(from.is_none_or(|from| from.len() == to.len()), "as many numbers as results");
        let (plan, from) = (&*self.plan, from.map(T::parts));
        let groups = Columns::new(T::parts_mut(to), (plan.n, 2 * columns), 2 * T::LANES);
        let block = (BLOCK / (2 * T::LANES * plan.n)).max(1);
        try_for_rows_mut(threads, groups.count(), block, groups, |numbers, pieces| {
            T::run(ColumnPieces { plan, from, numbers, pieces, stride: 2 * columns, factor });
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
