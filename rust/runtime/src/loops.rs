//! `Iterations`: the run of a loop, which may stop where something inside has to wait, and go on later.

use crate::execution::{Execution, truth};
use crate::slots::Slots;
use crate::suspended::Suspended;
use ferroflow_plan::{LoopPlan, Run};
use ferroflow_tensor::{Result, Status, Tensor};
use smallvec::SmallVec;

/// Which part of the plan runs, or runs next.
#[derive(Clone, Copy)]
enum Stage {
    /// The instructions before the condition.
    Head,
    Body,
    /// The instructions that run once, when the loop ends.
    Tail,
}

pub(crate) struct Iterations<'a> {
    run: &'a Run,
    plan: &'a LoopPlan,
    execution: Execution<'a>,
    next: SmallVec<[Tensor; 4]>,
    stage: Stage,
    /// The rest of the stage, if something in it waits.
    suspended: Option<Suspended<'a>>,
}

impl<'a> Iterations<'a> {
    /// Begins a loop; `execution` has its inputs in the first slots.
    pub fn begin(run: &'a Run, plan: &'a LoopPlan, execution: Execution<'a>) -> Iterations<'a> {
        Iterations { run, plan, execution, next: SmallVec::new(), stage: Stage::Head, suspended: None }
    }

    /// Goes on until the loop is left, or everything in it waits. Returns True if it is left.
    pub fn advance(&mut self) -> Result<bool> {
        let l = self.plan;
        loop {
            if let Some(suspended) = &mut self.suspended {
                if !suspended.advance(&mut self.execution)? {
                    return Ok(false);
                }
                self.suspended = None;
            } else {
                let part = match self.stage {
                    Stage::Head => {
                        self.execution.interrupts.check()?;
                        self.execution.step.cancellation.check()?;
                        0..l.head
                    }
                    Stage::Body => l.head..l.tail,
                    Stage::Tail => l.tail..l.plan.instructions.len(),
                };
                if let Some(suspended) = self.execution.run_part(part)? {
                    self.suspended = Some(suspended);
                    continue;
                }
            }
            match self.stage {
                Stage::Head => {
                    let condition = self.execution.value(l.condition, &self.run.node.name)?;
                    let stays = truth(&condition, &self.run.node.name)? == l.stays_if;
                    self.stage = if stays { Stage::Body } else { Stage::Tail };
                }
                Stage::Body => self.carry()?,
                Stage::Tail => return Ok(true),
            }
        }
    }

    /// Ends an iteration: the loop variables get their next values.
    fn carry(&mut self) -> Result<()> {
        let l = self.plan;
        for &(_, from) in &l.carried {
            self.execution.push_value(from, &self.run.node.name, &mut self.next)?;
        }
        let slots = &mut self.execution.slots;
        if l.is_guarded {
            let lasting: SmallVec<[_; 8]> = l.lasting.iter().map(|&slot| slots[slot as usize].take()).collect();
            slots[l.inputs..].fill(None);
            l.lasting.iter().zip(lasting).for_each(|(&slot, value)| slots[slot as usize] = value);
        }
        for (&(slot, _), value) in l.carried.iter().zip(self.next.drain(..)) {
            slots[slot as usize] = Some(value);
        }
        self.stage = Stage::Head;
        self.execution.is_repeated = true;
        Ok(())
    }

    /// Finishes after the loop is left: puts its outputs, and the versions that it has written, into the slots around
    /// it.
    pub fn finish(&mut self, around: &mut Slots) -> Result<()> {
        let (run, l) = (self.run, self.plan);
        for (k, &exit) in l.exits.iter().enumerate() {
            let value = self.execution.value(exit, &run.node.name)?;
            if k >= 64 || run.dead_outputs >> k & 1 == 0 {
                around[run.first_output as usize + k] = Some(value);
            }
        }
        for &(k, slot) in &run.version_slots {
            if let Some(Some(variable)) = run.handles.get(k) {
                around[slot as usize] = variable.read_in_step(self.execution.step.locals)?;
            }
        }
        Ok(())
    }

    /// Ends running work inside the loop after a failure; returns the failure to report.
    pub fn settle(&self, failure: Status) -> Status {
        match &self.suspended {
            Some(suspended) => suspended.settle(failure, self.execution.step, self.execution.interrupts),
            None => failure,
        }
    }

    /// Returns what waits inside.
    pub fn suspended(&self) -> Option<&Suspended<'a>> {
        self.suspended.as_ref()
    }
}
