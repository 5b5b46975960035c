//! `Precision`: the float types of convolutions, each with the type in which its sums are taken.

use ferroflow_tensor::conv::ConvFloat;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bf16, elementwise, f16};

/// A float type whose convolutions are taken in `Sum`.
pub(super) trait Precision: Scalar {
    type Sum: Scalar + ConvFloat;
}

impl Precision for f32 {
    type Sum = f32;
}
impl Precision for f64 {
    type Sum = f64;
}
impl Precision for f16 {
    type Sum = f32;
}
impl Precision for bf16 {
    type Sum = f32;
}

/// Returns the tensor in the type of the sums.
pub(super) fn widened<T: Precision>(threads: Threads, x: Tensor) -> Result<Tensor> {
    cast(threads, x, <T::Sum as Scalar>::DTYPE)
}

/// Returns sums in the type of the op.
pub(super) fn narrowed<T: Precision>(threads: Threads, x: Tensor) -> Result<Tensor> {
    cast(threads, x, T::DTYPE)
}

fn cast(threads: Threads, x: Tensor, to: DType) -> Result<Tensor> {
    if x.dtype() == to { Ok(x) } else { elementwise::cast(x, to, threads) }
}
