//! Tasks of clusters as Python sees them.

use crate::engine::{Limit, with_poll};
use crate::error::status;
use crate::exit::detached;
use crate::graph::registry;
use ferroflow_cluster::{Address, Cluster, Master, MasterOptions, Task};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A task of a cluster in this process.
#[pyclass(frozen, module = "ferroflow._core")]
pub struct Server {
    task: Arc<Task>,
}

#[pymethods]
impl Server {
    /// Binds the task's address. `server_def`: a serialized ServerDef.
    #[new]
    fn new(py: Python<'_>, server_def: Vec<u8>) -> PyResult<Self> {
        Ok(Server { task: detached(py, || Task::new(&server_def)).map_err(status)? })
    }

    /// Answers other processes from now on.
    fn start(&self) -> PyResult<()> {
        self.task.start(registry()?).map_err(status)
    }

    /// Returns `grpc://host:port`.
    #[getter]
    fn target(&self) -> String {
        self.task.target()
    }
}

fn list(options: &Bound<'_, PyDict>, name: &str) -> PyResult<Vec<String>> {
    Ok(options.get_item(name)?.map(|v| v.extract()).transpose()?.unwrap_or_default())
}

/// Returns a session's options of its cluster: `cluster_def` (a serialized ClusterDef), `device_filters`,
/// `isolate_session_state`, `allow_soft_placement`, `use_rpc`.
pub fn master_options(options: &Bound<'_, PyDict>) -> PyResult<MasterOptions> {
    let flag = |name: &str| -> PyResult<bool> {
        Ok(options.get_item(name)?.map(|v| v.is_truthy()).transpose()?.unwrap_or(false))
    };
    let cluster: Option<Vec<u8>> = options.get_item("cluster_def")?.map(|v| v.extract()).transpose()?;
    Ok(MasterOptions {
        cluster: cluster.map(|bytes| Cluster::decode(&bytes)).transpose().map_err(status)?,
        device_filters: list(options, "device_filters")?,
        isolate: flag("isolate_session_state")?,
        allow_soft_placement: flag("allow_soft_placement")?,
        use_rpc: flag("use_rpc")?,
    })
}

/// Clears containers (all where none is named) at the tasks of a target's cluster and ends the target's sessions.
#[pyfunction]
pub fn reset_containers(
    py: Python<'_>,
    target: &str,
    containers: Vec<String>,
    options: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let address = Address::of_target(target).map_err(status)?;
    let filters = list(options, "device_filters")?;
    let timeout: u64 = options.get_item("operation_timeout_in_ms")?.map(|v| v.extract()).transpose()?.unwrap_or(0);
    with_poll(py, Limit::after_ms(timeout), |poll| Master::reset(&address, &containers, &filters, Some(poll)), status)
}
