//! Depthwise convolutions over two dimensions of space, with their gradients: each channel of the output sums one channel of the
//! input.
//!
//! A [`Geometry`] here has as its outputs the channels that each channel of the input leads to. Where there are
//! several, the input is first repeated, so that the loops run along channels that lie side by side in all three
//! tensors. Where there are many, the forward loops run along those of one channel of the input instead.

use super::scratch::Scratch;
use super::{Geometry, Window};
use crate::gemm::PatchFloat;
use crate::status::{Result, Status};
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::isa::{Isa, for_each_isa};
use std::ops::Range;

/// Channels and points of the result whose sums are held in registers, with AVX2 half of them.
const BLOCK: usize = 16;
const POINTS: usize = 4;

/// From so many outputs of a channel on, the loops run along these.
const MANY_OUTPUTS: usize = 8;

/// So many outputs more than whole blocks are computed one by one, with a loop along the channels of the input.
const FEW_OUTPUTS: usize = 4;
/// Fewest points of a filter for which this repays the copies of the outputs.
const MANY_TAPS: usize = 32;

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
        // As many sums as for several points, so that the additions of one need not wait for each other.
        while POINTS == 1 && start + 4 * BLOCK <= channels {
            at.compute::<{ 4 * BLOCK }, POINTS>(start);
            start += 4 * BLOCK;
        }
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

/// Computes points as [`channel_loop`] does, where each channel of `from` leads to `times` channels, at least
/// `MANY_OUTPUTS`.
#[inline(always)]
fn outputs_loop<T: PatchFloat, const POINTS: usize>(
    from: &[T],
    step: usize,
    filter: &[T],
    taps: &[(usize, usize)],
    (inputs, times): (usize, usize),
    out: &mut [T],
) {
    let (channels, reach) = (inputs * times, (POINTS - 1) * step + inputs);
    let is_inside = |&(a, f): &(usize, usize)| a + reach <= from.len() && f + channels <= filter.len();
    assert!(times >= MANY_OUTPUTS && out.len() >= POINTS * channels, "too few channels");
    assert!(taps.iter().all(is_inside), "a point outside of its tensor");
    let at = Block { from: from.as_ptr(), step, filter: filter.as_ptr(), taps, channels, out: out.as_mut_ptr() };
    let mut input = 0;
    while input < inputs {
        // As in `channel_loop`.
        let group = if POINTS == 1 && input + 4 <= inputs { 4 } else { 1 };
        let width = if times >= BLOCK { BLOCK } else { MANY_OUTPUTS };
        let mut output = 0;
        while output < times {
            // The last block begins within the one before, whose channels it computes once more.
            let first = output.min(times - width);
            // SAFETY: the block has `width` of the `times` outputs of `group` of the inputs. All points of the taps and of
            // the result lie in their slices, as asserted.
            unsafe {
                match (group, width) {
                    (4, BLOCK) => at.outputs::<BLOCK, POINTS, 4>(input, times, first),
                    (4, _) => at.outputs::<MANY_OUTPUTS, POINTS, 4>(input, times, first),
                    (_, BLOCK) => at.outputs::<BLOCK, POINTS, 1>(input, times, first),
                    _ => at.outputs::<MANY_OUTPUTS, POINTS, 1>(input, times, first),
                }
            }
            output += width;
        }
        input += group;
    }
}

#[inline(always)]
fn point_outputs<T: PatchFloat>(
    from: &[T],
    filter: &[T],
    taps: &[(usize, usize)],
    channels: (usize, usize),
    out: &mut [T],
) {
    outputs_loop::<T, 1>(from, 0, filter, taps, channels, out);
}

