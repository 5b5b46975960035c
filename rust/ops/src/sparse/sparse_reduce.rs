//! SparseReduceSum, SparseReduceMax and their forms with a sparse result: elements combined along dimensions.

use super::coordinates::{Coordinates, matrix, pick, shape_vector};
use super::shapes::parts;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::{Reduce, Reducible, reduce_slice};
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};

/// Returns true if each of `rank` dimensions is reduced.
///
/// Errors: `InvalidArgument` for an axis outside [-rank, rank).
fn reduced(axes: &[i64], rank: usize) -> Result<Vec<bool>> {
    let mut found = vec![false; rank];
    for &axis in axes {
        let at = if axis < 0 { axis + rank as i64 } else { axis };
        match usize::try_from(at).ok().and_then(|at| found.get_mut(at)) {
            Some(slot) => *slot = true,
            None => {
                ensure!(
                    false,
                    InvalidArgument,
                    "Invalid reduction dimension {axis}, for input with {rank} dimensions."
                );
            }
        }
    }
    Ok(found)
}

/// Returns the dense shape of the result, as far as inputs 2 and 3 decide it.
fn result_shape(c: &ShapeContext<'_>) -> Result<PartialShape> {
    parts(c, 0)?;
    let shape = c.input_as_shape(2)?;
    let keep = c.bool("keep_dims")?;
    match (shape.dims(), c.input_i64s(3)?) {
        (Some(dims), Some(axes)) => {
            // TF 1.x: the graph takes a faulty axis modulo the rank, and the step refuses it.
            let axes: Vec<i64> = axes.iter().map(|a| a.checked_rem_euclid(dims.len() as i64).unwrap_or(*a)).collect();
            let Ok(reduced) = reduced(&axes, dims.len()) else { return Ok(PartialShape::unknown()) };
            let kept: Vec<_> = dims
                .iter()
                .zip(reduced)
                .filter_map(|(&d, gone)| if gone { keep.then_some(Some(1)) } else { Some(d) })
                .collect();
            Ok(PartialShape::from_dims(&kept))
        }
        (Some(dims), None) if keep => Ok(PartialShape::unknown_of_rank(dims.len())),
        _ => Ok(PartialShape::unknown()),
    }
}

fn dense_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = result_shape(c)?;
    c.set_output(0, shape);
    Ok(())
}

fn sparse_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rank = result_shape(c)?.rank();
    c.set_output(0, PartialShape::from_dims(&[None, rank]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(rank));
    Ok(())
}

/// The result of a reduction: what each index of the dimensions that stay has become.
struct Reduced {
    /// Rows of `shape.rank()` indices.
    indices: Vec<i64>,
    values: Tensor,
    shape: Shape,
}

