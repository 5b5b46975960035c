//! PopulationCount and CompareAndBitpack: bits counted, and comparisons packed into bits.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, dispatch, ensure};
use num_traits::PrimInt;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

fn count<T: Scalar + PrimInt>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let x = ctx.input(0)?;
    let mut out = Tensor::new(DType::U8, x.shape().clone())?;
    let x = x.slice::<T>()?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<u8>()?, BLOCK, |start, chunk| {
        chunk.iter_mut().zip(&x[start..]).for_each(|(to, v)| *to = v.count_ones() as u8);
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn count_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in int, kernel(count::<T>), else Err(init.unsupported()))
}

fn pack<T: Scalar + PartialOrd>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (x, threshold) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(threshold.rank() == 0, InvalidArgument, "Compare must be a scalar, but saw shape: {}", threshold.shape());
    ensure!(x.rank() > 0, InvalidArgument, "Input should be at least a vector, but saw a scalar.");
    let mut dims = x.shape().to_vec();
    let last = dims.len() - 1;
    ensure!(
        dims[last] % 8 == 0,
        InvalidArgument,
        "Inner dimension of input should be divisible by 8, but saw shape: {}",
        x.shape()
    );
    dims[last] /= 8;
    let mut out = Tensor::new(DType::U8, dims.as_slice())?;
    let (x, threshold) = (x.slice::<T>()?, threshold.to_scalar::<T>()?);
    let is_bool = T::DTYPE == DType::Bool;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<u8>()?, BLOCK, |start, chunk| {
        for (to, eight) in chunk.iter_mut().zip(x[start * 8..].chunks_exact(8)) {
            // TF 1.x: bools are packed as they are.
            *to = eight
                .iter()
                .fold(0, |bits, v| bits << 1 | u8::from(if is_bool { *v != T::default() } else { *v > threshold }));
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn pack_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in [Bool, F16, F32, F64, I8, I16, I32, I64], kernel(pack::<T>),
        else Err(init.unsupported()))
}

fn pack_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    c.input(1)?.with_rank(0)?;
    let Some(mut dims) = input.dims() else { return Ok(()) };
    if let Some(last) = dims.last_mut() {
        if let Some(n) = *last {
            ensure!(n % 8 == 0, InvalidArgument, "Dimension size must be evenly divisible by 8 but is {n}");
        }
        *last = last.map(|n| n / 8);
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("PopulationCount")
            .input("x: T")
            .output("y: uint8")
            .attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}")
            .doc("Returns the number of bits that are one.")
            .shape(shape_rules::unchanged)
            .kernel(count_kernel),
    );
    r.add(
        Op::new("CompareAndBitpack")
            .input("input: T")
            .input("threshold: T")
            .output("output: uint8")
            .attr("T: {bool, half, float, double, int8, int16, int32, int64}")
            .doc("Returns bytes whose bits, the first one highest, are 1 where the input is above the threshold.")
            .shape(pack_shape)
            .kernel(pack_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn known_values() {
        let x = Tensor::from_slice([3], &[0i8, -1, 5]).unwrap();
        assert_eq!(run("PopulationCount", &[x], &[]).unwrap()[0].slice::<u8>().unwrap(), [0, 8, 2]);
        let x = Tensor::from_slice([8], &[1f32, 0., 2., 0., 0., 0., f32::NAN, 3.]).unwrap();
        let out = run("CompareAndBitpack", &[x.clone(), Tensor::scalar(0.5f32)], &[]).unwrap();
        assert_eq!(out[0].slice::<u8>().unwrap(), [0b1010_0001]);
        let seven = Tensor::from_slice([7], &[0f32; 7]).unwrap();
        assert!(run("CompareAndBitpack", &[seven, Tensor::scalar(0.5f32)], &[]).is_err());
        assert!(run("CompareAndBitpack", &[Tensor::scalar(0f32), Tensor::scalar(0.5f32)], &[]).is_err());
        assert!(run("CompareAndBitpack", &[x.clone(), x], &[]).is_err());
    }
}
