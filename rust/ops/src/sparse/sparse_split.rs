//! SparseSplit: a sparse tensor cut along a dimension; the first parts are longer by one where it does not divide.

use super::coordinates::{Coordinates, matrix, pick, shape_vector};
use super::sparse_slice::boxed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = c.input(3)?.with_rank(1)?;
    let n = c.num_outputs() / 3;
    for i in 0..n {
        c.set_output(i, PartialShape::from_dims(&[None, shape.dim(0)]));
        c.set_output(n + i, PartialShape::vector(None));
        c.set_output(2 * n + i, shape.clone());
    }
    Ok(())
}

fn split(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let parts = init.int("num_split")?;
    kernel(move |ctx| {
        let (axis, values) = (ctx.input(0)?, ctx.input(2)?);
        ensure!(axis.elements() == 1, InvalidArgument, "split_dim should be a scalar, got shape {}", axis.shape());
        let axis = axis.to_scalar::<i64>()?;
        let from = Coordinates::of(ctx.input(1)?, values, ctx.input(3)?)?;
        let rank = from.rank() as i64;
        ensure!(
            (-rank..rank).contains(&axis),
            InvalidArgument,
            "Input split_dim should be between 0 and rank ({rank}), got {axis}"
        );
        let axis = if axis < 0 { axis + rank } else { axis } as usize;
        let whole = from.shape[axis] as i64;
        ensure!(
            (1..=whole).contains(&parts),
            InvalidArgument,
            "Input num_split should be between 1 and the splitting dimension size ({whole}), got {parts}"
        );
        let (least, longer) = (whole / parts, whole % parts);
        let (mut start, mut size) = (vec![0; from.rank()], from.shape.to_i64());
        let mut outputs = Vec::new();
        for i in 0..parts {
            size[axis] = least + i64::from(i < longer);
            let (picked, numbers, shape) = boxed(&from, &start, &size)?;
            let indices = matrix(picked.len(), from.rank(), &numbers)?;
            outputs.push((indices, pick(values, &picked)?, shape_vector(&shape)?));
            start[axis] += size[axis];
        }
        let n = outputs.len();
        for (i, (indices, values, shape)) in outputs.into_iter().enumerate() {
            ctx.set_output(i, indices);
            ctx.set_output(n + i, values);
            ctx.set_output(2 * n + i, shape);
        }
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseSplit")
            .input("split_dim: int64")
            .input("indices: int64")
            .input("values: T")
            .input("shape: int64")
            .output("output_indices: num_split * int64")
            .output("output_values: num_split * T")
            .output("output_shape: num_split * int64")
            .attr("num_split: int >= 1")
            .attr("T: type")
            .doc("Returns `num_split` parts of a sparse tensor, cut along dimension `split_dim`.")
            .shape(shape)
            .kernel(split),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn split(axis: i64, parts: i64) -> Result<Vec<Tensor>> {
        let indices = Tensor::from_slice([4, 2], &[0i64, 0, 0, 3, 1, 1, 1, 4])?;
        let (values, shape) = (Tensor::from_slice([4], &[1i32, 2, 3, 4])?, Tensor::from_slice([2], &[2i64, 5])?);
        run("SparseSplit", &[Tensor::scalar(axis), indices, values, shape], &[("num_split", AttrValue::Int(parts))])
    }

    #[test]
    fn the_first_parts_are_longer() {
        let out = split(1, 2).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [0, 0, 1, 1]);
        assert_eq!(out[1].slice::<i64>().unwrap(), [0, 0, 1, 1]);
        assert_eq!((out[2].slice::<i32>().unwrap(), out[3].slice::<i32>().unwrap()), (&[1, 3][..], &[2, 4][..]));
        assert_eq!((out[4].slice::<i64>().unwrap(), out[5].slice::<i64>().unwrap()), (&[2, 3][..], &[2, 2][..]));
        assert_eq!(split(-1, 2).unwrap(), out);
    }

    #[test]
    fn too_many_parts_and_other_axes_are_refused() {
        let message = |axis, parts| split(axis, parts).unwrap_err().message().to_owned();
        assert!(message(2, 1).contains("between 0 and rank (2), got 2"));
        assert!(message(0, 3).contains("between 1 and the splitting dimension size (2), got 3"));
    }
}
