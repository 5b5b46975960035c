//! `Waiting`: the run of a part of a plan in which some instructions have begun and wait for something outside the step.

use crate::execute::{Slots, leave, one};
use crate::iterations::Iterations;
use crate::plan::{Plan, Run};
use crate::pulse::Pulse;
use crate::trace::Trace;
use crate::waits::{Part, Unfinished, Waits};
use ferroflow_graph::{Pending, Step};
use ferroflow_tensor::{Code, Result, Status};
use std::time::Duration;

/// How long a step that waits sleeps before it looks for signals and deadlines.
const PERIOD: Duration = Duration::from_millis(20);

/// An instruction that has begun and waits.
pub(crate) struct Begun<'a> {
    pub run: &'a Run,
    pub remaining: Remaining<'a>,
    /// Time since the trace began.
    pub start: Option<Duration>,
}

/// What is left to do of an instruction.
pub(crate) enum Remaining<'a> {
    Kernel(Box<dyn Pending>),
    Loop(Box<Iterations<'a>>),
}

impl Begun<'_> {
    /// The failure of a step that is cancelled while this waits.
    pub fn cancelled(&self) -> Option<Status> {
        match &self.remaining {
            // TF 1.x: who waits says itself that it was cancelled.
            Remaining::Kernel(pending) => Some(Status::cancelled(pending.cancelled()).at_node(self.run.node.id)),
            Remaining::Loop(iterations) => iterations.waiting().and_then(Waiting::cancelled),
        }
    }

    /// Whether it has ended; its outputs are in their slots then.
    fn advance(
        &mut self,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<bool> {
        match &mut self.remaining {
            Remaining::Loop(iterations) => {
                if !iterations.advance(step, pulse, trace.as_deref_mut())? {
                    return Ok(false);
                }
                iterations.finish(slots)?;
            }
            Remaining::Kernel(pending) => {
                let Some(outputs) = pending.poll() else { return Ok(false) };
                let first = self.run.first_output as usize;
                let slots = &mut slots[first..first + self.run.outputs as usize];
                for (slot, value) in slots.iter_mut().zip(outputs?) {
                    *slot = Some(value);
                }
            }
        }
        leave(self.run, self.start, slots, trace);
        Ok(true)
    }
}

/// What comes after an instruction that waits is put aside, and the others go on.
pub(crate) struct Waiting<'a> {
    plan: &'a Plan,
    unfinished: Unfinished<'a>,
    /// Instructions put aside, in order.
    aside: Vec<usize>,
    begun: Vec<(usize, Begun<'a>)>,
}

impl<'a> Waiting<'a> {
    /// Runs what can run of a part; `None` where that is all of it.
    pub fn begin(
        plan: &'a Plan,
        waits: &'a Waits,
        part: Part,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        trace: Option<&mut Trace>,
    ) -> Result<Option<Waiting<'a>>> {
        let unfinished = Unfinished::new(waits);
        let mut waiting = Waiting { plan, unfinished, aside: Vec::new(), begun: Vec::new() };
        waiting.pass(part, slots, step, pulse, trace)?;
        Ok(if waiting.unfinished.is_empty() { None } else { Some(waiting) })
    }

    /// Goes on with what waits no longer, and with what was put aside for it, until everything waits; whether all has ended.
    pub fn advance(
        &mut self,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<bool> {
        while self.collect(slots, step, pulse, trace.as_deref_mut())? {
            let aside = std::mem::take(&mut self.aside);
            self.pass(aside.into_iter(), slots, step, pulse, trace.as_deref_mut())?;
        }
        Ok(self.unfinished.is_empty())
    }

    /// Runs the rest of the part; the thread sleeps while nothing can go on.
    pub fn finish(
        mut self,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<()> {
        while !self.advance(slots, step, pulse, trace.as_deref_mut())? {
            // An end that came comes before a reason to give up: what was taken for this step is not lost.
            if let Err(e) = pulse.check().and_then(|()| step.cancellation.check()) {
                let first = self.begun.first().map(|(_, begun)| begun);
                return Err(match self.cancelled() {
                    Some(cancelled) if e.code() == Code::Cancelled => cancelled,
                    _ => first.map_or(e.clone(), |begun| e.at_node(begun.run.node.id)),
                });
            }
            match step.rendezvous {
                None => step.cancellation.bell().wait(PERIOD),
                Some(rendezvous) => rendezvous.rest(step.cancellation.bell(), PERIOD)?,
            }
        }
        Ok(())
    }

    /// The failure of a step that is cancelled meanwhile.
    pub fn cancelled(&self) -> Option<Status> {
        self.begun.first().and_then(|(_, begun)| begun.cancelled())
    }

    /// Runs what can run of these instructions, given in order.
    fn pass(
        &mut self,
        instructions: impl Iterator<Item = usize>,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<()> {
        for k in instructions {
            if self.unfinished.holds_up(k) {
                self.unfinished.insert(k);
                self.aside.push(k);
                continue;
            }
            self.unfinished.remove(k);
            let instruction = &self.plan.instructions[k];
            if let Some(begun) = one(self.plan, instruction, slots, step, pulse, trace.as_deref_mut())? {
                self.unfinished.insert(k);
                self.begun.push((k, begun));
            }
        }
        Ok(())
    }

    /// Takes the outputs of those that have ended; whether there were any.
    fn collect(
        &mut self,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<bool> {
        let mut ended = false;
        let mut i = 0;
        while let Some((k, begun)) = self.begun.get_mut(i) {
            let id = begun.run.node.id;
            if begun.advance(slots, step, pulse, trace.as_deref_mut()).map_err(|e| e.at_node(id))? {
                self.unfinished.remove(*k);
                self.begun.remove(i);
                ended = true;
            } else {
                i += 1;
            }
        }
        Ok(ended)
    }
}
