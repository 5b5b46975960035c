//! A function of two numbers, applied to the elements of two tensors stretched to one shape.

use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::Operand;
use ferroflow_tensor::{Result, Scalar, Tensor};

/// Returns `f` of each pair of elements, with NumPy's broadcasting. `block`: elements worth a thread.
///
/// Errors: `InvalidArgument` for shapes that do not broadcast.
pub(super) fn zip_numbers<T: Scalar>(
    x: &Tensor,
    y: &Tensor,
    threads: Threads,
    block: usize,
    f: impl Fn(T, T) -> T + Sync,
) -> Result<Tensor> {
    let plan = Broadcast::new(x.shape(), y.shape())?;
    let mut out = Tensor::new(T::DTYPE, plan.shape.clone())?;
    let inputs = Inputs::Both(x.slice::<T>()?, y.slice::<T>()?);
    plan.apply(threads, block, inputs, out.slice_mut::<T>()?, |terms, out| {
        let Terms::Both(x, y) = terms else { return };
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = f(at(x, i), at(y, i));
        }
    })?;
    Ok(out)
}

fn at<T: Copy>(operand: Operand<'_, T>, i: usize) -> T {
    match operand {
        Operand::Slice(values) => values[i],
        Operand::Scalar(value) => value,
    }
}
