//! GroupByReducerDataset: the elements of each key reduced to one element.

use super::function::Captured;
use super::group_by_window::scalar_result;
use super::position::Position;
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel,
};
use ferroflow_graph::Registry;
use ferroflow_tensor::{Result, Tensor};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

struct Functions {
    key: Arc<Captured>,
    init: Arc<Captured>,
    reduce: Arc<Captured>,
    finalize: Arc<Captured>,
}

struct GroupByReducer {
    input: SharedDataset,
    functions: Arc<Functions>,
}

struct GroupByReducerIterator {
    /// Until its end.
    input: Option<BoxedIterator>,
    /// Taken from the input, and in no state yet.
    element: Option<Element>,
    functions: Arc<Functions>,
    /// By ascending key.
    states: BTreeMap<i64, Element>,
}

impl Dataset for GroupByReducer {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(GroupByReducerIterator {
            input: Some(self.input.iterator()),
            element: None,
            functions: self.functions.clone(),
            states: BTreeMap::new(),
        })
    }
}

impl GroupByReducerIterator {
    fn reduce(&mut self, element: &Element, pull: Pull<'_>) -> Result<()> {
        let Functions { key, init, reduce, .. } = &*self.functions;
        let key = scalar_result(&key.call(element.iter().cloned(), pull)?, "key_func")?;
        let state = match self.states.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(init.call([Tensor::scalar(key)], pull)?),
        };
        *state = reduce.call(state.iter().chain(element).cloned(), pull)?;
        Ok(())
    }
}

impl DatasetIterator for GroupByReducerIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        while let Some(input) = &mut self.input {
            pull.check()?;
            let element = match self.element.take() {
                Some(element) => element,
                None => match input.next(pull)? {
                    Some(element) => element,
                    None => {
                        self.input = None;
                        break;
                    }
                },
            };
            if let Err(error) = self.reduce(&element, pull) {
                // The next call begins with the element again, if the step alone was interrupted.
                self.element = pull.is_interrupted().then_some(element);
                return Err(error);
            }
        }
        let Some((key, state)) = self.states.pop_first() else { return Ok(None) };
        let finished = self.functions.finalize.call(state.iter().cloned(), pull);
        if finished.is_err() && pull.is_interrupted() {
            self.states.insert(key, state);
        }
        finished.map(Some)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.until_its_end(&mut self.input, |input, position| position.iterator(input))?;
        position.value(&mut self.element)?;
        position.value(&mut self.states)
    }
}

const NAMES: [&str; 4] = ["key_func", "init_func", "reduce_func", "finalize_func"];

pub(super) fn register(r: &mut Registry) {
    for name in ["GroupByReducerDataset", "ExperimentalGroupByReducerDataset"] {
        let op =
            NAMES.iter().fold(unary(name), |op, f| op.input(&format!("{f}_other_arguments: T{f}_other_arguments")));
        let op = NAMES.iter().fold(op, |op, f| op.attr(&format!("{f}: func")));
        let op = NAMES.iter().fold(op, |op, f| op.attr(&format!("T{f}_other_arguments: list(type) >= 0")));
        r.add(
            described(op)
                .listed_stateful(true)
                .doc(
                    "Returns an element for each key. `init_func` makes a state of the key, and `reduce_func` makes the next \
                     state of a state and an element. `finalize_func` makes the element of the last state.",
                )
                .kernel(|init| {
                    let mut functions = Vec::new();
                    let mut start = 1;
                    for f in NAMES {
                        let end = start + init.dtypes(&format!("T{f}_other_arguments"))?.len();
                        functions.push((init.func(f)?.name, start..end));
                        start = end;
                    }
                    dataset_kernel(init, move |ctx| {
                        let function = |i: usize| Captured::new(ctx, &functions[i].0, functions[i].1.clone());
                        let functions = Functions {
                            key: function(0)?,
                            init: function(1)?,
                            reduce: function(2)?,
                            finalize: function(3)?,
                        };
                        Ok(GroupByReducer { input: dataset_input(ctx, 0)?.dataset, functions: Arc::new(functions) })
                    })
                }),
        );
    }
}
