//! The ops that reduce a tensor over some of its axes: Sum, Mean, Prod, Max, Min, EuclideanNorm, All, Any.
//!
//! Axes are collapsed until kept and reduced ones alternate; the innermost reduced group is folded first, then the next.
//! Work is cut by shape alone and partial results are combined in order, so the bits do not depend on the threads.

use super::elements::{Elements, Scratch, try_chunks};
use super::euclidean_norm;
use super::fold::{BLOCK, Fold, Logical, Numeric};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::elementwise::Program;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{self, Element, Reduce, Reducible};
use ferroflow_tensor::{
    DType, Flushed, PartialShape, Result, Scalar, Shape, Status, Tensor, dispatch, elementwise, ensure,
};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// From this many columns on, columns are cut in groups; below, rows are.
const WIDE: usize = 4096;
/// Columns of such a group: the accumulators of a group stay in L1.
const COLUMNS: usize = 2048;
/// Up to this many elements stay in L1 without being computed in parts.
const SMALL: usize = 4096;
/// Rows folded one after the other before their result joins the others.
const ROWS: usize = 64;

/// Folds each row of `n` elements.
fn rows<T: Scalar, X: Elements<T>>(f: &impl Fold<T>, threads: Threads, x: &X, n: usize, out: &mut [T]) -> Result<()> {
    if n >= BLOCK || out.len() == 1 {
        for (i, o) in out.iter_mut().enumerate() {
            *o = f.long_slice(threads, x, i * n..(i + 1) * n)?;
        }
        return Ok(());
    }
    // Rows too short for a call each: many rows are reduced together, one column after the other.
    const SHORT: usize = 16;
    const GATHERED: usize = 512;
    let block = (BLOCK / n).max(1).next_multiple_of(GATHERED);
    let portion = (X::PORTION / n).max(1);
    try_chunks(threads, out, block, |start, out| {
        let mut scratch = Scratch::default();
        if n >= SHORT {
            for (i, out) in out.chunks_mut(portion).enumerate() {
                let first = start + i * portion;
                f.slices(x.read(first * n..(first + out.len()) * n, &mut scratch)?, n, out);
            }
            return Ok(());
        }
        let mut column = [T::default(); GATHERED];
        for (i, acc) in out.chunks_mut(GATHERED).enumerate() {
            let first = start + i * GATHERED;
            let x = x.read(first * n..(first + acc.len()) * n, &mut scratch)?;
            let gather = |to: &mut [T], j: usize| to.iter_mut().zip(x.chunks(n)).for_each(|(to, row)| *to = row[j]);
            gather(acc, 0);
            f.begin(acc);
            for j in 1..n {
                let column = &mut column[..acc.len()];
                gather(column, j);
                f.row_into(acc, column);
            }
        }
        Ok(())
    })
}

/// Folds the columns of each of `out.len() / k` matrices of `r` rows and `k` columns.
fn columns<T: Scalar, X: Elements<T>>(
    f: &impl Fold<T>,
    threads: Threads,
    x: &X,
    (r, k): (usize, usize),
    out: &mut [T],
) -> Result<()> {
    let matrix = r * k;
    if matrix <= BLOCK && out.len() > k {
        let block = (BLOCK / matrix).max(1) * k;
        let portion = (X::PORTION / matrix).max(1).saturating_mul(k);
        return try_chunks(threads, out, block, |start, out| {
            let mut scratch = Scratch::default();
            for (i, out) in out.chunks_mut(portion).enumerate() {
                let first = start + i * portion;
                f.matrices(x.read(first * r..(first + out.len()) * r, &mut scratch)?, (r, k), out);
            }
            Ok(())
        });
    }
    for (i, acc) in out.chunks_mut(k).enumerate() {
        let of_matrix = i * matrix..(i + 1) * matrix;
        if k >= WIDE {
            wide_columns(f, threads, x, of_matrix, acc)?;
        } else {
            narrow_columns(f, threads, x, of_matrix, acc)?;
        }
    }
    Ok(())
}

