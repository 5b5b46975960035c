//! Work and span of a plan: how many instructions it has, and how many of them wait for each other one after the other.

use crate::plan::{Instruction, Plan};

/// The numbers of instructions of a plan; a loop counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkAndSpan {
    /// All of them.
    pub work: usize,
    /// The instructions of the longest chain in which each needs a value of the one before.
    pub span: usize,
}

impl Plan {
    pub fn work_and_span(&self) -> WorkAndSpan {
        // Of each slot: the length of the longest chain that ends with the instruction that fills it.
        let mut chains = vec![0; self.slots];
        let mut found = WorkAndSpan { work: 0, span: 0 };
        for instruction in &self.instructions {
            let mut length = 1;
            match instruction {
                Instruction::Load { .. } => {}
                Instruction::Run(run) => run.each_read(|slot, _| length = length.max(1 + chains[slot as usize])),
                Instruction::Depart => continue,
            }
            found.work += 1;
            found.span = found.span.max(length);
            for slot in instruction.filled() {
                chains[slot as usize] = length;
            }
        }
        found
    }
}
