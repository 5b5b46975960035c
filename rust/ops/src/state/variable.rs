//! VariableV2 names a variable; IsVariableInitialized returns true if it has a value.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Tensor, bail};

pub(super) fn register(r: &mut Registry) {
    for name in ["VariableV2", "Variable"] {
        r.add(
            Op::new(name)
                .output("ref: Ref(dtype)")
                .attr("shape: shape")
                .attr("dtype: type")
                .attr("container: string = ''")
                .attr("shared_name: string = ''")
                .doc("Returns a reference to a variable of the session.")
                .variable()
                .shape(shape_rules::from_shape_attr)
                .kernel(|_| kernel(|ctx| bail!(Internal, "variable {} was run as a kernel", ctx.name()))),
        );
    }
    r.add(
        Op::new("IsVariableInitialized")
            .input("ref: Ref(dtype)")
            .output("is_initialized: bool")
            .attr("dtype: type")
            .doc("Returns true if the variable has a value.")
            .inspects_ref()
            .stateful()
            .listed_stateful(false)
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let value = ctx.variable(0)?.is_initialized();
                    ctx.set_output(0, Tensor::scalar(value));
                    Ok(())
                })
            }),
    );
}
