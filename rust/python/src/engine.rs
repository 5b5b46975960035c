//! `Engine`: what runs a session's steps, in this process alone or at the tasks of a cluster.

use crate::error::caught;
use crate::exit::{Stay, is_main_thread, stay_if_exiting};
use crate::lender;
use ferroflow_cluster::{Master, Planned as ClusterPlanned};
use ferroflow_plan::{Placed, Request};
use ferroflow_runtime::{Poll, Prepared, RunOptions, Session, StepOutcome};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Result, Shape, Status, Tensor, with_denormals};
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub enum Engine {
    Local(Box<Session>),
    Cluster(Arc<Master>),
}

/// A planned request.
#[derive(Clone)]
pub enum Planned {
    Local(Arc<Prepared>),
    Cluster(Arc<ClusterPlanned>),
}

impl Planned {
    /// Returns version of the graph that was planned.
    #[inline]
    pub fn graph_version(&self) -> u64 {
        match self {
            Planned::Local(p) => p.graph_version,
            Planned::Cluster(p) => p.graph_version,
        }
    }

    /// Returns the step's nodes with their devices.
    pub fn placement(&self) -> &[Placed] {
        match self {
            Planned::Local(p) => p.placement(),
            Planned::Cluster(p) => p.placement(),
        }
    }
}

impl Engine {
    /// Returns the plan of a request; `poll` is called while a task is waited for.
    pub fn prepare(&self, request: &Request, poll: &Poll<'_>) -> Result<Planned> {
        match self {
            Engine::Local(session) => session.prepare(request).map(Planned::Local),
            Engine::Cluster(master) => master.prepare(request, Some(poll)).map(Planned::Cluster),
        }
    }

    /// Returns the plan of a request as text, one line for each instruction.
    ///
    /// It is the plan for feeds of `shapes`, if they are given and such a plan can be made.
    ///
    /// Errors: those of `prepare`; `Unimplemented` for a session with a target.
    pub fn dump(&self, request: &Request, shapes: Option<&[Shape]>) -> Result<String> {
        match self {
            Engine::Local(session) => session.dump(request, shapes),
            Engine::Cluster(_) => Err(Status::unimplemented("The plan of a session with a target cannot be shown")),
        }
    }

    #[inline]
    pub fn run(
        &self,
        planned: &Planned,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions<'_>,
    ) -> Result<StepOutcome> {
        match (self, planned) {
            (Engine::Local(session), Planned::Local(p)) => session.run(p, values, options),
            (Engine::Cluster(master), Planned::Cluster(p)) => master.run(p, values, options),
            _ => Err(Status::internal("a plan that belongs to another session")),
        }
    }

    /// Returns full names of the devices of all tasks, by a request to each.
    pub fn device_names(&self, poll: &Poll<'_>) -> Result<Vec<String>> {
        match self {
            Engine::Local(session) => Ok(session.devices().names()),
            Engine::Cluster(master) => master.device_names(Some(poll)),
        }
    }

    /// Returns the names of the devices as steps' placements number them.
    pub fn step_device_names(&self, poll: &Poll<'_>) -> Result<Vec<String>> {
        match self {
            Engine::Local(session) => Ok(session.devices().names()),
            Engine::Cluster(master) => master.step_device_names(Some(poll)),
        }
    }

    pub fn close(&self) {
        match self {
            Engine::Local(session) => session.close(),
            Engine::Cluster(master) => master.close(),
        }
    }

    #[inline]
    pub fn is_closed(&self) -> bool {
        match self {
            Engine::Local(session) => session.is_closed(),
            Engine::Cluster(master) => master.is_closed(),
        }
    }
}

/// Counts the checks that steps make from now on, and ends the step that makes number `n`, counted from 1, with a
/// DeadlineExceededError. For tests.
#[pyfunction]
pub fn interrupt_at(n: u32) {
    ferroflow_runtime::interrupt_at(n);
}

/// Makes sessions run instructions side by side as if each took this time, in nanoseconds, from their first step on; 0: they
/// measure it. For tests.
#[pyfunction]
pub fn assume_time(nanoseconds: u64) {
    ferroflow_runtime::assume_time(nanoseconds);
}

/// Ends the counting that `interrupt_at` began; returns `n` less the checks that were made. For tests.
#[pyfunction]
pub fn checks_left() -> i64 {
    ferroflow_runtime::checks_left()
}

/// The time at which a call must end.
pub struct Limit(Option<Instant>);

impl Limit {
    /// Returns the limit in that many milliseconds from now; 0: never.
    #[inline]
    pub fn after_ms(ms: u64) -> Limit {
        Limit((ms > 0).then(|| Instant::now() + Duration::from_millis(ms)))
    }
}

/// Runs `f` without the GIL. It should call its argument now and then, which checks for signals and the limit.
///
/// Errors: what a signal handler raised; else the exception that `error` makes of a failure.
#[inline]
pub fn with_poll<T: Send>(
    py: Python<'_>,
    limit: Limit,
    f: impl FnOnce(&Poll<'_>) -> Result<T> + Send,
    error: impl Fn(Status) -> PyErr,
) -> PyResult<T> {
    let _stay = Stay::begin(py);
    let ended = caught(|| {
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let result = py.detach(|| {
            let poll = || {
                if limit.0.is_some_and(|d| Instant::now() > d) {
                    return Err(Status::deadline_exceeded("Timed out waiting for notification"));
                }
                stay_if_exiting();
                // Python runs signal handlers on its main thread only: other threads need not take its lock for them.
                let looked = match is_main_thread() {
                    Ok(true) => Python::attach(|py| with_denormals(|| py.check_signals())),
                    other => other.map(|_| ()),
                };
                looked.map_err(|e| {
                    *raised.lock() = Some(e);
                    Status::cancelled("interrupted by a signal")
                })
            };
            // The closure lives on this stack frame and the call ends before it does.
            let result = f(&poll);
            stay_if_exiting();
            result
        });
        lender::release(py);
        match (result, raised.into_inner()) {
            (_, Some(e)) => Err(e),
            (Ok(value), None) => Ok(value),
            (Err(e), None) => Err(error(e)),
        }
    });
    ended.unwrap_or_else(|e| Err(error(e)))
}
