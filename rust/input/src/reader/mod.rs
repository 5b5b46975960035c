//! Readers: resources that turn work from a queue, mostly names of files, into records.

mod access;
mod fixed_length;
mod lmdb;
mod make;
mod source;
mod state;
mod text_line;
mod tf_record;
mod whole;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    access::register(r);
    make::register(r);
}
