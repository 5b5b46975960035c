//! Record files read and written from Python, a record a call, and the names of files that match a pattern.

use crate::error::status;
use crate::exit::detached;
use ferroflow_io::{Compression, RecordReader, RecordWriter, file_pattern, input};
use ferroflow_sync::Mutex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

fn compression_of(name: &str) -> PyResult<Compression> {
    Compression::from_name(name.as_bytes())
        .ok_or_else(|| PyValueError::new_err(format!("compression must be '', 'ZLIB' or 'GZIP', got {name:?}")))
}

/// Writes a record file.
#[pyclass(frozen, name = "RecordWriter", module = "ferroflow._core")]
pub struct Writer(Mutex<RecordWriter>);

#[pymethods]
impl Writer {
    #[new]
    #[pyo3(signature = (path, compression = "", level = None))]
    fn new(py: Python<'_>, path: &[u8], compression: &str, level: Option<u32>) -> PyResult<Self> {
        let compression = compression_of(compression)?;
        let writer = detached(py, || RecordWriter::create(path, compression, level)).map_err(status)?;
        Ok(Writer(Mutex::new(writer)))
    }

    fn write(&self, py: Python<'_>, record: &[u8]) -> PyResult<()> {
        // The GIL is released only for system calls: taking it back can cost more than the record.
        if let Some(mut writer) = self.0.try_lock()
            && writer.has_room(record.len())
        {
            return writer.write(record).map_err(status);
        }
        detached(py, || self.0.lock().write(record)).map_err(status)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.0.lock().flush()).map_err(status)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.0.lock().close()).map_err(status)
    }
}

/// An iterator over the records of a file.
#[pyclass(frozen, name = "RecordReader", module = "ferroflow._core")]
pub struct Reader(Mutex<RecordReader>);

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (path, compression = ""))]
    fn new(py: Python<'_>, path: &[u8], compression: &str) -> PyResult<Self> {
        let compression = compression_of(compression)?;
        let reader = detached(py, || RecordReader::open(path, compression, input::BUFFER_SIZE)).map_err(status)?;
        Ok(Reader(Mutex::new(reader)))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        loop {
            // The GIL is released as in `write`.
            if let Some(mut reader) = self.0.try_lock()
                && reader.is_prepared()
            {
                return Ok(reader.read().map_err(status)?.map(|record| PyBytes::new(py, record)));
            }
            detached(py, || self.0.lock().prepare());
        }
    }
}

/// Returns the names of the files that match a pattern.
#[pyfunction]
pub fn matching_files<'py>(py: Python<'py>, pattern: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let names = detached(py, || file_pattern::matching(pattern)).map_err(status)?;
    Ok(names.iter().map(|name| PyBytes::new(py, name)).collect())
}
