//! Conv2DBackpropFilter and Conv3DBackpropFilterV2 (and the first version of the latter): gradients of a convolution's filter.

use super::precision::{Precision, narrowed, widened};
use super::shape;
use super::spec::{Spec, sizes_input};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, Scalar, Tensor, conv, dispatch};

fn backprop_filter(init: &KernelInit<'_>, space: usize) -> Result<Box<dyn Kernel>> {
    let takes_sizes = &*init.node.op.name != "Conv3DBackpropFilter";
    let spec = if takes_sizes { Spec::of(init, space)? } else { Spec::of_first_version(init)? };
    let label = if space == 2 { "Conv2DBackpropFilter" } else { "Conv3DBackpropFilter" };
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let shape = match ctx.input(1)? {
                sizes if takes_sizes => sizes_input(label, "filter_sizes", sizes)?,
                like => like.shape().clone(),
            };
            let sizes = spec.gradient_sizes(label, ctx.input(0)?.shape(), &shape, ctx.input(2)?.shape())?;
            if sizes.is_grouped {
                ctx.set_output(0, Tensor::zeros(T::DTYPE, shape)?);
                return Ok(());
            }
            let x = widened::<T>(threads, spec.channels_last(threads, ctx.take(0)?)?)?;
            let dy = widened::<T>(threads, spec.channels_last(threads, ctx.take(2)?)?)?;
            let mut df = Tensor::new(dy.dtype(), shape)?;
            conv::backward_filter::<<T as Precision>::Sum>(threads, &sizes.geometry, x.slice()?, dy.slice()?, df.slice_mut()?)?;
            ctx.set_output(0, narrowed::<T>(threads, df)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn same_as_filter(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = c.input(1)?.with_rank(5)?;
    c.set_output(0, shape);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Conv2DBackpropFilter")
            .input("input: T")
            .input("filter_sizes: int32")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int)")
            .attr("use_cudnn_on_gpu: bool = true")
            .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
            .attr("explicit_paddings: list(int) = []")
            .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
            .doc("Returns the gradient of `Conv2D` by its filter, whose shape is filter_sizes.")
            .shape(|c| shape::given(c, 1, 4))
            .kernel(|init| backprop_filter(init, 2)),
    );
    r.add(
        Op::new("Conv3DBackpropFilterV2")
            .input("input: T")
            .input("filter_sizes: int32")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]")
            .doc("Returns the gradient of `Conv3D` by its filter, whose shape is filter_sizes.")
            .shape(|c| shape::given(c, 1, 5))
            .kernel(|init| backprop_filter(init, 3)),
    );
    r.add(
        Op::new("Conv3DBackpropFilter")
            .input("input: T")
            .input("filter: T")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: {half, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]")
            .doc("Returns the gradient of `Conv3D` by its filter.")
            .shape(same_as_filter)
            .kernel(|init| backprop_filter(init, 3)),
    );
}
