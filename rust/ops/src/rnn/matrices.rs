//! Inputs and products of recurrent cells, which are computed in float32.

use ferroflow_graph::KernelContext;
use ferroflow_tensor::gemm::{MatRef, matmul_f32};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Result, Shape, Tensor, elementwise, ensure};

/// Returns an input in float32 of the shape that it must have.
pub(super) fn input(ctx: &KernelContext<'_>, i: usize, name: &str, shape: &[usize]) -> Result<Tensor> {
    let given = ctx.input(i)?;
    ensure!(
        given.shape()[..] == *shape,
        InvalidArgument,
        "{name} must have shape {}, got {}",
        Shape::new(shape),
        given.shape()
    );
    elementwise::cast(given.clone(), DType::F32, ctx.threads())
}

/// Sets outputs from the first on, converted to a dtype.
pub(super) fn set_outputs(ctx: &mut KernelContext<'_>, dtype: DType, outputs: Vec<Tensor>) -> Result<()> {
    for (i, output) in outputs.into_iter().enumerate() {
        let converted = elementwise::cast(output, dtype, ctx.threads())?;
        ctx.set_output(i, converted);
    }
    Ok(())
}

fn matrix(data: &[f32], rows: usize, cols: usize) -> Result<MatRef<'_, f32>> {
    MatRef::row_major(data, rows, cols)
}

/// Computes `out = [x, h] w`, where `w` has the rows of `x`'s columns, then those of `h`'s.
pub(super) fn joined_product(
    threads: Threads,
    batch: usize,
    [x, h]: [(&[f32], usize); 2],
    w: (&[f32], usize),
    out: &mut [f32],
) -> Result<()> {
    let weights = matrix(w.0, x.1 + h.1, w.1)?;
    matmul_f32(threads, matrix(x.0, batch, x.1)?, weights.row_range(0, x.1)?, out, false, None)?;
    matmul_f32(threads, matrix(h.0, batch, h.1)?, weights.row_range(x.1, h.1)?, out, true, None)
}

/// Computes `[x, h] += gates w^T`, whose parts have the columns of `x` and of `h`, or replaces them.
pub(super) fn split_product(
    threads: Threads,
    batch: usize,
    gates: (&[f32], usize),
    w: &[f32],
    [x, h]: [(&mut [f32], usize); 2],
    accumulate: bool,
) -> Result<()> {
    let (grads, weights) = (matrix(gates.0, batch, gates.1)?, matrix(w, x.1 + h.1, gates.1)?);
    matmul_f32(threads, grads, weights.row_range(0, x.1)?.transposed(), x.0, accumulate, None)?;
    matmul_f32(threads, grads, weights.row_range(x.1, h.1)?.transposed(), h.0, accumulate, None)
}

/// Computes `out += [x, h]^T gates`.
pub(super) fn weights_product(
    threads: Threads,
    batch: usize,
    [x, h]: [(&[f32], usize); 2],
    gates: (&[f32], usize),
    out: &mut [f32],
) -> Result<()> {
    let grads = matrix(gates.0, batch, gates.1)?;
    let (of_x, of_h) = out.split_at_mut(x.1 * gates.1);
    matmul_f32(threads, matrix(x.0, batch, x.1)?.transposed(), grads, of_x, true, None)?;
    matmul_f32(threads, matrix(h.0, batch, h.1)?.transposed(), grads, of_h, true, None)
}
