//! `Waiting`: the run of a part of a plan in which some instructions have begun and wait for something outside the step.

use crate::aside::Aside;
use crate::execute::{Slots, leave, one};
use crate::iterations::Iterations;
use crate::plan::{Plan, Run};
use crate::pulse::Pulse;
use crate::trace::Trace;
use crate::waits::{Part, Unfinished, Waits};
use ferroflow_graph::{Outputs, Pending, Step};
use ferroflow_tensor::{Code, Result, Status};
use std::time::{Duration, Instant};

/// How long a step that waits sleeps before it looks for signals and deadlines.
const PERIOD: Duration = Duration::from_millis(20);

/// How long code of the program on other threads may take to end after an interrupt, before the step ends without it.
const GRACE: Duration = Duration::from_secs(1);

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
    /// What blocks of the kernel runs on another thread.
    Aside(Aside),
    Loop(Box<Iterations<'a>>),
}

impl Begun<'_> {
    /// The failure of a step that is cancelled while this waits.
    pub fn cancelled(&self) -> Option<Status> {
        match &self.remaining {
            // TF 1.x: who waits says itself that it was cancelled.
            Remaining::Kernel(pending) => Some(Status::cancelled(pending.cancelled()).at_node(self.run.node.id)),
            Remaining::Aside(_) => None,
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
                put(self.run, outputs?, slots);
            }
            Remaining::Aside(aside) => {
                let Some(outputs) = aside.poll() else { return Ok(false) };
                put(self.run, outputs?, slots);
            }
        }
        leave(self.run, self.start, slots, trace);
        Ok(true)
    }
}

/// Puts the outputs of an instruction into their slots.
fn put(run: &Run, outputs: Outputs, slots: &mut Slots) {
    let first = run.first_output as usize;
    for (slot, value) in slots[first..first + run.outputs as usize].iter_mut().zip(outputs) {
        *slot = Some(value);
    }
}

/// What comes after an instruction that waits is put aside, and the others go on.
pub(crate) struct Waiting<'a> {
    plan: &'a Plan,
    unfinished: Unfinished<'a>,
    /// Instructions put aside, in order.
    aside: Vec<usize>,
    begun: Vec<(usize, Begun<'a>)>,
    /// The instruction that runs or is looked at.
    current: usize,
    /// How often the step's bell was heard.
    heard: u64,
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
        let mut waiting = Waiting { plan, unfinished, aside: Vec::new(), begun: Vec::new(), current: 0, heard: 0 };
        match waiting.pass(part, slots, step, pulse, trace) {
            Ok(()) if waiting.unfinished.is_empty() => Ok(None),
            Ok(()) => Ok(Some(waiting)),
            Err(e) => Err(waiting.settle(e, step, pulse)),
        }
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
            for k in std::mem::take(&mut self.aside) {
                self.attempt(k, slots, step, pulse, trace.as_deref_mut())?;
            }
        }
        Ok(self.unfinished.is_empty())
    }

    /// Runs the rest of the part; the thread sleeps while nothing can go on.
    pub fn finish(
        mut self,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        trace: Option<&mut Trace>,
    ) -> Result<()> {
        self.run_to_end(slots, step, pulse, trace).map_err(|e| self.settle(e, step, pulse))
    }

    fn run_to_end(
        &mut self,
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
                None => step.cancellation.bell().wait(&mut self.heard, PERIOD),
                Some(rendezvous) => rendezvous.rest(step.cancellation.bell(), &mut self.heard, PERIOD)?,
            }
        }
        Ok(())
    }

    /// The failure of a step that is cancelled meanwhile.
    pub fn cancelled(&self) -> Option<Status> {
        self.begun.iter().find_map(|(_, begun)| begun.cancelled())
    }

    /// After a failure: cancels what runs on other threads, and waits until it has ended, for nothing of a step runs once the step
    /// has ended. After an interrupt, code of the program that goes on for `GRACE` is left to itself; its outcome is dropped.
    ///
    /// Gives the failure to report: of several, that of the instruction which is first in the plan's order.
    pub fn settle(&self, failure: Status, step: &Step<'_>, pulse: &Pulse<'_>) -> Status {
        self.each_aside(&mut |aside| aside.cancel());
        let (mut heard, mut interrupted) = (0, None);
        loop {
            let (mut runs, mut must_end) = (false, false);
            self.each_aside(&mut |aside| {
                runs |= !aside.has_ended();
                must_end |= !aside.has_ended() && !aside.may_hang();
            });
            if !runs {
                break;
            }
            // The failure is there already; this finds out whether an interrupt ends the wait.
            let _ = pulse.check();
            if pulse.is_interrupted() && !must_end {
                let since: Instant = *interrupted.get_or_insert_with(Instant::now);
                if since.elapsed() >= GRACE {
                    break;
                }
            }
            step.cancellation.bell().wait(&mut heard, PERIOD);
        }
        if step.cancellation.is_cancelled() || pulse.is_over() {
            return failure;
        }
        match self.first_failure() {
            Some((k, other)) if k < self.current => other,
            _ => failure,
        }
    }

    fn each_aside(&self, visit: &mut dyn FnMut(&Aside)) {
        for (_, begun) in &self.begun {
            match &begun.remaining {
                Remaining::Kernel(_) => {}
                Remaining::Aside(aside) => visit(aside),
                Remaining::Loop(iterations) => {
                    if let Some(inner) = iterations.waiting() {
                        inner.each_aside(visit);
                    }
                }
            }
        }
    }

    /// The failure of what ran on another thread which is first in the plan's order, and its instruction.
    fn first_failure(&self) -> Option<(usize, Status)> {
        let failure = |begun: &Begun<'_>| -> Option<Status> {
            let failure = match &begun.remaining {
                Remaining::Kernel(_) => None,
                Remaining::Aside(aside) => aside.failure(),
                Remaining::Loop(iterations) => iterations.waiting()?.first_failure().map(|(_, e)| e),
            };
            Some(failure?.at_node(begun.run.node.id))
        };
        let failures = self.begun.iter().filter_map(|(k, begun)| Some((*k, failure(begun)?)));
        failures.min_by_key(|(k, _)| *k)
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
            // What has ended meanwhile may let something begin that blocks, too.
            if !self.begun.is_empty() && step.cancellation.bell().rang(&mut self.heard) {
                self.advance(slots, step, pulse, trace.as_deref_mut())?;
            }
            self.attempt(k, slots, step, pulse, trace.as_deref_mut())?;
        }
        Ok(())
    }

    /// Runs an instruction, or puts it aside where it comes after one that waits.
    fn attempt(
        &mut self,
        k: usize,
        slots: &mut Slots,
        step: &Step<'_>,
        pulse: &Pulse<'_>,
        trace: Option<&mut Trace>,
    ) -> Result<()> {
        if self.unfinished.holds_up(k) {
            self.unfinished.insert(k);
            self.aside.push(k);
            return Ok(());
        }
        self.unfinished.remove(k);
        self.current = k;
        if let Some(begun) = one(self.plan, &self.plan.instructions[k], slots, step, pulse, trace)? {
            self.unfinished.insert(k);
            self.begun.push((k, begun));
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
            self.current = *k;
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
