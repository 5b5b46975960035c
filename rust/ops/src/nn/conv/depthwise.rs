//! DepthwiseConv2dNative and its gradients.

use super::precision::{Precision, narrowed, widened};
use super::shape::{self, Kind};
use super::spec::{Sizes, Spec, sizes_input};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{Result, Shape, Tensor, conv, dispatch, ensure};

/// Returns the sizes, with the channels that each channel of the input leads to as the geometry's outputs.
fn sizes(spec: &Spec, label: &str, input: &Shape, filter: &Shape) -> Result<Sizes> {
    let mut sizes = spec.sizes(label, input, filter)?;
    let g = &sizes.geometry;
    let channels = g.inputs.checked_mul(g.outputs);
    ensure!(channels.is_some(), ResourceExhausted, "{label}: {} x {} channels", g.inputs, g.outputs);
    sizes.output = spec.output(g, channels.unwrap_or(0))?;
    Ok(sizes)
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let spec = Spec::of(init, 2)?;
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let sizes = sizes(&spec, "DepthwiseConv2dNative", ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
            let x = widened::<T>(threads, spec.channels_last(threads, ctx.take(0)?)?)?;
            let filter = widened::<T>(threads, ctx.take(1)?)?;
            let mut y = Tensor::new(x.dtype(), spec.last_of(&sizes.output))?;
            conv::depthwise_forward::<<T as Precision>::Sum>(threads, &sizes.geometry, x.slice()?, filter.slice()?, y.slice_mut()?)?;
            ctx.set_output(0, narrowed::<T>(threads, spec.in_layout(threads, y)?)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn backprop_input(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (spec, label) = (Spec::of(init, 2)?, "DepthwiseConv2DBackpropInput");
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let shape = sizes_input(label, "input_sizes", ctx.input(0)?)?;
            let sizes = sizes(&spec, label, &shape, ctx.input(1)?.shape())?;
            spec.check_out_backprop(label, &sizes, ctx.input(2)?.shape())?;
            let filter = widened::<T>(threads, ctx.take(1)?)?;
            let dy = widened::<T>(threads, spec.channels_last(threads, ctx.take(2)?)?)?;
            let mut dx = Tensor::new(dy.dtype(), spec.last_of(&shape))?;
            let (filter, out) = (filter.slice()?, dy.slice()?);
            conv::depthwise_backward_input::<<T as Precision>::Sum>(threads, &sizes.geometry, filter, out, dx.slice_mut()?)?;
            ctx.set_output(0, narrowed::<T>(threads, spec.in_layout(threads, dx)?)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn backprop_filter(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (spec, label) = (Spec::of(init, 2)?, "DepthwiseConv2DBackpropFilter");
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let shape = sizes_input(label, "filter_sizes", ctx.input(1)?)?;
            let sizes = sizes(&spec, label, ctx.input(0)?.shape(), &shape)?;
            spec.check_out_backprop(label, &sizes, ctx.input(2)?.shape())?;
            let x = widened::<T>(threads, spec.channels_last(threads, ctx.take(0)?)?)?;
            let dy = widened::<T>(threads, spec.channels_last(threads, ctx.take(2)?)?)?;
            let mut df = Tensor::new(dy.dtype(), shape)?;
            let (input, out) = (x.slice()?, dy.slice()?);
            conv::depthwise_backward_filter::<<T as Precision>::Sum>(threads, &sizes.geometry, input, out, df.slice_mut()?)?;
            ctx.set_output(0, narrowed::<T>(threads, df)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, inputs: &[&str]| {
        let op = inputs.iter().fold(Op::new(name), |op, input| op.input(input)).output("output: T");
        op.attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int)")
            .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
            .attr("explicit_paddings: list(int) = []")
            .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
    };
    r.add(
        op("DepthwiseConv2dNative", &["input: T", "filter: T"])
            .doc("Returns a convolution of each channel by itself, with one or several filters.")
            .shape(|c| shape::output(c, 2, Kind::Depthwise))
            .kernel(forward),
    );
    r.add(
        op("DepthwiseConv2dNativeBackpropInput", &["input_sizes: int32", "filter: T", "out_backprop: T"])
            .doc("Returns the gradient of `DepthwiseConv2dNative` by its input, whose shape is input_sizes.")
            .shape(|c| shape::given(c, 0, 4))
            .kernel(backprop_input),
    );
    r.add(
        op("DepthwiseConv2dNativeBackpropFilter", &["input: T", "filter_sizes: int32", "out_backprop: T"])
            .doc("Returns the gradient of `DepthwiseConv2dNative` by its filter, whose shape is filter_sizes.")
            .shape(|c| shape::given(c, 1, 4))
            .kernel(backprop_filter),
    );
}
