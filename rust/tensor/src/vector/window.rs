//! What pooling does to the rows of a window: their largest and their mean, and gradients back to the rows.
//!
//! Everything goes element by element across the rows of a window.

use super::arg_extreme::Ordered;
use super::isa::{Isa, for_each_isa};
use half::{bf16, f16};

/// Elements whose running values fit in registers.
const LANES: usize = 32;

/// The rows of one window after another: the first window's start at `starts`, the next one's `step` further on.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub starts: &'a [usize],
    pub step: usize,
    /// Elements of a row.
    pub len: usize,
}

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
pub fn max_of_rows<T: Pooled>(x: &[T], run: Run<'_>, out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_max::<T>(Isa::current())(x, run, out) }
}

/// Adds the gradient `g` of each maximum to the first place that has it, where that place is in `gx`, the part of a
/// gradient from element `base` on.
pub fn add_to_first_max<T: Pooled>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_give::<T>(Isa::current())(x, run, g, base, gx) }
}

/// `add_to_first_max` to zeros that need not have been written, for windows that share no element: writes every element
/// of their rows.
pub fn put_to_first_max<T: Pooled>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_put::<T>(Isa::current())(x, run, g, base, gx) }
}

/// Adds the gradient `g` to every place whose element is near `y` and that is in `gx`, the part of a gradient from
/// element `base` on.
pub fn add_to_every_max<T: Pooled>(x: &[T], y: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_give_all::<T>(Isa::current())(x, y, run, g, base, gx) }
}

/// The elements of `from` at the first places of the maxima of `x`.
pub fn take_from_first_max<T: Pooled>(x: &[T], run: Run<'_>, from: &[T], out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_take::<T>(Isa::current())(x, run, from, out) }
}

/// The mean of the rows.
pub fn mean_of_rows<T: Averaged>(x: &[T], run: Run<'_>, out: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_mean::<T>(Isa::current())(x, run, out) }
}

/// Adds an equal part of `g` to every row that is in `gx`, the part of a gradient from element `base` on.
pub fn add_to_rows<T: Averaged>(run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_spread::<T>(Isa::current())(run, g, base, gx) }
}

/// Element by element the larger of `best` and `row`; NaNs are passed over.
#[inline(always)]
fn raise<T: Pooled>(best: &mut [T], row: &[T]) {
    for (m, &v) in best.iter_mut().zip(row) {
        *m = if T::is_less(*m, v) { v } else { *m };
    }
}

/// Whether `v` is the place of the maximum `m`, which a NaN can only be at the first place.
#[inline(always)]
fn is_hit<T: Pooled>(v: T, m: T) -> bool {
    T::is_same(v, m) | !T::is_same(m, m)
}

/// Gives what is left to the elements that are maxima: added to `to`, or instead of it where that is fresh.
#[inline(always)]
fn give_row<T: Pooled, const FRESH: bool>(to: &mut [T], row: &[T], best: &[T], left: &mut [T]) {
    for (((to, &v), &m), left) in to.iter_mut().zip(row).zip(best).zip(left) {
        let hit = is_hit(v, m);
        let share = if hit { *left } else { T::default() };
        *to = if FRESH { share } else { to.plus(share) };
        *left = if hit { T::default() } else { *left };
    }
}

#[inline(always)]
fn take_row<T: Pooled>(out: &mut [T], row: &[T], best: &[T], values: &[T]) {
    for (((out, &v), &m), &value) in out.iter_mut().zip(row).zip(best).zip(values) {
        *out = if is_hit(v, m) { value } else { *out };
    }
}

/// The first `LANES` elements of a slice that has them.
#[inline(always)]
fn block<T>(x: &[T]) -> &[T; LANES] {
    match x.first_chunk() {
        Some(block) => block,
        None => unreachable!("a block was not whole"),
    }
}

#[inline(always)]
fn block_mut<T>(x: &mut [T]) -> &mut [T; LANES] {
    match x.first_chunk_mut() {
        Some(block) => block,
        None => unreachable!("a block was not whole"),
    }
}

/// The `len` elements from `start` on of what `gx` is a part of; none where they lie outside.
#[inline(always)]
fn part<T>(gx: &mut [T], start: usize, base: usize, len: usize) -> Option<&mut [T]> {
    gx.get_mut(start.checked_sub(base)?..)?.get_mut(..len)
}

/// Calls `whole(k, at)` or `rest(k, at, len)` for each block of the elements of each window of a run: the window's number,
/// and where in the rows the block starts. Blocks that are whole have `LANES` elements, which the compiler then knows.
#[inline(always)]
fn by_blocks<C: ?Sized>(
    run: Run<'_>,
    windows: usize,
    context: &mut C,
    whole: impl Fn(&mut C, usize, usize),
    rest: impl Fn(&mut C, usize, usize, usize),
) {
    let blocks = run.len / LANES;
    for k in 0..windows {
        for at in (0..blocks).map(|b| b * LANES) {
            whole(context, k, at);
        }
        if !run.len.is_multiple_of(LANES) {
            rest(context, k, blocks * LANES, run.len % LANES);
        }
    }
}

