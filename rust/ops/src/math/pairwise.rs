//! A function of one or two numbers, applied to the elements of a tensor, or of two stretched to one shape.

use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{Operand, on_best_isa};
use ferroflow_tensor::{Result, Scalar, Tensor};

/// Returns `f` of each pair of elements, with NumPy's broadcasting. `block`: elements worth a thread.
///
/// Errors: `InvalidArgument` for shapes that do not broadcast.
pub(crate) fn zip_numbers<T: Scalar>(
    x: &Tensor,
    y: &Tensor,
    threads: Threads,
    block: usize,
    f: impl Fn(T, T) -> T + Copy + Sync,
) -> Result<Tensor> {
    let plan = Broadcast::new(x.shape(), y.shape())?;
    let mut out = Tensor::new(T::DTYPE, plan.shape.clone())?;
    let inputs = Inputs::Both(x.slice::<T>()?, y.slice::<T>()?);
    plan.apply(threads, block, inputs, out.slice_mut::<T>()?, |terms, out| {
        let Terms::Both(x, y) = terms else { return };
        // By value: what `f` holds then stays in registers.
        on_best_isa(move || match (x, y) {
            (Operand::Slice(x), Operand::Slice(y)) => {
                out.iter_mut().zip(x).zip(y).for_each(|((z, x), y)| *z = f(*x, *y));
            }
            (Operand::Slice(x), Operand::Scalar(y)) => out.iter_mut().zip(x).for_each(|(z, x)| *z = f(*x, y)),
            (Operand::Scalar(x), Operand::Slice(y)) => out.iter_mut().zip(y).for_each(|(z, y)| *z = f(x, *y)),
            (Operand::Scalar(x), Operand::Scalar(y)) => out.fill(f(x, y)),
        });
    })?;
    Ok(out)
}

/// Returns `f` of each element, in the tensor's own memory if nothing else refers to it. `block`: elements worth a thread.
pub(crate) fn map_numbers<T: Scalar>(
    mut x: Tensor,
    threads: Threads,
    block: usize,
    f: impl Fn(T) -> T + Copy + Sync,
) -> Result<Tensor> {
    if x.is_unique() {
        try_for_chunks_mut(threads, x.slice_mut::<T>()?, block, |_, values| {
            on_best_isa(move || values.iter_mut().for_each(|v| *v = f(*v)));
        })?;
        return Ok(x);
    }
    let mut out = Tensor::new(T::DTYPE, x.shape().clone())?;
    let x = x.slice::<T>()?;
    try_for_chunks_mut(threads, out.slice_mut::<T>()?, block, |start, out| {
        on_best_isa(move || out.iter_mut().zip(&x[start..]).for_each(|(o, v)| *o = f(*v)));
    })?;
    Ok(out)
}
