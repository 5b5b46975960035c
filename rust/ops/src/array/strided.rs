//! `Walk`: a strided view of a dense array; the one loop behind transposes, slices, tiles, reversals and broadcasts.

use ferroflow_tensor::Streams;
use ferroflow_tensor::threads::{Strips, Threads, try_for_chunks_mut, try_for_rows_mut};
use ferroflow_tensor::transpose::BLOCK_SIDE;
use ferroflow_tensor::{Movable, Result, Shape, Tensor, by_size, ensure};
use smallvec::SmallVec;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 15;
/// Rows of a transposed copy that one task writes.
const STRIP: usize = 64;
/// Rows of a streamed one, so that longer runs of each row of the array are read at a time. With fewer, none is streamed.
const STREAMED_STRIP: usize = 256;

/// Element `(i0, i1, ...)` of the view lies at `base + i0 * strides[0] + i1 * strides[1] + ...` of the array.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    dims: SmallVec<[usize; 8]>,
    strides: SmallVec<[isize; 8]>,
    base: usize,
}

impl Walk {
    pub(crate) fn new(base: usize) -> Walk {
        Walk { dims: SmallVec::new(), strides: SmallVec::new(), base }
    }

    /// Adds an axis inside those added before. Axes that continue each other become one.
    pub(crate) fn push(&mut self, dim: usize, stride: isize) {
        if dim == 1 {
            return;
        }
        if let (Some(d), Some(s)) = (self.dims.last_mut(), self.strides.last_mut())
            && dim != 0
            && Some(*s) == stride.checked_mul(dim as isize)
        {
            *d *= dim;
            *s = stride;
            return;
        }
        self.dims.push(dim);
        self.strides.push(stride);
    }

