//! Runs a plan's instructions in order on the calling thread.

use crate::aside::Aside;
use crate::iterations::Iterations;
use crate::overlap::Overlap;
use crate::plan::{Input, Instruction, Plan, Run, Test, Tests, Work};
use crate::pulse::Pulse;
use crate::trace::Trace;
use crate::waiting::{Begun, Remaining, Waiting};
use crate::waits::Part;
use ferroflow_graph::{Blocking, Kernel, KernelContext, Step, Variables};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{Interrupted, ensure_stack, is_watched, stopped, unwatched, watched};
use ferroflow_tensor::{Code, Result, Status, Tensor, bail};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The values of one execution, by slot.
pub(crate) type Slots = Vec<Option<Tensor>>;

/// What finished executions of a plan left, emptied: a step of a small graph should not allocate.
#[derive(Default)]
pub(crate) struct IdleSlots(Mutex<Vec<Slots>>);

impl IdleSlots {
    pub fn acquire(&self, count: usize) -> Slots {
        let mut slots = self.0.lock().pop().unwrap_or_default();
        slots.resize(count, None);
        slots
    }

    pub fn recycle(&self, mut slots: Slots) {
        slots.clear();
        let mut idle = self.0.lock();
        if idle.len() < 8 {
            idle.push(slots);
        }
    }
}

/// The error of a reader that finds nothing in a slot.
#[cold]
fn missing(plan: &Plan, slot: u32, node: &str) -> Status {
    match plan.versions.iter().find(|(s, ..)| *s == slot) {
        Some((_, variable, via)) => variable.uninitialized().at_node(*via),
        None => Status::internal(format!("a value that {node} reads was not computed")),
    }
}

/// Puts the value of an input at the end of `to`: from its slot to its place in one move.
#[inline(always)]
pub(crate) fn push_value(
    plan: &Plan,
    slots: &mut Slots,
    input: Input,
    reader: &str,
    to: &mut SmallVec<[Tensor; 4]>,
) -> Result<()> {
    match input {
        Input::Slot { slot, take } => {
            // Two ways to one place: a value that meets another on the way is copied once more.
            match &mut slots[slot as usize] {
                None => return Err(missing(plan, slot, reader)),
                Some(held) if !take => to.push(held.clone()),
                held => to.extend(held.take()),
            }
        }
        Input::Constant(c) => to.push(plan.constants[c as usize].clone()),
        Input::Handle => to.push(Tensor::scalar(false)),
    }
    Ok(())
}

/// The value of an input.
pub(crate) fn value(plan: &Plan, slots: &mut Slots, input: Input, reader: &str) -> Result<Tensor> {
    match input {
        Input::Slot { slot, take } => {
            let value = &mut slots[slot as usize];
            let value = if take { value.take() } else { value.clone() };
            value.ok_or_else(|| missing(plan, slot, reader))
        }
        Input::Constant(c) => Ok(plan.constants[c as usize].clone()),
        Input::Handle => Ok(Tensor::scalar(false)),
    }
}

