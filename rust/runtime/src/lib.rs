//! The session: prunes and plans a step, executes it, keeps variables and kernels between steps, cancels.

mod execute;
mod optimize;
mod placement;
mod plan;
mod prune;
mod schedule;
mod session;
mod trace;
mod versions;

pub use placement::Devices;
pub use session::{RunOptions, Session, SessionOptions, StepOutcome};
pub use trace::{Event, Trace};
