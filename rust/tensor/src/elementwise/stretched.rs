//! `Stretched`: the elements of a shape, found in an operand that is stretched or repeated to it.

use crate::dtype::Scalar;
use crate::shape::Shape;
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::{Threads, try_for_chunks_mut};
use smallvec::SmallVec;

/// Neighbouring dimensions over which the operand either advances or is stretched.
#[derive(Clone, Copy, Debug)]
struct Group {
    extent: usize,
    /// Distance of neighbours in the operand; 0 where it is stretched.
    stride: usize,
}

/// The way in which an operand's elements are spread over a larger shape.
#[derive(Debug)]
pub(super) struct Stretched {
    /// Outermost first. Dimensions of one element are left out.
    groups: SmallVec<[Group; 4]>,
}

impl Stretched {
    /// Returns how `operand` becomes `shape`, which has elements. Each dimension is a multiple of the operand's own.
    pub fn new(operand: &Shape, shape: &Shape) -> Stretched {
        let mut groups: SmallVec<[Group; 4]> = SmallVec::new();
        // Innermost first; strides only say whether the operand advances.
        for (i, &extent) in shape.iter().enumerate().rev() {
            if extent == 1 {
                continue;
            }
            let own = (i + operand.rank()).checked_sub(shape.rank()).map_or(1, |j| operand[j]);
            for (extent, stride) in [(own, 1), (extent / own, 0)].into_iter().filter(|(extent, _)| *extent > 1) {
                match groups.last_mut() {
                    Some(g) if g.stride == stride => g.extent *= extent,
                    _ => groups.push(Group { extent, stride }),
                }
            }
        }
        let mut distance = 1;
        for g in groups.iter_mut().filter(|g| g.stride == 1) {
            g.stride = distance;
            distance *= g.extent;
        }
        groups.reverse();
        Stretched { groups }
    }

    /// Returns the number of neighbours that the operand has in order, or as one element.
    pub fn run(&self) -> usize {
        self.groups.last().map_or(1, |g| g.extent)
    }

    /// Returns the place in the operand where elements `start..start + n` lie in order, if they do.
    pub fn in_order(&self, start: usize, n: usize) -> Option<usize> {
        let run = self.groups.last()?;
        let offset = start % run.extent;
        (run.stride == 1 && offset + n <= run.extent).then(|| self.place(start / run.extent) + offset)
    }

    /// Returns the place of the first element of a run, by the run's number.
    fn place(&self, mut run: usize) -> usize {
        let outer = self.groups.iter().rev().skip(1);
        outer.fold(0, |place, g| {
            let index = run % g.extent;
            run /= g.extent;
            place + index * g.stride
        })
    }

    /// Copies elements `start..start + out.len()`, found in the operand's `values`.
    pub fn gather<T: Copy>(&self, values: &[T], start: usize, out: &mut [T]) {
        let Some((run, outer)) = self.groups.split_last() else {
            out.fill(values[0]);
            return;
        };
        // Runs of a pair lie one group further out: neighbours there, or the same again.
        let (times, step) = outer.last().map_or((1, 0), |g| (g.extent, g.stride));
        let (mut number, mut offset) = (start / run.extent, start % run.extent);
        let mut out = out;
        while !out.is_empty() {
            let place = self.place(number);
            let runs = times - number % times;
            let (now, later) = out.split_at_mut((runs * run.extent - offset).min(out.len()));
            match run.stride {
                0 => repeat_each(&values[place..], step, run.extent, offset, now),
                _ => repeat_rows(&values[place..], step, run.extent, offset, now),
            }
            number += runs;
            offset = 0;
            out = later;
        }
    }
}

/// Returns a tensor of `shape` of the operand's elements.
pub(super) fn stretch<T: Scalar>(operand: &Tensor, shape: &Shape, threads: Threads) -> Result<Tensor> {
    /// Elements of one parallel block.
    const BLOCK: usize = 1 << 16;
    let mut out = Tensor::new(T::DTYPE, shape.clone())?;
    if shape.elements() > 0 {
        let (stretched, values) = (Stretched::new(operand.shape(), shape), operand.slice::<T>()?);
        try_for_chunks_mut(threads, out.slice_mut::<T>()?, BLOCK, |start, out| stretched.gather(values, start, out))?;
    }
    Ok(out)
}

