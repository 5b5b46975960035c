//! SparseAdd and its gradient: sums of two sparse tensors, small sums being left out.

use super::coordinates::{Coordinates, merge};
use super::shapes::{parts, set_parts};
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{
    Complex32, Complex64, DType, Movable, PartialShape, Result, Shape, Tensor, bf16, by_size, dispatch, ensure, f16,
};
use std::borrow::Cow;
use std::cmp::Ordering;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (parts(c, 0)?, parts(c, 3)?);
    c.input(6)?.with_rank(0)?;
    set_parts(c, 0, None, a.rank.or(b.rank));
    Ok(())
}

fn gradient_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    // TF 1.x: the kernel checks the gradient and the indices of the sum.
    let (a, b) = (c.input(1)?.with_rank(2)?, c.input(2)?.with_rank(2)?);
    c.set_output(0, PartialShape::vector(a.dim(0)));
    c.set_output(1, PartialShape::vector(b.dim(0)));
    Ok(())
}

/// Returns the operands at inputs 0 to 5, of one shape.
pub(super) fn operands<'a>(ctx: &'a KernelContext<'_>) -> Result<(Coordinates<'a>, Coordinates<'a>)> {
    for i in [0, 3] {
        ensure!(
            ctx.input(i)?.rank() == 2,
            InvalidArgument,
            "Input indices should be matrices but received shapes: {} and {}",
            ctx.input(0)?.shape(),
            ctx.input(3)?.shape()
        );
        ensure!(
            ctx.input(i + 1)?.rank() == 1,
            InvalidArgument,
            "Input values should be vectors but received shapes: {} and {}",
            ctx.input(1)?.shape(),
            ctx.input(4)?.shape()
        );
    }
    let (rows, counts) = ([0, 3].map(|i| ctx.inputs()[i].shape()[0]), [1, 4].map(|i| ctx.inputs()[i].elements()));
    ensure!(
        rows == counts,
        InvalidArgument,
        "Expected {} and {} non-empty input values, got {} and {}",
        rows[0],
        rows[1],
        counts[0],
        counts[1]
    );
    let (a_shape, b_shape) = (ctx.input(2)?, ctx.input(5)?);
    ensure!(
        a_shape.rank() == 1 && b_shape.rank() == 1,
        InvalidArgument,
        "Input shapes should be a vector but received shapes {} and {}",
        a_shape.shape(),
        b_shape.shape()
    );
    let (a_dims, b_dims) = (a_shape.to_i64s()?, b_shape.to_i64s()?);
    ensure!(
        a_dims.len() == b_dims.len(),
        InvalidArgument,
        "Operands do not have the same ranks; got shapes: {a_dims:?} and {b_dims:?}"
    );
    for (i, (a, b)) in a_dims.iter().zip(&b_dims).enumerate() {
        ensure!(a == b, InvalidArgument, "Operands' shapes do not match: got {a} and {b} for dimension {i}");
    }
    Ok((
        Coordinates::of(ctx.input(0)?, ctx.input(1)?, a_shape)?,
        Coordinates::of(ctx.input(3)?, ctx.input(4)?, b_shape)?,
    ))
}

/// Returns the index matrix that has, for each pair, the row of `a`, or of `b` where there is none of `a`.
pub(super) fn union(
    a: &Coordinates<'_>,
    b: &Coordinates<'_>,
    rows: &[(Option<usize>, Option<usize>)],
) -> Result<Tensor> {
    let mut numbers = Vec::with_capacity(rows.len() * a.rank());
    for pair in rows {
        match *pair {
            (Some(i), _) => numbers.extend_from_slice(a.row(i)),
            (None, Some(j)) => numbers.extend_from_slice(b.row(j)),
            (None, None) => {}
        }
    }
    Tensor::from_slice([rows.len(), a.rank()], &numbers)
}

/// An element that has a sum and a magnitude.
trait Measured: Summed {
    fn magnitude(self) -> f64;
}

macro_rules! measured {
    (float: $($float:ty)*; int: $($int:ty)*) => {
        $(impl Measured for $float {
            fn magnitude(self) -> f64 {
                f64::from(self).abs()
            }
        })*
        $(impl Measured for $int {
            fn magnitude(self) -> f64 {
                (self as f64).abs()
            }
        })*
    };
}
measured!(float: f32 f64 f16 bf16; int: i8 i16 i32 i64 u8 u16 u32 u64);