fn windows_of<T>(run: Run<'_>, cells: &[T]) -> usize {
    cells.len().checked_div(run.len).unwrap_or(0)
}

#[inline(always)]
fn max_loop<T: Pooled>(x: &[T], run: Run<'_>, out: &mut [T]) {
    let windows = windows_of(run, out);
    by_blocks(
        run,
        windows,
        out,
        |out, k, at| {
            let mut best = [T::LOWEST; LANES];
            for start in run.starts {
                raise(&mut best, block(&x[start + k * run.step + at..]));
            }
            *block_mut(&mut out[k * run.len + at..]) = best;
        },
        |out, k, at, len| {
            let out = &mut out[k * run.len + at..][..len];
            out.fill(T::LOWEST);
            for start in run.starts {
                raise(out, &x[start + k * run.step + at..][..len]);
            }
        },
    );
}

/// The maxima that gradients go by: a NaN counts where it comes first.
#[inline(always)]
fn best_of<'a, T: Pooled>(best: &mut [T], starts: &[usize], row: impl Fn(usize) -> &'a [T]) {
    let Some((first, rest)) = starts.split_first() else { return };
    best.copy_from_slice(row(*first));
    for start in rest {
        raise(best, row(*start));
    }
}

#[inline(always)]
fn give<T: Pooled, const FRESH: bool>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    by_blocks(
        run,
        windows_of(run, g),
        gx,
        |gx, k, at| {
            let row = |start: usize| block(&x[start + k * run.step + at..]);
            let mut best = [T::LOWEST; LANES];
            best_of(&mut best, run.starts, |start| row(start).as_slice());
            // What is still to be given: nothing once the first place had it.
            let mut left = *block(&g[k * run.len + at..]);
            for &start in run.starts {
                match part(gx, start + k * run.step + at, base, LANES) {
                    Some(to) => give_row::<T, FRESH>(block_mut(to), row(start), &best, &mut left),
                    None => give_row::<T, true>(&mut [T::default(); LANES], row(start), &best, &mut left),
                }
            }
        },
        |gx, k, at, len| {
            let row = |start: usize| &x[start + k * run.step + at..][..len];
            let (mut best, mut left) = ([T::LOWEST; LANES], [T::default(); LANES]);
            let (best, left) = (&mut best[..len], &mut left[..len]);
            best_of(best, run.starts, row);
            left.copy_from_slice(&g[k * run.len + at..][..len]);
            for &start in run.starts {
                match part(gx, start + k * run.step + at, base, len) {
                    Some(to) => give_row::<T, FRESH>(to, row(start), best, left),
                    None => give_row::<T, true>(&mut [T::default(); LANES], row(start), best, left),
                }
            }
        },
    );
}

#[inline(always)]
fn give_loop<T: Pooled>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    give::<T, false>(x, run, g, base, gx);
}

#[inline(always)]
fn put_loop<T: Pooled>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    give::<T, true>(x, run, g, base, gx);
}

#[inline(always)]
fn give_all_loop<T: Pooled>(x: &[T], y: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    let len = run.len.max(1);
    for (k, (y, g)) in y.chunks_exact(len).zip(g.chunks_exact(len)).enumerate() {
        for start in run.starts {
            let start = start + k * run.step;
            let Some(to) = part(gx, start, base, len) else { continue };
            for (((to, &v), &m), &g) in to.iter_mut().zip(&x[start..][..len]).zip(y).zip(g) {
                *to = if v.is_near(m) { to.plus(g) } else { *to };
            }
        }
    }
}

#[inline(always)]
fn take_loop<T: Pooled>(x: &[T], run: Run<'_>, from: &[T], out: &mut [T]) {
    let windows = windows_of(run, out);
    by_blocks(
        run,
        windows,
        out,
        |out, k, at| {
            let place = |start: usize| start + k * run.step + at;
            let mut best = [T::LOWEST; LANES];
            best_of(&mut best, run.starts, |start| block(&x[place(start)..]).as_slice());
            let out = block_mut(&mut out[k * run.len + at..]);
            // Last to first, so that the first place has the last word.
            for &start in run.starts.iter().rev() {
                take_row(out, block(&x[place(start)..]), &best, block(&from[place(start)..]));
            }
        },
        |out, k, at, len| {
            let place = |start: usize| start + k * run.step + at;
            let mut best = [T::LOWEST; LANES];
            best_of(&mut best[..len], run.starts, |start| &x[place(start)..][..len]);
            let out = &mut out[k * run.len + at..][..len];
            for &start in run.starts.iter().rev() {
                take_row(out, &x[place(start)..][..len], &best, &from[place(start)..][..len]);
            }
        },
    );
}

#[inline(always)]
fn add_row<T: Averaged>(sums: &mut [T], row: &[T]) {
    for (s, &v) in sums.iter_mut().zip(row) {
        *s = s.sum(v);
    }
}

