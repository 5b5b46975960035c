//! The gradient of a convolution's input.

use crate::shape::product;
use std::ops::Range;

use super::depthwise::reach_back;
use super::padding::Image;
use super::scratch::Scratch;
use super::{ConvFloat, Geometry, Placed, Window, Windows};
use crate::gemm::{MatRef, PatchAxis, PatchFloat, Spread};
use crate::status::{Result, Status};
use crate::threads::{SharedSlice, Threads, try_for_blocks, try_for_chunks_mut};
use crate::transpose;

/// With up to this many channels of the input, most of a register would be empty in products that give them.
const NARROW_INPUTS: usize = 4;

/// Columns that fill one.
const LEAST_COLUMNS: usize = 8;

/// A product larger than this takes too much memory.
const MOST_ELEMENTS: usize = 64 << 20;

/// A product larger than this leaves the cache before it is added up.
const CACHED_ELEMENTS: usize = 4 << 20;

/// The cost of adding an element of a product to its point, in multiplications.
const ADD_COST: usize = 24;

/// Fewest points of a line of a phase that a product writes where they belong: fewer make low tiles.
const FEWEST_PLACED: usize = 8;

/// Elements of a copy worth a task.
const TASK_ELEMENTS: usize = 1 << 15;

/// The points `start`, `start + stride` .. of the input along one dimension. Each is the sum over the filter's points
/// `taps`, from last to first, of the output's points that `axis` gives.
struct Phase {
    start: usize,
    taps: Vec<usize>,
    axis: PatchAxis,
}

/// Returns the phases that some point of the filter reaches.
fn phases(w: &Window) -> Vec<Phase> {
    let mut found = Vec::new();
    for start in 0..w.stride.min(w.input) {
        let taps: Vec<usize> = (0..w.filter)
            .rev()
            .filter(|tap| (start + w.before).abs_diff(tap * w.dilation).is_multiple_of(w.stride))
            .collect();
        let Some(&last) = taps.first() else { continue };
        let first = ((start + w.before) as isize - (last * w.dilation) as isize) / w.stride as isize;
        let tap_step = taps.get(1).map_or(1, |next| (last - next) * w.dilation / w.stride);
        let count = (w.input - start).div_ceil(w.stride);
        let axis = PatchAxis { size: w.output, count, first, step: 1, taps: taps.len(), tap_step };
        found.push(Phase { start, taps, axis });
    }
    found
}

