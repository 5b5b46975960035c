//! SparseSegmentSum, SparseSegmentMean, SparseSegmentSqrtN and their gradients: chosen rows reduced segment by segment.

use super::segment::rows_of_sorted;
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};
use num_traits::{AsPrimitive, NumAssign};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Sum,
    Mean,
    SqrtN,
}

impl Scale {
    /// Returns the divisor of the sum of `n` rows.
    fn divisor(self, n: usize) -> f64 {
        match self {
            Scale::Sum => 1.0,
            Scale::Mean => n as f64,
            Scale::SqrtN => (n as f64).sqrt(),
        }
    }
}

/// Sets the shape of `rows` rows like those of input 0.
fn shape_of_rows(c: &mut ShapeContext<'_>, rows: Option<usize>) -> Result<()> {
    let data = c.input(0)?.with_rank_at_least(1)?;
    c.input(1)?.with_rank(1)?.merge(&c.input(2)?.with_rank(1)?)?;
    let row = data.dims().map(|d| PartialShape::from_dims(d.get(1..).unwrap_or_default()));
    c.set_output(0, PartialShape::vector(rows).concatenate(&row.unwrap_or_else(PartialShape::unknown)));
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    shape_of_rows(c, None)
}

fn shape_by_count(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(3)?.with_rank(0)?;
    let count = c.input_i64(3)?;
    if let Some(n) = count {
        ensure!(n >= 0, InvalidArgument, "Cannot specify a negative value for num_segments");
    }
    shape_of_rows(c, count.and_then(|n| usize::try_from(n).ok()))
}

/// Returns the indices and ids of an op, of one length; ids are in ascending order from 0 on.
fn pairs(ctx: &KernelContext<'_>) -> Result<(Vec<i64>, Vec<i64>)> {
    let (indices, ids) = (ctx.input(1)?, ctx.input(2)?);
    ensure!(ctx.input(0)?.rank() > 0, InvalidArgument, "data must be at least 1-D");
    ensure!(indices.rank() == 1, InvalidArgument, "indices should be a vector.");
    ensure!(ids.rank() == 1, InvalidArgument, "segment_ids should be a vector.");
    ensure!(indices.elements() == ids.elements(), InvalidArgument, "segment_ids and indices should have same size.");
    Ok((indices.to_i64s()?, ids.to_i64s()?))
}

/// Returns a tensor of `rows` rows like those of `like`.
fn output<T: Scalar>(like: &Tensor, rows: i64) -> Result<(Tensor, usize)> {
    let row = &like.shape()[1..];
    let dims: Vec<i64> = std::iter::once(rows).chain(row.iter().map(|&d| d as i64)).collect();
    Ok((Tensor::zeros(T::DTYPE, Shape::checked(&dims)?)?, row.iter().product()))
}

fn reduce<T>(ctx: &mut KernelContext<'_>, scale: Scale) -> Result<()>
where
    T: Summed + NumAssign,
    f64: AsPrimitive<T>,
{
    let (indices, ids) = pairs(ctx)?;
    let data = ctx.input(0)?;
    let needed = rows_of_sorted(&ids)?;
    let rows = if ctx.num_inputs() > 3 {
        let count = ctx.input(3)?;
        ensure!(count.rank() == 0, InvalidArgument, "num_segments should be a scalar, not shape {}", count.shape());
        let count = count.to_i64s()?.first().copied().unwrap_or_default();
        ensure!(count >= 0, InvalidArgument, "segment ids must be >= 0");
        ensure!(count >= needed, InvalidArgument, "segment ids must be < num_segments");
        count
    } else {
        needed
    };
    let available = data.shape()[0];
    for (i, &index) in indices.iter().enumerate() {
        ensure!(
            (0..available as i64).contains(&index),
            InvalidArgument,
            "Bad: indices[{i}] == {index} out of range [0, {available})"
        );
    }
    let (mut out, width) = output::<T>(data, rows)?;
    if out.elements() > 0 {
        let values = data.slice::<T>()?;
        let block = (BLOCK / width).max(1) * width;
        try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, block, |start, out| {
            let first = (start / width) as i64;
            let mut at = ids.partition_point(|&id| id < first);
            for (to, id) in out.chunks_exact_mut(width).zip(first..) {
                let end = at + ids[at..].partition_point(|&other| other == id);
                for &index in &indices[at..end] {
                    let from = &values[index as usize * width..][..width];
                    to.iter_mut().zip(from).for_each(|(to, &v)| *to = to.plus(v));
                }
                if scale != Scale::Sum && end - at > 1 {
                    let divisor = scale.divisor(end - at).as_();
                    to.iter_mut().for_each(|v| *v /= divisor);
                }
                at = end;
            }
        })?;
    }
    ctx.set_output(0, out);
    Ok(())
}

