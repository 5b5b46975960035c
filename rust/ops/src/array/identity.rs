//! Ops that forward their inputs unchanged; they differ in their gradients and in how the planner treats them.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, Role, kernel, shape_rules};
use ferroflow_tensor::{DType, Result, ensure};

fn pass(ctx: &mut KernelContext<'_>) -> Result<()> {
    for i in 0..ctx.num_inputs() {
        let value = ctx.take(i)?;
        ctx.set_output(i, value);
    }
    Ok(())
}

fn pass_kernel(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(pass)
}

fn same_shapes(c: &mut ferroflow_graph::ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_inputs() {
        let s = c.input(i)?.clone();
        c.set_output(i, s);
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let unary = |name: &str| {
        let op = Op::new(name).input("input: T").output("output: T").attr("T: type");
        op.shape(shape_rules::unchanged).kernel(pass_kernel)
    };
    let identity = |name: &str| unary(name).role(Role::Identity);
    r.add(identity("Identity").alias().doc("Returns its input; of a variable's reference, its value."));
    r.add(identity("StopGradient").doc("Returns its input; no gradient passes."));
    r.add(identity("PreventGradient").attr("message: string = ''").doc("Returns its input; its gradient is an error."));
    r.add(identity("Snapshot").doc("Returns its input."));
    let debugged = |name: &str| {
        let op = identity(name).attr("device_name: string = ''").attr("tensor_name: string = ''");
        op.attr("debug_urls: list(string) = []").attr("gated_grpc: bool = false")
    };
    r.add(debugged("DebugIdentity").doc("Returns its input, which a debugger of TensorFlow reads."));
    for name in ["Copy", "CopyHost"] {
        let op = identity(name).attr("tensor_name: string = ''").attr("debug_ops_spec: list(string) = []");
        r.add(op.doc("Returns its input, which a debugger of TensorFlow copies."));
    }
    r.add(identity("DebugGradientIdentity").doc("Returns its input, which marks a gradient for a debugger."));
    let copy = Op::new("DeepCopy").input("x: T").output("y: T").attr("T: type").shape(shape_rules::unchanged);
    r.add(copy.stateful().role(Role::Identity).doc("Returns its input.").kernel(pass_kernel));
    r.add(unary("GuaranteeConst").stateful().doc("Returns its input, which is promised never to change.").kernel(
        |init| {
            let is_handle = init.input_type(0)? == DType::Resource;
            ensure!(!is_handle, InvalidArgument, "Input tensor cannot be a resource variable handle.");
            pass_kernel(init)
        },
    ));
    r.add(
        Op::new("IdentityN")
            .input("input: T")
            .output("output: T")
            .attr("T: list(type) >= 1")
            .doc("Returns its inputs.")
            .shape(same_shapes)
            .kernel(pass_kernel),
    );
}
