//! Reductions of the elements of patches (largest, sum, first largest), and their gradients.

use super::element::{Averaged, Pooled};
use crate::vector::isa::{Isa, for_each_isa};
use std::ops::Range;

/// The first elements of a window at one of its places.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub at: usize,
    /// Its place in a second operand.
    pub beside: usize,
    /// The place in the window.
    pub place: u32,
}

/// Windows of one shape, and where results go.
#[derive(Clone, Copy, Debug)]
pub struct Patches<'a> {
    /// The first window.
    pub members: &'a [Member],
    /// Number of windows, `step` elements apart.
    pub count: usize,
    pub step: usize,
    /// Elements at each place, and results of a window.
    pub len: usize,
    /// From the results of a window to those of the next.
    pub result_step: usize,
}

impl<'a> Patches<'a> {
    /// Returns the patch of one window.
    pub fn one(members: &'a [Member], len: usize) -> Patches<'a> {
        Patches { members, count: 1, step: 0, len, result_step: len }
    }
}

/// Writes the largest of each window; NaNs are passed over.
pub fn max_of<T: Pooled>(x: &[T], patches: Patches<'_>, out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_max::<T>(Isa::current())(x, patches, out) }
}

/// Writes the sum of each window.
pub(super) fn sum_of<T: Averaged>(x: &[T], patches: Patches<'_>, out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_sum::<T>(Isa::current())(x, patches, out) }
}

/// Writes the mean of each window.
pub fn mean_of<T: Averaged>(x: &[T], patches: Patches<'_>, out: &mut [T]) {
    share_of(x, patches, patches.members.len(), out);
}

/// Writes the sum of each window over `count`.
pub(super) fn share_of<T: Averaged>(x: &[T], patches: Patches<'_>, count: usize, out: &mut [T]) {
    // Products with powers of two are exact, and faster.
    if count.is_power_of_two() {
        // SAFETY: an `Isa` exists only for what this machine has.
        unsafe { pick_product::<T>(Isa::current())(x, patches, T::part(count), out) }
    } else {
        // SAFETY: as above.
        unsafe { pick_quotient::<T>(Isa::current())(x, patches, T::count(count), out) }
    }
}

/// Writes the place in its window of the first largest element. TF 1.x: a NaN is the largest if it comes first, and
/// passed over elsewhere.
pub fn first_max_of<T: Pooled>(x: &[T], patches: Patches<'_>, places: &mut [u32]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_first_max::<T>(Isa::current())(x, patches, places) }
}

/// Adds each `g` to the first largest element of its window, as `first_max_of` finds it, if that member is `inside` of
/// `gx`. `gx` is the part of a gradient from element `base` on.
pub(super) fn add_to_first_max<T: Pooled>(
    x: &[T],
    patches: Patches<'_>,
    g: &[T],
    inside: Range<usize>,
    base: usize,
    gx: &mut [T],
) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_give::<T>(Isa::current())(x, patches, g, inside, base, gx) }
}

/// Writes all elements of `gx` as `add_to_first_max` would add to zeros. The windows share no element and lie in `gx`,
/// so `gx` may be unwritten before.
pub(super) fn put_to_first_max<T: Pooled>(x: &[T], patches: Patches<'_>, g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_put::<T>(Isa::current())(x, patches, g, base, gx) }
}

/// Writes the sum of the `g` whose `y` is near the element of `x`, which has the layout of the results.
pub(super) fn sum_of_near<T: Pooled>(x: &[T], y: &[T], g: &[T], patches: Patches<'_>, out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_near::<T>(Isa::current())(x, y, g, patches, out) }
}

/// Computes `out = x * factor`.
pub(super) fn scaled<T: Averaged>(x: &[T], factor: T, out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_scaled::<T>(Isa::current())(x, factor, out) }
}