    /// Checks that the view has `elements` elements, all inside an array of `len`.
    fn check(&self, elements: usize, len: usize) -> Result<()> {
        let count = self.dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        ensure!(count == Some(elements), Internal, "a view of {:?} does not have {elements} elements", self.dims);
        if elements == 0 {
            return Ok(());
        }
        let (mut low, mut high) = (self.base as i128, self.base as i128);
        for (&d, &s) in self.dims.iter().zip(&self.strides) {
            let reach = s as i128 * (d as i128 - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        ensure!(low >= 0 && high < len as i128, Internal, "a view of {low}..={high} leaves an array of {len}");
        Ok(())
    }

    fn at(&self, offset: isize) -> usize {
        (self.base as isize + offset) as usize
    }

    /// Copies the view's elements of `from` to `to`, in row-major order.
    ///
    /// Errors: `Internal` where the view does not fit the arrays.
    pub(super) fn read<E: Movable>(&self, threads: Threads, from: &[E], to: &mut [E]) -> Result<()> {
        self.check(to.len(), from.len())?;
        if to.is_empty() {
            return Ok(());
        }
        let Some((&n, outer)) = self.dims.split_last() else {
            to[0] = from[self.base].clone();
            return Ok(());
        };
        let stride = self.strides[outer.len()];
        if outer.is_empty() && stride == 1 {
            let from = &from[self.base..self.base + n];
            try_for_chunks_mut(threads, to, BLOCK, |start, chunk| {
                chunk.clone_from_slice(&from[start..start + chunk.len()]);
            })?;
            return Ok(());
        }
        if !matches!(stride, 0 | 1)
            && let Some(t) = self.strides.iter().position(|&s| s == 1)
            && self.dims[t] >= 4
            && n >= 4
        {
            self.read_transposed(threads, from, to, t)?;
            return Ok(());
        }
        if let (0 | 1, 2..=LONGEST_SHORT, Some((&runs, outer))) = (stride, n, outer.split_last()) {
            let (whole, step) = (runs * n, self.strides[outer.len()]);
            try_for_chunks_mut(threads, to, (BLOCK / whole).max(1) * whole, |start, chunk| {
                let mut row = Odometer::new(outer, &self.strides, start / whole);
                for part in chunk.chunks_exact_mut(whole) {
                    let at = self.at(row.offset);
                    match (n, stride) {
                        (2, 1) => copy_runs::<E, 2>(from, at, step, part),
                        (3, 1) => copy_runs::<E, 3>(from, at, step, part),
                        (_, 1) => copy_runs::<E, 4>(from, at, step, part),
                        (2, _) => repeat::<E, 2>(from, at, step, part),
                        (3, _) => repeat::<E, 3>(from, at, step, part),
                        _ => repeat::<E, 4>(from, at, step, part),
                    }
                    row.advance();
                }
            })?;
            return Ok(());
        }
        let rows = (BLOCK / n).max(1);
        try_for_chunks_mut(threads, to, rows * n, |start, chunk| {
            let mut row = Odometer::new(outer, &self.strides, start / n);
            for part in chunk.chunks_exact_mut(n) {
                let at = self.at(row.offset);
                match stride {
                    1 => part.clone_from_slice(&from[at..at + n]),
                    0 => part.fill(from[at].clone()),
                    _ => copy_strided(from, at, stride, part),
                }
                row.advance();
            }
        })?;
        Ok(())
    }

    /// Reads as `read` does, if axis `t` is the contiguous one of `from` and the last axis is that of `to`.
    fn read_transposed<E: Movable>(&self, threads: Threads, from: &[E], to: &mut [E], t: usize) -> Result<()> {
        let last = self.dims.len() - 1;
        let (m, n) = (self.dims[t], self.dims[last]);
        let middle: usize = self.dims[t + 1..last].iter().product();
        let row = middle * n;
        let bytes = if m < STREAMED_STRIP { 0 } else { size_of_val(to) };
        let strip = if Streams::for_result(bytes).is_some() { STREAMED_STRIP } else { STRIP };
        let to = Strips::new(to, m * row, strip * row);
        let (strips, items) = (to.per_group(), to.count());
        let group = (BLOCK / (row * m.min(strip))).max(1);
        try_for_rows_mut(threads, items, group, to, |range, mut rest| {
            let streams = Streams::for_result(bytes);
            for item in range {
                let (outer, first) = (item / strips, item % strips * strip);
                let rows = strip.min(m - first);
                let (part, after) = std::mem::take(&mut rest).split_at_mut(rows * row);
                rest = after;
                let above = Odometer::new(&self.dims[..t], &self.strides, outer).offset;
                let mut inner = Odometer::new(&self.dims[t + 1..last], &self.strides[t + 1..], 0);
                for k in 0..middle {
                    let at = self.at(above + inner.offset) + first;
                    transpose(from, at, self.strides[last], &mut part[k * n..], row, (rows, n), streams.as_ref());
                    inner.advance();
                }
            }
        })?;
        Ok(())
    }

    /// Copies `from`, in row-major order, to the view's elements of `to`.
    ///
    /// Errors: `Internal` where the view does not fit the arrays.
    pub(crate) fn write<E: Movable>(&self, from: &[E], to: &mut [E]) -> Result<()> {
        self.check(from.len(), to.len())?;
        if from.is_empty() {
            return Ok(());
        }
        let Some((&n, outer)) = self.dims.split_last() else {
            to[self.base] = from[0].clone();
            return Ok(());
        };
        let stride = self.strides[outer.len()];
        let mut row = Odometer::new(outer, &self.strides, 0);
        for part in from.chunks_exact(n) {
            let mut at = self.at(row.offset);
            if stride == 1 {
                to[at..at + n].clone_from_slice(part);
            } else {
                for x in part {
                    to[at] = x.clone();
                    at = at.wrapping_add_signed(stride);
                }
            }
            row.advance();
        }
        Ok(())
    }
}

/// The longest runs with loops of their own, such as the channels of a picture. A copy of unknown length takes longer.
const LONGEST_SHORT: usize = 4;

/// Copies runs of `N` elements, which begin at `at` and lie `step` apart, side by side.
fn copy_runs<E: Movable, const N: usize>(from: &[E], mut at: usize, step: isize, to: &mut [E]) {
    for run in to.as_chunks_mut::<N>().0 {
        run.clone_from_slice(&from[at..at + N]);
        at = at.wrapping_add_signed(step);
    }
}

/// Repeats each of the elements that begin at `at` and lie `step` apart `N` times, side by side.
fn repeat<E: Movable, const N: usize>(from: &[E], mut at: usize, step: isize, to: &mut [E]) {
    let runs = to.as_chunks_mut::<N>().0;
    if step == 1 {
        for (run, x) in runs.iter_mut().zip(&from[at..]) {
            run.fill(x.clone());
        }
        return;
    }
    for run in runs {
        run.fill(from[at].clone());
        at = at.wrapping_add_signed(step);
    }
}

/// Copies `from[at + i * stride]` to `to[i]`. Each direction has a loop that looks up no index.
fn copy_strided<E: Movable>(from: &[E], at: usize, stride: isize, to: &mut [E]) {
    let Some(last) = to.len().checked_sub(1) else { return };
    let step = stride.unsigned_abs();
    if stride > 0 {
        to.iter_mut().zip(from[at..=at + last * step].iter().step_by(step)).for_each(|(x, y)| *x = y.clone());
    } else if stride == -1 {
        to.iter_mut().zip(from[at - last..=at].iter().rev()).for_each(|(x, y)| *x = y.clone());
    } else if stride < 0 {
        let from = &from[at - last * step..=at];
        to.iter_mut().zip(from.iter().rev().step_by(step)).for_each(|(x, y)| *x = y.clone());
    } else {
        to.fill(from[at].clone());
    }
}

/// Computes `to[i * row + j] = from[at + j * stride + i]` for `i < size.0`, `j < size.1`, in square blocks.
fn transpose<E: Movable>(
    from: &[E],
    at: usize,
    stride: isize,
    to: &mut [E],
    row: usize,
    size: (usize, usize),
    streams: Option<&Streams>,
) {
    let (rows, columns) = size;
    for j0 in (0..columns).step_by(BLOCK_SIDE) {
        let j1 = columns.min(j0 + BLOCK_SIDE);
        for i0 in (0..rows).step_by(BLOCK_SIDE) {
            let i1 = rows.min(i0 + BLOCK_SIDE);
            let at = at.wrapping_add_signed(j0 as isize * stride) + i0;
            if i1 - i0 == BLOCK_SIDE
                && j1 - j0 == BLOCK_SIDE
                && let Ok(stride) = usize::try_from(stride)
                && E::transpose_block(&from[at..], stride, &mut to[i0 * row + j0..], row, streams)
            {
                continue;
            }
            for i in i0..i1 {
                copy_strided(from, at + i - i0, stride, &mut to[i * row + j0..i * row + j1]);
            }
        }
    }
}

/// Counts through the indices of some axes, keeping the offset of the current one.
pub(super) struct Odometer<'a> {
    dims: &'a [usize],
    strides: &'a [isize],
    index: SmallVec<[usize; 8]>,
    pub(super) offset: isize,
}

impl<'a> Odometer<'a> {
    /// Begins at the index of row-major number `start`.
    pub(super) fn new(dims: &'a [usize], strides: &'a [isize], start: usize) -> Odometer<'a> {
        let mut o = Odometer { dims, strides, index: SmallVec::from_elem(0, dims.len()), offset: 0 };
        let mut rest = start;
        for k in (0..dims.len()).rev() {
            o.index[k] = rest % dims[k];
            rest /= dims[k];
            o.offset += o.index[k] as isize * strides[k];
        }
        o
    }

