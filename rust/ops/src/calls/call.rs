//! PartitionedCall, StatefulPartitionedCall, RemoteCall: a function of the library, called.

use super::function::{Called, arguments, calling, unknown_shapes};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{Result, ensure};
use std::sync::Arc;

/// Makes the kernel of a call whose arguments begin at input `first`.
fn call(init: &KernelInit<'_>, first: usize) -> Result<Box<dyn Kernel>> {
    let function = Arc::new((Called::new(init.func("f")?.name), init.dtypes("Tout")?));
    kernel(move |ctx| {
        if first == 1 {
            let target = ctx.input(0)?;
            ensure!(target.elements() == 1, InvalidArgument, "target must be a scalar, got {}", target.shape());
            let device = String::from_utf8_lossy(&target.strings()?[0]).to_uppercase();
            ensure!(
                !device.contains("GPU") && !device.contains("TPU"),
                InvalidArgument,
                "RemoteCall: device {device} is not available; the functions of a session run on its CPU"
            );
        }
        let (function, functions) = (function.clone(), ctx.step.functions.clone());
        let arguments = arguments(ctx, first);
        ctx.run_blocking(move |cancellation| {
            let results = function.0.results(&functions, arguments, &function.1, cancellation)?;
            Ok(results.into_iter().collect())
        })
    })
}

pub(super) fn register(r: &mut Registry) {
    for (name, stateful) in [("PartitionedCall", false), ("StatefulPartitionedCall", true)] {
        r.add(calling(
            Op::new(name)
                .input("args: Tin")
                .output("output: Tout")
                .attr("Tin: list(type) >= 0")
                .attr("Tout: list(type) >= 0")
                .attr("f: func")
                .attr("config: string = ''")
                .attr("config_proto: string = ''")
                .attr("executor_type: string = ''")
                .doc("Returns the results of the function f of the inputs.")
                .shape(unknown_shapes)
                .kernel(|init| call(init, 0)),
            stateful,
        ));
    }
    r.add(calling(
        Op::new("RemoteCall")
            .input("target: string")
            .input("args: Tin")
            .output("output: Tout")
            .attr("Tin: list(type) >= 1")
            .attr("Tout: list(type) >= 1")
            .attr("f: func")
            .doc("Returns the results of the function f of the inputs, on the device that `target` names.")
            .shape(unknown_shapes)
            .kernel(|init| call(init, 1)),
        true,
    ));
}
