//! The engine's failures as Python exceptions.

use ferroflow_graph::BuildError;
use ferroflow_sync::LostLock;
use ferroflow_tensor::Status;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    ferroflow._core,
    StatusError,
    PyException,
    "A failed step or call: args are (code, message, id of the failing node or None)."
);

pub fn status(e: Status) -> PyErr {
    StatusError::new_err((e.code() as i32, e.message().to_owned(), e.node()))
}

pub fn build(e: BuildError) -> PyErr {
    match e {
        BuildError::Value(m) => PyValueError::new_err(m),
        BuildError::Type(m) => PyTypeError::new_err(m),
        BuildError::Status(s) => status(s),
    }
}

/// Runs `f`; a panic in the engine becomes an `Internal` status instead of taking the interpreter down.
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, Status> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).map_err(|payload| {
        if let Some(&lost) = payload.downcast_ref::<LostLock>() {
            return lost.into();
        }
        let text = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Status::internal(format!("the engine failed unexpectedly: {text}"))
    })
}

/// Returns `caught` with the status as a `StatusError`.
pub fn guarded<T>(f: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(f).unwrap_or_else(|e| Err(status(e)))
}
