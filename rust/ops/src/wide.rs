//! Tensors of floats in the types that these are computed in: 16-bit floats in f32, the others in themselves.

pub(crate) use ferroflow_tensor::vector::Wide;

use ferroflow_tensor::vector::cast;
use ferroflow_tensor::{DType, Result, Tensor, dispatch};

/// Returns the tensor with its elements in the type that they are computed in.
pub(crate) fn widened(x: Tensor) -> Result<Tensor> {
    dispatch!(x.dtype(), T in [F16, BF16], {
        let mut wide = Tensor::new(DType::F32, x.shape().clone())?;
        cast(x.slice::<T>()?, wide.slice_mut::<f32>()?);
        Ok(wide)
    }, else Ok(x))
}

/// Returns a result of `widened` tensors in the original type.
pub(crate) fn narrowed(x: Tensor, dtype: DType) -> Result<Tensor> {
    dispatch!(dtype, T in [F16, BF16], {
        let mut narrow = Tensor::new(dtype, x.shape().clone())?;
        cast(x.slice::<f32>()?, narrow.slice_mut::<T>()?);
        Ok(narrow)
    }, else Ok(x))
}
