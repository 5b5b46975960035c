//! The end of the program: threads that are in a step stay there, for a Python that ends has no place for them.
//!
//! A thread that requests Python's lock at exit is ended by unwinding its stack. That must not pass through Rust, and
//! crashes if it is too late. So before Python ends, a hook stops every thread that is in a step, and waits for it.
//! From then on, threads of the engine, such as a dataset's, begin no call of a Python function. They may while the main
//! thread is in a step. The hook also waits for the calls that run.

use ferroflow_sync::{ProcessMutex, generation};
use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use std::cell::Cell;
use std::ffi::c_ulong;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time for which the hook waits for threads that do not stop.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time between two checks of other threads.
const PAUSE: Duration = Duration::from_millis(1);

static EXITING: AtomicBool = AtomicBool::new(false);
/// Threads between the beginning and the end of a call that releases Python's lock.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// Number of them that stay stopped.
static PARKED: AtomicUsize = AtomicUsize::new(0);
/// Number of the main thread's stays that began after the hook.
static LATE: AtomicUsize = AtomicUsize::new(0);
/// Calls of Python functions that run: the process generation and Python's number of the thread.
static CALLS: ProcessMutex<Vec<(u32, c_ulong)>> = ProcessMutex::new(Vec::new(), Vec::new);

thread_local! {
    /// Number of this thread's stays.
    static STAYS: Cell<usize> = const { Cell::new(0) };
}

/// A thread's stay in a call that releases Python's lock.
pub struct Stay {
    is_late: bool,
}

impl Stay {
    pub fn begin(py: Python<'_>) -> Stay {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        let is_late = EXITING.load(Ordering::SeqCst);
        if is_late && !is_known_main_thread() {
            py.detach(park);
        }
        if is_late {
            LATE.fetch_add(1, Ordering::SeqCst);
        }
        STAYS.set(STAYS.get() + 1);
        Stay { is_late }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        STAYS.set(STAYS.get() - 1);
        INSIDE.fetch_sub(1, Ordering::SeqCst);
        if self.is_late && LATE.fetch_sub(1, Ordering::SeqCst) == 1 {
            Python::attach(wait_for_others);
        }
    }
}

/// Runs `f` without Python's lock. Does not return once the program ends, but on the main thread.
pub fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    let _stay = Stay::begin(py);
    py.detach(|| {
        let result = f();
        stay_if_exiting();
        result
    })
}

/// A call of a Python function by the engine; begins without Python's lock.
pub struct Call((u32, c_ulong));

impl Call {
    /// Waits while the program ends, but on the main thread or for its step.
    pub fn begin() -> Call {
        // SAFETY: the function has no conditions.
        let call = (generation(), unsafe { pyo3::ffi::PyThread_get_thread_ident() });
        loop {
            CALLS.lock().push(call);
            // The hook sets `EXITING` and then reads the list: it sees the call, or the call sees `EXITING`.
            if !EXITING.load(Ordering::SeqCst) || LATE.load(Ordering::SeqCst) > 0 || is_known_main_thread() {
                return Call(call);
            }
            forget(call);
            if STAYS.get() > 0 {
                park();
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        forget(self.0);
    }
}

fn forget(call: (u32, c_ulong)) {
    let mut calls = CALLS.lock();
    if let Some(at) = calls.iter().rposition(|c| *c == call) {
        calls.swap_remove(at);
    }
}

/// Returns the threads that run a Python function for the engine, except this one.
fn other_callers() -> Vec<c_ulong> {
    // SAFETY: the function has no conditions.
    let own = unsafe { pyo3::ffi::PyThread_get_thread_ident() };
    let process = generation();
    CALLS.lock().iter().filter(|(g, thread)| *g == process && *thread != own).map(|c| c.1).collect()
}

/// Waits until the threads in steps are stopped and no thread runs a Python function for the engine.
///
/// Functions that run for too long get a SystemExit, and as much time again.
fn wait_for_others(py: Python<'_>) {
    for is_last in [false, true] {
        let began = Instant::now();
        py.detach(|| {
            let are_stopped =
                || PARKED.load(Ordering::SeqCst) >= INSIDE.load(Ordering::SeqCst) && other_callers().is_empty();
            while !are_stopped() && began.elapsed() < PATIENCE {
                std::thread::sleep(PAUSE);
            }
        });
        let callers = other_callers();
        if is_last || callers.is_empty() {
            return;
        }
        let exit = py.get_type::<PySystemExit>();
        for thread in callers {
            // SAFETY: Python's lock is held; the function ignores threads that it does not have.
            unsafe { pyo3::ffi::PyThreadState_SetAsyncExc(thread.cast_signed(), exit.as_ptr()) };
        }
    }
}

fn park() {
    PARKED.fetch_add(1, Ordering::SeqCst);
    loop {
        std::thread::park();
    }
}

/// Does not return once the program ends, but on the main thread; called within a `Stay`, without Python's lock.
pub fn stay_if_exiting() {
    if EXITING.load(Ordering::SeqCst) && !is_known_main_thread() {
        park();
    }
}

thread_local! {
    /// True in the main thread, with the process in which it was found. After a fork, the thread that forked is the
    /// child's main thread.
    static IS_MAIN: Cell<Option<(u32, bool)>> = const { Cell::new(None) };
}

/// Returns the earlier result of `is_main_thread`; the hook calls it on the main thread.
fn is_known_main_thread() -> bool {
    IS_MAIN.get() == Some((std::process::id(), true))
}

/// Returns true if this is Python's main thread, the one that runs signal handlers and ends the program.
///
/// Errors: what a signal handler raises that runs meanwhile.
pub fn is_main_thread() -> PyResult<bool> {
    let process = std::process::id();
    if let Some((p, is_main)) = IS_MAIN.get()
        && p == process
    {
        return Ok(is_main);
    }
    let check = |py: Python<'_>| -> PyResult<bool> {
        let threading = py.import("threading")?;
        let main = threading.call_method0("main_thread")?.getattr("ident")?;
        main.eq(threading.call_method0("get_ident")?)
    };
    let is_main = Python::attach(check)?;
    IS_MAIN.set(Some((process, is_main)));
    Ok(is_main)
}

#[pyfunction]
fn _before_exit(py: Python<'_>) -> PyResult<()> {
    is_main_thread()?;
    EXITING.store(true, Ordering::SeqCst);
    wait_for_others(py);
    Ok(())
}

/// Has the hook called when the program ends.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let hook = wrap_pyfunction!(_before_exit, module)?;
    module.py().import("atexit")?.call_method1("register", (hook,))?;
    Ok(())
}
