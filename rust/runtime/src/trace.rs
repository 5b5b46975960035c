//! What ran when within a step.

use ferroflow_graph::NodeId;
use std::time::{Duration, Instant};

/// One node's execution, as time since the step began.
#[derive(Clone, Debug)]
pub struct Event {
    /// The graph nodes this execution computed: one, or several that were fused.
    pub nodes: Vec<NodeId>,
    pub start: Duration,
    pub end: Duration,
}

/// The executions of one step, in the order they began.
#[derive(Debug)]
pub struct Trace {
    pub began: Instant,
    pub events: Vec<Event>,
}

impl Trace {
    pub(crate) fn new() -> Trace {
        Trace { began: Instant::now(), events: Vec::new() }
    }
}
