//! Unbatch: each step gets its rows of what the first step of its batch has computed.

use super::pieces::{steps, wait};
use super::rows::divided;
use ferroflow_graph::{
    Bell, Blocking, Cancellation, Kernel, KernelInit, Op, Registry, ResourceName, ShapeContext, Unnamed, kernel,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Code, PartialShape, Result, Status, Tensor, bail, ensure};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A step waits at least this long: the thread of the step that it waits for may not have begun.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);

struct Piece {
    value: Tensor,
    /// Nobody takes it after this time; None if a step waits for it.
    deadline: Option<Instant>,
}

#[derive(Default)]
struct State {
    waiting: FxHashMap<i64, Arc<Bell>>,
    pieces: FxHashMap<i64, Piece>,
}

/// The rows that steps have for others.
#[derive(Default)]
struct Exchange(Mutex<State>);

fn already_exists(message: &str) -> Status {
    Status::new(Code::AlreadyExists, message)
}

impl Exchange {
    /// Puts the rows of all steps where they find them, and returns those of one step.
    fn run(
        &self,
        number: i64,
        batch: Vec<(i64, Tensor)>,
        timeout: Duration,
        cancellation: &Cancellation,
    ) -> Result<Tensor> {
        let bell = cancellation.bell();
        let deadline = Instant::now() + timeout.max(SHORTEST_WAIT);
        {
            let mut state = self.0.lock();
            let now = Instant::now();
            state.pieces.retain(|_, piece| piece.deadline.is_none_or(|d| d > now));
            if let Some(piece) = state.pieces.remove(&number) {
                return Ok(piece.value);
            }
            if state.waiting.insert(number, bell.clone()).is_some() {
                return Err(already_exists("Multiple session runs with the same batch key."));
            }
            for (step, value) in batch {
                let waiting = state.waiting.get(&step).cloned();
                let piece = Piece { value, deadline: waiting.is_none().then_some(deadline) };
                if state.pieces.insert(step, piece).is_some() {
                    state.waiting.remove(&number);
                    return Err(already_exists("Multiple tensors returned for same batch key."));
                }
                if let Some(other) = waiting {
                    other.ring();
                }
            }
        }
        let found = wait(cancellation, bell, Some(deadline), || Ok(self.0.lock().pieces.remove(&number)));
        let mut state = self.0.lock();
        state.waiting.remove(&number);
        // It may have come after the last poll.
        let late = state.pieces.remove(&number);
        match found?.or(late) {
            Some(piece) => Ok(piece.value),
            None => Err(Status::new(Code::DeadlineExceeded, "Batched data did not arrive within timeout window.")),
        }
    }
}

fn unbatch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let name = ResourceName::of(init, Unnamed::NodeName)?;
    let micros = init.int32("timeout_micros")?;
    let Ok(micros) = u64::try_from(micros) else { bail!(InvalidArgument, "timeout_micros must be >= 0; was {micros}") };
    let timeout = Duration::from_micros(micros);
    kernel(move |ctx| {
        let exchange = ctx.step.resources.lookup_or_create(&name.container, &name.name, || Ok(Exchange::default()))?;
        let steps = steps(ctx.input(1)?)?;
        let number = ctx.input(2)?.to_scalar::<i64>()?;
        let mut batch = Vec::new();
        if !steps.is_empty() {
            let x = ctx.input(0)?;
            let rows = x.shape().first().copied().unwrap_or(0);
            ensure!(
                x.rank() > 0 && steps.len() <= rows,
                InvalidArgument,
                "Wrong shape for index tensor. Expected 0th dimension size to be no greater than {rows}; Got: {}.",
                steps.len()
            );
            let sizes: Vec<usize> = steps.iter().map(|(_, rows)| *rows).collect();
            batch = steps.iter().map(|(step, _)| *step).zip(divided(x, &sizes)?).collect();
        }
        ctx.run_blocking(move |cancellation| {
            let value = exchange.run(number, batch, timeout, cancellation)?;
            Ok([value].into_iter().collect())
        })
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut dims = c.input(0)?.with_rank_at_least(1)?.dims();
    if let Some(rows) = dims.as_mut().and_then(|d| d.first_mut()) {
        *rows = None;
    }
    c.set_output(0, dims.map_or_else(PartialShape::unknown, |d| PartialShape::from_dims(&d)));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Unbatch")
            .input("batched_tensor: T")
            .input("batch_index: int64")
            .input("id: int64")
            .output("unbatched_tensor: T")
            .attr("timeout_micros: int")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("T: type")
            .doc("Returns the rows of this step in a batch that this or another step has computed.")
            .stateful()
            .listed_stateful(false)
            .blocks(Blocking::Code)
            .shape(shape)
            .kernel(unbatch),
    );
}
