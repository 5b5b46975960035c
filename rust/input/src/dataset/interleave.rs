//! FlatMapDataset, InterleaveDataset, ParallelInterleaveDataset(V2): a dataset for every element, their elements in turns.

use super::function::Captured;
use super::held::Held;
use super::position::{Made, Position};
use super::prefetch;
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{KernelContext, Registry, shape_rules};
use ferroflow_tensor::{Result, ensure};
use std::sync::Arc;

struct Interleave {
    input: SharedDataset,
    function: Arc<Captured>,
    cycle_length: usize,
    block_length: usize,
    /// Elements that each of the open datasets is read ahead in a thread of its own; none for 0.
    ahead: usize,
    /// True for `flat_map`, in which every element has a place of its own in the pipeline.
    is_flat: bool,
}

struct InterleaveIterator {
    input: Option<Held>,
    function: Arc<Captured>,
    /// The datasets whose turn comes, by place; a place that was never reached is not there yet.
    open: Vec<Option<Made<(u64, Element)>>>,
    cycle_length: usize,
    block_length: usize,
    ahead: usize,
    is_flat: bool,
    /// Datasets made so far.
    made: u64,
    place: usize,
    /// Elements taken in this turn.
    taken: usize,
}

impl Dataset for Interleave {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(InterleaveIterator {
            input: Some(Held::new(self.input.iterator())),
            function: self.function.clone(),
            open: Vec::new(),
            cycle_length: self.cycle_length,
            block_length: self.block_length,
            ahead: self.ahead,
            is_flat: self.is_flat,
            made: 0,
            place: 0,
            taken: 0,
        })
    }
}

/// Returns the iterator of an element's dataset, which is read ahead if `ahead` is not 0.
fn opened(function: &Captured, element: Element, place: u64, ahead: usize, pull: Pull<'_>) -> Result<BoxedIterator> {
    let iterator = function.dataset(element, place, pull, "`f`")?.dataset.iterator();
    Ok(if ahead > 0 { BoxedIterator::new(prefetch::Ahead::new(iterator, ahead)) } else { iterator })
}

impl InterleaveIterator {
    fn pass_on(&mut self) {
        self.taken = 0;
        self.place = if self.place + 1 >= self.cycle_length { 0 } else { self.place + 1 };
    }
}

impl DatasetIterator for InterleaveIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            if let Some(Some(current)) = self.open.get_mut(self.place) {
                if let Some(element) = current.iterator.next(pull)? {
                    self.taken += 1;
                    if self.taken == self.block_length {
                        self.pass_on();
                    }
                    return Ok(Some(element));
                }
                self.open[self.place] = None;
                self.pass_on();
            } else if let Some(input) = &mut self.input {
                let function = &self.function;
                let place = if self.is_flat { self.made } else { self.place as u64 };
                let called = |element: Element, pull: Pull<'_>| {
                    let iterator = opened(function, element.clone(), place, self.ahead, pull)?;
                    Ok(Made { arguments: (place, element), iterator })
                };
                match input.with(function, pull, called)? {
                    None => self.input = None,
                    Some(made) => {
                        self.made += 1;
                        if self.place >= self.open.len() {
                            self.open.resize_with(self.place + 1, || None);
                        }
                        self.open[self.place] = Some(made);
                    }
                }
            } else if self.open.iter().all(Option::is_none) {
                return Ok(None);
            } else {
                // Places behind the last open one have no element.
                self.taken = 0;
                self.place = if self.place + 1 >= self.open.len() { 0 } else { self.place + 1 };
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.until_its_end(&mut self.input, Held::position)?;
        position.value(&mut self.made)?;
        position.value(&mut self.place)?;
        position.value(&mut self.taken)?;
        let mut count = self.open.len();
        position.value(&mut count)?;
        let (function, ahead) = (&self.function, self.ahead);
        for i in 0..count {
            if i == self.open.len() {
                self.open.push(None);
            }
            position.made(&mut self.open[i], |(place, element), pull| opened(function, element, place, ahead, pull))?;
        }
        Ok(())
    }
}

/// The source of the number of elements that are read ahead of each dataset.
#[derive(Clone, Copy)]
enum Ahead {
    Never,
    /// Two elements, as `num_parallel_calls` says only how many datasets are read at a time.
    Counted,
    /// By inputs.
    Told,
}

