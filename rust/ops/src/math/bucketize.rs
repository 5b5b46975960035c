//! Bucketize: the bucket between boundaries that each number falls in.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, Result, Scalar, Tensor, dispatch, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// Numbers that are compared with boundaries of float32.
trait Placed: Scalar {
    /// Compares with a boundary. TF 1.x: integers are rounded to float32 for the comparison.
    fn is_below(self, boundary: f32) -> bool;
}

impl Placed for i32 {
    fn is_below(self, boundary: f32) -> bool {
        (self as f32) < boundary
    }
}

impl Placed for i64 {
    fn is_below(self, boundary: f32) -> bool {
        (self as f32) < boundary
    }
}

impl Placed for f32 {
    fn is_below(self, boundary: f32) -> bool {
        self < boundary
    }
}

impl Placed for f64 {
    fn is_below(self, boundary: f32) -> bool {
        self < f64::from(boundary)
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.clone();
    c.set_output(0, s);
    Ok(())
}

fn bucketize<T: Placed>(boundaries: &[f32], ctx: &mut KernelContext<'_>) -> Result<()> {
    let numbers = ctx.input(0)?;
    let mut out = Tensor::new(DType::I32, numbers.shape().clone())?;
    let numbers = numbers.slice::<T>()?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<i32>()?, BLOCK, |start, out| {
        for (o, x) in out.iter_mut().zip(&numbers[start..]) {
            *o = boundaries.partition_point(|b| !x.is_below(*b)) as i32;
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn bucketize_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let boundaries: Vec<f32> = init.floats("boundaries")?.to_vec();
    ensure!(boundaries.is_sorted(), InvalidArgument, "Expected sorted boundaries");
    dispatch!(
        init.input_type(0)?,
        T in [I32, I64, F32, F64],
        kernel(move |ctx: &mut KernelContext<'_>| bucketize::<T>(&boundaries, ctx)),
        else Err(init.unsupported())
    )
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Bucketize")
            .input("input: T")
            .output("output: int32")
            .attr("T: {int32, int64, float, double}")
            .attr("boundaries: list(float)")
            .doc("Returns the number of sorted boundaries that each number is not below.")
            .shape(shape)
            .kernel(bucketize_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn with(boundaries: &[f32]) -> [(&'static str, AttrValue); 1] {
        [("boundaries", AttrValue::List(boundaries.iter().copied().map(AttrValue::Float).collect()))]
    }

    #[test]
    fn a_boundary_belongs_to_the_bucket_above_it() {
        let numbers = Tensor::from_slice([2, 3], &[-5.0f64, 0.0, 9.99, 10.0, 100.0, f64::NAN]).unwrap();
        let out = run("Bucketize", &[numbers], &with(&[0.0, 10.0, 100.0])).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [0, 1, 1, 2, 3, 3]);
        let numbers = Tensor::from_slice([3], &[-1i64, 0, 1]).unwrap();
        let out = run("Bucketize", &[numbers], &with(&[0.0])).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [0, 1, 1]);
    }

    #[test]
    fn boundaries_are_to_be_sorted() {
        let numbers = Tensor::scalar(1.0f32);
        assert!(run("Bucketize", std::slice::from_ref(&numbers), &with(&[1.0, 0.0])).is_err());
        let out = run("Bucketize", &[numbers], &with(&[])).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [0]);
    }
}
