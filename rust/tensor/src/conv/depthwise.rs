//! Depthwise convolutions over two dimensions of space, with their gradients: each channel of the output sums one channel of the
//! input.
//!
//! A [`Geometry`] here has as its outputs the channels that each channel of the input leads to. Where there are
//! several, the input is first repeated, so that the loops run along channels that lie side by side in all three
//! tensors.

use super::scratch::Scratch;
use super::{Geometry, Window};
use crate::gemm::PatchFloat;
use crate::status::{Result, Status};
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::isa::{Isa, for_each_isa};

/// Channels and points of the result whose sums are held in registers, with AVX2 half of them.
const BLOCK: usize = 16;
const POINTS: usize = 4;

/// Multiplications worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 16;

/// Most parts that the sums of a filter's gradient are cut into.
const MOST_PARTS: usize = 16;

/// For one point of the result along a dimension: points of the other tensor, each with the filter's point that leads there.
pub(super) type Reach = Vec<(usize, usize)>;

/// Returns, for each point of the output, the points of the input that it sums.
fn reach(w: &Window) -> Vec<Reach> {
    (0..w.output)
        .map(|o| {
            let start = o * w.stride;
            let first = w.before.saturating_sub(start).div_ceil(w.dilation);
            let end = (w.input + w.before).saturating_sub(start).div_ceil(w.dilation).min(w.filter);
            (first..end).map(|tap| (start + tap * w.dilation - w.before, tap)).collect()
        })
        .collect()
}

/// Returns, for each point of the input, the points of the output that sum it.
pub(super) fn reach_back(w: &Window) -> Vec<Reach> {
    let mut back = vec![Reach::new(); w.input];
    for (o, points) in reach(w).into_iter().enumerate() {
        for (i, tap) in points {
            back[i].push((o, tap));
        }
    }
    back
}

/// Computes neighbouring points of the result, `POINTS` of them: in each the sum over `taps`, a point of `from` and one
/// of the filter. Points of `from` lie `step` apart.
#[inline(always)]
fn channel_loop<T: PatchFloat, const POINTS: usize>(
    from: &[T],
    step: usize,
    filter: &[T],
    taps: &[(usize, usize)],
    channels: usize,
    out: &mut [T],
) {
    let reach = (POINTS - 1) * step + channels;
    let is_inside = |&(a, f): &(usize, usize)| a + reach <= from.len() && f + channels <= filter.len();
    assert!(out.len() >= POINTS * channels && taps.iter().all(is_inside), "a point outside of its tensor");
    let at = Block { from: from.as_ptr(), step, filter: filter.as_ptr(), taps, channels, out: out.as_mut_ptr() };
    let mut start = 0;
    // SAFETY: each block begins so many channels before the end of a point's as it is wide. All points of the taps and
    // of the result lie in their slices, as asserted.
    unsafe {
        while start + BLOCK <= channels {
            at.compute::<BLOCK, POINTS>(start);
            start += BLOCK;
        }
        if start == channels {
            return;
        }
        // A last block begins within the one before, whose channels it computes once more.
        if channels >= BLOCK {
            at.compute::<BLOCK, POINTS>(channels - BLOCK);
        } else if channels >= 8 {
            at.compute::<8, POINTS>(0);
            at.compute::<8, POINTS>(channels - 8);
        } else {
            for start in 0..channels {
                at.compute::<1, POINTS>(start);
            }
        }
    }
}

/// The operands of `channel_loop`. Addresses, because checks of four slices for each point and tap took longer than the arithmetic.
struct Block<'a, T> {
    from: *const T,
    step: usize,
    filter: *const T,
    taps: &'a [(usize, usize)],
    channels: usize,
    out: *mut T,
}

