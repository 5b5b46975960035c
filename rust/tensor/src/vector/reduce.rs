//! Sums, products and extremes of slices and of matrix columns, in an order that only the length decides.
//!
//! A slice is cut into blocks of `BLOCK` elements. In a block, element `i` goes to lane `i % LANES` and the lanes are
//! combined as a tree. Blocks are combined pairwise (`split_point`). So a long f32 sum keeps its digits. A caller that
//! cuts at split points and combines the parts gets the bits of one call.

use super::element::Element;
use super::half_types::Half;
use super::isa::{Isa, for_each_isa};
use half::{bf16, f16};
use num_complex::Complex;

/// A reduction, named as its TensorFlow op.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduce {
    Sum,
    Prod,
    /// Passes over NaN, as TF 1.x does; of nothing, the largest value of the type.
    Min,
    /// Passes over NaN, as TF 1.x does; of nothing, the smallest value of the type.
    Max,
}

impl Reduce {
    /// Every reduction, in declaration order.
    pub const ALL: [Reduce; 4] = [Reduce::Sum, Reduce::Prod, Reduce::Min, Reduce::Max];

    /// Returns true if the reduction exists for elements of type `T`; complex numbers have no order.
    pub fn supports<T: Reducible>(self) -> bool {
        T::supports_reduce(self)
    }
}

/// Elements that are folded before their results are combined pairwise.
pub const BLOCK: usize = 4096;
const LANES: usize = 64;
/// Rows that are folded in order before their results are combined pairwise.
const ROW_BLOCK: usize = 64;
/// Most rows of a low matrix.
pub const LOW: usize = ROW_BLOCK;
/// Columns that are folded together, so that their accumulators stay in L1.
const COLUMN_BLOCK: usize = 256;

/// Returns the point at which a reduction of `length` elements is cut in two; `None` for a single block.
pub fn split_point(length: usize) -> Option<usize> {
    cut(length, BLOCK)
}

/// Returns the largest power of two of whole blocks that leaves something.
fn cut(length: usize, block: usize) -> Option<usize> {
    if length <= block {
        return None;
    }
    let blocks = length.div_ceil(block);
    Some((blocks.next_power_of_two() / 2) * block)
}

/// An element type that reductions apply to, with the type that carries their partial results.
pub trait Reducible: Element {
    /// f32 for 16-bit floats, the type itself for the others (integers wrap).
    type Accumulator: Copy + Default + Send + Sync + 'static;

    #[doc(hidden)]
    fn widened(self) -> Self::Accumulator;
    #[doc(hidden)]
    fn narrowed(value: Self::Accumulator) -> Self;
    #[doc(hidden)]
    fn over_count(sum: Self::Accumulator, count: usize) -> Self::Accumulator;
    #[doc(hidden)]
    fn supports_reduce(f: Reduce) -> bool;
    #[doc(hidden)]
    fn combined(f: Reduce, a: Self::Accumulator, b: Self::Accumulator) -> Self::Accumulator;
    #[doc(hidden)]
    fn fold_block(f: Reduce, isa: Isa, x: &[Self]) -> Self::Accumulator;
    #[doc(hidden)]
    fn fold_short(f: Reduce, isa: Isa, x: &[Self], n: usize, out: &mut [Self]);
    #[doc(hidden)]
    fn fold_rows(f: Reduce, isa: Isa, rows: &[Self], stride: usize, out: &mut [Self::Accumulator]);
    #[doc(hidden)]
    fn fold_low(f: Reduce, isa: Isa, x: &[Self], size: (usize, usize), out: &mut [Self]);
}

/// Combines all elements by `f`; panics if `f` does not support `T`.
pub fn reduce_slice<T: Reducible>(f: Reduce, x: &[T]) -> T {
    T::narrowed(reduce_slice_wide(f, x))
}

/// Returns `reduce_slice` before its rounding to `T`, to be combined with those of other parts.
pub fn reduce_slice_wide<T: Reducible>(f: Reduce, x: &[T]) -> T::Accumulator {
    reduce_slice_wide_with(Isa::current(), f, x)
}

/// Runs `reduce_slice_wide` on a given instruction set.
pub fn reduce_slice_wide_with<T: Reducible>(isa: Isa, f: Reduce, x: &[T]) -> T::Accumulator {
    assert!(f.supports::<T>(), "{f:?} does not exist for {}", std::any::type_name::<T>());
    pairwise(isa, f, x)
}

/// Rows of up to this many elements may be reduced together.
pub const SHORT_ROW: usize = LANES;

