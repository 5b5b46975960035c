//! Transforms of real numbers: an even number of them is half as many complex numbers.

use super::long::{is_long, room};
use super::numbers::Numbers;
use super::plan::{Direction, Plan};
use super::tile::{Kind, Tile, read_rows, scale, transform, write_rows};
use super::{BLOCK, Job, Real, Scale, block_rows, of_rows};
use crate::Result;
use crate::gemm::tiled::lanes::{Lanes, for_lanes};
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::{Loops, loops_on_best_isa};
use num_complex::Complex;

for_lanes! {
    /// Makes the `half` + 1 numbers of non-negative frequency of the transform of pairs of real numbers.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `from` has `half` numbers, `to` has room for one more, and so many turns are readable.
    unsafe fn join = join_body<L: Lanes>(from: *const L::Elem, to: *mut L::Elem, half: usize, turns: *const [L::Elem; 2], one_half: &L::Elem)
}

#[inline(always)]
unsafe fn join_body<L: Lanes>(
    from: *const L::Elem,
    to: *mut L::Elem,
    half: usize,
    turns: *const [L::Elem; 2],
    one_half: &L::Elem,
) {
    // SAFETY: by the contract of `join`.
    unsafe {
        let one_half = L::splat(one_half);
        for k in 0..=half {
            let at = |k: usize| from.add(if k == half { 0 } else { k } * Numbers::<L>::ELEMENTS);
            let (z, mirrored) =
                (Numbers::<L>::load(at(k)).scale(one_half), Numbers::load(at(half - k)).scale(one_half));
            let mirrored = mirrored.conj();
            let odd = z.sub(mirrored).mul(Numbers::splat(&*turns.add(k)));
            z.add(mirrored).beside(odd).0.store(to.add(k * Numbers::<L>::ELEMENTS));
        }
    }
}

for_lanes! {
    /// Makes the numbers whose inverse transform is pairs of real numbers, from `half` + 1 numbers of non-negative frequency.
    ///
    /// # Safety
    /// As for `join`, with `from` and `to` exchanged.
    unsafe fn part = part_body<L: Lanes>(from: *const L::Elem, to: *mut L::Elem, half: usize, turns: *const [L::Elem; 2])
}

#[inline(always)]
unsafe fn part_body<L: Lanes>(from: *const L::Elem, to: *mut L::Elem, half: usize, turns: *const [L::Elem; 2]) {
    // SAFETY: by the contract of `part`.
    unsafe {
        for k in 0..half {
            let x = Numbers::<L>::load(from.add(k * Numbers::<L>::ELEMENTS));
            let mirrored = Numbers::<L>::load(from.add((half - k) * Numbers::<L>::ELEMENTS)).conj();
            let odd = x.sub(mirrored).mul(Numbers::splat(&*turns.add(k)));
            x.add(mirrored).beside(odd).1.store(to.add(k * Numbers::<L>::ELEMENTS));
        }
    }
}

/// Transforms rows of real numbers in a tile, a few at a time.
struct RealRows<'a, T> {
    plan: &'a Plan<T>,
    /// None for an odd number of numbers: these are transformed as complex ones.
    turns: Option<&'a [[T; 2]]>,
    n: usize,
    from: &'a [T],
    stride: usize,
    to: &'a mut [T],
}

impl<T: Real> Job<T> for RealRows<'_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(self) {
        let half = self.n / 2;
        let row = 2 * (half + 1);
        let mut tile = Tile::new(self.plan.room().max(half + 1));
        let one_half = T::of(0.5);
        for (k, to) in self.to.chunks_mut(L::N * row).enumerate() {
            let rows = to.len() / row;
            let from = &self.from[k * L::N * self.stride..];
            let kind = if self.turns.is_some() { Kind::Complex } else { Kind::Real };
            // SAFETY: by the contract of `Job::run`; the tile has room, and the turns are those of `n`.
            unsafe {
                read_rows::<L>(&mut tile, from, self.stride, (rows, self.n), kind);
                transform::<L>(self.plan, &mut tile);
                if let Some(turns) = self.turns {
                    assert!(turns.len() > half);
                    let (numbers, results) = tile.halves();
                    join::<L>(numbers.as_ptr(), results.as_mut_ptr(), half, turns.as_ptr(), &one_half);
                    tile.turn();
                }
                write_rows::<L>(&mut tile, to, row, (rows, row), Kind::Complex);
            }
        }
    }
}

