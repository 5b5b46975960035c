//! Runs the rest of a step that has failed: a failure keeps those nodes from running that come after it, as in TF 1.x.

use crate::execution::Execution;
use ferroflow_plan::{Blocked, Instruction, Work};

impl Execution<'_> {
    /// Runs the instructions `rest` that do not come after one of `ended`, which have failed or still wait. Their
    /// failures are dropped. Nothing runs in a step that was cancelled, or one that several processes share.
    #[cold]
    pub fn run_independent(&mut self, ended: impl IntoIterator<Item = usize>, rest: impl IntoIterator<Item = usize>) {
        let plan = self.plan;
        let Some(dependents) = plan.dependents.as_deref().filter(|_| self.step.rendezvous.is_none()) else { return };
        self.has_failed = true;
        let mut blocked = Blocked::new(dependents);
        ended.into_iter().for_each(|k| blocked.add(k));
        for k in rest {
            if self.interrupts.is_over() || self.step.cancellation.is_cancelled() {
                return;
            }
            if blocked.contains(k) {
                continue;
            }
            let instruction = &plan.instructions[k];
            if may_wait(instruction) || !matches!(self.execute(instruction), Ok(None)) {
                blocked.add(k);
            }
        }
    }
}

/// Returns whether an instruction may wait for something outside the step.
fn may_wait(instruction: &Instruction) -> bool {
    let Instruction::Run(run) = instruction else { return false };
    match &run.work {
        Work::Loop(l) => l.plan.may_wait(),
        _ => run.node.op.may_wait,
    }
}
