//! TakeWhileDataset: the elements before the first one that a predicate refuses.

use super::function::Captured;
use super::held::Held;
use super::map::tested;
use super::position::Position;
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel,
};
use ferroflow_graph::Registry;
use ferroflow_tensor::Result;
use std::sync::Arc;

struct TakeWhile {
    input: SharedDataset,
    predicate: Arc<Captured>,
}

struct TakeWhileIterator {
    /// Until the predicate refuses an element.
    input: Option<Held>,
    predicate: Arc<Captured>,
}

impl Dataset for TakeWhile {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(TakeWhileIterator {
            input: Some(Held::new(self.input.iterator())),
            predicate: self.predicate.clone(),
        })
    }
}

impl DatasetIterator for TakeWhileIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let Some(input) = &mut self.input else { return Ok(None) };
        match tested(input, &self.predicate, "`predicate`", pull)? {
            Some((true, element)) => Ok(Some(element)),
            _ => {
                self.input = None;
                Ok(None)
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.until_its_end(&mut self.input, Held::position)
    }
}

pub(super) fn register(r: &mut Registry) {
    for name in ["TakeWhileDataset", "ExperimentalTakeWhileDataset"] {
        r.add(
            described(unary(name).input("other_arguments: Targuments"))
                .attr("predicate: func")
                .attr("Targuments: list(type) >= 0")
                .doc("Returns the elements before the first one for which `predicate` is false.")
                .kernel(|init| {
                    let f = init.func("predicate")?.name;
                    dataset_kernel(init, move |ctx| {
                        let predicate = Captured::new(ctx, &f, 1..ctx.num_inputs())?;
                        Ok(TakeWhile { input: dataset_input(ctx, 0)?.dataset, predicate })
                    })
                }),
        );
    }
}
