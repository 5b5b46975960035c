//! Conv2D and Conv3D.

use super::precision::{Precision, narrowed, widened};
use super::shape::{self, Kind};
use super::spec::Spec;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{DType, Result, Tensor, conv, dispatch};

fn forward(init: &KernelInit<'_>, space: usize) -> Result<Box<dyn Kernel>> {
    let spec = Spec::of(init, space)?;
    let label = if space == 2 { "Conv2D" } else { "Conv3D" };
    if init.output_type(0)? == DType::I32 {
        return kernel(move |ctx| {
            let threads = ctx.threads();
            let sizes = spec.sizes(label, ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
            let x = spec.channels_last(threads, ctx.take(0)?)?;
            let mut y = Tensor::new(DType::I32, spec.last_of(&sizes.output))?;
            let filter = ctx.input(1)?.slice()?;
            conv::forward_wrapping(threads, &sizes.geometry, x.slice()?, filter, y.slice_mut()?)?;
            ctx.set_output(0, spec.in_layout(threads, y)?);
            Ok(())
        });
    }
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let sizes = spec.sizes(label, ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
            let x = widened::<T>(threads, spec.channels_last(threads, ctx.take(0)?)?)?;
            let filter = widened::<T>(threads, ctx.take(1)?)?;
            let mut y = Tensor::new(x.dtype(), spec.last_of(&sizes.output))?;
            conv::forward::<<T as Precision>::Sum>(threads, &sizes.geometry, x.slice()?, filter.slice()?, y.slice_mut()?, None)?;
            ctx.set_output(0, narrowed::<T>(threads, spec.in_layout(threads, y)?)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Conv2D")
            .input("input: T")
            .input("filter: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double, int32}")
            .attr("strides: list(int)")
            .attr("use_cudnn_on_gpu: bool = true")
            .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
            .attr("explicit_paddings: list(int) = []")
            .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
            .doc("Sums, over the points of a window and the input's channels, of the input times the filter; for each window.")
            .shape(|c| shape::output(c, 2, Kind::Full))
            .kernel(|init| forward(init, 2)),
    );
    r.add(
        Op::new("Conv3D")
            .input("input: T")
            .input("filter: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]")
            .doc("`Conv2D` in three dimensions.")
            .shape(|c| shape::output(c, 3, Kind::Full))
            .kernel(|init| forward(init, 3)),
    );
}
