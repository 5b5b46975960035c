//! UnbatchGrad: the first step of a batch gets the gradients of all its steps.

use super::pieces::{steps, wait};
use super::rows::{joined, without_rows};
use ferroflow_graph::{
    Bell, Blocking, Cancellation, Kernel, KernelInit, Op, Registry, ResourceName, ShapeContext, Unnamed, kernel,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Default)]
struct State {
    gradients: FxHashMap<i64, Tensor>,
    /// The bells of the steps that wait for gradients, by their numbers.
    waiting: FxHashMap<i64, Arc<Bell>>,
}

/// The gradients that steps have for others.
#[derive(Default)]
struct Exchange(Mutex<State>);

impl Exchange {
    /// Adds the gradient of a step.
    fn add(&self, number: i64, gradient: Tensor) -> Result<()> {
        let mut state = self.0.lock();
        ensure!(
            state.gradients.insert(number, gradient).is_none(),
            InvalidArgument,
            "Two runs with the same batch key."
        );
        state.waiting.values().for_each(|bell| bell.ring());
        Ok(())
    }

    /// Takes the gradients of all steps of a batch, once they are there.
    fn take(&self, number: i64, steps: &[(i64, usize)], cancellation: &Cancellation) -> Result<Tensor> {
        let bell = cancellation.bell();
        self.0.lock().waiting.insert(number, bell.clone());
        let found = wait(cancellation, bell, None, || {
            let gradients = &mut self.0.lock().gradients;
            if !steps.iter().all(|(step, _)| gradients.contains_key(step)) {
                return Ok(None);
            }
            Ok(Some(steps.iter().filter_map(|(step, _)| gradients.remove(step)).collect::<Vec<_>>()))
        });
        self.0.lock().waiting.remove(&number);
        match found? {
            Some(parts) => joined(&parts),
            None => bail!(Internal, "the wait for gradients ended without them"),
        }
    }
}

fn unbatch_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let name = ResourceName::of(init, Unnamed::NodeName)?;
    kernel(move |ctx| {
        let exchange = ctx.step.resources.lookup_or_create(&name.container, &name.name, || Ok(Exchange::default()))?;
        let steps = steps(ctx.input(1)?)?;
        let (original, gradient) = (ctx.input(0)?.clone(), ctx.input(2)?.clone());
        ensure!(gradient.rank() > 0, InvalidArgument, "The gradient must have at least one dimension");
        let number = ctx.input(3)?.to_scalar::<i64>()?;
        ctx.run_blocking(move |cancellation| {
            let empty = without_rows(&gradient)?;
            exchange.add(number, gradient)?;
            if original.elements() == 0 {
                return Ok([empty].into_iter().collect());
            }
            ensure!(!steps.is_empty(), InvalidArgument, "batch_index is empty while the tensor isn't.");
            Ok([exchange.take(number, &steps, cancellation)?].into_iter().collect())
        })
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut dims = c.input(2)?.with_rank_at_least(1)?.dims();
    if let Some(rows) = dims.as_mut().and_then(|d| d.first_mut()) {
        *rows = None;
    }
    c.set_output(0, dims.map_or_else(PartialShape::unknown, |d| PartialShape::from_dims(&d)));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("UnbatchGrad")
            .input("original_input: T")
            .input("batch_index: int64")
            .input("grad: T")
            .input("id: int64")
            .output("batched_grad: T")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("T: type")
            .doc("Returns in one step the gradients of all steps of a batch.")
            .stateful()
            .listed_stateful(false)
            .blocks(Blocking::Code)
            .shape(shape)
            .kernel(unbatch_grad),
    );
}
