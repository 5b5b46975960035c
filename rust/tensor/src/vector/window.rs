//! What pooling does to the rows of a window: their largest and their mean, and gradients back to the rows.
//!
//! A row is `len` elements of `x` from one of `starts` on; everything goes element by element across the rows.

use super::arg_extreme::Ordered;
use super::isa::{Isa, for_each_isa};
use half::{bf16, f16};

/// Elements whose running values fit in registers.
const LANES: usize = 32;

/// An element type that is pooled by its maximum.
pub trait Pooled: Ordered + Default {
    /// TF 1.x: the least finite value, and what the maximum of nothing but NaNs and negative infinities is.
    #[doc(hidden)]
    const LOWEST: Self;
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    /// Whether 3-D pooling takes the elements for equal.
    #[doc(hidden)]
    fn is_near(self, other: Self) -> bool;
}

/// TF 1.x: elements of a 3-D window this near to its maximum share in the gradient.
const NEAR: f32 = 1e-5;

macro_rules! pooled_floats {
    ($($t:ident: $near:expr;)*) => {$(
        impl Pooled for $t {
            const LOWEST: $t = $t::MIN;
            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn is_near(self, other: $t) -> bool {
                let near: fn($t, $t) -> bool = $near;
                near(self, other)
            }
        }
    )*};
}
pooled_floats! {
    f32: |a, b| (a - b).abs() < NEAR;
    f64: |a, b| (a - b).abs() < f64::from(NEAR);
    f16: |a, b| (a.to_f32() - b.to_f32()).abs() < NEAR;
    bf16: |a, b| (a.to_f32() - b.to_f32()).abs() < NEAR;
}

macro_rules! pooled_integers {
    ($($t:ident)*) => {$(
        impl Pooled for $t {
            const LOWEST: $t = $t::MIN;
            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn is_near(self, other: $t) -> bool {
                self == other
            }
        }
    )*};
}
pooled_integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// An element type that is pooled by its mean.
pub trait Averaged: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    fn share(self, count: usize) -> Self;
    #[doc(hidden)]
    fn part(count: usize) -> Self;
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
}

macro_rules! averaged {
    ($($t:ident)*) => {$(
        impl Averaged for $t {
            #[inline(always)]
            fn sum(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn share(self, count: usize) -> $t {
                self / count as $t
            }
            #[inline(always)]
            fn part(count: usize) -> $t {
                (1.0 / count as f64) as $t
            }
            #[inline(always)]
            fn times(self, other: $t) -> $t {
                self * other
            }
        }
    )*};
}
averaged!(f32 f64);

/// The largest of the rows; NaNs are passed over.
pub fn max_of_rows<T: Pooled>(x: &[T], starts: &[usize], out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_max::<T>(Isa::current())(x, starts, out) }
}

/// Adds the gradient `g` of each maximum to the first place that has it, where that place is in `gx`, the part of a
/// gradient from element `base` on.
pub fn add_to_first_max<T: Pooled>(x: &[T], starts: &[usize], g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_give::<T>(Isa::current())(x, starts, g, base, gx) }
}

/// Adds the gradient `g` to every place whose element is near `y` and that is in `gx`, the part of a gradient from
/// element `base` on.
pub fn add_to_every_max<T: Pooled>(x: &[T], y: &[T], starts: &[usize], g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_give_all::<T>(Isa::current())(x, y, starts, g, base, gx) }
}

/// The elements of `from` at the first places of the maxima of `x`.
pub fn take_from_first_max<T: Pooled>(x: &[T], starts: &[usize], from: &[T], out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_take::<T>(Isa::current())(x, starts, from, out) }
}

/// The mean of the rows.
pub fn mean_of_rows<T: Averaged>(x: &[T], starts: &[usize], out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_mean::<T>(Isa::current())(x, starts, out) }
}

/// Adds an equal part of `g` to every row that is in `gx`, the part of a gradient from element `base` on.
pub fn add_to_rows<T: Averaged>(starts: &[usize], g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_spread::<T>(Isa::current())(starts, g, base, gx) }
}

