//! RepeatDataset, TakeDataset, SkipDataset, ConcatenateDataset, ZipDataset: elements as they are, in other sequences.

use super::cardinality::Cardinality;
use super::place::{Place, Rewrites};
use super::position::Position;
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{Op, Registry, shape_rules};
use ferroflow_tensor::Result;

type Input = SharedDataset;

struct Repeat {
    input: Input,
    /// Negative: without end.
    count: i64,
}

struct RepeatIterator {
    input: Input,
    left: i64,
    current: Option<BoxedIterator>,
    /// The pass has given no element yet.
    is_fresh: bool,
}

impl Dataset for Repeat {
    fn iterator(&self) -> BoxedIterator {
        let rewrites = Place::current_rewrites();
        if self.count == 1 && rewrites.drops_no_ops {
            return self.input.iterator();
        }
        if let Some(whole) = self.input.repeated(self.count, rewrites) {
            // Restored passes come back to the same place.
            return whole.used(self.input.site()).iterator();
        }
        let current = (self.count != 0).then(|| self.input.iterator());
        BoxedIterator::new(RepeatIterator { input: self.input.clone(), left: self.count, current, is_fresh: true })
    }

    fn repeated(&self, count: i64, rewrites: Rewrites) -> Option<SharedDataset> {
        if self.count == 1 && rewrites.drops_no_ops { self.input.repeated(count, rewrites) } else { None }
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().passes(self.count)
    }
}

impl DatasetIterator for RepeatIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        while self.left != 0 {
            let current = self.current.get_or_insert_with(|| self.input.iterator());
            if let Some(element) = current.next(pull)? {
                self.is_fresh = false;
                return Ok(Some(element));
            }
            if self.left > 0 {
                self.left -= 1;
            } else if self.is_fresh {
                // Repeating nothing for ever is nothing.
                self.left = 0;
            }
            // The pass gives back what it holds, such as a cache that it fills.
            self.current = None;
            // TF 1.15: a pass begins also after the last one, which counts where a shuffle in the input draws seeds.
            self.current = Some(self.input.iterator());
            self.is_fresh = true;
            pull.check()?;
        }
        self.current = None;
        Ok(None)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.left)?;
        position.value(&mut self.is_fresh)?;
        let input = &self.input;
        position.part(&mut self.current, || input.iterator(), |current, position| position.iterator(current))
    }
}

struct Take {
    input: Input,
    /// Negative: all.
    count: i64,
}

struct TakeIterator {
    input: Option<BoxedIterator>,
    left: i64,
}

impl Dataset for Take {
    fn iterator(&self) -> BoxedIterator {
        let input = (self.count != 0).then(|| self.input.iterator());
        BoxedIterator::new(TakeIterator { input, left: self.count })
    }

    fn repeated(&self, count: i64, rewrites: Rewrites) -> Option<SharedDataset> {
        if self.count < 0 && rewrites.drops_no_ops { self.input.repeated(count, rewrites) } else { None }
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().taken(self.count)
    }
}

impl DatasetIterator for TakeIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if self.left != 0
            && let Some(input) = &mut self.input
            && let Some(element) = input.next(pull)?
        {
            self.left -= i64::from(self.left > 0);
            return Ok(Some(element));
        }
        self.input = None;
        Ok(None)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.left)?;
        position.until_its_end(&mut self.input, |input, position| position.iterator(input))
    }
}

struct Skip {
    input: Input,
    /// Negative: all.
    count: i64,
}

struct SkipIterator {
    input: BoxedIterator,
    left: i64,
}

impl Dataset for Skip {
    fn iterator(&self) -> BoxedIterator {
        if self.count < 0 {
            return BoxedIterator::new(TakeIterator { input: None, left: 0 });
        }
        BoxedIterator::new(SkipIterator { input: self.input.iterator(), left: self.count })
    }

    fn repeated(&self, count: i64, rewrites: Rewrites) -> Option<SharedDataset> {
        if self.count == 0 && rewrites.drops_no_ops { self.input.repeated(count, rewrites) } else { None }
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().map(|n| u64::try_from(self.count).map_or(0, |count| n.saturating_sub(count)))
    }
}

