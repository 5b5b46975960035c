//! BiasAdd adds a vector along the channel dimension; BiasAddGrad sums everything but that dimension.

use ferroflow_graph::{AttrMap, Fusion, Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::elementwise::binary;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{Binary, Reduce, Reducible, combine, mean_of_sum, reduce_rows_into, reduce_slice_wide};
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};
use std::iter::{once, repeat_n};

/// Rows whose sums are taken by one task; the sums are then added in the tasks' order.
const ROWS_PER_TASK: usize = 4096;

/// Returns true if the channels are dimension 1 and not the last.
fn channels_first(attrs: &AttrMap) -> Result<bool> {
    Ok(attrs.get("data_format").is_some() && attrs.str("data_format")? == "NCHW")
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let first = channels_first(c)?;
    let value = c.input(0)?.with_rank_at_least(if first { 3 } else { 2 })?;
    let bias = c.input(1)?.with_rank(1)?;
    let Some(mut dims) = value.dims() else {
        c.set_output(0, value);
        return Ok(());
    };
    let channel = if first { 1 } else { dims.len() - 1 };
    dims[channel] = PartialShape::vector(dims[channel]).merge(&bias)?.dim(0);
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn grad_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let first = channels_first(c)?;
    let value = c.input(0)?.with_rank_at_least(if first { 3 } else { 2 })?;
    let channels = value.rank().and_then(|r| value.dim(if first { 1 } else { r - 1 }));
    c.set_output(0, PartialShape::vector(channels));
    Ok(())
}

/// Returns the dimensions before the channels, the channels, the dimensions after them.
fn around_channels(shape: &Shape, first: bool) -> Result<(usize, usize, usize)> {
    let least = if first { 3 } else { 2 };
    ensure!(shape.rank() >= least, InvalidArgument, "Input tensor must be at least {least}D: {shape}");
    Ok(shape.around(if first { 1 } else { shape.rank() - 1 }))
}

fn bias_add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let first = channels_first(init)?;
    kernel(move |ctx| {
        let (value, bias) = (ctx.take(0)?, ctx.take(1)?);
        let (_, channels, _) = around_channels(value.shape(), first)?;
        ensure!(bias.rank() == 1, InvalidArgument, "Biases must be 1D: {}", bias.shape());
        ensure!(
            bias.elements() == channels,
            InvalidArgument,
            "Must provide as many biases as the channel dimension of the input tensor: {} vs. {channels} in {}",
            bias.shape(),
            value.shape()
        );
        let behind = if first { value.rank() - 2 } else { 0 };
        let bias = bias.reshaped(once(channels).chain(repeat_n(1, behind)).collect::<Shape>())?;
        ctx.set_output(0, binary(Binary::Add, value, bias, ctx.threads())?);
        Ok(())
    })
}

/// Sums the columns of `x`, in an order that only its shape decides.
fn sum_columns<T: Scalar + Reducible>(threads: Threads, x: &[T], sums: &mut [T]) -> Result<()> {
    let columns = sums.len();
    sums.fill(T::default());
    let tasks = (x.len() / columns).div_ceil(ROWS_PER_TASK);
    if tasks < 2 {
        reduce_rows_into(Reduce::Sum, sums, x);
        return Ok(());
    }
    let mut partial = vec![T::default(); tasks * columns];
    try_for_chunks_mut(threads, &mut partial, columns, |start, sums| {
        let rows = start * ROWS_PER_TASK..x.len().min((start + columns) * ROWS_PER_TASK);
        reduce_rows_into(Reduce::Sum, sums, &x[rows]);
    })?;
    reduce_rows_into(Reduce::Sum, sums, &partial);
    Ok(())
}