impl Measured for Complex32 {
    fn magnitude(self) -> f64 {
        scalar::norm(self)
    }
}

impl Measured for Complex64 {
    fn magnitude(self) -> f64 {
        scalar::norm(self)
    }
}

/// Returns the threshold as a double: exact for all types that a sum is compared in but large 64-bit integers.
fn threshold(t: &Tensor) -> Result<f64> {
    use num_traits::AsPrimitive;
    ensure!(t.rank() == 0, InvalidArgument, "The magnitude threshold must be a scalar: got shape {}", t.shape());
    dispatch!(t.dtype(), T in real, {
        let value: f64 = t.to_scalar::<T>()?.as_();
        Ok(value)
    }, else {
        ferroflow_tensor::bail!(InvalidArgument, "The magnitude threshold must be a number")
    })
}

fn add_kernel<T: Measured>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (a, b) = operands(ctx)?;
    let (a_values, b_values) = (ctx.input(1)?.slice::<T>()?, ctx.input(4)?.slice::<T>()?);
    let threshold = threshold(ctx.input(6)?)?;
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    merge(&a, &b, |i, j| {
        let value = match (i, j) {
            (Some(i), Some(j)) => {
                let sum = a_values[i].plus(b_values[j]);
                // As TensorFlow compares: NaN sums are dropped.
                if threshold.partial_cmp(&sum.magnitude()).is_none_or(Ordering::is_gt) {
                    return;
                }
                sum
            }
            (Some(i), None) => a_values[i],
            (None, Some(j)) => b_values[j],
            (None, None) => return,
        };
        rows.push((i, j));
        values.push(value);
    });
    let (indices, values) = (union(&a, &b, &rows)?, Tensor::from_slice([values.len()], &values)?);
    ctx.set_output(0, indices);
    ctx.set_output(1, values);
    let shape = ctx.take(2)?;
    ctx.set_output(2, shape);
    Ok(())
}

fn add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, real) = (init.dtype("T")?, init.dtype("Treal")?);
    let fits = match dtype {
        DType::Complex64 => real == DType::F32,
        DType::Complex128 => real == DType::F64,
        _ => real == dtype,
    };
    if !fits {
        return Err(init.unsupported());
    }
    dispatch!(dtype, T in number, kernel(add_kernel::<T>), else Err(init.unsupported()))
}

/// Returns the rows of `part` that are in `whole`, both in order, with their place there.
fn found(part: &Coordinates<'_>, whole: &Coordinates<'_>) -> Vec<Option<usize>> {
    let mut places = vec![None; part.len()];
    merge(part, whole, |i, k| {
        if let (Some(place), Some(k)) = (i.and_then(|i| places.get_mut(i)), k) {
            *place = Some(k);
        }
    });
    places
}

fn spread<E: Movable>(grad: &Tensor, places: &[Option<usize>]) -> Result<Tensor> {
    let mut out = Tensor::zeros(grad.dtype(), [places.len()])?;
    let from = E::view(grad)?;
    for (to, place) in E::view_mut(&mut out)?.iter_mut().zip(places) {
        if let Some(k) = place {
            *to = from[*k].clone();
        }
    }
    Ok(out)
}