#[inline(always)]
fn points_outputs<T: PatchFloat>(
    from: &[T],
    step: usize,
    filter: &[T],
    taps: &[(usize, usize)],
    channels: (usize, usize),
    out: &mut [T],
) {
    outputs_loop::<T, POINTS>(from, step, filter, taps, channels, out);
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

impl<T: PatchFloat> Block<'_, T> {
    /// Computes `N` of the `times` outputs, from `first` on, of `INPUTS` channels of the input from `input` on, of `POINTS` points.
    ///
    /// # Safety
    /// These channels lie in the slices for all taps and points.
    #[inline(always)]
    unsafe fn outputs<const N: usize, const POINTS: usize, const INPUTS: usize>(
        &self,
        input: usize,
        times: usize,
        first: usize,
    ) {
        let start = input * times + first;
        let mut sums = [[[T::default(); N]; INPUTS]; POINTS];
        for &(a, f) in self.taps {
            for channel in 0..INPUTS {
                // SAFETY: by the contract above, here and below.
                let f = unsafe { &*self.filter.add(f + start + channel * times).cast::<[T; N]>() };
                for (point, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: as above.
                    let a = unsafe { *self.from.add(a + input + channel + point * self.step) };
                    for i in 0..N {
                        sums[channel][i] = sums[channel][i] + a * f[i];
                    }
                }
            }
        }
        for (point, sums) in sums.iter().enumerate() {
            for (channel, sums) in sums.iter().enumerate() {
                let at = point * self.channels + start + channel * times;
                // SAFETY: as above; `out` is the only reference to the result.
                unsafe { *self.out.add(at).cast::<[T; N]>() = *sums };
            }
        }
    }
}

/// A line of the input and one of the output, with the points of the filter's line that multiply them.
struct LinePair<'a, T> {
    x: &'a [T],
    /// Distance of the input's points that follow each other in a window's place.
    x_step: usize,
    y: &'a [T],
    channels: usize,
    taps: &'a [Tap],
}

/// The part of a line that one point of the filter multiplies.
#[derive(Clone, Copy)]
struct Tap {
    /// The outputs, from the first to behind the last.
    from: usize,
    end: usize,
    /// The place in the input's line that the first output multiplies.
    x: usize,
    /// The place of the gradient.
    at: usize,
}

impl<T: PatchFloat> LinePair<'_, T> {
    /// Adds the sums of so many neighbouring taps, from the first one on.
    ///
    /// The outputs that all of them reach come together, so that each is loaded once. A sum has its products in order.
    #[inline(always)]
    fn add<const TAPS: usize>(&self, first: usize, sums: &mut [T]) {
        let Some(taps) = self.taps.get(first..).and_then(|taps| taps.first_chunk::<TAPS>()) else { return };
        let mut start = 0;
        while start + 4 * BLOCK <= self.channels {
            self.block::<TAPS, { 4 * BLOCK }>(taps, start, sums);
            start += 4 * BLOCK;
        }
        while start + BLOCK <= self.channels {
            self.block::<TAPS, BLOCK>(taps, start, sums);
            start += BLOCK;
        }
        if start + 8 <= self.channels {
            self.block::<TAPS, 8>(taps, start, sums);
            start += 8;
        }
        if start + 4 <= self.channels {
            self.block::<TAPS, 4>(taps, start, sums);
            start += 4;
        }
        if start + 2 <= self.channels {
            self.block::<TAPS, 2>(taps, start, sums);
            start += 2;
        }
        for start in start..self.channels {
            self.block::<TAPS, 1>(taps, start, sums);
        }
    }

    #[inline(always)]
    fn block<const TAPS: usize, const N: usize>(&self, taps: &[Tap; TAPS], start: usize, sums: &mut [T]) {
        let low = taps.iter().fold(0, |low, tap| low.max(tap.from));
        let high = taps.iter().fold(usize::MAX, |high, tap| high.min(tap.end)).max(low);
        let mut found = [[T::default(); N]; TAPS];
        for (found, tap) in found.iter_mut().zip(taps) {
            self.multiply(tap, tap.from..low.min(tap.end), start, found);
        }
        if low < high {
            let x: [*const T; TAPS] = taps.each_ref().map(|tap| self.of_input(tap, low, high, start, N).as_ptr());
            let y = self.y[low * self.channels + start..(high - 1) * self.channels + start + N].as_ptr();
            // A copy whose address is never taken stays in registers.
            let mut held: [[T; N]; TAPS] = std::array::from_fn(|tap| std::array::from_fn(|i| found[tap][i]));
            let (mut y, mut offset) = (y, 0);
            for _ in low..high {
                // SAFETY: the slices above reach from the first point's channels to the end of the last one's.
                let b: &[T; N] = unsafe { &*y.cast() };
                for tap in 0..TAPS {
                    // SAFETY: as above.
                    let a: &[T; N] = unsafe { &*x[tap].add(offset).cast() };
                    for i in 0..N {
                        held[tap][i] = held[tap][i] + a[i] * b[i];
                    }
                }
                y = y.wrapping_add(self.channels);
                offset += self.x_step;
            }
            found = held;
        }
        for (found, tap) in found.iter_mut().zip(taps) {
            self.multiply(tap, high.max(tap.from)..tap.end, start, found);
            for (sum, found) in sums[tap.at + start..][..N].iter_mut().zip(found) {
                *sum = *sum + *found;
            }
        }
    }

    /// Returns the input from the channels at `start` that output `low` multiplies to the end of those of `high - 1`.
    #[inline(always)]
    fn of_input(&self, tap: &Tap, low: usize, high: usize, start: usize, width: usize) -> &[T] {
        let from = tap.x + (low - tap.from) * self.x_step + start;
        &self.x[from..from + (high - 1 - low) * self.x_step + width]
    }

    /// Adds the products of some outputs.
    #[inline(always)]
    fn multiply<const N: usize>(&self, tap: &Tap, outputs: Range<usize>, start: usize, found: &mut [T; N]) {
        for point in outputs {
            let a = self.of_input(tap, point, point + 1, start, N);
            let b = &self.y[point * self.channels + start..][..N];
            for i in 0..N {
                found[i] = found[i] + a[i] * b[i];
            }
        }
    }
}