impl DatasetIterator for SkipIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        while self.left > 0 {
            pull.check()?;
            if self.input.next(pull)?.is_none() {
                return Ok(None);
            }
            self.left -= 1;
        }
        self.input.next(pull)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.left)?;
        position.iterator(&mut self.input)
    }
}

struct Concatenate {
    first: Input,
    second: Input,
}

struct ConcatenateIterator {
    current: BoxedIterator,
    then: Option<Input>,
}

impl Dataset for Concatenate {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(ConcatenateIterator { current: self.first.iterator(), then: Some(self.second.clone()) })
    }

    fn cardinality(&self) -> Cardinality {
        self.first.cardinality().and(self.second.cardinality())
    }
}

impl DatasetIterator for ConcatenateIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            if let Some(element) = self.current.next(pull)? {
                return Ok(Some(element));
            }
            match self.then.take() {
                Some(next) => self.current = next.iterator(),
                None => return Ok(None),
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let mut is_first = self.then.is_some();
        position.value(&mut is_first)?;
        if !is_first && let Some(next) = self.then.take() {
            self.current = next.iterator();
        }
        position.iterator(&mut self.current)
    }
}

struct Zip(Vec<Input>);

struct ZipIterator {
    inputs: Vec<BoxedIterator>,
    /// Of the next element: what the first inputs gave.
    taken: Vec<Element>,
}

impl Dataset for Zip {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(ZipIterator { inputs: self.0.iter().map(|d| d.iterator()).collect(), taken: Vec::new() })
    }

    fn cardinality(&self) -> Cardinality {
        self.0.iter().map(SharedDataset::cardinality).fold(Cardinality::Infinite, Cardinality::pairs)
    }
}

impl DatasetIterator for ZipIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        for input in self.inputs.iter_mut().skip(self.taken.len()) {
            match input.next(pull) {
                Ok(Some(element)) => self.taken.push(element),
                Ok(None) => return Ok(None),
                Err(e) => {
                    if !pull.is_interrupted() {
                        self.taken.clear();
                    }
                    return Err(e);
                }
            }
        }
        Ok(Some(self.taken.drain(..).flatten().collect()))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.inputs.iter_mut().try_for_each(|input| position.iterator(input))?;
        position.value(&mut self.taken)
    }
}

pub(super) fn register(r: &mut Registry) {
    let counted = |name: &str| described(unary(name).input("count: int64")).shape(scalars);
    r.add(
        counted("RepeatDataset").doc("Returns the input `count` times over; without end where it is negative.").kernel(
            |init| {
                dataset_kernel(init, |ctx| {
                    Ok(Repeat { input: dataset_input(ctx, 0)?.dataset, count: scalar(ctx, 1, "count")? })
                })
            },
        ),
    );
    r.add(counted("TakeDataset").doc("Returns the first `count` elements; all where it is negative.").kernel(|init| {
        dataset_kernel(init, |ctx| Ok(Take { input: dataset_input(ctx, 0)?.dataset, count: scalar(ctx, 1, "count")? }))
    }));
    r.add(counted("SkipDataset").doc("Returns all but the first `count` elements; none where it is negative.").kernel(
        |init| {
            dataset_kernel(init, |ctx| {
                Ok(Skip { input: dataset_input(ctx, 0)?.dataset, count: scalar(ctx, 1, "count")? })
            })
        },
    ));
    r.add(
        described(unary("ConcatenateDataset").input("another_dataset: variant"))
            .doc("Returns the elements of one dataset and then those of another.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    Ok(Concatenate { first: dataset_input(ctx, 0)?.dataset, second: dataset_input(ctx, 1)?.dataset })
                })
            }),
    );
    let zip = Op::new("ZipDataset").input("input_datasets: N * variant").output("handle: variant");
    r.add(
        described(zip)
            .attr("N: int >= 1")
            .shape(shape_rules::scalar)
            .doc("Returns elements of several datasets side by side, as long as all have one.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let inputs = (0..ctx.num_inputs()).map(|i| Ok(dataset_input(ctx, i)?.dataset));
                    Ok(Zip(inputs.collect::<Result<_>>()?))
                })
            }),
    );
}