fn gradient<T>(ctx: &mut KernelContext<'_>, scale: Scale) -> Result<()>
where
    T: Summed + NumAssign,
    f64: AsPrimitive<T>,
{
    let (indices, ids) = pairs(ctx)?;
    let (grad, rows) = (ctx.input(0)?, ctx.input(3)?);
    ensure!(rows.rank() == 0, InvalidArgument, "output_dim0 should be a scalar.");
    let rows = i64::from(rows.to_scalar::<i32>()?);
    if rows == 0 {
        // TF 1.x: nothing is written, and nothing read.
        let (out, _) = output::<T>(grad, rows)?;
        ctx.set_output(0, out);
        return Ok(());
    }
    let segments = grad.shape()[0];
    let mut counts = vec![0usize; segments];
    for &id in &ids {
        ensure!((0..segments as i64).contains(&id), InvalidArgument, "Segment id {id} out of range [0, {segments}).");
        counts[id as usize] += 1;
    }
    for &index in &indices {
        ensure!((0..rows).contains(&index), InvalidArgument, "Index {index} out of range [0, {rows}).");
    }
    let (mut out, width) = output::<T>(grad, rows)?;
    let (from, to) = (grad.slice::<T>()?, out.slice_mut::<T>()?);
    for (&index, &id) in indices.iter().zip(&ids) {
        let factor: T = (1.0 / scale.divisor(counts[id as usize])).as_();
        let from = &from[id as usize * width..][..width];
        let to = &mut to[index as usize * width..][..width];
        to.iter_mut().zip(from).for_each(|(to, &g)| *to += g * factor);
    }
    ctx.set_output(0, out);
    Ok(())
}

fn sum_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in real, kernel(|ctx| reduce::<T>(ctx, Scale::Sum)), else Err(init.unsupported()))
}

fn scaled_kernel(init: &KernelInit<'_>, scale: Scale) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in [F32, F64], {
        kernel(move |ctx| reduce::<T>(ctx, scale))
    }, else Err(init.unsupported()))
}