/// Reduces each row of `n` elements to the bits of `reduce_slice`; many rows are reduced together.
///
/// Panics if `n` is zero or above `SHORT_ROW`, if `x` does not have a row for each of `out`, or `f` does not support `T`.
pub fn reduce_short_rows<T: Reducible>(f: Reduce, x: &[T], n: usize, out: &mut [T]) {
    reduce_short_rows_with(Isa::current(), f, x, n, out);
}

/// Runs `reduce_short_rows` on a given instruction set.
pub fn reduce_short_rows_with<T: Reducible>(isa: Isa, f: Reduce, x: &[T], n: usize, out: &mut [T]) {
    assert!(f.supports::<T>(), "{f:?} does not exist for {}", std::any::type_name::<T>());
    assert!((1..=SHORT_ROW).contains(&n) && x.len() == n * out.len(), "rows of {n} elements");
    // A product with a complex one is not exact for infinities: the number of these products counts.
    if f == Reduce::Prod {
        for (out, row) in out.iter_mut().zip(x.chunks_exact(n)) {
            *out = T::narrowed(T::fold_block(f, isa, row));
        }
        return;
    }
    T::fold_short(f, isa, x, n, out);
}

fn pairwise<T: Reducible>(isa: Isa, f: Reduce, x: &[T]) -> T::Accumulator {
    match split_point(x.len()) {
        None => T::fold_block(f, isa, x),
        Some(middle) => {
            let (left, right) = x.split_at(middle);
            T::combined(f, pairwise(isa, f, left), pairwise(isa, f, right))
        }
    }
}

/// Returns two partial results as one; the left one comes first in the slice.
pub fn combine<T: Reducible>(f: Reduce, left: T::Accumulator, right: T::Accumulator) -> T::Accumulator {
    T::combined(f, left, right)
}

/// Returns the mean of the elements; of integers, rounded to zero (and zero of nothing); NaN of no floats.
pub fn mean_slice<T: Reducible>(x: &[T]) -> T {
    mean_of_sum(reduce_slice_wide(Reduce::Sum, x), x.len())
}

/// Returns the mean of `count` elements whose sum is `sum`.
pub fn mean_of_sum<T: Reducible>(sum: T::Accumulator, count: usize) -> T {
    T::narrowed(T::over_count(sum, count))
}

/// Combines each column of the row-major matrix `rows` (`acc.len()` columns) into `acc`: `acc[j] = f(acc[j], column j)`.
///
/// Panics if the rows are not whole or `f` does not support `T`.
pub fn reduce_rows_into<T: Reducible>(f: Reduce, acc: &mut [T], rows: &[T]) {
    reduce_rows_into_with(Isa::current(), f, acc, rows);
}

/// Runs `reduce_rows_into` on a given instruction set.
pub fn reduce_rows_into_with<T: Reducible>(isa: Isa, f: Reduce, acc: &mut [T], rows: &[T]) {
    assert!(f.supports::<T>(), "{f:?} does not exist for {}", std::any::type_name::<T>());
    let columns = acc.len();
    if columns == 0 || rows.is_empty() {
        return;
    }
    assert_eq!(rows.len() % columns, 0, "the last row is not whole");
    let mut result = [T::Accumulator::default(); COLUMN_BLOCK];
    for (block, acc) in acc.chunks_mut(COLUMN_BLOCK).enumerate() {
        let result = &mut result[..acc.len()];
        pairwise_rows(isa, f, &rows[block * COLUMN_BLOCK..], columns, result);
        for (a, r) in acc.iter_mut().zip(result) {
            *a = T::narrowed(T::combined(f, a.widened(), *r));
        }
    }
}

/// Reduces the columns of each matrix of `x` to a row of `out`. The matrices have `columns` columns and at most [`LOW`]
/// rows. The bits are those of `reduce_rows_into` for rows that held the result of nothing.
///
/// # Panics
/// If the reduction does not exist for `T`, there are no elements, or `x` and `out` do not have the same number of matrices.
pub fn reduce_low_matrices<T: Reducible>(f: Reduce, x: &[T], (rows, columns): (usize, usize), out: &mut [T]) {
    reduce_low_matrices_with(Isa::current(), f, x, (rows, columns), out);
}

/// Reduces as `reduce_low_matrices`, with an instruction set.
pub fn reduce_low_matrices_with<T: Reducible>(isa: Isa, f: Reduce, x: &[T], size: (usize, usize), out: &mut [T]) {
    assert!(f.supports::<T>(), "{f:?} does not exist for {}", std::any::type_name::<T>());
    assert!((1..=LOW).contains(&size.0) && size.1 > 0, "matrices of {size:?}");
    assert_eq!(x.len(), out.len() * size.0, "not as many matrices as results");
    T::fold_low(f, isa, x, size, out);
}

