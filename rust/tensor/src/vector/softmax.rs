//! Softmax, its logarithm and the cross entropies, row by row: subtract the largest logit, exponentiate, divide.

use super::exp_log::{exp_f32, exp_f64, log_f32, log_f64};
use super::half_types::{Half, narrow, widen};
use super::isa::{Isa, for_each_isa};
use super::reduce::{Reduce, Reducible, reduce_slice_wide_with};
use crate::transpose::matrix;
use half::{bf16, f16};

/// A float type that softmax applies to; 16-bit ones compute in f32.
pub trait Logits: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn softmax_rows(isa: Isa, logits: &[Self], classes: usize, out: &mut [Self]);
    #[doc(hidden)]
    fn log_softmax_rows(isa: Isa, logits: &[Self], classes: usize, out: &mut [Self]);
    #[doc(hidden)]
    fn xent_rows(isa: Isa, logits: &[Self], labels: &[Self], losses: &mut [Self], backprop: &mut [Self]);
    #[doc(hidden)]
    fn sparse_xent_rows(isa: Isa, logits: &[Self], labels: &[i64], losses: &mut [Self], backprop: &mut [Self]);
}

/// Writes `exp(logits[i]) / sum_j exp(logits[j])` to `out[i]`; panics if the lengths differ.
pub fn softmax_row<T: Logits>(logits: &[T], out: &mut [T]) {
    softmax_rows(logits, logits.len(), out);
}

/// Runs `softmax_row` on each row of `classes` logits; panics if the lengths differ or the last row is not whole.
pub fn softmax_rows<T: Logits>(logits: &[T], classes: usize, out: &mut [T]) {
    assert_rows(logits.len(), classes, out.len());
    T::softmax_rows(Isa::current(), logits, classes, out);
}

/// Writes `logits[i] - ln(sum_j exp(logits[j]))` to `out[i]`; panics if the lengths differ.
pub fn log_softmax_row<T: Logits>(logits: &[T], out: &mut [T]) {
    log_softmax_rows(logits, logits.len(), out);
}

/// Runs `log_softmax_row` on each row of `classes` logits; panics if the lengths differ or the last row is not whole.
pub fn log_softmax_rows<T: Logits>(logits: &[T], classes: usize, out: &mut [T]) {
    assert_rows(logits.len(), classes, out.len());
    T::log_softmax_rows(Isa::current(), logits, classes, out);
}

/// Writes the cross entropy of each row with its distribution in `labels` to `losses`, and its gradient by the logits to
/// `backprop`. There are as many rows as losses.
///
/// Panics if the lengths do not fit.
pub fn xent_rows<T: Logits>(logits: &[T], labels: &[T], losses: &mut [T], backprop: &mut [T]) {
    assert_eq!(logits.len(), labels.len(), "logits and labels differ in length");
    assert_losses(logits.len(), losses.len(), backprop.len());
    if !logits.is_empty() {
        T::xent_rows(Isa::current(), logits, labels, losses, backprop);
    }
}

/// Writes the cross entropy of each row with its class in `labels` to `losses`, and its gradient by the logits to
/// `backprop`. There are as many rows as losses.
///
/// Panics if the lengths do not fit or there is no such class.
pub fn sparse_xent_rows<T: Logits>(logits: &[T], labels: &[i64], losses: &mut [T], backprop: &mut [T]) {
    assert_eq!(losses.len(), labels.len(), "losses and labels differ in length");
    assert_losses(logits.len(), losses.len(), backprop.len());
    if !logits.is_empty() {
        let classes = (logits.len() / losses.len()) as i64;
        assert!(labels.iter().all(|label| (0..classes).contains(label)), "a label is none of {classes} classes");
        T::sparse_xent_rows(Isa::current(), logits, labels, losses, backprop);
    }
}

fn assert_losses(length: usize, losses: usize, backprop: usize) {
    assert_eq!(length, backprop, "logits and backprop differ in length");
    assert!(length == 0 || (losses > 0 && length.is_multiple_of(losses)), "the last row is not whole");
}

