//! The session: executes plans, keeps variables and kernels between steps, cancels.

#![forbid(unsafe_code)]

mod execute;
mod execution;
mod functions;
mod independent;
mod interrupts;
mod lanes;
mod loops;
mod offloaded;
mod prepared;
mod scalar_loops;
mod session;
mod side_by_side;
mod slots;
mod suspended;
mod task_state;
mod trace;

pub use interrupts::{Poll, checks_left, interrupt_at};
pub use prepared::Prepared;
pub use session::{RunOptions, Session, SessionOptions, StepOutcome};
pub use side_by_side::assume_time;
pub use trace::{Event, Made, Trace};