impl<T: PatchFloat> Block<'_, T> {
    /// Computes `N` channels from `start` on, of `POINTS` points.
    ///
    /// # Safety
    /// These channels lie in the slices for all taps and points.
    #[inline(always)]
    unsafe fn compute<const N: usize, const POINTS: usize>(&self, start: usize) {
        let mut sums = [[T::default(); N]; POINTS];
        for &(a, f) in self.taps {
            // SAFETY: by the contract above, here and below.
            let f = unsafe { &*self.filter.add(f + start).cast::<[T; N]>() };
            for (point, sums) in sums.iter_mut().enumerate() {
                // SAFETY: as above.
                let a = unsafe { &*self.from.add(a + start + point * self.step).cast::<[T; N]>() };
                for i in 0..N {
                    sums[i] = sums[i] + a[i] * f[i];
                }
            }
        }
        for (point, sums) in sums.iter().enumerate() {
            // SAFETY: as above; `out` is the only reference to the result.
            unsafe { *self.out.add(point * self.channels + start).cast::<[T; N]>() = *sums };
        }
    }
}

#[inline(always)]
fn point_loop<T: PatchFloat>(from: &[T], filter: &[T], taps: &[(usize, usize)], channels: usize, out: &mut [T]) {
    channel_loop::<T, 1>(from, 0, filter, taps, channels, out);
}

#[inline(always)]
fn points_loop<T: PatchFloat>(
    from: &[T],
    step: usize,
    filter: &[T],
    taps: &[(usize, usize)],
    channels: usize,
    out: &mut [T],
) {
    channel_loop::<T, POINTS>(from, step, filter, taps, channels, out);
}

/// Adds to `sums[i]` the sum of `x[i] * y[i]` over so many points, which lie the steps apart.
#[inline(always)]
fn pair_loop<T: PatchFloat>(x: &[T], x_step: usize, y: &[T], y_step: usize, points: usize, sums: &mut [T]) {
    let mut start = 0;
    while start + 4 * BLOCK <= sums.len() {
        pair_block::<T, { 4 * BLOCK }>(x, x_step, y, y_step, points, start, sums);
        start += 4 * BLOCK;
    }
    while start + BLOCK <= sums.len() {
        pair_block::<T, BLOCK>(x, x_step, y, y_step, points, start, sums);
        start += BLOCK;
    }
    while start + 4 <= sums.len() {
        pair_block::<T, 4>(x, x_step, y, y_step, points, start, sums);
        start += 4;
    }
    for start in start..sums.len() {
        pair_block::<T, 1>(x, x_step, y, y_step, points, start, sums);
    }
}

#[inline(always)]
fn pair_block<T: PatchFloat, const N: usize>(
    x: &[T],
    x_step: usize,
    y: &[T],
    y_step: usize,
    points: usize,
    start: usize,
    sums: &mut [T],
) {
    let mut found = [T::default(); N];
    for point in 0..points {
        let (a, b) = (point * x_step + start, point * y_step + start);
        let (a, b) = (&x[a..a + N], &y[b..b + N]);
        for i in 0..N {
            found[i] = found[i] + a[i] * b[i];
        }
    }
    for (sum, found) in sums[start..start + N].iter_mut().zip(found) {
        *sum = *sum + found;
    }
}

for_each_isa!(pick_point = point_loop<T: PatchFloat>(from: &[T], filter: &[T], taps: &[(usize, usize)], channels: usize, out: &mut [T]));
for_each_isa!(
    pick_points = points_loop<T: PatchFloat>(from: &[T], step: usize, filter: &[T], taps: &[(usize, usize)], channels: usize, out: &mut [T])
);
for_each_isa!(
    pick_pair = pair_loop<T: PatchFloat>(x: &[T], x_step: usize, y: &[T], y_step: usize, points: usize, sums: &mut [T])
);

/// Returns the distance of the points that `reaches` read, if they are as many as are computed at once, and differ in
/// their place alone.
fn step_of(reaches: &[Reach]) -> Option<usize> {
    let [first, second, ..] = reaches.get(..POINTS)? else { return None };
    let step = second.first()?.0.checked_sub(first.first()?.0)?;
    let follows =
        |a: &Reach, b: &Reach| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| b.1 == a.1 && b.0 == a.0 + step);
    reaches[..POINTS].windows(2).all(|pair| follows(&pair[0], &pair[1])).then_some(step)
}

/// The sizes of one call.
struct Sizes {
    channels: usize,
    batch: usize,
    h: Window,
    w: Window,
}