/// Returns the `N` elements from `at` on.
#[inline(always)]
fn block<T, const N: usize>(x: &[T], at: usize) -> &[T; N] {
    match x[at..].first_chunk() {
        Some(block) => block,
        None => unreachable!("a block was not whole"),
    }
}

/// Cuts the results of each window into blocks of a constant size, as large as possible. `$block` computes a block from
/// the elements that lie `$at` after those of the first window.
macro_rules! by_blocks {
    ($patches:ident, $out:ident, |$at:ident, $result:ident| $block:ident::<$($g:ty),*>($($arg:expr),*)) => {
        for window in 0..$patches.count {
            let mut i = 0;
            by_blocks!(@ 64, $patches, $out, window, i, |$at, $result| $block::<$($g),*>($($arg),*));
            by_blocks!(@ 16, $patches, $out, window, i, |$at, $result| $block::<$($g),*>($($arg),*));
            by_blocks!(@ 1, $patches, $out, window, i, |$at, $result| $block::<$($g),*>($($arg),*));
        }
    };
    (@ $n:literal, $patches:ident, $out:ident, $window:ident, $i:ident,
        |$at:ident, $result:ident| $block:ident::<$($g:ty),*>($($arg:expr),*)) => {
        while $patches.len - $i >= $n {
            let ($at, $result) = ($window * $patches.step + $i, $window * $patches.result_step + $i);
            let made: [_; $n] = $block::<$($g,)* $n>($($arg),*);
            $out[$result..][..$n].copy_from_slice(&made);
            $i += $n;
        }
    };
}

#[inline(always)]
fn fold<T: Copy, const N: usize>(x: &[T], p: &Patches<'_>, at: usize, start: T, op: impl Fn(T, T) -> T) -> [T; N] {
    let mut folded = [start; N];
    for member in p.members {
        let elements: &[T; N] = block(x, member.at + at);
        for i in 0..N {
            folded[i] = op(folded[i], elements[i]);
        }
    }
    folded
}

#[inline(always)]
fn max_block<T: Pooled, const N: usize>(x: &[T], p: &Patches<'_>, at: usize) -> [T; N] {
    fold(x, p, at, T::LOWEST, |m, v| if T::is_less(m, v) { v } else { m })
}

#[inline(always)]
fn sum_block<T: Averaged, const N: usize>(x: &[T], p: &Patches<'_>, at: usize) -> [T; N] {
    fold(x, p, at, T::default(), T::sum)
}

#[inline(always)]
fn product_block<T: Averaged, const N: usize>(x: &[T], p: &Patches<'_>, at: usize, factor: T) -> [T; N] {
    let mut sums: [T; N] = sum_block(x, p, at);
    for s in &mut sums {
        *s = s.times(factor);
    }
    sums
}

#[inline(always)]
fn quotient_block<T: Averaged, const N: usize>(x: &[T], p: &Patches<'_>, at: usize, count: T) -> [T; N] {
    let mut sums: [T; N] = sum_block(x, p, at);
    for s in &mut sums {
        *s = s.share(count);
    }
    sums
}

#[inline(always)]
fn first_max_block<T: Pooled, const N: usize>(x: &[T], p: &Patches<'_>, at: usize) -> [u32; N] {
    let Some((first, rest)) = p.members.split_first() else { return [0; N] };
    let (mut best, mut places) = (*block::<T, N>(x, first.at + at), [first.place; N]);
    for member in rest {
        let elements: &[T; N] = block(x, member.at + at);
        for i in 0..N {
            places[i] = if T::is_less(best[i], elements[i]) { member.place } else { places[i] };
        }
        raise(&mut best, elements);
    }
    places
}

#[inline(always)]
fn raise<T: Pooled, const N: usize>(best: &mut [T; N], elements: &[T; N]) {
    for i in 0..N {
        best[i] = if T::is_less(best[i], elements[i]) { elements[i] } else { best[i] };
    }
}

