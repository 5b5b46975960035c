//! QuantizedMatMul, QuantizedConv2D: products of levels, summed in 32 bits.

use super::levels::{Range, integers, range_of_products, scalar_bounds, scalar_inputs, set_outputs};
use crate::nn::convolved_levels;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Additions that are worth a task.
const BLOCK: usize = 1 << 16;

/// Returns the levels of input `i` as distances from the level of zero.
fn centered(ctx: &mut KernelContext<'_>, i: usize, range: &Range) -> Result<Tensor> {
    let input = ctx.take(i)?;
    let mut levels = integers(ctx, input)?;
    let zero = range.zero();
    levels.slice_mut::<i32>()?.iter_mut().for_each(|q| *q = q.wrapping_sub(zero));
    Ok(levels)
}

fn ranges(ctx: &KernelContext<'_>) -> Result<(Range, Range)> {
    let (a, b) = (ctx.input(0)?.dtype(), ctx.input(1)?.dtype());
    Ok((Range::of_inputs(ctx, a, 2)?, Range::of_inputs(ctx, b, 4)?))
}

/// Returns a matrix as rows and columns, with the other order of its elements if it is transposed.
fn matrix(t: &Tensor, transposed: bool, i: usize) -> Result<([usize; 2], Vec<i32>)> {
    let [rows, columns] = *t.shape().dims() else { bail!(InvalidArgument, "In[{i}] is not a matrix") };
    let x = t.slice::<i32>()?;
    if !transposed {
        return Ok(([rows, columns], x.to_vec()));
    }
    Ok(([columns, rows], (0..rows * columns).map(|at| x[at % rows * columns + at / rows]).collect()))
}

fn product(threads: Threads, a: &[i32], b: &[i32], [inner, columns]: [usize; 2], out: &mut [i32]) -> Result<()> {
    if columns == 0 {
        return Ok(());
    }
    let rows = (BLOCK / (inner * columns).max(1)).max(1);
    try_for_chunks_mut(threads, out, rows * columns, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(columns).enumerate() {
            line.fill(0);
            let row = (start / columns + k) * inner;
            for (x, from) in a[row..row + inner].iter().zip(b.chunks_exact(columns)) {
                line.iter_mut().zip(from).for_each(|(to, y)| *to = to.wrapping_add(x.wrapping_mul(*y)));
            }
        }
    })?;
    Ok(())
}

fn mat_mul(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if init.output_type(0)? != DType::QI32 {
        return Err(init.unsupported());
    }
    let (transpose_a, transpose_b) = (init.bool("transpose_a")?, init.bool("transpose_b")?);
    kernel(move |ctx| {
        let (range_a, range_b) = ranges(ctx)?;
        ensure!(range_a.max > range_a.min, InvalidArgument, "max_a must be larger than min_a.");
        ensure!(range_b.max > range_b.min, InvalidArgument, "max_b must be larger than min_b.");
        let ([m, inner], a) = matrix(&centered(ctx, 0, &range_a)?, transpose_a, 0)?;
        let ([other, n], b) = matrix(&centered(ctx, 1, &range_b)?, transpose_b, 1)?;
        ensure!(inner == other, InvalidArgument, "Matrix size-compatible: In[0]: [{m},{inner}], In[1]: [{other},{n}]");
        let mut out = Tensor::new(DType::I32, Shape::new(&[m, n]))?;
        product(ctx.threads(), &a, &b, [inner, n], out.slice_mut()?)?;
        let range = range_of_products(&range_a, &range_b)?;
        set_outputs(ctx, out.bitcast_same_size(DType::QI32)?, range.min, range.max);
        Ok(())
    })
}

fn conv(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if init.output_type(0)? != DType::QI32 {
        return Err(init.unsupported());
    }
    let convolve = convolved_levels(init)?;
    kernel(move |ctx| {
        let (range_x, range_f) = ranges(ctx)?;
        let (x, filter) = (centered(ctx, 0, &range_x)?, centered(ctx, 1, &range_f)?);
        let out = convolve(ctx.threads(), x, &filter)?;
        let range = range_of_products(&range_x, &range_f)?;
        set_outputs(ctx, out.bitcast_same_size(DType::QI32)?, range.min, range.max);
        Ok(())
    })
}

fn mat_mul_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (c.input(0)?.with_rank(2)?, c.input(1)?.with_rank(2)?);
    scalar_inputs(c, 2)?;
    let (ta, tb) = (usize::from(c.bool("transpose_a")?), usize::from(c.bool("transpose_b")?));
    PartialShape::vector(a.dim(1 - ta)).merge(&PartialShape::vector(b.dim(tb)))?;
    c.set_output(0, PartialShape::from_dims(&[a.dim(ta), b.dim(1 - tb)]));
    scalar_bounds(c);
    Ok(())
}

fn conv_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 2)?;
    crate::nn::conv_shape_of_levels(c)?;
    scalar_bounds(c);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("QuantizedMatMul")
            .input("a: T1")
            .input("b: T2")
            .input("min_a: float")
            .input("max_a: float")
            .input("min_b: float")
            .input("max_b: float")
            .output("out: Toutput")
            .output("min_out: float")
            .output("max_out: float")
            .attr("T1: quantizedtype")
            .attr("T2: quantizedtype")
            .attr("Toutput: quantizedtype = DT_QINT32")
            .attr("transpose_a: bool = false")
            .attr("transpose_b: bool = false")
            .attr("Tactivation: quantizedtype = DT_QUINT8")
            .doc("Returns the matrix product of quantized matrices as 32-bit levels, and their range.")
            .shape(mat_mul_shape)
            .kernel(mat_mul),
    );
    r.add(
        Op::new("QuantizedConv2D")
            .input("input: Tinput")
            .input("filter: Tfilter")
            .input("min_input: float")
            .input("max_input: float")
            .input("min_filter: float")
            .input("max_filter: float")
            .output("output: out_type")
            .output("min_output: float")
            .output("max_output: float")
            .attr("Tinput: quantizedtype")
            .attr("Tfilter: quantizedtype")
            .attr("out_type: quantizedtype = DT_QINT32")
            .attr("strides: list(int)")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
            .doc("Returns the convolution of quantized images as 32-bit levels, and their range.")
            .shape(conv_shape)
            .kernel(conv),
    );
}
