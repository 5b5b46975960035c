//! The slots that instructions read and fill.

use crate::plan::{Input, Instruction, Run, Test, Work};

impl Run {
    /// Calls `visit` for every slot that it reads. If true, it takes the value out of the slot.
    pub(crate) fn each_read(&self, mut visit: impl FnMut(u32, bool)) {
        for input in &self.inputs {
            if let Input::Slot { slot, take } = *input {
                visit(slot, take);
            }
        }
        let merged: &[Box<[Test]>] = if let Work::Merge(tests) = &self.work { tests } else { &[] };
        for test in self.tests.iter().chain(merged.iter().flatten()) {
            if let Test::Is(Input::Slot { slot, .. }, _) | Test::Present(slot) = *test {
                visit(slot, false);
            }
        }
    }
}

impl Instruction {
    /// Returns the slots that it fills.
    pub(crate) fn filled(&self) -> impl Iterator<Item = u32> + '_ {
        let (outputs, versions, loaded) = match self {
            Instruction::Load { slot, .. } => (0..0, &[][..], *slot),
            Instruction::Run(run) => {
                (run.first_output..run.first_output + run.outputs, run.version_slots.as_slice(), None)
            }
            Instruction::Depart => (0..0, &[][..], None),
        };
        outputs.chain(versions.iter().map(|&(_, slot)| slot)).chain(loaded)
    }
}
