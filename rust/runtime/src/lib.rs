//! The session: prunes and plans a step, executes it, keeps variables and kernels between steps, cancels.

#![forbid(unsafe_code)]

mod aside;
mod draft;
mod execute;
mod flow;
mod functions;
mod home;
mod iterations;
mod loops;
mod optimize;
mod overlap;
mod partition;
mod placement;
mod plan;
mod prune;
mod pulse;
mod region;
mod registers;
mod roots;
mod schedule;
mod session;
mod trace;
mod versions;
mod waiting;
mod waits;

pub use partition::{Edge, EdgeSource, Part, PartNode, Split, assemble};
pub use placement::{Device, Devices, Placement, TaskDevices};
pub use prune::Request;
pub use pulse::{Poll, checks_left, interrupt_at};
pub use session::{Prepared, RunOptions, Session, SessionOptions, StepOutcome};
pub use trace::{Event, Made, Trace};
