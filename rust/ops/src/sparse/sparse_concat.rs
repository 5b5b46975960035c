//! SparseConcat: sparse tensors joined along a dimension.

use super::coordinates::{Coordinates, pick, shape_vector};
use super::shapes::set_parts;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, by_size, ensure};
use std::borrow::Cow;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let n = c.num_inputs() / 3;
    let (mut count, mut rank) = (Some(0), PartialShape::vector(None));
    for i in 0..n {
        let (indices, values) = (c.input(i)?.with_rank(2)?, c.input(i + n)?.with_rank(1)?);
        let rows = PartialShape::vector(indices.dim(0)).merge(&values)?.dim(0);
        count = count.zip(rows).map(|(total, rows)| total + rows);
        rank = rank.merge(&PartialShape::vector(indices.dim(1)))?.merge(&c.input(i + 2 * n)?.with_rank(1)?)?;
    }
    set_parts(c, 0, count, rank.dim(0));
    Ok(())
}

/// Vectors one after the other.
pub(super) fn joined(parts: &[&Tensor]) -> Result<Tensor> {
    let Some(first) = parts.first() else { bail!(Internal, "nothing to join") };
    let mut out = Tensor::new(first.dtype(), [parts.iter().map(|p| p.elements()).sum()])?;
    by_size!(first.dtype(), E, {
        let mut rest = E::view_mut(&mut out)?;
        for part in parts {
            let (here, after) = rest.split_at_mut(part.elements());
            here.clone_from_slice(E::view(part)?);
            rest = after;
        }
        Ok(())
    })?;
    Ok(out)
}

