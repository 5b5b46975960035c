//! The ops of input pipelines: queues, readers, parsers of records and datasets; one folder is one family.

use ferroflow_graph::Registry;

/// Adds every op of this crate.
pub fn register(_: &mut Registry) {}