fn reduce<T: Scalar + Reducible>(ctx: &KernelContext<'_>, f: Reduce, keep: bool) -> Result<Reduced> {
    let (values, shape, axes) = (ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
    ensure!(shape.rank() == 1, InvalidArgument, "Expected input_shape to be a vector; got shape: {}", shape.shape());
    ensure!(
        axes.rank() <= 1,
        InvalidArgument,
        "Expected reduction_axes to be a scalar or a vector; got shape: {}",
        axes.shape()
    );
    let from = Coordinates::of(ctx.input(0)?, values, shape)?;
    let gone = reduced(&axes.to_i64s()?, from.rank())?;
    from.check_bounds()?;
    let stays: Vec<usize> = (0..from.rank()).filter(|&d| !gone[d]).collect();
    let shown: Vec<usize> = (0..from.rank()).filter(|&d| keep || !gone[d]).collect();
    // Within a group the elements are folded in row-major order, whatever order they came in.
    let within: Vec<usize> = stays.iter().copied().chain((0..from.rank()).filter(|&d| gone[d])).collect();
    let order = from.sorted_by(&within);
    let sorted = pick(values, &order)?;
    let sorted = sorted.slice::<T>()?;
    let groups = from.groups(&order, &stays);
    let mut indices = Vec::with_capacity(groups.len() * shown.len());
    let mut results = Vec::with_capacity(groups.len());
    for group in groups {
        let row = from.row(order[group.start]);
        indices.extend(shown.iter().map(|&d| if gone[d] { 0 } else { row[d] }));
        results.push(reduce_slice(f, &sorted[group]));
    }
    let shape = shown.iter().map(|&d| if gone[d] { 1 } else { from.shape[d] }).collect();
    Ok(Reduced { indices, values: Tensor::from_slice([results.len()], &results)?, shape })
}

fn dense(init: &KernelInit<'_>, f: Reduce) -> Result<Box<dyn Kernel>> {
    let keep = init.bool("keep_dims")?;
    dispatch!(init.dtype("T")?, T in number, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        kernel(move |ctx| {
            let found = reduce::<T>(ctx, f, keep)?;
            let mut out = Tensor::zeros(T::DTYPE, found.shape.clone())?;
            let count = found.values.elements();
            let places = Coordinates::from_parts(found.indices.into(), count, found.shape).flat();
            let to = out.slice_mut::<T>()?;
            for (place, &value) in places.into_iter().zip(found.values.slice::<T>()?) {
                to[place] = value;
            }
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn sparse(init: &KernelInit<'_>, f: Reduce) -> Result<Box<dyn Kernel>> {
    let keep = init.bool("keep_dims")?;
    dispatch!(init.dtype("T")?, T in number, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        kernel(move |ctx| {
            let found = reduce::<T>(ctx, f, keep)?;
            ctx.set_output(0, matrix(found.values.elements(), found.shape.rank(), &found.indices)?);
            ctx.set_output(1, found.values);
            ctx.set_output(2, shape_vector(&found.shape)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        Op::new(name)
            .input("input_indices: int64")
            .input("input_values: T")
            .input("input_shape: int64")
            .input("reduction_axes: int32")
            .attr("keep_dims: bool = false")
            .attr(types)
    };
    let sparse_outputs = |op: Op| {
        op.output("output_indices: int64").output("output_values: T").output("output_shape: int64").shape(sparse_shape)
    };
    r.add(
        op("SparseReduceSum", "T: numbertype")
            .output("output: T")
            .doc("Returns the sums of the elements along dimensions, as a dense tensor.")
            .shape(dense_shape)
            .kernel(|init| dense(init, Reduce::Sum)),
    );
    r.add(
        op("SparseReduceMax", "T: realnumbertype")
            .output("output: T")
            .doc("Returns the largest of the elements along dimensions, as a dense tensor; 0 where there are none.")
            .shape(dense_shape)
            .kernel(|init| dense(init, Reduce::Max)),
    );
    r.add(
        sparse_outputs(op("SparseReduceSumSparse", "T: numbertype"))
            .doc("Returns the sums of the elements along dimensions, as a sparse tensor.")
            .kernel(|init| sparse(init, Reduce::Sum)),
    );
    r.add(
        sparse_outputs(op("SparseReduceMaxSparse", "T: realnumbertype"))
            .doc("Returns the largest of the elements along dimensions, as a sparse tensor.")
            .kernel(|init| sparse(init, Reduce::Max)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn reduce(op: &str, axes: &[i32], keep: bool) -> Result<Vec<Tensor>> {
        // [[1, ?, 1], [?, 1 + 4, ?]], out of order and with a repeated index.
        let indices = Tensor::from_slice([4, 2], &[1i64, 1, 0, 0, 0, 2, 1, 1])?;
        let values = Tensor::from_slice([4], &[1.0f32, 1.0, 1.0, 4.0])?;
        let (shape, axes) = (Tensor::from_slice([2], &[2i64, 3])?, Tensor::from_slice([axes.len()], axes)?);
        run(op, &[indices, values, shape, axes], &[("keep_dims", AttrValue::Bool(keep))])
    }

    #[test]
    fn dense_results_have_zeros_where_nothing_is() {
        let of = |op: &str, axes: &[i32], keep| {
            let out = reduce(op, axes, keep).unwrap();
            (out[0].slice::<f32>().unwrap().to_vec(), out[0].shape().to_vec())
        };
        assert_eq!(of("SparseReduceSum", &[0], false), (vec![1.0, 5.0, 1.0], vec![3]));
        assert_eq!(of("SparseReduceSum", &[-1], true), (vec![2.0, 5.0], vec![2, 1]));
        assert_eq!(of("SparseReduceSum", &[0, 1], false), (vec![7.0], vec![]));
        assert_eq!(of("SparseReduceSum", &[], false), (vec![1.0, 0.0, 1.0, 0.0, 5.0, 0.0], vec![2, 3]));
        assert_eq!(of("SparseReduceMax", &[1], false), (vec![1.0, 4.0], vec![2]));
    }

    #[test]
    fn sparse_results_have_the_indices_that_stay() {
        let out = reduce("SparseReduceSumSparse", &[0], true).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [0, 0, 0, 1, 0, 2]);
        assert_eq!(out[1].slice::<f32>().unwrap(), [1.0, 5.0, 1.0]);
        assert_eq!(out[2].slice::<i64>().unwrap(), [1, 3]);
        let all = reduce("SparseReduceMaxSparse", &[0, 1], false).unwrap();
        assert_eq!((all[0].shape().to_vec(), all[1].slice::<f32>().unwrap()), (vec![1, 0], &[4.0][..]));
        assert!(
            reduce("SparseReduceSum", &[2], false).unwrap_err().message().contains("dimension 2, for input with 2")
        );
    }
}
