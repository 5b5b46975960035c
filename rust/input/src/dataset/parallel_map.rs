//! ParallelMapDataset, MapAndBatchDataset(V2): a function called for several elements at once, results in order.

use super::background::{caught, check_process, end, lock, spawn, wait, wait_ahead};
use super::cardinality::Cardinality;
use super::function::Captured;
use super::position::Position;
use super::schema::{described, unary};
use super::stacking::stack;
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{Cancellation, KernelContext, Registry};
use ferroflow_sync::{Condvar, Mutex};
use ferroflow_tensor::threads::{Threads, default_count};
use ferroflow_tensor::{Result, Status, ensure};
use std::collections::VecDeque;
use std::sync::Arc;

/// Most threads of one iterator, however many calls are requested.
const MAX_CALLERS: usize = 64;

/// The result of one call, once it is known; `None` in it is the end.
type Place = Option<Result<Option<Element>>>;

struct Places {
    places: VecDeque<Place>,
    /// Number of the first place, counted from the beginning of the iteration.
    first: u64,
    limit: usize,
}

impl Places {
    fn has_room(&self) -> bool {
        self.places.len() < self.limit
    }

    /// Returns the number of a new place; `None` if another caller has taken the last one.
    fn next(&mut self) -> Option<u64> {
        self.has_room().then(|| {
            self.places.push_back(None);
            self.first + self.places.len() as u64 - 1
        })
    }
}

struct Shared {
    function: Arc<Captured>,
    /// Locked while an element is taken and given its place, so that places follow the input's order.
    input: Mutex<Option<BoxedIterator>>,
    places: Mutex<Places>,
    /// Notified when the first place is filled.
    filled: Condvar,
    /// Notified when there is room for one more.
    room: Condvar,
    cancellation: Cancellation,
}

/// Calls a function of another iterator's elements, from the first call on.
struct Calls {
    shared: Arc<Shared>,
    callers: usize,
    process: u32,
    ended: bool,
}

impl Calls {
    fn new(input: BoxedIterator, function: Arc<Captured>, limit: usize) -> Calls {
        let shared = Shared {
            function,
            input: Mutex::new(Some(input)),
            places: Mutex::new(Places { places: VecDeque::new(), first: 0, limit }),
            filled: Condvar::new(),
            room: Condvar::new(),
            cancellation: Cancellation::new(),
        };
        Calls { shared: Arc::new(shared), callers: 0, process: std::process::id(), ended: false }
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        end(&self.shared.places, &self.shared.room, &self.shared.cancellation);
    }
}

impl Shared {
    fn fill(&self, number: u64, result: Result<Option<Element>>) {
        let mut places = self.places.lock();
        let at = usize::try_from(number.wrapping_sub(places.first)).unwrap_or(usize::MAX);
        if let Some(place) = places.places.get_mut(at) {
            *place = Some(result);
        }
        drop(places);
        if at == 0 {
            self.filled.notify_one();
        }
    }

    /// Takes elements and calls the function until the input ends or nobody reads any more.
    fn work(&self, threads: Threads) -> Result<()> {
        let pull = Pull { cancellation: &self.cancellation, threads, resumes: false };
        loop {
            // Without the input's lock, which is free while nobody reads: positions are saved under it.
            wait_ahead(&self.places, &self.room, &self.cancellation, |p| p.has_room().then_some(()))?;
            let mut input = self.input.lock();
            self.cancellation.check()?;
            let Some(iterator) = input.as_mut() else { return Ok(()) };
            let Some(number) = self.places.lock().next() else { continue };
            let taken = caught(|| iterator.next(pull));
            match taken {
                Ok(Some(element)) => {
                    drop(input);
                    let result = caught(|| self.function.map(element, pull));
                    self.fill(number, result);
                }
                Ok(None) => {
                    *input = None;
                    self.fill(number, Ok(None));
                    return Ok(());
                }
                Err(e) => {
                    drop(input);
                    self.fill(number, Err(e));
                }
            }
        }
    }
}

impl Calls {
    /// Returns the result of the next call.
    ///
    /// Errors: the outer one if the pull is cancelled, and then the result stays; the inner one is the result itself.
    fn take(&mut self, pull: Pull<'_>) -> Result<Result<Option<Element>>> {
        if self.ended {
            return Ok(Ok(None));
        }
        check_process(self.process)?;
        let callers = self.shared.places.lock().limit.min(MAX_CALLERS);
        while self.callers < callers {
            let (shared, threads) = (self.shared.clone(), pull.threads);
            // A caller ends when the iterator is gone or its input has ended.
            spawn("map", move || shared.work(threads).unwrap_or(()))?;
            self.callers += 1;
        }
        let result = wait(&self.shared.places, &self.shared.filled, pull, |p| {
            p.places.front().is_some_and(Option::is_some).then(|| {
                p.first += 1;
                p.places.pop_front().flatten()
            })
        })?;
        self.shared.room.notify_one();
        match result {
            Some(Ok(None)) => {
                self.ended = true;
                Ok(Ok(None))
            }
            Some(result) => Ok(result),
            None => Err(Status::internal("a call has no result")),
        }
    }
}

impl DatasetIterator for Calls {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        self.take(pull)?
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        check_process(self.process)?;
        let shared = self.shared.clone();
        // While it is locked no call begins, and those that run end.
        let mut input = lock(&shared.input, position.pull)?;
        position.until_its_end(&mut *input, |input, position| position.iterator(input))?;
        let mut results = wait(&shared.places, &shared.filled, position.pull, |p| {
            p.places.iter().cloned().collect::<Option<Vec<_>>>()
        })?;
        position.value(&mut results)?;
        if position.is_restored() {
            shared.places.lock().places = results.into_iter().map(Some).collect();
        }
        position.value(&mut self.ended)
    }
}

