//! Assign, AssignAdd, AssignSub: whole-variable writes.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Operand, binary_in_place_left};
use ferroflow_tensor::{DType, PartialShape, Result, bail, dispatch, ensure};

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

fn assign(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let declared = init.node.outputs.first().map_or_else(PartialShape::unknown, |o| o.shape.clone());
    give_value(init.bool("validate_shape")?.then_some(declared), None)
}

/// Computes `ref = value`. With `keep_shape`, the shape that is known of the variable, a value of another shape than
/// the old one's is an error. So is one of another type than `dtype`, for variables behind handles.
pub(super) fn give_value(keep_shape: Option<PartialShape>, dtype: Option<DType>) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        if let Some(dtype) = dtype {
            let variable = ctx.variable(0)?;
            ensure!(
                variable.dtype == dtype,
                InvalidArgument,
                "Trying to assign variable with wrong dtype. Expected {} got {}",
                variable.dtype.name(),
                dtype.name()
            );
        }
        let value = ctx.take(1)?.into_owned()?;
        ctx.assign(0, |slot| {
            if let Some(declared) = &keep_shape {
                let old = slot.as_ref().map(|t| t.shape().clone()).or_else(|| declared.to_shape());
                if let Some(old) = old {
                    ensure!(
                        old == *value.shape(),
                        InvalidArgument,
                        "Assign requires shapes of both tensors to match. lhs shape= {old} rhs shape= {}",
                        value.shape()
                    );
                }
            }
            *slot = Some(value);
            Ok(())
        })
    })
}

/// Computes `ref op= value`, element by element.
pub(super) fn add_to(dtype: DType, f: Binary, init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(dtype, T in number, {
        kernel(move |ctx| {
            let threads = ctx.threads();
            ctx.update(0, |var, inputs| {
                let value = &inputs[1];
                ensure!(
                    var.shape() == value.shape(),
                    InvalidArgument,
                    "Shapes must be equal to update a variable: lhs shape= {} rhs shape= {}",
                    var.shape(),
                    value.shape()
                );
                let value = value.slice::<T>()?;
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
            .kernel(assign),
    );
    r.add(
        op("AssignAdd", "T: numbertype")
            .attr("use_locking: bool = false")
            .doc("Adds to a variable.")
            .shape(shape_rules::merged)
            .kernel(|init| add_to(init.dtype("T")?, Binary::Add, init)),
    );
    r.add(
        op("AssignSub", "T: numbertype")
            .attr("use_locking: bool = false")
            .doc("Subtracts from a variable.")
            .shape(shape_rules::merged)
            .kernel(|init| add_to(init.dtype("T")?, Binary::Sub, init)),
    );
}
