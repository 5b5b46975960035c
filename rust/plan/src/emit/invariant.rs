//! Instructions of a loop that compute the same in every iteration run in the first one only.
//!
//! They are not moved before the loop, so a loop without an iteration computes nothing, and errors arise where they would.

use crate::plan::{Input, Instruction, Plan, Run, Work};

/// Marks the instructions before the loop's tail that need to run once, and adds their outputs to the slots that stay.
/// Returns those outputs.
pub(super) fn mark_invariant(plan: &mut Plan, tail: usize, stays: &mut [bool]) -> Vec<u32> {
    let mut lasting = Vec::new();
    // An instruction that waits lets later ones overtake it.
    if plan.wait_sets.is_some() {
        return lasting;
    }
    for instruction in &mut plan.instructions[..tail] {
        let Instruction::Run(run) = instruction else { continue };
        if is_pure(run) && run.inputs.iter().all(|input| is_invariant(*input, stays)) {
            run.runs_once = true;
            for slot in run.first_output..run.first_output + run.outputs {
                stays[slot as usize] = true;
                lasting.push(slot);
            }
        }
    }
    lasting
}

/// Returns true for a constant, and for a slot that stays.
pub(super) fn is_invariant(input: Input, stays: &[bool]) -> bool {
    match input {
        Input::Slot { slot, .. } => stays[slot as usize],
        Input::Constant(_) => true,
        Input::Handle => false,
    }
}

/// Returns true if an instruction always runs, and computes its outputs from its inputs alone.
fn is_pure(run: &Run) -> bool {
    matches!(run.work, Work::Kernel(_))
        && run.tests.is_empty()
        && !run.node.op.has_effects()
        && !run.node.op.only_checks
        // As in folding: what code from outside computes may not be the same twice.
        && !run.node.op.is_foreign
        && run.version_slots.is_empty()
        && run.handles.iter().all(Option::is_none)
        && run.outputs > 0
}
