//! SparseDenseCwiseAdd, SparseDenseCwiseMul, SparseDenseCwiseDiv: each element of a sparse tensor with that of a dense one.

use super::coordinates::{Coordinates, pick};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::{Binary, Operand, binary, has_zero};
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let count = c.input(0)?.with_rank(2)?.dim(0);
    c.set_output(0, PartialShape::vector(count));
    Ok(())
}

/// Returns the flat positions in `dense`, stretched to the sparse shape, of the elements.
fn places(sparse: &Coordinates<'_>, dense: &Tensor) -> Result<Vec<usize>> {
    let missing = sparse.rank().checked_sub(dense.rank());
    let fits = missing.is_some_and(|missing| {
        sparse.shape[missing..].iter().zip(dense.shape().iter()).all(|(&s, &d)| d == s || d == 1)
    });
    let Some(missing) = missing.filter(|_| fits) else {
        let text = |dims: &[usize]| dims.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        ferroflow_tensor::bail!(
            InvalidArgument,
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [{}] vs. [{}]",
            text(&sparse.shape),
            text(dense.shape())
        );
    };
    ensure!(
        sparse.check_bounds().is_ok(),
        InvalidArgument,
        "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"
    );
    let strides = dense.shape().strides();
    let step = |d: usize| if dense.shape()[d] == 1 { 0 } else { strides[d] };
    let steps: Vec<usize> = (0..dense.rank()).map(step).collect();
    Ok(sparse.rows().map(|row| row[missing..].iter().zip(&steps).map(|(&i, s)| i as usize * s).sum()).collect())
}

fn cwise(init: &KernelInit<'_>, f: Binary) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    dispatch!(dtype, T in real, kernel(move |ctx| {
        let (indices, values, shape, dense) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
        ensure!(
            indices.rank() == 2,
            InvalidArgument,
            "Input sp_indices should be a matrix but received shape: {}",
            indices.shape()
        );
        ensure!(
            values.rank() == 1 && shape.rank() == 1,
            InvalidArgument,
            "Inputs sp_values and sp_shape should be vectors but received shapes: {} and {}",
            values.shape(),
            shape.shape()
        );
        let places = places(&Coordinates::of(indices, values, shape)?, dense)?;
        let right = pick(dense, &places)?;
        let right = right.slice::<T>()?;
        ensure!(
            f != Binary::Div || !dtype.is_integer() || !has_zero(right),
            InvalidArgument,
            "Integer division by zero"
        );
        // TF 1.x: integers are cut to their whole part.
        let f = if f == Binary::Div && dtype.is_integer() { Binary::TruncateDiv } else { f };
        let mut out = Tensor::new(dtype, [places.len()])?;
        binary(f, Operand::Slice(values.slice::<T>()?), Operand::Slice(right), out.slice_mut::<T>()?);
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("sp_indices: int64")
            .input("sp_values: T")
            .input("sp_shape: int64")
            .input("dense: T")
            .output("output: T")
            .attr("T: numbertype")
            .shape(shape)
    };
    r.add(
        op("SparseDenseCwiseAdd")
            .doc(
                "Returns, for each element of the sparse tensor, its sum with the dense tensor's, stretched to its \
                 shape.",
            )
            .kernel(|init| cwise(init, Binary::Add)),
    );
    r.add(
        op("SparseDenseCwiseMul")
            .doc(
                "Returns, for each element of the sparse tensor, its product with the dense one's, stretched to its \
                 shape.",
            )
            .kernel(|init| cwise(init, Binary::Mul)),
    );
    r.add(
        op("SparseDenseCwiseDiv")
            .doc(
                "Returns, for each element of the sparse tensor, its quotient by the dense one's, stretched to its \
                 shape.",
            )
            .kernel(|init| cwise(init, Binary::Div)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Scalar, Tensor};

    fn with<T: Scalar>(op: &str, values: &[T], dense: Tensor) -> Result<Vec<T>> {
        let indices = Tensor::from_slice([2, 2], &[0i64, 1, 1, 2])?;
        let shape = Tensor::from_slice([2], &[2i64, 3])?;
        let out = run(op, &[indices, Tensor::from_slice([2], values)?, shape, dense], &[])?;
        Ok(out[0].slice::<T>()?.to_vec())
    }

    #[test]
    fn the_dense_side_is_stretched() {
        let full = Tensor::from_slice([2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(with("SparseDenseCwiseMul", &[10.0f32, 20.0], full.clone()).unwrap(), [20.0, 120.0]);
        let row = Tensor::from_slice([3], &[1.0f32, 2.0, 4.0]).unwrap();
        assert_eq!(with("SparseDenseCwiseDiv", &[10.0f32, 20.0], row).unwrap(), [5.0, 5.0]);
        let column = Tensor::from_slice([2, 1], &[1.0f32, 2.0]).unwrap();
        assert_eq!(with("SparseDenseCwiseAdd", &[10.0f32, 20.0], column).unwrap(), [11.0, 22.0]);
        assert_eq!(with("SparseDenseCwiseMul", &[10.0f32, 20.0], Tensor::scalar(2.0f32)).unwrap(), [20.0, 40.0]);
        assert_eq!(with("SparseDenseCwiseDiv", &[-7i32, 7], Tensor::scalar(2i32)).unwrap(), [-3, 3]);
    }

    #[test]
    fn a_wider_dense_side_and_zero_divisors_are_refused() {
        let wide = Tensor::from_slice([1, 1, 1], &[1.0f32]).unwrap();
        let message = with("SparseDenseCwiseMul", &[1.0f32, 2.0], wide).unwrap_err().message().to_owned();
        assert!(message.contains("incompatible shapes: [2,3] vs. [1,1,1]"));
        let odd = Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap();
        assert!(with("SparseDenseCwiseMul", &[1.0f32, 2.0], odd).is_err());
        assert!(with("SparseDenseCwiseDiv", &[1i32, 2], Tensor::scalar(0i32)).is_err());
    }
}
