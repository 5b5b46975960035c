//! Names of files as ops are given them.

use ferroflow_tensor::{Bytes, Result, Tensor, bail};

/// Returns the name in a scalar: bytes that need not be UTF-8.
pub(super) fn name_in(t: &Tensor, argument: &str) -> Result<Bytes> {
    match (t.rank(), t.strings()?) {
        (0, [one]) => Ok(one.clone()),
        _ => bail!(InvalidArgument, "Input {argument} tensor must be scalar, but had shape: {}", t.shape()),
    }
}

/// Returns a scalar of bytes.
pub(super) fn scalar(bytes: impl Into<Bytes>) -> Result<Tensor> {
    Tensor::from_strings([], vec![bytes.into()])
}
