//! Threads for work that blocks outside the engine: each piece has a thread of its own, which serves the next piece afterwards.

use crate::{Status, flush_denormals};
use ferroflow_sync::{Condvar, Mutex, generation, watch_forks};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

/// The most pieces of blocking work under way at once in a process.
pub const MOST_ASIDE: usize = 4096;

/// Time after which a thread without work ends.
const STAY: Duration = Duration::from_secs(10);

/// A piece of work.
pub type Work = Box<dyn FnOnce() + Send>;

/// Work that got no thread, and why: `ResourceExhausted`.
pub struct Refused {
    pub work: Work,
    pub reason: Status,
}

/// Runs `work` on a thread of its own, and returns at once. It never waits for other work to end; a panic in it is dropped.
///
/// Errors: the work itself where `most` pieces, or [`MOST_ASIDE`], are under way, or the system gives no thread.
pub fn run_aside(most: usize, work: Work) -> Result<(), Refused> {
    cache().run(most, work)
}

struct Cache {
    generation: u32,
    most: usize,
    stay: Duration,
    state: Mutex<State>,
}

struct State {
    /// Threads that wait for work; the last to come is the first to go, so that the others may end.
    idle: Vec<Arc<Mailbox>>,
    threads: usize,
}

/// The place of a thread's next piece of work.
#[derive(Default)]
struct Mailbox {
    work: Mutex<Option<Work>>,
    came: Condvar,
}

/// Returns the threads of this process. A fork's child makes its own: those of its parent are not there, and their lock
/// may be held.
fn cache() -> &'static Cache {
    static CURRENT: AtomicPtr<Cache> = AtomicPtr::new(std::ptr::null_mut());
    let mut found = CURRENT.load(Ordering::Acquire);
    loop {
        // SAFETY: what was published is never freed.
        if let Some(cache) = unsafe { found.as_ref() }
            && cache.generation == generation()
        {
            return cache;
        }
        watch_forks();
        let fresh = Box::into_raw(Box::new(Cache::new(MOST_ASIDE, STAY)));
        match CURRENT.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => found = fresh,
            Err(other) => {
                // SAFETY: `fresh` came from `Box::into_raw` above and was not published.
                drop(unsafe { Box::from_raw(fresh) });
                found = other;
            }
        }
    }
}

impl Cache {
    fn new(most: usize, stay: Duration) -> Cache {
        let state = Mutex::new(State { idle: Vec::new(), threads: 0 });
        Cache { generation: generation(), most, stay, state }
    }

    fn run(&'static self, most: usize, work: Work) -> Result<(), Refused> {
        let mut state = self.state.lock();
        let busy = state.threads - state.idle.len();
        if busy >= most.min(self.most) {
            let reason = format!("{busy} blocking operations are under way, which is the most at once");
            return Err(Refused { work, reason: Status::resource_exhausted(reason) });
        }
        if let Some(mailbox) = state.idle.pop() {
            drop(state);
            *mailbox.work.lock() = Some(work);
            mailbox.came.notify_one();
            return Ok(());
        }
        state.threads += 1;
        drop(state);
        let mailbox = Arc::new(Mailbox::default());
        *mailbox.work.lock() = Some(work);
        let own = mailbox.clone();
        let started = std::thread::Builder::new().name("ferroflow-aside".into()).spawn(move || self.serve(&own));
        let Err(e) = started else { return Ok(()) };
        self.state.lock().threads -= 1;
        let reason = format!("A blocking operation needs a thread, and none could be started: {e}");
        match mailbox.work.lock().take() {
            Some(work) => Err(Refused { work, reason: Status::resource_exhausted(reason) }),
            None => Ok(()),
        }
    }

    fn serve(&self, mailbox: &Arc<Mailbox>) {
        flush_denormals();
        while let Some(work) = self.next(mailbox) {
            // The work itself stores how it ended; nothing waits for this thread.
            let _ = catch_unwind(AssertUnwindSafe(work));
            self.state.lock().idle.push(mailbox.clone());
        }
    }