/// Whether all tests hold now.
fn hold(plan: &Plan, tests: &[Test], slots: &Slots, reader: &str) -> Result<bool> {
    for test in tests {
        let holds = match *test {
            Test::Never => false,
            Test::Present(slot) => slots[slot as usize].is_some(),
            Test::Is(input, value) => {
                let predicate = match input {
                    Input::Slot { slot, .. } => slots[slot as usize].as_ref(),
                    Input::Constant(c) => Some(&plan.constants[c as usize]),
                    Input::Handle => None,
                };
                match predicate {
                    Some(p) => truth(p, reader)? == value,
                    None => false,
                }
            }
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The value of a predicate, which must be a scalar.
pub(crate) fn truth(value: &Tensor, reader: &str) -> Result<bool> {
    if value.rank() != 0 {
        return Err(not_a_predicate(value, reader));
    }
    value.to_scalar::<bool>()
}

#[cold]
fn not_a_predicate(value: &Tensor, reader: &str) -> Status {
    Status::invalid_argument(format!(
        "The second input must be a scalar, but it has shape {} (the predicate of {reader})",
        value.shape()
    ))
}

/// What a node that does not run leaves behind: the variables it would have written stay as they are.
fn skip(run: &Run, slots: &mut Slots) {
    for &(k, slot) in &run.version_slots {
        if let Some(Some(variable)) = run.handles.get(k) {
            slots[slot as usize] = variable.read();
        }
    }
    for slot in run.first_output..run.first_output + run.outputs {
        slots[slot as usize] = None;
    }
}

/// Hands on the input that has a value.
fn merge(plan: &Plan, run: &Run, tests: &[Tests], slots: &mut Slots) -> Result<()> {
    let mut chosen = None;
    // All tests come before any value is taken: a predicate may be a value, too.
    let mut held: SmallVec<[bool; 4]> = SmallVec::new();
    for tests in tests {
        held.push(hold(plan, tests, slots, &run.node.name)?);
    }
    for (i, (&input, held)) in run.inputs.iter().zip(held).enumerate() {
        let is_chosen = chosen.is_none() && held;
        let value = match input {
            Input::Slot { slot, take: true } => slots[slot as usize].take(),
            Input::Slot { slot, take: false } => slots[slot as usize].clone(),
            other => Some(value(plan, slots, other, &run.node.name)?),
        };
        if is_chosen {
            chosen = value.map(|v| (i, v));
        }
    }
    let first = run.first_output as usize;
    let (value, index) = match chosen {
        Some((i, value)) => (Some(value), Some(Tensor::scalar(i as i32))),
        None => (None, None),
    };
    slots[first] = value.filter(|_| run.dead_outputs & 1 == 0);
    slots[first + 1] = index.filter(|_| run.dead_outputs & 2 == 0);
    Ok(())
}

/// Runs an instruction, or begins it where it has to wait.
fn run<'a>(
    plan: &Plan,
    run: &'a Run,
    slots: &mut Slots,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    trace: Option<&mut Trace>,
) -> Result<Option<Remaining<'a>>> {
    match &run.work {
        Work::Kernel(kernel) => compute(plan, run, &**kernel, None, slots, step),
        Work::Blocking(kernel, overlap) => block(plan, run, &**kernel, overlap, slots, step),
        Work::Merge(tests) => merge(plan, run, tests, slots).map(|()| None),
        Work::Loop(l) => {
            ensure_stack("Loops")?;
            let mut inputs: SmallVec<[Tensor; 4]> = SmallVec::new();
            for &input in run.inputs.iter().take(l.inputs) {
                push_value(plan, slots, input, &run.node.name, &mut inputs)?;
            }
            if let (Some(registers), None) = (&l.registers, &trace)
                && let Some(left) = registers.run(&mut inputs, step, pulse)?
            {
                for (slot, value) in slots[run.first_output as usize..].iter_mut().zip(left) {
                    *slot = Some(value);
                }
                return Ok(None);
            }
            let mut iterations = Iterations::begin(run, l, inputs);
            match iterations.advance(step, pulse, trace) {
                Ok(true) => iterations.finish(slots).map(|()| None),
                Ok(false) => Ok(Some(Remaining::Loop(Box::new(iterations)))),
                Err(e) => Err(iterations.settle(e, step, pulse)),
            }
        }
    }
}

/// Runs a kernel that blocks, on another thread where that is worth it.
#[cold]
fn block<'a>(
    plan: &Plan,
    run: &'a Run,
    kernel: &dyn Kernel,
    overlap: &Arc<Overlap>,
    slots: &mut Slots,
    step: &Step<'_>,
) -> Result<Option<Remaining<'a>>> {
    if overlap.leaves() {
        return compute(plan, run, kernel, Some(overlap), slots, step);
    }
    let began = Instant::now();
    let ended = compute(plan, run, kernel, None, slots, step);
    overlap.note(began.elapsed());
    ended
}

/// Runs a kernel; with `aside`, what blocks of it on another thread.
#[inline(always)]
fn compute<'a>(
    plan: &Plan,
    run: &'a Run,
    kernel: &dyn Kernel,
    aside: Option<&Arc<Overlap>>,
    slots: &mut Slots,
    step: &Step<'_>,
) -> Result<Option<Remaining<'a>>> {
    let mut inputs: SmallVec<[Tensor; 4]> = SmallVec::new();
    for &input in &run.inputs {
        push_value(plan, slots, input, &run.node.name, &mut inputs)?;
    }
    let first = run.first_output as usize;
    let outputs = &mut slots[first..first + run.outputs as usize];
    let variables = Variables { handles: &run.handles, wanted: run.wanted, written: SmallVec::new() };
    let away;
    let step = match &run.home {
        None => step,
        Some(home) => {
            away = home.step(step);
            &away
        }
    };
    let mut ctx = KernelContext::new(step, &run.node, &mut inputs, outputs, variables);
    if aside.is_some() {
        ctx.take_work_aside();
    }
    if run.runs_whole {
        unwatched(|| kernel.compute(&mut ctx))?;
    } else {
        kernel.compute(&mut ctx)?;
    }
    if let Some(overlap) = aside
        && let Some(work) = ctx.take_work()
    {
        let how = run.node.op.blocking.unwrap_or(Blocking::Code);
        return Ok(Some(Remaining::Aside(Aside::begin(work, how, overlap, step.cancellation.bell())?)));
    }
    if let Some(pending) = ctx.take_pending() {
        return Ok(Some(Remaining::Kernel(pending)));
    }
    if run.wanted != 0 {
        for (position, value) in ctx.into_written() {
            for &(k, slot) in &run.version_slots {
                if k == position {
                    slots[slot as usize] = Some(value.clone());
                }
            }
        }
    }
    Ok(None)
}

