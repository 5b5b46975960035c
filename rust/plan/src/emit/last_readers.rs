//! Marks the last reader of every slot, which may write its result in place.

use crate::plan::{Input, Instruction, Test, Work};

/// Marks the last reader of every slot. `read` holds the slots that are read later; readers are visited last to first.
pub(super) fn mark_reads(inputs: &mut [Input], read: &mut [bool]) {
    for input in inputs.iter_mut().rev() {
        if let Input::Slot { slot, take } = input {
            *take = !std::mem::replace(&mut read[*slot as usize], true);
        }
    }
}

/// Marks the slots that tests read. A test never takes the value.
pub(super) fn mark_tests(tests: &[Test], read: &mut [bool]) {
    for test in tests {
        if let Test::Is(Input::Slot { slot, .. }, _) | Test::Present(slot) = test {
            read[*slot as usize] = true;
        }
    }
}

/// Marks reads as `mark_reads` does, for instructions; a loaded version without a reader is not kept.
pub(super) fn mark_instructions(instructions: &mut [Instruction], read: &mut [bool]) {
    for instruction in instructions.iter_mut().rev() {
        match instruction {
            Instruction::Run(run) => {
                mark_reads(&mut run.inputs, read);
                mark_tests(&run.tests, read);
                if let Work::Merge(tests) = &run.work {
                    tests.iter().for_each(|t| mark_tests(t, read));
                }
            }
            Instruction::Load { slot, .. } => {
                if slot.is_some_and(|s| !read[s as usize]) {
                    *slot = None;
                }
            }
            Instruction::Depart => {}
        }
    }
}
