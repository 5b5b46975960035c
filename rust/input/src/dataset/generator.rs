//! GeneratorDataset: a state made by one function, elements made from it by another, until that says there are no more.

use super::function::Captured;
use super::position::Position;
use super::schema::{described, source};
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, dataset_kernel};
use ferroflow_graph::{Cancellation, Registry};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;

struct Functions {
    init: Arc<Captured>,
    next: Arc<Captured>,
    finalize: Arc<Captured>,
}

struct Generator(Arc<Functions>);

struct GeneratorIterator {
    functions: Arc<Functions>,
    state: Option<Vec<Tensor>>,
    ended: bool,
}

impl Dataset for Generator {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(GeneratorIterator { functions: self.0.clone(), state: None, ended: false })
    }
}

impl GeneratorIterator {
    fn finalize(&mut self, pull: Pull<'_>) -> Result<()> {
        match self.state.take() {
            Some(state) => self.functions.finalize.call(state, pull).map(drop),
            None => Ok(()),
        }
    }
}

impl DatasetIterator for GeneratorIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if self.ended {
            self.finalize(pull)?;
            return Ok(None);
        }
        let state = match &self.state {
            Some(state) => state.clone(),
            None => {
                let state = self.functions.init.call([], pull)?;
                self.state.insert(state).clone()
            }
        };
        let element = self.functions.next.map(state, pull)?;
        if element.is_none() {
            self.ended = true;
            self.finalize(pull)?;
        }
        Ok(element)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.state)?;
        position.value(&mut self.ended)
    }
}

impl Drop for GeneratorIterator {
    fn drop(&mut self) {
        let cancellation = Cancellation::new();
        let pull = Pull { cancellation: &cancellation, threads: Threads::single(), resumes: false };
        // Nothing is left that could report a failure.
        self.finalize(pull).unwrap_or(());
    }
}

pub(super) fn register(r: &mut Registry) {
    let op = source("GeneratorDataset")
        .input("init_func_other_args: Tinit_func_args")
        .input("next_func_other_args: Tnext_func_args")
        .input("finalize_func_other_args: Tfinalize_func_args")
        .attr("init_func: func")
        .attr("next_func: func")
        .attr("finalize_func: func")
        .attr("Tinit_func_args: list(type) >= 0")
        .attr("Tnext_func_args: list(type) >= 0")
        .attr("Tfinalize_func_args: list(type) >= 0");
    r.add(
        described(op)
            .doc(
                "Returns the results of `next_func` for the state that `init_func` returns, until it fails with \
                 OutOfRange.",
            )
            .kernel(|init| {
                let names = [init.func("init_func")?, init.func("next_func")?, init.func("finalize_func")?];
                let [begin, next, finalize] = names.map(|f| f.name);
                let begins = init.dtypes("Tinit_func_args")?.len();
                let nexts = begins + init.dtypes("Tnext_func_args")?.len();
                dataset_kernel(init, move |ctx| {
                    Ok(Generator(Arc::new(Functions {
                        init: Captured::new(ctx, &begin, 0..begins)?,
                        next: Captured::new(ctx, &next, begins..nexts)?,
                        finalize: Captured::new(ctx, &finalize, nexts..ctx.num_inputs())?,
                    })))
                })
            }),
    );
}