fn assert_rows(length: usize, classes: usize, out: usize) {
    assert_eq!(length, out, "logits and output differ in length");
    assert!(length == 0 || (classes > 0 && length.is_multiple_of(classes)), "the last row is not whole");
}

/// The arithmetic that a row needs.
trait Real: Reducible<Accumulator = Self> + std::ops::Sub<Output = Self> + std::ops::Div<Output = Self> {
    const BOTTOM: Self;
    const ONE: Self;
    fn exponential(self) -> Self;
    fn logarithm(self) -> Self;
    fn inverse(self) -> Self;
    fn greater(a: Self, b: Self) -> Self;
    fn plus(a: Self, b: Self) -> Self;
    fn times(a: Self, b: Self) -> Self;
}

macro_rules! real {
    ($($t:ident: $exp:ident, $log:ident;)*) => {$(
        impl Real for $t {
            const BOTTOM: $t = $t::NEG_INFINITY;
            const ONE: $t = 1.0;
            #[inline(always)]
            fn exponential(self) -> $t { $exp(self) }
            #[inline(always)]
            fn logarithm(self) -> $t { $log(self) }
            #[inline(always)]
            fn inverse(self) -> $t { 1.0 / self }
            #[inline(always)]
            fn greater(a: $t, b: $t) -> $t { if (a < b) | b.is_nan() { b } else { a } }
            #[inline(always)]
            fn plus(a: $t, b: $t) -> $t { a + b }
            #[inline(always)]
            fn times(a: $t, b: $t) -> $t { a * b }
        }
    )*};
}
real! {
    f32: exp_f32, log_f32;
    f64: exp_f64, log_f64;
}

/// Rows that are computed side by side.
const LANES: usize = 16;

/// Rows of up to so many classes are computed side by side: alone, they would leave most of their vectors empty.
const FEW_CLASSES: usize = 32;

/// Reads up to `LANES` rows, a lane for each.
#[inline(always)]
fn read<T: Copy>(rows: &[T], cells: &mut [[T; LANES]]) {
    let classes = cells.len();
    matrix(rows, classes, (rows.len() / classes, classes), cells.as_flattened_mut(), LANES);
}

#[inline(always)]
fn write<T: Copy>(cells: &[[T; LANES]], rows: &mut [T]) {
    let classes = cells.len();
    matrix(cells.as_flattened(), LANES, (classes, rows.len() / classes), rows, classes);
}

/// The memory of up to `LANES` rows: their logits and the exponentials of these, class by class.
type Cells<T> = [[T; LANES]; 2 * FEW_CLASSES];

/// Reads up to `LANES` rows into `x`, and writes `exp(x - largest)` of each lane to `e`; returns the largest and the sum of
/// what is written.
#[inline(always)]
fn exponentials_of_lanes<T: Real>(rows: &[T], x: &mut [[T; LANES]], e: &mut [[T; LANES]]) -> ([T; LANES], [T; LANES]) {
    read(rows, x);
    let (mut largest, mut sum) = ([T::BOTTOM; LANES], [T::default(); LANES]);
    for cell in x.iter() {
        for (largest, v) in largest.iter_mut().zip(cell) {
            *largest = T::greater(*largest, *v);
        }
    }
    for (cell, e) in x.iter().zip(e) {
        for (((v, e), largest), sum) in cell.iter().zip(e).zip(&largest).zip(&mut sum) {
            *e = (*v - *largest).exponential();
            *sum = T::plus(*sum, *e);
        }
    }
    (largest, sum)
}

/// Returns the logarithms of all lanes: a loop that becomes vectors, unlike `map`.
#[inline(always)]
fn logarithms<T: Real>(mut lanes: [T; LANES]) -> [T; LANES] {
    for v in &mut lanes {
        *v = v.logarithm();
    }
    lanes
}

/// Elements that are padded to a whole vector.
const SHORT: usize = 16;

/// Halves the array until one is left.
#[inline(always)]
fn fold_short<T: Copy>(mut v: [T; SHORT], f: impl Fn(T, T) -> T) -> T {
    let mut width = SHORT / 2;
    while width > 0 {
        for i in 0..width {
            v[i] = f(v[i], v[i + width]);
        }
        width /= 2;
    }
    v[0]
}

