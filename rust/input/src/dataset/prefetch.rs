//! PrefetchDataset: elements read ahead by a thread.

use super::background::{caught, check_process, end, lock, spawn, wait, wait_ahead};
use super::cardinality::Cardinality;
use super::place::Rewrites;
use super::position::Position;
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{Cancellation, Registry};
use ferroflow_sync::{Condvar, Mutex};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, ensure};
use std::collections::VecDeque;
use std::sync::Arc;

/// The default limit: from this many elements on, twice as many whenever the consumer waits for one.
const FIRST_LIMIT: usize = 1;
const LAST_LIMIT: usize = 256;

struct Buffer {
    elements: VecDeque<Result<Element>>,
    limit: usize,
    grows: bool,
    ended: bool,
}

struct Shared {
    /// Until its end. Locked while an element is taken from it and put into the buffer.
    input: Mutex<Option<BoxedIterator>>,
    buffer: Mutex<Buffer>,
    changed: Condvar,
    cancellation: Cancellation,
}

/// An iterator that reads another one ahead, from the first call on.
pub(super) struct Ahead {
    shared: Arc<Shared>,
    is_started: bool,
    process: u32,
}

impl Ahead {
    pub fn new(input: BoxedIterator, limit: usize) -> Ahead {
        Ahead::with(input, limit, false)
    }

    fn with(input: BoxedIterator, limit: usize, grows: bool) -> Ahead {
        let buffer = Mutex::new(Buffer { elements: VecDeque::new(), limit, grows, ended: false });
        let shared = Shared {
            input: Mutex::new(Some(input)),
            buffer,
            changed: Condvar::new(),
            cancellation: Cancellation::new(),
        };
        Ahead { shared: Arc::new(shared), is_started: false, process: std::process::id() }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        end(&self.shared.buffer, &self.shared.changed, &self.shared.cancellation);
    }
}

/// Fills the buffer until the input ends or nobody reads any more.
fn fill(shared: &Shared, threads: Threads) {
    let pull = Pull { cancellation: &shared.cancellation, threads, resumes: false };
    loop {
        let room = |b: &mut Buffer| (b.elements.len() < b.limit).then_some(());
        if wait_ahead(&shared.buffer, &shared.changed, &shared.cancellation, room).is_err() {
            return;
        }
        let mut input = shared.input.lock();
        let Some(iterator) = input.as_mut() else { return };
        match caught(|| iterator.next(pull)).transpose() {
            Some(element) => shared.buffer.lock().elements.push_back(element),
            None => {
                // The input's destructor runs before the end is visible.
                *input = None;
                shared.buffer.lock().ended = true;
            }
        }
        drop(input);
        shared.changed.notify_all();
    }
}

impl DatasetIterator for Ahead {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        check_process(self.process)?;
        if !self.is_started {
            let (shared, threads) = (self.shared.clone(), pull.threads);
            spawn("prefetch", move || fill(&shared, threads))?;
            self.is_started = true;
        }
        let mut waited = false;
        let element = wait(&self.shared.buffer, &self.shared.changed, pull, |b| {
            if let Some(element) = b.elements.pop_front() {
                return Some(element.map(Some));
            }
            if b.ended {
                return Some(Ok(None));
            }
            if b.grows && !std::mem::replace(&mut waited, true) {
                b.limit = (b.limit * 2).min(LAST_LIMIT);
            }
            None
        })?;
        self.shared.changed.notify_all();
        element
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        check_process(self.process)?;
        let mut input = lock(&self.shared.input, position.pull)?;
        position.until_its_end(&mut *input, |input, position| position.iterator(input))?;
        let mut buffer = self.shared.buffer.lock();
        position.value(&mut buffer.elements)?;
        position.value(&mut buffer.limit)?;
        position.value(&mut buffer.ended)
    }
}

struct Prefetch {
    input: SharedDataset,
    size: Option<usize>,
}

impl Dataset for Prefetch {
    fn iterator(&self) -> BoxedIterator {
        let input = self.input.iterator();
        if self.size == Some(0) {
            return input;
        }
        BoxedIterator::new(Ahead::with(input, self.size.unwrap_or(FIRST_LIMIT), self.size.is_none()))
    }

    fn repeated(&self, count: i64, rewrites: Rewrites) -> Option<SharedDataset> {
        if self.size == Some(0) && rewrites.drops_no_ops { self.input.repeated(count, rewrites) } else { None }
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("PrefetchDataset").input("buffer_size: int64"))
            .attr("slack_period: int = 0")
            .attr("legacy_autotune: bool = true")
            .shape(scalars)
            .doc(
                "Returns the input, read ahead by up to `buffer_size` elements; by none with 0. With -1 the buffer \
                 grows until the consumer waits no more.",
            )
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let size = scalar::<i64>(ctx, 1, "buffer_size")?;
                    ensure!(
                        size >= -1,
                        InvalidArgument,
                        "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning"
                    );
                    let size = (size >= 0).then(|| usize::try_from(size).unwrap_or(usize::MAX));
                    Ok(Prefetch { input: dataset_input(ctx, 0)?.dataset, size })
                })
            }),
    );
}