#[inline(always)]
fn give_block<T: Pooled, const FRESH: bool, const N: usize>(
    x: &[T],
    members: &[Member],
    at: usize,
    g: &[T; N],
    inside: &Range<usize>,
    base: usize,
    gx: &mut [T],
) {
    let Some((first, rest)) = members.split_first() else { return };
    let mut best = *block::<T, N>(x, first.at + at);
    for member in rest {
        raise(&mut best, block(x, member.at + at));
    }
    // The gradient still to be given: nothing after the first place had it.
    let mut left = *g;
    for (k, member) in members.iter().enumerate().take(inside.end) {
        let elements: &[T; N] = block(x, member.at + at);
        // The first element is no less than the largest where both are the same, and where both are NaN.
        let is_hit = |v: T, m: T| if k == 0 { !T::is_less(v, m) } else { T::is_same(v, m) };
        if k >= inside.start {
            let to = &mut gx[member.at + at - base..][..N];
            for i in 0..N {
                let share = if is_hit(elements[i], best[i]) { left[i] } else { T::default() };
                to[i] = if FRESH { share } else { to[i].plus(share) };
            }
        }
        for i in 0..N {
            left[i] = if is_hit(elements[i], best[i]) { T::default() } else { left[i] };
        }
    }
}

#[inline(always)]
fn near_block<T: Pooled, const N: usize>(
    x: &[T],
    y: &[T],
    g: &[T],
    p: &Patches<'_>,
    at: usize,
    result: usize,
) -> [T; N] {
    let (mut sums, x): ([T; N], &[T; N]) = ([T::default(); N], block(x, result));
    for member in p.members {
        // Copies: loads that depend on a comparison would stay scalar.
        let (y, g): ([T; N], [T; N]) = (*block(y, member.beside + at), *block(g, member.beside + at));
        for i in 0..N {
            sums[i] = sums[i].plus(if x[i].is_near(y[i]) { g[i] } else { T::default() });
        }
    }
    sums
}

#[inline(always)]
fn max_loop<T: Pooled>(x: &[T], p: Patches<'_>, out: &mut [T]) {
    by_blocks!(p, out, |at, result| max_block::<T>(x, &p, at));
}

#[inline(always)]
fn sum_loop<T: Averaged>(x: &[T], p: Patches<'_>, out: &mut [T]) {
    by_blocks!(p, out, |at, result| sum_block::<T>(x, &p, at));
}

#[inline(always)]
fn product_loop<T: Averaged>(x: &[T], p: Patches<'_>, factor: T, out: &mut [T]) {
    by_blocks!(p, out, |at, result| product_block::<T>(x, &p, at, factor));
}

#[inline(always)]
fn quotient_loop<T: Averaged>(x: &[T], p: Patches<'_>, count: T, out: &mut [T]) {
    by_blocks!(p, out, |at, result| quotient_block::<T>(x, &p, at, count));
}

#[inline(always)]
fn first_max_loop<T: Pooled>(x: &[T], p: Patches<'_>, places: &mut [u32]) {
    by_blocks!(p, places, |at, result| first_max_block::<T>(x, &p, at));
}

#[inline(always)]
fn give<T: Pooled, const FRESH: bool>(
    x: &[T],
    p: &Patches<'_>,
    g: &[T],
    inside: &Range<usize>,
    base: usize,
    gx: &mut [T],
) {
    for window in 0..p.count {
        let (mut i, g) = (0, &g[window * p.result_step..]);
        while i + 64 <= p.len {
            give_block::<T, FRESH, 64>(x, p.members, window * p.step + i, block(g, i), inside, base, gx);
            i += 64;
        }
        while i + 16 <= p.len {
            give_block::<T, FRESH, 16>(x, p.members, window * p.step + i, block(g, i), inside, base, gx);
            i += 16;
        }
        while i < p.len {
            give_block::<T, FRESH, 1>(x, p.members, window * p.step + i, block(g, i), inside, base, gx);
            i += 1;
        }
    }
}

