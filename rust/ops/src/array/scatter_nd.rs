//! ScatterNd, ScatterNdNonAliasingAdd, TensorScatterAdd, TensorScatterSub, TensorScatterUpdate: slices put, at the index of
//! their first dimensions, into zeros or a tensor.

use super::gather::index_text;
use super::gather_nd::slice_numbers;
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{
    Bytes, DType, Movable, PartialShape, Result, Scalar, Shape, Status, Tensor, bail, by_size, dispatch, ensure,
};

/// Checks what is known of the shapes against each other, before a step. `output` is what slices are put into, and `name`
/// the word for it in messages.
fn check(indices: &PartialShape, updates: &PartialShape, output: &PartialShape, name: &str) -> Result<()> {
    if output.elements() == Some(0) {
        let some = |s: &PartialShape| s.elements().is_some_and(|n| n > 0);
        ensure!(
            !some(indices) && !some(updates),
            InvalidArgument,
            "Indices and updates specified for empty output shape"
        );
    }
    let (Some(index), Some(update)) = (indices.dims(), updates.dims()) else { return Ok(()) };
    let Some((depth, outer)) = index.split_last() else { return Ok(()) };
    let n = outer.len();
    let prefix = PartialShape::from_dims(&update[..n.min(update.len())]);
    PartialShape::from_dims(outer).merge(&prefix).map_err(|e| {
        Status::invalid_argument(format!(
            "The outer {n} dimensions of indices.shape={indices} must match the outer {n} dimensions of \
             updates.shape={updates}: {}",
            e.message()
        ))
    })?;
    if let (Some(depth), Some(out)) = (*depth, output.dims()) {
        // TF 1.x: an index of more dimensions than the output has is refused by the step, if its updates are scalars.
        let suffix = PartialShape::from_dims(&out[depth.min(out.len())..]);
        suffix.merge(&PartialShape::from_dims(&update[n..])).map_err(|e| {
            Status::invalid_argument(format!(
                "The inner {} dimensions of {name}.shape={output} must match the inner {} dimensions of \
                 updates.shape={updates}: {}",
                out.len() as i64 - depth as i64,
                update.len() - n,
                e.message()
            ))
        })?;
    }
    Ok(())
}

/// Checks the shapes of a step.
fn check_step(indices: &Tensor, updates: &Tensor, output: &Shape) -> Result<()> {
    let (index, update) = (indices.shape(), updates.shape());
    let Some((&depth, outer)) = index.split_last() else {
        bail!(InvalidArgument, "Indices shape must have rank at least one. Found:{index}")
    };
    ensure!(update.rank() >= 1, InvalidArgument, "Updates shape must have rank at least one. Found:{update}");
    let (some_indices, some_updates) = (indices.elements() > 0, updates.elements() > 0);
    ensure!(
        !some_indices && !some_updates || some_indices && some_updates && output.elements() > 0,
        InvalidArgument,
        "Indices and updates specified for empty output shape"
    );
    ensure!(
        update.starts_with(outer),
        InvalidArgument,
        "Outer dimensions of indices and update must match. Indices shape: {index}, updates shape:{update}"
    );
    ensure!(
        depth <= output.rank() && update[outer.len()..] == output[depth..],
        InvalidArgument,
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output: {output} updates: {update}"
    );
    ensure!(
        update[0] == index[0],
        InvalidArgument,
        "The outermost dimension of updates and indices must match. Got indices.shape {index}, updates.shape {update}"
    );
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let out = c.input_as_shape(2)?;
    check(&c.input(0)?.with_rank_at_least(1)?, &c.input(1)?.with_rank_at_least(1)?, &out, "output")?;
    c.set_output(0, out);
    Ok(())
}

/// Sets the shape of an op that puts slices into input 0.
pub(crate) fn shape_into(c: &mut ShapeContext<'_>) -> Result<()> {
    let out = c.input(0)?.clone();
    check(&c.input(1)?.with_rank_at_least(1)?, &c.input(2)?.with_rank_at_least(1)?, &out, "input")?;
    c.set_output(0, out);
    Ok(())
}

