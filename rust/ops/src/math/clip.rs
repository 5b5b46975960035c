//! ClipByValue: elements moved into an interval.

use super::pairwise::zip_numbers;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch, ensure};

const BLOCK: usize = 1 << 15;

/// Returns the larger number; the first one if either is NaN.
fn larger<T: PartialOrd>(x: T, y: T) -> T {
    if x < y { y } else { x }
}

fn smaller<T: PartialOrd>(x: T, y: T) -> T {
    if y < x { y } else { x }
}

fn clip<T: Scalar + PartialOrd>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (x, low, high) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    for (bound, name) in [(low, "clip_value_min"), (high, "clip_value_max")] {
        ensure!(
            bound.rank() == 0 || bound.shape() == x.shape(),
            InvalidArgument,
            "{name} must be a scalar or have the shape of the input, {}, but has shape {}",
            x.shape(),
            bound.shape()
        );
    }
    let threads = ctx.threads();
    // TF 1.x: the lower bound counts last. It is the result where the bounds are in the wrong order.
    let below: Tensor = zip_numbers::<T>(x, high, threads, BLOCK, smaller)?;
    let out = zip_numbers::<T>(&below, low, threads, BLOCK, larger)?;
    ctx.set_output(0, out);
    Ok(())
}

fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in real, kernel(clip::<T>), else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let x = c.input(0)?.clone();
    c.set_output(0, x);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ClipByValue")
            .input("t: T")
            .input("clip_value_min: T")
            .input("clip_value_max: T")
            .output("output: T")
            .attr("T: numbertype")
            .doc("Returns the elements of t, moved into the interval between two bounds.")
            .shape(shape)
            .kernel(kernel_of),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn elements_move_into_the_interval() {
        let x = Tensor::from_slice([4], &[-3f32, 0.5, 7.0, f32::NAN]).unwrap();
        let clip = |low: &Tensor, high: &Tensor| run("ClipByValue", &[x.clone(), low.clone(), high.clone()], &[]);
        let out = clip(&Tensor::scalar(-1f32), &Tensor::scalar(1f32)).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap()[..3], [-1.0, 0.5, 1.0]);
        assert!(out[0].slice::<f32>().unwrap()[3].is_nan());
        let low = Tensor::from_slice([4], &[-9f32, 1.0, 1.0, 1.0]).unwrap();
        let out = clip(&low, &Tensor::scalar(5f32)).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap()[..3], [-3.0, 1.0, 5.0]);
        let out = clip(&low, &Tensor::scalar(-5f32)).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap()[..3], [-5.0, 1.0, 1.0]);
        let three = Tensor::from_slice([3], &[0f32; 3]).unwrap();
        assert!(clip(&three, &Tensor::scalar(5f32)).is_err());
    }
}