/// Returns the turns of an even number of numbers.
fn turns_of<T: Real>(n: usize, direction: Direction) -> Option<std::sync::Arc<Vec<[T; 2]>>> {
    n.is_multiple_of(2).then(|| T::turns(n, direction))
}

/// Transforms rows, the first `n` numbers of each `stride` of `from`, to whole rows of the `n / 2 + 1` numbers of non-negative
/// frequency.
///
/// Errors: `Interrupted` once the watch of this thread says to stop; `ResourceExhausted` without memory.
pub fn real_rows<T: Real>(threads: Threads, from: &[T], stride: usize, to: &mut [Complex<T>], n: usize) -> Result<()> {
    if let 1 | 2 = n {
        for (from, to) in from.chunks_exact(stride).zip(to.chunks_exact_mut(n)) {
            match (&from[..n], to) {
                (&[x], [to]) => *to = x.into(),
                (&[x, y], [sum, difference]) => (*sum, *difference) = ((x + y).into(), (x - y).into()),
                _ => {}
            }
        }
        return Ok(());
    }
    let turns = turns_of::<T>(n, Direction::Forward);
    let count = if turns.is_some() { n / 2 } else { n };
    if is_long(count) {
        return long_real_rows(threads, from, stride, T::parts_mut(to), n, turns.as_ref().map(|turns| &turns[..]));
    }
    let (plan, row) = (T::plan(count, Direction::Forward)?, n / 2 + 1);
    let block = block_rows::<T>(2 * n) * row;
    try_for_chunks_mut(threads, to, block, |start, to| {
        let turns = turns.as_ref().map(|turns| &turns[..]);
        let from = &from[start / row * stride..];
        T::run(RealRows { plan: &plan, turns, n, from, stride, to: T::parts_mut(to) });
    })?;
    Ok(())
}

fn long_real_rows<T: Real>(
    threads: Threads,
    from: &[T],
    stride: usize,
    to: &mut [T],
    n: usize,
    turns: Option<&[[T; 2]]>,
) -> Result<()> {
    let (half, row) = (n / 2, 2 * (n / 2 + 1));
    // Elements of the complex row.
    let elements = if turns.is_some() { n } else { 2 * n };
    let mut between = room::<T>(to.len() / row * elements)?;
    let between = between.slice_mut::<T>()?;
    try_for_chunks_mut(threads, between, elements, |start, row| {
        let from = &from[start / elements * stride..][..n];
        if turns.is_some() {
            row.copy_from_slice(from);
        } else {
            row.as_chunks_mut::<2>().0.iter_mut().zip(from).for_each(|(to, &x)| *to = [x, T::default()]);
        }
    })?;
    of_rows(threads, None, between, elements / 2, Direction::Forward, Scale::None)?;
    let from = between.as_chunks::<2>().0;
    try_for_chunks_mut(threads, to, BLOCK, |start, to| {
        for_parts(start / 2, to.as_chunks_mut::<2>().0, half + 1, |number, first, to| {
            let from = &from[number * elements / 2..(number + 1) * elements / 2];
            let Some(turns) = turns else { return to.copy_from_slice(&from[first..first + to.len()]) };
            let join = |[a, b]: [T; 2], [c, d]: [T; 2], [cos, sin]: [T; 2]| {
                let one_half = T::of(0.5);
                let (even, odd) = ([one_half * (a + c), one_half * (b - d)], [one_half * (a - c), one_half * (b + d)]);
                let turned = [odd[0] * cos - odd[1] * sin, odd[0] * sin + odd[1] * cos];
                [even[0] + turned[1], even[1] - turned[0]]
            };
            loops_on_best_isa(Mirrored { from, half, turns, first, to: &mut *to, f: join });
            // The first number is its own mirror image, and the last one's.
            for (k, to) in (first..).zip(to).filter(|&(k, _)| k % half == 0) {
                *to = join(from[0], from[0], turns[k]);
            }
        });
    })?;
    Ok(())
}

