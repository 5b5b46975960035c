//! The op Where: the indices of the elements that are true, or not zero.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{DType, Movable, PartialShape, Result, Shape, Tensor, by_size, dispatch, ensure};
use smallvec::SmallVec;
use std::ops::Range;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rank = c.input(0)?.rank();
    c.set_output(0, PartialShape::from_dims(&[None, rank]));
    Ok(())
}

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

/// Elements whose places are collected before their indices are written.
const GROUP: usize = 512;

/// Writes the indices of the elements that are not zero, one row each; -0.0 is zero, NaN is not.
fn indices_of<T: Default + PartialEq + Sync>(x: &[T], shape: &Shape, threads: Threads) -> Result<Tensor> {
    let (zero, rank) = (T::default(), shape.rank());
    let mut counts = vec![0usize; x.len().div_ceil(BLOCK)];
    try_for_chunks_mut(threads, &mut counts, 1, |block, counts| {
        for (block, count) in (block..).zip(counts) {
            *count = block_of(x, block).iter().fold(0, |n, v| n.wrapping_add(usize::from(*v != zero)));
        }
    })?;
    let mut out = Tensor::new(DType::I64, [counts.iter().sum(), rank])?;
    let mut rest = out.slice_mut::<i64>()?;
    let mut parts = Vec::with_capacity(counts.len());
    for (block, count) in counts.iter().enumerate() {
        let (part, others) = rest.split_at_mut(count * rank);
        parts.push((block, part));
        rest = others;
    }
    try_for_chunks_mut(threads, &mut parts, 1, |_, parts| {
        for (block, rows) in parts {
            let mut lines = Lines::at(shape, *block * BLOCK);
            let mut places = [0; GROUP];
            let mut start = *block * BLOCK;
            let mut rest = std::mem::take(rows);
            for group in block_of(x, *block).chunks(GROUP) {
                // Without a branch, because the elements do not follow a pattern.
                let mut count = 0;
                for (place, v) in (start..).zip(group) {
                    places[count] = place;
                    count += usize::from(*v != zero);
                }
                let (part, others) = rest.split_at_mut(count * rank);
                match rank {
                    1 => lines.write::<1>(&places[..count], part),
                    2 => lines.write::<2>(&places[..count], part),
                    3 => lines.write::<3>(&places[..count], part),
                    4 => lines.write::<4>(&places[..count], part),
                    _ => {
                        for (row, &place) in part.chunks_exact_mut(rank).zip(&places[..count]) {
                            lines.advance(place);
                            row.copy_from_slice(&lines.index);
                        }
                    }
                }
                rest = others;
                start += group.len();
            }
        }
    })?;
    Ok(out)
}

/// The index of an element: places are visited in ascending order.
struct Lines<'a> {
    shape: &'a Shape,
    index: SmallVec<[i64; 6]>,
    /// The places of the elements of this line of the last dimension.
    line: Range<usize>,
}

impl Lines<'_> {
    fn at(shape: &Shape, place: usize) -> Lines<'_> {
        let strides = shape.strides();
        let mut index: SmallVec<[i64; 6]> =
            strides.iter().zip(shape.iter()).map(|(stride, n)| (place / stride % n) as i64).collect();
        let in_line = index.last().map_or(0, |&last| last as usize);
        if let Some(last) = index.last_mut() {
            *last = 0;
        }
        let start = place - in_line;
        Lines { shape, index, line: start..start + shape.last().copied().unwrap_or(1) }
    }

    /// Sets the index to that of a place, which does not lie before the line.
    #[inline(always)]
    fn advance(&mut self, place: usize) {
        while place >= self.line.end {
            self.next_line();
        }
        if let Some(last) = self.index.last_mut() {
            *last = (place - self.line.start) as i64;
        }
    }

    fn next_line(&mut self) {
        self.line = self.line.end..self.line.end + self.line.len();
        for d in (0..self.shape.rank() - 1).rev() {
            self.index[d] += 1;
            if self.index[d] < self.shape[d] as i64 {
                break;
            }
            self.index[d] = 0;
        }
    }

    /// Writes the index of each place to a row.
    fn write<const RANK: usize>(&mut self, places: &[usize], rows: &mut [i64]) {
        let (rows, _) = rows.as_chunks_mut::<RANK>();
        for (row, &place) in rows.iter_mut().zip(places) {
            self.advance(place);
            if let Some(index) = self.index.first_chunk() {
                *row = *index;
            }
        }
    }
}

fn block_of<T>(x: &[T], block: usize) -> &[T] {
    &x[block * BLOCK..x.len().min((block + 1) * BLOCK)]
}

fn indices(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (x, threads) = (ctx.input(0)?, ctx.threads());
        ensure!(x.rank() >= 1, InvalidArgument, "WhereOp : Unhandled input dimensions: 0");
        let out = dispatch!(x.dtype(), T in plain, indices_of(x.slice::<T>()?, x.shape(), threads), else {
            by_size!(x.dtype(), E, indices_of(<E as Movable>::view(x)?, x.shape(), threads))
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Where")
            .input("input: T")
            .output("index: int64")
            .attr("T: {numbertype, bool} = DT_BOOL")
            .doc("Returns the index of each element that is true or not zero, one row each, in row-major order.")
            .shape(shape)
            .kernel(indices),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn true_and_nonzero_elements_are_listed() {
        let x = Tensor::from_slice([2, 3], &[true, false, true, false, false, true]).unwrap();
        let y = &run("Where", &[x], &[]).unwrap()[0];
        assert_eq!((y.shape().dims(), y.slice::<i64>().unwrap()), (&[3, 2][..], &[0, 0, 0, 2, 1, 2][..]));
        // TF 1.x: the last one, a denormal number, is zero.
        let x = Tensor::from_slice([5], &[0f32, -0.0, f32::NAN, f32::MIN_POSITIVE, 1e-45]).unwrap();
        assert_eq!(run("Where", &[x], &[]).unwrap()[0].slice::<i64>().unwrap(), [2, 3]);
        let e = run("Where", &[Tensor::scalar(5u8)], &[]).unwrap_err();
        assert_eq!(e.message(), "WhereOp : Unhandled input dimensions: 0");
        for shape in [&[300, 700][..], &[200_003], &[7, 11, 13, 211], &[70_001, 1, 3], &[2, 3, 1, 5, 7919]] {
            let n: usize = shape.iter().product();
            let flags: Vec<bool> = (0..n).map(|i| i * i % 7 < 3).collect();
            let x = Tensor::from_slice(ferroflow_tensor::Shape::new(shape), &flags).unwrap();
            let expected: Vec<i64> = (0..n)
                .filter(|i| flags[*i])
                .flat_map(|i| {
                    x.shape().strides().iter().zip(shape).map(|(s, n)| (i / s % n) as i64).collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(run("Where", &[x], &[]).unwrap()[0].slice::<i64>().unwrap(), expected);
        }
        let none = Tensor::zeros(DType::Complex64, [0, 3]).unwrap();
        assert_eq!(run("Where", &[none], &[]).unwrap()[0].shape().dims(), [0, 2]);
    }
}
