//! TensorDataset, TensorSliceDataset: tensors as one element, and their rows as elements.

use super::cardinality::Cardinality;
use super::function::owned;
use super::position::Position;
use super::schema::source;
use super::stacking::{common_rows, rows};
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, dataset_kernel};
use ferroflow_graph::Registry;
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;

struct Whole(Element);
struct WholeIterator(Option<Element>);

impl Dataset for Whole {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(WholeIterator(Some(self.0.clone())))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Finite(1)
    }
}

impl DatasetIterator for WholeIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        Ok(self.0.take())
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.until_its_end(&mut self.0, |_, _| Ok(()))
    }
}

struct Slices {
    components: Arc<[Tensor]>,
    count: usize,
}

struct SlicesIterator {
    components: Arc<[Tensor]>,
    count: usize,
    next: usize,
}

impl Dataset for Slices {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(SlicesIterator { components: self.components.clone(), count: self.count, next: 0 })
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Finite(self.count as u64)
    }
}

impl DatasetIterator for SlicesIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        if self.next >= self.count {
            return Ok(None);
        }
        let element = rows(&self.components, self.next)?;
        self.next += 1;
        Ok(Some(element))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.next)
    }
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = source(name).input("components: Toutput_types");
        op.attr("Toutput_types: list(type) >= 1").attr("output_shapes: list(shape) >= 1")
    };
    r.add(
        op("TensorDataset")
            .doc("Returns a dataset whose only element is made of the components.")
            .kernel(|init| dataset_kernel(init, |ctx| Ok(Whole(owned(ctx, 0..ctx.num_inputs())?)))),
    );
    r.add(op("TensorSliceDataset").doc("Returns a dataset whose elements are the rows of the components.").kernel(
        |init| {
            dataset_kernel(init, |ctx| {
                let components: Arc<[Tensor]> = owned(ctx, 0..ctx.num_inputs())?.into();
                Ok(Slices { count: common_rows(&components)?, components })
            })
        },
    ));
}
