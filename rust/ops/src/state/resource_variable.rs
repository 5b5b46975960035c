//! VarHandleOp names a variable by a handle; the ops here read, write and inspect the variable behind one.

use super::assign::{Given, add_to, give_value};
use super::program_update::{add_result_to, give_result};
use crate::array::gather::check_variable_type;
use ferroflow_graph::{
    Kernel, KernelInit, Op, RefAccess, Registry, ResourceHandle, ResourceName, ShapeContext, Unnamed, kernel,
    shape_rules,
};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

/// Returns the handle as a value, for readers that the planner does not see through.
fn handle(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let name = ResourceName::of(init, Unnamed::NodeName)?;
    let variable = init.resources.variable(init.node)?;
    let tensor = ResourceHandle::new(name, variable).into_tensor()?;
    kernel(move |ctx| {
        ctx.set_output(0, tensor.clone());
        Ok(())
    })
}

fn read_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_variable_type(c, "read")?;
    shape_rules::unchanged(c)
}

fn write_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_variable_type(c, "assign")?;
    c.input(0)?.merge(c.input(1)?)?;
    Ok(())
}

fn read(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("dtype")?;
    kernel(move |ctx| {
        ctx.read_handle(0, dtype)?;
        let value = ctx.take(0)?;
        ctx.set_output(0, value);
        Ok(())
    })
}

fn rank(c: &mut ShapeContext<'_>) -> Result<()> {
    let rank = c.input(0)?.rank();
    c.set_output(0, PartialShape::vector(rank));
    Ok(())
}

fn shape_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let out_type = init.dtype("out_type")?;
    kernel(move |ctx| {
        // A variable of any type is accepted.
        let dtype = match ctx.input(0)?.dtype() {
            DType::Resource => ctx.variable(0)?.dtype,
            known => known,
        };
        ctx.read_handle(0, dtype)?;
        let dims = ctx.input(0)?.shape().to_i64();
        let out = if out_type == DType::I64 {
            Tensor::from_slice([dims.len()], &dims)?
        } else {
            let mut small = Vec::with_capacity(dims.len());
            for d in dims {
                let Ok(d) = i32::try_from(d) else {
                    bail!(InvalidArgument, "Shape output type is 32-bit, but dimension {d} does not fit")
                };
                small.push(d);
            }
            Tensor::from_slice([small.len()], &small)?
        };
        ctx.set_output(0, out);
        Ok(())
    })
}

