//! Work and span of a plan: how many instructions it has, and how many of them wait for each other one after the other.

use crate::plan::{Input, Instruction, Plan, Run, Test, Work};

/// The numbers of instructions of a plan; a loop counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkAndSpan {
    /// All of them.
    pub work: usize,
    /// The instructions of the longest chain in which each needs a value of the one before.
    pub span: usize,
}

fn slot_of(input: &Input) -> Option<u32> {
    match *input {
        Input::Slot { slot, .. } => Some(slot),
        Input::Constant(_) | Input::Handle => None,
    }
}

/// Returns the slots of the values that decide whether an instruction runs.
fn tested(tests: &[Test]) -> impl Iterator<Item = u32> {
    tests.iter().filter_map(|test| match test {
        Test::Is(input, _) => slot_of(input),
        Test::Present(slot) => Some(*slot),
        Test::Never => None,
    })
}

/// Returns the slots that an instruction reads.
fn read(run: &Run) -> Vec<u32> {
    let mut slots: Vec<u32> = run.inputs.iter().filter_map(slot_of).chain(tested(&run.tests)).collect();
    if let Work::Merge(branches) = &run.work {
        slots.extend(branches.iter().flat_map(|tests| tested(tests)));
    }
    slots
}

impl Plan {
    pub fn work_and_span(&self) -> WorkAndSpan {
        // Of each slot: the length of the longest chain that ends with the instruction that fills it.
        let mut chains = vec![0; self.slots];
        let mut found = WorkAndSpan { work: 0, span: 0 };
        for instruction in &self.instructions {
            let (length, filled): (usize, Vec<u32>) = match instruction {
                Instruction::Load { slot, .. } => (1, slot.iter().copied().collect()),
                Instruction::Run(run) => {
                    let longest = read(run).into_iter().map(|slot| chains[slot as usize]).max();
                    let outputs = run.first_output..run.first_output + run.outputs;
                    let versions = run.version_slots.iter().map(|(_, slot)| *slot);
                    (1 + longest.unwrap_or(0), outputs.chain(versions).collect())
                }
                Instruction::Depart => continue,
            };
            found.work += 1;
            found.span = found.span.max(length);
            for slot in filled {
                chains[slot as usize] = length;
            }
        }
        found
    }
}
