//! Products of few elements, whose sums fit in registers: no tile, no copy of a, no task for each.

use std::ops::Add;

use num_traits::{Float, Zero};

use super::matrix::MatRef;
use super::patches::Patches;
use super::tiled::INNER;
use crate::status::Result;
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::isa::{Isa, Pass, run_on};

/// Most columns and steps of a tiny product, and most of their products for a row.
const MOST_COLS: usize = 8;
const MOST_DEPTH: usize = 16;
const MOST_STEPS: usize = 64;

/// Steps worth a task of their own.
const TASK_STEPS: usize = 1 << 18;

/// Returns true if `multiply` is the fastest way. One column is a product with a vector, which adds up in another order.
pub(super) fn is_tiny<T>(b: &MatRef<'_, T>) -> bool {
    (2..=MOST_COLS).contains(&b.cols()) && b.rows() <= MOST_DEPTH && b.cols() * b.rows() <= MOST_STEPS
}

/// Computes `c = a * b`, or `c + a * b` with `accumulate`, of matrices that have been checked; `b` is tiny.
///
/// # Errors
/// `Cancelled` when the step is interrupted.
pub(super) fn multiply<T: Float + Zero + Add + Send + Sync>(
    isa: Isa,
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
) -> Result<()> {
    let cols = b.cols();
    let task_rows = (TASK_STEPS / (cols * b.rows()).max(1)).max(1);
    try_for_chunks_mut(threads, c, task_rows * cols, |start, c| {
        let first = start / cols;
        match cols {
            2 => run_on(isa, Rows::<T, 2, 2> { a, b, c, first, accumulate }),
            3 => run_on(isa, Rows::<T, 3, 4> { a, b, c, first, accumulate }),
            4 => run_on(isa, Rows::<T, 4, 4> { a, b, c, first, accumulate }),
            5 => run_on(isa, Rows::<T, 5, 8> { a, b, c, first, accumulate }),
            6 => run_on(isa, Rows::<T, 6, 8> { a, b, c, first, accumulate }),
            7 => run_on(isa, Rows::<T, 7, 8> { a, b, c, first, accumulate }),
            _ => run_on(isa, Rows::<T, 8, 8> { a, b, c, first, accumulate }),
        }
    })?;
    Ok(())
}

/// Rows of a product of `COLS` columns, which are computed in `LANES` lanes.
struct Rows<'a, T, const COLS: usize, const LANES: usize> {
    a: MatRef<'a, T>,
    b: MatRef<'a, T>,
    c: &'a mut [T],
    first: usize,
    accumulate: bool,
}

impl<T: Float, const COLS: usize, const LANES: usize> Pass for Rows<'_, T, COLS, LANES> {
    /// Computes each element as the tiles do: one sum that starts at zero and takes the steps in order.
    #[inline(always)]
    fn run(self) {
        let Rows { a, b, c, first, accumulate } = self;
        let depth = b.rows().min(MOST_DEPTH);
        let mut factors = [[T::zero(); LANES]; MOST_DEPTH];
        for (step, factors) in factors[..depth].iter_mut().enumerate() {
            for (col, factor) in factors[..COLS].iter_mut().enumerate() {
                *factor = b.at(step, col);
            }
        }
        let (rows, _) = c.as_chunks_mut::<COLS>();
        for (offset, row) in rows.iter_mut().enumerate() {
            let mut sums = [T::zero(); LANES];
            for (step, factors) in factors[..depth].iter().enumerate() {
                let value = a.at(first + offset, step);
                for lane in 0..LANES {
                    sums[lane] = value.mul_add(factors[lane], sums[lane]);
                }
            }
            for col in 0..COLS {
                row[col] = if accumulate { row[col] + sums[col] } else { sums[col] };
            }
        }
    }
}

/// Most steps of a product with a vector whose rows are summed one by one.
const MOST_SHORT: usize = 8;

/// Returns true if `multiply_column` is the fastest way: rows shorter than a register, one behind the other.
pub(super) fn is_short_column<T>(a: &MatRef<'_, T>, b: &MatRef<'_, T>) -> bool {
    b.cols() == 1
        && (1..=MOST_SHORT).contains(&a.cols())
        && (a.col_stride() == 1 || a.cols() == 1)
        && a.row_stride() >= a.cols()
}

