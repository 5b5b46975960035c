//! Executes whole plans: a step's, or a function's within a step.

use crate::execution::Execution;
use crate::interrupts::Interrupts;
use crate::slots::IdleSlots;
use ferroflow_graph::Step;
use ferroflow_plan::Plan;
use ferroflow_tensor::threads::{Interrupted, ensure_stack, is_watched, stopped, watched};
use ferroflow_tensor::{Code, Result, Tensor, bail, with_denormals_flushed};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};

/// Executes the plan of a step. Returns the values of the fetches in order, None for those without one if `may_miss`.
pub(crate) fn execute(mut execution: Execution<'_>, may_miss: bool) -> Result<Vec<Option<Tensor>>> {
    let (step, interrupts) = (execution.step, execution.interrupts);
    // A long kernel ends between two of its tasks, by the error of its `try_` loop.
    let stop = || {
        if let Err(reason) = interrupts.check() {
            step.cancellation.cancel(reason);
        }
        step.cancellation.is_cancelled()
    };
    let ran = with_denormals_flushed(|| watched(&stop, || execution.run()));
    finish(execution, ran, may_miss)
}

/// Executes the plan of a function until `closed` is set. The caller's watch stays, if its step has one.
pub(crate) fn execute_within(
    plan: &Plan,
    idle: &IdleSlots,
    arguments: SmallVec<[Tensor; 4]>,
    step: &Step<'_>,
    closed: &AtomicBool,
) -> Result<Vec<Tensor>> {
    ensure_stack("Calls of functions")?;
    let poll = || if stopped() { step.cancellation.check() } else { Ok(()) };
    let interrupts = Interrupts::within(&poll, closed);
    let mut execution = Execution::begin(plan, arguments, idle, &[], step, &interrupts, None);
    let stop = || step.cancellation.is_cancelled() || closed.load(Ordering::Relaxed);
    let mut run = || with_denormals_flushed(|| execution.run());
    let ran = if is_watched() { run() } else { watched(&stop, run) };
    let ran = ran.and_then(|()| interrupts.check());
    Ok(finish(execution, ran, false)?.into_iter().flatten().collect())
}

/// Returns the values of the fetches, if all went well.
fn finish(mut execution: Execution<'_>, ran: Result<()>, may_miss: bool) -> Result<Vec<Option<Tensor>>> {
    // A step whose kernel was interrupted fails for the reason of the interrupt.
    match (execution.step.cancellation.check(), ran) {
        // A suspended operation has a message of its own for its cancellation.
        (Err(reason), Err(e))
            if (reason.code(), e.code()) == (Code::Cancelled, Code::Cancelled)
                && e.cause::<Interrupted>().is_none() =>
        {
            Err(e)
        }
        (ended, ran) => ended.and(ran),
    }?;
    let plan = execution.plan;
    let mut missing = vec![false; plan.fetches.len()];
    for (i, tests) in &plan.fetch_tests {
        missing[*i] = !execution.hold(tests, "a fetch")?;
        if missing[*i] && !may_miss {
            bail!(InvalidArgument, "Retval[{i}] does not have value");
        }
    }
    let mut fetch = |(&f, missing)| if missing { Ok(None) } else { execution.value(f, "a fetch").map(Some) };
    plan.fetches.iter().zip(missing).map(&mut fetch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::{Cancellation, Resources, no_functions};
    use ferroflow_plan::Input;
    use ferroflow_tensor::threads::Threads;

    #[test]
    fn what_ran_while_its_session_closed_is_not_returned() {
        // Nothing after its last kernel would notice: the plan has no instruction left.
        let plan = Plan {
            instructions: Vec::new(),
            wait_sets: None,
            dependents: None,
            slots: 0,
            prepared: 0,
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
            locals: &resources,
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