fn gradient_kernel(init: &KernelInit<'_>, scale: Scale) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in [F32, F64], {
        kernel(move |ctx| gradient::<T>(ctx, scale))
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    const FLOAT: &str = "T: {float, double}";
    let op = |name: &str, types: &str, counted: bool| {
        let op = Op::new(name).input("data: T").input("indices: Tidx").input("segment_ids: int32");
        let op = if counted { op.input("num_segments: Tnumsegments") } else { op };
        let op = op.output("output: T").attr(types).attr("Tidx: {int32, int64} = DT_INT32");
        if counted { op.attr("Tnumsegments: {int32, int64} = DT_INT32").shape(shape_by_count) } else { op.shape(shape) }
    };
    let (sum, mean, root) = (
        "Returns the sum of the rows that `indices` choose, for each segment.",
        "Returns the mean of the rows that `indices` choose, for each segment.",
        "Returns the sum of the rows that `indices` choose over the root of their number, for each segment.",
    );
    for (suffix, counted) in [("", false), ("WithNumSegments", true)] {
        let named = |name: &str, types| op(&format!("{name}{suffix}"), types, counted);
        r.add(named("SparseSegmentSum", "T: realnumbertype").doc(sum).kernel(sum_kernel));
        r.add(named("SparseSegmentMean", FLOAT).doc(mean).kernel(|init| scaled_kernel(init, Scale::Mean)));
        r.add(named("SparseSegmentSqrtN", FLOAT).doc(root).kernel(|init| scaled_kernel(init, Scale::SqrtN)));
    }
    let gradient = |name: &str| {
        let op = Op::new(name).input("grad: T").input("indices: Tidx").input("segment_ids: int32");
        let op = op.input("output_dim0: int32").output("output: T").attr(FLOAT);
        op.attr("Tidx: {int32, int64} = DT_INT32").shape(shape_by_count)
    };
    r.add(
        gradient("SparseSegmentMeanGrad")
            .doc("Returns the gradient of SparseSegmentMean's data.")
            .kernel(|init| gradient_kernel(init, Scale::Mean)),
    );
    r.add(
        gradient("SparseSegmentSqrtNGrad")
            .doc("Returns the gradient of SparseSegmentSqrtN's data.")
            .kernel(|init| gradient_kernel(init, Scale::SqrtN)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Result, Tensor};

    fn vector(v: &[i32]) -> Tensor {
        Tensor::from_slice([v.len()], v).unwrap()
    }

    fn data() -> Tensor {
        Tensor::from_slice([3, 2], &[1.0f32, 2.0, 4.0, 8.0, -3.0, 0.5]).unwrap()
    }

    #[test]
    fn chosen_rows_are_reduced_and_gaps_are_zero() {
        let of = |op: &str| {
            let out = run(op, &[data(), vector(&[0, 1, 0, 2]), vector(&[0, 0, 2, 2])], &[]).unwrap();
            let count = Tensor::scalar(4i64);
            let args = [data(), vector(&[0, 1, 0, 2]), vector(&[0, 0, 2, 2]), count];
            let counted = run(&format!("{op}WithNumSegments"), &args, &[]).unwrap();
            let (out, counted) = (out[0].slice::<f32>().unwrap(), counted[0].slice::<f32>().unwrap());
            assert_eq!((&counted[..6], &counted[6..]), (out, &[0.0, 0.0][..]));
            out.to_vec()
        };
        assert_eq!(of("SparseSegmentSum"), [5.0, 10.0, 0.0, 0.0, -2.0, 2.5]);
        assert_eq!(of("SparseSegmentMean"), [2.5, 5.0, 0.0, 0.0, -1.0, 1.25]);
        let root = 2f32.sqrt();
        assert_eq!(of("SparseSegmentSqrtN"), [5.0 / root, 10.0 / root, 0.0, 0.0, -2.0 / root, 2.5 / root]);
    }

    #[test]
    fn gradients_go_back_to_the_chosen_rows() {
        let of = |op: &str| {
            let grad = Tensor::from_slice([2, 1], &[8.0f64, 1.0]).unwrap();
            let args = [grad, vector(&[0, 2, 0, 1, 0]), vector(&[0, 0, 0, 0, 1]), Tensor::scalar(4i32)];
            run(op, &args, &[]).unwrap()[0].slice::<f64>().unwrap().to_vec()
        };
        assert_eq!(of("SparseSegmentMeanGrad"), [5.0, 2.0, 2.0, 0.0]);
        assert_eq!(of("SparseSegmentSqrtNGrad"), [9.0, 4.0, 4.0, 0.0]);
    }

    #[test]
    fn faulty_indices_and_ids_are_refused() {
        let sum = |indices: &[i32], ids: &[i32]| -> Result<Vec<Tensor>> {
            run("SparseSegmentSum", &[data(), vector(indices), vector(ids)], &[])
        };
        let e = sum(&[0, 3], &[0, 0]).unwrap_err();
        assert_eq!(e.message(), "Bad: indices[1] == 3 out of range [0, 3)");
        assert!(sum(&[0, -1], &[0, 0]).is_err());
        assert!(sum(&[0, 1], &[1, 0]).unwrap_err().message().contains("not increasing"));
        assert!(sum(&[0, 1], &[-1, 0]).is_err());
        assert!(sum(&[0], &[0, 0]).is_err());
        let args = [data(), vector(&[0]), vector(&[2]), Tensor::scalar(2i32)];
        assert!(run("SparseSegmentSumWithNumSegments", &args, &[]).is_err());
        let args = [data(), vector(&[4]), vector(&[0]), Tensor::scalar(4i32)];
        assert!(run("SparseSegmentMeanGrad", &args, &[]).is_err());
        assert_eq!(sum(&[], &[]).unwrap()[0].elements(), 0);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..5000 * 16).map(|i| ((i * 7919) % 1009) as f32 * 0.37).collect();
        let x = Tensor::from_slice([5000, 16], &x).unwrap();
        let indices: Vec<i32> = (0..20_000).map(|i| (i * 31) % 5000).collect();
        let ids: Vec<i32> = (0..20_000).map(|i| i / 5).collect();
        let by = |n| {
            let args = vec![Arg::One(x.clone()), Arg::One(vector(&indices)), Arg::One(vector(&ids))];
            run_args("SparseSegmentMean", args, &[], n).unwrap().values
        };
        assert_eq!(by(1), by(4));
    }
}