/// Computes `c = a * b`, or `c + a * b` with `accumulate`, of matrices that have been checked; b is a short column.
///
/// # Errors
/// `Cancelled` when the step is interrupted.
#[inline(never)] // in the products of small matrices it would cost each of them registers
pub(super) fn multiply_column<T: Float + Zero + Add + Send + Sync>(
    isa: Isa,
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
) -> Result<()> {
    try_for_chunks_mut(threads, c, TASK_STEPS / MOST_SHORT, |first, c| match a.cols() {
        1 => run_on(isa, Column::<T, 1> { a, b, c, first, accumulate }),
        2 => run_on(isa, Column::<T, 2> { a, b, c, first, accumulate }),
        3 => run_on(isa, Column::<T, 3> { a, b, c, first, accumulate }),
        4 => run_on(isa, Column::<T, 4> { a, b, c, first, accumulate }),
        5 => run_on(isa, Column::<T, 5> { a, b, c, first, accumulate }),
        6 => run_on(isa, Column::<T, 6> { a, b, c, first, accumulate }),
        7 => run_on(isa, Column::<T, 7> { a, b, c, first, accumulate }),
        _ => run_on(isa, Column::<T, MOST_SHORT> { a, b, c, first, accumulate }),
    })?;
    Ok(())
}

/// Rows of `DEPTH` elements, times a column.
struct Column<'a, T, const DEPTH: usize> {
    a: MatRef<'a, T>,
    b: MatRef<'a, T>,
    c: &'a mut [T],
    first: usize,
    accumulate: bool,
}

impl<T: Float, const DEPTH: usize> Pass for Column<'_, T, DEPTH> {
    /// Computes each element as `tiled::dot` does: each product in a lane of its own, and the lanes added by halves.
    #[inline(always)]
    fn run(self) {
        let factors: [T; DEPTH] = std::array::from_fn(|step| self.b.at(step, 0));
        let step = self.a.row_stride();
        let rows = self.a.data().get(self.first * step..).unwrap_or_default();
        for (row, c) in rows.chunks(step).zip(self.c.iter_mut()) {
            let Some(row) = row.first_chunk::<DEPTH>() else { return };
            // The zero that sums begin with turns -0 into 0. After it, lanes of zeros would change nothing.
            let mut lanes: [T; DEPTH] = std::array::from_fn(|i| row[i] * factors[i] + T::zero());
            for half in [4, 2, 1] {
                for i in 0..half {
                    if i + half < DEPTH {
                        lanes[i] = lanes[i] + lanes[i + half];
                    }
                }
            }
            *c = if self.accumulate { *c + lanes[0] } else { lanes[0] };
        }
    }
}

/// Returns true if `multiply_transposed` is the fastest way: windows of few elements, which no tile reads in place.
pub(super) fn is_tiny_transposed<T>(patches: &Patches<'_, T>, cols: usize) -> bool {
    (1..=MOST_COLS).contains(&cols)
        && (1..=MOST_DEPTH).contains(&patches.cols())
        && patches.are_inside()
        && patches.in_place(cols, true).is_none()
}

/// Computes `c = a^T * b`, where the rows of a are the windows from `first` on. Sizes have been checked, and the product is
/// tiny.
#[inline(never)]
pub(super) fn multiply_transposed<T: Float + Zero + Add>(
    isa: Isa,
    patches: &Patches<'_, T>,
    first: usize,
    b: MatRef<'_, T>,
    c: &mut [T],
) {
    let mut elements = [0; MOST_DEPTH];
    let elements = &mut elements[..patches.cols()];
    elements.iter_mut().enumerate().for_each(|(col, place)| *place = patches.element(col));
    for start in (0..b.rows()).step_by(INNER) {
        let mut windows = [0; INNER];
        let windows = &mut windows[..INNER.min(b.rows() - start)];
        patches.places(first + start, windows);
        if b.cols() <= 4 {
            run_on(isa, Transposed::<T, 4> { data: patches.data(), elements, windows, b, start, c });
        } else {
            run_on(isa, Transposed::<T, MOST_COLS> { data: patches.data(), elements, windows, b, start, c });
        }
    }
}

/// A block of the inner dimension of a product with transposed windows, whose columns are computed in `LANES` lanes.
struct Transposed<'a, T, const LANES: usize> {
    data: &'a [T],
    /// The places of a window's elements, counted from its first.
    elements: &'a [usize],
    windows: &'a [usize],
    b: MatRef<'a, T>,
    /// The row of b that belongs to the first window.
    start: usize,
    c: &'a mut [T],
}

impl<T: Float, const LANES: usize> Pass for Transposed<'_, T, LANES> {
    /// Computes each element as the tiles do. The sum of a block starts at zero and takes the steps in order. It is then
    /// added to those of the blocks before.
    #[inline(always)]
    fn run(self) {
        let mut factors = [[T::zero(); LANES]; INNER];
        for (step, factors) in factors[..self.windows.len()].iter_mut().enumerate() {
            for (col, factor) in factors[..self.b.cols()].iter_mut().enumerate() {
                *factor = self.b.at(self.start + step, col);
            }
        }
        let mut rows = self.c.chunks_exact_mut(self.b.cols());
        let (eights, rest) = self.elements.as_chunks::<8>();
        let (fours, rest) = rest.as_chunks::<4>();
        for elements in eights {
            add_rows(self.data, elements, self.windows, &factors, self.start > 0, &mut rows);
        }
        for elements in fours {
            add_rows(self.data, elements, self.windows, &factors, self.start > 0, &mut rows);
        }
        for &element in rest {
            add_rows(self.data, &[element], self.windows, &factors, self.start > 0, &mut rows);
        }
    }
}