fn wide_columns<T: Scalar>(
    f: &impl Fold<T>,
    threads: Threads,
    x: &impl Elements<T>,
    matrix: Range<usize>,
    acc: &mut [T],
) -> Result<()> {
    let k = acc.len();
    try_chunks(threads, acc, COLUMNS, |start, acc| {
        let mut scratch = Scratch::default();
        let mut partial = [T::default(); COLUMNS];
        let partial = &mut partial[..acc.len()];
        for (i, row) in matrix.clone().step_by(k).enumerate() {
            let row = x.read(row + start..row + start + acc.len(), &mut scratch)?;
            if i % ROWS == 0 {
                if i == ROWS {
                    acc.copy_from_slice(partial);
                } else if i > ROWS {
                    f.row_into(acc, partial);
                }
                partial.copy_from_slice(row);
                f.begin(partial);
            } else {
                f.row_into(partial, row);
            }
        }
        if matrix.len() / k <= ROWS {
            acc.copy_from_slice(partial)
        } else {
            f.row_into(acc, partial)
        }
        Ok(())
    })
}

fn narrow_columns<T: Scalar>(
    f: &impl Fold<T>,
    threads: Threads,
    x: &impl Elements<T>,
    matrix: Range<usize>,
    acc: &mut [T],
) -> Result<()> {
    let k = acc.len();
    acc.fill(f.nothing());
    let part = (BLOCK / k).next_multiple_of(ROWS) * k;
    if matrix.len() <= part {
        f.rows_into(acc, x.read(matrix, &mut Scratch::default())?);
        return Ok(());
    }
    let mut partials = Tensor::new(T::DTYPE, [matrix.len().div_ceil(part), k])?;
    let partials = partials.slice_mut::<T>()?;
    try_chunks(threads, partials, k, |start, partial| {
        let mut scratch = Scratch::default();
        for (i, partial) in partial.chunks_mut(k).enumerate() {
            let from = matrix.start + (start / k + i) * part;
            partial.fill(f.nothing());
            f.rows_into(partial, x.read(from..matrix.end.min(from + part), &mut scratch)?);
        }
        Ok(())
    })?;
    f.rows_into(acc, partials);
    Ok(())
}

/// Extents of neighbouring axes that are all kept or all reduced; axes of one element are left out.
fn collapse(shape: &Shape, is_reduced: &[bool]) -> Groups {
    let mut groups = Groups::new();
    for (&n, &reduced) in shape.iter().zip(is_reduced) {
        match groups.last_mut() {
            _ if n == 1 => {}
            Some(g) if g.1 == reduced => g.0 *= n,
            _ => groups.push((n, reduced)),
        }
    }
    groups
}

/// Groups of axes, outermost first, as `collapse` gives them.
pub(super) type Groups = SmallVec<[(usize, bool); 8]>;

/// Folds the innermost reduced group; None if none is left.
pub(super) fn fold_innermost<T: Scalar>(
    f: &impl Fold<T>,
    threads: Threads,
    x: &impl Elements<T>,
    groups: &mut Groups,
) -> Result<Option<Tensor>> {
    let Some(last) = groups.iter().rposition(|g| g.1) else { return Ok(None) };
    let (n, _) = groups.remove(last);
    let k = groups.get(last).map(|g| g.0);
    let outer: usize = groups[..last].iter().map(|g| g.0).product();
    let mut out = Tensor::new(T::DTYPE, [outer * k.unwrap_or(1)])?;
    match k {
        None => rows(f, threads, x, n, out.slice_mut()?)?,
        Some(k) => columns(f, threads, x, (n, k), out.slice_mut()?)?,
    }
    // Kept dimensions on both sides are one group now.
    if let (Some(k), true) = (k, last > 0) {
        groups.remove(last);
        groups[last - 1].0 *= k;
    }
    Ok(Some(out))
}