fn shape_of_tensor(c: &mut ShapeContext<'_>) -> Result<()> {
    let out = c.input(0)?.with_rank_at_least(1)?;
    check(&c.input(1)?.with_rank_at_least(1)?, &c.input(2)?.with_rank_at_least(1)?, &out, "output")?;
    c.set_output(0, out);
    Ok(())
}

/// Returns the elements of a slice of `shape`, and the number of the slice that each slice of `updates` is for; none of
/// no elements.
fn targets(indices: &Tensor, updates: &Tensor, shape: &Shape) -> Result<(usize, Vec<usize>)> {
    check_step(indices, updates, shape)?;
    if updates.elements() == 0 {
        return Ok((1, Vec::new()));
    }
    let (depth, dims) = (indices.shape().last().copied().unwrap_or(0), indices.shape());
    let numbers = slice_numbers(&indices.to_i64s()?, depth, shape).map_err(|(row, index)| {
        let at = index_text(&Shape::new(&dims[..dims.rank() - 1]), row);
        let index: Vec<_> = index.iter().map(i64::to_string).collect();
        let index = index.join(", ");
        Status::invalid_argument(format!("indices{at} = [{index}] does not index into shape {shape}"))
    })?;
    Ok((shape[depth..].iter().product(), numbers))
}

/// Joins each slice of `updates` to the slice of `out` that `indices` names, in their order.
fn join<T: Scalar>(indices: &Tensor, updates: &Tensor, out: &mut Tensor, f: impl Fn(&mut T, T)) -> Result<()> {
    let (inner, numbers) = targets(indices, updates, out.shape())?;
    let out = out.slice_mut::<T>()?;
    for (from, number) in updates.slice::<T>()?.chunks_exact(inner.max(1)).zip(numbers) {
        for (to, &x) in out[number * inner..(number + 1) * inner].iter_mut().zip(from) {
            f(to, x);
        }
    }
    Ok(())
}

fn add<T: Summed>(indices: &Tensor, updates: &Tensor, out: &mut Tensor) -> Result<()> {
    join::<T>(indices, updates, out, |to, x| *to = to.plus(x))
}

fn either(indices: &Tensor, updates: &Tensor, out: &mut Tensor) -> Result<()> {
    join::<bool>(indices, updates, out, |to, x| *to |= x)
}

/// Appends each string of `updates` to the string of `out` that `indices` names, in their order.
fn append(indices: &Tensor, updates: &Tensor, out: &mut Tensor) -> Result<()> {
    let (inner, numbers) = targets(indices, updates, out.shape())?;
    let out = Bytes::view_mut(out)?;
    for (from, number) in Bytes::view(updates)?.chunks_exact(inner.max(1)).zip(numbers) {
        for (to, x) in out[number * inner..(number + 1) * inner].iter_mut().zip(from) {
            *to = [&**to, &**x].concat().into();
        }
    }
    Ok(())
}

fn replace<E: Movable>(indices: &Tensor, updates: &Tensor, out: &mut Tensor) -> Result<()> {
    let (inner, numbers) = targets(indices, updates, out.shape())?;
    let out = E::view_mut(out)?;
    for (from, number) in E::view(updates)?.chunks_exact(inner.max(1)).zip(numbers) {
        out[number * inner..(number + 1) * inner].clone_from_slice(from);
    }
    Ok(())
}

