//! The ops on readers: ReaderRead, ReaderReadUpTo, ReaderNumRecordsProduced, ReaderNumWorkUnitsCompleted,
//! ReaderSerializeState, ReaderRestoreState, ReaderReset, each by reference and by handle.

use super::source::Record;
use super::state::{Next, Reader, Turn};
use crate::queue::{Begun, Count, Queue, Tuple, Waiting};
use ferroflow_graph::{Bell, KernelContext, Op, Pending, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Tensor, bail, ensure};
use std::sync::Arc;

/// One operation that reads: it stands in the reader's line, and where the reader needs work, in the queue's.
struct Reading {
    turn: Turn,
    reader: Arc<Reader>,
    queue: Arc<Queue>,
    bell: Arc<Bell>,
    waiting: Option<Waiting>,
    /// Most records to read; `None` for exactly one, in scalars.
    most: Option<usize>,
    records: Vec<Record>,
}

/// Returns the piece of work in what a queue gave.
fn work_of(tuple: Tuple) -> Result<Bytes> {
    let [component] = &tuple[..] else { bail!(InvalidArgument, "Expected single component queue") };
    ensure!(component.dtype() == DType::String, InvalidArgument, "Expected queue with single string component");
    match component.strings()? {
        [one] => Ok(one.clone()),
        _ => bail!(InvalidArgument, "Expected to dequeue a one-element string tensor"),
    }
}

impl Reading {
    /// Reads on; `None` while it waits.
    fn advance(&mut self) -> Result<Option<Tuple>> {
        if !self.turn.has_come() {
            return Ok(None);
        }
        loop {
            if let Some(waiting) = &mut self.waiting {
                let Some(outcome) = waiting.poll() else { return Ok(None) };
                self.waiting = None;
                self.reader.begin(work_of(outcome?)?)?;
            }
            match self.reader.next()? {
                Next::Record(record) => {
                    self.records.push(record);
                    if self.records.len() >= self.most.unwrap_or(1) {
                        return self.outputs().map(Some);
                    }
                }
                // TF 1.x: a batch ends with the work, and may be short.
                Next::WorkEnded if !self.records.is_empty() => return self.outputs().map(Some),
                Next::WorkEnded => {}
                Next::WorkNeeded if !self.records.is_empty() => return self.outputs().map(Some),
                Next::WorkNeeded => match self.queue.dequeue_ringing(Count::One, || self.bell.clone())? {
                    Begun::Ended(tuple) => self.reader.begin(work_of(tuple)?)?,
                    Begun::Waits(waiting) => self.waiting = Some(waiting),
                },
            }
        }
    }

    fn outputs(&mut self) -> Result<Tuple> {
        let (keys, values): (Vec<_>, Vec<_>) = std::mem::take(&mut self.records).into_iter().unzip();
        let shape = |n: usize| if self.most.is_some() { vec![n] } else { vec![] };
        let keys = Tensor::from_strings(shape(keys.len()).as_slice(), keys)?;
        let values = Tensor::from_strings(shape(values.len()).as_slice(), values)?;
        Ok([keys, values].into_iter().collect())
    }
}

impl Pending for Reading {
    fn poll(&mut self) -> Option<Result<Tuple>> {
        self.advance().transpose()
    }

    fn cancelled(&self) -> &'static str {
        "Dequeue operation was cancelled"
    }
}

fn read(ctx: &mut KernelContext<'_>, most: Option<usize>) -> Result<()> {
    let (reader, queue, bell) =
        (ctx.resource::<Reader>(0)?, ctx.resource::<Queue>(1)?, ctx.step.cancellation.bell().clone());
    let turn = Turn::new(reader.clone(), &bell);
    let mut reading = Reading { turn, reader, queue, bell, waiting: None, most, records: Vec::new() };
    match reading.advance()? {
        Some(outputs) => outputs.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t)),
        None => ctx.wait_for(reading),
    }
    Ok(())
}

