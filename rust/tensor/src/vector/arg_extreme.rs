//! The place of the largest and of the smallest element.

use super::half_types::Half;
use super::isa::{Isa, for_each_isa};
use half::{bf16, f16};

/// An element type with an order, a bottom and a top.
pub trait Ordered: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const BOTTOM: Self;
    #[doc(hidden)]
    const TOP: Self;
    #[doc(hidden)]
    fn is_less(a: Self, b: Self) -> bool;
    #[doc(hidden)]
    fn is_same(a: Self, b: Self) -> bool;
}

macro_rules! ordered {
    ($($t:ident: $bottom:ident, $top:ident;)*) => {$(
        impl Ordered for $t {
            const BOTTOM: $t = $t::$bottom;
            const TOP: $t = $t::$top;
            #[inline(always)]
            fn is_less(a: $t, b: $t) -> bool { a < b }
            #[inline(always)]
            fn is_same(a: $t, b: $t) -> bool { a == b }
        }
    )*};
}
ordered! {
    f32: NEG_INFINITY, INFINITY; f64: NEG_INFINITY, INFINITY;
    i8: MIN, MAX; i16: MIN, MAX; i32: MIN, MAX; i64: MIN, MAX;
    u8: MIN, MAX; u16: MIN, MAX; u32: MIN, MAX; u64: MIN, MAX;
}

macro_rules! ordered_half {
    ($($t:ident),*) => {$(
        impl Ordered for $t {
            const BOTTOM: $t = $t::NEG_INFINITY;
            const TOP: $t = $t::INFINITY;
            #[inline(always)]
            fn is_less(a: $t, b: $t) -> bool { Half::to_f32(a) < Half::to_f32(b) }
            #[inline(always)]
            fn is_same(a: $t, b: $t) -> bool { Half::to_f32(a) == Half::to_f32(b) }
        }
    )*};
}
ordered_half!(f16, bf16);

/// Returns the index of the first largest element; NaNs are passed over, and 0 is the answer where nothing else is.
pub fn arg_max<T: Ordered>(x: &[T]) -> usize {
    arg_max_with(Isa::current(), x)
}

/// Returns the index of the first smallest element; NaNs are passed over, and 0 is the answer where nothing else is.
pub fn arg_min<T: Ordered>(x: &[T]) -> usize {
    arg_min_with(Isa::current(), x)
}

/// Runs `arg_max` on a given instruction set.
pub fn arg_max_with<T: Ordered>(isa: Isa, x: &[T]) -> usize {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_arg_max::<T>(isa)(x) }
}

/// Runs `arg_min` on a given instruction set.
pub fn arg_min_with<T: Ordered>(isa: Isa, x: &[T]) -> usize {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_arg_min::<T>(isa)(x) }
}

/// Finds the place of the first largest element of each column in a row-major matrix. It has up to `ARG_COLUMNS` columns
/// and `rows.0` rows, which are `rows.1` apart.
///
/// Returns false, and no place, if a column has nothing but NaNs and elements as small as can be.
pub fn arg_max_columns<T: Ordered>(x: &[T], rows: (u32, usize), places: &mut [u32]) -> bool {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_arg_max_columns::<T>(Isa::current())(x, rows, places) }
}

/// Finds smallest elements as `arg_max_columns` finds largest ones.
pub fn arg_min_columns<T: Ordered>(x: &[T], rows: (u32, usize), places: &mut [u32]) -> bool {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_arg_min_columns::<T>(Isa::current())(x, rows, places) }
}

/// Finds the extreme, then its first place: two loops that vectorize, unlike one that carries an index.
#[inline(always)]
fn arg_extreme<T: Ordered>(x: &[T], start: T, is_better: impl Fn(T, T) -> bool) -> usize {
    let mut lanes = [start; 32];
    let mut groups = x.chunks_exact(32);
    for group in &mut groups {
        for (best, v) in lanes.iter_mut().zip(group) {
            *best = if is_better(*v, *best) { *v } else { *best };
        }
    }
    let mut best = start;
    for v in lanes.iter().chain(groups.remainder()) {
        best = if is_better(*v, best) { *v } else { best };
    }
    for (block, group) in x.chunks(128).enumerate() {
        let found = group.iter().fold(false, |found, v| found | T::is_same(*v, best));
        if found && let Some(i) = group.iter().position(|v| T::is_same(*v, best)) {
            return block * 128 + i;
        }
    }
    0
}

#[inline(always)]
fn arg_max_loop<T: Ordered>(x: &[T]) -> usize {
    arg_extreme(x, T::BOTTOM, |v, best| T::is_less(best, v))
}

#[inline(always)]
fn arg_min_loop<T: Ordered>(x: &[T]) -> usize {
    arg_extreme(x, T::TOP, |v, best| T::is_less(v, best))
}

/// Columns whose extremes are found together: their values and places stay in registers or the first cache.
pub const ARG_COLUMNS: usize = 64;

/// Keeps the best element of each column and its place, row by row.
#[inline(always)]
fn arg_extreme_columns<T: Ordered>(
    x: &[T],
    (count, stride): (u32, usize),
    places: &mut [u32],
    start: T,
    is_better: impl Fn(T, T) -> bool,
) -> bool {
    let mut best = [start; ARG_COLUMNS];
    let best = &mut best[..places.len()];
    places.fill(0);
    for row in 0..count {
        let x = &x[row as usize * stride..][..best.len()];
        for ((best, place), v) in best.iter_mut().zip(&mut *places).zip(x) {
            let better = is_better(*v, *best);
            *best = if better { *v } else { *best };
            *place = if better { row } else { *place };
        }
    }
    best.iter().all(|best| is_better(*best, start))
}

#[inline(always)]
fn arg_max_columns_loop<T: Ordered>(x: &[T], rows: (u32, usize), places: &mut [u32]) -> bool {
    arg_extreme_columns(x, rows, places, T::BOTTOM, |v, best| T::is_less(best, v))
}

#[inline(always)]
fn arg_min_columns_loop<T: Ordered>(x: &[T], rows: (u32, usize), places: &mut [u32]) -> bool {
    arg_extreme_columns(x, rows, places, T::TOP, |v, best| T::is_less(v, best))
}

for_each_isa!(pick_arg_max = arg_max_loop<T: Ordered>(x: &[T]) -> usize);
for_each_isa!(pick_arg_min = arg_min_loop<T: Ordered>(x: &[T]) -> usize);
for_each_isa!(pick_arg_max_columns = arg_max_columns_loop<T: Ordered>(x: &[T], rows: (u32, usize), places: &mut [u32]) -> bool);
for_each_isa!(pick_arg_min_columns = arg_min_columns_loop<T: Ordered>(x: &[T], rows: (u32, usize), places: &mut [u32]) -> bool);
