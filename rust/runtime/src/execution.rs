//! `Execution`: runs a plan's instructions in order on the calling thread.

use crate::interrupts::Interrupts;
use crate::loops::Iterations;
use crate::offloaded::Offloaded;
use crate::scalar_loops::run_scalars;
use crate::side_by_side::Mode;
use crate::slots::{IdleSlots, Slots};
use crate::suspended::{Begun, Remaining, Suspended};
use crate::task_state::TaskState;
use crate::trace::Trace;
use ferroflow_graph::{Blocking, Kernel, KernelContext, Node, NodeId, Prepared, RefAccess, Step, Variable, Variables};
use ferroflow_plan::{Input, Instruction, LoopPlan, Overlap, Plan, Run, Test, Tests, Work};
use ferroflow_tensor::threads::{ensure_stack, unwatched};
use ferroflow_tensor::{Code, DType, Result, Shape, Status, Tensor};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One run of a plan: a step, a call of a function, or the iterations of a loop.
pub(crate) struct Execution<'a> {
    pub plan: &'a Plan,
    pub slots: Slots,
    pub step: &'a Step<'a>,
    pub interrupts: &'a Interrupts<'a>,
    pub trace: Option<&'a RefCell<Trace>>,
    /// The tasks whose nodes the session runs; empty if it has one.
    tasks: &'a [TaskState],
    pub idle: &'a IdleSlots,
    prepared: Vec<Prepared>,
    /// If True, this is a later iteration of a loop.
    pub is_repeated: bool,
    /// If True, an instruction has failed, and the others run on the calling thread.
    pub has_failed: bool,
    pub mode: Mode<'a>,
}

impl Drop for Execution<'_> {
    fn drop(&mut self) {
        self.idle.recycle(std::mem::take(&mut self.slots));
    }
}