/// Computes in `gradient` the gradient, by the input, of the convolution whose output has the gradient `output`.
///
/// # Errors
/// `InvalidArgument` when a slice does not have the geometry's size; `ResourceExhausted` for lack of memory.
pub fn backward_input<T: ConvFloat>(
    threads: Threads,
    geometry: &Geometry,
    filter: &[T],
    output: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let matrix = geometry.filter(filter)?;
    if gradient.is_empty() {
        return Ok(());
    }
    if geometry.outputs == 0 || geometry.space.iter().any(|w| w.output == 0 || w.filter == 0) {
        gradient.fill(T::default());
        return Ok(());
    }
    if geometry.is_product() {
        let points = product(geometry.space.iter().map(|w| w.output).chain([geometry.batch]));
        let output = MatRef::row_major(output, points, geometry.outputs)?;
        return T::matrix_by_matrix(threads, output, matrix.transposed(), gradient, None);
    }
    if let Some(columns) = narrow_columns(geometry, output.len()) {
        return by_columns(threads, geometry, columns, matrix, output, gradient);
    }
    let found = geometry.space.map(|w| phases(&w));
    if few_outputs(geometry, &found) {
        return by_windows(threads, geometry, matrix, output, gradient);
    }
    let strided = geometry.space.iter().any(|w| w.stride != 1);
    let points = |w: &Window, p: &[Phase]| p.iter().map(|p| p.axis.count).sum::<usize>() == w.input;
    if !geometry.space.iter().zip(&found).all(|(w, p)| points(w, p)) {
        try_for_chunks_mut(threads, gradient, TASK_ELEMENTS, |_, chunk| chunk.fill(T::default()))?;
    }
    let axes = found.each_ref().map(|phases| phases.iter().map(|p| p.axis).collect::<Vec<_>>());
    let mut image = None;
    for d in &found[0] {
        for h in &found[1] {
            for w in &found[2] {
                let taps = [&d.taps[..], &h.taps[..], &w.taps[..]];
                let transposed = transposed(threads, geometry, filter, taps)?;
                let (batch, inputs, outputs) = (geometry.batch, geometry.outputs, geometry.inputs);
                let pass = Windows { batch, axes: [d.axis, h.axis, w.axis], inputs, outputs };
                let places = places(geometry, [d, h, w], gradient.len())?;
                let placed = Placed { values: gradient, places: &places };
                if T::forward_shorter(threads, &pass, output, transposed.get(), placed, None)? {
                    continue;
                }
                let image: &Image<'_, T> = match &mut image {
                    Some(image) => image,
                    none => {
                        let axes = axes.each_ref().map(|axes| &axes[..]);
                        none.insert(Image::new(threads, output, batch, axes, inputs, outputs, false)?)
                    }
                };
                let windows = image.windows(pass.axes)?;
                let matrix = MatRef::row_major(transposed.get(), windows.cols(), outputs)?;
                if strided && w.axis.count >= FEWEST_PLACED {
                    T::patches_by_matrix_spread(threads, &windows, matrix, gradient, &places)?;
                } else if strided {
                    let mut part = Scratch::new(&[windows.rows(), outputs])?;
                    T::patches_by_matrix(threads, &windows, matrix, part.get_mut(), None)?;
                    place(threads, geometry, [d, h, w], part.get(), gradient)?;
                } else {
                    T::patches_by_matrix(threads, &windows, matrix, gradient, None)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the columns of the product of the output's gradient with the whole filter, where that is better than
/// products of few columns.
fn narrow_columns(g: &Geometry, output: usize) -> Option<usize> {
    let columns = g.taps() * g.inputs;
    let elements = (output / g.outputs.max(1)).checked_mul(columns)?;
    (g.inputs <= NARROW_INPUTS && g.outputs > 0 && columns >= LEAST_COLUMNS && elements <= MOST_ELEMENTS)
        .then_some(columns)
}

/// Returns true if most of what the products of phases multiply is padding: an output much smaller than the input.
fn few_outputs(g: &Geometry, phases: &[Vec<Phase>; 3]) -> bool {
    let of_phases =
        product(phases.iter().map(|phases| phases.iter().map(|p| p.axis.count * p.taps.len()).sum::<usize>()));
    let of_outputs = product(g.space.iter().map(|w| w.output * w.filter));
    let elements = g.batch.saturating_mul(of_outputs).saturating_mul(g.inputs);
    let cost = of_outputs.saturating_mul(g.outputs.saturating_add(ADD_COST));
    elements <= CACHED_ELEMENTS && cost.saturating_mul(4) <= of_phases.saturating_mul(g.outputs).saturating_mul(3)
}

/// Multiplies each point of the output by the whole filter, then adds these windows up by lines of the input.
fn by_windows<T: ConvFloat>(
    threads: Threads,
    g: &Geometry,
    filter: MatRef<'_, T>,
    output: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let points = g.space.iter().fold(g.batch, |n, w| n * w.output);
    let columns = g.taps() * g.inputs;
    let mut windows = Scratch::<T>::new(&[points, columns])?;
    let output = MatRef::row_major(output, points, g.outputs)?;
    T::matrix_by_matrix(threads, output, filter.transposed(), windows.get_mut(), None)?;
    let (windows, [d, h, w]) = (windows.get(), g.space);
    let (deep, down) = (reach_back(&d), reach_back(&h));
    let line = w.input * g.inputs;
    try_for_chunks_mut(threads, gradient, (TASK_ELEMENTS / (line * g.taps()).max(1)).max(1) * line, |start, chunk| {
        for (index, line) in (start / line..).zip(chunk.chunks_exact_mut(line)) {
            line.fill(T::default());
            let (y, z, image) = (index % h.input, index / h.input % d.input, index / h.input / d.input);
            for &(z, tap_z) in &deep[z] {
                for &(y, tap_y) in &down[y] {
                    let from = ((image * d.output + z) * h.output + y) * w.output;
                    for tap_x in 0..w.filter {
                        let (first, count) = w.inside(tap_x);
                        let tap = (tap_z * h.filter + tap_y) * w.filter + tap_x;
                        for x in first..first + count {
                            let to = (x * w.stride + tap_x * w.dilation - w.before) * g.inputs;
                            let window = &windows[(from + x) * columns + tap * g.inputs..][..g.inputs];
                            add(window, 1, &mut line[to..]);
                        }
                    }
                }
            }
        }
    })?;
    Ok(())
}

/// Multiplies each point of the output by each point of the filter, then adds the products up by points of the input.
fn by_columns<T: ConvFloat>(
    threads: Threads,
    g: &Geometry,
    columns: usize,
    filter: MatRef<'_, T>,
    output: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let points = g.space.iter().fold(g.batch, |n, w| n * w.output);
    let (lines, width) = (g.batch * g.space[0].input * g.space[1].input, g.space[2].input);
    if points * g.outputs != output.len() || lines * width * g.inputs != gradient.len() {
        return Err(Status::invalid_argument(
            "the gradients of a convolution's input and output do not have its sizes",
        ));
    }
    // One row for each column of the windows: the products of one point of the filter then lie side by side.
    let mut sent = Scratch::<T>::new(&[columns, points])?;
    let output = MatRef::row_major(output, points, g.outputs)?;
    T::matrix_by_matrix(threads, filter, output.transposed(), sent.get_mut(), None)?;
    let (sent, [d, h, w]) = (sent.get(), g.space);
    let (deep, down) = (reach_back(&d), reach_back(&h));
    let line = width * g.inputs;
    try_for_chunks_mut(threads, gradient, (TASK_ELEMENTS / (line * g.taps()).max(1)).max(1) * line, |start, chunk| {
        let mut sums = vec![T::default(); line];
        for (index, line) in (start / line..).zip(chunk.chunks_exact_mut(line)) {
            sums.fill(T::default());
            let (y, z, image) = (index % h.input, index / h.input % d.input, index / h.input / d.input);
            for &(z, tap_z) in &deep[z] {
                for &(y, tap_y) in &down[y] {
                    let from = ((image * d.output + z) * h.output + y) * w.output;
                    for tap_x in 0..w.filter {
                        let (first, count) = w.inside(tap_x);
                        if count == 0 {
                            continue;
                        }
                        let to = first * w.stride + tap_x * w.dilation;
                        let tap = (tap_z * h.filter + tap_y) * w.filter + tap_x;
                        for (channel, sums) in sums.chunks_exact_mut(width).enumerate() {
                            let values = &sent[(tap * g.inputs + channel) * points + from + first..][..count];
                            add(values, w.stride, &mut sums[to - w.before..]);
                        }
                    }
                }
            }
            for (channel, sums) in sums.chunks_exact(width).enumerate() {
                for (to, &sum) in line[channel..].iter_mut().step_by(g.inputs).zip(sums) {
                    *to = sum;
                }
            }
        }
    })?;
    Ok(())
}

/// Adds values to sums that lie `step` apart.
fn add<T: ConvFloat>(values: &[T], step: usize, sums: &mut [T]) {
    if step == 1 {
        for (sum, &value) in sums.iter_mut().zip(values) {
            *sum = *sum + value;
        }
    } else {
        for (sum, &value) in sums.iter_mut().step_by(step).zip(values) {
            *sum = *sum + value;
        }
    }
}

/// Returns the filter's points `taps`, each transposed: `[taps.., outputs, inputs]`.
fn transposed<T: PatchFloat>(threads: Threads, g: &Geometry, filter: &[T], taps: [&[usize]; 3]) -> Result<Scratch<T>> {
    let mut out = Scratch::new(&[taps[0].len(), taps[1].len(), taps[2].len(), g.outputs, g.inputs])?;
    let size = g.inputs * g.outputs;
    try_for_chunks_mut(threads, out.get_mut(), size, |start, to| {
        let index = start / size;
        let (w, rest) = (taps[2][index % taps[2].len()], index / taps[2].len());
        let (h, d) = (taps[1][rest % taps[1].len()], taps[0][rest / taps[1].len()]);
        let tap = (d * g.space[1].filter + h) * g.space[2].filter + w;
        let from = &filter[tap * size..(tap + 1) * size];
        transpose::matrix(from, g.outputs, (g.inputs, g.outputs), to, g.inputs);
    })?;
    Ok(out)
}

/// Returns where the points of one phase belong.
fn places(g: &Geometry, [d, h, w]: [&Phase; 3], len: usize) -> Result<Spread> {
    let [depth, height, width] = g.space.map(|w| w.input);
    let at = ((d.start * height + h.start) * width + w.start) * g.inputs;
    let line = width * g.inputs;
    let [down, right] = [g.space[1].stride * line, g.space[2].stride * g.inputs];
    let steps = [right, down, g.space[0].stride * height * line, depth * height * line];
    Spread::new(at, [w.axis.count, h.axis.count, d.axis.count, g.batch], steps, g.inputs, len)
}

/// Puts the points of one phase where they belong.
fn place<T: PatchFloat>(
    threads: Threads,
    g: &Geometry,
    phase: [&Phase; 3],
    part: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let [d, h, w] = phase.map(|p| p.axis.count);
    let line = w * g.inputs;
    if part.len() != g.batch * d * h * line
        || gradient.len() != g.space.iter().fold(g.batch * g.inputs, |n, w| n * w.input)
    {
        return Err(Status::internal("a phase of a convolution's gradient has a wrong size"));
    }
    let to = SharedSlice::new(gradient);
    try_for_blocks(threads, g.batch * d * h, (TASK_ELEMENTS / line.max(1)).max(1), |lines: Range<usize>| {
        for index in lines {
            let (y, rest) = (index % h, index / h);
            let (z, image) = (rest % d, rest / d);
            let at = |i: usize, position: usize| phase[i].start + position * g.space[i].stride;
            let start = ((image * g.space[0].input + at(0, z)) * g.space[1].input + at(1, y)) * g.space[2].input;
            for (x, from) in part[index * line..(index + 1) * line].chunks_exact(g.inputs).enumerate() {
                let start = (start + at(2, x)) * g.inputs;
                // SAFETY: each point of the gradient belongs to one line of one phase, and each line to one task.
                unsafe { to.range(start..start + g.inputs) }.copy_from_slice(from);
            }
        }
    })?;
    Ok(())
}