pub(super) fn reduce<T: Scalar>(
    f: &impl Fold<T>,
    threads: Threads,
    mut x: Tensor,
    mut groups: Groups,
    out_shape: Shape,
) -> Result<Tensor> {
    if x.elements() == 0 {
        let mut out = Tensor::new(T::DTYPE, out_shape)?;
        out.slice_mut::<T>()?.fill(f.nothing());
        return Ok(out);
    }
    while let Some(out) = fold_innermost(f, threads, &x.slice::<T>()?, &mut groups)? {
        x = out;
    }
    x.reshaped(out_shape)
}

/// Returns which axes are reduced; negative axes count from the end.
fn reduced_axes(axes: &[i64], rank: usize) -> Result<SmallVec<[bool; 8]>> {
    let mut is_reduced = SmallVec::from_elem(false, rank);
    for &axis in axes {
        let at = if axis < 0 { axis + rank as i64 } else { axis };
        let slot = usize::try_from(at).ok().and_then(|at| is_reduced.get_mut(at));
        ensure!(
            slot.is_some(),
            InvalidArgument,
            "Invalid reduction dimension ({axis} for input with {rank} dimension(s)"
        );
        if let Some(slot) = slot {
            *slot = true;
        }
    }
    Ok(is_reduced)
}

fn kept<D: Copy>(dims: &[D], is_reduced: &[bool], keep_dims: bool, one: D) -> SmallVec<[D; 4]> {
    let all = dims.iter().zip(is_reduced);
    all.filter(|(_, r)| keep_dims || !**r).map(|(d, r)| if *r { one } else { *d }).collect()
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank_at_most(1)?;
    let keep_dims = c.bool("keep_dims")?;
    let Some(dims) = c.input(0)?.dims() else { return Ok(()) };
    let out = match c.input_i64s(1)? {
        Some(axes) => {
            let is_reduced = reduced_axes(&axes, dims.len())?;
            PartialShape::from_dims(&kept(&dims, &is_reduced, keep_dims, Some(1)))
        }
        None if keep_dims => PartialShape::unknown_of_rank(dims.len()),
        None => PartialShape::unknown(),
    };
    c.set_output(0, out);
    Ok(())
}

/// The axes of a run, and the shapes that follow.
pub(super) struct Axes {
    pub groups: Groups,
    pub out_shape: Shape,
    /// Elements that become one.
    pub count: usize,
}

impl Axes {
    pub fn new(shape: &Shape, axes: &Tensor, keep_dims: bool) -> Result<Axes> {
        let is_reduced = reduced_axes(&axes.to_i64s()?, shape.rank())?;
        let out_shape = kept(shape, &is_reduced, keep_dims, 1).into_iter().collect();
        let count = shape.iter().zip(&is_reduced).filter(|(_, r)| **r).map(|(n, _)| n).product();
        Ok(Axes { groups: collapse(shape, &is_reduced), out_shape, count })
    }
}

