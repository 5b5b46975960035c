//! Reads and checks the inputs that the ops of boosted trees share.

use ferroflow_graph::{KernelContext, ShapeContext};
use ferroflow_tensor::{Bytes, PartialShape, Result, Scalar, Tensor, bail, ensure};

/// Returns the value of a scalar input.
///
/// Errors: `InvalidArgument` if the input is not a scalar.
pub(super) fn scalar<T: Scalar>(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<T> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be a scalar, got a tensor of shape {}", t.shape());
    t.to_scalar()
}

/// Returns the bytes of a scalar string input.
///
/// Errors: `InvalidArgument` if the input is not a scalar.
pub(super) fn scalar_bytes<'a>(ctx: &'a KernelContext<'_>, i: usize, name: &str) -> Result<&'a Bytes> {
    let t = ctx.input(i)?;
    match t.strings()? {
        [one] if t.rank() == 0 => Ok(one),
        _ => bail!(InvalidArgument, "{name} must be a scalar, got a tensor of shape {}", t.shape()),
    }
}

/// Returns the elements of a vector.
///
/// Errors: `InvalidArgument` if the tensor has another rank than 1.
pub(super) fn vector<'a, T: Scalar>(t: &'a Tensor, name: &str) -> Result<&'a [T]> {
    ensure!(t.rank() == 1, InvalidArgument, "{name} must be a vector, received shape {}", t.shape());
    t.slice()
}

/// Returns the buckets of each feature, vectors of one length.
///
/// Args: `from` is the position of the first feature among the inputs, `count` the number of features.
///
/// Errors: `InvalidArgument` if a feature is not a vector, or the lengths differ.
pub(super) fn buckets<'a>(ctx: &'a KernelContext<'_>, from: usize, count: usize) -> Result<Vec<&'a [i32]>> {
    let features: Result<Vec<&[i32]>> =
        (from..from + count).map(|i| vector(ctx.input(i)?, "bucketized_features")).collect();
    let features = features?;
    let batch = features.first().map_or(0, |f| f.len());
    ensure!(
        features.iter().all(|f| f.len() == batch),
        InvalidArgument,
        "All bucketized features must have the same number of examples, {batch}"
    );
    Ok(features)
}

/// Returns the value of an int attribute that counts something.
pub(super) fn count(value: i64, name: &str) -> Result<usize> {
    match usize::try_from(value) {
        Ok(n) => Ok(n),
        Err(_) => bail!(InvalidArgument, "{name} must not be negative, got {value}"),
    }
}

/// Checks that some inputs are scalars.
pub(super) fn scalars(c: &ShapeContext<'_>, inputs: impl IntoIterator<Item = usize>) -> Result<()> {
    for i in inputs {
        c.input(i)?.with_rank(0)?;
    }
    Ok(())
}

/// Returns the merged shape of the vectors among the inputs from `from` on.
pub(super) fn merged_vectors(c: &ShapeContext<'_>, from: usize, count: usize) -> Result<PartialShape> {
    let mut merged = PartialShape::vector(None);
    for i in from..from + count {
        merged = merged.merge(&c.input(i)?.with_rank(1)?)?;
    }
    Ok(merged)
}
