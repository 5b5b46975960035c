//! The ops of input pipelines: queues, readers, parsers of records and datasets; one folder is one family.

#![forbid(unsafe_code)]

mod csv;
mod dataset;
mod parsing;
mod queue;
mod reader;
mod record_input;
mod retry;
mod rows;
mod staging;
mod wire;

use ferroflow_graph::Registry;

/// Adds every op of this crate.
pub fn register(r: &mut Registry) {
    dataset::register(r);
    parsing::register(r);
    reader::register(r);
    queue::register(r);
    record_input::register(r);
    staging::register(r);
}
