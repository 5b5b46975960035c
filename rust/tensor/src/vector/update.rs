//! One pass that updates several arrays of one length, or some of their rows, in place by the elements of another.
//!
//! The arrays are a variable and its slots, the other one is a gradient.

use super::Wide;
use super::isa::{Isa, Pass, run_on};
use crate::prefetch;
use num_traits::{Float, Zero};

/// Elements computed at a time, in arrays of their own: the compiler sees that these do not overlap.
const LANES: usize = 64;
/// Bytes between a prefetch and its use. More streams run side by side here than the CPU prefetches by itself.
const AHEAD: usize = 2048;
/// Rows between a prefetch and its use: the processor cannot predict where the next row lies.
const ROWS_AHEAD: usize = 8;

/// The new values of `N` elements at one place.
pub trait Formula<F: Float, const N: usize>: Sync {
    /// Returns the new values of `values`, given the element `by` of the other array. Mark it `#[inline(always)]`: a call of its own
    /// has no vector instructions.
    fn apply(&self, values: [F; N], by: F) -> [F; N];
}

struct Update<'a, M, T, const N: usize> {
    formula: &'a M,
    values: [&'a mut [T]; N],
    by: &'a [T],
}

/// Replaces the elements of `values` by their new values, element by element of `by`. Bits are equal on all instruction sets.
///
/// Panics if a slice of `values` is shorter than `by`.
pub fn update_in_place<T: Wide, M: Formula<T::In, N>, const N: usize>(formula: &M, values: [&mut [T]; N], by: &[T]) {
    run_on(Isa::current(), Update { formula, values, by });
}

impl<T: Wide, M: Formula<T::In, N>, const N: usize> Pass for Update<'_, M, T, N> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "variables and their lanes have one index")]
    fn run(self) {
        let mut values = [[T::In::zero(); LANES]; N];
        let mut by = [T::In::zero(); LANES];
        let size = self.by.len();
        for (block, of_block) in self.by.chunks(LANES).enumerate() {
            let (start, length) = (block * LANES, of_block.len());
            let ahead = start + AHEAD / size_of::<T>();
            // Whole blocks alone: their number of lines is known when this is compiled.
            if ahead + LANES <= size {
                let ahead = ahead..ahead + LANES;
                prefetch(&self.by[ahead.clone()]);
                for variable in &self.values {
                    prefetch(&variable[ahead.clone()]);
                }
            }
            // Whole blocks have a length that is known to the compiler, and only those are vectorized.
            if length == LANES {
                load(&mut by, of_block, LANES);
                for k in 0..N {
                    load(&mut values[k], &self.values[k][start..start + LANES], LANES);
                }
                apply_lanes(self.formula, &mut values, &by);
                for k in 0..N {
                    store(&mut self.values[k][start..start + LANES], &values[k], LANES);
                }
            } else {
                // Lanes past the end hold values of the block before: computed and dropped.
                load(&mut by, of_block, length);
                for k in 0..N {
                    load(&mut values[k], &self.values[k][start..start + length], length);
                }
                apply_lanes(self.formula, &mut values, &by);
                for k in 0..N {
                    store(&mut self.values[k][start..start + length], &values[k], length);
                }
            }
        }
    }
}

struct UpdateRows<'a, M, T, const N: usize> {
    formula: &'a M,
    values: [&'a mut [T]; N],
    row: usize,
    rows: &'a [usize],
    by: &'a [T],
}

/// Replaces the elements of some rows of `values` by their new values: row `rows[i]`, of `row` elements, by the `i`th row
/// of `by`. A row that is named again is updated again, in the order of `rows`. Bits are equal on all instruction sets.
///
/// Panics if `values` do not have a row, or `by` does not have as many rows as `rows` names.
pub fn update_rows_in_place<T: Wide, M: Formula<T::In, N>, const N: usize>(
    formula: &M,
    values: [&mut [T]; N],
    row: usize,
    rows: &[usize],
    by: &[T],
) {
    assert_eq!(by.len(), row * rows.len());
    run_on(Isa::current(), UpdateRows { formula, values, row, rows, by });
}

fn are_distinct(rows: &[usize]) -> bool {
    rows.iter().enumerate().all(|(i, row)| !rows[..i].contains(row))
}

