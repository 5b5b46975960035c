//! Cross: the cross products of vectors of three elements.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::{Binary, Element, Operand, binary};
use ferroflow_tensor::{PartialShape, Result, Scalar, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank_at_least(1)?.merge(&c.input(1)?.with_rank_at_least(1)?)?;
    if let Some(rank) = s.rank() {
        let three = PartialShape::unknown_of_rank(rank - 1).concatenate(&PartialShape::vector(Some(3)));
        s.merge(&three)?;
    }
    c.set_output(0, s);
    Ok(())
}

fn cross<T: Scalar + Element>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(
        a.shape() == b.shape(),
        InvalidArgument,
        "Both inputs must be of same shape: {} vs. {}",
        a.shape(),
        b.shape()
    );
    ensure!(a.rank() > 0, InvalidArgument, "Input must be at least 1D{}", a.shape());
    ensure!(a.shape().last() == Some(&3), FailedPrecondition, "Cross-products are only defined for 3-element vectors.");
    let of = |f: Binary, x: T, y: T| {
        let mut out = [T::default()];
        binary(f, Operand::Scalar(x), Operand::Scalar(y), &mut out);
        out[0]
    };
    let mut out = Tensor::new(T::DTYPE, a.shape().clone())?;
    let vectors = a.slice::<T>()?.chunks(3).zip(b.slice::<T>()?.chunks(3));
    for ((a, b), out) in vectors.zip(out.slice_mut::<T>()?.chunks_mut(3)) {
        for (i, o) in out.iter_mut().enumerate() {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            *o = of(Binary::Sub, of(Binary::Mul, a[j], b[k]), of(Binary::Mul, a[k], b[j]));
        }
    }
    ctx.set_output(0, out);
    Ok(())
}

fn cross_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in real, kernel(cross::<T>), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Cross")
            .input("a: T")
            .input("b: T")
            .output("product: T")
            .attr("T: realnumbertype")
            .doc("Returns the cross products of the vectors in the last dimension.")
            .shape(shape)
            .kernel(cross_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn products_are_perpendicular() {
        let a = Tensor::from_slice([2, 3], &[1, 0, 0, 1, 2, 3]).unwrap();
        let b = Tensor::from_slice([2, 3], &[0, 1, 0, 4, 5, 6]).unwrap();
        let out = run("Cross", &[a, b], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [0, 0, 1, -3, 6, -3]);
    }

    #[test]
    fn other_lengths_are_refused() {
        let v = Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap();
        assert!(run("Cross", &[v.clone(), v], &[]).is_err());
        assert!(run("Cross", &[Tensor::scalar(1.0f32), Tensor::scalar(1.0f32)], &[]).is_err());
    }
}
