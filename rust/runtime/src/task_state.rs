//! `TaskState`: the state and functions of one task, in a session that runs the nodes of several.

use ferroflow_graph::{Functions, Resources, Step};
use std::sync::Arc;

pub(crate) struct TaskState {
    pub resources: Arc<Resources>,
    pub functions: Arc<dyn Functions>,
}

impl TaskState {
    /// Returns a step as the task's nodes see it.
    pub fn step<'a>(&'a self, step: &Step<'a>) -> Step<'a> {
        Step {
            threads: step.threads,
            cancellation: step.cancellation,
            resources: &self.resources,
            locals: step.locals,
            functions: &self.functions,
            rendezvous: step.rendezvous,
        }
    }
}