impl<T: Wide, M: Formula<T::In, N>, const N: usize> Pass for UpdateRows<'_, M, T, N> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "variables and their lanes have one index")]
    fn run(self) {
        let UpdateRows { formula, mut values, row, rows: named, by } = self;
        if row == 0 {
            return;
        }
        let together = (LANES / row).max(1);
        let mut lanes = [[T::In::zero(); LANES]; N];
        let mut of_by = [T::In::zero(); LANES];
        for (chunk, (rows, by)) in named.chunks(together).zip(by.chunks(together * row)).enumerate() {
            let ahead = ((chunk + 1) * together + ROWS_AHEAD).min(named.len());
            for &r in &named[ahead.saturating_sub(together)..ahead] {
                for variable in &values {
                    prefetch(&variable[r * row..(r + 1) * row]);
                }
            }
            if together == 1 || !are_distinct(rows) {
                for (&r, by) in rows.iter().zip(by.chunks_exact(row)) {
                    let values = values.each_mut().map(|x| &mut x[r * row..(r + 1) * row]);
                    Update { formula, values, by }.run();
                }
                continue;
            }
            // Short rows share the lanes.
            load(&mut of_by, by, by.len());
            for k in 0..N {
                for (&r, lanes) in rows.iter().zip(lanes[k].chunks_exact_mut(row)) {
                    widen(lanes, &values[k][r * row..(r + 1) * row]);
                }
            }
            apply_lanes(formula, &mut lanes, &of_by);
            for k in 0..N {
                for (&r, lanes) in rows.iter().zip(lanes[k].chunks_exact(row)) {
                    narrow(&mut values[k][r * row..(r + 1) * row], lanes);
                }
            }
        }
    }
}

#[inline(always)]
fn load<T: Wide>(to: &mut [T::In; LANES], from: &[T], length: usize) {
    widen(&mut to[..length], &from[..length]);
}

#[inline(always)]
fn store<T: Wide>(to: &mut [T], from: &[T::In; LANES], length: usize) {
    narrow(&mut to[..length], &from[..length]);
}

#[inline(always)]
fn widen<T: Wide>(to: &mut [T::In], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.widen();
    }
}

#[inline(always)]
fn narrow<T: Wide>(to: &mut [T], from: &[T::In]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = T::narrow(*from);
    }
}

/// Applies the formula to every lane. No closures here: they would be calls of their own, without the vector features.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "lanes index N arrays at once")]
fn apply_lanes<F: Float, M: Formula<F, N>, const N: usize>(formula: &M, values: &mut [[F; LANES]; N], by: &[F; LANES]) {
    for lane in 0..LANES {
        let mut old = [F::zero(); N];
        for k in 0..N {
            old[k] = values[k][lane];
        }
        let new = formula.apply(old, by[lane]);
        for k in 0..N {
            values[k][lane] = new[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bf16, f16};

    struct Momentum;

    impl<F: Float + Sync> Formula<F, 2> for Momentum {
        #[inline(always)]
        fn apply(&self, [x, slot]: [F; 2], by: F) -> [F; 2] {
            let slot = slot / (by + by) + by;
            [x - slot * by, slot]
        }
    }

    fn check<T: Wide + PartialEq>(n: usize) {
        let element = |i: usize| T::of_attr((i * 37 % 101) as f32 / 16.0 + 0.25);
        let array = |from: usize| (from..from + n).map(|i| T::narrow(element(i))).collect::<Vec<T>>();
        let (x, slot, by) = (array(0), array(5), array(9));
        let want: Vec<[T; 2]> =
            (0..n).map(|i| Momentum.apply([x[i].widen(), slot[i].widen()], by[i].widen()).map(T::narrow)).collect();
        for isa in Isa::available() {
            let (mut x, mut slot) = (x.clone(), slot.clone());
            run_on(isa, Update { formula: &Momentum, values: [&mut x[..], &mut slot[..]], by: &by });
            assert!((0..n).all(|i| [x[i], slot[i]] == want[i]), "{isa:?} {n}");
        }
    }

    #[test]
    fn every_element_is_updated_alike_on_all_instruction_sets() {
        for n in [0, 1, 63, 64, 65, 640, 1000, 5000] {
            check::<f32>(n);
            check::<f64>(n);
            check::<f16>(n);
            check::<bf16>(n);
        }
    }

    proptest::proptest! {
        #[test]
        fn rows_are_updated_in_their_order(row in 0_usize..70, rows in proptest::collection::vec(0_usize..90, 0..150)) {
            let element = |i: usize| ((i * 37 % 101) as f32 / 16.0) + 0.25;
            let array = |from: usize, n: usize| (from..from + n).map(element).collect::<Vec<f32>>();
            let (x, slot, by) = (array(0, 90 * row), array(5, 90 * row), array(9, rows.len() * row));
            let (mut wanted_x, mut wanted_slot) = (x.clone(), slot.clone());
            for (i, &r) in rows.iter().enumerate() {
                for k in 0..row {
                    let at = r * row + k;
                    [wanted_x[at], wanted_slot[at]] = Momentum.apply([wanted_x[at], wanted_slot[at]], by[i * row + k]);
                }
            }
            for isa in Isa::available() {
                let (mut x, mut slot) = (x.clone(), slot.clone());
                let values = [&mut x[..], &mut slot[..]];
                run_on(isa, UpdateRows { formula: &Momentum, values, row, rows: &rows, by: &by });
                proptest::prop_assert_eq!(&x, &wanted_x, "{:?}", isa);
                proptest::prop_assert_eq!(&slot, &wanted_slot, "{:?}", isa);
            }
        }
    }
}
