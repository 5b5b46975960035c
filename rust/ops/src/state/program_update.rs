//! Writes of values that programs compute: each element of the variable is read, computed and written once.
//!
//! The program may read the variable itself, in the version that it replaces. That value is one of the kernel's inputs.
//! If nothing else refers to its memory, the program writes there.

use super::assign::{Given, check_equal_shapes};
use ferroflow_graph::{Kernel, Variable, kernel};
use ferroflow_tensor::elementwise::Program;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{Result, Status, Tensor, dispatch};
use std::sync::Arc;

/// Computes `ref op= result`, element by element.
pub(super) fn add_result_to(f: Binary, program: Arc<Program>) -> Result<Box<dyn Kernel>> {
    let (updating, last) = (program.updating(f)?, program.given());
    kernel(move |ctx| {
        let threads = ctx.threads();
        let mut has_value = false;
        ctx.assign(0, |slot, inputs| {
            let inputs = &mut inputs[..=last];
            let Some(shape) = program.result_shape(&inputs[1..]) else {
                return program.run(&mut inputs[1..], threads).map(drop);
            };
            let Some(old) = slot.as_ref() else { return Ok(()) };
            has_value = true;
            check_equal_shapes(old.shape(), &shape)?;
            dispatch!(program.dtype(), T in [F32, F64], old.slice::<T>().map(drop)?, else {});
            if let Some(old) = slot.take() {
                inputs[0] = old;
            }
            run_over(&updating, slot, 0, inputs, threads)
        })?;
        if has_value { Ok(()) } else { Err(ctx.missing_value(0)?) }
    })
}

/// Computes `ref = result`.
pub(super) fn give_result(given: Given, program: Arc<Program>) -> Result<Box<dyn Kernel>> {
    let last = program.given();
    kernel(move |ctx| {
        let (threads, variable) = (ctx.threads(), ctx.variable(0)?);
        // Only a program that may write over the variable runs under its lock.
        let mut result = match own_value(&variable, &ctx.inputs()[1..=last]) {
            Some(_) => None,
            None => program.run(&mut ctx.inputs_mut()[1..=last], threads)?.pop(),
        };
        ctx.assign(0, |slot, inputs| {
            let inputs = &mut inputs[1..=last];
            if result.is_none() {
                let own = slot.as_ref().and_then(|old| inputs.iter().position(|t| is_same(t, old)));
                if let (Some(own), Some(shape)) = (own, program.result_shape(inputs)) {
                    given.check(&variable, slot.as_ref(), &shape)?;
                    *slot = None;
                    return run_over(&program, slot, own, inputs, threads);
                }
                // Another step has given the variable a value since, or operands do not fit.
                result = program.run(inputs, threads)?.pop();
            }
            let result = result.ok_or_else(|| Status::internal("a program has no output"))?;
            given.check(&variable, slot.as_ref(), result.shape())?;
            *slot = Some(result);
            Ok(())
        })
    })
}

/// Returns the input that is the value of a variable.
fn own_value(variable: &Variable, inputs: &[Tensor]) -> Option<usize> {
    let value = variable.lock();
    value.as_ref().and_then(|value| inputs.iter().position(|t| is_same(t, value)))
}

/// Gives a variable, whose value is now input `own` alone, the result of a program. If the program fails before it
/// replaces that value, the variable keeps it.
fn run_over(
    program: &Program,
    slot: &mut Option<Tensor>,
    own: usize,
    inputs: &mut [Tensor],
    threads: Threads,
) -> Result<()> {
    let shape = inputs[own].shape().clone();
    match program.run(inputs, threads) {
        Ok(mut outputs) => *slot = outputs.pop(),
        Err(e) => {
            // A value that was taken has left a placeholder of another type.
            let kept = std::mem::replace(&mut inputs[own], Tensor::scalar(false));
            *slot = (kept.dtype() == program.dtype() && *kept.shape() == shape).then_some(kept);
            return Err(e);
        }
    }
    Ok(())
}

/// Returns whether two tensors are one value in one memory.
fn is_same(a: &Tensor, b: &Tensor) -> bool {
    a.shape() == b.shape() && matches!((a.buffer(), b.buffer()), (Some(a), Some(b)) if Arc::ptr_eq(a, b))
}
