//! Tables from keys to values, which live between steps.

mod initialize;
mod make;
mod table;
mod text_file;
mod use_table;

use ferroflow_graph::Registry;

pub(crate) use text_file::vocabulary_lines;

pub(crate) fn register(r: &mut Registry) {
    initialize::register(r);
    make::register(r);
    text_file::register(r);
    use_table::register(r);
}
