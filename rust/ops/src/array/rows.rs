//! Joining and cutting along one axis: arrays as rows, of which each part owns a run of columns.

use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{DType, Movable, Result, Shape, Tensor, by_size, ensure};

/// Elements of one parallel block. It is small: joined data was mostly just written, and split data is mostly read
/// next, by another core. Moving lines between cores takes longer than copying them.
const BLOCK: usize = 1 << 13;

/// Parts that one tensor may be cut into. A tensor without elements may have any number of rows.
pub(crate) const MAX_PARTS: usize = 1 << 27;

/// Returns a tensor of `shape` whose `outer` rows are the rows of `parts`, side by side.
///
/// Errors: `Internal` where the parts do not make up the shape.
pub(crate) fn join(threads: Threads, parts: &[Tensor], outer: usize, shape: Shape) -> Result<Tensor> {
    let Some(first) = parts.first() else { return Tensor::new(DType::F32, shape) };
    if matches!(first.dtype(), DType::Resource | DType::Variant) {
        return join_objects(threads, first.dtype(), parts, outer, shape);
    }
    let mut out = Tensor::new(first.dtype(), shape)?;
    by_size!(first.dtype(), E, {
        let views = parts.iter().map(E::view).collect::<Result<Vec<_>>>()?;
        join_slices(threads, &views, outer, E::view_mut(&mut out)?)
    })?;
    Ok(out)
}

/// Returns `join` for elements that are references.
fn join_objects(threads: Threads, dtype: DType, parts: &[Tensor], outer: usize, shape: Shape) -> Result<Tensor> {
    let mut all = Vec::new();
    let mut numbers: Vec<Vec<u64>> = Vec::with_capacity(parts.len());
    for part in parts {
        let objects = part.objects()?;
        numbers.push((all.len() as u64..(all.len() + objects.len()) as u64).collect());
        all.extend_from_slice(objects);
    }
    let views: Vec<&[u64]> = numbers.iter().map(Vec::as_slice).collect();
    let mut places = vec![0u64; all.len()];
    join_slices(threads, &views, outer, &mut places)?;
    Tensor::from_objects(dtype, shape, places.into_iter().map(|p| all[p as usize].clone()).collect())
}

fn join_slices<E: Movable>(threads: Threads, parts: &[&[E]], outer: usize, to: &mut [E]) -> Result<()> {
    let total: usize = parts.iter().map(|p| p.len()).sum();
    let whole = outer != 0 && parts.iter().all(|p| p.len() % outer == 0);
    ensure!(total == to.len() && (total == 0 || whole), Internal, "parts of {total} elements do not fill {}", to.len());
    if total == 0 {
        return Ok(());
    }
    if outer == 1 {
        let mut rest = to;
        for part in parts {
            let (here, after) = rest.split_at_mut(part.len());
            try_for_chunks_mut(threads, here, BLOCK, |start, chunk| {
                chunk.clone_from_slice(&part[start..start + chunk.len()]);
            })?;
            rest = after;
        }
        return Ok(());
    }
    let row = total / outer;
    try_for_chunks_mut(threads, to, (BLOCK / row).max(1) * row, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(row).enumerate() {
            let r = start / row + k;
            let mut at = 0;
            for part in parts {
                let width = part.len() / outer;
                line[at..at + width].clone_from_slice(&part[r * width..(r + 1) * width]);
                at += width;
            }
        }
    })?;
    Ok(())
}

/// Returns tensors of `shapes` that hold, side by side, the columns of the `outer` rows of `x`. Parts of a single row
/// may share the memory of `x`.
///
/// Errors: `Internal` where the shapes do not make up `x`.
pub(crate) fn cut(threads: Threads, x: &Tensor, outer: usize, shapes: &[Shape]) -> Result<Vec<Tensor>> {
    let total: usize = shapes.iter().map(Shape::elements).sum();
    ensure!(total == x.elements(), Internal, "parts of {total} elements do not make up {x:?}");
    let row = total / outer.max(1);
    let mut first = 0;
    let mut parts = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let width = shape.elements() / outer.max(1);
        if outer == 1
            && let Some(part) = x.shared_part(first, shape)
        {
            parts.push(part);
        } else {
            let mut part = Tensor::new(x.dtype(), shape.clone())?;
            by_size!(x.dtype(), E, cut_slice(threads, E::view(x)?, (row, first, width), E::view_mut(&mut part)?))?;
            parts.push(part);
        }
        first += width;
    }
    Ok(parts)
}

/// Returns the parts of a tensor of one dimension or more along the first one.
///
/// Errors: `ResourceExhausted` where they are more than `MAX_PARTS`.
pub(crate) fn rows(threads: Threads, x: &Tensor) -> Result<Vec<Tensor>> {
    let count = x.shape()[0];
    ensure!(count <= MAX_PARTS, ResourceExhausted, "A tensor of {count} rows: at most {MAX_PARTS} can be cut");
    cut(threads, x, 1, &vec![Shape::new(&x.shape()[1..]); count])
}

/// Copies columns `first..first + width` of the rows of length `row`.
fn cut_slice<E: Movable>(
    threads: Threads,
    from: &[E],
    (row, first, width): (usize, usize, usize),
    to: &mut [E],
) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    if width == to.len() {
        let from = &from[first..first + width];
        try_for_chunks_mut(threads, to, BLOCK, |start, chunk| {
            chunk.clone_from_slice(&from[start..start + chunk.len()]);
        })?;
        return Ok(());
    }
    try_for_chunks_mut(threads, to, (BLOCK / width).max(1) * width, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(width).enumerate() {
            let at = (start / width + k) * row + first;
            line.clone_from_slice(&from[at..at + width]);
        }
    })?;
    Ok(())
}