#[inline(always)]
fn max_loop<T: Pooled>(x: &[T], starts: &[usize], out: &mut [T]) {
    for (block, out) in out.chunks_mut(LANES).enumerate() {
        let mut best = [T::LOWEST; LANES];
        for start in starts {
            let row = &x[start + block * LANES..][..out.len()];
            for (m, &v) in best.iter_mut().zip(row) {
                *m = if T::is_less(*m, v) { v } else { *m };
            }
        }
        out.copy_from_slice(&best[..out.len()]);
    }
}

/// The maxima that gradients go by: a NaN counts where it comes first.
#[inline(always)]
fn best_of<T: Pooled>(x: &[T], starts: &[usize], at: usize, len: usize) -> [T; LANES] {
    let mut best = [T::LOWEST; LANES];
    for (i, start) in starts.iter().enumerate() {
        let row = &x[start + at..][..len];
        if i == 0 {
            best[..len].copy_from_slice(row);
            continue;
        }
        for (m, &v) in best.iter_mut().zip(row) {
            *m = if T::is_less(*m, v) { v } else { *m };
        }
    }
    best
}

/// Whether `v` is the place of the maximum `m`, which a NaN can only be at the first place.
#[inline(always)]
fn is_hit<T: Pooled>(v: T, m: T) -> bool {
    T::is_same(v, m) | !T::is_same(m, m)
}

/// The `len` elements from `start` on of what `gx` is a part of; none where they lie outside.
#[inline(always)]
fn part<T>(gx: &mut [T], start: usize, base: usize, len: usize) -> Option<&mut [T]> {
    gx.get_mut(start.checked_sub(base)?..)?.get_mut(..len)
}

#[inline(always)]
fn give_loop<T: Pooled>(x: &[T], starts: &[usize], g: &[T], base: usize, gx: &mut [T]) {
    for (block, g) in g.chunks(LANES).enumerate() {
        let at = block * LANES;
        let best = best_of(x, starts, at, g.len());
        // What is still to be given: nothing once the first place had it.
        let mut left = [T::default(); LANES];
        left[..g.len()].copy_from_slice(g);
        for start in starts {
            let row = &x[start + at..][..g.len()];
            let Some(to) = part(gx, start + at, base, g.len()) else {
                for ((&v, &m), left) in row.iter().zip(&best).zip(&mut left) {
                    *left = if is_hit(v, m) { T::default() } else { *left };
                }
                continue;
            };
            for (((to, &v), &m), left) in to.iter_mut().zip(row).zip(&best).zip(&mut left) {
                let hit = is_hit(v, m);
                *to = if hit { to.plus(*left) } else { *to };
                *left = if hit { T::default() } else { *left };
            }
        }
    }
}

#[inline(always)]
fn give_all_loop<T: Pooled>(x: &[T], y: &[T], starts: &[usize], g: &[T], base: usize, gx: &mut [T]) {
    for start in starts {
        let row = &x[*start..][..g.len()];
        let Some(to) = part(gx, *start, base, g.len()) else { continue };
        for (((to, &v), &m), &g) in to.iter_mut().zip(row).zip(y).zip(g) {
            *to = if v.is_near(m) { to.plus(g) } else { *to };
        }
    }
}

#[inline(always)]
fn take_loop<T: Pooled>(x: &[T], starts: &[usize], from: &[T], out: &mut [T]) {
    for (block, out) in out.chunks_mut(LANES).enumerate() {
        let at = block * LANES;
        let best = best_of(x, starts, at, out.len());
        // Last to first, so that the first place has the last word.
        for start in starts.iter().rev() {
            let row = &x[start + at..][..out.len()];
            let values = &from[start + at..][..out.len()];
            for (((out, &v), &m), &value) in out.iter_mut().zip(row).zip(&best).zip(values) {
                *out = if is_hit(v, m) { value } else { *out };
            }
        }
    }
}

#[inline(always)]
fn mean_loop<T: Averaged>(x: &[T], starts: &[usize], out: &mut [T]) {
    for (block, out) in out.chunks_mut(LANES).enumerate() {
        let mut sums = [T::default(); LANES];
        for start in starts {
            for (s, &v) in sums.iter_mut().zip(&x[start + block * LANES..][..out.len()]) {
                *s = s.sum(v);
            }
        }
        for (out, s) in out.iter_mut().zip(sums) {
            *out = s.share(starts.len());
        }
    }
}