/// Calls `f` with the number of a row of `count` elements, the first element, and the part of `data` that is in the row, for each
/// row that `data` has a part of. Element `start` is the first one of `data`.
fn for_parts<E>(start: usize, mut data: &mut [E], count: usize, mut f: impl FnMut(usize, usize, &mut [E])) {
    let mut at = start;
    while !data.is_empty() {
        let some = (count - at % count).min(data.len());
        let (part, rest) = std::mem::take(&mut data).split_at_mut(some);
        f(at / count, at % count, part);
        (at, data) = (at + some, rest);
    }
}

/// Numbers from others, from those as far from the end, and from turns.
struct Mirrored<'a, T, F> {
    from: &'a [[T; 2]],
    half: usize,
    turns: &'a [[T; 2]],
    first: usize,
    to: &'a mut [[T; 2]],
    f: F,
}

impl<T: Real, F: Fn([T; 2], [T; 2], [T; 2]) -> [T; 2]> Loops for Mirrored<'_, T, F> {
    type Output = ();

    /// Computes all numbers but those whose place is 0 or `half`.
    #[inline(always)]
    fn run(self) {
        let Mirrored { from, half, turns, first, to, f } = self;
        let (begin, end) = (first.max(1), (first + to.len()).min(half));
        if begin >= end {
            return;
        }
        let mirrored = from[half - end + 1..=half - begin].iter().rev();
        let numbers = from[begin..end].iter().zip(mirrored).zip(&turns[begin..end]);
        for (to, ((&x, &y), &turn)) in to[begin - first..end - first].iter_mut().zip(numbers) {
            *to = f(x, y, turn);
        }
    }
}

/// Transforms rows of the numbers of non-negative frequency in a tile, a few at a time.
struct RealInverseRows<'a, T> {
    plan: &'a Plan<T>,
    turns: Option<&'a [[T; 2]]>,
    n: usize,
    from: &'a [T],
    to: &'a mut [T],
    factor: T,
}

impl<T: Real> Job<T> for RealInverseRows<'_, T> {
    unsafe fn run<L: Lanes<Elem = T>>(self) {
        let half = self.n / 2;
        let (row, number) = (2 * (half + 1), Numbers::<L>::ELEMENTS);
        let mut tile = Tile::new(self.plan.room().max(half + 1));
        for (k, to) in self.to.chunks_mut(L::N * self.n).enumerate() {
            let rows = to.len() / self.n;
            let from = &self.from[k * L::N * row..];
            // SAFETY: by the contract of `Job::run`; the tile has room, and the turns are those of `n`.
            unsafe {
                read_rows::<L>(&mut tile, from, row, (rows, row), Kind::Complex);
                let numbers = tile.numbers();
                numbers[L::N..number].fill(T::default());
                let kind = if let Some(turns) = self.turns {
                    numbers[half * number + L::N..(half + 1) * number].fill(T::default());
                    assert!(turns.len() > half);
                    let (numbers, results) = tile.halves();
                    part::<L>(numbers.as_ptr(), results.as_mut_ptr(), half, turns.as_ptr());
                    tile.turn();
                    Kind::Complex
                } else {
                    for k in 1..=half {
                        let (known, mirrored) = numbers.split_at_mut((self.n - k) * number);
                        mirrored[..number].copy_from_slice(&known[k * number..(k + 1) * number]);
                        mirrored[L::N..number].iter_mut().for_each(|x| *x = -*x);
                    }
                    Kind::Real
                };
                transform::<L>(self.plan, &mut tile);
                scale::<L>(&mut tile, self.plan.n, Scale::Real(self.factor));
                write_rows::<L>(&mut tile, to, self.n, (rows, self.n), kind);
            }
        }
    }
}

