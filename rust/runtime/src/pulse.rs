//! `Pulse`: lets a step look up from its work every 50 ms, for signals and deadlines, at the price of one atomic load a node.

use ferroflow_sync::{ProcessMutex, generation};
use ferroflow_tensor::{Code, Result, Status};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(50);
/// Beats without a step under way before the ticking thread ends.
const IDLE_BEATS: u32 = 40;

/// What a step asks when it looks up; an error ends it.
pub type Poll<'a> = dyn Fn() -> Result<()> + 'a;

/// Periods that have passed; the highest bit is set while a test counts the checks of steps.
static BEATS: AtomicU64 = AtomicU64::new(0);
const COUNTED: u64 = 1 << 63;
/// Checks until the one that ends its step, while they are counted.
static CHECKS_LEFT: AtomicI64 = AtomicI64::new(0);
static STEPS: AtomicUsize = AtomicUsize::new(0);
/// Of the process whose thread ticks and whose steps are counted; a fork leaves the thread and the steps behind.
#[derive(Default)]
struct Ticking {
    generation: u32,
    runs: bool,
}

static TICKING: ProcessMutex<Ticking> =
    ProcessMutex::new(Ticking { generation: 0, runs: false }, || Ticking { generation: u32::MAX, runs: false });

fn beats() -> u64 {
    BEATS.load(Ordering::Relaxed) & !COUNTED
}

fn tick() {
    let mut idle = 0;
    loop {
        std::thread::sleep(PERIOD);
        BEATS.fetch_add(1, Ordering::Relaxed);
        idle = if STEPS.load(Ordering::Acquire) == 0 { idle + 1 } else { 0 };
        if idle >= IDLE_BEATS {
            let mut ticking = TICKING.lock();
            // A step may have begun since: `begin` counts itself under the lock.
            if STEPS.load(Ordering::Acquire) == 0 {
                ticking.runs = false;
                return;
            }
        }
    }
}

/// For tests: counts the checks of all steps from now on, and ends the step that makes check number `n`, counted from 1.
pub fn interrupt_at(n: u32) {
    CHECKS_LEFT.store(i64::from(n), Ordering::SeqCst);
    BEATS.fetch_or(COUNTED, Ordering::SeqCst);
}

/// For tests: ends the counting. Below 0 is how many checks came after the one that ended its step.
pub fn checks_left() -> i64 {
    BEATS.fetch_and(!COUNTED, Ordering::SeqCst);
    CHECKS_LEFT.load(Ordering::SeqCst)
}

/// One step's watch on the beat.
pub(crate) struct Pulse<'a> {
    poll: Option<&'a Poll<'a>>,
    /// The process in which the step counts among those that keep the beat going.
    counts: Option<u32>,
    seen: Cell<u64>,
    /// What it was told last that ends the step.
    told: Cell<Option<Code>>,
    /// Ends the call at once, where there is one.
    closed: Option<&'a AtomicBool>,
}

impl<'a> Pulse<'a> {
    pub fn begin(poll: Option<&'a Poll<'a>>) -> Pulse<'a> {
        if poll.is_some() {
            let mut ticking = TICKING.lock();
            if ticking.generation != generation() {
                STEPS.store(0, Ordering::Release);
                *ticking = Ticking { generation: generation(), runs: false };
            }
            STEPS.fetch_add(1, Ordering::AcqRel);
            if !ticking.runs {
                ticking.runs = std::thread::Builder::new().name("ferroflow-pulse".into()).spawn(tick).is_ok();
            }
        }
        let (seen, counts) = (Cell::new(beats()), poll.map(|_| generation()));
        Pulse { poll, counts, seen, told: Cell::new(None), closed: None }
    }

    /// The watch of a call within a step, which beats for both, or of one without a step, which ends when `closed` is set.
    pub fn within(poll: &'a Poll<'a>, closed: &'a AtomicBool) -> Pulse<'a> {
        let seen = Cell::new(beats());
        Pulse { poll: Some(poll), counts: None, seen, told: Cell::new(None), closed: Some(closed) }
    }

    /// Asks, where a beat has passed since the last time.
    pub fn check(&self) -> Result<()> {
        if self.closed.is_some_and(|c| c.load(Ordering::Relaxed)) {
            return Err(Status::cancelled("Session was closed."));
        }
        let now = BEATS.load(Ordering::Relaxed);
        if now == self.seen.get() {
            return Ok(());
        }
        self.look_up(now)
    }

    #[cold]
    fn look_up(&self, now: u64) -> Result<()> {
        let told = |e: &Status| self.told.set(Some(e.code()));
        if now & COUNTED != 0 && self.counts.is_some() && CHECKS_LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
            return Err(Status::deadline_exceeded("The step was interrupted for a test.")).inspect_err(told);
        }
        self.seen.set(now & !COUNTED);
        let Some(poll) = self.poll else { return Ok(()) };
        poll().inspect_err(told)
    }

    /// Whether it was told something that ends the step.
    pub fn is_over(&self) -> bool {
        self.told.get().is_some()
    }

    /// Whether the caller wants to go on without the step at once, as after Ctrl-C.
    pub fn is_interrupted(&self) -> bool {
        self.told.get() == Some(Code::Cancelled)
    }
}

impl Drop for Pulse<'_> {
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
    fn a_long_step_is_asked_and_can_be_ended() {
        let poll: &Poll<'_> = &|| Err(Status::cancelled("stop"));
        let pulse = Pulse::begin(Some(poll));
        let began = std::time::Instant::now();
        while pulse.check().is_ok() {
            assert!(began.elapsed() < Duration::from_secs(5), "no beat came");
            std::hint::spin_loop();
        }
    }
}
