//! Conv2D and Conv3D, and _FusedConv2D, which is the former with a bias and an activation.

use super::precision::{Precision, narrowed, widened};
use super::shape::{self, Kind};
use super::spec::Spec;
use ferroflow_graph::{EpilogueForm, Fusion, Kernel, KernelInit, Op, ProductForms, Registry, kernel};
use ferroflow_tensor::Scalar;
use ferroflow_tensor::gemm::{Activation, Epilogue};
use ferroflow_tensor::{DType, Result, Tensor, bail, conv, dispatch, ensure};

fn forward(init: &KernelInit<'_>, space: usize) -> Result<Box<dyn Kernel>> {
    let spec = Spec::of(init, space)?;
    let label = if space == 2 { "Conv2D" } else { "Conv3D" };
    if init.output_type(0)? == DType::I32 {
        return kernel(move |ctx| {
            let threads = ctx.threads();
            let sizes = spec.forward_sizes(label, ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
            if sizes.is_grouped {
                ctx.set_output(0, Tensor::zeros(DType::I32, sizes.output)?);
                return Ok(());
            }
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
            let sizes = spec.forward_sizes(label, ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
            if sizes.is_grouped {
                ctx.set_output(0, Tensor::zeros(T::DTYPE, sizes.output)?);
                return Ok(());
            }
            let x = widened::<T>(threads, spec.channels_last(threads, ctx.take(0)?)?)?;
            let filter = widened::<T>(threads, ctx.take(1)?)?;
            let mut y = Tensor::new(x.dtype(), spec.last_of(&sizes.output))?;
            conv::forward::<<T as Precision>::Sum>(threads, &sizes.geometry, x.slice()?, filter.slice()?, y.slice_mut()?, None)?;
            ctx.set_output(0, narrowed::<T>(threads, spec.in_layout(threads, y)?)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Returns `Conv2D`, then `BiasAdd`, then an activation, in one pass over the output and with the same bits.
fn fused(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let spec = Spec::of(init, 2)?;
    let names = init.strs("fused_ops")?;
    let activation = match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["BiasAdd"] => Activation::None,
        ["BiasAdd", "Relu"] => Activation::Relu,
        _ => bail!(Unimplemented, "Fusion is not implemented: [{}]", names.join(",")),
    };
    ensure!(init.int("num_args")? == 1, InvalidArgument, "Fused Conv2D must have one extra argument: bias.");
    ensure!(!spec.channels_first, Unimplemented, "Fused Conv2D is implemented for the NHWC layout alone");
    dispatch!(init.output_type(0)?, T in [F32, F64], {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let (x, filter, bias) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
            let sizes = spec.forward_sizes("Conv2D", x.shape(), filter.shape())?;
            ensure!(bias.rank() == 1, InvalidArgument, "Biases must be 1D: {}", bias.shape());
            ensure!(
                bias.elements() == sizes.geometry.outputs,
                InvalidArgument,
                "Must provide as many biases as the channel dimension of the input tensor: {} vs. {} in {}",
                bias.shape(),
                sizes.geometry.outputs,
                sizes.output
            );
            if sizes.is_grouped {
                ctx.set_output(0, Tensor::zeros(T::DTYPE, sizes.output)?);
                return Ok(());
            }
            let epilogue = Epilogue { bias: Some(bias.slice::<T>()?), activation };
            let mut y = Tensor::new(T::DTYPE, sizes.output)?;
            let (x, filter) = (x.slice::<T>()?, filter.slice()?);
            conv::forward(threads, &sizes.geometry, x, filter, y.slice_mut()?, Some(&epilogue))?;
            ctx.set_output(0, y);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

const PRODUCT: ProductForms = ProductForms {
    epilogue: EpilogueForm {
        op: "_FusedConv2D",
        attrs: &["strides", "padding", "explicit_paddings", "data_format", "dilations", "use_cudnn_on_gpu"],
        bias: "BiasAdd",
    },
    block: None,
    sum: None,
};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Conv2D")
            .fusion(Fusion::Product(&PRODUCT))
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
            .doc(
                "Sums, over the points of a window and the input's channels, of the input times the filter; for each \
                 window.",
            )
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
            .doc("Computes `Conv2D` in three dimensions.")
            .shape(|c| shape::output(c, 3, Kind::Full))
            .kernel(|init| forward(init, 3)),
    );
    r.add(
        Op::new("_FusedConv2D")
            .input("input: T")
            .input("filter: T")
            .input("args: num_args * T")
            .output("output: T")
            .attr("T: {float, double}")
            .attr("num_args: int >= 0")
            .attr("strides: list(int)")
            .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
            .attr("explicit_paddings: list(int) = []")
            .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1]")
            .attr("use_cudnn_on_gpu: bool = true")
            .attr("fused_ops: list(string) = []")
            .attr("epsilon: float = 0.0001")
            .doc("Returns a convolution with the ops fused_ops applied to it: what the planner makes of chains.")
            .shape(|c| shape::output(c, 2, Kind::Full))
            .kernel(fused),
    );
}