fn read_up_to(ctx: &mut KernelContext<'_>) -> Result<()> {
    let count = ctx.input(2)?;
    ensure!(count.elements() == 1, InvalidArgument, "num_records must be a scalar, got shape {}", count.shape());
    match usize::try_from(count.to_scalar::<i64>()?) {
        Ok(most) if most > 0 => read(ctx, Some(most)),
        _ => bail!(InvalidArgument, "num_records must be positive, got {}", count.to_scalar::<i64>()?),
    }
}

fn on_reader(name: &str, by_handle: bool) -> Op {
    let name = if by_handle { format!("{name}V2") } else { name.to_owned() };
    let op = Op::new(&name).inspects_ref().listed_stateful(by_handle);
    op.input(if by_handle { "reader_handle: resource" } else { "reader_handle: Ref(string)" })
}

fn scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_outputs() {
        c.set_output(i, PartialShape::scalar());
    }
    Ok(())
}

fn vectors(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(2)?.with_rank(0)?;
    let out = c.num_outputs();
    (0..out).for_each(|i| c.set_output(i, PartialShape::vector(None)));
    Ok(())
}

fn state_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for by_handle in [false, true] {
        let queue = if by_handle { "queue_handle: resource" } else { "queue_handle: Ref(string)" };
        r.add(
            on_reader("ReaderRead", by_handle)
                .input(queue)
                .output("key: string")
                .output("value: string")
                .may_wait()
                .doc("Returns the next record; takes work from the queue where there is none under way.")
                .shape(scalars)
                .kernel(|_| kernel(|ctx| read(ctx, None))),
        );
        r.add(
            on_reader("ReaderReadUpTo", by_handle)
                .input(queue)
                .input("num_records: int64")
                .output("keys: string")
                .output("values: string")
                .may_wait()
                .doc("Returns up to `num_records` of the next records, all of one piece of work.")
                .shape(vectors)
                .kernel(|_| kernel(read_up_to)),
        );
        r.add(
            on_reader("ReaderNumRecordsProduced", by_handle)
                .output("records_produced: int64")
                .doc("Returns the number of records that were read.")
                .shape(shape_rules::scalar)
                .kernel(|_| {
                    kernel(|ctx| {
                        let count = ctx.resource::<Reader>(0)?.produced();
                        ctx.set_output(0, Tensor::scalar(count));
                        Ok(())
                    })
                }),
        );
        r.add(
            on_reader("ReaderNumWorkUnitsCompleted", by_handle)
                .output("units_completed: int64")
                .doc("Returns the number of pieces of work that were read to their end.")
                .shape(shape_rules::scalar)
                .kernel(|_| {
                    kernel(|ctx| {
                        let count = ctx.resource::<Reader>(0)?.finished();
                        ctx.set_output(0, Tensor::scalar(count));
                        Ok(())
                    })
                }),
        );
        r.add(
            on_reader("ReaderSerializeState", by_handle)
                .output("state: string")
                .doc("Returns the counts of a reader, as text that ReaderRestoreState takes.")
                .shape(shape_rules::scalar)
                .kernel(|_| {
                    kernel(|ctx| {
                        let state = ctx.resource::<Reader>(0)?.saved()?;
                        ctx.set_output(0, Tensor::from_strings([], vec![state])?);
                        Ok(())
                    })
                }),
        );
        r.add(
            on_reader("ReaderRestoreState", by_handle)
                .input("state: string")
                .doc("Gives a reader the counts that ReaderSerializeState wrote.")
                .shape(state_shape)
                .kernel(|_| {
                    kernel(|ctx| {
                        let state = ctx.input(1)?;
                        let (0, [text]) = (state.rank(), state.strings()?) else {
                            bail!(InvalidArgument, "Reader state must be scalar, but had shape: {}", state.shape());
                        };
                        ctx.resource::<Reader>(0)?.restore(text)
                    })
                }),
        );
        r.add(
            on_reader("ReaderReset", by_handle)
                .doc("Forgets the work under way and all counts.")
                .shape(shape_rules::unknown)
                .kernel(|_| {
                    kernel(|ctx| {
                        ctx.resource::<Reader>(0)?.reset();
                        Ok(())
                    })
                }),
        );
    }
}
