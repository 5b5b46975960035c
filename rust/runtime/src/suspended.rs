//! `Suspended`: the rest of a plan's run in which some instructions have begun and wait for something outside the step.

use crate::execution::{Execution, without_value};
use crate::interrupts::Interrupts;
use crate::loops::Iterations;
use crate::offloaded::Offloaded;
use ferroflow_graph::{Outputs, Pending, Step};
use ferroflow_plan::{Instruction, Run, WaitSets};
use ferroflow_tensor::{Code, Result, Status};
use smallvec::SmallVec;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Longest sleep of a waiting step before it checks for signals and deadlines.
const PERIOD: Duration = Duration::from_millis(20);

/// Time that the program's code on other threads has to end after an interrupt, before the step ends without it.
const GRACE: Duration = Duration::from_secs(1);

/// An instruction that has begun and waits.
pub(crate) struct Begun<'a> {
    pub run: &'a Run,
    pub remaining: Remaining<'a>,
    /// Time since the trace began.
    pub start: Option<Duration>,
}

/// The remaining work of an instruction.
pub(crate) enum Remaining<'a> {
    Kernel(Box<dyn Pending>),
    /// The blocking part of the kernel runs on another thread.
    Offloaded(Offloaded),
    Loop(Box<Iterations<'a>>),
}

impl<'a> Begun<'a> {
    /// Returns the failure of a step that is cancelled while this waits.
    pub fn cancelled(&self) -> Option<Status> {
        match &self.remaining {
            // As in TF 1.x, what waits has a message of its own for its cancellation.
            Remaining::Kernel(pending) => Some(Status::cancelled(pending.cancelled()).at_node(self.run.node.id)),
            Remaining::Offloaded(_) => None,
            Remaining::Loop(iterations) => iterations.suspended().and_then(Suspended::cancelled),
        }
    }

    /// Goes on. Returns True if the instruction has ended; its outputs are in their slots then.
    fn advance(&mut self, execution: &mut Execution<'a>) -> Result<bool> {
        match &mut self.remaining {
            Remaining::Loop(iterations) => {
                if !iterations.advance()? {
                    return Ok(false);
                }
                iterations.finish(&mut execution.slots)?;
            }
            Remaining::Kernel(pending) => {
                let Some(outputs) = pending.poll() else { return Ok(false) };
                put(self.run, outputs?, execution);
            }
            Remaining::Offloaded(offloaded) => {
                let Some(outputs) = offloaded.poll() else { return Ok(false) };
                put(self.run, outputs?, execution);
                execution.read_versions(self.run)?;
            }
        }
        execution.end(self.run, self.start);
        Ok(true)
    }
}

/// Puts the outputs of an instruction into their slots.
fn put(run: &Run, outputs: Outputs, execution: &mut Execution<'_>) {
    let first = run.first_output as usize;
    for (slot, value) in execution.slots[first..first + run.outputs as usize].iter_mut().zip(outputs) {
        *slot = Some(value);
    }
}

/// Which of the instructions that may wait have not ended, though the order has reached them.
struct Unfinished<'a> {
    wait_sets: &'a WaitSets,
    set: SmallVec<[u64; 2]>,
}