#[inline(always)]
fn give_loop<T: Pooled>(x: &[T], p: Patches<'_>, g: &[T], inside: Range<usize>, base: usize, gx: &mut [T]) {
    give::<T, false>(x, &p, g, &inside, base, gx);
}

#[inline(always)]
fn put_loop<T: Pooled>(x: &[T], p: Patches<'_>, g: &[T], base: usize, gx: &mut [T]) {
    give::<T, true>(x, &p, g, &(0..p.members.len()), base, gx);
}

#[inline(always)]
fn near_loop<T: Pooled>(x: &[T], y: &[T], g: &[T], p: Patches<'_>, out: &mut [T]) {
    by_blocks!(p, out, |at, result| near_block::<T>(x, y, g, &p, at, result));
}

#[inline(always)]
fn scaled_loop<T: Averaged>(x: &[T], factor: T, out: &mut [T]) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = x.times(factor);
    }
}

for_each_isa!(pick_max = max_loop<T: Pooled>(x: &[T], p: Patches<'_>, out: &mut [T]));
for_each_isa!(pick_sum = sum_loop<T: Averaged>(x: &[T], p: Patches<'_>, out: &mut [T]));
for_each_isa!(pick_product = product_loop<T: Averaged>(x: &[T], p: Patches<'_>, factor: T, out: &mut [T]));
for_each_isa!(pick_quotient = quotient_loop<T: Averaged>(x: &[T], p: Patches<'_>, count: T, out: &mut [T]));
for_each_isa!(pick_first_max = first_max_loop<T: Pooled>(x: &[T], p: Patches<'_>, places: &mut [u32]));
for_each_isa!(pick_give = give_loop<T: Pooled>(x: &[T], p: Patches<'_>, g: &[T], inside: Range<usize>, base: usize,
    gx: &mut [T]));
for_each_isa!(pick_put = put_loop<T: Pooled>(x: &[T], p: Patches<'_>, g: &[T], base: usize, gx: &mut [T]));
for_each_isa!(pick_near = near_loop<T: Pooled>(x: &[T], y: &[T], g: &[T], p: Patches<'_>, out: &mut [T]));
for_each_isa!(pick_scaled = scaled_loop<T: Averaged>(x: &[T], factor: T, out: &mut [T]));

/// Checks that all instruction sets of this machine make the same of patches of 77 results.
#[cfg(test)]
pub(super) fn assert_alike_everywhere(x: &[f32], p: Patches<'_>) {
    let g: Vec<f32> = x.iter().map(|v| if v.is_nan() { 1.0 } else { v * 0.1 }).collect();
    let each = |isa| {
        let mut made: [Vec<f32>; 5] = std::array::from_fn(|_| vec![0.0; 77]);
        let [max, sum, product, quotient, near] = &mut made;
        let (mut firsts, mut given, mut scaled) = (vec![0; 77], vec![0.0; x.len()], vec![0.0; x.len()]);
        // SAFETY: only instruction sets that this machine has are passed.
        unsafe {
            pick_max::<f32>(isa)(x, p, max);
            pick_sum::<f32>(isa)(&g, p, sum);
            pick_product::<f32>(isa)(&g, p, 0.3, product);
            pick_quotient::<f32>(isa)(&g, p, 9.0, quotient);
            pick_first_max::<f32>(isa)(x, p, &mut firsts);
            pick_give::<f32>(isa)(x, p, &g, 1..5, 0, &mut given);
            pick_near::<f32>(isa)(&g, &g, &g, p, near);
            pick_scaled::<f32>(isa)(&g, 0.7, &mut scaled);
        }
        let bits = made.map(|v| v.into_iter().map(f32::to_bits).collect::<Vec<_>>());
        (bits, firsts, given, scaled)
    };
    let baseline = each(Isa::BASELINE);
    assert!(baseline.0.iter().all(|made| made.iter().any(|&bits| bits != 0)));
    for isa in Isa::available() {
        assert!(each(isa) == baseline, "{isa:?}");
    }
}
