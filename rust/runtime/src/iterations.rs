//! `Iterations`: the run of a loop, which may stop where something inside has to wait, and go on later.

use crate::execute::{Slots, begin, push_value, truth, value};
use crate::plan::{LoopPlan, Run};
use crate::pulse::Pulse;
use crate::trace::Trace;
use crate::waiting::Waiting;
use ferroflow_graph::Step;
use ferroflow_tensor::{Result, Status, Tensor};
use smallvec::SmallVec;

/// Which part of the plan runs, or runs next.
#[derive(Clone, Copy)]
enum Stage {
    /// What comes before the condition.
    Head,
    Body,
    /// What comes once, when the loop is left.
    Tail,
}

pub(crate) struct Iterations<'a> {
    run: &'a Run,
    plan: &'a LoopPlan,
    slots: Slots,
    next: SmallVec<[Tensor; 4]>,
    stage: Stage,
    /// The stage, where it has begun and something in it waits.
    waiting: Option<Waiting<'a>>,
}

impl<'a> Iterations<'a> {
    pub fn begin(run: &'a Run, plan: &'a LoopPlan, inputs: SmallVec<[Tensor; 4]>) -> Iterations<'a> {
        let mut slots = plan.idle.acquire(plan.plan.slots);
        for (slot, input) in slots.iter_mut().zip(inputs).take(plan.inputs) {
            *slot = Some(input);
        }
        Iterations { run, plan, slots, next: SmallVec::new(), stage: Stage::Head, waiting: None }
    }

    /// Goes on until the loop is left, or everything in it waits; whether it is left.
    pub fn advance(&mut self, step: &Step<'_>, pulse: &Pulse<'_>, mut trace: Option<&mut Trace>) -> Result<bool> {
        let l = self.plan;
        loop {
            if let Some(waiting) = &mut self.waiting {
                if !waiting.advance(&mut self.slots, step, pulse, trace.as_deref_mut())? {
                    return Ok(false);
                }
                self.waiting = None;
            } else {
                let part = match self.stage {
                    Stage::Head => {
                        pulse.check()?;
                        step.cancellation.check()?;
                        0..l.head
                    }
                    Stage::Body => l.head..l.tail,
                    Stage::Tail => l.tail..l.plan.instructions.len(),
                };
                if let Some(waiting) = begin(&l.plan, part, &mut self.slots, step, pulse, trace.as_deref_mut())? {
                    self.waiting = Some(waiting);
                    continue;
                }
            }
            match self.stage {
                Stage::Head => {
                    let condition = value(&l.plan, &mut self.slots, l.condition, &self.run.node.name)?;
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
            push_value(&l.plan, &mut self.slots, from, &self.run.node.name, &mut self.next)?;
        }
        if l.is_guarded {
            self.slots[l.inputs..].fill(None);
        }
        for (&(slot, _), value) in l.carried.iter().zip(self.next.drain(..)) {
            self.slots[slot as usize] = Some(value);
        }
        self.stage = Stage::Head;
        Ok(())
    }

    /// Of a loop that is left: puts what left it, and what it has written, into the slots around it.
    pub fn finish(&mut self, around: &mut Slots) -> Result<()> {
        let (run, l) = (self.run, self.plan);
        for (k, &exit) in l.exits.iter().enumerate() {
            let value = value(&l.plan, &mut self.slots, exit, &run.node.name)?;
            if k >= 64 || run.dead_outputs >> k & 1 == 0 {
                around[run.first_output as usize + k] = Some(value);
            }
        }
        for &(k, slot) in &run.version_slots {
            if let Some(Some(variable)) = run.handles.get(k) {
                around[slot as usize] = variable.read();
            }
        }
        Ok(())
    }

    /// Of a loop that failed: ends what is under way inside; the failure to report.
    pub fn settle(&self, failure: Status, step: &Step<'_>, pulse: &Pulse<'_>) -> Status {
        match &self.waiting {
            Some(waiting) => waiting.settle(failure, step, pulse),
            None => failure,
        }
    }

    /// What waits inside.
    pub fn waiting(&self) -> Option<&Waiting<'a>> {
        self.waiting.as_ref()
    }
}

impl Drop for Iterations<'_> {
    fn drop(&mut self) {
        self.plan.idle.recycle(std::mem::take(&mut self.slots));
    }
}
