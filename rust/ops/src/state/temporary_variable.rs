//! TemporaryVariable names a variable that each step has by itself; DestroyTemporaryVariable returns its last value.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{bail, ensure};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("TemporaryVariable")
            .output("ref: Ref(dtype)")
            .attr("shape: shape")
            .attr("dtype: type")
            .attr("var_name: string = ''")
            .doc("Returns a reference to a variable that begins with zeros and ends with the step.")
            .variable()
            .shape(shape_rules::from_shape_attr)
            .kernel(|_| kernel(|ctx| bail!(Internal, "variable {} was run as a kernel", ctx.name()))),
    );
    r.add(
        Op::new("DestroyTemporaryVariable")
            .input("ref: Ref(T)")
            .output("value: T")
            .attr("T: type")
            .attr("var_name: string")
            .doc("Ends a temporary variable and returns its last value.")
            .stateful()
            .listed_stateful(false)
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let name = init.str("var_name")?;
                kernel(move |ctx| {
                    let variable = ctx.variable(0)?;
                    ensure!(variable.name == name, NotFound, "Resource __per_step/{name}/TmpVar does not exist.");
                    let mut last = None;
                    ctx.assign(0, |value, _| {
                        last = value.take();
                        Ok(())
                    })?;
                    let last = last.ok_or_else(|| variable.uninitialized())?;
                    ctx.set_output(0, last);
                    Ok(())
                })
            }),
    );
}
