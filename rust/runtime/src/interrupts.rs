//! `Interrupts`: checks for signals and deadlines every 50 ms during a step, at the price of one atomic load a node.

use ferroflow_sync::{ProcessMutex, generation};
use ferroflow_tensor::{Code, Result, Status};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(50);
/// Periods without a running step before the ticking thread ends.
const IDLE_PERIODS: u32 = 40;

/// Checks for signals and deadlines; an error ends the step.
pub type Poll<'a> = dyn Fn() -> Result<()> + 'a;

/// Periods that have passed; the highest bit is set while a test counts the checks of steps.
static PERIODS: AtomicU64 = AtomicU64::new(0);
const COUNTED: u64 = 1 << 63;
/// Checks until the one that ends its step, while they are counted.
static CHECKS_LEFT: AtomicI64 = AtomicI64::new(0);
static STEPS: AtomicUsize = AtomicUsize::new(0);
/// The process whose thread ticks and whose steps are counted: a forked child has neither the thread nor the steps.
#[derive(Default)]
struct Ticking {
    generation: u32,
    runs: bool,
}

static TICKING: ProcessMutex<Ticking> =
    ProcessMutex::new(Ticking { generation: 0, runs: false }, || Ticking { generation: u32::MAX, runs: false });

fn periods() -> u64 {
    PERIODS.load(Ordering::Relaxed) & !COUNTED
}

fn tick() {
    let mut idle = 0;
    loop {
        std::thread::sleep(PERIOD);
        PERIODS.fetch_add(1, Ordering::Relaxed);
        idle = if STEPS.load(Ordering::Acquire) == 0 { idle + 1 } else { 0 };
        if idle >= IDLE_PERIODS {
            let mut ticking = TICKING.lock();
            // A step may have begun since: `begin` counts itself under the lock.
            if STEPS.load(Ordering::Acquire) == 0 {
                ticking.runs = false;
                return;
            }
        }
    }
}

/// Counts the checks of all steps from now on, and ends the step that makes check number `n`, counted from 1. For
/// tests.
pub fn interrupt_at(n: u32) {
    CHECKS_LEFT.store(i64::from(n), Ordering::SeqCst);
    PERIODS.fetch_or(COUNTED, Ordering::SeqCst);
}

/// Ends the counting of checks. A negative result is the number of checks after the one that ended its step. For tests.
pub fn checks_left() -> i64 {
    PERIODS.fetch_and(!COUNTED, Ordering::SeqCst);
    CHECKS_LEFT.load(Ordering::SeqCst)
}

/// The interrupts of one step.
pub(crate) struct Interrupts<'a> {
    poll: Option<&'a Poll<'a>>,
    /// The process in which the step counts among the running ones, for which the thread ticks.
    counts: Option<u32>,
    seen: Cell<u64>,
    /// Code of the last error of `poll`.
    ended_by: Cell<Option<Code>>,
    /// Ends the call at once, where there is one.
    closed: Option<&'a AtomicBool>,
}

impl<'a> Interrupts<'a> {
    pub fn begin(poll: Option<&'a Poll<'a>>) -> Interrupts<'a> {
        if poll.is_some() {
            let mut ticking = TICKING.lock();
            if ticking.generation != generation() {
                STEPS.store(0, Ordering::Release);
                *ticking = Ticking { generation: generation(), runs: false };
            }
            STEPS.fetch_add(1, Ordering::AcqRel);
            if !ticking.runs {
                ticking.runs = std::thread::Builder::new().name("ferroflow-interrupts".into()).spawn(tick).is_ok();
            }
        }
        let (seen, counts) = (Cell::new(periods()), poll.map(|_| generation()));
        Interrupts { poll, counts, seen, ended_by: Cell::new(None), closed: None }
    }

    /// Returns the interrupts of a function's call, which also ends when `closed` is set. The step around it keeps the thread ticking.
    pub fn within(poll: &'a Poll<'a>, closed: &'a AtomicBool) -> Interrupts<'a> {
        let seen = Cell::new(periods());
        Interrupts { poll: Some(poll), counts: None, seen, ended_by: Cell::new(None), closed: Some(closed) }
    }

    /// Polls if a period has passed since the last time.
    pub fn check(&self) -> Result<()> {
        if self.closed.is_some_and(|c| c.load(Ordering::Relaxed)) {
            return Err(Status::cancelled("Session was closed."));
        }
        let now = PERIODS.load(Ordering::Relaxed);
        if now == self.seen.get() {
            return Ok(());
        }
        self.poll_at(now)
    }

    #[cold]
    fn poll_at(&self, now: u64) -> Result<()> {
        let note = |e: &Status| self.ended_by.set(Some(e.code()));
        if now & COUNTED != 0 && self.counts.is_some() && CHECKS_LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
            return Err(Status::deadline_exceeded("The step was interrupted for a test.")).inspect_err(note);
        }
        self.seen.set(now & !COUNTED);
        let Some(poll) = self.poll else { return Ok(()) };
        poll().inspect_err(note)
    }

    /// Returns whether `poll` has ended the step.
    pub fn is_over(&self) -> bool {
        self.ended_by.get().is_some()
    }

    /// Returns whether the caller must get control back at once, as after Ctrl-C.
    pub fn is_interrupted(&self) -> bool {
        self.ended_by.get() == Some(Code::Cancelled)
    }
}

impl Drop for Interrupts<'_> {
    fn drop(&mut self) {
        if self.counts == Some(generation()) {
            STEPS.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_step_is_polled_and_can_be_ended() {
        let poll: &Poll<'_> = &|| Err(Status::cancelled("stop"));
        let interrupts = Interrupts::begin(Some(poll));
        let began = std::time::Instant::now();
        while interrupts.check().is_ok() {
            assert!(began.elapsed() < Duration::from_secs(5), "no period passed");
            std::hint::spin_loop();
        }
    }
}