fn interleave(ctx: &KernelContext<'_>, f: &str, arguments: usize, ahead: Ahead) -> Result<Interleave> {
    let cycle_length = scalar::<i64>(ctx, 1 + arguments, "cycle_length")?;
    ensure!(cycle_length > 0, InvalidArgument, "cycle_length must be greater than zero.");
    let block_length = scalar::<i64>(ctx, 2 + arguments, "block_length")?;
    ensure!(block_length > 0, InvalidArgument, "block_length must be greater than zero.");
    let buffered = match ahead {
        Ahead::Never => 0,
        Ahead::Counted => {
            let calls = scalar::<i64>(ctx, 3 + arguments, "num_parallel_calls")?;
            ensure!(calls > 0 || calls == -1, InvalidArgument, "num_parallel_calls must be greater than zero.");
            2
        }
        Ahead::Told => {
            let buffered = scalar::<i64>(ctx, 4 + arguments, "buffer_output_elements")?;
            ensure!(buffered > 0, InvalidArgument, "`buffer_output_elements` must be > 0");
            let prefetched = scalar::<i64>(ctx, 5 + arguments, "prefetch_input_elements")?;
            ensure!(prefetched >= 0, InvalidArgument, "`prefetch_input_elements` must be >= 0");
            buffered
        }
    };
    Ok(Interleave {
        input: dataset_input(ctx, 0)?.dataset,
        function: Captured::new(ctx, f, 1..1 + arguments)?,
        cycle_length: usize::try_from(cycle_length).unwrap_or(usize::MAX),
        block_length: usize::try_from(block_length).unwrap_or(usize::MAX),
        ahead: usize::try_from(buffered).unwrap_or(0),
        is_flat: false,
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("FlatMapDataset").input("other_arguments: Targuments"))
            .attr("f: func")
            .attr("Targuments: list(type) >= 0")
            .doc(
                "Returns the elements of the datasets that `f` gives for the elements of the input, one after the \
                 other.",
            )
            .kernel(|init| {
                let f = init.func("f")?.name;
                dataset_kernel(init, move |ctx| {
                    Ok(Interleave {
                        input: dataset_input(ctx, 0)?.dataset,
                        function: Captured::new(ctx, &f, 1..ctx.num_inputs())?,
                        cycle_length: 1,
                        block_length: usize::MAX,
                        ahead: 0,
                        is_flat: true,
                    })
                })
            }),
    );
    let interleaved = |name: &str| {
        let op = unary(name).input("other_arguments: Targuments").input("cycle_length: int64");
        described(op.input("block_length: int64")).attr("f: func").attr("Targuments: list(type) >= 0")
    };
    r.add(
        interleaved("InterleaveDataset")
            .shape(shape_rules::scalar)
            .doc("Blocks of elements of the datasets that `f` gives, `cycle_length` of which take turns.")
            .kernel(|init| {
                let f = init.func("f")?.name;
                let arguments = init.dtypes("Targuments")?.len();
                dataset_kernel(init, move |ctx| interleave(ctx, &f, arguments, Ahead::Never))
            }),
    );
    r.add(
        interleaved("ParallelInterleaveDataset")
            .input("sloppy: bool")
            .input("buffer_output_elements: int64")
            .input("prefetch_input_elements: int64")
            .doc(
                "Interleaves as InterleaveDataset does, and reads the datasets that take turns ahead. The order is \
                 the same, sloppy or not.",
            )
            .kernel(|init| {
                let f = init.func("f")?.name;
                let arguments = init.dtypes("Targuments")?.len();
                dataset_kernel(init, move |ctx| interleave(ctx, &f, arguments, Ahead::Told))
            }),
    );
    r.add(
        interleaved("ParallelInterleaveDatasetV2")
            .input("num_parallel_calls: int64")
            .attr("sloppy: bool = false")
            .doc(
                "Interleaves as InterleaveDataset does, and reads the datasets that take turns ahead. The order is \
                 the same, sloppy or not.",
            )
            .kernel(|init| {
                let f = init.func("f")?.name;
                let arguments = init.dtypes("Targuments")?.len();
                dataset_kernel(init, move |ctx| interleave(ctx, &f, arguments, Ahead::Counted))
            }),
    );
}
