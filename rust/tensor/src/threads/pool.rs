//! The worker pool beneath `Threads`: workers that spin for a bounded time after a job before they sleep.
//!
//! A job is open or closed, and `state` holds that, its number, and how many workers are inside it, in one word:
//!
//! ```text
//! state = number << 32 | OPEN? << 31 | workers inside
//! ```
//!
//! A worker enters by a compare-and-swap that succeeds only while the job is open. The caller closes the job when all
//! shares have run out and then waits until no worker is inside. So a late worker never sees a job whose caller has
//! returned. A caller never waits for a worker that has not begun.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

use super::watch::Watch;
use super::{Interrupted, MAX_THREADS};
use crate::flush_denormals;
use ferroflow_sync::{Mutex, OnceLock, generation, watch_forks};

/// Time for which a worker polls for the next job before it sleeps. Waking a sleeping thread costs 20 to 30 us; this
/// time covers the gaps between a step's kernels, and no more.
const SPIN: Duration = Duration::from_micros(100);

/// Polls between two readings of the clock.
const POLLS_PER_CLOCK: u32 = 64;

/// Polls for a worker still inside before the caller yields its time slice.
const POLLS_BEFORE_YIELD: u32 = 4096;

const OPEN: u64 = 1 << 31;
const INSIDE: u64 = OPEN - 1;
const NUMBER_SHIFT: u32 = 32;

type Body<'a> = &'a (dyn Fn(usize) + Sync);

/// The request of the open job's caller; written while the job is closed and no worker is inside.
struct Job {
    body: Option<Body<'static>>,
    tasks: usize,
}

struct Pool {
    generation: u32,
    workers: OnceLock<Vec<Worker>>,
    /// Held by the caller whose job is in the pool.
    owned: AtomicBool,
    state: AtomicU64,
    /// The next task of each thread's share. Shares are contiguous and the same for equal numbers of tasks, so that a
    /// kernel reuses its core's cache from the kernel before. A thread whose share has run out helps the next.
    next: Box<[Padded<AtomicUsize>]>,
    job: UnsafeCell<Job>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

#[repr(align(128))]
struct Padded<T>(T);

struct Worker {
    thread: Thread,
    asleep: &'static AtomicBool,
}

// SAFETY: `job` is the only part that is not Sync by itself. The thread that holds `owned` writes it, while the job is
// closed and no worker is inside. Only workers inside an open job read it. `state` orders the two.
unsafe impl Sync for Pool {}

static POOLS: [AtomicPtr<Pool>; MAX_THREADS + 1] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_THREADS + 1];

thread_local! {
    /// True while this thread runs a task, so that a loop inside it runs inline.
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
    /// The loops of this thread that a pool has run.
    static SHARED_LOOPS: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of loops that the calling thread has shared with other threads so far.
pub fn shared_loops() -> u64 {
    SHARED_LOOPS.get()
}

/// Runs the tasks on the pool of `count` threads. While the pool is busy, they run on the calling thread alone, and
/// loops inside them inline. Returns `None`, with nothing run, if the caller must run them alone.
pub(super) fn run(count: usize, tasks: usize, body: Body<'_>, watch: Watch) -> Option<Result<(), Interrupted>> {
    if IN_TASK.get() {
        return None;
    }
    let pool = pool_of(count)?;
    if pool.owned.swap(true, Ordering::Acquire) {
        return Some(run_alone(tasks, body, watch));
    }
    SHARED_LOOPS.set(SHARED_LOOPS.get().wrapping_add(1));
    let ended = pool.run_owned(count, tasks, body, watch);
    pool.owned.store(false, Ordering::Release);
    match ended {
        Ok(ran) => Some(ran),
        Err(payload) => resume_unwind(payload),
    }
}

fn run_alone(tasks: usize, body: Body<'_>, watch: Watch) -> Result<(), Interrupted> {
    for task in 0..tasks {
        watch.check()?;
        // Otherwise inner loops that find the pool free would be cut again.
        let _marked = InTask::enter();
        body(task);
    }
    Ok(())
}

/// Marks the thread as running a task, until it is dropped.
struct InTask {
    outer: bool,
}

impl InTask {
    fn enter() -> InTask {
        InTask { outer: IN_TASK.replace(true) }
    }
}

impl Drop for InTask {
    fn drop(&mut self) {
        IN_TASK.set(self.outer);
    }
}

/// Returns the pool of this size in this process. A fork's child finds its parent's, whose workers it does not have,
/// and replaces it.
fn pool_of(count: usize) -> Option<&'static Pool> {
    let slot = POOLS.get(count)?;
    let mut found = slot.load(Ordering::Acquire);
    loop {
        // SAFETY: a pool, once in the table, is never freed.
        if let Some(pool) = unsafe { found.as_ref() }
            && pool.generation == generation()
        {
            return Some(pool);
        }
        watch_forks();
        let fresh = Box::into_raw(Box::new(Pool::new(count)));
        match slot.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => found = fresh,
            Err(other) => {
                // SAFETY: `fresh` came from `Box::into_raw` above and was not published.
                drop(unsafe { Box::from_raw(fresh) });
                found = other;
            }
        }
    }
}

impl Pool {
    fn new(count: usize) -> Pool {
        Pool {
            generation: generation(),
            workers: OnceLock::new(),
            owned: AtomicBool::new(false),
            state: AtomicU64::new(0),
            next: (0..count).map(|_| Padded(AtomicUsize::new(0))).collect(),
            job: UnsafeCell::new(Job { body: None, tasks: 0 }),
            panic: Mutex::new(None),
        }
    }