/// Reduces rows pairwise. The rows begin `stride` apart; the last one may end with the block's last column.
fn pairwise_rows<T: Reducible>(isa: Isa, f: Reduce, rows: &[T], stride: usize, out: &mut [T::Accumulator]) {
    match cut(rows.len().div_ceil(stride), ROW_BLOCK) {
        None => T::fold_rows(f, isa, rows, stride, out),
        Some(middle) => {
            let (above, below) = rows.split_at(middle * stride);
            pairwise_rows(isa, f, above, stride, out);
            let mut lower = [T::Accumulator::default(); COLUMN_BLOCK];
            let lower = &mut lower[..out.len()];
            pairwise_rows(isa, f, below, stride, lower);
            for (o, l) in out.iter_mut().zip(lower) {
                *o = T::combined(f, *o, *l);
            }
        }
    }
}

/// The function that makes one partial result of two.
trait Fold<A> {
    const IDENTITY: A;
    fn of(a: A, b: A) -> A;
}

struct Sum;
struct Prod;
struct Min;
struct Max;

macro_rules! folds {
    ($($t:ty: $a:ident, $b:ident {
        $zero:expr, $sum:expr; $one:expr, $prod:expr; $($largest:expr, $min:expr; $smallest:expr, $max:expr;)?
    })*) => {$(
        impl Fold<$t> for Sum {
            const IDENTITY: $t = $zero;
            #[inline(always)]
            fn of($a: $t, $b: $t) -> $t { $sum }
        }
        impl Fold<$t> for Prod {
            const IDENTITY: $t = $one;
            #[inline(always)]
            fn of($a: $t, $b: $t) -> $t { $prod }
        }
        $(
            impl Fold<$t> for Min {
                const IDENTITY: $t = $largest;
                #[inline(always)]
                fn of($a: $t, $b: $t) -> $t { $min }
            }
            impl Fold<$t> for Max {
                const IDENTITY: $t = $smallest;
                #[inline(always)]
                fn of($a: $t, $b: $t) -> $t { $max }
            }
        )?
    )*};
}

macro_rules! float_folds {
    ($($t:ident),*) => { folds! { $($t: a, b { 0.0, a + b; 1.0, a * b;
        $t::INFINITY, if (b < a) | a.is_nan() { b } else { a };
        $t::NEG_INFINITY, if (a < b) | a.is_nan() { b } else { a };})* } };
}
macro_rules! integer_folds {
    ($($t:ident),*) => { folds! { $($t: a, b { 0, a.wrapping_add(b); 1, a.wrapping_mul(b);
        $t::MAX, if b < a { b } else { a }; $t::MIN, if a < b { b } else { a };})* } };
}
float_folds!(f32, f64);
integer_folds!(i8, i16, i32, i64, u8, u16, u32, u64);
folds! {
    Complex<f32>: a, b { Complex::new(0.0, 0.0), a + b; Complex::new(1.0, 0.0), a * b; }
    Complex<f64>: a, b { Complex::new(0.0, 0.0), a + b; Complex::new(1.0, 0.0), a * b; }
}