impl<'a> Unfinished<'a> {
    fn new(wait_sets: &'a WaitSets) -> Unfinished<'a> {
        Unfinished { wait_sets, set: SmallVec::from_elem(0, wait_sets.words()) }
    }

    /// Returns whether an instruction must wait for one of them.
    fn holds_up(&self, instruction: usize) -> bool {
        self.set.iter().zip(self.wait_sets.after(instruction)).any(|(s, a)| s & a != 0)
    }

    /// Notes that an instruction could not begin, or has begun and waits.
    fn insert(&mut self, instruction: usize) {
        if let Some(bit) = self.wait_sets.bit(instruction) {
            self.set[bit as usize / 64] |= 1 << (bit % 64);
        }
    }

    fn remove(&mut self, instruction: usize) {
        if let Some(bit) = self.wait_sets.bit(instruction) {
            self.set[bit as usize / 64] &= !(1 << (bit % 64));
        }
    }

    fn is_empty(&self) -> bool {
        self.set.iter().all(|&s| s == 0)
    }
}

/// Instructions behind one that waits are postponed; the others go on.
pub(crate) struct Suspended<'a> {
    unfinished: Unfinished<'a>,
    /// Instructions that must wait for others, in order.
    postponed: Vec<usize>,
    begun: Vec<(usize, Begun<'a>)>,
    /// The instruction that runs or is polled.
    current: usize,
    /// The instructions that the order has not reached.
    ahead: Range<usize>,
    /// Number of rings of the step's bell that were heard.
    heard: u64,
}

impl<'a> Suspended<'a> {
    /// Runs what can run of a part; returns None if that is all of it.
    pub fn begin(
        execution: &mut Execution<'a>,
        wait_sets: &'a WaitSets,
        part: Range<usize>,
    ) -> Result<Option<Suspended<'a>>> {
        let unfinished = Unfinished::new(wait_sets);
        let (postponed, begun) = (Vec::new(), Vec::new());
        let mut rest = Suspended { unfinished, postponed, begun, current: 0, ahead: part, heard: 0 };
        match rest.pass(execution) {
            Ok(()) if rest.unfinished.is_empty() => Ok(None),
            Ok(()) => Ok(Some(rest)),
            Err(e) => Err(rest.fail(e, execution)),
        }
    }

    /// Goes on with what waits no longer, and with what was postponed for it, until everything waits. Returns True if all has
    /// ended.
    pub fn advance(&mut self, execution: &mut Execution<'a>) -> Result<bool> {
        while self.collect(execution)? {
            let mut again = std::mem::take(&mut self.postponed).into_iter();
            for k in again.by_ref() {
                if let Err(e) = self.attempt(k, execution) {
                    self.postponed.extend(again);
                    return Err(e);
                }
            }
        }
        Ok(self.unfinished.is_empty())
    }

    /// Runs the rest of the part; the thread sleeps while nothing can go on.
    pub fn finish(mut self, execution: &mut Execution<'a>) -> Result<()> {
        self.run_to_end(execution).map_err(|e| self.fail(e, execution))
    }

    /// Ends the step after a failure: runs what comes neither after it nor after what still waits. Returns the failure to
    /// report.
    fn fail(&self, failure: Status, execution: &mut Execution<'a>) -> Status {
        self.each_offloaded(&mut |work| work.cancel());
        let ended = self.begun.iter().map(|(k, _)| *k).chain([self.current]);
        execution.run_independent(ended, self.postponed.iter().copied().chain(self.ahead.clone()));
        self.settle(failure, execution.step, execution.interrupts)
    }