struct ParallelMap {
    input: SharedDataset,
    function: Arc<Captured>,
    calls: usize,
    /// True if the function makes an element of each element, as its node promises.
    keeps_count: bool,
}

impl Dataset for ParallelMap {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(Calls::new(self.input.iterator(), self.function.clone(), self.calls))
    }

    fn cardinality(&self) -> Cardinality {
        if self.keeps_count { self.input.cardinality() } else { Cardinality::Unknown }
    }
}

struct MapAndBatch {
    input: SharedDataset,
    function: Arc<Captured>,
    calls: usize,
    size: usize,
    drop_remainder: bool,
    /// True if the function makes an element of each element, as its node promises.
    keeps_count: bool,
}

struct MapAndBatchIterator {
    results: Calls,
    size: usize,
    drop_remainder: bool,
    /// The batch that is being filled: results, calls and the first failure among them.
    elements: Vec<Element>,
    taken: usize,
    failure: Option<Status>,
}

impl Dataset for MapAndBatch {
    fn iterator(&self) -> BoxedIterator {
        let results = Calls::new(self.input.iterator(), self.function.clone(), self.calls);
        BoxedIterator::new(MapAndBatchIterator {
            results,
            size: self.size,
            drop_remainder: self.drop_remainder,
            elements: Vec::new(),
            taken: 0,
            failure: None,
        })
    }

    fn cardinality(&self) -> Cardinality {
        if !self.keeps_count {
            return Cardinality::Unknown;
        }
        self.input.cardinality().batches(self.size, self.drop_remainder)
    }
}

impl DatasetIterator for MapAndBatchIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        // A batch with a failure in it is dropped as a whole.
        while self.taken < self.size {
            match self.results.take(pull)? {
                Ok(Some(element)) => self.elements.push(element),
                Ok(None) => break,
                Err(e) => {
                    self.failure.get_or_insert(e);
                }
            }
            self.taken += 1;
        }
        self.taken = 0;
        let elements = std::mem::take(&mut self.elements);
        match self.failure.take() {
            Some(e) => Err(e),
            None if elements.is_empty() || (self.drop_remainder && elements.len() < self.size) => Ok(None),
            None => stack(&elements, pull.threads).map(Some),
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.results.position(position)?;
        position.value(&mut self.elements)?;
        position.value(&mut self.taken)?;
        position.value(&mut self.failure)
    }
}

fn map_and_batch(ctx: &KernelContext<'_>, f: &str, arguments: usize, keeps_count: bool) -> Result<MapAndBatch> {
    let size = scalar::<i64>(ctx, 1 + arguments, "batch_size")?;
    ensure!(size > 0, InvalidArgument, "batch_size must be greater than zero.");
    let parallel = scalar::<i64>(ctx, 2 + arguments, "num_parallel_calls")?;
    ensure!(parallel > 0 || parallel == -1, InvalidArgument, "num_parallel_calls must be greater than zero.");
    let calls = if parallel == -1 { default_count() as i64 } else { parallel };
    Ok(MapAndBatch {
        input: dataset_input(ctx, 0)?.dataset,
        function: Captured::new(ctx, f, 1..1 + arguments)?,
        calls: usize::try_from(calls).unwrap_or(1),
        size: usize::try_from(size).unwrap_or(usize::MAX),
        drop_remainder: scalar(ctx, 3 + arguments, "drop_remainder")?,
        keeps_count,
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("ParallelMapDataset").input("other_arguments: Targuments").input("num_parallel_calls: int32"))
            .attr("f: func")
            .attr("Targuments: list(type) >= 0")
            .attr("use_inter_op_parallelism: bool = true")
            // The order is kept, although it need not be.
            .attr("sloppy: bool = false")
            .attr("preserve_cardinality: bool = false")
            .doc(
                "Returns the results of `f` for the elements of the input, in their order, several of them computed \
                 at once.",
            )
            .kernel(|init| {
                let f = init.func("f")?.name;
                let arguments = init.dtypes("Targuments")?.len();
                let keeps_count = init.bool("preserve_cardinality")?;
                dataset_kernel(init, move |ctx| {
                    let calls = scalar::<i32>(ctx, 1 + arguments, "num_parallel_calls")?;
                    ensure!(calls > 0 || calls == -1, InvalidArgument, "num_parallel_calls must be greater than zero.");
                    Ok(ParallelMap {
                        input: dataset_input(ctx, 0)?.dataset,
                        function: Captured::new(ctx, &f, 1..1 + arguments)?,
                        calls: usize::try_from(calls).unwrap_or_else(|_| default_count()),
                        keeps_count,
                    })
                })
            }),
    );
    // In TF 1.8 the number of the first one counted batches: only the number of threads depends on that.
    for name in ["MapAndBatchDataset", "MapAndBatchDatasetV2"] {
        let op = unary(name).input("other_arguments: Targuments").input("batch_size: int64");
        r.add(
            described(op.input("num_parallel_calls: int64").input("drop_remainder: bool"))
                .attr("f: func")
                .attr("Targuments: list(type) >= 0")
                .attr("preserve_cardinality: bool = false")
                .doc("Returns batches of the results of `f`, `num_parallel_calls` of which are computed at once.")
                .kernel(|init| {
                    let f = init.func("f")?.name;
                    let arguments = init.dtypes("Targuments")?.len();
                    let keeps_count = init.bool("preserve_cardinality")?;
                    dataset_kernel(init, move |ctx| map_and_batch(ctx, &f, arguments, keeps_count))
                }),
        );
    }
}