impl Sizes {
    /// Checks that input, filter and output have these lengths.
    fn of(g: &Geometry, input: usize, filter: usize, output: usize) -> Result<Sizes> {
        let [_, h, w] = g.space;
        let product = |sizes: &[usize]| sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        let fits = product(&[g.batch, h.input, w.input, g.inputs]) == Some(input)
            && product(&[h.filter, w.filter, g.inputs, g.outputs]) == Some(filter)
            && product(&[g.batch, h.output, w.output, g.inputs, g.outputs]) == Some(output)
            && product(&[g.batch, h.input, w.input, g.inputs, g.outputs]).is_some()
            && g.space[0] == Window::FLAT;
        if !fits {
            return Err(Status::invalid_argument("the tensors of a depthwise convolution do not have its sizes"));
        }
        Ok(Sizes { channels: g.inputs * g.outputs, batch: g.batch, h, w })
    }
}

/// Returns the tensor with each element repeated.
fn repeated<T: PatchFloat>(threads: Threads, x: &[T], times: usize) -> Result<Scratch<T>> {
    let mut out = Scratch::new(&[x.len(), times])?;
    let times = times.max(1);
    try_for_chunks_mut(threads, out.get_mut(), (TASK_PRODUCTS / times).max(1) * times, |start, out| {
        for (out, &value) in out.chunks_mut(times).zip(&x[start / times..]) {
            out.fill(value);
        }
    })?;
    Ok(out)
}

/// Computes each point of `out`: the sum over the points it reaches of `from` times the filter's point.
fn gather<T: PatchFloat>(
    threads: Threads,
    sizes: &Sizes,
    (lines, width): (usize, usize),
    (down, across): (&[Reach], &[Reach]),
    from: &[T],
    filter: &[T],
    out: &mut [T],
) -> Result<()> {
    let (channels, line) = (sizes.channels, across.len() * sizes.channels);
    if line == 0 {
        return Ok(());
    }
    let (run, run_points) = (pick_point::<T>(Isa::current()), pick_points::<T>(Isa::current()));
    let steps: Vec<Option<usize>> = (0..across.len()).map(|x| step_of(&across[x..])).collect();
    let products = line * (sizes.h.filter * sizes.w.filter).max(1);
    try_for_chunks_mut(threads, out, (TASK_PRODUCTS / products).max(1) * line, |start, out| {
        let mut taps = Vec::new();
        for (index, out) in (start / line..).zip(out.chunks_exact_mut(line)) {
            let (image, y) = (index / down.len(), index % down.len());
            let mut x = 0;
            while let Some(reach) = across.get(x) {
                taps.clear();
                for &(y, tap_y) in &down[y] {
                    for &(x, tap_x) in reach {
                        let point = (image * lines + y) * width + x;
                        taps.push((point * channels, (tap_y * sizes.w.filter + tap_x) * channels));
                    }
                }
                let out = &mut out[x * channels..];
                // SAFETY: both are versions for an instruction set that this machine has.
                unsafe {
                    if let Some(step) = steps[x] {
                        run_points(from, step * channels, filter, &taps, channels, out);
                        x += POINTS;
                    } else {
                        run(from, filter, &taps, channels, out);
                        x += 1;
                    }
                }
            }
        }
    })?;
    Ok(())
}

/// Computes in `output` the depthwise convolution: channel `c * outputs + q` sums channel c of the input times the
/// filter's `[.., c, q]`.
///
/// # Errors
/// `InvalidArgument` when a slice does not have the geometry's size; `ResourceExhausted` for lack of memory.
pub fn depthwise_forward<T: PatchFloat>(
    threads: Threads,
    geometry: &Geometry,
    input: &[T],
    filter: &[T],
    output: &mut [T],
) -> Result<()> {
    let sizes = Sizes::of(geometry, input.len(), filter.len(), output.len())?;
    if output.is_empty() {
        return Ok(());
    }
    let copy = if geometry.outputs == 1 { None } else { Some(repeated(threads, input, geometry.outputs)?) };
    let input = copy.as_ref().map_or(input, Scratch::get);
    let (h, w) = (sizes.h, sizes.w);
    gather(threads, &sizes, (h.input, w.input), (&reach(&h), &reach(&w)), input, filter, output)
}