/// Values that nobody reads live no longer than their making.
fn drop_unread(run: &Run, slots: &mut Slots) {
    if run.dead_outputs != 0 {
        for i in 0..run.outputs.min(64) {
            if run.dead_outputs >> i & 1 == 1 {
                slots[(run.first_output + i) as usize] = None;
            }
        }
    }
}

/// Runs the plan; values of fetches in order, None for those that nothing computed where `may_miss`.
pub(crate) fn execute(
    plan: &Plan,
    idle: &IdleSlots,
    feeds: SmallVec<[Tensor; 4]>,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    trace: Option<&mut Trace>,
    may_miss: bool,
) -> Result<Vec<Option<Tensor>>> {
    let mut slots = idle.acquire(plan.slots);
    for (slot, feed) in slots.iter_mut().zip(feeds) {
        *slot = Some(feed);
    }
    // A long kernel is left between two of its tasks, by an error that its `try_` loop gives.
    let stop = || {
        if let Err(reason) = pulse.check() {
            step.cancellation.cancel(reason);
        }
        step.cancellation.is_cancelled()
    };
    let ran = watched(&stop, || instructions(plan, 0..plan.instructions.len(), &mut slots, step, pulse, trace));
    finish(plan, idle, slots, step, ran, may_miss)
}

/// Runs the plan of a function until `closed` is set: the watch on the caller's step is kept, where there is one.
pub(crate) fn execute_within(
    plan: &Plan,
    idle: &IdleSlots,
    arguments: SmallVec<[Tensor; 4]>,
    step: &Step<'_>,
    closed: &AtomicBool,
) -> Result<Vec<Tensor>> {
    ensure_stack("Calls of functions")?;
    let mut slots = idle.acquire(plan.slots);
    for (slot, argument) in slots.iter_mut().zip(arguments) {
        *slot = Some(argument);
    }
    let poll = || if stopped() { step.cancellation.check() } else { Ok(()) };
    let pulse = Pulse::within(&poll, closed);
    let stop = || step.cancellation.is_cancelled() || closed.load(Ordering::Relaxed);
    let mut run = || instructions(plan, 0..plan.instructions.len(), &mut slots, step, &pulse, None);
    let ran = if is_watched() { run() } else { watched(&stop, run) };
    let ran = ran.and_then(|()| pulse.check());
    Ok(finish(plan, idle, slots, step, ran, false)?.into_iter().flatten().collect())
}

/// The values of the fetches, if all went well.
fn finish(
    plan: &Plan,
    idle: &IdleSlots,
    mut slots: Slots,
    step: &Step<'_>,
    ran: Result<()>,
    may_miss: bool,
) -> Result<Vec<Option<Tensor>>> {
    // Of a kernel that was interrupted, the reason for that is the failure that counts.
    let ended = match (step.cancellation.check(), ran) {
        // What waited says itself that it was cancelled.
        (Err(reason), Err(e))
            if (reason.code(), e.code()) == (Code::Cancelled, Code::Cancelled)
                && e.cause::<Interrupted>().is_none() =>
        {
            Err(e)
        }
        (ended, ran) => ended.and(ran),
    };
    let result = ended.and_then(|()| {
        let mut missing = vec![false; plan.fetches.len()];
        for (i, tests) in &plan.fetch_tests {
            missing[*i] = !hold(plan, tests, &slots, "a fetch")?;
            if missing[*i] && !may_miss {
                bail!(InvalidArgument, "Retval[{i}] does not have value");
            }
        }
        let mut fetch =
            |(&f, missing)| if missing { Ok(None) } else { value(plan, &mut slots, f, "a fetch").map(Some) };
        plan.fetches.iter().zip(missing).map(&mut fetch).collect::<Result<Vec<_>>>()
    });
    idle.recycle(slots);
    result
}

