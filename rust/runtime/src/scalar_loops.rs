//! Runs loops that are programs on scalars.

use crate::interrupts::Interrupts;
use ferroflow_graph::Step;
use ferroflow_plan::ScalarLoop;
use ferroflow_tensor::elementwise::load;
use ferroflow_tensor::{Result, Tensor};
use smallvec::SmallVec;

/// Iterations between two checks for interrupts.
const CHECK_EVERY: u32 = 64;

/// Runs a loop and returns the values that leave it. Returns None if the loop's plan must run it instead, from the values that
/// are in `inputs` then.
///
/// Errors: those that end the step from outside.
pub(crate) fn run_scalars(
    l: &ScalarLoop,
    inputs: &mut [Tensor],
    step: &Step<'_>,
    interrupts: &Interrupts<'_>,
) -> Result<Option<SmallVec<[Tensor; 4]>>> {
    let mut registers: SmallVec<[u64; 64]> = SmallVec::from_slice(l.program.initial());
    for &(i, register) in &l.inputs {
        let Some(value) = inputs.get(i) else { return Ok(None) };
        if value.rank() != 0 || l.program.dtype(register) != Some(value.dtype()) {
            return Ok(None);
        }
        registers[register as usize] = load(value)?;
    }
    let mut next: SmallVec<[u64; 8]> = SmallVec::from_elem(0, l.carried.len());
    let mut until_check = 0;
    loop {
        if until_check == 0 {
            interrupts.check()?;
            step.cancellation.check()?;
            until_check = CHECK_EVERY;
        }
        until_check -= 1;
        let known = l.program.run(l.head.clone(), &mut registers);
        let stays = (registers[l.condition as usize] != 0) == l.stays_if;
        if !known || !l.program.run(if stays { l.body.clone() } else { l.tail.clone() }, &mut registers) {
            for variable in &l.carried {
                inputs[variable.input] = l.program.tensor(variable.register, &registers)?;
            }
            return Ok(None);
        }
        if !stays {
            return l.exits.iter().map(|&e| l.program.tensor(e, &registers)).collect::<Result<_>>().map(Some);
        }
        for (value, variable) in next.iter_mut().zip(&l.carried) {
            *value = registers[variable.next as usize];
        }
        for (value, variable) in next.iter().zip(&l.carried) {
            registers[variable.register as usize] = *value;
        }
    }
}