/// Writes `exp(x[i] - largest)` to `out[i]`; returns the largest and the sum of what is written.
#[inline(always)]
fn exponentials<T: Real>(isa: Isa, x: &[T], out: &mut [T]) -> (T, T) {
    let largest = reduce_slice_wide_with(isa, Reduce::Max, x);
    let whole = x.len() - x.len() % SHORT;
    for (o, v) in out[..whole].iter_mut().zip(&x[..whole]) {
        *o = (*v - largest).exponential();
    }
    let mut rest = [T::BOTTOM; SHORT];
    rest[..x.len() - whole].copy_from_slice(&x[whole..]);
    for v in &mut rest {
        *v = (*v - largest).exponential();
    }
    out[whole..].copy_from_slice(&rest[..x.len() - whole]);
    (largest, reduce_slice_wide_with(isa, Reduce::Sum, out))
}

#[inline(always)]
fn softmax_loop<T: Real>(isa: Isa, logits: &[T], classes: usize, out: &mut [T]) {
    if classes <= FEW_CLASSES {
        let mut cells: Cells<T> = [[T::default(); LANES]; 2 * FEW_CLASSES];
        let (x, e) = cells[..2 * classes].split_at_mut(classes);
        for (rows, out) in logits.chunks(classes * LANES).zip(out.chunks_mut(classes * LANES)) {
            let (_, mut inverse) = exponentials_of_lanes(rows, x, e);
            for sum in &mut inverse {
                *sum = sum.inverse();
            }
            for cell in e.iter_mut() {
                for (v, inverse) in cell.iter_mut().zip(&inverse) {
                    *v = T::times(*v, *inverse);
                }
            }
            write(e, out);
        }
        return;
    }
    for (x, out) in logits.chunks_exact(classes).zip(out.chunks_exact_mut(classes)) {
        let (_, sum) = exponentials(isa, x, out);
        // TF 1.x: a product with the inverse, which takes a fraction of a division's time.
        let inverse = sum.inverse();
        for o in out {
            *o = T::times(*o, inverse);
        }
    }
}

#[inline(always)]
fn log_softmax_loop<T: Real>(isa: Isa, logits: &[T], classes: usize, out: &mut [T]) {
    if classes <= FEW_CLASSES {
        let mut cells: Cells<T> = [[T::default(); LANES]; 2 * FEW_CLASSES];
        let (x, e) = cells[..2 * classes].split_at_mut(classes);
        for (rows, out) in logits.chunks(classes * LANES).zip(out.chunks_mut(classes * LANES)) {
            let (largest, sum) = exponentials_of_lanes(rows, x, e);
            let log_sum = logarithms(sum);
            for (cell, x) in e.iter_mut().zip(&*x) {
                for (((o, v), largest), log_sum) in cell.iter_mut().zip(x).zip(&largest).zip(&log_sum) {
                    *o = (*v - *largest) - *log_sum;
                }
            }
            write(e, out);
        }
        return;
    }
    for (x, out) in logits.chunks_exact(classes).zip(out.chunks_exact_mut(classes)) {
        let (largest, sum) = exponentials(isa, x, out);
        let log_sum = sum.logarithm();
        for (o, v) in out.iter_mut().zip(x) {
            *o = (*v - largest) - log_sum;
        }
    }
}

