//! The end of the program: threads that are in a step stay there, for a Python that ends has no place for them.
//!
//! A daemon thread that requests Python's lock at exit is ended by unwinding its stack, which must not pass through
//! Rust. It crashes if that is too late. So before Python ends, a hook stops every thread that is in a step, and waits
//! for it.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time for which the hook waits for threads that do not stop.
const PATIENCE: Duration = Duration::from_millis(500);

static EXITING: AtomicBool = AtomicBool::new(false);
/// Threads between the beginning and the end of a call that releases Python's lock.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// Number of them that stay stopped.
static PARKED: AtomicUsize = AtomicUsize::new(0);

/// A thread's stay in a call that releases Python's lock.
pub struct Stay(());

impl Stay {
    pub fn begin(py: Python<'_>) -> Stay {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        if EXITING.load(Ordering::SeqCst) && !is_known_main_thread() {
            py.detach(park);
        }
        Stay(())
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
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
    let began = Instant::now();
    py.detach(|| {
        while PARKED.load(Ordering::SeqCst) < INSIDE.load(Ordering::SeqCst) && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    Ok(())
}

/// Has the hook called when the program ends.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let hook = wrap_pyfunction!(_before_exit, module)?;
    module.py().import("atexit")?.call_method1("register", (hook,))?;
    Ok(())
}
