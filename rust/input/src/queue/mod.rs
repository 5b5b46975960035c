//! Queues: stores of elements that operations wait at, for room or for elements.

mod access;
mod barrier;
mod element;
mod inspect;
mod lines;
mod make;
mod store;

use ferroflow_graph::Registry;

pub(crate) use element::Tuple;
pub(crate) use lines::{Begun, Count, Queue, Waiting};

pub(crate) fn register(r: &mut Registry) {
    access::register(r);
    barrier::register(r);
    inspect::register(r);
    make::register(r);
}