#[inline(always)]
fn xent_loop<T: Real>(isa: Isa, logits: &[T], labels: &[T], losses: &mut [T], backprop: &mut [T]) {
    let classes = logits.len() / losses.len();
    if classes <= FEW_CLASSES {
        let mut cells: Cells<T> = [[T::default(); LANES]; 2 * FEW_CLASSES];
        let (x, e) = cells[..2 * classes].split_at_mut(classes);
        let mut y = [[T::default(); LANES]; FEW_CLASSES];
        let y = &mut y[..classes];
        let rows = logits.chunks(classes * LANES).zip(labels.chunks(classes * LANES));
        for (((rows, labels), out), losses) in
            rows.zip(backprop.chunks_mut(classes * LANES)).zip(losses.chunks_mut(LANES))
        {
            let (largest, sum) = exponentials_of_lanes(rows, x, e);
            read(labels, y);
            let (log_sum, mut loss) = (logarithms(sum), [T::default(); LANES]);
            for ((x, y), e) in x.iter().zip(&*y).zip(&mut *e) {
                for lane in 0..LANES {
                    let term = T::times(y[lane], log_sum[lane] - (x[lane] - largest[lane]));
                    loss[lane] = T::plus(loss[lane], term);
                    e[lane] = e[lane] / sum[lane] - y[lane];
                }
            }
            losses.copy_from_slice(&loss[..losses.len()]);
            write(e, out);
        }
        return;
    }
    let rows = logits.chunks_exact(classes).zip(labels.chunks_exact(classes));
    for (((x, y), backprop), loss) in rows.zip(backprop.chunks_exact_mut(classes)).zip(losses) {
        *loss = xent_of_row(isa, x, y, backprop);
    }
}

#[inline(always)]
fn xent_of_row<T: Real>(isa: Isa, logits: &[T], labels: &[T], backprop: &mut [T]) -> T {
    let (largest, sum) = exponentials(isa, logits, backprop);
    let log_sum = sum.logarithm();
    let mut lanes = [T::default(); SHORT];
    for ((x, y), b) in logits.chunks(SHORT).zip(labels.chunks(SHORT)).zip(backprop.chunks_mut(SHORT)) {
        for (((lane, x), y), b) in lanes.iter_mut().zip(x).zip(y).zip(b) {
            *lane = T::plus(*lane, T::times(*y, log_sum - (*x - largest)));
            *b = *b / sum - *y;
        }
    }
    fold_short(lanes, T::plus)
}

#[inline(always)]
fn sparse_xent_loop<T: Real>(isa: Isa, logits: &[T], labels: &[i64], losses: &mut [T], backprop: &mut [T]) {
    let classes = logits.len() / losses.len();
    if classes <= FEW_CLASSES {
        let mut cells: Cells<T> = [[T::default(); LANES]; 2 * FEW_CLASSES];
        let (x, e) = cells[..2 * classes].split_at_mut(classes);
        let rows = logits.chunks(classes * LANES).zip(backprop.chunks_mut(classes * LANES));
        for (((rows, out), losses), labels) in rows.zip(losses.chunks_mut(LANES)).zip(labels.chunks(LANES)) {
            let (largest, sum) = exponentials_of_lanes(rows, x, e);
            let log_sum = logarithms(sum);
            for cell in e.iter_mut() {
                for (v, sum) in cell.iter_mut().zip(&sum) {
                    *v = *v / *sum;
                }
            }
            for (lane, (label, loss)) in labels.iter().zip(losses).enumerate() {
                let label = *label as usize;
                e[label][lane] = e[label][lane] - T::ONE;
                *loss = log_sum[lane] - (x[label][lane] - largest[lane]);
            }
            write(e, out);
        }
        return;
    }
    let rows = logits.chunks_exact(classes).zip(backprop.chunks_exact_mut(classes));
    for (((x, backprop), label), loss) in rows.zip(labels).zip(losses) {
        let (label, (largest, sum)) = (*label as usize, exponentials(isa, x, backprop));
        for b in backprop.iter_mut() {
            *b = *b / sum;
        }
        backprop[label] = backprop[label] - T::ONE;
        *loss = sum.logarithm() - (x[label] - largest);
    }
}

for_each_isa!(pick_softmax = softmax_loop<T: Real>(isa: Isa, logits: &[T], classes: usize, out: &mut [T]));
for_each_isa!(pick_log_softmax = log_softmax_loop<T: Real>(isa: Isa, logits: &[T], classes: usize, out: &mut [T]));
for_each_isa!(pick_xent = xent_loop<T: Real>(isa: Isa, logits: &[T], labels: &[T], losses: &mut [T],
    backprop: &mut [T]));