    pub(super) fn advance(&mut self) {
        for k in (0..self.dims.len()).rev() {
            self.index[k] += 1;
            self.offset += self.strides[k];
            if self.index[k] < self.dims[k] {
                return;
            }
            self.offset -= self.dims[k] as isize * self.strides[k];
            self.index[k] = 0;
        }
    }
}

/// The largest ratio of memory that a shared part keeps to the part itself.
const KEPT: usize = 4;

/// Returns a tensor of `shape` whose elements are those of `x` that `walk` visits; a run of them may share the memory
/// of `x`.
pub(crate) fn gathered(threads: Threads, x: &Tensor, walk: &Walk, shape: Shape) -> Result<Tensor> {
    if let ([n], [1]) = (&walk.dims[..], &walk.strides[..])
        && *n == shape.elements()
        && x.buffer().is_some_and(|memory| memory.kept_bytes() / KEPT <= *n * x.dtype().size())
        && let Some(part) = x.shared_part(walk.base, &shape)
    {
        return Ok(part);
    }
    let mut out = Tensor::new(x.dtype(), shape)?;
    by_size!(x.dtype(), E, walk.read(threads, E::view(x)?, E::view_mut(&mut out)?))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_writing_follow_the_definition() {
        let from: Vec<u32> = (0..210 * 40).collect();
        let cases: &[(&[usize], &[isize], usize)] = &[
            (&[], &[], 3),
            (&[5], &[1], 2),
            (&[5], &[0], 2),
            (&[5], &[-3], 20),
            (&[0, 5], &[1, 1], 0),
            (&[7, 6], &[6, 1], 0),
            (&[6, 7], &[1, 6], 0),
            (&[70, 90], &[1, 70], 5),
            (&[3, 70, 20], &[1400, 1, 70], 0),
            (&[20, 3, 70], &[1, 1400, 20], 0),
            (&[20, 3, 2, 17], &[1, 700, 20, 40], 0),
            (&[5, 6, 7], &[1, -5, 30], 30),
            (&[2, 3, 4], &[0, 1, 0], 9),
            (&[50, 3], &[1, 0], 9),
            (&[2, 40, 2], &[0, -7, 0], 600),
            (&[3, 4, 3], &[100, 0, 0], 1),
        ];
        for &(dims, strides, base) in cases {
            let mut walk = Walk::new(base);
            dims.iter().zip(strides).for_each(|(&d, &s)| walk.push(d, s));
            let n: usize = dims.iter().product();
            let mut expected = Vec::new();
            for number in 0..n {
                expected.push(from[(base as isize + Odometer::new(dims, strides, number).offset) as usize]);
            }
            for threads in [1, 3] {
                let mut got = vec![0; n];
                walk.read(Threads::new(threads), &from, &mut got).unwrap();
                assert_eq!(got, expected, "{dims:?} {strides:?}");
            }
            if !strides.contains(&0) {
                let mut back = vec![0u32; from.len()];
                walk.write(&expected, &mut back).unwrap();
                let touched = back.iter().filter(|&&x| x != 0).count();
                assert!(expected.iter().all(|&x| back[x as usize] == x));
                assert_eq!(touched, expected.iter().filter(|&&x| x != 0).count());
            }
        }
    }

    #[test]
    fn a_view_outside_the_array_is_refused() {
        let from = [1u32, 2, 3];
        for (dim, stride, base) in [(4, 1, 0), (2, 1, 2), (2, -1, 0), (2, isize::MAX, 1)] {
            let mut walk = Walk::new(base);
            walk.push(dim, stride);
            assert!(walk.read(Threads::single(), &from, &mut vec![0; dim]).is_err());
            assert!(walk.write(&vec![0; dim], &mut from.to_vec()).is_err());
        }
        assert!(Walk::new(0).read(Threads::single(), &from, &mut [0; 2]).is_err());
    }
}
