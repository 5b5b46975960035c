//! Concat, ConcatV2: tensors joined along a dimension they have.

use super::rows::join;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

/// Returns the dimension of a tensor of `rank` that `axis` names.
fn place(axis: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!(
        (-r..r).contains(&axis),
        InvalidArgument,
        "ConcatOp : Expected concatenating dimensions in the range [{}, {r}), but got {axis}",
        -r
    );
    Ok(if axis < 0 { axis + r } else { axis } as usize)
}

/// Infers the shape if the values are inputs `first..first + n` and the axis is input `axis`.
pub(crate) fn infer(c: &mut ShapeContext<'_>, first: usize, n: usize, axis: usize) -> Result<()> {
    c.input(axis)?.with_rank(0)?;
    let Some(rank) = (first..first + n).find_map(|i| c.input(i).ok()?.rank()) else { return Ok(()) };
    ensure!(rank > 0, InvalidArgument, "Can't concatenate scalars (use tf.stack instead)");
    let Some(axis) = c.input_i64(axis)? else {
        for i in first..first + n {
            c.input(i)?.with_rank(rank)?;
        }
        c.set_output(0, PartialShape::unknown_of_rank(rank));
        return Ok(());
    };
    let axis = place(axis, rank)?;
    let (mut others, mut sum) = (PartialShape::unknown_of_rank(rank), Some(0usize));
    for i in first..first + n {
        let mut dims = c.input(i)?.with_rank(rank)?.dims().unwrap_or_default();
        sum = sum.zip(dims[axis].take()).and_then(|(s, d)| s.checked_add(d));
        others = others.merge(&PartialShape::from_dims(&dims))?;
    }
    let mut dims = others.dims().unwrap_or_default();
    dims[axis] = sum;
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn concatenate(ctx: &ferroflow_graph::KernelContext<'_>, values: &[Tensor], axis: &Tensor) -> Result<Tensor> {
    ensure!(
        axis.rank() == 0,
        InvalidArgument,
        "axis tensor should be a scalar integer, but got shape {}",
        axis.shape()
    );
    let Some(first) = values.first() else { bail!(InvalidArgument, "Concat of no tensors") };
    let shape = first.shape();
    let axis = match axis.to_i64s()?[..] {
        [axis] => place(axis, shape.rank())?,
        _ => bail!(InvalidArgument, "Concat dim tensor should be a scalar"),
    };
    let mut sum = 0i64;
    for (i, v) in values.iter().enumerate() {
        ensure!(
            v.rank() == shape.rank(),
            InvalidArgument,
            "ConcatOp : Ranks of all input tensors should match: shape[0] = {shape} vs. shape[{i}] = {}",
            v.shape()
        );
        let same = (0..shape.rank()).all(|d| d == axis || v.shape()[d] == shape[d]);
        ensure!(
            same,
            InvalidArgument,
            "ConcatOp : Dimensions of inputs should match: shape[0] = {shape} vs. shape[{i}] = {}",
            v.shape()
        );
        sum = sum.saturating_add(v.shape()[axis] as i64);
    }
    let mut dims = shape.to_i64();
    dims[axis] = sum;
    join(ctx.threads(), values, shape.around(axis).0, Shape::checked(&dims)?)
}

fn concat(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let Some((axis, values)) = ctx.inputs().split_first() else { bail!(Internal, "Concat without inputs") };
        let out = concatenate(ctx, values, axis)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn concat_v2(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let Some((axis, values)) = ctx.inputs().split_last() else { bail!(Internal, "ConcatV2 without inputs") };
        let out = concatenate(ctx, values, axis)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Concat")
            .input("concat_dim: int32")
            .input("values: N * T")
            .output("output: T")
            .attr("N: int >= 2")
            .attr("T: type")
            .doc("Joins tensors along the dimension `concat_dim`.")
            .shape(|c| infer(c, 1, c.num_inputs() - 1, 0))
            .kernel(concat),
    );
    r.add(
        Op::new("ConcatV2")
            .input("values: N * T")
            .input("axis: Tidx")
            .output("output: T")
            .attr("N: int >= 2")
            .attr("T: type")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .doc("Joins tensors along the dimension `axis`.")
            .shape(|c| infer(c, 0, c.num_inputs() - 1, c.num_inputs() - 1))
            .kernel(concat_v2),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_tensor::{DType, Result, Tensor};

    fn concat(parts: Vec<Tensor>, axis: i32, threads: usize) -> Result<Tensor> {
        let axis = Tensor::scalar(axis);
        let old = run_args("Concat", vec![Arg::One(axis.clone()), Arg::List(parts.clone())], &[], threads)?;
        let new = run_args("ConcatV2", vec![Arg::List(parts), Arg::One(axis)], &[], threads)?;
        assert_eq!(old.values, new.values);
        assert_eq!(new.shapes[0].to_shape().as_ref(), Some(new.values[0].shape()));
        Ok(new.values[0].clone())
    }

    #[test]
    fn rows_and_columns_are_joined() {
        let a = Tensor::from_slice([2, 2], &[1i32, 2, 3, 4]).unwrap();
        let b = Tensor::from_slice([2, 1], &[5i32, 6]).unwrap();
        let y = concat(vec![a.clone(), b.clone()], 1, 1).unwrap();
        assert_eq!((y.shape().dims(), y.slice::<i32>().unwrap()), (&[2, 3][..], &[1, 2, 5, 3, 4, 6][..]));
        assert_eq!(concat(vec![a.clone(), b], -1, 1).unwrap(), y);
        let y = concat(vec![a.clone(), a], 0, 1).unwrap();
        assert_eq!(y.slice::<i32>().unwrap(), [1, 2, 3, 4, 1, 2, 3, 4]);
    }

    #[test]
    fn threads_change_nothing() {
        let part = |n: usize, from: u32| {
            Tensor::from_slice([300, n, 7], &(from..from + 2100 * n as u32).collect::<Vec<_>>()).unwrap()
        };
        for axis in [0, 1] {
            let parts =
                if axis == 0 { vec![part(40, 0), part(40, 9)] } else { vec![part(40, 0), part(3, 9), part(0, 0)] };
            let one = concat(parts.clone(), axis, 1).unwrap();
            assert_eq!(concat(parts.clone(), axis, 3).unwrap(), one);
            let expected: Vec<u32> = match axis {
                0 => parts.iter().flat_map(|p| p.slice::<u32>().unwrap().to_vec()).collect(),
                _ => (0..300)
                    .flat_map(|r| {
                        parts.iter().flat_map(move |p| {
                            let w = p.elements() / 300;
                            p.slice::<u32>().unwrap()[r * w..(r + 1) * w].to_vec()
                        })
                    })
                    .collect(),
            };
            assert_eq!(one.slice::<u32>().unwrap(), expected);
        }
    }

    #[test]
    fn strings_and_empty_tensors_are_joined() {
        let s = |n: usize, t: &str| Tensor::from_strings([1, n], vec![t.as_bytes().into(); n]).unwrap();
        let y = concat(vec![s(2, "a"), s(0, ""), s(1, "b")], 1, 1).unwrap();
        assert_eq!(y.strings().unwrap(), [&b"a"[..], b"a", b"b"].map(ferroflow_tensor::Bytes::from));
        let empty = Tensor::zeros(DType::F32, [0, 3]).unwrap();
        assert_eq!(concat(vec![empty.clone(), empty], 1, 1).unwrap().shape().dims(), [0, 6]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let zeros = |s: &[usize]| Tensor::zeros(DType::F32, s).unwrap();
        assert!(concat(vec![zeros(&[2, 3]), zeros(&[3, 3])], 1, 1).is_err());
        assert!(concat(vec![zeros(&[2, 3]), zeros(&[3])], 0, 1).is_err());
        assert!(concat(vec![zeros(&[]), zeros(&[])], 0, 1).is_err());
        assert!(concat(vec![zeros(&[2]), zeros(&[2])], 1, 1).is_err());
        assert!(concat(vec![zeros(&[2]), zeros(&[2])], i32::MIN, 1).is_err());
    }
}
