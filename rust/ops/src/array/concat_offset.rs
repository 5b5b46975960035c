//! ConcatOffset: where each part of a concatenation begins.

use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let mut each = PartialShape::vector(None);
    for i in 1..c.num_inputs() {
        each = each.merge(c.input(i)?)?;
    }
    for i in 0..c.num_outputs() {
        c.set_output(i, each.clone());
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ConcatOffset")
            .input("concat_dim: int32")
            .input("shape: N * int32")
            .output("offset: N * int32")
            .attr("N: int >= 2")
            .doc("Returns the index of the first element of each tensor of these shapes in their concatenation.")
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let Some((axis, shapes)) = ctx.inputs().split_first() else { bail!(Internal, "no inputs") };
                    let Some(first) = shapes.first() else { bail!(Internal, "no shapes") };
                    ensure!(
                        axis.rank() == 0,
                        InvalidArgument,
                        "Concat dim tensor should be a scalar integer, but got shape {}",
                        axis.shape()
                    );
                    let (axis, rank) = (axis.to_scalar::<i32>()?, first.elements() as i32);
                    ensure!(
                        (-rank..rank).contains(&axis),
                        InvalidArgument,
                        "Concat dim is out of range: {axis} vs. {rank}"
                    );
                    let axis = if axis < 0 { axis + rank } else { axis } as usize;
                    let first = first.slice::<i32>()?;
                    let mut offset = 0i32;
                    let mut outputs = Vec::with_capacity(shapes.len());
                    for (i, shape) in shapes.iter().enumerate() {
                        ensure!(
                            shape.rank() == 1,
                            InvalidArgument,
                            "input {i} should be a vector, but got shape {}",
                            shape.shape()
                        );
                        let dims = shape.slice::<i32>()?;
                        ensure!(
                            dims.len() == first.len(),
                            InvalidArgument,
                            "input {i} should contain {rank} elements, but got {}",
                            dims.len()
                        );
                        let same = (0..dims.len()).all(|d| d == axis || dims[d] == first[d]);
                        ensure!(
                            same,
                            InvalidArgument,
                            "All dimensions except {axis} must match. Input {i} has shape {dims:?} and doesn't match \
                             input 0 with shape {first:?}."
                        );
                        let mut begin = vec![0i32; dims.len()];
                        begin[axis] = offset;
                        outputs.push(Tensor::from_slice([dims.len()], &begin)?);
                        let Some(next) = offset.checked_add(dims[axis]) else {
                            bail!(InvalidArgument, "The sizes along {axis} add up to more than int32 holds");
                        };
                        offset = next;
                    }
                    for (i, o) in outputs.into_iter().enumerate() {
                        ctx.set_output(i, o);
                    }
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_tensor::{Result, Tensor};

    fn offsets(axis: i32, shapes: &[&[i32]]) -> Result<Vec<Vec<i32>>> {
        let list = shapes.iter().map(|s| Tensor::from_slice([s.len()], s).unwrap()).collect();
        let got = run_args("ConcatOffset", vec![Arg::One(Tensor::scalar(axis)), Arg::List(list)], &[], 1)?;
        Ok(got.values.iter().map(|t| t.slice::<i32>().unwrap().to_vec()).collect())
    }

    #[test]
    fn parts_follow_each_other() {
        let shapes: &[&[i32]] = &[&[2, 3, 5], &[2, 7, 5], &[2, 0, 5], &[2, 1, 5]];
        let expected = [[0, 0, 0], [0, 3, 0], [0, 10, 0], [0, 10, 0]];
        assert_eq!(offsets(1, shapes).unwrap(), expected);
        assert_eq!(offsets(-2, shapes).unwrap(), expected);
        for axis in [0, 3, -4] {
            assert!(offsets(axis, shapes).is_err());
        }
        assert!(offsets(0, &[&[i32::MAX], &[1], &[1]]).is_err());
        assert!(offsets(0, &[&[1, 2], &[1]]).is_err());
    }
}
