//! TLS connections of a group of processes as Python sees them.

use crate::error::status;
use ferroflow_cluster::{GroupSecurity, SecureStream};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Code, Status};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::{
    PyBlockingIOError, PyConnectionError, PyConnectionResetError, PyOSError, PyPermissionError, PyTimeoutError,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The connections of a group with TLS.
#[pyclass(frozen, module = "ferroflow._core")]
pub struct TlsGroup(GroupSecurity);

/// A TLS connection with the methods of Python's sockets that the group's protocol uses.
#[pyclass(frozen, module = "ferroflow._core")]
pub struct TlsSocket {
    stream: Mutex<SecureStream>,
    /// A second handle: it ends the waits of the thread that has the first.
    socket: TcpStream,
    /// Seconds that a call waits; none: it does not.
    timeout: Mutex<Option<Duration>>,
}

/// Takes over a socket of Python.
#[cfg(unix)]
fn adopt(descriptor: i64) -> PyResult<TcpStream> {
    use std::os::fd::{FromRawFd, RawFd};
    let descriptor = RawFd::try_from(descriptor).map_err(|e| PyOSError::new_err(e.to_string()))?;
    if descriptor < 0 {
        return Err(PyOSError::new_err("the socket is closed"));
    }
    // SAFETY: it is not -1, and the caller has detached it from its socket: nothing else closes it.
    Ok(unsafe { TcpStream::from_raw_fd(descriptor) })
}

#[cfg(windows)]
fn adopt(descriptor: i64) -> PyResult<TcpStream> {
    use std::os::windows::io::{FromRawSocket, RawSocket};
    let descriptor = RawSocket::try_from(descriptor).map_err(|_| PyOSError::new_err("the socket is closed"))?;
    // SAFETY: the caller has detached it from its socket: nothing else closes it.
    Ok(unsafe { TcpStream::from_raw_socket(descriptor) })
}

/// Returns the exception that a socket of Python raises; `PermissionError` if the two sides do not trust each other.
fn failure(e: io::Error, waits: bool) -> PyErr {
    if let Some(status) = e.get_ref().and_then(|inner| inner.downcast_ref::<Status>()) {
        let message = status.message().to_owned();
        return match status.code() {
            Code::Unauthenticated | Code::FailedPrecondition => PyPermissionError::new_err(message),
            _ => PyConnectionError::new_err(message),
        };
    }
    match e.kind() {
        ErrorKind::WouldBlock if waits => PyTimeoutError::new_err("timed out"),
        ErrorKind::WouldBlock => PyBlockingIOError::new_err("the connection is not ready"),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::WriteZero => {
            PyConnectionResetError::new_err(e.to_string())
        }
        _ => e.into(),
    }
}

/// Returns the bytes of a buffer as an array that shares its memory.
fn array<'py>(py: Python<'py>, buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import("numpy")?.call_method1("frombuffer", (buffer, "u1"))
}

impl TlsSocket {
    fn new(
        socket: TcpStream,
        secure: impl FnOnce(TcpStream) -> ferroflow_tensor::Result<SecureStream>,
    ) -> PyResult<Self> {
        socket.set_nonblocking(true)?;
        let other = socket.try_clone()?;
        let stream = secure(socket).map_err(status)?;
        Ok(TlsSocket { stream: Mutex::new(stream), socket: other, timeout: Mutex::default() })
    }

    fn deadline(&self) -> Option<Instant> {
        self.timeout.lock().and_then(|seconds| Instant::now().checked_add(seconds))
    }
}

#[pymethods]
impl TlsGroup {
    /// Returns the options of the environment; None if the group is without TLS.
    #[staticmethod]
    fn of_environment(addresses: Vec<String>) -> PyResult<Option<TlsGroup>> {
        Ok(GroupSecurity::of_environment(&addresses).map_err(status)?.map(TlsGroup))
    }

    fn connect(&self, descriptor: i64, address: &str) -> PyResult<TlsSocket> {
        TlsSocket::new(adopt(descriptor)?, |socket| self.0.connect(socket, address))
    }

    fn accept(&self, descriptor: i64) -> PyResult<TlsSocket> {
        TlsSocket::new(adopt(descriptor)?, |socket| self.0.accept(socket))
    }
}

#[pymethods]
impl TlsSocket {
    fn recv<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let deadline = self.deadline();
        let mut bytes = vec![0; size];
        let got = py.detach(|| self.stream.lock().read(&mut bytes, deadline));
        got.map(|n| PyBytes::new(py, &bytes[..n])).map_err(|e| failure(e, deadline.is_some()))
    }

    fn recv_into(&self, py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
        let deadline = self.deadline();
        let array = array(py, buffer)?;
        let mut into: PyReadwriteArray1<'_, u8> = array.extract()?;
        let into = into.as_slice_mut()?;
        py.detach(|| self.stream.lock().read(into, deadline)).map_err(|e| failure(e, deadline.is_some()))
    }

    fn send(&self, py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
        let deadline = self.deadline();
        let array = array(py, buffer)?;
        let bytes: PyReadonlyArray1<'_, u8> = array.extract()?;
        let bytes = bytes.as_slice()?;
        py.detach(|| self.stream.lock().write(bytes, deadline)).map_err(|e| failure(e, deadline.is_some()))
    }

    /// Writes encrypted bytes; returns True if all are gone.
    fn flush(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.stream.lock().flush()).map_err(|e| failure(e, false))
    }

    fn pending(&self) -> bool {
        self.stream.lock().has_received()
    }

    fn binding<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        match self.stream.lock().binding() {
            Some(binding) => Ok(PyBytes::new(py, &binding)),
            None => Err(PyOSError::new_err("the handshake of TLS has not ended")),
        }
    }

    fn settimeout(&self, seconds: f64) -> PyResult<()> {
        let timeout = Duration::try_from_secs_f64(seconds).map_err(|e| PyOSError::new_err(e.to_string()))?;
        *self.timeout.lock() = (!timeout.is_zero()).then_some(timeout);
        Ok(())
    }

    #[cfg(unix)]
    fn fileno(&self) -> i64 {
        use std::os::fd::AsRawFd;
        self.socket.as_raw_fd().into()
    }

    #[cfg(windows)]
    fn fileno(&self) -> u64 {
        use std::os::windows::io::AsRawSocket;
        self.socket.as_raw_socket()
    }

    /// Ends the connection: a thread that waits for it returns. The descriptor is closed with the object.
    fn close(&self) {
        // A connection that has ended already is the requested state.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }
}
