//! DirectedInterleaveDataset: elements of several datasets, the next one from the dataset that another dataset names.

use super::position::{Position, misfit};
use super::schema::described;
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel,
};
use ferroflow_graph::{Op, Registry, shape_rules};
use ferroflow_tensor::{DType, Result, bail};

struct Directed {
    selector: SharedDataset,
    inputs: Vec<SharedDataset>,
}

struct DirectedIterator {
    selector: BoxedIterator,
    /// `None` where one has ended.
    inputs: Vec<Option<BoxedIterator>>,
    /// The input that the selector named, until it has given an element or ended.
    chosen: Option<usize>,
}

impl Dataset for Directed {
    fn iterator(&self) -> BoxedIterator {
        let inputs = self.inputs.iter().map(|d| Some(d.iterator())).collect();
        BoxedIterator::new(DirectedIterator { selector: self.selector.iterator(), inputs, chosen: None })
    }
}

impl DatasetIterator for DirectedIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            if self.inputs.iter().all(Option::is_none) {
                return Ok(None);
            }
            let chosen = match self.chosen.take() {
                Some(chosen) => chosen,
                None => {
                    let Some(chosen) = self.selector.next(pull)? else { return Ok(None) };
                    let number = match &chosen[..] {
                        [one] if one.dtype() == DType::I64 && one.rank() == 0 => one.to_scalar::<i64>()?,
                        _ => bail!(InvalidArgument, "The selector must give scalars of type int64."),
                    };
                    let count = self.inputs.len();
                    match usize::try_from(number).ok().filter(|&i| i < count) {
                        Some(chosen) => chosen,
                        None => bail!(InvalidArgument, "Selector index out of range: {number} >= {count}"),
                    }
                }
            };
            // Inputs that have ended are skipped.
            let input = &mut self.inputs[chosen];
            if let Some(iterator) = input {
                match iterator.next(pull) {
                    Ok(Some(element)) => return Ok(Some(element)),
                    Ok(None) => *input = None,
                    Err(e) => {
                        self.chosen = pull.is_interrupted().then_some(chosen);
                        return Err(e);
                    }
                }
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.iterator(&mut self.selector)?;
        for input in &mut self.inputs {
            position.until_its_end(input, |input, position| position.iterator(input))?;
        }
        position.value(&mut self.chosen)?;
        if self.chosen.is_some_and(|chosen| chosen >= self.inputs.len()) {
            return Err(misfit());
        }
        Ok(())
    }
}

pub(super) fn register(r: &mut Registry) {
    let op = Op::new("DirectedInterleaveDataset").input("selector_input_dataset: variant");
    r.add(
        described(op.input("data_input_datasets: N * variant").output("handle: variant"))
            .attr("N: int >= 1")
            .shape(shape_rules::scalar)
            .doc("Returns elements of several datasets, in the order that the numbers of a selecting dataset give.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let inputs = (1..ctx.num_inputs()).map(|i| Ok(dataset_input(ctx, i)?.dataset));
                    Ok(Directed { selector: dataset_input(ctx, 0)?.dataset, inputs: inputs.collect::<Result<_>>()? })
                })
            }),
    );
}