fn gradient(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (grad, a, b, sum) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
        ensure!(
            a.rank() == 2 && b.rank() == 2 && sum.rank() == 2,
            InvalidArgument,
            "Input indices should be matrices but received shapes: {} and {} and {}",
            a.shape(),
            b.shape(),
            sum.shape()
        );
        ensure!(
            grad.rank() == 1,
            InvalidArgument,
            "Input backprop_val_grad should be a vector but received shape: {}",
            grad.shape()
        );
        let rank = a.shape()[1];
        ensure!(
            b.shape()[1] == rank && sum.shape()[1] == rank,
            InvalidArgument,
            "The densified operands should have the same ndims; for A, B, sum got: {rank}, {}, {}",
            b.shape()[1],
            sum.shape()[1]
        );
        ensure!(
            grad.elements() == sum.shape()[0],
            InvalidArgument,
            "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got {} and {}",
            grad.elements(),
            sum.shape()[0]
        );
        let of = |t: &'_ Tensor| -> Result<Coordinates<'static>> {
            // Only the order of indices counts here, so any shape of that rank serves.
            let shape: Shape = std::iter::repeat_n(0, rank).collect();
            Ok(Coordinates::from_parts(Cow::Owned(t.to_i64s()?), t.shape()[0], shape))
        };
        let (a, b, sum) = (of(a)?, of(b)?, of(sum)?);
        let of_a = by_size!(grad.dtype(), E, spread::<E>(grad, &found(&a, &sum)))?;
        let of_b = by_size!(grad.dtype(), E, spread::<E>(grad, &found(&b, &sum)))?;
        ctx.set_output(0, of_a);
        ctx.set_output(1, of_b);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseAdd")
            .input("a_indices: int64")
            .input("a_values: T")
            .input("a_shape: int64")
            .input("b_indices: int64")
            .input("b_values: T")
            .input("b_shape: int64")
            .input("thresh: Treal")
            .output("sum_indices: int64")
            .output("sum_values: T")
            .output("sum_shape: int64")
            .attr("T: numbertype")
            .attr("Treal: realnumbertype")
            .doc("Returns the sum of two sparse tensors; where both have an element, a sum below `thresh` is left out.")
            .shape(shape)
            .kernel(add),
    );
    r.add(
        Op::new("SparseAddGrad")
            .input("backprop_val_grad: T")
            .input("a_indices: int64")
            .input("b_indices: int64")
            .input("sum_indices: int64")
            .output("a_val_grad: T")
            .output("b_val_grad: T")
            .attr("T: numbertype")
            .doc("Returns the gradients of SparseAdd's values.")
            .shape(gradient_shape)
            .kernel(gradient),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn vector<T: ferroflow_tensor::Scalar>(v: &[T]) -> Tensor {
        Tensor::from_slice([v.len()], v).unwrap()
    }

    fn matrix(v: &[i64]) -> Tensor {
        Tensor::from_slice([v.len() / 2, 2], v).unwrap()
    }

    fn add(b_shape: &[i64], thresh: f32) -> Result<Vec<Tensor>> {
        let a = [matrix(&[0, 0, 0, 2, 1, 1]), vector(&[1.0f32, 2.0, 3.0]), vector(&[2i64, 3])];
        let b = [matrix(&[0, 1, 0, 2, 1, 1]), vector(&[5.0f32, 2.5, -3.0]), vector(b_shape)];
        run("SparseAdd", &[&a[..], &b[..], &[Tensor::scalar(thresh)]].concat(), &[])
    }

    #[test]
    fn indices_are_united_and_small_sums_dropped() {
        let all = add(&[2, 3], 0.0).unwrap();
        assert_eq!(all[0].slice::<i64>().unwrap(), [0, 0, 0, 1, 0, 2, 1, 1]);
        assert_eq!(all[1].slice::<f32>().unwrap(), [1.0, 5.0, 4.5, 0.0]);
        let large = add(&[2, 3], 0.1).unwrap();
        assert_eq!(large[0].slice::<i64>().unwrap(), [0, 0, 0, 1, 0, 2]);
        assert_eq!(large[2].slice::<i64>().unwrap(), [2, 3]);
        let message = add(&[2, 4], 0.0).unwrap_err();
        assert!(message.message().contains("shapes do not match: got 3 and 4 for dimension 1"));
    }

    #[test]
    fn the_gradient_of_a_dropped_sum_is_zero() {
        let inputs = [
            vector(&[1.0f32, 2.0, 3.0]),
            matrix(&[0, 0, 0, 2, 1, 1]),
            matrix(&[0, 1, 0, 2, 1, 1]),
            matrix(&[0, 0, 0, 1, 0, 2]),
        ];
        let out = run("SparseAddGrad", &inputs, &[]).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap(), [1.0, 3.0, 0.0]);
        assert_eq!(out[1].slice::<f32>().unwrap(), [2.0, 3.0, 0.0]);
        assert!(run("SparseAddGrad", &[vector(&[1.0f32]), matrix(&[]), matrix(&[]), matrix(&[])], &[]).is_err());
    }
}