/// Adds to `sums` the products of a line of the input and one of the output, for each point of a line of the filter.
#[inline(always)]
fn pair_loop<T: PatchFloat>(pair: &LinePair<'_, T>, sums: &mut [T]) {
    let mut first = 0;
    while first < pair.taps.len() {
        let count = (pair.taps.len() - first).min(3);
        match count {
            3 => pair.add::<3>(first, sums),
            2 => pair.add::<2>(first, sums),
            _ => pair.add::<1>(first, sums),
        }
        first += count;
    }
}

for_each_isa!(pick_point = point_loop<T: PatchFloat>(from: &[T], filter: &[T], taps: &[(usize, usize)], channels: usize, out: &mut [T]));
for_each_isa!(
    pick_points = points_loop<T: PatchFloat>(from: &[T], step: usize, filter: &[T], taps: &[(usize, usize)], channels: usize, out: &mut [T])
);
for_each_isa!(
    pick_point_outputs = point_outputs<T: PatchFloat>(from: &[T], filter: &[T], taps: &[(usize, usize)], channels: (usize, usize), out: &mut [T])
);
for_each_isa!(
    pick_points_outputs = points_outputs<T: PatchFloat>(from: &[T], step: usize, filter: &[T], taps: &[(usize, usize)], channels: (usize, usize), out: &mut [T])
);
for_each_isa!(pick_pair = pair_loop<T: PatchFloat>(pair: &LinePair<'_, T>, sums: &mut [T]));

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
    /// Channels that each channel `gather` reads leads to: one, or at least `MANY_OUTPUTS`.
    times: usize,
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
        Ok(Sizes { channels: g.inputs * g.outputs, times: 1, batch: g.batch, h, w })
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
    let (channels, times, line) = (sizes.channels, sizes.times, across.len() * sizes.channels);
    if line == 0 {
        return Ok(());
    }
    let inputs = channels / times;
    let (run, run_points) = (pick_point::<T>(Isa::current()), pick_points::<T>(Isa::current()));
    let outputs = (pick_point_outputs::<T>(Isa::current()), pick_points_outputs::<T>(Isa::current()));
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
                        taps.push((point * inputs, (tap_y * sizes.w.filter + tap_x) * channels));
                    }
                }
                let out = &mut out[x * channels..];
                // SAFETY: all are versions for an instruction set that this machine has.
                unsafe {
                    match (steps[x], times) {
                        (Some(step), 1) => run_points(from, step * inputs, filter, &taps, channels, out),
                        (Some(step), _) => outputs.1(from, step * inputs, filter, &taps, (inputs, times), out),
                        (None, 1) => run(from, filter, &taps, channels, out),
                        (None, _) => outputs.0(from, filter, &taps, (inputs, times), out),
                    }
                }
                x += if steps[x].is_some() { POINTS } else { 1 };
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
    let is_repeated = (2..MANY_OUTPUTS).contains(&geometry.outputs);
    let copy = if is_repeated { Some(repeated(threads, input, geometry.outputs)?) } else { None };
    let (input, times) = copy.as_ref().map_or((input, geometry.outputs), |copy| (copy.get(), 1));
    let (down, across) = (reach(&sizes.h), reach(&sizes.w));
    let run = |sizes: &Sizes, filter: &[T], output: &mut [T]| {
        gather(threads, sizes, (sizes.h.input, sizes.w.input), (&down, &across), input, filter, output)
    };
    let whole = times / BLOCK * BLOCK;
    if whole == 0
        || !(1..=FEW_OUTPUTS).contains(&(times - whole))
        || geometry.inputs < MANY_OUTPUTS
        || geometry.taps() < MANY_TAPS
    {
        return run(&Sizes { times, ..sizes }, filter, output);
    }
    // The numbers of the outputs of a channel that are computed together.
    for part in std::iter::once(0..whole).chain((whole..times).map(|output| output..output + 1)) {
        let channels = geometry.inputs * part.len();
        let mut part_filter = Scratch::new(&[filter.len() / times, part.len()])?;
        let mut part_output = Scratch::new(&[output.len() / times, part.len()])?;
        for (to, from) in part_filter.get_mut().chunks_exact_mut(part.len()).zip(filter.chunks_exact(times)) {
            to.copy_from_slice(&from[part.clone()]);
        }
        run(&Sizes { channels, times: part.len(), ..sizes }, part_filter.get(), part_output.get_mut())?;
        let values = part_output.get();
        try_for_chunks_mut(threads, output, TASK_PRODUCTS / times * times, |start, output| {
            let values = values[start / times * part.len()..].chunks_exact(part.len());
            for (to, from) in output.chunks_exact_mut(times).zip(values) {
                to[part.clone()].copy_from_slice(from);
            }
        })?;
    }
    Ok(())
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
    // The points of a line of the filter that any window has inside the input's line.
    let taps = (0..w.filter).filter_map(|tap| {
        let (from, points) = w.inside(tap);
        let x = || (from * w.stride + tap * w.dilation - w.before) * channels;
        (points > 0).then(|| Tap { from, end: from + points, x: x(), at: tap * channels })
    });
    let taps: Vec<Tap> = taps.collect();
    let products = w.output * channels * h.filter * w.filter;
    let parts = (lines.saturating_mul(products) / TASK_PRODUCTS).clamp(1, MOST_PARTS).min(lines);
    let part = lines.div_ceil(parts);
    let run = pick_pair::<T>(Isa::current());
    let mut sums = Scratch::<T>::new(&[lines.div_ceil(part), gradient.len()])?;
    let size = gradient.len();
    let (x_line, y_line, f_line) = (w.input * channels, w.output * channels, w.filter * channels);
    try_for_chunks_mut(threads, sums.get_mut(), size, |start, sum| {
        sum.fill(T::default());
        let first = start / size * part;
        for line in first..lines.min(first + part) {
            let (image, y) = (line / h.output, line % h.output);
            for &(y, tap_y) in &down[y] {
                let pair = LinePair {
                    x: &input[(image * h.input + y) * x_line..][..x_line],
                    x_step: w.stride * channels,
                    y: &output[line * y_line..][..y_line],
                    channels,
                    taps: &taps,
                };
                // SAFETY: `run` is the version for an instruction set that this machine has.
                unsafe { run(&pair, &mut sum[tap_y * f_line..][..f_line]) };
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
