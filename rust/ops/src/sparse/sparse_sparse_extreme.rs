//! SparseSparseMaximum, SparseSparseMinimum: the larger or smaller of two sparse tensors, element by element.

use super::coordinates::merge;
use super::shapes::parts;
use super::sparse_add::{operands, union};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::{Binary, Operand, binary};
use ferroflow_tensor::{PartialShape, Result, Scalar, Tensor, dispatch};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (parts(c, 0)?, parts(c, 3)?);
    c.set_output(0, PartialShape::from_dims(&[None, a.rank.or(b.rank)]));
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

fn extreme(init: &KernelInit<'_>, f: Binary) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in real, kernel(move |ctx| {
        let (a, b) = operands(ctx)?;
        let (a_values, b_values) = (ctx.input(1)?.slice::<T>()?, ctx.input(4)?.slice::<T>()?);
        let (mut rows, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
        // If one of the two has no element, it counts as zero.
        merge(&a, &b, |i, j| {
            rows.push((i, j));
            left.push(i.map_or(T::default(), |i| a_values[i]));
            right.push(j.map_or(T::default(), |j| b_values[j]));
        });
        let mut values = Tensor::new(T::DTYPE, [rows.len()])?;
        binary(f, Operand::Slice(&left), Operand::Slice(&right), values.slice_mut::<T>()?);
        let indices = union(&a, &b, &rows)?;
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        Op::new(name)
            .input("a_indices: int64")
            .input("a_values: T")
            .input("a_shape: int64")
            .input("b_indices: int64")
            .input("b_values: T")
            .input("b_shape: int64")
            .output("output_indices: int64")
            .output("output_values: T")
            .attr(types)
            .shape(shape)
    };
    r.add(
        op("SparseSparseMaximum", "T: realnumbertype")
            .doc("Returns the larger of two elements of one index; an element that is not there is zero.")
            .kernel(|init| extreme(init, Binary::Maximum)),
    );
    r.add(
        op("SparseSparseMinimum", "T: numbertype")
            .doc("Returns the smaller of two elements of one index; an element that is not there is zero.")
            .kernel(|init| extreme(init, Binary::Minimum)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn what_is_not_there_is_zero() {
        let shape = Tensor::from_slice([1], &[4i64]).unwrap();
        let vector = |i: &[i64]| Tensor::from_slice([i.len(), 1], i).unwrap();
        let values = |v: &[f32]| Tensor::from_slice([v.len()], v).unwrap();
        let inputs =
            [vector(&[0, 1]), values(&[-1.0, 5.0]), shape.clone(), vector(&[1, 3]), values(&[2.0, 3.0]), shape.clone()];
        let most = run("SparseSparseMaximum", &inputs, &[]).unwrap();
        assert_eq!(most[0].slice::<i64>().unwrap(), [0, 1, 3]);
        assert_eq!(most[1].slice::<f32>().unwrap(), [0.0, 5.0, 3.0]);
        let least = run("SparseSparseMinimum", &inputs, &[]).unwrap();
        assert_eq!(least[1].slice::<f32>().unwrap(), [-1.0, 2.0, 0.0]);
        let mut other = inputs;
        other[5] = Tensor::from_slice([1], &[5i64]).unwrap();
        assert!(run("SparseSparseMaximum", &other, &[]).unwrap_err().message().contains("got 4 and 5 for dimension 0"));
    }
}