#[inline(always)]
fn mean_loop<T: Averaged>(x: &[T], run: Run<'_>, out: &mut [T]) {
    let windows = windows_of(run, out);
    by_blocks(
        run,
        windows,
        out,
        |out, k, at| {
            let mut sums = [T::default(); LANES];
            for start in run.starts {
                add_row(&mut sums, block(&x[start + k * run.step + at..]));
            }
            *block_mut(&mut out[k * run.len + at..]) = sums.map(|s| s.share(run.starts.len()));
        },
        |out, k, at, len| {
            let out = &mut out[k * run.len + at..][..len];
            out.fill(T::default());
            for start in run.starts {
                add_row(out, &x[start + k * run.step + at..][..len]);
            }
            out.iter_mut().for_each(|o| *o = o.share(run.starts.len()));
        },
    );
}

#[inline(always)]
fn spread_loop<T: Averaged>(run: Run<'_>, g: &[T], base: usize, gx: &mut [T]) {
    let share = T::part(run.starts.len());
    let give = |to: &mut [T], g: &[T]| {
        for (to, &g) in to.iter_mut().zip(g) {
            *to = to.sum(g.times(share));
        }
    };
    by_blocks(
        run,
        windows_of(run, g),
        gx,
        |gx, k, at| {
            for start in run.starts {
                if let Some(to) = part(gx, start + k * run.step + at, base, LANES) {
                    give(block_mut(to), block(&g[k * run.len + at..]));
                }
            }
        },
        |gx, k, at, len| {
            for start in run.starts {
                if let Some(to) = part(gx, start + k * run.step + at, base, len) {
                    give(to, &g[k * run.len + at..][..len]);
                }
            }
        },
    );
}

for_each_isa!(pick_max = max_loop<T: Pooled>(x: &[T], run: Run<'_>, out: &mut [T]));
for_each_isa!(pick_give = give_loop<T: Pooled>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]));
for_each_isa!(pick_put = put_loop<T: Pooled>(x: &[T], run: Run<'_>, g: &[T], base: usize, gx: &mut [T]));
for_each_isa!(pick_give_all = give_all_loop<T: Pooled>(x: &[T], y: &[T], run: Run<'_>, g: &[T], base: usize,
    gx: &mut [T]));
for_each_isa!(pick_take = take_loop<T: Pooled>(x: &[T], run: Run<'_>, from: &[T], out: &mut [T]));
for_each_isa!(pick_mean = mean_loop<T: Averaged>(x: &[T], run: Run<'_>, out: &mut [T]));
for_each_isa!(pick_spread = spread_loop<T: Averaged>(run: Run<'_>, g: &[T], base: usize, gx: &mut [T]));

#[cfg(test)]
mod tests {
    use super::*;

    const STARTS: [usize; 3] = [0, 70, 140];
    const RUN: Run<'static> = Run { starts: &STARTS, step: 35, len: 35 };

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
            unsafe { pick_max::<f32>(isa)(&x, RUN, &mut out) };
            assert_eq!(out, y);
            // SAFETY: as above.
            unsafe { pick_give::<f32>(isa)(&x, RUN, &g, 0, &mut gx) };
            for i in 0..70 {
                let first = STARTS.iter().position(|s| x[s + i] == y[i]);
                for (k, s) in STARTS.iter().enumerate() {
                    assert_eq!(gx[s + i], if Some(k) == first { 1.5 } else { 0.0 });
                }
            }
            let mut put = vec![9.0; 210];
            // SAFETY: as above.
            unsafe { pick_put::<f32>(isa)(&x, RUN, &g, 0, &mut put) };
            assert_eq!(put, gx);
            // SAFETY: as above.
            unsafe { pick_take::<f32>(isa)(&x, RUN, &gx, &mut out) };
            assert_eq!(out, g);
            // SAFETY: as above.
            unsafe { pick_mean::<f32>(isa)(&x, RUN, &mut out) };
            assert_eq!(out[3], (x[3] + x[73] + x[143]) / 3.0);
            // SAFETY: as above.
            unsafe { pick_spread::<f32>(isa)(Run { starts: &STARTS[1..], ..RUN }, &g, 70, &mut gx[70..]) };
            assert!(gx[75] >= 0.75);
            gx.fill(0.0);
            // SAFETY: as above.
            unsafe { pick_give_all::<f32>(isa)(&x, &y, RUN, &g, 0, &mut gx) };
            assert!(x.iter().enumerate().all(|(i, &v)| (gx[i] == 1.5) == (v == y[i % 70])));
        }
    }

    #[test]
    fn a_nan_is_passed_over_and_takes_the_gradient_only_where_it_comes_first() {
        let nan = f32::NAN;
        let (x, mut y) = ([nan, 1.0, 2.0, nan, nan, nan], [0.0; 2]);
        let run = Run { starts: &[0, 2, 4], step: 0, len: 2 };
        max_of_rows(&x, run, &mut y);
        assert_eq!(y, [2.0, 1.0]);
        let mut gx = [0.0; 6];
        add_to_first_max(&x, run, &[1.0, 1.0], 0, &mut gx);
        assert_eq!(gx, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        max_of_rows(&[f32::NEG_INFINITY], Run { starts: &[0], step: 0, len: 1 }, &mut y[..1]);
        assert_eq!(y[0], f32::MIN);
    }
}
