//! Python functions called by the engine: the GIL is taken for the call alone, and exceptions keep their type.

use crate::convert::{from_array, to_python};
use crate::exit::Call;
use ferroflow_ops::script::{Host, set_host};
use ferroflow_tensor::{Code, Result, Status, Tensor, with_denormals};
use numpy::PyUntypedArray;
use pyo3::exceptions::{
    PyMemoryError, PyNotImplementedError, PyRuntimeError, PyStopIteration, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

struct Python3 {
    /// Called with (token, list of arguments); gives a list of arrays.
    call: Py<PyAny>,
    /// Called with an exception; gives (error code or None, text).
    describe: Py<PyAny>,
}

/// Returns the code of an exception's class. TF 1.x: `Unknown` if it has none of its own.
fn code_of(py: Python<'_>, error: &PyErr) -> Code {
    if error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py) {
        Code::InvalidArgument
    } else if error.is_instance_of::<PyStopIteration>(py) {
        Code::OutOfRange
    } else if error.is_instance_of::<PyMemoryError>(py) {
        Code::ResourceExhausted
    } else if error.is_instance_of::<PyNotImplementedError>(py) {
        Code::Unimplemented
    } else {
        Code::Unknown
    }
}

impl Python3 {
    fn failure(&self, py: Python<'_>, error: PyErr) -> Status {
        let described =
            self.describe.call1(py, (error.value(py),)).and_then(|d| d.extract::<(Option<i32>, String)>(py));
        let (own, text) = described.unwrap_or_else(|_| (None, error.to_string()));
        let code = own.and_then(Code::from_number).unwrap_or_else(|| code_of(py, &error));
        Status::new(code, text).because(error)
    }

    fn results(&self, py: Python<'_>, token: &str, inputs: Vec<Tensor>) -> PyResult<Vec<Py<PyAny>>> {
        let arguments = inputs.into_iter().map(|t| to_python(py, t)).collect::<PyResult<Vec<_>>>()?;
        let arguments = PyList::new(py, arguments)?;
        with_denormals(|| self.call.call1(py, (token, arguments)))?.extract(py)
    }
}

/// Returns a result as a tensor; read where it is if nothing else in the program can change it.
fn tensor(py: Python<'_>, value: &Py<PyAny>) -> Result<Tensor> {
    let unsupported = |what: String| Status::new(Code::Unimplemented, what);
    let value = value.bind(py);
    let Ok(array) = value.cast::<PyUntypedArray>() else {
        return Err(unsupported("Unsupported object type".to_owned()));
    };
    // SAFETY: the GIL is held and `value` is alive; the count is only read.
    let references = unsafe { pyo3::ffi::Py_REFCNT(value.as_ptr()) };
    let is_temporary = references == 1 && value.getattr("base").is_ok_and(|b| b.is_none());
    from_array(array, is_temporary).map_err(|e| {
        let kind = value.getattr("dtype").and_then(|d| d.getattr("kind")?.extract::<String>()).unwrap_or_default();
        unsupported(if kind == "O" { e.value(py).to_string() } else { format!("Unsupported numpy type: {e}") })
    })
}

impl Host for Python3 {
    fn call(&self, token: &str, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let _call = Call::begin();
        Python::attach(|py| match self.results(py, token, inputs) {
            Err(error) => Err(self.failure(py, error)),
            Ok(values) => values.iter().map(|v| tensor(py, v)).collect(),
        })
    }
}

/// Says which functions of Python call a registered function and describe its failure.
#[pyfunction]
pub fn set_function_host(call: Py<PyAny>, describe: Py<PyAny>) -> PyResult<()> {
    if set_host(Box::new(Python3 { call, describe })) {
        return Ok(());
    }
    Err(PyRuntimeError::new_err("the host of Python functions is set once"))
}