    fn run_to_end(&mut self, execution: &mut Execution<'a>) -> Result<()> {
        let step = execution.step;
        let mut are_checked = false;
        while !self.advance(execution)? {
            if !std::mem::replace(&mut are_checked, true) {
                self.check_variables(execution)?;
            }
            // Outcomes are collected before the step may be cancelled, so that a value taken for this step is not lost.
            if let Err(e) = execution.interrupts.check().and_then(|()| step.cancellation.check()) {
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

    /// Fails if a variable has no value that is only read after what waits. As in TF 1.x, the program learns of it at once,
    /// unless the read itself comes after something.
    fn check_variables(&self, execution: &Execution<'a>) -> Result<()> {
        for &k in &self.postponed {
            if let Instruction::Load { variable, via, is_free: true, .. } = &execution.plan.instructions[k]
                && !variable.is_temporary()
                && !variable.is_initialized()
            {
                return Err(without_value(execution.plan, variable, *via));
            }
        }
        Ok(())
    }

    /// Returns the failure of a step that is cancelled meanwhile.
    pub fn cancelled(&self) -> Option<Status> {
        self.begun.iter().find_map(|(_, begun)| begun.cancelled())
    }

    /// Cancels the work on other threads after a failure, and waits until it has ended: nothing may run once the step
    /// has ended. After an interrupt, code of the program may run for `GRACE`. Then the step ends without it, and its
    /// outcome is dropped.
    ///
    /// Returns the failure to report: of several, that of the instruction that is first in the plan's order.
    pub fn settle(&self, failure: Status, step: &Step<'_>, interrupts: &Interrupts<'_>) -> Status {
        self.each_offloaded(&mut |work| work.cancel());
        let (mut heard, mut interrupted) = (0, None);
        loop {
            let (mut runs, mut must_end) = (false, false);
            self.each_offloaded(&mut |work| {
                runs |= !work.has_ended();
                must_end |= !work.has_ended() && !work.may_hang();
            });
            if !runs {
                break;
            }
            // The step fails anyway; an interrupt only shortens the wait.
            let _ = interrupts.check();
            if interrupts.is_interrupted() && !must_end {
                let since: Instant = *interrupted.get_or_insert_with(Instant::now);
                if since.elapsed() >= GRACE {
                    break;
                }
            }
            step.cancellation.bell().wait(&mut heard, PERIOD);
        }
        if step.cancellation.is_cancelled() || interrupts.is_over() {
            return failure;
        }
        match self.first_failure() {
            Some((k, other)) if k < self.current => other,
            _ => failure,
        }
    }

    fn each_offloaded(&self, visit: &mut dyn FnMut(&Offloaded)) {
        for (_, begun) in &self.begun {
            match &begun.remaining {
                Remaining::Kernel(_) => {}
                Remaining::Offloaded(work) => visit(work),
                Remaining::Loop(iterations) => {
                    if let Some(inner) = iterations.suspended() {
                        inner.each_offloaded(visit);
                    }
                }
            }
        }
    }

    /// Returns the failure of what ran on another thread which is first in the plan's order, and its instruction.
    fn first_failure(&self) -> Option<(usize, Status)> {
        let failure = |begun: &Begun<'_>| -> Option<Status> {
            let failure = match &begun.remaining {
                Remaining::Kernel(_) => None,
                Remaining::Offloaded(work) => work.failure(),
                Remaining::Loop(iterations) => iterations.suspended()?.first_failure().map(|(_, e)| e),
            };
            Some(failure?.at_node(begun.run.node.id))
        };
        let failures = self.begun.iter().filter_map(|(k, begun)| Some((*k, failure(begun)?)));
        failures.min_by_key(|(k, _)| *k)
    }

    /// Runs what can run of the instructions ahead.
    fn pass(&mut self, execution: &mut Execution<'a>) -> Result<()> {
        let mut groups = execution.groups(self.ahead.clone()).iter().peekable();
        while !self.ahead.is_empty() {
            // An instruction that has ended meanwhile may let one begin that blocks, too.
            if !self.begun.is_empty() && execution.step.cancellation.bell().rang(&mut self.heard) {
                self.advance(execution)?;
            }
            while groups.next_if(|group| group.range.start < self.ahead.start).is_some() {}
            if self.unfinished.is_empty()
                && let Some(group) = groups.next_if(|group| group.range.start == self.ahead.start)
            {
                self.ahead.start = group.range.end;
                execution.run_group(group).map_err(|failure| {
                    self.current = failure.first;
                    self.postponed.extend(failure.rest);
                    failure.error
                })?;
                continue;
            }
            // Only now: the next instruction must not be lost if one of the others has failed.
            if let Some(k) = self.ahead.next() {
                self.attempt(k, execution)?;
            }
        }
        Ok(())
    }

    /// Runs an instruction, or postpones it if it comes after one that waits.
    fn attempt(&mut self, k: usize, execution: &mut Execution<'a>) -> Result<()> {
        if self.unfinished.holds_up(k) {
            self.unfinished.insert(k);
            self.postponed.push(k);
            return Ok(());
        }
        self.unfinished.remove(k);
        self.current = k;
        if let Some(begun) = execution.execute_timed(k)? {
            self.unfinished.insert(k);
            self.begun.push((k, begun));
        }
        Ok(())
    }

    /// Takes the outputs of instructions that have ended. Returns True if there were any.
    fn collect(&mut self, execution: &mut Execution<'a>) -> Result<bool> {
        let mut ended = false;
        let mut i = 0;
        while let Some((k, begun)) = self.begun.get_mut(i) {
            self.current = *k;
            let id = begun.run.node.id;
            if begun.advance(execution).map_err(|e| e.at_node(id))? {
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