    /// Returns the next piece of work; `None` once none has come for long, and none will.
    fn next(&self, mailbox: &Arc<Mailbox>) -> Option<Work> {
        let mut slot = mailbox.work.lock();
        loop {
            if let Some(work) = slot.take() {
                return Some(work);
            }
            let waited = mailbox.came.wait_for(&mut slot, self.stay);
            if !waited.timed_out() || slot.is_some() {
                continue;
            }
            drop(slot);
            let mut state = self.state.lock();
            if let Some(i) = state.idle.iter().position(|m| Arc::ptr_eq(m, mailbox)) {
                state.idle.remove(i);
                state.threads -= 1;
                return None;
            }
            // It was taken from the line in between: its work will arrive.
            drop(state);
            slot = mailbox.work.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Result};
    use std::sync::Barrier;
    use std::sync::mpsc::channel;

    const HANGS: Duration = Duration::from_secs(20);

    fn fresh(most: usize, stay: Duration) -> &'static Cache {
        Box::leak(Box::new(Cache::new(most, stay)))
    }

    fn run(cache: &'static Cache, work: Work) -> Result<()> {
        cache.run(MOST_ASIDE, work).map_err(|refused| refused.reason)
    }

    /// Waits until no thread works.
    fn settle(cache: &Cache) -> usize {
        let began = std::time::Instant::now();
        loop {
            let state = cache.state.lock();
            if state.idle.len() == state.threads || began.elapsed() > HANGS {
                return state.threads;
            }
            drop(state);
            std::thread::yield_now();
        }
    }

    #[test]
    fn pieces_that_wait_for_each_other_all_run() {
        let cache = fresh(MOST_ASIDE, STAY);
        for n in [2, 40, 3] {
            let (barrier, (sender, receiver)) = (Arc::new(Barrier::new(n)), channel());
            for _ in 0..n {
                let (barrier, sender) = (barrier.clone(), sender.clone());
                run(cache, Box::new(move || sender.send(barrier.wait().is_leader()).unwrap())).unwrap();
            }
            let leaders = (0..n).filter(|_| receiver.recv_timeout(HANGS).unwrap()).count();
            assert_eq!(leaders, 1);
        }
    }

    #[test]
    fn threads_are_kept_for_later_work_and_end_after_a_while() {
        let cache = fresh(MOST_ASIDE, STAY);
        for _ in 0..50 {
            let (sender, receiver) = channel();
            run(cache, Box::new(move || sender.send(()).unwrap())).unwrap();
            receiver.recv_timeout(HANGS).unwrap();
            assert_eq!(settle(cache), 1);
        }
        let cache = fresh(MOST_ASIDE, Duration::from_millis(1));
        run(cache, Box::new(|| ())).unwrap();
        let began = std::time::Instant::now();
        while cache.state.lock().threads > 0 {
            assert!(began.elapsed() < HANGS, "an idle thread stays");
            std::thread::yield_now();
        }
    }

    #[test]
    fn work_given_while_threads_end_is_done() {
        let cache = fresh(MOST_ASIDE, Duration::from_micros(1));
        for _ in 0..3000 {
            let (sender, receiver) = channel();
            run(cache, Box::new(move || sender.send(()).unwrap())).unwrap();
            receiver.recv_timeout(HANGS).unwrap();
        }
    }

    #[test]
    fn beyond_the_bound_work_is_refused_until_some_has_ended() {
        let cache = fresh(2, STAY);
        let barrier = Arc::new(Barrier::new(3));
        for _ in 0..2 {
            let barrier = barrier.clone();
            let work = move || {
                barrier.wait();
            };
            run(cache, Box::new(work)).unwrap();
        }
        assert_eq!(run(cache, Box::new(|| ())).unwrap_err().code(), Code::ResourceExhausted);
        barrier.wait();
        settle(cache);
        run(cache, Box::new(|| ())).unwrap();
        let refused = cache.run(0, Box::new(|| ())).err().unwrap();
        assert_eq!(refused.reason.code(), Code::ResourceExhausted);
        (refused.work)();
    }

    #[test]
    fn a_panic_costs_no_thread() {
        let cache = fresh(1, STAY);
        for _ in 0..3 {
            run(cache, Box::new(|| std::panic::resume_unwind(Box::new(())))).unwrap();
            assert_eq!(settle(cache), 1);
        }
    }
}