fn tensor_scatter_update(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    kernel(move |ctx| {
        let mut out = ctx.take_unique(0)?;
        by_size!(dtype, E, replace::<E>(ctx.input(1)?, ctx.input(2)?, &mut out))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn tensor_scatter_sub(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    dispatch!(dtype, T in number, kernel(|ctx| {
        let mut out = ctx.take_unique(0)?;
        join::<T>(ctx.input(1)?, ctx.input(2)?, &mut out, |to, x| *to = to.minus(x))?;
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

/// Adds slices of a tensor to those of another that indices name.
type Sum = fn(&Tensor, &Tensor, &mut Tensor) -> Result<()>;

fn sum_of(init: &KernelInit<'_>, dtype: DType) -> Result<Sum> {
    if dtype == DType::Bool {
        return Ok(either);
    }
    dispatch!(dtype, T in number, Ok(add::<T>), else Err(init.unsupported()))
}

fn scatter(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    let sum: Sum = if dtype == DType::String { append } else { sum_of(init, dtype)? };
    kernel(move |ctx| {
        let dims = ctx.input(2)?;
        ensure!(dims.rank() == 1, InvalidArgument, "Shape must be a vector");
        let shape = Shape::checked(&dims.to_i64s()?)?;
        ensure!(shape.rank() >= 1, InvalidArgument, "Output must be at least 1-D, got shape: {shape}");
        let mut out = Tensor::zeros_by(ctx.threads(), dtype, shape)?;
        sum(ctx.input(0)?, ctx.input(1)?, &mut out)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn scatter_add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let sum = sum_of(init, init.dtype("T")?)?;
    kernel(move |ctx| {
        let mut out = ctx.take_unique(0)?;
        sum(ctx.input(1)?, ctx.input(2)?, &mut out)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ScatterNd")
            .input("indices: Tindices")
            .input("updates: T")
            .input("shape: Tindices")
            .output("output: T")
            .attr("T: type")
            .attr("Tindices: {int32, int64}")
            .doc(
                "Adds the slices of `updates` into zeros of `shape`, each at the index in the last dimension of \
                 `indices`.",
            )
            .shape(shape)
            .kernel(scatter),
    );
    r.add(
        Op::new("ScatterNdNonAliasingAdd")
            .input("input: T")
            .input("indices: Tindices")
            .input("updates: T")
            .output("output: T")
            .attr("T: {numbertype, bool}")
            .attr("Tindices: {int32, int64}")
            .doc(
                "Adds the slices of `updates` to those of `input`, each at the index in the last dimension of \
                 `indices`.",
            )
            .shape(shape_into)
            .kernel(scatter_add),
    );
    let op = |name: &str| {
        let op = Op::new(name).input("tensor: T").input("indices: Tindices").input("updates: T").output("output: T");
        op.attr("T: type").attr("Tindices: {int32, int64}").shape(shape_of_tensor)
    };
    r.add(
        op("TensorScatterAdd")
            .doc(
                "Returns `tensor` with the slices of `updates` added, each at the index in the last dimension of \
                 `indices`.",
            )
            .kernel(scatter_add),
    );
    r.add(
        op("TensorScatterSub")
            .doc("Returns `tensor` less the slices of `updates`, each at the index in the last dimension of `indices`.")
            .kernel(tensor_scatter_sub),
    );
    r.add(
        op("TensorScatterUpdate")
            .doc(
                "Returns `tensor` with slices replaced by those of `updates`, at the index in the last dimension of \
                 `indices`.",
            )
            .kernel(tensor_scatter_update),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn vector(v: &[i32]) -> Tensor {
        Tensor::from_slice([v.len()], v).unwrap()
    }

    fn scatter(indices: (&[usize], &[i32]), updates: (&[usize], &[f32]), shape: &[i32]) -> Result<Tensor> {
        let indices = Tensor::from_slice(indices.0, indices.1).unwrap();
        let updates = Tensor::from_slice(updates.0, updates.1).unwrap();
        Ok(run("ScatterNd", &[indices, updates, vector(shape)], &[])?[0].clone())
    }

    #[test]
    fn slices_land_at_their_index_and_add_up() {
        let y = scatter((&[3, 1], &[2, 0, 2]), (&[3], &[1., 2., 4.]), &[4]).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [2., 0., 5., 0.]);
        let y = scatter((&[2, 1], &[1, 1]), (&[2, 2], &[1., 2., 3., 4.]), &[2, 2]).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [0., 0., 4., 6.]);
        let y = scatter((&[1, 2, 2], &[0, 1, 1, 0]), (&[1, 2], &[7., 8.]), &[2, 2]).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [0., 7., 8., 0.]);
        assert!(scatter((&[2, 0], &[]), (&[2, 2], &[1., 2., 3., 4.]), &[2]).is_err());
        let y = scatter((&[0, 1], &[]), (&[0, 3], &[]), &[2, 3]).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [0.; 6]);
    }

    #[test]
    fn strings_are_appended_and_truths_joined() {
        let at = Tensor::from_slice([3, 1], &[0i32, 2, 0]).unwrap();
        let text = |v: [&str; 3]| Tensor::from_strings([3], v.map(|s| s.as_bytes().into()).to_vec()).unwrap();
        let y = run("ScatterNd", &[at.clone(), text(["a", "b", "c"]), vector(&[3])], &[]).unwrap();
        assert_eq!(y[0], text(["ac", "", "b"]));
        let truths = Tensor::from_slice([3], &[true, false, false]).unwrap();
        let y = run("ScatterNd", &[at, truths, vector(&[3])], &[]).unwrap();
        assert_eq!(y[0].slice::<bool>().unwrap(), [true, false, false]);
    }

    #[test]
    fn a_vector_of_indices_has_no_batch_and_wants_updates_of_its_length() {
        assert!(scatter((&[1], &[1]), (&[], &[5.]), &[4]).is_err());
        assert!(scatter((&[1], &[1]), (&[2], &[5., 6.]), &[4, 2]).is_err());
        let y = scatter((&[2], &[1, 0]), (&[2], &[5., 6.]), &[2, 1, 2]).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [0., 0., 5., 6.]);
    }

    #[test]
    fn slices_of_a_tensor_are_replaced_or_joined_in_order() {
        let x = Tensor::from_slice([2, 2], &[1i32, 2, 3, 4]).unwrap();
        let at = Tensor::from_slice([2, 1], &[1i64, 1]).unwrap();
        let by = Tensor::from_slice([2, 2], &[10i32, 20, 30, 40]).unwrap();
        for (op, expected) in [
            ("TensorScatterUpdate", [1, 2, 30, 40]),
            ("TensorScatterAdd", [1, 2, 43, 64]),
            ("TensorScatterSub", [1, 2, -37, -56]),
        ] {
            let y = run(op, &[x.clone(), at.clone(), by.clone()], &[]).unwrap();
            assert_eq!(y[0].slice::<i32>().unwrap(), expected, "{op}");
        }
        assert_eq!(x.slice::<i32>().unwrap(), [1, 2, 3, 4]);
        let outside = Tensor::from_slice([2, 1], &[0i64, 2]).unwrap();
        assert!(run("TensorScatterUpdate", &[x, outside, by], &[]).is_err());
    }

    #[test]
    fn the_input_itself_is_not_changed() {
        let x = Tensor::from_slice([2], &[1i64, 2]).unwrap();
        let args = [x.clone(), Tensor::from_slice([1, 1], &[1i32]).unwrap(), Tensor::from_slice([1], &[5i64]).unwrap()];
        assert_eq!(run("ScatterNdNonAliasingAdd", &args, &[]).unwrap()[0].slice::<i64>().unwrap(), [1, 7]);
        assert_eq!(x.slice::<i64>().unwrap(), [1, 2]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let e = scatter((&[2, 1], &[0, 4]), (&[2], &[1., 1.]), &[4]).unwrap_err();
        assert_eq!(e.message(), "indices[1] = [4] does not index into shape [4]");
        assert!(scatter((&[2, 1], &[0, -1]), (&[2], &[1., 1.]), &[4]).is_err());
        assert!(scatter((&[2, 1], &[0, 1]), (&[3], &[1.; 3]), &[4]).is_err());
        assert!(scatter((&[2, 1], &[0, 1]), (&[2, 2], &[1.; 4]), &[4, 3]).is_err());
        assert!(scatter((&[1, 3], &[0, 1, 0]), (&[1], &[1.]), &[4, 3]).is_err());
        assert!(scatter((&[1, 1], &[0]), (&[1], &[1.]), &[0]).is_err());
        assert!(scatter((&[1, 1], &[0]), (&[1], &[1.]), &[-2]).is_err());
    }
}
