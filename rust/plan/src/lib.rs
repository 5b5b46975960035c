//! Planning: turns a request on a graph into a `Plan`, a list of instructions over numbered slots that the runtime executes.
//!
//! A request passes through them in this order: `request` (prune), `placement`, `flow` (frames and guards), `regions`
//! (drafts, loop by loop). Then come `resolve`, `locks` and `versions` (the version for each reader), `optimize`, and `emit`
//! (order and instructions). `partition` cuts a request whose nodes run in several processes.

#![forbid(unsafe_code)]

mod accesses;
mod build;
mod context;
mod dependents;
mod draft;
mod draft_step;
mod dump;
mod emit;
mod flow;
mod forward;
mod lock_key;
mod locks;
mod optimize;
mod order;
mod overlap;
mod partition;
mod placement;
mod plan;
mod regions;
mod request;
mod resolve;
mod rewrites;
mod roots;
mod scalar_compiler;
mod scalar_loop;
mod side_by_side;
mod source;
mod span;
mod step_graph;
mod versions;
mod wait_sets;

pub use build::{ShapedPlan, build, build_for_shapes};
pub use context::{Context, KernelSource, PlanOptions, Tasks};
pub use dependents::{Blocked, Dependents};
pub use overlap::{Beside, Overlap};
pub use partition::{Edge, EdgeSource, Part, PartNode, Split, assemble, split};
pub use placement::{Device, Devices, Placement, TaskDevices};
pub use plan::{Input, Instruction, LoopPlan, Placed, Plan, Run, Test, Tests, Work};
pub use request::{Request, prune};
pub use rewrites::{Rewrite, Rewrites};
pub use scalar_loop::{Carried, ScalarLoop};
pub use side_by_side::{Group, Lane};
pub use wait_sets::WaitSets;
