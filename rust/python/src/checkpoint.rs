//! Checkpoints read without a session, and files replaced as checkpoints are.

use crate::convert::to_python;
use crate::error::status;
use crate::exit::detached;
use ferroflow_io::bundle::{self, Checkpoint};
use ferroflow_tensor::threads::Threads;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Name, number of the dtype, sizes, number of slices.
type Listed<'py> = (Bound<'py, PyBytes>, i32, Vec<i64>, usize);

/// An open checkpoint of either format.
#[pyclass(frozen)]
pub struct CheckpointReader {
    checkpoint: Checkpoint,
}

#[pymethods]
impl CheckpointReader {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<CheckpointReader> {
        let checkpoint = detached(py, || Checkpoint::open(name)).map_err(status)?;
        Ok(CheckpointReader { checkpoint })
    }

    fn has_tensor(&self, name: &[u8]) -> bool {
        self.checkpoint.contains(name)
    }

    /// Returns all tensors, by name.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Vec<Listed<'py>>> {
        let all = detached(py, || self.checkpoint.list()).map_err(status)?;
        Ok(all.iter().map(|d| (PyBytes::new(py, &d.name), d.dtype.number(), d.shape.to_i64(), d.slices)).collect())
    }

    fn get_tensor(&self, py: Python<'_>, name: &[u8]) -> PyResult<Py<PyAny>> {
        let read = detached(py, || self.checkpoint.get(name, Threads::default())).map_err(status)?;
        to_python(py, read)
    }
}

/// Removes the shards that this process wrote for a checkpoint whose save was interrupted.
#[pyfunction]
pub fn abandon_shards(py: Python<'_>, prefix: &str) {
    detached(py, || bundle::abandon_shards(prefix));
}

/// Writes a file beside its place and then takes the place, once the contents are on the disk.
#[pyfunction]
pub fn replace_file(py: Python<'_>, name: &str, contents: &[u8]) -> PyResult<()> {
    detached(py, || bundle::replace_file(name, contents)).map_err(status)
}