/// Transforms whole rows of `n / 2 + 1` numbers of non-negative frequency to rows of `n` real numbers, times a factor. The imaginary
/// parts of numbers that must be real do not count.
///
/// Errors: as for `real_rows`.
pub fn real_inverse_rows<T: Real>(
    threads: Threads,
    from: &[Complex<T>],
    to: &mut [T],
    n: usize,
    factor: T,
) -> Result<()> {
    let row = n / 2 + 1;
    if let 1 | 2 = n {
        // As a complex transform whose imaginary parts are dropped last; infinite ones leave NaN.
        let real = |x: Complex<T>| (x.re - x.im * T::default()) * factor;
        for (from, to) in from.chunks_exact(row).zip(to.chunks_exact_mut(n)) {
            match (from, to) {
                (&[x], [to]) => *to = real(x),
                (&[x, y], [even, odd]) => (*even, *odd) = (real(x + y), real(x - y)),
                _ => {}
            }
        }
        return Ok(());
    }
    let turns = turns_of::<T>(n, Direction::Inverse);
    let turns = turns.as_ref().map(|turns| &turns[..]);
    let count = if turns.is_some() { n / 2 } else { n };
    if is_long(count) {
        return long_real_inverse_rows(threads, T::parts(from), to, n, turns, factor);
    }
    let plan = T::plan(count, Direction::Inverse)?;
    let block = block_rows::<T>(2 * n) * n;
    try_for_chunks_mut(threads, to, block, |start, to| {
        let from = T::parts(&from[start / n * row..]);
        T::run(RealInverseRows { plan: &plan, turns, n, from, to, factor });
    })?;
    Ok(())
}

fn long_real_inverse_rows<T: Real>(
    threads: Threads,
    from: &[T],
    to: &mut [T],
    n: usize,
    turns: Option<&[[T; 2]]>,
    factor: T,
) -> Result<()> {
    let half = n / 2;
    let count = if turns.is_some() { half } else { n };
    let mut between = room::<T>(to.len() / n * 2 * count)?;
    let between = between.slice_mut::<T>()?;
    let from = from.as_chunks::<2>().0;
    try_for_chunks_mut(threads, between, BLOCK, |start, to| {
        for_parts(start / 2, to.as_chunks_mut::<2>().0, count, |number, first, to| {
            let from = &from[number * (half + 1)..(number + 1) * (half + 1)];
            let Some(turns) = turns else {
                for (k, to) in (first..).zip(to) {
                    let [re, im] = from[k.min(n - k)];
                    *to = [
                        re,
                        if k == 0 {
                            T::default()
                        } else if k <= half {
                            im
                        } else {
                            -im
                        },
                    ];
                }
                return;
            };
            let part = |[a, b]: [T; 2], [c, d]: [T; 2], [cos, sin]: [T; 2]| {
                let (even, odd) = ([a + c, b - d], [a - c, b + d]);
                let turned = [odd[0] * cos - odd[1] * sin, odd[0] * sin + odd[1] * cos];
                [even[0] - turned[1], even[1] + turned[0]]
            };
            loops_on_best_isa(Mirrored { from, half, turns, first, to: &mut *to, f: part });
            if first == 0 {
                let real = |x: [T; 2]| [x[0], T::default()];
                to[0] = part(real(from[0]), real(from[half]), turns[0]);
            }
        });
    })?;
    if turns.is_some() {
        return of_rows(threads, Some(between), to, count, Direction::Inverse, Scale::Real(factor));
    }
    of_rows(threads, None, between, count, Direction::Inverse, Scale::Real(factor))?;
    let from = between.as_chunks::<2>().0;
    try_for_chunks_mut(threads, to, BLOCK, |start, to| {
        to.iter_mut().zip(&from[start..]).for_each(|(to, &[re, _])| *to = re);
    })?;
    Ok(())
}