fn bias_add_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let first = channels_first(init)?;
    dispatch!(init.output_type(0)?, T in number, {
        kernel(move |ctx| {
            let x = ctx.take(0)?;
            let (outer, channels, inner) = around_channels(x.shape(), first)?;
            let mut sums = Tensor::new(x.dtype(), [channels])?;
            let x = x.slice::<T>()?;
            let out = sums.slice_mut::<T>()?;
            if x.is_empty() {
                out.fill(T::default());
            } else if inner == 1 {
                sum_columns(ctx.threads(), x, out)?;
            } else {
                try_for_chunks_mut(ctx.threads(), out, 1, |channel, sum| {
                    let plane = |i: usize| &x[(i * channels + channel) * inner..][..inner];
                    let first = reduce_slice_wide(Reduce::Sum, plane(0));
                    let total = (1..outer).fold(first, |total, i| {
                        combine::<T>(Reduce::Sum, total, reduce_slice_wide(Reduce::Sum, plane(i)))
                    });
                    sum[0] = mean_of_sum(total, 1);
                })?;
            }
            ctx.set_output(0, sums);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let data_format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
    let add = |name: &str| {
        let op = Op::new(name).input("value: T").input("bias: T").output("output: T").attr("T: numbertype");
        let op = op.fusion(Fusion::Bias);
        op.doc("Returns the value plus the bias of each element's channel.").shape(shape).kernel(bias_add)
    };
    r.add(add("BiasAdd").attr(data_format));
    r.add(add("BiasAddV1"));
    r.add(
        Op::new("BiasAddGrad")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: numbertype")
            .attr(data_format)
            .doc("Returns the sum over all dimensions but the channels.")
            .shape(grad_shape)
            .kernel(bias_add_grad),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn nchw() -> [(&'static str, AttrValue); 1] {
        [("data_format", AttrValue::Str(b"NCHW".to_vec()))]
    }

    fn counted(shape: &[usize]) -> Tensor {
        let n = shape.iter().product::<usize>();
        Tensor::from_slice(shape, &(0..n).map(|i| (i * 31 % 101) as f64).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_bias_goes_along_the_channels() {
        for (shape, attrs, axis) in [
            (vec![700, 3], vec![], 1),
            (vec![2, 5, 4], vec![], 2),
            (vec![3, 300], vec![], 1),
            (vec![2, 3, 4, 5], nchw().to_vec(), 1),
        ] {
            let (x, b) = (counted(&shape), counted(&[shape[axis]]));
            let inner: usize = shape[axis + 1..].iter().product();
            let y = run("BiasAdd", &[x.clone(), b.clone()], &attrs).unwrap();
            let (x, b) = (x.slice::<f64>().unwrap(), b.slice::<f64>().unwrap());
            let expected: Vec<f64> = x.iter().enumerate().map(|(i, x)| x + b[i / inner % shape[axis]]).collect();
            assert_eq!(y[0].slice::<f64>().unwrap(), expected, "{shape:?}");
            let g = run("BiasAddGrad", &[counted(&shape)], &attrs).unwrap();
            let mut sums = vec![0.0; shape[axis]];
            x.iter().enumerate().for_each(|(i, x)| sums[i / inner % shape[axis]] += x);
            assert_eq!(g[0].slice::<f64>().unwrap(), sums, "{shape:?}");
        }
    }

    #[test]
    fn wrong_shapes_are_refused() {
        assert!(run("BiasAdd", &[counted(&[3]), counted(&[3])], &[]).is_err());
        assert!(run("BiasAdd", &[counted(&[3, 2]), counted(&[3])], &[]).is_err());
        assert!(run("BiasAdd", &[counted(&[3, 2]), counted(&[1, 2])], &[]).is_err());
        assert!(run("BiasAddGrad", &[counted(&[3])], &[]).is_err());
    }

    #[test]
    fn empty_values_pass_and_sum_to_zero() {
        let x = Tensor::zeros(DType::F32, [0, 3]).unwrap();
        let b = Tensor::zeros(DType::F32, [3]).unwrap();
        assert_eq!(run("BiasAddV1", &[x.clone(), b], &[]).unwrap()[0].shape().dims(), [0, 3]);
        assert_eq!(run("BiasAddGrad", &[x], &[]).unwrap()[0].slice::<f32>().unwrap(), [0.0; 3]);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..20_000 * 7).map(|i| 1.0 / (i + 1) as f32).collect();
        for (shape, attrs) in [(&[20_000, 7][..], vec![]), (&[5, 7, 4000], nchw().to_vec())] {
            let x = Tensor::from_slice(shape, &x).unwrap();
            let by = |n| run_args("BiasAddGrad", vec![Arg::One(x.clone())], &attrs, n).unwrap().values;
            assert_eq!(by(2), by(1));
            assert_eq!(by(4), by(1));
        }
    }
}