impl<'a> Execution<'a> {
    /// Begins a run whose first slots have these values.
    pub fn begin(
        plan: &'a Plan,
        feeds: SmallVec<[Tensor; 4]>,
        idle: &'a IdleSlots,
        tasks: &'a [TaskState],
        step: &'a Step<'a>,
        interrupts: &'a Interrupts<'a>,
        trace: Option<&'a RefCell<Trace>>,
    ) -> Execution<'a> {
        let mut slots = idle.acquire(plan.slots);
        for (slot, feed) in slots.iter_mut().zip(feeds) {
            *slot = Some(feed);
        }
        let prepared = std::iter::repeat_with(|| None).take(plan.prepared).collect();
        let (is_repeated, has_failed, mode) = (false, false, Mode::InOrder);
        Execution { plan, slots, step, interrupts, trace, tasks, idle, prepared, is_repeated, has_failed, mode }
    }

    /// Begins the run of a lane: instructions that read these slots and need nothing prepared.
    pub fn of_lane(
        plan: &'a Plan,
        slots: Slots,
        idle: &'a IdleSlots,
        step: &'a Step<'a>,
        interrupts: &'a Interrupts<'a>,
    ) -> Execution<'a> {
        let (is_repeated, has_failed, mode) = (false, false, Mode::InOrder);
        let (trace, tasks, prepared) = (None, &[][..], Vec::new());
        Execution { plan, slots, step, interrupts, trace, tasks, idle, prepared, is_repeated, has_failed, mode }
    }

    /// Makes the instructions run as `mode` says.
    pub fn with_mode(mut self, mode: Mode<'a>) -> Execution<'a> {
        self.mode = mode;
        self
    }

    /// Begins the run of a loop in this one.
    pub fn nested(&self, plan: &'a Plan, inputs: SmallVec<[Tensor; 4]>) -> Execution<'a> {
        Execution::begin(plan, inputs, self.idle, self.tasks, self.step, self.interrupts, self.trace)
    }

    /// Runs all instructions; the thread sleeps while none can go on.
    pub fn run(&mut self) -> Result<()> {
        match self.run_part(0..self.plan.instructions.len())? {
            Some(suspended) => suspended.finish(self),
            None => Ok(()),
        }
    }

    /// Runs some of the instructions as far as they go; returns the others if something has to wait.
    pub fn run_part(&mut self, part: Range<usize>) -> Result<Option<Suspended<'a>>> {
        let plan = self.plan;
        if let Some(wait_sets) = &plan.wait_sets {
            return Suspended::begin(self, wait_sets, part);
        }
        let end = part.end;
        let mut next = part.start;
        for group in self.groups(part) {
            self.run_in_order(next..group.range.start, end)?;
            if let Err(failure) = self.run_group(group) {
                self.run_independent([failure.first], failure.rest.into_iter().chain(group.range.end..end));
                return Err(failure.error);
            }
            next = group.range.end;
        }
        self.run_in_order(next..end, end)?;
        Ok(None)
    }

    /// Runs instructions of a part that ends at `end`, one after the other.
    fn run_in_order(&mut self, section: Range<usize>, end: usize) -> Result<()> {
        for k in section {
            match self.execute_timed(k) {
                Ok(None) => {}
                Ok(Some(begun)) => {
                    return Err(Status::internal("an op that may not wait did").at_node(begun.run.node.id));
                }
                Err(e) => {
                    self.run_independent([k], k + 1..end);
                    return Err(e);
                }
            }
        }
        Ok(())
    }

    /// Executes instruction `k` as `execute` does, and notes its time if the mode says so.
    #[inline]
    pub fn execute_timed(&mut self, k: usize) -> Result<Option<Begun<'a>>> {
        let instruction = &self.plan.instructions[k];
        match self.mode {
            Mode::Timed(times) => times.measure(k, || self.execute(instruction)),
            Mode::InOrder | Mode::Tried(_) | Mode::Grouped(_) => self.execute(instruction),
        }
    }

    /// Returns the time since the trace began, in a traced step.
    fn now(&self) -> Option<Duration> {
        self.trace.map(|t| t.borrow().began.elapsed())
    }

    /// Executes an instruction if its tests hold; returns it if it has begun and has to wait.
    #[inline]
    pub fn execute(&mut self, instruction: &'a Instruction) -> Result<Option<Begun<'a>>> {
        match instruction {
            Instruction::Load { variable, slot, via, required, shape, .. } => {
                self.load(variable, *slot, *via, *required, shape.as_ref())?;
                Ok(None)
            }
            Instruction::Depart => {
                if let Some(rendezvous) = self.step.rendezvous {
                    rendezvous.depart()?;
                }
                Ok(None)
            }
            Instruction::Run(run) => {
                if run.runs_once && self.is_repeated {
                    return Ok(None);
                }
                if !run.tests.is_empty() && !self.hold(&run.tests, &run.node.name)? {
                    self.skip(run)?;
                    return Ok(None);
                }
                self.interrupts.check()?;
                self.step.cancellation.check().map_err(|e| e.at_node(run.node.id))?;
                let start = self.now();
                if let Some(remaining) = self.work(run).map_err(|e| e.at_node(run.node.id))? {
                    return Ok(Some(Begun { run, remaining, start }));
                }
                self.end(run, start);
                Ok(None)
            }
        }
    }

    fn load(
        &mut self,
        variable: &Arc<Variable>,
        slot: Option<u32>,
        via: NodeId,
        required: bool,
        shape: Option<&Shape>,
    ) -> Result<()> {
        let start = self.now();
        let value = variable.read_in_step(self.step.locals).map_err(|e| e.at_node(via))?;
        if value.is_none() && required {
            return Err(without_value(self.plan, variable, via));
        }
        if let (Some(shape), Some(value)) = (shape, &value)
            && shape != value.shape()
        {
            let message = format!(
                "Variable {} had a value of shape {shape} when the step began, and was given one of shape {} while it ran",
                variable.name,
                value.shape()
            );
            return Err(Status::new(Code::Aborted, message).at_node(via));
        }
        if let (Some(trace), Some(start)) = (self.trace, start) {
            trace.borrow_mut().note(vec![via], start, std::slice::from_ref(&value));
        }
        if let Some(slot) = slot {
            self.slots[slot as usize] = value;
        }
        Ok(())
    }

    /// Does an instruction's work, or begins it if it has to wait.
    fn work(&mut self, run: &'a Run) -> Result<Option<Remaining<'a>>> {
        match &run.work {
            Work::Kernel(kernel) => self.compute(run, &**kernel, None),
            Work::Blocking(kernel, overlap) => self.block(run, &**kernel, overlap),
            Work::Merge(tests) => self.merge(run, tests).map(|()| None),
            Work::Loop(l) => self.iterate(run, l),
        }
    }

    fn iterate(&mut self, run: &'a Run, l: &'a LoopPlan) -> Result<Option<Remaining<'a>>> {
        ensure_stack("Loops")?;
        let mut inputs: SmallVec<[Tensor; 4]> = SmallVec::new();
        for &input in run.inputs.iter().take(l.inputs) {
            self.push_value(input, &run.node.name, &mut inputs)?;
        }
        if let (Some(scalars), None) = (&l.scalars, self.trace)
            && let Some(left) = run_scalars(scalars, &mut inputs, self.step, self.interrupts)?
        {
            for (slot, value) in self.slots[run.first_output as usize..].iter_mut().zip(left) {
                *slot = Some(value);
            }
            return Ok(None);
        }
        let mut iterations = Iterations::begin(run, l, self.nested(&l.plan, inputs));
        match iterations.advance() {
            Ok(true) => iterations.finish(&mut self.slots).map(|()| None),
            Ok(false) => Ok(Some(Remaining::Loop(Box::new(iterations)))),
            Err(e) => Err(iterations.settle(e)),
        }
    }

    /// Runs a kernel that blocks, on another thread where that is worth it.
    #[cold]
    fn block(&mut self, run: &'a Run, kernel: &dyn Kernel, overlap: &Arc<Overlap>) -> Result<Option<Remaining<'a>>> {
        if !self.has_failed && overlap.leaves() {
            return self.compute(run, kernel, Some(overlap));
        }
        let began = Instant::now();
        let ended = self.compute(run, kernel, None);
        overlap.note(began.elapsed());
        ended
    }

    /// Runs a kernel. With `offload`, what blocks of it runs on another thread.
    #[inline(always)]
    fn compute(
        &mut self,
        run: &'a Run,
        kernel: &dyn Kernel,
        offload: Option<&Arc<Overlap>>,
    ) -> Result<Option<Remaining<'a>>> {
        let mut inputs: SmallVec<[Tensor; 4]> = SmallVec::new();
        for &input in &run.inputs {
            self.push_value(input, &run.node.name, &mut inputs)?;
        }
        let first = run.first_output as usize;
        let outputs = &mut self.slots[first..first + run.outputs as usize];
        let variables = Variables { handles: &run.handles, read_later: run.read_later, written: SmallVec::new() };
        let of_task;
        let step = match run.task.and_then(|task| self.tasks.get(task as usize)) {
            None => self.step,
            Some(task) => {
                of_task = task.step(self.step);
                &of_task
            }
        };
        let mut ctx = KernelContext::new(step, &run.node, &mut inputs, outputs, variables);
        if let Some(prepared) = run.prepared {
            ctx.set_prepared(self.prepared.get_mut(prepared as usize));
        }
        if offload.is_some() {
            ctx.offload_blocking_work();
        }
        if run.runs_whole {
            unwatched(|| kernel.compute(&mut ctx))?;
        } else {
            kernel.compute(&mut ctx)?;
        }
        if let Some(overlap) = offload
            && let Some(work) = ctx.take_work()
        {
            let how = run.node.op.blocking.unwrap_or(Blocking::Code);
            let offloaded = Offloaded::begin(work, how, overlap, step.cancellation.bell())?;
            return Ok(Some(Remaining::Offloaded(offloaded)));
        }
        if let Some(pending) = ctx.take_pending() {
            return Ok(Some(Remaining::Kernel(pending)));
        }
        if run.version_slots.is_empty() {
            return Ok(None);
        }
        if run.node.op.may_write_in_functions() {
            self.read_versions(run)?;
        } else {
            for (position, value) in ctx.into_written() {
                for &(k, slot) in &run.version_slots {
                    if k == position {
                        self.slots[slot as usize] = Some(value.clone());
                    }
                }
            }
        }
        Ok(None)
    }

    /// Forwards the input that has a value.
    fn merge(&mut self, run: &Run, tests: &[Tests]) -> Result<()> {
        let mut chosen = None;
        // All tests come before any value is taken: a predicate may be a value, too.
        let mut held: SmallVec<[bool; 4]> = SmallVec::new();
        for tests in tests {
            held.push(self.hold(tests, &run.node.name)?);
        }
        for (i, (&input, held)) in run.inputs.iter().zip(held).enumerate() {
            let is_chosen = chosen.is_none() && held;
            let value = match input {
                Input::Slot { slot, take: true } => self.slots[slot as usize].take(),
                Input::Slot { slot, take: false } => self.slots[slot as usize].clone(),
                other => Some(self.value(other, &run.node.name)?),
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
        self.slots[first] = value.filter(|_| run.dead_outputs & 1 == 0);
        self.slots[first + 1] = index.filter(|_| run.dead_outputs & 2 == 0);
        Ok(())
    }

    /// Puts the values that the variables of an instruction have now into the slots of the versions that it makes.
    pub fn read_versions(&mut self, run: &Run) -> Result<()> {
        for &(k, slot) in &run.version_slots {
            if let Some(Some(variable)) = run.handles.get(k) {
                let value = variable.read_in_step(self.step.locals).map_err(|e| e.at_node(run.node.id))?;
                self.slots[slot as usize] = value;
            }
        }
        Ok(())
    }

    /// Empties the outputs of a node that does not run; the variables it would have written stay as they are.
    fn skip(&mut self, run: &Run) -> Result<()> {
        self.read_versions(run)?;
        for slot in run.first_output..run.first_output + run.outputs {
            self.slots[slot as usize] = None;
        }
        Ok(())
    }

    /// Ends an instruction: records it in the trace, and drops outputs without a reader.
    pub fn end(&mut self, run: &Run, start: Option<Duration>) {
        if let (Some(trace), Some(start)) = (self.trace, start) {
            let first = run.first_output as usize;
            let outputs = &self.slots[first..first + run.outputs as usize];
            trace.borrow_mut().note(run.computes.clone(), start, outputs);
        }
        if run.dead_outputs != 0 {
            for i in 0..run.outputs.min(64) {
                if run.dead_outputs >> i & 1 == 1 {
                    self.slots[(run.first_output + i) as usize] = None;
                }
            }
        }
    }

    /// Returns whether all tests hold now.
    pub fn hold(&self, tests: &[Test], reader: &str) -> Result<bool> {
        for test in tests {
            let holds = match *test {
                Test::Never => false,
                Test::Present(slot) => self.slots[slot as usize].is_some(),
                Test::Is(input, value) => {
                    let predicate = match input {
                        Input::Slot { slot, .. } => self.slots[slot as usize].as_ref(),
                        Input::Constant(c) => Some(&self.plan.constants[c as usize]),
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

    /// Pushes the value of an input: from its slot to its place in one move.
    #[inline(always)]
    pub fn push_value(&mut self, input: Input, reader: &str, to: &mut SmallVec<[Tensor; 4]>) -> Result<()> {
        match input {
            Input::Slot { slot, take } => {
                // Each arm pushes by itself: a value that both arms made first would be moved through the stack once more.
                match &mut self.slots[slot as usize] {
                    None => return Err(missing(self.plan, slot, reader)),
                    Some(held) if !take => to.push(held.clone()),
                    held => to.extend(held.take()),
                }
            }
            Input::Constant(c) => to.push(self.plan.constants[c as usize].clone()),
            Input::Handle => to.push(Tensor::scalar(false)),
        }
        Ok(())
    }

    /// Returns the value of an input, as its owner if it is the slot's last reader.
    pub fn value(&mut self, input: Input, reader: &str) -> Result<Tensor> {
        match input {
            Input::Slot { slot, take } => {
                let value = &mut self.slots[slot as usize];
                let value = if take { value.take() } else { value.clone() };
                value.ok_or_else(|| missing(self.plan, slot, reader))
            }
            Input::Constant(c) => Ok(self.plan.constants[c as usize].clone()),
            Input::Handle => Ok(Tensor::scalar(false)),
        }
    }
}

/// Returns the error of a step that needs the value of a variable without one, which it gets through node `via`. If `via`
/// makes a handle, its readers determine the error: a plain read, if there is one.
#[cold]
pub(crate) fn without_value(plan: &Plan, variable: &Variable, via: NodeId) -> Status {
    let nodes = || plan.placement.iter().map(|placed| &placed.node);
    let is_handle = |n: &Node| n.outputs.first().is_some_and(|output| output.dtype == DType::Resource);
    let reads = |n: &&Arc<Node>| {
        n.op.takes_handles && n.op.ref_access == RefAccess::Read && n.inputs.iter().any(|input| input.node == via)
    };
    let reader = match nodes().any(|n| n.id == via && is_handle(n)) {
        true => nodes().filter(reads).max_by_key(|n| n.op.is_snapshot),
        false => None,
    };
    reader.map_or_else(|| variable.uninitialized(), |n| variable.missing_for(&n.op)).at_node(via)
}

/// Returns the error of a reader whose slot is empty.
#[cold]
fn missing(plan: &Plan, slot: u32, node: &str) -> Status {
    match plan.versions.iter().find(|(s, ..)| *s == slot) {
        Some((_, variable, via)) => without_value(plan, variable, *via),
        None => Status::internal(format!("a value that {node} reads was not computed")),
    }
}

/// Returns the value of a predicate, which must be a scalar.
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