fn reduction<T: Scalar, F: Fold<T>>(
    init: &KernelInit<'_>,
    f: F,
    finish: impl Fn(Threads, Tensor, usize) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    let (keep_dims, dtype) = (init.bool("keep_dims")?, init.input_type(0)?);
    kernel(move |ctx| {
        let x = ctx.take(0)?;
        let Axes { groups, out_shape, count } = Axes::new(x.shape(), ctx.input(1)?, keep_dims)?;
        // Partial results of 16-bit floats are kept in f32.
        let x = elementwise::cast(x, T::DTYPE, ctx.threads())?;
        let out = finish(ctx.threads(), reduce::<T>(&f, ctx.threads(), x, groups, out_shape)?, count)?;
        let out = elementwise::cast(out, dtype, ctx.threads())?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Makes the kernel of the same reduction of the result of a program, which is computed as it is read.
fn reduction_of<T: Scalar + Element, F: Fold<T>>(
    init: &KernelInit<'_>,
    program: Arc<Program>,
    f: F,
    finish: impl Fn(Threads, Tensor, usize) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    let keep_dims = init.bool("keep_dims")?;
    let given = program.given();
    kernel(move |ctx| {
        let (axes, threads) = (ctx.input(given)?.clone(), ctx.threads());
        let inputs = &ctx.inputs()[..given];
        let is_large = !program.stretches().is_empty() || inputs.iter().any(|t| t.elements() > SMALL);
        // Without axes, as gradients mostly have them, the elements are the result.
        if axes.elements() > 0
            && is_large
            && let Some(x) = program.ranges::<T>(inputs, threads)?
        {
            let Axes { mut groups, out_shape, count } = Axes::new(x.shape(), &axes, keep_dims)?;
            if let Some(first) = fold_innermost(&f, threads, &x, &mut groups)? {
                ctx.set_output(0, finish(threads, reduce::<T>(&f, threads, first, groups, out_shape)?, count)?);
                return Ok(());
            }
        }
        let x = program.run(&mut ctx.inputs_mut()[..given], threads)?.pop();
        let x = x.ok_or_else(|| Status::internal("a program has no output"))?;
        let Axes { groups, out_shape, count } = Axes::new(x.shape(), &axes, keep_dims)?;
        ctx.set_output(0, finish(threads, reduce::<T>(&f, threads, x, groups, out_shape)?, count)?);
        Ok(())
    })
}

fn numeric(init: &KernelInit<'_>, f: Reduce) -> Result<Box<dyn Kernel>> {
    let dtype = match init.input_type(0)? {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    };
    dispatch!(dtype, T in number, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        reduction::<T, _>(init, Numeric(f), move |threads, out, count| finished(f, threads, out, count))
    }, else Err(init.unsupported()))
}

fn numeric_of(init: &KernelInit<'_>, program: Arc<Program>, f: Reduce) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in [F32, F64], {
        reduction_of::<T, _>(init, program, Numeric(f), move |threads, out, count| finished(f, threads, out, count))
    }, else Err(init.unsupported()))
}

fn finished(f: Reduce, threads: Threads, out: Tensor, count: usize) -> Result<Tensor> {
    match f {
        Reduce::Max | Reduce::Min => extreme(threads, out, count),
        _ => Ok(out),
    }
}

/// Makes denormal numbers zero: no instruction has computed the largest or smallest number.
fn flush<T: Flushed + Send>(threads: Threads, out: &mut [T]) -> Result<()> {
    Ok(try_for_chunks_mut(threads, out, BLOCK, |_, part| part.iter_mut().for_each(|x| *x = x.flushed()))?)
}

fn extreme(threads: Threads, mut out: Tensor, count: usize) -> Result<Tensor> {
    match out.dtype() {
        DType::F32 if count > 1 => flush(threads, out.slice_mut::<f32>()?)?,
        DType::F64 if count > 1 => flush(threads, out.slice_mut::<f64>()?)?,
        _ => {}
    }
    Ok(out)
}

fn mean(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = match init.input_type(0)? {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    };
    // TF 1.x: the mean of nothing is NaN of the types that C++ has a NaN of, and zero of all others.
    let has_nan = matches!(init.input_type(0)?, DType::F16 | DType::F32 | DType::F64);
    dispatch!(dtype, T in number, {
        reduction::<T, _>(init, Numeric(Reduce::Sum), move |_, out, count| {
            if count == 0 && !has_nan { Ok(out) } else { divided::<T>(out, count) }
        })
    }, else Err(init.unsupported()))
}

fn mean_of(init: &KernelInit<'_>, program: Arc<Program>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in [F32, F64], {
        reduction_of::<T, _>(init, program, Numeric(Reduce::Sum), |_, out, count| divided::<T>(out, count))
    }, else Err(init.unsupported()))
}

