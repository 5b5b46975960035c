//! Times of the nodes within a step.

use ferroflow_graph::NodeId;
use ferroflow_tensor::{DType, Shape, Tensor};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A value that an execution made.
#[derive(Clone, Debug)]
pub struct Made {
    /// Which output of the node it is.
    pub slot: u32,
    pub dtype: DType,
    pub shape: Shape,
    pub bytes: usize,
}

impl Made {
    fn new(slot: u32, value: &Tensor) -> Made {
        Made { slot, dtype: value.dtype(), shape: value.shape().clone(), bytes: value.byte_size() }
    }
}

/// One node's execution, as time since the step began.
#[derive(Clone, Debug)]
pub struct Event {
    /// The graph nodes this execution computed: one, or several that were fused.
    pub nodes: Vec<NodeId>,
    pub start: Duration,
    pub end: Duration,
    /// Outputs of the last of the nodes that have values.
    pub made: Vec<Made>,
}

/// The executions of one step, in the order they began.
#[derive(Debug)]
pub struct Trace {
    pub began: Instant,
    /// Number of the thread that runs the step, from 1 in the order in which threads first traced one.
    pub thread: u32,
    pub events: Vec<Event>,
}

fn thread_number() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    thread_local!(static NUMBER: Cell<u32> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
        }
        number.get()
    })
}

impl Trace {
    pub(crate) fn new() -> Trace {
        Trace { began: Instant::now(), thread: thread_number(), events: Vec::new() }
    }

    /// Notes an execution that ends now. `values`: those of its outputs, in order.
    pub(crate) fn note(&mut self, nodes: Vec<NodeId>, start: Duration, values: &[Option<Tensor>]) {
        let end = self.began.elapsed();
        let made = values.iter().enumerate().filter_map(|(i, v)| Some(Made::new(i as u32, v.as_ref()?))).collect();
        self.events.push(Event { nodes, start, end, made });
    }
}
