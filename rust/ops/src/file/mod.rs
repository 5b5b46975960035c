//! Files read and written by ops.

mod matching_files;
mod path;
mod read_file;
mod write_file;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    matching_files::register(r);
    read_file::register(r);
    write_file::register(r);
}