/// Writes, or adds, the sums of some of the windows' elements to the next rows.
#[inline(always)]
fn add_rows<'a, T: Float + 'a, const ROWS: usize, const LANES: usize>(
    data: &[T],
    elements: &[usize; ROWS],
    windows: &[usize],
    factors: &[[T; LANES]],
    add: bool,
    rows: &mut impl Iterator<Item = &'a mut [T]>,
) {
    let mut sums = [[T::zero(); LANES]; ROWS];
    for (&window, factors) in windows.iter().zip(factors) {
        let window = &data[window..];
        for row in 0..ROWS {
            let value = window[elements[row]];
            for lane in 0..LANES {
                sums[row][lane] = value.mul_add(factors[lane], sums[row][lane]);
            }
        }
    }
    for (sums, row) in sums.iter().zip(rows) {
        for (to, &sum) in row.iter_mut().zip(sums) {
            *to = if add { *to + sum } else { sum };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::gemm::{MatRef, PatchAxis, Patches, matmul_f64, tiled};
    use crate::threads::Threads;
    use crate::vector::Isa;
    use proptest::prelude::*;

    fn axis(most: usize) -> impl Strategy<Value = PatchAxis> {
        (1..4usize, 1..4usize, 1..=most, 0..3usize, 0..3usize).prop_map(|(taps, step, count, before, after)| {
            let size = before + (count - 1) * step + taps + after;
            PatchAxis { size, count, first: before as isize, step, taps, tap_step: 1 }
        })
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|x| x.to_bits()).collect()
    }

    fn values(len: usize, seed: usize) -> Vec<f64> {
        (0..len).map(|i| ((i * 7919 + seed) % 1009) as f64 / 7.0 - 70.0).collect()
    }

    proptest! {
        #[test]
        fn short_columns_give_the_bits_of_longer_ones(
            rows in 1usize..300, depth in 1usize..9, apart in 0usize..3, accumulate: bool
        ) {
            let zeros = |x: f64| if x.abs() < 3.0 { -0.0 } else { x / 3.0 };
            let a: Vec<f64> = values(rows * (depth + apart), 3).into_iter().map(zeros).collect();
            let b: Vec<f64> = values(depth, 4).into_iter().map(|x| x / 3.0).collect();
            let a = MatRef::new(&a, rows, depth, depth + apart, 1).unwrap();
            let b = MatRef::row_major(&b, depth, 1).unwrap();
            let start: Vec<f64> = values(rows, 5).into_iter().map(zeros).collect();
            for isa in Isa::available() {
                let (mut expected, mut c) = (start.clone(), start.clone());
                let product = crate::gemm::product(a, crate::gemm::matrix(b), b.cols(), &mut expected, accumulate, None);
                // SAFETY: the sizes agree.
                unsafe { tiled::multiply_f64(isa, Threads::single(), product) }.unwrap();
                super::multiply_column(isa, Threads::new(2), a, b, &mut c, accumulate).unwrap();
                prop_assert_eq!(bits(&c), bits(&expected), "{:?}", isa);
            }
        }

        #[test]
        fn transposed_windows_give_the_bits_of_their_copies(
            batch in 1usize..40, channels in 1usize..4, d in axis(5), h in axis(3), w in axis(12), cols in 2usize..9
        ) {
            let axes = [d, h, w];
            let data = values(batch * channels * d.size * h.size * w.size, 1);
            let windows = Patches::new(&data, batch, axes, channels).unwrap();
            prop_assume!(super::is_tiny_transposed(&windows, cols));
            let (rows, elements, first) = (windows.rows(), windows.cols(), windows.rows() / 3);
            let b = values((rows - first) * cols, 2);
            let b = MatRef::row_major(&b, rows - first, cols).unwrap();
            let mut copy = vec![0.0; rows * elements];
            windows.copy(0..rows, 0..elements, &mut copy);
            let copy = MatRef::row_major(&copy[first * elements..], rows - first, elements).unwrap();
            let mut expected = vec![0.0; elements * cols];
            matmul_f64(Threads::single(), copy.transposed(), b, &mut expected, false, None).unwrap();
            for isa in Isa::available() {
                let mut c = vec![f64::NAN; expected.len()];
                super::multiply_transposed(isa, &windows, first, b, &mut c);
                prop_assert_eq!(&c, &expected, "{:?}", isa);
            }
        }
    }
}
