//! QuantizedMaxPool, QuantizedAvgPool: pooled levels.

use super::levels::{Range as Levels, integers, narrowed, scalar_bounds, scalar_inputs, set_outputs};
use crate::nn::{Pooling, pooled_shape, pooled_shape_of_channels};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::pooling::Axis;
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, Result, Shape, Tensor};
use std::ops::Range;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 12;

/// Returns the elements that window `i` covers.
fn covered((axis, window, stride): &(Axis, usize, usize), i: usize) -> Range<usize> {
    let end = (i * stride + window).saturating_sub(axis.before()).min(axis.input);
    (i * stride).saturating_sub(axis.before()).min(end)..end
}

fn pool(init: &KernelInit<'_>, is_max: bool) -> Result<Box<dyn Kernel>> {
    let dtype = init.input_type(0)?;
    let pooling = Pooling::of_attrs(init, 2)?;
    let pooling = if is_max { pooling.of_windows()? } else { pooling }.within_channels()?;
    kernel(move |ctx| {
        let range = Levels::of_inputs(ctx, dtype, 1)?;
        let input = ctx.take(0)?;
        let shape = input.shape().clone();
        let [rows, columns] = pooling.image_axes(&shape)?;
        let levels = integers(ctx, input)?;
        let x = levels.slice::<i32>()?;
        let pooled = Shape::new(&[shape[0], rows.0.output, columns.0.output, shape[3]]);
        let mut out = Tensor::new(DType::I32, pooled.clone())?;
        let channels = shape[3];
        if let Some(points) = BLOCK.checked_div(channels) {
            let block = points.max(1) * channels;
            try_for_chunks_mut(ctx.threads(), out.slice_mut::<i32>()?, block, |start, chunk| {
                for (k, to) in chunk.chunks_exact_mut(channels).enumerate() {
                    let at = start / channels + k;
                    let (image, row, column) =
                        (at / (pooled[1] * pooled[2]), at / pooled[2] % pooled[1], at % pooled[2]);
                    to.fill(if is_max { i32::MIN } else { 0 });
                    let (ys, xs) = (covered(&rows, row), covered(&columns, column));
                    let count = (ys.len() * xs.len()) as i32;
                    for y in ys {
                        for x_at in xs.clone() {
                            let from = ((image * shape[1] + y) * shape[2] + x_at) * channels;
                            for (to, q) in to.iter_mut().zip(&x[from..from + channels]) {
                                *to = if is_max { (*to).max(*q) } else { to.wrapping_add(*q) };
                            }
                        }
                    }
                    if !is_max && count > 0 {
                        to.iter_mut().for_each(|sum| *sum /= count);
                    }
                }
            })?;
        }
        let out = narrowed(out.slice()?, out.shape(), dtype)?;
        set_outputs(ctx, out, range.min, range.max);
        Ok(())
    })
}

fn shape_of_max(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 1)?;
    pooled_shape_of_channels(c)?;
    scalar_bounds(c);
    Ok(())
}

fn shape_of_mean(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 1)?;
    pooled_shape::<2>(c)?;
    scalar_bounds(c);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("input: T")
            .input("min_input: float")
            .input("max_input: float")
            .output("output: T")
            .output("min_output: float")
            .output("max_output: float")
            .attr("T: quantizedtype")
            .attr("ksize: list(int)")
            .attr("strides: list(int)")
            .attr("padding: {'SAME', 'VALID'}")
    };
    r.add(
        op("QuantizedMaxPool")
            .shape(shape_of_max)
            .doc("Returns the largest level of each window.")
            .kernel(|init| pool(init, true)),
    );
    r.add(
        op("QuantizedAvgPool")
            .shape(shape_of_mean)
            .doc("Returns the mean level of each window, rounded down.")
            .kernel(|init| pool(init, false)),
    );
}