#[inline(always)]
fn block_loop<T: Reducible, F: Fold<T::Accumulator>>(x: &[T]) -> T::Accumulator {
    let mut lanes = [F::IDENTITY; LANES];
    let mut groups = x.chunks_exact(LANES);
    for group in &mut groups {
        for i in 0..LANES {
            lanes[i] = F::of(lanes[i], group[i].widened());
        }
    }
    for (lane, v) in lanes.iter_mut().zip(groups.remainder()) {
        *lane = F::of(*lane, v.widened());
    }
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = F::of(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Elements of the rows that are reduced together.
const TOGETHER: usize = 1024;

/// Combines each pair of lanes `WIDTH` apart, of rows that lie one after the other.
#[inline(always)]
fn halve<A: Copy, F: Fold<A>, const WIDTH: usize>(from: &[A], to: &mut [A]) {
    let (to, _) = to.as_chunks_mut::<WIDTH>();
    let (from, _) = from.as_chunks::<WIDTH>();
    let (from, _) = from.as_chunks::<2>();
    for (to, [a, b]) in to.iter_mut().zip(from) {
        for i in 0..WIDTH {
            to[i] = F::of(a[i], b[i]);
        }
    }
}

/// Computes `block_loop` for each row: lanes past the next power of two are identities, which change nothing.
#[inline(always)]
fn short_loop<T: Reducible, F: Fold<T::Accumulator>>(x: &[T], n: usize, out: &mut [T]) {
    let lanes = n.next_power_of_two();
    let together = TOGETHER / lanes;
    let (mut even, mut odd) = ([F::IDENTITY; TOGETHER], [F::IDENTITY; TOGETHER]);
    for (out, x) in out.chunks_mut(together).zip(x.chunks(together * n)) {
        if n == lanes {
            for (to, v) in even.iter_mut().zip(x) {
                *to = F::of(F::IDENTITY, v.widened());
            }
        } else {
            for (to, row) in even.chunks_exact_mut(lanes).zip(x.chunks_exact(n)) {
                for (to, v) in to.iter_mut().zip(row) {
                    *to = F::of(F::IDENTITY, v.widened());
                }
                to[n..].fill(F::IDENTITY);
            }
        }
        let (mut from, mut to) = (&mut even, &mut odd);
        let mut width = lanes / 2;
        while width > 0 {
            let (of, result) = (&from[..2 * width * out.len()], &mut to[..width * out.len()]);
            match width {
                32 => halve::<_, F, 32>(of, result),
                16 => halve::<_, F, 16>(of, result),
                8 => halve::<_, F, 8>(of, result),
                4 => halve::<_, F, 4>(of, result),
                2 => halve::<_, F, 2>(of, result),
                _ => halve::<_, F, 1>(of, result),
            }
            std::mem::swap(&mut from, &mut to);
            width /= 2;
        }
        for (out, v) in out.iter_mut().zip(from.iter()) {
            *out = T::narrowed(*v);
        }
    }
}

#[inline(always)]
fn rows_loop<T: Reducible, F: Fold<T::Accumulator>>(rows: &[T], stride: usize, out: &mut [T::Accumulator]) {
    let columns = out.len();
    out.fill(F::IDENTITY);
    let mut rest = rows;
    // Four rows at a time, as a small tree, so that the accumulators are loaded and stored a quarter as often.
    while rest.len() >= 3 * stride + columns {
        let (a, b) = (&rest[..columns], &rest[stride..stride + columns]);
        let (c, d) = (&rest[2 * stride..2 * stride + columns], &rest[3 * stride..3 * stride + columns]);
        for j in 0..columns {
            let four = F::of(F::of(a[j].widened(), b[j].widened()), F::of(c[j].widened(), d[j].widened()));
            out[j] = F::of(out[j], four);
        }
        rest = rest.get(4 * stride..).unwrap_or(&[]);
    }
    while rest.len() >= columns && columns > 0 {
        for (o, v) in out.iter_mut().zip(rest) {
            *o = F::of(*o, v.widened());
        }
        rest = rest.get(stride..).unwrap_or(&[]);
    }
}

#[inline(always)]
fn low_loop<T: Reducible, F: Fold<T::Accumulator>>(x: &[T], (rows, columns): (usize, usize), out: &mut [T]) {
    for (x, out) in x.chunks_exact(rows * columns).zip(out.chunks_exact_mut(columns)) {
        let mut start = 0;
        while start + 16 <= columns {
            low_columns::<T, F, 16>(x, columns, start, out);
            start += 16;
        }
        while start + 4 <= columns {
            low_columns::<T, F, 4>(x, columns, start, out);
            start += 4;
        }
        for start in start..columns {
            low_columns::<T, F, 1>(x, columns, start, out);
        }
    }
}

/// Computes `N` columns of a matrix as `rows_loop` does, in registers.
#[inline(always)]
fn low_columns<T: Reducible, F: Fold<T::Accumulator>, const N: usize>(
    x: &[T],
    columns: usize,
    start: usize,
    out: &mut [T],
) {
    let mut sums = [F::IDENTITY; N];
    let mut fours = x.chunks_exact(4 * columns);
    for four in &mut fours {
        let row = |i: usize| &four[i * columns + start..i * columns + start + N];
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        for j in 0..N {
            let four = F::of(F::of(a[j].widened(), b[j].widened()), F::of(c[j].widened(), d[j].widened()));
            sums[j] = F::of(sums[j], four);
        }
    }
    for row in fours.remainder().chunks_exact(columns) {
        for (sum, v) in sums.iter_mut().zip(&row[start..start + N]) {
            *sum = F::of(*sum, v.widened());
        }
    }
    for (out, sum) in out[start..start + N].iter_mut().zip(sums) {
        *out = T::narrowed(F::of(F::IDENTITY, sum));
    }
}

macro_rules! reduce_loops {
    ($($t:ty => $accumulator:ty: $widened:expr, $narrowed:expr, $over_count:expr; $($f:ident)*;)*) => {$(
        impl Reducible for $t {
            type Accumulator = $accumulator;

            #[inline(always)]
            fn widened(self) -> $accumulator {
                $widened(self)
            }

            #[inline(always)]
            fn narrowed(value: $accumulator) -> $t {
                $narrowed(value)
            }

            fn over_count(sum: $accumulator, count: usize) -> $accumulator {
                $over_count(sum, count)
            }

            fn supports_reduce(f: Reduce) -> bool {
                matches!(f, $(Reduce::$f)|*)
            }

            fn combined(f: Reduce, a: $accumulator, b: $accumulator) -> $accumulator {
                match f {
                    $(Reduce::$f => $f::of(a, b),)*
                    #[allow(unreachable_patterns)]
                    _ => a,
                }
            }

            fn fold_block(f: Reduce, isa: Isa, x: &[$t]) -> $accumulator {
                match f {
                    // SAFETY: an `Isa` exists only for what this machine has.
                    $(Reduce::$f => unsafe { pick_block::<$t, $f>(isa)(x) },)*
                    #[allow(unreachable_patterns)]
                    _ => <$accumulator>::default(),
                }
            }

            fn fold_short(f: Reduce, isa: Isa, x: &[$t], n: usize, out: &mut [$t]) {
                match f {
                    // SAFETY: an `Isa` exists only for what this machine has.
                    $(Reduce::$f => unsafe { pick_short::<$t, $f>(isa)(x, n, out) },)*
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            }

            fn fold_low(f: Reduce, isa: Isa, x: &[$t], size: (usize, usize), out: &mut [$t]) {
                match f {
                    // SAFETY: an `Isa` exists only for what this machine has.
                    $(Reduce::$f => unsafe { pick_low::<$t, $f>(isa)(x, size, out) },)*
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            }

            fn fold_rows(f: Reduce, isa: Isa, rows: &[$t], stride: usize, out: &mut [$accumulator]) {
                match f {
                    // SAFETY: an `Isa` exists only for what this machine has.
                    $(Reduce::$f => unsafe { pick_rows::<$t, $f>(isa)(rows, stride, out) },)*
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            }
        }
    )*};
}

for_each_isa!(pick_block = block_loop<T: Reducible, F: FoldOf<T>>(x: &[T]) -> T::Accumulator);
for_each_isa!(pick_short = short_loop<T: Reducible, F: FoldOf<T>>(x: &[T], n: usize, out: &mut [T]));
for_each_isa!(pick_low = low_loop<T: Reducible, F: FoldOf<T>>(x: &[T], size: (usize, usize), out: &mut [T]));
for_each_isa!(pick_rows = rows_loop<T: Reducible, F: FoldOf<T>>(rows: &[T], stride: usize, out: &mut [T::Accumulator]));

/// `Fold` of an element type's accumulator, as one name.
trait FoldOf<T: Reducible>: Fold<T::Accumulator> {}
impl<T: Reducible, F: Fold<T::Accumulator>> FoldOf<T> for F {}

macro_rules! native_reductions {
    ($($t:ident),*; $over_count:expr) => { reduce_loops! { $(
        $t => $t: |v: $t| v, |v: $t| v, |sum: $t, count: usize| $over_count(sum, count as $t); Sum Prod Min Max;
    )* } };
}
native_reductions!(f32, f64; |sum, count| sum / count);
macro_rules! integer_reductions {
    ($($t:ident),*) => { reduce_loops! { $(
        $t => $t: |v: $t| v, |v: $t| v, |sum: $t, count: usize| (sum as i128 / (count as i128).max(1)) as $t;
            Sum Prod Min Max;
    )* } };
}
integer_reductions!(i8, i16, i32, i64, u8, u16, u32, u64);
reduce_loops! {
    f16 => f32: Half::to_f32, Half::of_f32, |sum: f32, count: usize| sum / count as f32; Sum Prod Min Max;
    bf16 => f32: Half::to_f32, Half::of_f32, |sum: f32, count: usize| sum / count as f32; Sum Prod Min Max;
    Complex<f32> => Complex<f32>: |v| v, |v| v, |sum: Complex<f32>, count: usize| sum / count as f32; Sum Prod;
    Complex<f64> => Complex<f64>: |v| v, |v| v, |sum: Complex<f64>, count: usize| sum / count as f64; Sum Prod;
}
