//! `ferroflow._core`: the engine as a Python module, which converts arguments, releases the GIL, calls, and decides
//! nothing else.

mod attr;
mod checkpoint;
mod collective;
mod convert;
mod engine;
mod error;
mod event_writer;
mod exit;
mod graph;
mod graph_import;
mod handle;
mod lender;
mod op_info;
mod record;
mod script;
mod secure_socket;
mod server;
mod session;

use pyo3::prelude::*;

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    ferroflow_sync::watch_forks();
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    exit::register(m)?;
    m.add("StatusError", m.py().get_type::<error::StatusError>())?;
    m.add_class::<event_writer::EventWriter>()?;
    m.add_class::<graph::Graph>()?;
    m.add_function(wrap_pyfunction!(graph_import::import_graph_def, m)?)?;
    m.add_function(wrap_pyfunction!(graph_import::check_ops, m)?)?;
    m.add_class::<handle::OperationHandle>()?;
    m.add_class::<handle::TensorHandle>()?;
    m.add_class::<session::Session>()?;
    m.add_class::<session::Callable>()?;
    m.add_class::<server::Server>()?;
    m.add_class::<secure_socket::TlsGroup>()?;
    m.add_class::<secure_socket::TlsSocket>()?;
    m.add_function(wrap_pyfunction!(server::reset_containers, m)?)?;
    m.add_function(wrap_pyfunction!(collective::join_group, m)?)?;
    m.add_function(wrap_pyfunction!(collective::leave_group, m)?)?;
    m.add_class::<checkpoint::CheckpointReader>()?;
    m.add_function(wrap_pyfunction!(checkpoint::abandon_shards, m)?)?;
    m.add_function(wrap_pyfunction!(checkpoint::replace_file, m)?)?;
    m.add_class::<record::Reader>()?;
    m.add_class::<record::Writer>()?;
    m.add_function(wrap_pyfunction!(record::matching_files, m)?)?;
    m.add_function(wrap_pyfunction!(op_info::op_info, m)?)?;
    m.add_function(wrap_pyfunction!(op_info::op_names, m)?)?;
    m.add_function(wrap_pyfunction!(session::rewrite_names, m)?)?;
    m.add_function(wrap_pyfunction!(script::set_function_host, m)?)?;
    m.add_function(wrap_pyfunction!(engine::interrupt_at, m)?)?;
    m.add_function(wrap_pyfunction!(engine::checks_left, m)?)?;
    m.add_function(wrap_pyfunction!(engine::assume_time, m)?)?;
    Ok(())
}
