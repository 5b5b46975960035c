//! ShardDataset: every n-th element.

use super::cardinality::Cardinality;
use super::position::Position;
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::Registry;
use ferroflow_tensor::{Result, bail, ensure};

struct Shard {
    input: SharedDataset,
    count: i64,
    index: i64,
    require_non_empty: bool,
}

struct ShardIterator {
    input: BoxedIterator,
    count: i64,
    index: i64,
    require_non_empty: bool,
    /// Number of the next element among `count` of them.
    place: i64,
    /// The element that was chosen, while the rest of the first round is read.
    chosen: Option<Element>,
}

impl Dataset for Shard {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(ShardIterator {
            input: self.input.iterator(),
            count: self.count,
            index: self.index,
            require_non_empty: self.require_non_empty,
            place: 0,
            chosen: None,
        })
    }

    fn cardinality(&self) -> Cardinality {
        let (count, index) = (self.count.unsigned_abs(), self.index.unsigned_abs());
        self.input.cardinality().map(|n| n / count + u64::from(index < n % count))
    }
}

impl DatasetIterator for ShardIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        while self.chosen.is_none() {
            pull.cancellation.check()?;
            let Some(element) = self.input.next(pull)? else { return Ok(None) };
            let is_chosen = self.place % self.count == self.index;
            // After the first round only the remainder counts.
            let next = self.place + 1;
            self.place = if next - self.count == self.count { self.count } else { next };
            self.chosen = is_chosen.then_some(element);
        }
        // TF 1.x: the first element of a shard comes only if every shard has one.
        while self.require_non_empty && self.place < self.count {
            pull.cancellation.check()?;
            if self.input.next(pull)?.is_none() {
                self.chosen = None;
                let elements = std::mem::replace(&mut self.place, self.count);
                bail!(
                    InvalidArgument,
                    "There aren't enough elements in this dataset for each shard to have at least one element (# elems = \
                     {elements}, # shards = {}). If you are using datasets with distribution strategy, consider turning \
                     dataset autosharding off with `tf.data.Options`.",
                    self.count
                );
            }
            self.place += 1;
        }
        Ok(self.chosen.take())
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.input)?;
        position.value(&mut self.place)?;
        position.value(&mut self.chosen)
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("ShardDataset").input("num_shards: int64").input("index: int64"))
            .attr("require_non_empty: bool = false")
            .shape(scalars)
            .doc("Returns every `num_shards`-th element, from element `index` on.")
            .kernel(|init| {
                let require_non_empty = init.bool("require_non_empty")?;
                dataset_kernel(init, move |ctx| {
                    let count = scalar::<i64>(ctx, 1, "num_shards")?;
                    let index = scalar::<i64>(ctx, 2, "index")?;
                    ensure!(
                        count > 0,
                        InvalidArgument,
                        "Number of shards must be greater than zero (currently num_shards = {count})."
                    );
                    ensure!(
                        (0..count).contains(&index),
                        InvalidArgument,
                        "Index must be between 0 and {} (currently index = {index}).",
                        count - 1
                    );
                    let input = dataset_input(ctx, 0)?.dataset;
                    Ok(Shard { input, count, index, require_non_empty })
                })
            }),
    );
}