fn destroy(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (ignore_lookup_error, op) = (init.bool("ignore_lookup_error")?, init.node.op.clone());
    kernel(move |ctx| {
        if let Ok(variable) = ctx.variable(0) {
            if !ignore_lookup_error && !variable.is_initialized() {
                return Err(variable.missing_for(&op));
            }
            // Its handles stay valid: a later write gives it a value again, as a new resource of its name would have.
            return ctx.assign(0, |value, _| {
                *value = None;
                Ok(())
            });
        }
        let name = ResourceHandle::from_tensor(ctx.input(0)?)?.name.clone();
        let found = ctx.step.resources.forget(&name);
        ensure!(found || ignore_lookup_error, NotFound, "Resource {}/{} does not exist.", name.container, name.name);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("VarHandleOp")
            .output("resource: resource")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("dtype: type")
            .attr("shape: shape")
            .doc("Returns a handle of a variable of the session.")
            .variable()
            .shape(shape_rules::scalar)
            .kernel(handle),
    );
    r.add(
        Op::new("ReadVariableOp")
            .input("resource: resource")
            .output("value: dtype")
            .attr("dtype: type")
            .doc("Returns the value of a handle's variable, in the version that the op sees.")
            .snapshot()
            .shape(read_shape)
            .kernel(read),
    );
    r.add(
        Op::new("VarIsInitializedOp")
            .input("resource: resource")
            .output("is_initialized: bool")
            .doc("Returns true if a handle's variable has a value.")
            .handles(RefAccess::Inspect)
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let value = ctx.variable(0)?.is_initialized();
                    ctx.set_output(0, Tensor::scalar(value));
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("VariableShape")
            .input("input: resource")
            .output("output: out_type")
            .attr("out_type: {int32, int64} = DT_INT32")
            .doc("Returns the dimensions of a handle's variable, as a vector.")
            .handles(RefAccess::Read)
            .shape(rank)
            .kernel(shape_of),
    );
    let write = |name: &str, doc: &'static str| {
        let op = Op::new(name).input("resource: resource").input("value: dtype").attr("dtype: type");
        op.doc(doc).handles(RefAccess::Write).shape(write_shape)
    };
    let assign = write("AssignVariableOp", "Gives a handle's variable a value.").may_reshape_variable();
    r.add(
        assign
            .kernel(|init| give_value(Given::to_handle(init)?))
            .kernel_of_program(1, |init, program| give_result(Given::to_handle(init)?, program)),
    );
    r.add(
        write("AssignAddVariableOp", "Adds to a handle's variable.")
            .kernel(|init| add_to(init.dtype("dtype")?, Binary::Add, init))
            .kernel_of_program(1, |_, program| add_result_to(Binary::Add, program)),
    );
    r.add(
        write("AssignSubVariableOp", "Subtracts from a handle's variable.")
            .kernel(|init| add_to(init.dtype("dtype")?, Binary::Sub, init))
            .kernel_of_program(1, |_, program| add_result_to(Binary::Sub, program)),
    );
    r.add(
        Op::new("DestroyResourceOp")
            .input("resource: resource")
            .attr("ignore_lookup_error: bool = true")
            .doc("Forgets what a handle names; a variable has no value then.")
            .handles(RefAccess::Write)
            .may_reshape_variable()
            .shape(shape_rules::unknown)
            .kernel(destroy),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, Rerun};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Code;

    fn value() -> Tensor {
        Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap()
    }

    fn dtype(d: DType) -> [(&'static str, AttrValue); 1] {
        [("dtype", AttrValue::Type(d))]
    }

    #[test]
    fn a_value_is_read_through_a_handle() {
        let node = Rerun::of_args("ReadVariableOp", vec![Arg::Handle(value())], &dtype(DType::F32)).unwrap();
        assert_eq!(node.run(1).unwrap(), [value()]);
    }

    #[test]
    fn writes_reach_the_variable_behind_the_handle() {
        for (op, expected) in [
            ("AssignVariableOp", [5.0f32, 7.0]),
            ("AssignAddVariableOp", [6.0, 9.0]),
            ("AssignSubVariableOp", [-4.0, -5.0]),
        ] {
            let delta = Arg::One(Tensor::from_slice([2], &[5.0f32, 7.0]).unwrap());
            let node = Rerun::of_args(op, vec![Arg::Handle(value()), delta], &[]).unwrap();
            node.run(1).unwrap();
            assert_eq!(node.variable(0).unwrap().slice::<f32>().unwrap(), expected, "{op}");
        }
    }

    #[test]
    fn another_type_than_the_variables_is_an_error() {
        let built = Rerun::of_args("ReadVariableOp", vec![Arg::Handle(value())], &dtype(DType::I32));
        assert!(built.err().unwrap().message().contains("wrong dtype"));
    }

    #[test]
    fn a_destroyed_variable_has_no_value() {
        let node = Rerun::of_args("DestroyResourceOp", vec![Arg::Handle(value())], &[]).unwrap();
        node.run(1).unwrap();
        assert!(node.variable(0).is_none());
        let strict = [("ignore_lookup_error", AttrValue::Bool(false))];
        let node = Rerun::of_args("DestroyResourceOp", vec![Arg::Handle(value())], &strict).unwrap();
        node.run(1).unwrap();
        assert_eq!(node.run(1).unwrap_err().code(), Code::NotFound);
    }
}
