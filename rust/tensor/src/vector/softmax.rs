//! Softmax, its logarithm and the cross entropies, row by row: subtract the largest logit, exponentiate, divide.

use super::exp_log::{exp_f32, exp_f64, log_f32, log_f64};
use super::half_types::{narrow, widen};
use super::isa::{Isa, for_each_isa};
use super::reduce::{Reduce, Reducible, reduce_slice_wide_with};
use half::{bf16, f16};

/// A float type that softmax applies to; 16-bit ones compute in f32.
pub trait Logits: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn softmax_rows(isa: Isa, logits: &[Self], classes: usize, out: &mut [Self]);
    #[doc(hidden)]
    fn log_softmax_rows(isa: Isa, logits: &[Self], classes: usize, out: &mut [Self]);
    #[doc(hidden)]
    fn xent_row(isa: Isa, logits: &[Self], labels: &[Self], backprop: &mut [Self]) -> Self;
    #[doc(hidden)]
    fn sparse_xent_row(isa: Isa, logits: &[Self], label: usize, backprop: &mut [Self]) -> Self;
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

/// Returns the cross entropy of a row with the distribution `labels`; writes its gradient by the logits to `backprop`.
///
/// Panics if the lengths differ.
pub fn xent_row<T: Logits>(logits: &[T], labels: &[T], backprop: &mut [T]) -> T {
    assert_eq!(logits.len(), labels.len(), "logits and labels differ in length");
    assert_eq!(logits.len(), backprop.len(), "logits and backprop differ in length");
    T::xent_row(Isa::current(), logits, labels, backprop)
}

/// Returns the cross entropy of a row with the class `label`; writes its gradient by the logits to `backprop`.
///
/// Panics if the lengths differ or there is no such class.
pub fn sparse_xent_row<T: Logits>(logits: &[T], label: usize, backprop: &mut [T]) -> T {
    assert_eq!(logits.len(), backprop.len(), "logits and backprop differ in length");
    assert!(label < logits.len(), "label {label} of {} classes", logits.len());
    T::sparse_xent_row(Isa::current(), logits, label, backprop)
}

fn assert_rows(length: usize, classes: usize, out: usize) {
    assert_eq!(length, out, "logits and output differ in length");
    assert!(length == 0 || (classes > 0 && length.is_multiple_of(classes)), "the last row is not whole");
}

/// The arithmetic that a row needs.
trait Real: Reducible<Accumulator = Self> + std::ops::Sub<Output = Self> + std::ops::Div<Output = Self> {
    const BOTTOM: Self;
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

/// Rows this short are padded to it and handled in registers.
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
    if x.len() <= SHORT {
        // The padding's exponentials are zero.
        let mut v = [T::BOTTOM; SHORT];
        v[..x.len()].copy_from_slice(x);
        let largest = fold_short(v, T::greater);
        for v in &mut v {
            *v = (*v - largest).exponential();
        }
        out.copy_from_slice(&v[..x.len()]);
        return (largest, fold_short(v, T::plus));
    }
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
    for (x, out) in logits.chunks_exact(classes).zip(out.chunks_exact_mut(classes)) {
        let (largest, sum) = exponentials(isa, x, out);
        let log_sum = sum.logarithm();
        for (o, v) in out.iter_mut().zip(x) {
            *o = (*v - largest) - log_sum;
        }
    }
}

#[inline(always)]
fn xent_loop<T: Real>(isa: Isa, logits: &[T], labels: &[T], backprop: &mut [T]) -> T {
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
fn sparse_xent_loop<T: Real>(isa: Isa, logits: &[T], label: usize, backprop: &mut [T], one: T) -> T {
    let (largest, sum) = exponentials(isa, logits, backprop);
    for b in backprop.iter_mut() {
        *b = *b / sum;
    }
    backprop[label] = backprop[label] - one;
    sum.logarithm() - (logits[label] - largest)
}

for_each_isa!(pick_softmax = softmax_loop<T: Real>(isa: Isa, logits: &[T], classes: usize, out: &mut [T]));
for_each_isa!(pick_log_softmax = log_softmax_loop<T: Real>(isa: Isa, logits: &[T], classes: usize, out: &mut [T]));
for_each_isa!(pick_xent = xent_loop<T: Real>(isa: Isa, logits: &[T], labels: &[T], backprop: &mut [T]) -> T);
for_each_isa!(pick_sparse_xent = sparse_xent_loop<T: Real>(isa: Isa, logits: &[T], label: usize, backprop: &mut [T],
    one: T) -> T);

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

            fn xent_row(isa: Isa, logits: &[$t], labels: &[$t], backprop: &mut [$t]) -> $t {
                // SAFETY: an `Isa` exists only for what this machine has.
                unsafe { pick_xent::<$t>(isa)(isa, logits, labels, backprop) }
            }

            fn sparse_xent_row(isa: Isa, logits: &[$t], label: usize, backprop: &mut [$t]) -> $t {
                // SAFETY: an `Isa` exists only for what this machine has.
                unsafe { pick_sparse_xent::<$t>(isa)(isa, logits, label, backprop, 1.0) }
            }
        }
    )*};
}
native_logits!(f32, f64);

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

            fn xent_row(isa: Isa, logits: &[$t], labels: &[$t], backprop: &mut [$t]) -> $t {
                let classes = logits.len();
                let (mut wide, mut wide_labels) = (vec![0.0f32; classes], vec![0.0f32; classes]);
                let mut result = vec![0.0f32; classes];
                widen(isa, logits, &mut wide);
                widen(isa, labels, &mut wide_labels);
                let loss = <f32 as Logits>::xent_row(isa, &wide, &wide_labels, &mut result);
                narrow(isa, &result, backprop);
                <$t as Reducible>::narrowed(loss)
            }

            fn sparse_xent_row(isa: Isa, logits: &[$t], label: usize, backprop: &mut [$t]) -> $t {
                let (mut wide, mut result) = (vec![0.0f32; logits.len()], vec![0.0f32; logits.len()]);
                widen(isa, logits, &mut wide);
                let loss = <f32 as Logits>::sparse_xent_row(isa, &wide, label, &mut result);
                narrow(isa, &result, backprop);
                <$t as Reducible>::narrowed(loss)
            }
        }
    )*};
}
half_logits!(f16, bf16);
