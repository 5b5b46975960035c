//! Conv2DBackpropInput and Conv3DBackpropInputV2 (and the first version of the latter): gradients of a convolution's input.

use super::precision::{Precision, narrowed, widened};
use super::shape;
use super::spec::{Spec, sizes_input};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, Scalar, Tensor, conv, dispatch};

/// Returns true if the input's shape is given as a vector, and not as a tensor of that shape.
fn takes_sizes(init: &KernelInit<'_>) -> bool {
    &*init.node.op.name != "Conv3DBackpropInput"
}

fn backprop_input(init: &KernelInit<'_>, space: usize) -> Result<Box<dyn Kernel>> {
    let takes_sizes = takes_sizes(init);
    let spec = if takes_sizes { Spec::of(init, space)? } else { Spec::of_first_version(init)? };
    let label = if space == 2 { "Conv2DBackpropInput" } else { "Conv3DBackpropInput" };
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let shape = match ctx.input(0)? {
                sizes if takes_sizes => sizes_input(label, "input_sizes", sizes)?,
                like => like.shape().clone(),
            };
            let sizes = spec.gradient_sizes(label, &shape, ctx.input(1)?.shape(), ctx.input(2)?.shape())?;
            if sizes.is_grouped {
                ctx.set_output(0, Tensor::zeros(T::DTYPE, shape)?);
                return Ok(());
            }
            let filter = widened::<T>(threads, ctx.take(1)?)?;
            let dy = widened::<T>(threads, spec.channels_last(threads, ctx.take(2)?)?)?;
            let mut dx = Tensor::new(dy.dtype(), spec.last_of(&shape))?;
            conv::backward_input::<<T as Precision>::Sum>(threads, &sizes.geometry, filter.slice()?, dy.slice()?, dx.slice_mut()?)?;
            ctx.set_output(0, narrowed::<T>(threads, spec.in_layout(threads, dx)?)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn same_as_input(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = c.input(0)?.with_rank(5)?;
    c.set_output(0, shape);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Conv2DBackpropInput")
            .input("input_sizes: int32")
            .input("filter: T")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int)")
            .attr("use_cudnn_on_gpu: bool = true")
            .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
            .attr("explicit_paddings: list(int) = []")
            .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
            .doc("Returns the gradient of `Conv2D` by its input, whose shape is input_sizes.")
            .shape(|c| shape::given(c, 0, 4))
            .kernel(|init| backprop_input(init, 2)),
    );
    r.add(
        Op::new("Conv3DBackpropInputV2")
            .input("input_sizes: Tshape")
            .input("filter: T")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]")
            .attr("Tshape: {int32, int64} = DT_INT32")
            .doc("Returns the gradient of `Conv3D` by its input, whose shape is input_sizes.")
            .shape(|c| shape::given(c, 0, 5))
            .kernel(|init| backprop_input(init, 3)),
    );
    r.add(
        Op::new("Conv3DBackpropInput")
            .input("input: T")
            .input("filter: T")
            .input("out_backprop: T")
            .output("output: T")
            .attr("T: {half, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]")
            .doc("Returns the gradient of `Conv3D` by its input.")
            .shape(same_as_input)
            .kernel(|init| backprop_input(init, 3)),
    );
}
