//! Queues: stores of elements that operations wait at, for room or for elements.

mod access;
mod barrier;
mod element;
mod inspect;
mod make;
mod state;
mod store;

use ferroflow_graph::Registry;

pub(crate) use element::Tuple;
pub(crate) use state::{Begun, Count, Queue, Waiting};

pub(crate) fn register(r: &mut Registry) {
    access::register(r);
    barrier::register(r);
    inspect::register(r);
    make::register(r);
}
