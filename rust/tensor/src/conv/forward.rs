//! The convolution itself.

use super::scratch::Scratch;
use super::{ConvFloat, Geometry, Window};
use crate::gemm::{Epilogue, MatRef, patches_by_matrix_wrapping};
use crate::shape::product;
use crate::status::Result;
use crate::threads::{Threads, try_for_chunks_mut};

/// Lines of a window with up to this many elements: finding their ends costs more than a copy of the input with zeros
/// around.
const SHORT_LINE: usize = 16;

/// Elements of a copy worth a task.
const TASK_ELEMENTS: usize = 1 << 15;

/// Computes `output = activation(input convolved with filter + bias)`.
///
/// # Errors
/// `InvalidArgument` when a slice does not have the geometry's size; `ResourceExhausted` for lack of memory.
pub fn forward<T: ConvFloat>(
    threads: Threads,
    geometry: &Geometry,
    input: &[T],
    filter: &[T],
    output: &mut [T],
    epilogue: Option<&Epilogue<'_, T>>,
) -> Result<()> {
    let windows = geometry.windows(input)?;
    let matrix = geometry.filter(filter)?;
    if output.is_empty() && (windows.rows() == 0 || geometry.outputs == 0) {
        return Ok(());
    }
    if geometry.is_product() {
        let points = MatRef::row_major(input, windows.rows(), geometry.inputs)?;
        return T::matrix_by_matrix(threads, points, matrix, output, epilogue);
    }
    if T::forward_shorter(threads, geometry, input, filter, output, epilogue)? {
        return Ok(());
    }
    if let Some(wider) = with_zeros(geometry) {
        let input = padded(threads, geometry, &wider, input)?;
        return T::patches_by_matrix(threads, &wider.windows(input.get())?, matrix, output, epilogue);
    }
    T::patches_by_matrix(threads, &windows, matrix, output, epilogue)
}

/// Returns the same convolution of an input that has the zeros around it, where that is worth a copy.
fn with_zeros(g: &Geometry) -> Option<Geometry> {
    let last = &g.space[2];
    let span = |count: usize, step: usize| count.saturating_sub(1).saturating_mul(step);
    let reach = |w: &Window| span(w.output, w.stride).saturating_add(span(w.filter, w.dilation)).saturating_add(1);
    let is_inside = |w: &Window| w.before == 0 && reach(w) <= w.input;
    let wider = g.space.map(|w| Window { input: reach(&w).max(w.before + w.input), before: 0, ..w });
    let size = |space: &[Window; 3]| product(space.iter().map(|w| w.input));
    let pays = g.inputs * last.filter <= SHORT_LINE && g.inputs > 0 && size(&wider) <= size(&g.space).saturating_mul(2);
    (pays && !g.space.iter().all(is_inside)).then_some(Geometry { space: wider, ..*g })
}

/// Returns the input of the geometry as that of the wider one.
fn padded<T: ConvFloat>(threads: Threads, g: &Geometry, wider: &Geometry, input: &[T]) -> Result<Scratch<T>> {
    let [d, h, w] = wider.space.map(|w| w.input);
    let mut out = Scratch::new(&[g.batch, d, h, w, g.inputs])?;
    let (line, width) = (w * g.inputs, g.space[2].input * g.inputs);
    let lines = (TASK_ELEMENTS / line.max(1)).max(1);
    try_for_chunks_mut(threads, out.get_mut(), lines * line, |start, chunk| {
        for (index, to) in (start / line..).zip(chunk.chunks_exact_mut(line)) {
            to.fill(T::default());
            let (y, z, image) = (index % h, index / h % d, index / h / d);
            let inside = |i: usize, at: usize| at.checked_sub(g.space[i].before).filter(|&at| at < g.space[i].input);
            if let Some((z, y)) = inside(0, z).zip(inside(1, y)) {
                let from = ((image * g.space[0].input + z) * g.space[1].input + y) * width;
                to[g.space[2].before * g.inputs..][..width].copy_from_slice(&input[from..from + width]);
            }
        }
    })?;
    Ok(out)
}

/// Computes `output = input convolved with filter` for integers; overflow wraps around.
///
/// # Errors
/// As for [`forward`].
pub fn forward_wrapping(
    threads: Threads,
    geometry: &Geometry,
    input: &[i32],
    filter: &[i32],
    output: &mut [i32],
) -> Result<()> {
    patches_by_matrix_wrapping(threads, &geometry.windows(input)?, geometry.filter(filter)?, output)
}
