//! SparseToDense: values put at their indices into a tensor of one default value.

use super::coordinates::{Coordinates, numbers};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_fill};
use ferroflow_tensor::{Movable, Result, Shape, Tensor, bail, by_size, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(2)?;
    c.input(3)?.with_rank(0)?;
    let out = c.input_as_shape(1)?;
    c.set_output(0, out);
    Ok(())
}

fn put<E: Movable>(
    threads: Threads,
    values: &Tensor,
    default: &Tensor,
    places: &[usize],
    out: &mut Tensor,
) -> Result<()> {
    let (values, to) = (E::view(values)?, E::view_mut(out)?);
    if let [default] = E::view(default)? {
        try_fill(threads, to, default.clone())?;
    }
    for (i, &place) in places.iter().enumerate() {
        // One value stands for all.
        if let Some(value) = values.get(if values.len() == 1 { 0 } else { i }) {
            to[place] = value.clone();
        }
    }
    Ok(())
}

fn to_dense(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let validate = init.bool("validate_indices")?;
    kernel(move |ctx| {
        let (indices, shape, values, default) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
        let (count, rank) = match indices.shape()[..] {
            [] => (1, 1),
            [n] => (n, 1),
            [n, rank] => (n, rank),
            _ => bail!(
                InvalidArgument,
                "sparse_indices should be a scalar, vector, or matrix, got shape {}",
                indices.shape()
            ),
        };
        ensure!(shape.rank() == 1, InvalidArgument, "output_shape should be a vector, got shape {}", shape.shape());
        ensure!(
            shape.elements() == rank,
            InvalidArgument,
            "output_shape has incorrect number of elements: {} should be: {rank}",
            shape.elements()
        );
        ensure!(
            values.rank() == 0 || (values.rank() == 1 && values.elements() == count),
            InvalidArgument,
            "sparse_values has incorrect shape {}, should be [] or [{count}]",
            values.shape()
        );
        ensure!(default.rank() == 0, InvalidArgument, "default_value should be a scalar.");
        let coordinates = Coordinates::from_parts(numbers(indices)?, count, Shape::checked(&shape.to_i64s()?)?);
        let mut out = Tensor::new(values.dtype(), coordinates.shape.clone())?;
        if validate {
            coordinates.check_order()?;
        } else if coordinates.check_bounds().is_err() {
            bail!(InvalidArgument, "Indices are not valid (out of bounds).  Shape: {}", coordinates.shape);
        }
        let places = coordinates.flat();
        by_size!(values.dtype(), E, put::<E>(ctx.threads(), values, default, &places, &mut out))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseToDense")
            .input("sparse_indices: Tindices")
            .input("output_shape: Tindices")
            .input("sparse_values: T")
            .input("default_value: T")
            .output("dense: T")
            .attr("validate_indices: bool = true")
            .attr("T: type")
            .attr("Tindices: {int32, int64}")
            .doc("Returns a tensor of `default_value` but at `sparse_indices`, where `sparse_values` are.")
            .shape(shape)
            .kernel(to_dense),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn dense(indices: Tensor, shape: &[i32], values: Tensor, validate: bool) -> Result<Vec<i32>> {
        let inputs = [indices, Tensor::from_slice([shape.len()], shape)?, values, Tensor::scalar(-1i32)];
        let out = run("SparseToDense", &inputs, &[("validate_indices", AttrValue::Bool(validate))])?;
        Ok(out[0].slice::<i32>()?.to_vec())
    }

    #[test]
    fn indices_are_a_number_a_list_or_rows() {
        let two = Tensor::from_slice([2], &[7i32, 8]).unwrap();
        assert_eq!(dense(Tensor::scalar(1i32), &[3], Tensor::scalar(9i32), true).unwrap(), [-1, 9, -1]);
        let list = Tensor::from_slice([2], &[0i32, 2]).unwrap();
        assert_eq!(dense(list.clone(), &[3], two.clone(), true).unwrap(), [7, -1, 8]);
        assert_eq!(dense(list, &[3], Tensor::scalar(9i32), true).unwrap(), [9, -1, 9]);
        let rows = Tensor::from_slice([2, 2], &[0i32, 1, 1, 0]).unwrap();
        assert_eq!(dense(rows, &[2, 2], two, true).unwrap(), [-1, 7, 8, -1]);
        let words = [
            Tensor::from_slice([1], &[1i64]).unwrap(),
            Tensor::from_slice([1], &[2i64]).unwrap(),
            Tensor::from_strings([], vec![b"a"[..].into()]).unwrap(),
            Tensor::from_strings([], vec![b"-"[..].into()]).unwrap(),
        ];
        let out = run("SparseToDense", &words, &[]).unwrap();
        assert_eq!(out[0].strings().unwrap(), [&b"-"[..], b"a"].map(ferroflow_tensor::Bytes::from));
    }

    #[test]
    fn the_order_is_checked_only_where_asked_and_bounds_always() {
        let list = |v: &[i32]| Tensor::from_slice([v.len()], v).unwrap();
        let message = |v: &[i32], validate| {
            dense(list(v), &[3], Tensor::scalar(9i32), validate).unwrap_err().message().to_owned()
        };
        assert_eq!(message(&[0, 3], true), "indices[1] = [3] is out of bounds: need 0 <= index < [3]");
        assert_eq!(message(&[2, 1], true), "indices[1] = [1] is out of order");
        assert_eq!(message(&[1, 1], true), "indices[1] = [1] is repeated");
        assert_eq!(message(&[0, -1], false), "Indices are not valid (out of bounds).  Shape: [3]");
        assert_eq!(dense(list(&[2, 1, 1]), &[3], list(&[4, 5, 6]), false).unwrap(), [-1, 6, 4]);
        assert!(dense(list(&[0]), &[3, 2], list(&[1]), true).unwrap_err().message().contains("should be: 1"));
        assert!(dense(list(&[0]), &[3], list(&[1, 2]), true).unwrap_err().message().contains("should be [] or [1]"));
        assert!(dense(list(&[0]), &[-3], list(&[1]), true).is_err());
    }
}
