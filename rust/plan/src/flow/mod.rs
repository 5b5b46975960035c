//! Conditionals and loops: under which predicates a node runs, and which loop it belongs to.
//!
//! A graph holds TF1's own form of control flow (Switch, Merge, Enter, Exit, NextIteration, LoopCond). A plan has
//! structure instead. A node behind a Switch is guarded by the predicate. The nodes between the Enters and Exits of a
//! frame are the plan of a loop.

mod frames;
mod guards;

pub(crate) use frames::{FrameId, Frames, ROOT, order};
pub(crate) use guards::{ALWAYS, GuardId, Guards, Literal};
