//! Cross: the cross products of vectors of three elements.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Element, Operand, binary, binary_in_place_left};
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

/// Vectors of one block: their parts and products lie in the first-level cache.
const BLOCK: usize = 512;

/// Computes the products of at most `BLOCK` vectors: of all their first elements, then of all second and third ones.
fn cross_block<T: Scalar + Element>(a: &[T], b: &[T], out: &mut [T]) {
    let count = out.len() / 3;
    let mut parts = [[T::default(); BLOCK]; 6];
    for (i, (a, b)) in a.chunks_exact(3).zip(b.chunks_exact(3)).enumerate() {
        for d in 0..3 {
            (parts[d][i], parts[3 + d][i]) = (a[d], b[d]);
        }
    }
    let part = |d: usize| Operand::Slice(&parts[d][..count]);
    let (mut left, mut right) = ([T::default(); BLOCK], [T::default(); BLOCK]);
    let (left, right) = (&mut left[..count], &mut right[..count]);
    for d in 0..3 {
        let (j, k) = ((d + 1) % 3, (d + 2) % 3);
        binary(Binary::Mul, part(j), part(3 + k), left);
        binary(Binary::Mul, part(k), part(3 + j), right);
        binary_in_place_left(Binary::Sub, left, Operand::Slice(right));
        out.iter_mut().skip(d).step_by(3).zip(&*left).for_each(|(o, v)| *o = *v);
    }
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
    let mut out = Tensor::new(T::DTYPE, a.shape().clone())?;
    let (a, b) = (a.slice::<T>()?, b.slice::<T>()?);
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, 3 * BLOCK, |start, out| {
        let at = start..start + out.len();
        cross_block(&a[at.clone()], &b[at], out);
    })?;
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
    fn every_vector_of_many_blocks_has_its_product() {
        let n = 3 * (super::BLOCK * 2 + 5);
        let a: Vec<i32> = (0..n as i32).map(|i| i * 7 % 31 - 15).collect();
        let b: Vec<i32> = (0..n as i32).map(|i| i * 5 % 29 - 14).collect();
        let expected: Vec<i32> = (0..n)
            .map(|at| {
                let (v, i) = (at / 3 * 3, at % 3);
                let (j, k) = (v + (i + 1) % 3, v + (i + 2) % 3);
                a[j] * b[k] - a[k] * b[j]
            })
            .collect();
        let of = |values: &[i32]| Tensor::from_slice([n / 3, 3], values).unwrap();
        assert_eq!(run("Cross", &[of(&a), of(&b)], &[]).unwrap(), [of(&expected)]);
    }

    #[test]
    fn other_lengths_are_refused() {
        let v = Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap();
        assert!(run("Cross", &[v.clone(), v], &[]).is_err());
        assert!(run("Cross", &[Tensor::scalar(1.0f32), Tensor::scalar(1.0f32)], &[]).is_err());
    }
}