/// Computes in `gradient` the gradient, by the input, of the depthwise convolution whose output has the gradient
/// `output`.
///
/// # Errors
/// As for [`depthwise_forward`].
pub fn depthwise_backward_input<T: PatchFloat>(
    threads: Threads,
    geometry: &Geometry,
    filter: &[T],
    output: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let sizes = Sizes::of(geometry, gradient.len(), filter.len(), output.len())?;
    if gradient.is_empty() {
        return Ok(());
    }
    let (h, w, times) = (sizes.h, sizes.w, geometry.outputs);
    if times == 0 {
        gradient.fill(T::default());
        return Ok(());
    }
    let reaches = (&reach_back(&h)[..], &reach_back(&w)[..]);
    if times == 1 {
        return gather(threads, &sizes, (h.output, w.output), reaches, output, filter, gradient);
    }
    let mut each = Scratch::new(&[gradient.len(), times])?;
    gather(threads, &sizes, (h.output, w.output), reaches, output, filter, each.get_mut())?;
    let each = each.get();
    try_for_chunks_mut(threads, gradient, TASK_PRODUCTS, |start, gradient| {
        for (sum, each) in gradient.iter_mut().zip(each[start * times..].chunks_exact(times)) {
            *sum = each.iter().fold(T::default(), |sum, &value| sum + value);
        }
    })?;
    Ok(())
}

/// Computes in `gradient` the gradient by the filter of the depthwise convolution whose output has the gradient
/// `output`. Sums over parts of the lines are added in order.
///
/// # Errors
/// As for [`depthwise_forward`].
pub fn depthwise_backward_filter<T: PatchFloat>(
    threads: Threads,
    geometry: &Geometry,
    input: &[T],
    output: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let sizes = Sizes::of(geometry, input.len(), gradient.len(), output.len())?;
    gradient.fill(T::default());
    if gradient.is_empty() || output.is_empty() || input.is_empty() {
        return Ok(());
    }
    let copy = if geometry.outputs == 1 { None } else { Some(repeated(threads, input, geometry.outputs)?) };
    let input = copy.as_ref().map_or(input, Scratch::get);
    let (channels, h, w) = (sizes.channels, sizes.h, sizes.w);
    let (down, lines) = (reach(&h), sizes.batch * h.output);
    // By point of the filter: the windows in which the point is inside the line.
    let spans: Vec<_> = (0..w.filter).map(|tap| w.inside(tap)).collect();
    let products = w.output * channels * h.filter * w.filter;
    let parts = (lines.saturating_mul(products) / TASK_PRODUCTS).clamp(1, MOST_PARTS).min(lines);
    let part = lines.div_ceil(parts);
    let run = pick_pair::<T>(Isa::current());
    let mut sums = Scratch::<T>::new(&[lines.div_ceil(part), gradient.len()])?;
    let size = gradient.len();
    try_for_chunks_mut(threads, sums.get_mut(), size, |start, sum| {
        sum.fill(T::default());
        let first = start / size * part;
        for line in first..lines.min(first + part) {
            let (image, y) = (line / h.output, line % h.output);
            for &(y, tap_y) in &down[y] {
                for (tap_x, &(from, points)) in spans.iter().enumerate() {
                    if points == 0 {
                        continue;
                    }
                    let x = from * w.stride + tap_x * w.dilation - w.before;
                    let x = &input[((image * h.input + y) * w.input + x) * channels..];
                    let dy = &output[(line * w.output + from) * channels..];
                    let at = (tap_y * w.filter + tap_x) * channels;
                    // SAFETY: `run` is the version for an instruction set that this machine has.
                    unsafe { run(x, w.stride * channels, dy, channels, points, &mut sum[at..at + channels]) };
                }
            }
        }
    })?;
    for sum in sums.get().chunks_exact(size) {
        for (total, &value) in gradient.iter_mut().zip(sum) {
            *total = *total + value;
        }
    }
    Ok(())
}
