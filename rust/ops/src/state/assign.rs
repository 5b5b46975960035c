//! Assign, AssignAdd, AssignSub: whole-variable writes.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Operand, binary_in_place_left};
use ferroflow_tensor::{DType, Result, bail, dispatch, ensure};

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
    let validate = init.bool("validate_shape")?;
    let declared = init.node.outputs.first().map(|o| o.shape.clone());
    kernel(move |ctx| {
        let value = ctx.take(1)?.into_owned()?;
        ctx.assign(0, |slot| {
            if validate {
                let old = slot.as_ref().map(|t| t.shape().clone()).or_else(|| declared.as_ref()?.to_shape());
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

/// `ref op= value`, element by element.
fn update(init: &KernelInit<'_>, f: Binary) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
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
            .shape(assign_shape)
            .kernel(assign),
    );
    r.add(
        op("AssignAdd", "T: numbertype")
            .attr("use_locking: bool = false")
            .doc("Adds to a variable.")
            .shape(shape_rules::merged)
            .kernel(|init| update(init, Binary::Add)),
    );
    r.add(
        op("AssignSub", "T: numbertype")
            .attr("use_locking: bool = false")
            .doc("Subtracts from a variable.")
            .shape(shape_rules::merged)
            .kernel(|init| update(init, Binary::Sub)),
    );
}
