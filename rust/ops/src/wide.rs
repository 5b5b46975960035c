//! The types that floats are computed in: 16-bit floats in f32, the others in themselves; by element and by tensor.

use ferroflow_tensor::vector::{Element, Reducible, cast};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bf16, dispatch, f16};
use num_traits::Float;

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

pub(crate) trait Wide: Scalar + Element {
    type In: Float + Scalar + Reducible;
    fn widen(self) -> Self::In;
    fn narrow(x: Self::In) -> Self;
    /// Returns the value of a float attribute, as TensorFlow casts it: to the element type first.
    fn of_attr(x: f32) -> Self::In;
}

macro_rules! native {
    ($($t:ty),*) => {$(
        impl Wide for $t {
            type In = $t;
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(x: $t) -> $t {
                x
            }
            fn of_attr(x: f32) -> $t {
                x.into()
            }
        }
    )*};
}
native!(f32, f64);

macro_rules! half {
    ($($t:ty),*) => {$(
        impl Wide for $t {
            type In = f32;
            #[inline(always)]
            fn widen(self) -> f32 {
                self.to_f32()
            }
            #[inline(always)]
            fn narrow(x: f32) -> $t {
                <$t>::from_f32(x)
            }
            fn of_attr(x: f32) -> f32 {
                <$t>::from_f32(x).to_f32()
            }
        }
    )*};
}
half!(f16, bf16);
