//! `Home`: what the nodes of one task find, where a session runs the nodes of several.

use crate::functions::SessionFunctions;
use ferroflow_graph::{Functions, Resources, Step};
use std::sync::Arc;

/// The state and the functions of a task's nodes.
pub(crate) struct Home {
    pub resources: Arc<Resources>,
    pub callable: Arc<dyn Functions>,
}

impl Home {
    pub fn new(resources: Arc<Resources>, functions: SessionFunctions) -> Home {
        Home { resources, callable: Arc::new(functions) }
    }

    /// A step as the task's nodes see it.
    pub fn step<'a>(&'a self, step: &Step<'a>) -> Step<'a> {
        Step {
            threads: step.threads,
            cancellation: step.cancellation,
            resources: &self.resources,
            functions: &self.callable,
            rendezvous: step.rendezvous,
        }
    }
}