    /// Runs one job; the calling thread holds `owned`. The error is what a task panicked with.
    fn run_owned(
        &'static self,
        count: usize,
        tasks: usize,
        body: Body<'_>,
        watch: Watch,
    ) -> Result<Result<(), Interrupted>, Box<dyn Any + Send>> {
        let workers = self.workers.get_or_init(|| (1..count).filter_map(|index| start_worker(self, index)).collect());
        // SAFETY: only the lifetime changes. Workers use the body only while inside the open job. This function returns
        // only after the job is closed and no worker is inside.
        let body_static = unsafe { std::mem::transmute::<Body<'_>, Body<'static>>(body) };
        // SAFETY: this thread holds `owned`, the job is closed and no worker is inside, so no one else reads or writes it.
        unsafe { *self.job.get() = Job { body: Some(body_static), tasks } };
        for (thread, next) in self.next.iter().enumerate() {
            next.0.store(self.share_start(thread, tasks), Ordering::Relaxed);
        }
        let number = (self.state.load(Ordering::Relaxed) >> NUMBER_SHIFT).wrapping_add(1);
        // SeqCst here and in `await_job`: either the worker sees the open job, or this thread sees the sleeping worker.
        // Otherwise a worker could sleep through a job.
        self.state.store(number << NUMBER_SHIFT | OPEN, Ordering::SeqCst);
        for worker in workers.iter().take(tasks - 1) {
            if worker.asleep.load(Ordering::SeqCst) && worker.asleep.swap(false, Ordering::SeqCst) {
                worker.thread.unpark();
            }
        }

        let ran = self.take_tasks(0, tasks, body, watch);

        self.state.fetch_and(!OPEN, Ordering::AcqRel);
        let mut polls = 0u32;
        while self.state.load(Ordering::Acquire) & INSIDE != 0 {
            polls += 1;
            if polls.is_multiple_of(POLLS_BEFORE_YIELD) {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        self.panic.lock().take().map_or(Ok(ran), Err)
    }

    /// Returns the first task of a thread's share; of the thread after the last one: the number of tasks.
    fn share_start(&self, thread: usize, tasks: usize) -> usize {
        (thread as u128 * tasks as u128 / self.next.len() as u128) as usize
    }

    /// Makes all tasks that have not begun be skipped.
    fn skip_rest(&self, tasks: usize) {
        for next in &self.next {
            next.0.store(tasks, Ordering::Relaxed);
        }
    }

    /// Runs tasks until none is left, those of thread `me`'s share first; a panic ends the job early and is kept for the
    /// caller.
    fn take_tasks(&self, me: usize, tasks: usize, body: Body<'_>, watch: Watch) -> Result<(), Interrupted> {
        let marked = InTask::enter();
        let threads = self.next.len();
        let done = catch_unwind(AssertUnwindSafe(|| -> Result<(), Interrupted> {
            for thread in (me..threads).chain(0..me) {
                let end = self.share_start(thread + 1, tasks);
                loop {
                    let task = self.next[thread].0.fetch_add(1, Ordering::Relaxed);
                    if task >= end {
                        break;
                    }
                    watch.check()?;
                    body(task);
                }
            }
            Ok(())
        }));
        drop(marked);
        match done {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Interrupted)) => {
                self.skip_rest(tasks);
                Err(Interrupted)
            }
            Err(payload) => {
                self.skip_rest(tasks);
                self.panic.lock().get_or_insert(payload);
                Ok(())
            }
        }
    }

    /// Runs a worker until its thread ends.
    fn work(&self, me: usize, asleep: &AtomicBool) {
        let mut last = 0;
        loop {
            let seen = self.await_job(last, asleep);
            last = seen >> NUMBER_SHIFT;
            if self.state.compare_exchange(seen, seen + 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                // Another worker came in at the same moment, or the job closed: read the state of the same job again.
                last = last.wrapping_sub(1);
                continue;
            }
            // SAFETY: this worker is inside an open job, so the caller does not touch the job and outlives this use.
            let job = unsafe { &*self.job.get() };
            if let Some(body) = job.body {
                // The watch belongs to the calling thread, so workers' parts are never interrupted.
                let (Ok(()) | Err(Interrupted)) = self.take_tasks(me, job.tasks, body, Watch::NONE);
            }
            self.state.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Waits, first spinning and then asleep, for an open job other than number `last`.
    fn await_job(&self, last: u64, asleep: &AtomicBool) -> u64 {
        let is_new = |state: u64| state & OPEN != 0 && state >> NUMBER_SHIFT != last;
        loop {
            let start = Instant::now();
            let mut polls = 0u32;
            loop {
                let state = self.state.load(Ordering::Acquire);
                if is_new(state) {
                    return state;
                }
                polls += 1;
                if polls.is_multiple_of(POLLS_PER_CLOCK) && start.elapsed() > SPIN {
                    break;
                }
                std::hint::spin_loop();
            }
            asleep.store(true, Ordering::SeqCst);
            loop {
                let state = self.state.load(Ordering::SeqCst);
                if is_new(state) {
                    asleep.store(false, Ordering::SeqCst);
                    return state;
                }
                if !asleep.load(Ordering::SeqCst) {
                    break;
                }
                std::thread::park();
            }
        }
    }
}

/// Starts one worker; none when the system gives no thread, and then the job has one thread fewer.
fn start_worker(pool: &'static Pool, index: usize) -> Option<Worker> {
    // Leaked: it is used as long as the worker runs, which is as long as the process.
    let asleep: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let handle = std::thread::Builder::new()
        .name(format!("ferroflow-{index}"))
        .spawn(move || {
            IN_TASK.set(true);
            flush_denormals();
            pool.work(index, asleep);
        })
        .ok()?;
    Some(Worker { thread: handle.thread().clone(), asleep })
}
