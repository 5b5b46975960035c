//! Waiting in a step: operations that begin and end later, and the bell that makes their step poll again or end.

use ferroflow_sync::OnceLock;
use ferroflow_sync::{Condvar, Mutex};
use ferroflow_tensor::{Code, Result, Status, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An operation that has begun and waits for something outside its step (an element in a queue, room for one).
///
/// Whoever brings what it waits for rings the step's bell. Dropped before it gave its outputs, it is withdrawn: what it
/// has taken goes back. What it has already handed over (rows of a batch that found room in a queue) stays, as in TF
/// 1.x.
pub trait Pending {
    /// Returns the outputs, once they are there, or the failure.
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>>;

    /// Returns the message of the step that is cancelled while this waits.
    fn cancelled(&self) -> &'static str {
        "Step was cancelled"
    }
}

/// A bell that wakes waiting steps and calls. Each listener counts its own rings, so that none is lost to another.
#[derive(Default)]
pub struct Bell {
    /// Number of rings.
    rings: Mutex<u64>,
    changed: Condvar,
    /// Wakes the step where it waits for more than the bell.
    waker: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Bell {
    /// Rings: all present and future waiters poll their operations again.
    pub fn ring(&self) {
        *self.rings.lock() += 1;
        self.changed.notify_all();
        if let Some(wake) = self.waker.get() {
            wake();
        }
    }

    /// Has every ring call `wake`, too; the first such call counts.
    pub fn wake_by(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.waker.set(Box::new(wake));
    }

    /// Returns true if the bell rang since `heard` was last updated, and updates it; `heard` starts at 0.
    pub fn rang(&self, heard: &mut u64) -> bool {
        let rings = *self.rings.lock();
        std::mem::replace(heard, rings) != rings
    }

    /// Waits until the bell rings or `at_most` has passed; at once where it rang since `heard` was brought up to date.
    pub fn wait(&self, heard: &mut u64, at_most: Duration) {
        let mut rings = self.rings.lock();
        if *rings == *heard {
            self.changed.wait_for(&mut rings, at_most);
        }
        *heard = *rings;
    }
}

/// Ends a step early: by the user (close, Ctrl-C), a deadline, or another node's failure. A step that waits has a bell here.
#[derive(Default)]
pub struct Cancellation {
    cancelled: AtomicBool,
    reason: Mutex<Option<Status>>,
    bell: OnceLock<Arc<Bell>>,
}

impl Cancellation {
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Requests that the step end with `reason`; the first reason stays.
    pub fn cancel(&self, reason: Status) {
        self.reason.lock().get_or_insert(reason);
        self.cancelled.store(true, Ordering::Release);
        // Made here if the step has none yet: a thread that makes its bell at this moment may not see the store above.
        self.bell().ring();
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Errors: the reason, once cancelled. Long kernels check between blocks.
    pub fn check(&self) -> Result<()> {
        if !self.cancelled.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(self.reason.lock().clone().unwrap_or_else(|| Status::new(Code::Cancelled, "Step was cancelled")))
    }

    /// Returns the bell to ring when something that the step waits for may have come; made on first use.
    pub fn bell(&self) -> &Arc<Bell> {
        self.bell.get_or_init(Arc::default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::time::Instant;

    /// Longer than any test takes: who waits as long was not woken.
    const HANGS: Duration = Duration::from_secs(20);

    #[test]
    fn a_bell_that_rang_before_is_heard_once() {
        let bell = Bell::default();
        bell.ring();
        let (began, mut heard) = (Instant::now(), 0);
        bell.wait(&mut heard, HANGS * 2);
        assert!(began.elapsed() < HANGS);
        assert!(!bell.rang(&mut heard));
        bell.wait(&mut heard, Duration::from_millis(1));
    }

    #[test]
    fn each_that_waits_hears_a_ring() {
        let (bell, heard) = (Bell::default(), AtomicUsize::new(0));
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    bell.wait(&mut 0, HANGS * 2);
                    heard.fetch_add(1, Ordering::Relaxed);
                });
            }
            bell.ring();
        });
        assert!(heard.into_inner() == 4 && began.elapsed() < HANGS);
    }

    #[test]
    fn the_first_reason_stays_and_rings() {
        let c = Cancellation::new();
        let bell = c.bell().clone();
        assert!(c.check().is_ok());
        c.cancel(Status::cancelled("a"));
        c.cancel(Status::cancelled("b"));
        bell.wait(&mut 0, Duration::from_secs(60));
        assert_eq!(c.check().unwrap_err().message(), "a");
    }

    #[test]
    fn two_threads_that_ring_each_other_are_both_woken() {
        let (bells, turn) = ([Bell::default(), Bell::default()], AtomicUsize::new(0));
        let began = Instant::now();
        std::thread::scope(|scope| {
            for me in 0..2 {
                let (bells, turn) = (&bells, &turn);
                scope.spawn(move || {
                    let mut heard = 0;
                    for round in (me..4000).step_by(2) {
                        while turn.load(Ordering::Relaxed) != round {
                            bells[me].wait(&mut heard, HANGS);
                        }
                        turn.store(round + 1, Ordering::Relaxed);
                        bells[1 - me].ring();
                    }
                });
            }
        });
        assert!(began.elapsed() < HANGS, "a ring was lost");
    }

    #[test]
    fn a_step_that_makes_its_bell_while_it_is_cancelled_is_woken() {
        let (steps, gate): (Vec<Cancellation>, _) = ((0..2000).map(|_| Cancellation::new()).collect(), Barrier::new(2));
        let began = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for step in &steps {
                    gate.wait();
                    step.cancel(Status::cancelled("a"));
                }
            });
            for step in &steps {
                gate.wait();
                let (bell, mut heard) = (step.bell().clone(), 0);
                while step.check().is_ok() {
                    bell.wait(&mut heard, HANGS);
                }
            }
        });
        assert!(began.elapsed() < HANGS, "a ring was lost");
    }
}
