//! A function of each element of one tensor.

use super::grain;
use crate::dtype::Scalar;
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::{self, Element, Unary};
use crate::{bail, dispatch, ensure};

/// Returns `f` of each element; in the tensor's own memory where nothing else refers to it.
///
/// Errors: `InvalidArgument` where `f` does not exist for the type.
pub fn unary(f: Unary, x: Tensor, threads: Threads) -> Result<Tensor> {
    dispatch!(x.dtype(), T in number, map::<T>(f, x, threads), else {
        bail!(InvalidArgument, "{f:?} is not defined for type {}", x.dtype().schema_name())
    })
}

fn map<T: Scalar + Element>(f: Unary, mut x: Tensor, threads: Threads) -> Result<Tensor> {
    ensure!(f.supports::<T>(), InvalidArgument, "{f:?} is not defined for type {}", x.dtype().schema_name());
    if x.is_unique() {
        let values = x.slice_mut::<T>()?;
        if values.len() <= grain::SLOW {
            vector::unary_in_place(f, values);
        } else {
            try_for_chunks_mut(threads, values, grain::of_unary(f), |_, block| vector::unary_in_place(f, block))?;
        }
        return Ok(x);
    }
    let mut out = Tensor::new(T::DTYPE, x.shape().clone())?;
    let values = x.slice::<T>()?;
    try_for_chunks_mut(threads, out.slice_mut::<T>()?, grain::of_unary(f), |start, block| {
        vector::unary(f, &values[start..start + block.len()], block);
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    #[test]
    fn a_unique_tensor_is_changed_in_place_and_a_shared_one_is_not() {
        let x = Tensor::from_slice([100], &[-2.0f32; 100]).unwrap();
        let shared = x.clone();
        let y = unary(Unary::Neg, x, Threads::single()).unwrap();
        assert_ne!(y.data_ptr(), shared.data_ptr());
        assert_eq!(shared.slice::<f32>().unwrap()[99], -2.0);
        let address = y.data_ptr();
        let z = unary(Unary::Abs, y, Threads::single()).unwrap();
        assert_eq!(z.data_ptr(), address);
        assert_eq!(z.slice::<f32>().unwrap(), [2.0; 100]);
    }

    #[test]
    fn bits_do_not_depend_on_threads_or_sharing() {
        let values: Vec<f32> = (0..100_003).map(|i| (i as f32 - 5e4) * 1e-3).collect();
        let x = Tensor::from_slice([100_003], &values).unwrap();
        for f in [Unary::Exp, Unary::Sin, Unary::Neg] {
            let expected = unary(f, x.clone(), Threads::single()).unwrap();
            for threads in [1, 2, 4] {
                assert!(unary(f, x.deep_copy().unwrap(), Threads::new(threads)).unwrap() == expected);
                assert!(unary(f, x.clone(), Threads::new(threads)).unwrap() == expected);
            }
        }
    }

    #[test]
    fn a_function_that_a_type_lacks_is_refused() {
        let e = unary(Unary::Exp, Tensor::scalar(1i32), Threads::single()).unwrap_err();
        assert_eq!(e.code(), crate::Code::InvalidArgument);
        let strings = Tensor::new(DType::String, [2]).unwrap();
        assert!(unary(Unary::Neg, strings, Threads::single()).is_err());
    }
}
