//! Checks of names, slices and their shapes for the ops of checkpoints.

use ferroflow_graph::ShapeContext;
use ferroflow_io::bundle::SliceSpec;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};

/// Returns the one string of an input.
pub(super) fn one_string(t: &Tensor, argument: &str) -> Result<String> {
    match t.strings()? {
        [one] => Ok(String::from_utf8_lossy(one).into_owned()),
        many => bail!(InvalidArgument, "Input {argument} should have a single element, got {} instead.", many.len()),
    }
}

/// Holds names and slices, one for each tensor, against each other.
pub(super) fn check_names(names: &Tensor, slices: &Tensor, tensors: usize) -> Result<()> {
    ensure!(
        names.rank() == 1 && slices.rank() == 1,
        InvalidArgument,
        "Input tensor_names and shape_and_slices should be an 1-D tensors, got {} and {} instead.",
        names.shape(),
        slices.shape()
    );
    ensure!(
        names.elements() == slices.elements(),
        InvalidArgument,
        "tensor_names and shape_and_slices have different number of elements: {} vs. {}",
        names.elements(),
        slices.elements()
    );
    ensure!(
        names.elements() == tensors,
        InvalidArgument,
        "Got {} tensor names but {tensors} tensors.",
        names.elements()
    );
    Ok(())
}

/// Returns the slice that a string describes; `None` for the whole tensor.
pub(super) fn slice_of(text: &[u8]) -> Result<Option<SliceSpec>> {
    SliceSpec::parse(&String::from_utf8_lossy(text))
}

/// Sets output `i` to the shape of the slice that a string describes.
pub(super) fn set_slice_shape(c: &mut ShapeContext<'_>, i: usize, text: &[u8]) -> Result<()> {
    let shape = match slice_of(text)? {
        Some(spec) => PartialShape::from(&spec.shape),
        None => PartialShape::unknown(),
    };
    c.set_output(i, shape);
    Ok(())
}

/// Checks that input `i` is a vector of `n` elements.
pub(super) fn with_length(c: &ShapeContext<'_>, i: usize, n: usize) -> Result<()> {
    c.input(i)?.merge(&PartialShape::vector(Some(n)))?;
    Ok(())
}