/// Makes sums means.
fn divided<T: Scalar + Reducible>(mut out: Tensor, count: usize) -> Result<Tensor> {
    for v in out.slice_mut::<T>()? {
        *v = vector::mean_of_sum(v.widened(), count);
    }
    Ok(out)
}

fn logical(init: &KernelInit<'_>, f: Logical) -> Result<Box<dyn Kernel>> {
    reduction::<bool, _>(init, f, |_, out, _| Ok(out))
}

pub(super) fn register(r: &mut Registry) {
    let with_axes = |op: Op, output: &str| {
        let op = op.input("reduction_indices: Tidx").output(output).attr("keep_dims: bool = false");
        op.shape(shape)
    };
    let indices = "Tidx: {int32, int64} = DT_INT32";
    let op = |name: &str| with_axes(Op::new(name).input("input: T"), "output: T").attr("T: numbertype").attr(indices);
    r.add(
        op("Sum")
            .doc("Returns the sums over some axes.")
            .keeps_elements_without_axes()
            .kernel(|init| numeric(init, Reduce::Sum))
            .kernel_of_program(0, |init, program| numeric_of(init, program, Reduce::Sum)),
    );
    r.add(op("Mean").doc("Returns the means over some axes.").kernel(mean).kernel_of_program(0, mean_of));
    r.add(
        op("Prod")
            .doc("Returns the products over some axes.")
            .keeps_elements_without_axes()
            .kernel(|init| numeric(init, Reduce::Prod))
            .kernel_of_program(0, |init, program| numeric_of(init, program, Reduce::Prod)),
    );
    r.add(
        op("Max")
            .doc("Returns the largest elements over some axes; NaN is passed over.")
            .keeps_elements_without_axes()
            .kernel(|init| numeric(init, Reduce::Max))
            .kernel_of_program(0, |init, program| numeric_of(init, program, Reduce::Max)),
    );
    r.add(
        op("Min")
            .doc("Returns the smallest elements over some axes; NaN is passed over.")
            .keeps_elements_without_axes()
            .kernel(|init| numeric(init, Reduce::Min))
            .kernel_of_program(0, |init, program| numeric_of(init, program, Reduce::Min)),
    );
    r.add(
        op("EuclideanNorm")
            .doc("Returns the square roots of the sums of the squares of the moduli over some axes.")
            .kernel(euclidean_norm::kernel_of),
    );
    let op = |name: &str| with_axes(Op::new(name).input("input: bool"), "output: bool").attr(indices);
    r.add(op("All").doc("Returns whether all hold over some axes.").kernel(|init| logical(init, Logical::All)));
    r.add(op("Any").doc("Returns whether any holds over some axes.").kernel(|init| logical(init, Logical::Any)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Complex32, f16};

    fn axes(axes: &[i32]) -> Tensor {
        Tensor::from_slice([axes.len()], axes).unwrap()
    }

    /// Integers in doubles: their sums are exact, so that any order gives the naive result.
    fn input(shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        let values: Vec<f64> = (0..n).map(|i| ((i * 31 + 7) % 23) as f64 - 9.0).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    fn naive(x: &Tensor, is_reduced: &[bool], start: f64, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let kept_dims = kept(x.shape(), is_reduced, true, 1);
        let out_shape: Shape = kept_dims.iter().copied().collect();
        let (strides, out_strides) = (x.shape().strides(), out_shape.strides());
        let mut out = vec![start; out_shape.elements()];
        for (flat, v) in x.slice::<f64>().unwrap().iter().enumerate() {
            let at: usize =
                (0..x.rank()).map(|d| (flat / strides[d] % x.shape()[d]).min(out_shape[d] - 1) * out_strides[d]).sum();
            out[at] = f(out[at], *v);
        }
        out
    }

    const SHAPES: [&[usize]; 12] = [
        &[],
        &[1],
        &[7],
        &[3, 5],
        &[2, 3, 4, 5],
        &[1, 6, 1, 2],
        &[700, 130],
        &[70_001],
        &[9000, 11],
        &[3, 9000],
        &[130, 4, 300],
        &[2, 150, 1000],
    ];

    #[test]
    fn every_set_of_axes_gives_the_naive_result_at_any_number_of_threads() {
        for shape in SHAPES {
            let x = input(shape);
            for set in 0..1u32 << shape.len() {
                let list: Vec<i32> = (0..shape.len() as i32).filter(|a| set >> a & 1 == 1).collect();
                let is_reduced = reduced_axes(&axes(&list).to_i64s().unwrap(), shape.len()).unwrap();
                let count: usize = list.iter().map(|&a| shape[a as usize]).product();
                let sum = naive(&x, &is_reduced, 0.0, |a, b| a + b);
                for (op, expected) in [
                    ("Mean", sum.iter().map(|s| s / count as f64).collect()),
                    ("Sum", sum),
                    ("Max", naive(&x, &is_reduced, f64::NEG_INFINITY, f64::max)),
                    ("Min", naive(&x, &is_reduced, f64::INFINITY, f64::min)),
                ] {
                    for threads in [1, 2, 4] {
                        let args = vec![Arg::One(x.clone()), Arg::One(axes(&list))];
                        let got = run_args(op, args, &[("keep_dims", AttrValue::Bool(set & 1 == 1))], threads).unwrap();
                        assert_eq!(got.values[0].slice::<f64>().unwrap(), expected, "{op} {shape:?} {list:?}");
                        assert_eq!(got.shapes[0], PartialShape::from(got.values[0].shape()));
                    }
                }
            }
        }
    }

    #[test]
    fn rounded_sums_have_equal_bits_at_any_number_of_threads() {
        for (shape, list) in [
            (&[300_000][..], &[0][..]),
            (&[500, 600], &[0]),
            (&[60, 5000], &[0]),
            (&[5000, 60], &[1]),
            (&[4, 70_000], &[1]),
            (&[50, 60, 70], &[0, 2]),
        ] {
            let n: usize = shape.iter().product();
            let values: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin()).collect();
            let x = Tensor::from_slice(Shape::new(shape), &values).unwrap();
            for op in ["Sum", "Mean"] {
                let at = |threads| {
                    run_args(op, vec![Arg::One(x.clone()), Arg::One(axes(list))], &[], threads).unwrap().values
                };
                let one = at(1);
                assert!(at(2) == one && at(4) == one, "{shape:?} {list:?}");
            }
        }
    }

    #[test]
    fn nothing_has_each_reductions_own_value() {
        let x = Tensor::new(DType::F32, [2, 0]).unwrap();
        let value = |op: &str| run(op, &[x.clone(), axes(&[1])], &[]).unwrap()[0].slice::<f32>().unwrap()[1];
        assert_eq!([value("Sum"), value("Prod"), value("Max")], [0.0, 1.0, f32::NEG_INFINITY]);
        assert!(value("Mean").is_nan());
        for dtype in [DType::BF16, DType::Complex64, DType::Complex128, DType::I32] {
            let mean = run("Mean", &[Tensor::new(dtype, [2, 0]).unwrap(), axes(&[1])], &[]).unwrap().remove(0);
            assert_eq!(mean, Tensor::zeros(dtype, [2]).unwrap());
        }
        let none = run("Sum", &[x, axes(&[0])], &[]).unwrap();
        assert_eq!(none[0].shape(), &[0].into());
    }

    #[test]
    fn types_have_their_own_arithmetic() {
        let ints = Tensor::from_slice([4], &[200u8, 100, 1, 0]).unwrap();
        assert_eq!(run("Sum", &[ints, axes(&[0])], &[]).unwrap(), [Tensor::scalar(45u8)]);
        let ints = Tensor::from_slice([4], &[-7i32, 2, 1, 0]).unwrap();
        assert_eq!(run("Mean", &[ints, axes(&[-1])], &[]).unwrap(), [Tensor::scalar(-1i32)]);
        let halves = Tensor::from_slice([5000], &[f16::from_f32(30.0); 5000]).unwrap();
        assert_eq!(run("Mean", &[halves, axes(&[0])], &[]).unwrap(), [Tensor::scalar(f16::from_f32(30.0))]);
        let z = Tensor::from_slice([2], &[Complex32::new(1.0, 2.0), Complex32::new(0.0, 1.0)]).unwrap();
        assert_eq!(run("Prod", &[z.clone(), axes(&[0])], &[]).unwrap(), [Tensor::scalar(Complex32::new(-2.0, 1.0))]);
        assert!(run("Max", &[z, axes(&[0])], &[]).is_err());
        let nan = Tensor::from_slice([3], &[1.0f32, f32::NAN, 2.0]).unwrap();
        assert_eq!(run("Max", &[nan, axes(&[0])], &[]).unwrap(), [Tensor::scalar(2.0f32)]);
    }

    // TF 1.15: NaN is passed over; the result of several NaNs alone is that of nothing, and one element is itself.
    #[test]
    fn extremes_pass_over_nan_in_every_layout() {
        for (rows, columns) in
            [(2, 1), (2, 5), (15, 3), (40, 40), (70, 300), (300, 7), (3, 5000), (5000, 3), (2, 70_000)]
        {
            let at = |i: usize, j: usize| {
                if j == 0 || (i + j).is_multiple_of(3) { f32::NAN } else { (i * columns + j) as f32 }
            };
            let values: Vec<f32> = (0..rows * columns).map(|k| at(k / columns, k % columns)).collect();
            let x = Tensor::from_slice([rows, columns], &values).unwrap();
            let transposed: Vec<f32> = (0..rows * columns).map(|k| at(k % rows, k / rows)).collect();
            let y = Tensor::from_slice([columns, rows], &transposed).unwrap();
            for (name, start, f) in
                [("Max", f32::NEG_INFINITY, f32::max as fn(f32, f32) -> f32), ("Min", f32::INFINITY, f32::min)]
            {
                let expected: Vec<f32> = (0..columns).map(|j| (0..rows).fold(start, |a, i| f(a, at(i, j)))).collect();
                for (x, axis) in [(&x, 0), (&y, 1)] {
                    let got = run(name, &[x.clone(), axes(&[axis])], &[]).unwrap().remove(0);
                    assert_eq!(got.slice::<f32>().unwrap(), expected, "{name} of {rows} x {columns} over {axis}");
                }
            }
        }
        let one = Tensor::from_slice([2, 1], &[f32::NAN, 1.0]).unwrap();
        assert!(run("Max", &[one, axes(&[1])], &[]).unwrap()[0].slice::<f32>().unwrap()[0].is_nan());
    }

    #[test]
    fn truths_are_reduced() {
        let x = Tensor::from_slice([2, 3], &[true, false, true, true, true, true]).unwrap();
        let bools = |op: &str, list: &[i32]| {
            run(op, &[x.clone(), axes(list)], &[]).unwrap()[0].slice::<bool>().unwrap().to_vec()
        };
        assert_eq!(bools("All", &[1]), [false, true]);
        assert_eq!(bools("All", &[0]), [true, false, true]);
        assert_eq!(bools("Any", &[1, 0]), [true]);
        assert_eq!(bools("All", &[]), [true, false, true, true, true, true]);
    }

    #[test]
    fn axes_outside_the_rank_are_refused() {
        for axis in [2, -3] {
            let e = run("Sum", &[input(&[2, 3]), axes(&[axis])], &[]).err().unwrap();
            assert!(e.message().contains("Invalid reduction dimension"), "{e}");
        }
        let int64 = Tensor::scalar(-1i64);
        let attrs = [("Tidx", AttrValue::Type(DType::I64))];
        assert_eq!(run("Max", &[input(&[3]), int64], &attrs).unwrap()[0].to_scalar::<f64>().unwrap(), 6.0);
    }
}
