//! Runs a plan's instructions in order on the calling thread.

use crate::plan::{Input, Instruction, Plan, Run};
use crate::pulse::Pulse;
use crate::trace::{Event, Trace};
use ferroflow_graph::{KernelContext, Step, Variables};
use ferroflow_tensor::threads::watched;
use ferroflow_tensor::{Result, Status, Tensor};
use parking_lot::Mutex;
use smallvec::SmallVec;

/// The values of one execution.
pub(crate) type Frame = Vec<Option<Tensor>>;

/// Idle frames of a plan: a step of a small graph should not allocate.
#[derive(Default)]
pub(crate) struct Frames(Mutex<Vec<Frame>>);

impl Frames {
    fn acquire(&self, slots: usize) -> Frame {
        let mut frame = self.0.lock().pop().unwrap_or_default();
        frame.resize(slots, None);
        frame
    }

    fn recycle(&self, mut frame: Frame) {
        frame.clear();
        let mut idle = self.0.lock();
        if idle.len() < 8 {
            idle.push(frame);
        }
    }
}

fn missing(node: &str) -> Status {
    Status::internal(format!("a value that {node} reads was not computed"))
}

fn fetch_input(plan: &Plan, frame: &mut Frame, input: Input, reader: &str) -> Result<Tensor> {
    match input {
        Input::Slot { slot, take } => {
            let value = &mut frame[slot as usize];
            let value = if take { value.take() } else { value.clone() };
            value.ok_or_else(|| missing(reader))
        }
        Input::Constant(c) => Ok(plan.constants[c as usize].clone()),
        Input::Handle => Ok(Tensor::scalar(false)),
    }
}

fn run(plan: &Plan, run: &Run, frame: &mut Frame, step: &Step<'_>) -> Result<()> {
    let mut inputs: SmallVec<[Tensor; 4]> = SmallVec::new();
    for &input in &run.inputs {
        inputs.push(fetch_input(plan, frame, input, &run.node.name)?);
    }
    let first = run.first_output as usize;
    let outputs = &mut frame[first..first + run.outputs as usize];
    let variables = Variables { handles: &run.handles, wanted: run.wanted, written: SmallVec::new() };
    let mut ctx = KernelContext::new(step, &run.node, &mut inputs, outputs, variables);
    run.kernel.compute(&mut ctx)?;
    if run.wanted != 0 {
        for (position, value) in ctx.into_written() {
            for &(k, slot) in &run.version_slots {
                if k == position {
                    frame[slot as usize] = Some(value.clone());
                }
            }
        }
    }
    if run.dead_outputs != 0 {
        for i in 0..run.outputs.min(64) {
            if run.dead_outputs >> i & 1 == 1 {
                frame[first + i as usize] = None;
            }
        }
    }
    Ok(())
}

/// Runs the plan; values of fetches in order.
pub(crate) fn execute(
    plan: &Plan,
    frames: &Frames,
    feeds: SmallVec<[Tensor; 4]>,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    trace: Option<&mut Trace>,
) -> Result<Vec<Tensor>> {
    let mut frame = frames.acquire(plan.slots);
    for (slot, feed) in frame.iter_mut().zip(feeds) {
        *slot = Some(feed);
    }
    // A long kernel is left between two of its tasks; its half-made results never go further than the next check.
    let stop = || {
        if let Err(reason) = pulse.check() {
            step.cancellation.cancel(reason);
        }
        step.cancellation.is_cancelled()
    };
    let ran = watched(&stop, || instructions(plan, &mut frame, step, pulse, trace));
    // A kernel that was left half done may also have failed for that: the reason for leaving it is what counts.
    let result = step.cancellation.check().and(ran).and_then(|()| {
        plan.fetches.iter().map(|&f| fetch_input(plan, &mut frame, f, "a fetch")).collect::<Result<Vec<_>>>()
    });
    frames.recycle(frame);
    result
}

fn instructions(
    plan: &Plan,
    frame: &mut Frame,
    step: &Step<'_>,
    pulse: &Pulse<'_>,
    mut trace: Option<&mut Trace>,
) -> Result<()> {
    for instruction in &plan.instructions {
        match instruction {
            Instruction::Load { variable, slot, via } => {
                let value = variable.read().ok_or_else(|| ferroflow_graph::uninitialized(variable).at_node(*via))?;
                if let Some(slot) = slot {
                    frame[*slot as usize] = Some(value);
                }
            }
            Instruction::Run(instruction) => {
                pulse.check()?;
                step.cancellation.check().map_err(|e| e.at_node(instruction.node.id))?;
                let start = trace.as_ref().map(|t| t.began.elapsed());
                run(plan, instruction, frame, step).map_err(|e| e.at_node(instruction.node.id))?;
                if let (Some(trace), Some(start)) = (trace.as_deref_mut(), start) {
                    let nodes = instruction.computes.clone();
                    trace.events.push(Event { nodes, start, end: trace.began.elapsed() });
                }
            }
        }
    }
    Ok(())
}