/// Returns the parts of a sparse tensor: of several whose dimensions but `axis` are equal, side by side along it.
///
/// Errors: `InvalidArgument` where the joined shape has too many elements.
pub(super) fn concatenated(
    parts: &[Coordinates<'_>],
    values: &[&Tensor],
    axis: usize,
) -> Result<(Tensor, Tensor, Tensor)> {
    let Some(first) = parts.first() else { bail!(Internal, "nothing to join") };
    let (rank, mut dims) = (first.rank(), first.shape.to_i64());
    dims[axis] = 0;
    let count = parts.iter().map(Coordinates::len).sum();
    let mut numbers = Vec::with_capacity(count * rank);
    for part in parts {
        for row in part.rows() {
            numbers.extend_from_slice(row);
            if let Some(index) = numbers.len().checked_sub(rank - axis).and_then(|at| numbers.get_mut(at)) {
                *index = index.saturating_add(dims[axis]);
            }
        }
        dims[axis] = dims[axis].saturating_add(part.shape[axis] as i64);
    }
    let all = Coordinates::from_parts(Cow::Owned(numbers), count, Shape::checked(&dims)?);
    let values = joined(values)?;
    let order = all.sorted();
    Ok((all.pick(&order)?, pick(&values, &order)?, shape_vector(&all.shape)?))
}

fn concat(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let axis = init.int("concat_dim")?;
    kernel(move |ctx| {
        let inputs = ctx.inputs();
        let n = inputs.len() / 3;
        let check = |what: &str, kind: &str, at: usize, rank: usize| {
            for (i, t) in inputs[at..at + n].iter().enumerate() {
                ensure!(
                    t.rank() == rank,
                    InvalidArgument,
                    "Input {what} should be a {kind} but received shape {} at position {i}",
                    t.shape()
                );
            }
            Ok(())
        };
        check("indices", "matrix", 0, 2)?;
        check("values", "vector", n, 1)?;
        check("shapes", "vector", 2 * n, 1)?;
        let parts: Vec<_> =
            (0..n).map(|i| Coordinates::of(&inputs[i], &inputs[n + i], &inputs[2 * n + i])).collect::<Result<_>>()?;
        let Some(first) = parts.first() else { bail!(Internal, "nothing to join") };
        let rank = first.rank();
        let signed = rank as i64;
        ensure!(
            (-signed..signed).contains(&axis),
            InvalidArgument,
            "Concat dimension must be in range [{}, {signed}), got {axis}",
            -signed
        );
        let axis = if axis < 0 { axis + signed } else { axis } as usize;
        for (i, part) in parts.iter().enumerate() {
            ensure!(
                part.rank() == rank,
                InvalidArgument,
                "Ranks of all input tensors must match: expected {rank} but got {} at position {i}",
                part.rank()
            );
            for (j, (expected, got)) in first.shape.iter().zip(part.shape.iter()).enumerate() {
                ensure!(
                    j == axis || expected == got,
                    InvalidArgument,
                    "Input shapes must match: expected {expected} for dimension {j} but got {got} at position {i}"
                );
            }
        }
        let values: Vec<&Tensor> = inputs[n..2 * n].iter().collect();
        let (indices, values, shape) = concatenated(&parts, &values, axis)?;
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        ctx.set_output(2, shape);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseConcat")
            .input("indices: N * int64")
            .input("values: N * T")
            .input("shapes: N * int64")
            .output("output_indices: int64")
            .output("output_values: T")
            .output("output_shape: int64")
            .attr("concat_dim: int")
            .attr("N: int >= 2")
            .attr("T: type")
            .doc("Returns the sparse tensors joined along `concat_dim`, in row-major order.")
            .shape(shape)
            .kernel(concat),
    );
}

#[cfg(test)]
mod tests {
    use super::super::coordinates::matrix;
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    /// Indices, values and shape of a matrix.
    type Part<'a> = (&'a [i64], &'a [i32], [i64; 2]);

    fn concat(axis: i64, parts: &[Part<'_>]) -> Result<(Vec<i64>, Vec<i32>, Vec<i64>)> {
        let list = |f: &dyn Fn(&Part<'_>) -> Tensor| Arg::List(parts.iter().map(f).collect());
        let args = vec![
            list(&|(i, _, _)| matrix(i.len() / 2, 2, i).unwrap()),
            list(&|(_, v, _)| Tensor::from_slice([v.len()], v).unwrap()),
            list(&|(_, _, s)| Tensor::from_slice([2], s).unwrap()),
        ];
        let out = run_args("SparseConcat", args, &[("concat_dim", AttrValue::Int(axis))], 1)?.values;
        Ok((out[0].slice::<i64>()?.to_vec(), out[1].slice::<i32>()?.to_vec(), out[2].slice::<i64>()?.to_vec()))
    }

    #[test]
    fn parts_are_side_by_side_and_in_order() {
        let a: Part<'_> = (&[0, 2, 1, 0], &[1, 2], [2, 3]);
        let b: Part<'_> = (&[0, 1, 1, 1], &[3, 4], [2, 2]);
        let out = concat(1, &[a, b]).unwrap();
        assert_eq!(out, (vec![0, 2, 0, 4, 1, 0, 1, 4], vec![1, 3, 2, 4], vec![2, 5]));
        assert_eq!(concat(-1, &[a, b]).unwrap(), out);
        let out = concat(0, &[a, (&[], &[], [1, 3])]).unwrap();
        assert_eq!(out, (vec![0, 2, 1, 0], vec![1, 2], vec![3, 3]));
    }

    #[test]
    fn other_dimensions_and_axes_are_refused() {
        let (a, b): (Part<'_>, Part<'_>) = ((&[0, 0], &[1], [2, 3]), (&[0, 0], &[1], [2, 2]));
        let message = |axis| concat(axis, &[a, b]).unwrap_err().message().to_owned();
        assert_eq!(message(0), "Input shapes must match: expected 3 for dimension 1 but got 2 at position 1");
        assert_eq!(message(2), "Concat dimension must be in range [-2, 2), got 2");
        let huge = [1 << 61, 2];
        assert!(concat(0, &[(&[], &[], huge), (&[], &[], huge)]).is_err());
    }
}
