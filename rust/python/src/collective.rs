//! The process's group for collective operations, over a transport written in Python.

use crate::error::status;
use ferroflow_collective::{Group, Options, Part, Reduction, Transport};
use ferroflow_tensor::{DType, Result, Status};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::c_int;
use std::marker::PhantomData;
use std::time::Duration;

/// Python's PyBUF_READ and PyBUF_WRITE, which PyO3 has for Python 3.11 and later alone.
const BUFFER_READ: c_int = 0x100;
const BUFFER_WRITE: c_int = 0x200;

/// A Python object with the methods of `ferroflow._src.horovod.mpi_transport.MpiTransport`.
struct PythonTransport(Py<PyAny>);

/// Memory of the engine that Python may use until this is dropped, which must not be forgotten.
struct Shown<'py, 'a>(Bound<'py, PyAny>, PhantomData<&'a mut [u8]>);

impl<'py, 'a> Shown<'py, 'a> {
    /// Shows memory of the engine to Python.
    ///
    /// # Safety
    ///
    /// The `bytes` from `data` on must be valid until the result is dropped, and unused meanwhile if they may be written.
    unsafe fn new(py: Python<'py>, data: *const u8, bytes: usize, is_writable: bool) -> PyResult<Shown<'py, 'a>> {
        let flags = if is_writable { BUFFER_WRITE } else { BUFFER_READ };
        let Ok(length) = ffi::Py_ssize_t::try_from(bytes) else {
            return Err(PyMemoryError::new_err("the memory is too large"));
        };
        // SAFETY: the GIL is held. The pointer is not null, and valid as the caller promises. A view for reading does not
        // write through it.
        let view = unsafe { ffi::PyMemoryView_FromMemory(data.cast_mut().cast(), length, flags) };
        // SAFETY: the call returns a new reference, or null with an exception set.
        let view = unsafe { Bound::from_owned_ptr_or_err(py, view) }?;
        Ok(Shown(view, PhantomData))
    }

    fn reading(py: Python<'py>, bytes: &'a [u8]) -> PyResult<Shown<'py, 'a>> {
        // SAFETY: `bytes` is borrowed for as long as the result lives.
        unsafe { Shown::new(py, bytes.as_ptr(), bytes.len(), false) }
    }

    fn writing(py: Python<'py>, bytes: &'a mut [u8]) -> PyResult<Shown<'py, 'a>> {
        // SAFETY: `bytes` is borrowed exclusively for as long as the result lives.
        unsafe { Shown::new(py, bytes.as_mut_ptr(), bytes.len(), true) }
    }

    /// Makes the memory unreachable from Python.
    ///
    /// Errors: `BufferError` where Python still uses it.
    fn release(&self) -> PyResult<()> {
        self.0.call_method0("release").map(|_| ())
    }
}

impl Drop for Shown<'_, '_> {
    fn drop(&mut self) {
        if self.release().is_err() {
            // Code that kept the view would read or write memory that the engine reuses.
            std::process::abort();
        }
    }
}

fn failure(py: Python<'_>, error: &PyErr) -> Status {
    let name = error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string());
    Status::unknown(format!("Horovod has been shut down: {name}: {}", error.value(py)))
}

impl PythonTransport {
    fn with<T>(&self, act: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<T>) -> Result<T> {
        Python::attach(|py| act(py, self.0.bind(py)).map_err(|error| failure(py, &error)))
    }
}

impl Transport for PythonTransport {
    fn send(&mut self, to: usize, message: &[u8]) -> Result<()> {
        self.with(|py, transport| transport.call_method1("send", (to, PyBytes::new(py, message))).map(|_| ()))
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>> {
        self.with(|_, transport| transport.call_method0("poll")?.extract())
    }

    fn is_flushed(&mut self) -> Result<bool> {
        self.with(|_, transport| transport.call_method0("is_flushed")?.extract())
    }

    fn exchange(&mut self, send: &[u8], sizes: &[usize], receive: &mut [u8]) -> Result<()> {
        self.with(|py, transport| {
            let (send, receive) = (Shown::reading(py, send)?, Shown::writing(py, receive)?);
            transport.call_method1("exchange", (&send.0, sizes, &receive.0)).map(|_| ())
        })
    }

    fn gather(&mut self, data: &mut [u8], sizes: &[usize]) -> Result<()> {
        self.with(|py, transport| {
            let data = Shown::writing(py, data)?;
            transport.call_method1("gather", (&data.0, sizes)).map(|_| ())
        })
    }

    fn broadcast(&mut self, data: Part<'_>, root: usize) -> Result<()> {
        self.with(|py, transport| {
            let data = match data {
                Part::Send(bytes) => Shown::reading(py, bytes)?,
                Part::Receive(bytes) => Shown::writing(py, bytes)?,
            };
            transport.call_method1("broadcast", (&data.0, root)).map(|_| ())
        })
    }

    fn sum(&mut self, data: &mut [u8], dtype: DType) -> Result<bool> {
        self.with(|py, transport| {
            let data = Shown::writing(py, data)?;
            transport.call_method1("sum", (&data.0, dtype.name()))?.extract()
        })
    }
}

/// Joins a group; without a transport, one of this process alone.
///
/// Args: `options`, which may have `rank_order` (bool), `fusion_bytes`, `piece_bytes` (int), `stall_warning`, `stall_limit`,
/// `lost_after` (float, seconds; 0 for never).
#[pyfunction]
pub fn join_group(transport: Option<Py<PyAny>>, rank: usize, size: usize, options: &Bound<'_, PyDict>) -> PyResult<()> {
    let group = match transport {
        None => Group::alone(),
        Some(transport) => {
            let options = group_options(options)?;
            Group::join(Box::new(PythonTransport(transport)), rank, size, options).map_err(status)?
        }
    };
    group.make_current();
    Ok(())
}

fn group_options(given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::default();
    let seconds = |name: &str, default: Option<Duration>| -> PyResult<Option<Duration>> {
        let Some(value) = given.get_item(name)? else { return Ok(default) };
        let duration = Duration::try_from_secs_f64(value.extract()?);
        duration
            .map(|d| (!d.is_zero()).then_some(d))
            .map_err(|e| pyo3::exceptions::PyValueError::new_err(format!("{name} must be a number of seconds: {e}")))
    };
    options.stall_warning = seconds("stall_warning", options.stall_warning)?;
    options.stall_limit = seconds("stall_limit", options.stall_limit)?;
    options.lost_after = seconds("lost_after", options.lost_after)?;
    if let Some(bytes) = given.get_item("fusion_bytes")? {
        options.fusion_bytes = bytes.extract()?;
    }
    if let Some(bytes) = given.get_item("piece_bytes")? {
        options.piece_bytes = bytes.extract()?;
    }
    if let Some(rank_order) = given.get_item("rank_order")? {
        options.reduction = if rank_order.extract()? { Reduction::RankOrder } else { Reduction::Library };
    }
    Ok(options)
}

/// Leaves the group. Returns False if the communication thread has not ended within `patience` seconds: it waits for other
/// ranks.
#[pyfunction]
pub fn leave_group(py: Python<'_>, patience: f64) -> bool {
    let patience = Duration::try_from_secs_f64(patience).unwrap_or_default();
    py.detach(|| Group::current().is_ok_and(|group| group.leave(patience)))
}
