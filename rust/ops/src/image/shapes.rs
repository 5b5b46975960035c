//! Checks of ranks and sizes that shape rules and kernels of images share, and an image of a given size.

use ferroflow_graph::ShapeContext;
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

/// Checks that a known dimension has the one value that it may have.
pub(super) fn dimension_is(shape: &PartialShape, axis: usize, expected: usize) -> Result<()> {
    match shape.dim(axis) {
        Some(d) if d != expected => bail!(InvalidArgument, "Dimension must be {expected} but is {d}"),
        _ => Ok(()),
    }
}

/// Returns the dimension that both shapes have in their first place.
pub(super) fn same_length(a: &PartialShape, b: &PartialShape) -> Result<Option<usize>> {
    match (a.dim(0), b.dim(0)) {
        (Some(x), Some(y)) if x != y => bail!(InvalidArgument, "Dimensions must be equal, but are {x} and {y}"),
        (x, y) => Ok(x.or(y)),
    }
}

/// Returns the height and width where the graph alone decides the size that input `i`, a vector of two integers, holds.
pub(super) fn known_size(c: &ShapeContext<'_>, i: usize) -> Result<[Option<usize>; 2]> {
    let size = c.input(i)?.with_rank(1)?;
    dimension_is(&size, 0, 2)?;
    let Some(&[h, w]) = c.input_i64s(i)?.as_deref() else { return Ok([None, None]) };
    // TF 1.x: -1 is an unknown size here; the step refuses it.
    for n in [h, w] {
        ensure!(n >= -1, InvalidArgument, "Dimension {n} must be >= 0");
    }
    Ok([usize::try_from(h).ok(), usize::try_from(w).ok()])
}

/// Sets output 0 to a batch of images of the size that input `size` holds.
pub(super) fn sized_images(
    c: &mut ShapeContext<'_>,
    batch: Option<usize>,
    size: usize,
    channels: Option<usize>,
) -> Result<()> {
    let [h, w] = known_size(c, size)?;
    c.set_output(0, PartialShape::from_dims(&[batch, h, w, channels]));
    Ok(())
}

/// Sets output 0 to the shape of input 0, of rank 3 at least.
pub(super) fn unchanged_image(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank_at_least(3)?;
    c.set_output(0, s);
    Ok(())
}

/// Returns the height and width that a vector of two integers holds.
pub(super) fn size_of(size: &Tensor) -> Result<[i64; 2]> {
    ensure!(size.rank() == 1, InvalidArgument, "shape_t must be 1-dimensional{}", size.shape());
    match size.to_i64s()?[..] {
        [h, w] => Ok([h, w]),
        _ => bail!(InvalidArgument, "shape_t must have two elements{}", size.shape()),
    }
}

/// Returns `images` with other sizes of height and width.
pub(super) fn resized(images: &Shape, height: i64, width: i64) -> Result<Shape> {
    Shape::checked(&[images[0] as i64, height, width, images[3] as i64])
}

/// Returns the value of a scalar float input.
pub(super) fn scalar_f32(t: &Tensor, name: &str) -> Result<f32> {
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be scalar: {}", t.shape());
    t.to_scalar()
}
