//! IgnoreErrorsDataset, UniqueDataset: the elements that can be had, and those that were not there before.

use super::cardinality::Cardinality;
use super::position::Position;
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel,
};
use ferroflow_graph::Registry;
use ferroflow_tensor::threads::StackExhausted;
use ferroflow_tensor::{Bytes, DType, Result, bail};
use std::collections::HashSet;

struct IgnoreErrors(SharedDataset);
struct IgnoreErrorsIterator(BoxedIterator);

impl Dataset for IgnoreErrors {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(IgnoreErrorsIterator(self.0.iterator()))
    }

    fn cardinality(&self) -> Cardinality {
        self.0.cardinality()
    }
}

impl DatasetIterator for IgnoreErrorsIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            match self.0.next(pull) {
                // Without this, the same error would come for ever.
                Err(e) if e.cause::<StackExhausted>().is_some() => return Err(e),
                Err(_) => pull.check()?,
                found => return found,
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.0)
    }
}

struct Unique(SharedDataset);

struct UniqueIterator {
    input: BoxedIterator,
    seen: HashSet<Bytes>,
}

impl Dataset for Unique {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(UniqueIterator { input: self.0.iterator(), seen: HashSet::new() })
    }
}

impl DatasetIterator for UniqueIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            let Some(element) = self.input.next(pull)? else { return Ok(None) };
            let key: Bytes = match &element[..] {
                [one] if one.rank() == 0 => match (one.dtype(), one.bytes()) {
                    (DType::String, _) => one.strings()?.first().cloned().unwrap_or_default(),
                    (_, Some(bytes)) => bytes.into(),
                    _ => bail!(InvalidArgument, "UniqueDataset takes numbers and strings"),
                },
                _ => bail!(InvalidArgument, "UniqueDataset only supports inputs with a single scalar component."),
            };
            if self.seen.insert(key) {
                return Ok(Some(element));
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.input)?;
        position.value(&mut self.seen)
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("IgnoreErrorsDataset"))
            .doc("Returns the elements that are made without an error.")
            .kernel(|init| dataset_kernel(init, |ctx| Ok(IgnoreErrors(dataset_input(ctx, 0)?.dataset)))),
    );
    r.add(
        described(unary("UniqueDataset"))
            .doc("Returns the first of each number or string.")
            .kernel(|init| dataset_kernel(init, |ctx| Ok(Unique(dataset_input(ctx, 0)?.dataset)))),
    );
}
