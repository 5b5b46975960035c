//! Assign, AssignAdd, AssignSub: whole-variable writes.

use super::program_update::{add_result_to, give_result};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, Variable, kernel, shape_rules};
use ferroflow_tensor::threads::for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Operand, binary_in_place_left};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, dispatch, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

fn assign_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if c.bool("validate_shape")? {
        return shape_rules::merged(c);
    }
    let s = c.input(1)?.clone();
    c.set_output(0, s);
    Ok(())
}

/// The values that a variable may be given.
pub(super) struct Given {
    /// The shape that is known of the variable, if a value must have the old one's shape.
    keep_shape: Option<PartialShape>,
    /// The type that the op states, for variables behind handles.
    dtype: Option<DType>,
}

impl Given {
    /// Returns the values that `Assign` accepts.
    pub fn to_reference(init: &KernelInit<'_>) -> Result<Given> {
        let declared = init.node.outputs.first().map_or_else(PartialShape::unknown, |o| o.shape.clone());
        Ok(Given { keep_shape: init.bool("validate_shape")?.then_some(declared), dtype: None })
    }

    /// Returns the values that `AssignVariableOp` accepts.
    pub fn to_handle(init: &KernelInit<'_>) -> Result<Given> {
        Ok(Given { keep_shape: None, dtype: Some(init.dtype("dtype")?) })
    }

    /// Errors: those of `check_type` and `check_shape`.
    pub fn check(&self, variable: &Variable, old: Option<&Tensor>, new: &Shape) -> Result<()> {
        self.check_type(variable)?;
        self.check_shape(old, new)
    }

    /// Errors: `InvalidArgument` for a variable of another type than the op states.
    fn check_type(&self, variable: &Variable) -> Result<()> {
        let dtype = self.dtype.unwrap_or(variable.dtype);
        ensure!(
            variable.dtype == dtype,
            InvalidArgument,
            "Trying to assign variable with wrong dtype. Expected {} got {}",
            variable.dtype.name(),
            dtype.name()
        );
        Ok(())
    }

    /// Errors: `InvalidArgument` for a value whose shape the variable may not have.
    fn check_shape(&self, old: Option<&Tensor>, new: &Shape) -> Result<()> {
        let Some(declared) = &self.keep_shape else { return Ok(()) };
        if let Some(old) = old.map(|t| t.shape().clone()).or_else(|| declared.to_shape()) {
            ensure!(
                old == *new,
                InvalidArgument,
                "Assign requires shapes of both tensors to match. lhs shape= {old} rhs shape= {new}"
            );
        }
        Ok(())
    }
}

/// Computes `ref = value`.
pub(super) fn give_value(given: Given) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        given.check_type(&*ctx.variable(0)?)?;
        let value = ctx.take(1)?.into_owned()?;
        ctx.assign(0, |slot, _| {
            given.check_shape(slot.as_ref(), value.shape())?;
            *slot = Some(value);
            Ok(())
        })
    })
}

/// Errors: `InvalidArgument` for what is added to a variable of another shape.
pub(super) fn check_equal_shapes(variable: &Shape, value: &Shape) -> Result<()> {
    ensure!(
        variable == value,
        InvalidArgument,
        "Shapes must be equal to update a variable: lhs shape= {variable} rhs shape= {value}"
    );
    Ok(())
}

/// Computes `ref op= value`, element by element.
pub(super) fn add_to(dtype: DType, f: Binary, init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(dtype, T in number, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            ctx.update(0, |var, inputs| {
                check_equal_shapes(var.shape(), inputs[1].shape())?;
                let value = inputs[1].slice::<T>()?;
                for_chunks_mut(threads, var.slice_mut::<T>()?, BLOCK, |start, chunk| {
                    let part = &value[start..start + chunk.len()];
                    binary_in_place_left(f, chunk, Operand::Slice(part));
                });
                Ok(())
            })
        })
    }, else {
        if dtype == DType::String {
            bail!(InvalidArgument, "strings cannot be added to a variable");
        }
        Err(init.unsupported())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        let op = Op::new(name).input("ref: Ref(T)").input("value: T").output("output_ref: Ref(T)");
        op.attr(types)
    };
    r.add(
        op("Assign", "T: type")
            .attr("validate_shape: bool = true")
            .attr("use_locking: bool = true")
            .doc("Gives a variable a value.")
            .may_reshape_variable()
            .shape(assign_shape)
            .kernel(|init| give_value(Given::to_reference(init)?))
            .kernel_of_program(1, |init, program| give_result(Given::to_reference(init)?, program)),
    );
    r.add(
        op("AssignAdd", "T: numbertype")
            .attr("use_locking: bool = false")
            .doc("Adds to a variable.")
            .shape(shape_rules::merged)
            .kernel(|init| add_to(init.dtype("T")?, Binary::Add, init))
            .kernel_of_program(1, |_, program| add_result_to(Binary::Add, program)),
    );
    r.add(
        op("AssignSub", "T: numbertype")
            .attr("use_locking: bool = false")
            .doc("Subtracts from a variable.")
            .shape(shape_rules::merged)
            .kernel(|init| add_to(init.dtype("T")?, Binary::Sub, init))
            .kernel_of_program(1, |_, program| add_result_to(Binary::Sub, program)),
    );
}