/// Calls a function that is generic over a length with the length, if it is a short one, or else with 0.
macro_rules! with_length {
    ($run:expr, $f:ident($($argument:expr),*)) => {
        match $run {
            2 => $f::<T, 2>($($argument),*),
            3 => $f::<T, 3>($($argument),*),
            4 => $f::<T, 4>($($argument),*),
            8 => $f::<T, 8>($($argument),*),
            10 => $f::<T, 10>($($argument),*),
            16 => $f::<T, 16>($($argument),*),
            32 => $f::<T, 32>($($argument),*),
            64 => $f::<T, 64>($($argument),*),
            _ => $f::<T, 0>($($argument),*),
        }
    };
}

/// Writes runs of one value each; the values are `step` apart. The first run begins at `offset`.
fn repeat_each<T: Copy>(values: &[T], step: usize, run: usize, offset: usize, out: &mut [T]) {
    /// Writes runs of a length that is a constant for the compiler unless `RUN` is 0.
    fn each<T: Copy, const RUN: usize>(values: &[T], step: usize, run: usize, out: &mut [T]) {
        let run = if RUN == 0 { run } else { RUN };
        let mut runs = out.chunks_exact_mut(run);
        let mut place = 0;
        for to in &mut runs {
            to.fill(values[place]);
            place += step;
        }
        let rest = runs.into_remainder();
        if !rest.is_empty() {
            rest.fill(values[place]);
        }
    }
    let (first, rest) = out.split_at_mut((run - offset).min(out.len()));
    first.fill(values[0]);
    if !rest.is_empty() {
        with_length!(run, each(&values[step..], step, run, rest));
    }
}

/// Writes runs of neighbouring values; the runs are `step` apart. The first run begins at `offset`.
fn repeat_rows<T: Copy>(values: &[T], step: usize, run: usize, offset: usize, out: &mut [T]) {
    /// Writes runs of a length that is a constant for the compiler unless `RUN` is 0.
    fn rows<T: Copy, const RUN: usize>(values: &[T], step: usize, run: usize, out: &mut [T]) {
        let run = if RUN == 0 { run } else { RUN };
        let mut runs = out.chunks_exact_mut(run);
        let mut place = 0;
        for to in &mut runs {
            to.copy_from_slice(&values[place..place + run]);
            place += step;
        }
        let rest = runs.into_remainder();
        rest.copy_from_slice(&values[place.min(values.len())..][..rest.len()]);
    }
    let (first, rest) = out.split_at_mut((run - offset).min(out.len()));
    first.copy_from_slice(&values[offset..offset + first.len()]);
    if !rest.is_empty() {
        with_length!(run, rows(&values[step..], step, run, rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn elements_are_those_of_the_broadcast_operand(
            dims in proptest::collection::vec((1..6usize, 1..4usize), 0..6),
            from in any::<u16>(),
            length in any::<u16>(),
        ) {
            // Each dimension has so many elements of the operand, so many times.
            let shape: Shape = dims.iter().map(|d| d.0 * d.1).collect();
            let leading = dims.iter().take_while(|d| d.0 == 1).count();
            let operand: Shape = dims[leading..].iter().map(|d| d.0).collect();
            let (strides, own) = (shape.strides(), operand.strides());
            let place = |flat: usize| -> usize {
                (leading..dims.len())
                    .map(|i| flat / strides[i] % shape[i] % operand[i - leading] * own[i - leading])
                    .sum()
            };
            let start = usize::from(from) % shape.elements();
            let n = 1 + usize::from(length) % (shape.elements() - start);
            let expected: Vec<usize> = (start..start + n).map(place).collect();
            let stretched = Stretched::new(&operand, &shape);
            let values: Vec<usize> = (0..operand.elements()).collect();
            let mut out = vec![usize::MAX; n];
            stretched.gather(&values, start, &mut out);
            prop_assert_eq!(&out, &expected);
            if let Some(at) = stretched.in_order(start, n) {
                prop_assert_eq!(&values[at..at + n], expected);
            }
        }
    }
}
