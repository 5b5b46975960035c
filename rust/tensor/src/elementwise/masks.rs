//! Masks: booleans as programs have them, which are numbers with all bits or none.

use crate::dtype::{DType, Scalar};
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::{Binary, Element, Operand, binary, on_best_isa};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

/// Writes the mask of each boolean; panics if the lengths differ or the type has no masks.
pub(super) fn fill<T: Element>(booleans: &[bool], out: &mut [T]) {
    assert_eq!(booleans.len(), out.len(), "input and output lengths differ");
    let (none, mut all) = (T::default(), [T::default()]);
    binary(Binary::MaskEqual, Operand::Scalar(none), Operand::Scalar(none), &mut all);
    let [all] = all;
    on_best_isa(|| {
        for (mask, holds) in out.iter_mut().zip(booleans) {
            *mask = if *holds { all } else { none };
        }
    });
}

/// Returns the masks of booleans as a tensor of the same shape.
pub(super) fn of_tensor<T: Scalar + Element>(booleans: &Tensor, threads: Threads) -> Result<Tensor> {
    let mut out = Tensor::new(T::DTYPE, booleans.shape().clone())?;
    let from = booleans.slice::<bool>()?;
    try_for_chunks_mut(threads, out.slice_mut::<T>()?, BLOCK, |start, out| fill(&from[start..start + out.len()], out))?;
    Ok(out)
}

/// Returns the masks of booleans for a program of type float32 or float64.
pub(super) fn of_type(dtype: DType, booleans: &Tensor, threads: Threads) -> Result<Tensor> {
    match dtype {
        DType::F64 => of_tensor::<f64>(booleans, threads),
        _ => of_tensor::<f32>(booleans, threads),
    }
}
