//! Event files as Python objects.

use crate::error::status;
use crate::exit::detached;
use ferroflow_io::EventWriter as Writer;
use pyo3::prelude::*;
use std::time::Duration;

#[pyclass(frozen, module = "ferroflow._core")]
pub struct EventWriter {
    writer: Writer,
}

#[pymethods]
impl EventWriter {
    #[new]
    fn new(py: Python<'_>, name: &[u8], flush_seconds: f64, wall_time: f64) -> PyResult<EventWriter> {
        let interval =
            Duration::try_from_secs_f64(flush_seconds.max(0.0)).unwrap_or(Duration::from_secs(u32::MAX.into()));
        let writer = detached(py, || Writer::create(name, interval, wall_time)).map_err(status)?;
        Ok(EventWriter { writer })
    }

    fn add_event(&self, py: Python<'_>, event: Vec<u8>) -> PyResult<()> {
        detached(py, || self.writer.add(event)).map_err(status)
    }

    fn add_summary(&self, py: Python<'_>, summary: &[u8], wall_time: f64, step: i64) -> PyResult<()> {
        detached(py, || self.writer.add_summary(summary, wall_time, step)).map_err(status)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.writer.flush()).map_err(status)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.writer.close()).map_err(status)
    }
}