#[inline(always)]
fn spread_loop<T: Averaged>(starts: &[usize], g: &[T], base: usize, gx: &mut [T]) {
    let share = T::part(starts.len());
    for start in starts {
        let Some(to) = part(gx, *start, base, g.len()) else { continue };
        for (to, &g) in to.iter_mut().zip(g) {
            *to = to.sum(g.times(share));
        }
    }
}

for_each_isa!(pick_max = max_loop<T: Pooled>(x: &[T], starts: &[usize], out: &mut [T]));
for_each_isa!(pick_give = give_loop<T: Pooled>(x: &[T], starts: &[usize], g: &[T], base: usize, gx: &mut [T]));
for_each_isa!(pick_give_all = give_all_loop<T: Pooled>(x: &[T], y: &[T], starts: &[usize], g: &[T], base: usize,
    gx: &mut [T]));
for_each_isa!(pick_take = take_loop<T: Pooled>(x: &[T], starts: &[usize], from: &[T], out: &mut [T]));
for_each_isa!(pick_mean = mean_loop<T: Averaged>(x: &[T], starts: &[usize], out: &mut [T]));
for_each_isa!(pick_spread = spread_loop<T: Averaged>(starts: &[usize], g: &[T], base: usize, gx: &mut [T]));

#[cfg(test)]
mod tests {
    use super::*;

    const STARTS: [usize; 3] = [0, 70, 140];

    fn rows() -> Vec<f32> {
        (0..210).map(|i| (i * 37 % 11) as f32).collect()
    }

    #[test]
    fn every_instruction_set_gives_the_same() {
        let (x, g) = (rows(), vec![1.5f32; 70]);
        let y: Vec<f32> = (0..70).map(|i| x[i].max(x[i + 70]).max(x[i + 140])).collect();
        for isa in Isa::available() {
            let (mut out, mut gx) = (vec![0.0; 70], vec![0.0; 210]);
            // SAFETY: only sets that this machine has are listed.
            unsafe { pick_max::<f32>(isa)(&x, &STARTS, &mut out) };
            assert_eq!(out, y);
            // SAFETY: as above.
            unsafe { pick_give::<f32>(isa)(&x, &STARTS, &g, 0, &mut gx) };
            for i in 0..70 {
                let first = STARTS.iter().position(|s| x[s + i] == y[i]);
                for (k, s) in STARTS.iter().enumerate() {
                    assert_eq!(gx[s + i], if Some(k) == first { 1.5 } else { 0.0 });
                }
            }
            // SAFETY: as above.
            unsafe { pick_take::<f32>(isa)(&x, &STARTS, &gx, &mut out) };
            assert_eq!(out, g);
            // SAFETY: as above.
            unsafe { pick_mean::<f32>(isa)(&x, &STARTS, &mut out) };
            assert_eq!(out[3], (x[3] + x[73] + x[143]) / 3.0);
            // SAFETY: as above.
            unsafe { pick_spread::<f32>(isa)(&STARTS[1..], &g, 70, &mut gx[70..]) };
            assert!(gx[75] >= 0.75);
            gx.fill(0.0);
            // SAFETY: as above.
            unsafe { pick_give_all::<f32>(isa)(&x, &y, &STARTS, &g, 0, &mut gx) };
            assert!(x.iter().enumerate().all(|(i, &v)| (gx[i] == 1.5) == (v == y[i % 70])));
        }
    }

    #[test]
    fn a_nan_is_passed_over_and_takes_the_gradient_only_where_it_comes_first() {
        let nan = f32::NAN;
        let (x, mut y) = ([nan, 1.0, 2.0, nan, nan, nan], [0.0; 2]);
        max_of_rows(&x, &[0, 2, 4], &mut y);
        assert_eq!(y, [2.0, 1.0]);
        let mut gx = [0.0; 6];
        add_to_first_max(&x, &[0, 2, 4], &[1.0, 1.0], 0, &mut gx);
        assert_eq!(gx, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        max_of_rows(&[f32::NEG_INFINITY], &[0], &mut y[..1]);
        assert_eq!(y[0], f32::MIN);
    }
}
