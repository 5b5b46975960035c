//! Diag, DiagPart: a tensor on the diagonal of one of twice its rank, and back.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, by_size, ensure};

fn diag_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    let out = input.concatenate(&input);
    c.set_output(0, out);
    Ok(())
}

fn part_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let Some(dims) = c.input(0)?.dims() else { return Ok(()) };
    ensure!(
        !dims.is_empty() && dims.len().is_multiple_of(2),
        InvalidArgument,
        "Input must have even and non-zero rank, input rank is {}",
        dims.len()
    );
    let (first, second) = dims.split_at(dims.len() / 2);
    let out = PartialShape::from_dims(first).merge(&PartialShape::from_dims(second))?;
    c.set_output(0, out);
    Ok(())
}

/// Returns the diagonal of a square of side `n`, as a view.
fn diagonal(n: usize) -> Walk {
    let mut walk = Walk::new(0);
    walk.push(n, n as isize + 1);
    walk
}

fn diag(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        ensure!(x.rank() >= 1, InvalidArgument, "Input must be at least rank 1, got 0");
        let dims = x.shape().to_i64().repeat(2);
        let mut out = Tensor::zeros_by(ctx.threads(), x.dtype(), Shape::checked(&dims)?)?;
        by_size!(x.dtype(), E, diagonal(x.elements()).write(E::view(x)?, E::view_mut(&mut out)?))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn diag_part(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        let k = x.rank() / 2;
        ensure!(
            x.rank() == 2 * k && k > 0,
            InvalidArgument,
            "The rank of the tensor should be even and positive, got shape {}",
            x.shape()
        );
        for i in 0..k {
            ensure!(
                x.shape()[i] == x.shape()[i + k],
                InvalidArgument,
                "Invalid shape {}: dimensions {i} and {} do not match.",
                x.shape(),
                i + k
            );
        }
        let shape = Shape::new(&x.shape()[..k]);
        let out = gathered(ctx.threads(), x, &diagonal(shape.elements()), shape)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    const T: &str = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";
    r.add(
        Op::new("Diag")
            .input("diagonal: T")
            .output("output: T")
            .attr(T)
            .doc("Returns zeros of twice the rank with the input on the diagonal: output[i, i] = input[i].")
            .shape(diag_shape)
            .kernel(diag),
    );
    r.add(
        Op::new("DiagPart")
            .input("input: T")
            .output("diagonal: T")
            .attr(T)
            .doc("Returns the diagonal of a tensor of even rank: output[i] = input[i, i].")
            .shape(part_shape)
            .kernel(diag_part),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn the_diagonal_goes_there_and_back() {
        let x = Tensor::from_slice([2, 3], &[1f64, 2., 3., 4., 5., 6.]).unwrap();
        let y = run("Diag", std::slice::from_ref(&x), &[]).unwrap();
        assert_eq!(y[0].shape().dims(), [2, 3, 2, 3]);
        for (n, &v) in y[0].slice::<f64>().unwrap().iter().enumerate() {
            assert_eq!(v, if n / 6 == n % 6 { (n / 6 + 1) as f64 } else { 0. });
        }
        assert_eq!(run("DiagPart", &y, &[]).unwrap(), [x]);
        let one = Tensor::from_slice([1], &[4i32]).unwrap();
        assert_eq!(run("DiagPart", &run("Diag", std::slice::from_ref(&one), &[]).unwrap(), &[]).unwrap()[0], one);
        let none = Tensor::zeros(DType::F32, [0, 3]).unwrap();
        assert_eq!(run("Diag", &[none], &[]).unwrap()[0].shape().dims(), [0, 3, 0, 3]);
    }

    #[test]
    fn what_has_no_diagonal_is_refused() {
        assert!(run("Diag", &[Tensor::scalar(1f32)], &[]).is_err());
        for shape in [&[2][..], &[2, 3], &[]] {
            assert!(run("DiagPart", &[Tensor::zeros(DType::F32, shape).unwrap()], &[]).is_err());
        }
        let huge = Tensor::zeros(DType::F32, [1 << 20]).unwrap();
        assert!(run("Diag", &[huge], &[]).is_err());
    }
}