/// Runs a part of the plan to its end.
fn instructions(
    plan: &Plan,
    part: Part,
    slots: &mut Slots,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    mut trace: Option<&mut Trace>,
) -> Result<()> {
    match begin(plan, part, slots, step, pulse, trace.as_deref_mut())? {
        Some(waiting) => waiting.finish(slots, step, pulse, trace),
        None => Ok(()),
    }
}

/// Runs a part of the plan as far as it goes; what is left where something has to wait.
pub(crate) fn begin<'a>(
    plan: &'a Plan,
    part: Part,
    slots: &mut Slots,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    mut trace: Option<&mut Trace>,
) -> Result<Option<Waiting<'a>>> {
    if let Some(waits) = &plan.waits {
        return Waiting::begin(plan, waits, part, slots, step, pulse, trace);
    }
    for instruction in &plan.instructions[part] {
        if let Some(begun) = one(plan, instruction, slots, step, pulse, trace.as_deref_mut())? {
            return Err(Status::internal("an op that may not wait did").at_node(begun.run.node.id));
        }
    }
    Ok(None)
}

/// After an instruction: its place in the trace, and an end to values that nobody reads.
pub(crate) fn leave(run: &Run, start: Option<Duration>, slots: &mut Slots, trace: Option<&mut Trace>) {
    if let (Some(trace), Some(start)) = (trace, start) {
        let first = run.first_output as usize;
        trace.note(run.computes.clone(), start, &slots[first..first + run.outputs as usize]);
    }
    drop_unread(run, slots);
}

/// Runs an instruction whose tests hold; what has begun where it has to wait.
#[inline]
pub(crate) fn one<'a>(
    plan: &Plan,
    instruction: &'a Instruction,
    slots: &mut Slots,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    mut trace: Option<&mut Trace>,
) -> Result<Option<Begun<'a>>> {
    match instruction {
        Instruction::Load { variable, slot, via, required } => {
            let start = trace.as_ref().map(|t| t.began.elapsed());
            let value = variable.read();
            if value.is_none() && *required {
                return Err(variable.uninitialized().at_node(*via));
            }
            if let (Some(trace), Some(start)) = (trace, start) {
                trace.note(vec![*via], start, std::slice::from_ref(&value));
            }
            if let Some(slot) = slot {
                slots[*slot as usize] = value;
            }
            Ok(None)
        }
        Instruction::Depart => {
            if let Some(rendezvous) = step.rendezvous {
                rendezvous.depart()?;
            }
            Ok(None)
        }
        Instruction::Run(instruction) => {
            if !instruction.tests.is_empty() && !hold(plan, &instruction.tests, slots, &instruction.node.name)? {
                skip(instruction, slots);
                return Ok(None);
            }
            pulse.check()?;
            step.cancellation.check().map_err(|e| e.at_node(instruction.node.id))?;
            let start = trace.as_ref().map(|t| t.began.elapsed());
            let remaining = run(plan, instruction, slots, step, pulse, trace.as_deref_mut())
                .map_err(|e| e.at_node(instruction.node.id))?;
            if let Some(remaining) = remaining {
                return Ok(Some(Begun { run: instruction, remaining, start }));
            }
            leave(instruction, start, slots, trace);
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::{Cancellation, Resources, no_functions};
    use ferroflow_tensor::threads::Threads;

    #[test]
    fn what_ran_while_its_session_closed_is_not_handed_on() {
        // Nothing after its last kernel would notice: the plan has no instruction left.
        let plan = Plan {
            instructions: Vec::new(),
            waits: None,
            slots: 0,
            constants: vec![Tensor::scalar(3i32)],
            fetches: vec![Input::Constant(0)],
            fetch_tests: Vec::new(),
            versions: Vec::new(),
            placement: Vec::new(),
        };
        let cancellation = Cancellation::new();
        let resources = Resources::new();
        let step = Step {
            threads: Threads::single(),
            cancellation: &cancellation,
            resources: &resources,
            functions: no_functions(),
            rendezvous: None,
        };
        let run = |closed| {
            execute_within(&plan, &IdleSlots::default(), SmallVec::new(), &step, &AtomicBool::new(closed))
                .map(|values| values[0].to_scalar::<i32>())
        };
        assert_eq!(run(false).unwrap().unwrap(), 3);
        assert_eq!(run(true).unwrap_err().code(), Code::Cancelled);
    }
}