for_each_isa!(pick_sparse_xent = sparse_xent_loop<T: Real>(isa: Isa, logits: &[T], labels: &[i64], losses: &mut [T],
    backprop: &mut [T]));

macro_rules! native_logits {
    ($($t:ident),*) => {$(
        impl Logits for $t {
            fn softmax_rows(isa: Isa, logits: &[$t], classes: usize, out: &mut [$t]) {
                if !logits.is_empty() {
                    // SAFETY: an `Isa` exists only for what this machine has.
                    unsafe { pick_softmax::<$t>(isa)(isa, logits, classes, out) }
                }
            }

            fn log_softmax_rows(isa: Isa, logits: &[$t], classes: usize, out: &mut [$t]) {
                if !logits.is_empty() {
                    // SAFETY: an `Isa` exists only for what this machine has.
                    unsafe { pick_log_softmax::<$t>(isa)(isa, logits, classes, out) }
                }
            }

            fn xent_rows(isa: Isa, logits: &[$t], labels: &[$t], losses: &mut [$t], backprop: &mut [$t]) {
                // SAFETY: an `Isa` exists only for what this machine has.
                unsafe { pick_xent::<$t>(isa)(isa, logits, labels, losses, backprop) }
            }

            fn sparse_xent_rows(isa: Isa, logits: &[$t], labels: &[i64], losses: &mut [$t], backprop: &mut [$t]) {
                // SAFETY: an `Isa` exists only for what this machine has.
                unsafe { pick_sparse_xent::<$t>(isa)(isa, logits, labels, losses, backprop) }
            }
        }
    )*};
}
native_logits!(f32, f64);

fn widened<H: Half>(isa: Isa, x: &[H]) -> Vec<f32> {
    let mut wide = vec![0.0; x.len()];
    widen(isa, x, &mut wide);
    wide
}

macro_rules! half_logits {
    ($($t:ident),*) => {$(
        impl Logits for $t {
            fn softmax_rows(isa: Isa, logits: &[$t], classes: usize, out: &mut [$t]) {
                let mut wide = vec![0.0f32; classes];
                let mut result = vec![0.0f32; classes];
                for (x, out) in logits.chunks_exact(classes.max(1)).zip(out.chunks_exact_mut(classes.max(1))) {
                    widen(isa, x, &mut wide);
                    <f32 as Logits>::softmax_rows(isa, &wide, classes, &mut result);
                    narrow(isa, &result, out);
                }
            }

            fn log_softmax_rows(isa: Isa, logits: &[$t], classes: usize, out: &mut [$t]) {
                let mut wide = vec![0.0f32; classes];
                let mut result = vec![0.0f32; classes];
                for (x, out) in logits.chunks_exact(classes.max(1)).zip(out.chunks_exact_mut(classes.max(1))) {
                    widen(isa, x, &mut wide);
                    <f32 as Logits>::log_softmax_rows(isa, &wide, classes, &mut result);
                    narrow(isa, &result, out);
                }
            }

            fn xent_rows(isa: Isa, logits: &[$t], labels: &[$t], losses: &mut [$t], backprop: &mut [$t]) {
                let (wide_logits, wide_labels) = (widened(isa, logits), widened(isa, labels));
                let (mut wide_losses, mut wide) = (vec![0.0; losses.len()], vec![0.0; logits.len()]);
                <f32 as Logits>::xent_rows(isa, &wide_logits, &wide_labels, &mut wide_losses, &mut wide);
                narrow(isa, &wide_losses, losses);
                narrow(isa, &wide, backprop);
            }

            fn sparse_xent_rows(isa: Isa, logits: &[$t], labels: &[i64], losses: &mut [$t], backprop: &mut [$t]) {
                let (mut wide_losses, mut wide) = (vec![0.0; losses.len()], vec![0.0; logits.len()]);
                <f32 as Logits>::sparse_xent_rows(isa, &widened(isa, logits), labels, &mut wide_losses, &mut wide);
                narrow(isa, &wide_losses, losses);
                narrow(isa, &wide, backprop);
            }
        }
    )*};
}
half_logits!(f16, bf16);
