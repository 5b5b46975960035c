//! SparseSplit: a sparse tensor cut along a dimension; the first parts are longer by one where it does not divide.

use super::coordinates::{Coordinates, matrix, pick, shape_vector};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, bail, ensure};

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
        if let Some(i) = from.rows().position(|row| !(0..whole).contains(&row[axis])) {
            bail!(InvalidArgument, "indices[{i}, {axis}] = {} is not in [0, {whole})", from.row(i)[axis]);
        }
        let (least, longer) = (whole / parts, whole % parts);
        let mut size = from.shape.to_i64();
        let (mut start, mut outputs) = (0, Vec::new());
        for i in 0..parts {
            size[axis] = least + i64::from(i < longer);
            // TF 1.x: only the positions along the split dimension count, so that elements outside of others stay.
            let here = start..start + size[axis];
            let picked: Vec<usize> = (0..from.len()).filter(|&i| here.contains(&from.row(i)[axis])).collect();
            let mut numbers: Vec<i64> = picked.iter().flat_map(|&i| from.row(i)).copied().collect();
            numbers.iter_mut().skip(axis).step_by(from.rank()).for_each(|at| *at -= start);
            let indices = matrix(picked.len(), from.rank(), &numbers)?;
            outputs.push((indices, pick(values, &picked)?, shape_vector(&Shape::checked(&size)?)?));
            start = here.end;
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
    fn elements_outside_of_other_dimensions_stay_and_those_outside_of_the_split_one_are_refused() {
        let shape = Tensor::from_slice([2], &[1i64, 2]).unwrap();
        let values = Tensor::from_slice([3], &[1i32, 2, 3]).unwrap();
        let parts = |indices: &[i64]| {
            let indices = Tensor::from_slice([3, 2], indices).unwrap();
            let inputs = [Tensor::scalar(1i64), indices, values.clone(), shape.clone()];
            run("SparseSplit", &inputs, &[("num_split", AttrValue::Int(2))])
        };
        let out = parts(&[0, 0, 5, 0, -1, 1]).unwrap();
        assert_eq!((out[0].slice::<i64>().unwrap(), out[1].slice::<i64>().unwrap()), (&[0, 0, 5, 0][..], &[-1, 0][..]));
        for outside in [2, -1] {
            let error = parts(&[0, 0, 0, outside, 0, 1]).unwrap_err();
            assert!(error.message().contains(&format!("indices[1, 1] = {outside} is not in [0, 2)")), "{error}");
        }
    }

    #[test]
    fn too_many_parts_and_other_axes_are_refused() {
        let message = |axis, parts| split(axis, parts).unwrap_err().message().to_owned();
        assert!(message(2, 1).contains("between 0 and rank (2), got 2"));
        assert!(message(0, 3).contains("between 1 and the splitting dimension size (2), got 3"));
    }
}
