//! The passes of a transform over a tile: many transforms of one length, each in a lane of its own.
//!
//! A tile has for each number the real parts of all lanes, and behind them the imaginary parts. A pass of radix R reads
//! a number of each of R parts of its tile. It writes R sums of them next to each other. This is Stockham's order, in
//! which no pass sorts.

use super::numbers::Numbers;
use crate::gemm::tiled::lanes::{Lanes, for_lanes};

/// A pass over a tile.
pub(super) struct Pass<T> {
    pub radix: usize,
    /// Transforms that the passes before have finished: numbers next to each other that have the same factors.
    pub stride: usize,
    /// Groups of `stride` numbers in each of `radix` parts.
    pub groups: usize,
    /// If true, the exponent's sign is positive.
    pub inverse: bool,
    /// The cosine and the sine for every group but the first and every sum but the first.
    pub factors: Vec<[T; 2]>,
    /// For an odd radix: cosines, then sines, of the product of k and j for k and j up to half of it.
    pub terms: Vec<T>,
}

/// The largest radix. The work of a pass grows with it: this one still is no slower than a convolution of single rows.
pub(super) const MAX_RADIX: usize = 199;

/// Returns the transform of four numbers.
#[inline(always)]
unsafe fn four<L: Lanes, const INVERSE: bool>([a, b, c, d]: [Numbers<L>; 4]) -> [Numbers<L>; 4] {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let (even, odd) = (a.add(c), b.add(d));
        let (right, left) = a.sub(c).beside(b.sub(d));
        let (second, fourth) = if INVERSE { (left, right) } else { (right, left) };
        [even.add(odd), second, even.sub(odd), fourth]
    }
}

/// Returns the transform of an odd number of numbers; `half` is half of it, rounded down.
#[inline(always)]
unsafe fn odd<L: Lanes, const R: usize>(x: [Numbers<L>; R], half: usize, terms: *const L::Elem) -> [Numbers<L>; R] {
    // SAFETY: the caller has the features of `L`, and 2 half^2 readable terms.
    unsafe {
        let radix = 2 * half + 1;
        let (mut sums, mut differences) = ([x[0]; R], [x[0]; R]);
        let mut y = x;
        for j in 0..half {
            sums[j] = x[j + 1].add(x[radix - 1 - j]);
            differences[j] = x[j + 1].sub(x[radix - 1 - j]);
            y[0] = y[0].add(sums[j]);
        }
        for k in 0..half {
            let (cosines, sines) = (terms.add(k * half), terms.add((half + k) * half));
            let mut real = sums[0].mul_add(L::splat(cosines), x[0]);
            let mut turned = differences[0].scale(L::splat(sines));
            for j in 1..half {
                real = sums[j].mul_add(L::splat(cosines.add(j)), real);
                turned = differences[j].mul_add(L::splat(sines.add(j)), turned);
            }
            (y[k + 1], y[radix - 1 - k]) = real.beside(turned);
        }
        y
    }
}

/// Runs a pass of a radix whose transform of one group is `$transform` of the numbers `$x`.
macro_rules! each_group {
    ($pass:ident, $from:ident, $to:ident, $lanes:ident, $most:expr, $radix:expr, $x:ident, $transform:expr) => {{
        let number = Numbers::<$lanes>::ELEMENTS;
        let (stride, groups, radix) = ($pass.stride, $pass.groups, $radix);
        for group in 0..groups {
            let factors = $pass.factors.as_ptr().add(group.saturating_sub(1) * (radix - 1));
            for i in 0..stride {
                let from = $from.add((group * stride + i) * number);
                let mut $x = [Numbers::<$lanes>::load(from); $most];
                for t in 1..radix {
                    $x[t] = Numbers::load(from.add(t * groups * stride * number));
                }
                let y = $transform;
                let to = $to.add((group * radix * stride + i) * number);
                y[0].store(to);
                if group == 0 {
                    for t in 1..radix {
                        y[t].store(to.add(t * stride * number));
                    }
                } else {
                    for t in 1..radix {
                        y[t].mul(Numbers::splat(&*factors.add(t - 1))).store(to.add(t * stride * number));
                    }
                }
            }
        }
    }};
}

for_lanes! {
    /// Runs one pass.
    ///
    /// # Safety
    /// The CPU has the features of `L`. `from` and `to` have radix x groups x stride numbers and do not overlap. The pass
    /// has a factor for each group and sum but the first, and the terms of its radix.
    unsafe fn run = run_body<L: Lanes>(pass: &Pass<L::Elem>, from: *const L::Elem, to: *mut L::Elem)
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "t is a number in the formulas")]
unsafe fn run_body<L: Lanes>(pass: &Pass<L::Elem>, from: *const L::Elem, to: *mut L::Elem) {
    let terms = pass.terms.as_ptr();
    // SAFETY: group, i and t number each number of the tiles once.
    unsafe {
        match (pass.radix, pass.inverse) {
            (2, _) => each_group!(pass, from, to, L, 2, 2, x, [x[0].add(x[1]), x[0].sub(x[1])]),
            (3, _) => each_group!(pass, from, to, L, 3, 3, x, odd::<L, 3>(x, 1, terms)),
            (4, false) => each_group!(pass, from, to, L, 4, 4, x, four::<L, false>(x)),
            (4, true) => each_group!(pass, from, to, L, 4, 4, x, four::<L, true>(x)),
            (5, _) => each_group!(pass, from, to, L, 5, 5, x, odd::<L, 5>(x, 2, terms)),
            (7, _) => each_group!(pass, from, to, L, 7, 7, x, odd::<L, 7>(x, 3, terms)),
            (11, _) => each_group!(pass, from, to, L, 11, 11, x, odd::<L, 11>(x, 5, terms)),
            (13, _) => each_group!(pass, from, to, L, 13, 13, x, odd::<L, 13>(x, 6, terms)),
            (radix @ ..32, _) => each_group!(pass, from, to, L, 31, radix, x, odd::<L, 31>(x, radix / 2, terms)),
            (radix @ ..62, _) => each_group!(pass, from, to, L, 61, radix, x, odd::<L, 61>(x, radix / 2, terms)),
            (radix, _) => each_group!(pass, from, to, L, MAX_RADIX, radix, x, odd::<L, MAX_RADIX>(x, radix / 2, terms)),
        }
    }
}

/// Runs a pass from one tile to another.
///
/// # Safety
/// The CPU has the features of `L`.
///
/// Panics: where a tile or a table of the pass is shorter than the pass needs.
pub(super) unsafe fn run_pass<L: Lanes>(pass: &Pass<L::Elem>, from: &[L::Elem], to: &mut [L::Elem]) {
    let (radix, half) = (pass.radix, pass.radix / 2);
    let elements = radix * pass.groups * pass.stride * Numbers::<L>::ELEMENTS;
    assert!(from.len() >= elements && to.len() >= elements);
    assert!(pass.factors.len() >= pass.groups.saturating_sub(1) * (radix - 1));
    let is_odd = radix % 2 == 1 && (3..=MAX_RADIX).contains(&radix) && pass.terms.len() >= 2 * half * half;
    assert!(is_odd || radix == 2 || radix == 4);
    // SAFETY: all as just checked; a shared and an exclusive slice do not overlap; the caller promises the features.
    unsafe { run::<L>(pass, from.as_ptr(), to.as_mut_ptr()) }
}
