//! SamplingDataset: elements that are kept with a given probability.

use super::position::Position;
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::Registry;
use ferroflow_tensor::Result;
use ferroflow_tensor::philox::{Philox, Words, convert::unit_f32};

struct Sampling {
    input: SharedDataset,
    rate: f32,
    stream: Philox,
}

struct SamplingIterator {
    input: BoxedIterator,
    rate: f32,
    words: Words,
}

impl Dataset for Sampling {
    fn iterator(&self) -> BoxedIterator {
        let (input, words) = (self.input.iterator(), Words::new(self.stream));
        BoxedIterator::new(SamplingIterator { input, rate: self.rate, words })
    }
}

impl DatasetIterator for SamplingIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            let Some(element) = self.input.next(pull)? else { return Ok(None) };
            if unit_f32(self.words.next_u32()) < self.rate {
                return Ok(Some(element));
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.input)?;
        position.value(&mut self.words)
    }
}

pub(super) fn register(r: &mut Registry) {
    let op = unary("SamplingDataset").input("rate: float").input("seed: int64").input("seed2: int64");
    r.add(described(op).shape(scalars).doc("Returns each element with the probability `rate`.").kernel(|init| {
        dataset_kernel(init, |ctx| {
            let stream = Philox::of_op(scalar(ctx, 2, "seed")?, scalar(ctx, 3, "seed2")?);
            Ok(Sampling { input: dataset_input(ctx, 0)?.dataset, rate: scalar(ctx, 1, "rate")?, stream })
        })
    }));
}
