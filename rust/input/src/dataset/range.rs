//! RangeDataset, RandomDataset: numbers counted up or down, and random ones.

use super::cardinality::Cardinality;
use super::position::Position;
use super::schema::{all_scalars, described, source};
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, dataset_kernel, scalar};
use ferroflow_graph::Registry;
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::{Result, Tensor, ensure};

#[derive(Clone)]
struct Range {
    next: i64,
    stop: i64,
    step: i64,
}

impl Dataset for Range {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(self.clone())
    }

    fn cardinality(&self) -> Cardinality {
        let distance = i128::from(self.stop) - i128::from(self.next);
        let step = i128::from(self.step);
        let count = (distance + step - step.signum()).div_euclid(step);
        Cardinality::Finite(u64::try_from(count).unwrap_or(0))
    }
}

impl DatasetIterator for Range {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        let ended = if self.step > 0 { self.next >= self.stop } else { self.next <= self.stop };
        if ended {
            return Ok(None);
        }
        let value = self.next;
        // An overflow ends the range: no number lies beyond.
        self.next = value.checked_add(self.step).unwrap_or(self.stop);
        Ok(Some(vec![Tensor::scalar(value)]))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.next)
    }
}

struct Random(Philox);
struct RandomIterator(Words);

impl Dataset for Random {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(RandomIterator(Words::new(self.0)))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Infinite
    }
}

impl DatasetIterator for RandomIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        Ok(Some(vec![Tensor::scalar(i64::from(self.0.next_u32()))]))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.0)
    }
}

pub(super) fn register(r: &mut Registry) {
    let range = source("RangeDataset").input("start: int64").input("stop: int64").input("step: int64");
    r.add(described(range).shape(all_scalars).doc("Returns the numbers from `start` to before `stop`.").kernel(
        |init| {
            dataset_kernel(init, |ctx| {
                let step = scalar::<i64>(ctx, 2, "step")?;
                ensure!(step != 0, InvalidArgument, "step must be a non-zero integer.");
                Ok(Range { next: scalar(ctx, 0, "start")?, stop: scalar(ctx, 1, "stop")?, step })
            })
        },
    ));
    let random = source("RandomDataset").input("seed: int64").input("seed2: int64");
    r.add(described(random).shape(all_scalars).doc("Returns random numbers of 32 bits, without end.").kernel(|init| {
        dataset_kernel(init, |ctx| Ok(Random(Philox::of_op(scalar(ctx, 0, "seed")?, scalar(ctx, 1, "seed2")?))))
    }));
}
