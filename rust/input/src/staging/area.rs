//! Stage, Unstage, StagePeek, StageSize, StageClear: tuples that come out in the order they went in.

use super::{Limits, bounded, bytes, untyped, values};
use crate::retry::{Outputs, Waited, Waiters, try_or_wait};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ResourceName, Unnamed, kernel, shape_rules};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Result, Status, Tensor, ensure};
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Default)]
struct Staged {
    tuples: VecDeque<Vec<Tensor>>,
    bytes: usize,
}

struct Area {
    limits: Limits,
    staged: Mutex<Staged>,
    waiters: Waiters,
}

impl Waited for Area {
    fn waiters(&self) -> &Waiters {
        &self.waiters
    }
}

impl Area {
    /// Puts the tuple in and leaves an empty one, where there is room.
    fn put(&self, tuple: &mut Vec<Tensor>) -> Option<Result<Outputs>> {
        let size = bytes(tuple);
        if let Err(e) = self.limits.check(size) {
            return Some(Err(e));
        }
        let mut staged = self.staged.lock();
        if !self.limits.has_place(staged.tuples.len()) || !self.limits.has_bytes(staged.bytes, size) {
            return None;
        }
        staged.bytes += size;
        staged.tuples.push_back(std::mem::take(tuple));
        Some(Ok(Outputs::new()))
    }

    fn get(&self) -> Option<Result<Outputs>> {
        let mut staged = self.staged.lock();
        let tuple = staged.tuples.pop_front()?;
        staged.bytes -= bytes(&tuple);
        Some(Ok(Outputs::from_vec(tuple)))
    }

    fn peek(&self, index: usize) -> Option<Result<Outputs>> {
        let staged = self.staged.lock();
        Some(Ok(Outputs::from_vec(staged.tuples.get(index)?.clone())))
    }
}

type Use = fn(&mut KernelContext<'_>, Arc<Area>) -> Result<()>;

/// Returns a kernel on the area that the node's attributes name, made on first use.
fn on_area(init: &KernelInit<'_>, f: Use) -> Result<Box<dyn Kernel>> {
    let (name, limits) = (ResourceName::of(init, Unnamed::NodeName)?, Limits::of(init)?);
    kernel(move |ctx| {
        let made = || Ok(Area { limits, staged: Mutex::default(), waiters: Waiters::default() });
        let area = ctx.step.resources.lookup_or_create(&name.container, &name.name, made)?;
        f(ctx, area)
    })
}

fn stage(ctx: &mut KernelContext<'_>, area: Arc<Area>) -> Result<()> {
    let mut tuple = values(ctx, 0)?;
    try_or_wait(ctx, area, "Stage operation was cancelled", move |area| area.put(&mut tuple))
}

/// Returns a tuple handed out must have as many values as the node has outputs.
fn checked(outputs: Option<Result<Outputs>>, expected: usize) -> Option<Result<Outputs>> {
    Some(outputs?.and_then(|tuple| {
        let given = tuple.len();
        ensure!(given == expected, InvalidArgument, "Mismatch stage/unstage: {given} vs. {expected}");
        Ok(tuple)
    }))
}

fn unstage(ctx: &mut KernelContext<'_>, area: Arc<Area>) -> Result<()> {
    let expected = ctx.num_outputs();
    try_or_wait(ctx, area, "Unstage operation was cancelled", move |area| checked(area.get(), expected))
}

fn peek(ctx: &mut KernelContext<'_>, area: Arc<Area>) -> Result<()> {
    let index = ctx.input(0)?.to_scalar::<i32>()?;
    let index = usize::try_from(index).map_err(|_| Status::invalid_argument(format!("index {index} is negative")))?;
    let expected = ctx.num_outputs();
    try_or_wait(ctx, area, "StagePeek operation was cancelled", move |area| checked(area.peek(index), expected))
}

fn size(ctx: &mut KernelContext<'_>, area: Arc<Area>) -> Result<()> {
    let size = area.staged.lock().tuples.len();
    ctx.set_output(0, Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX)));
    Ok(())
}

fn clear(_: &mut KernelContext<'_>, area: Arc<Area>) -> Result<()> {
    *area.staged.lock() = Staged::default();
    area.waiters.changed();
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        bounded(Op::new("Stage").input("values: dtypes"), "")
            .may_wait()
            .doc("Leaves a tuple in a staging area; waits while it is full.")
            .shape(shape_rules::unknown)
            .kernel(|init| on_area(init, stage)),
    );
    r.add(
        bounded(Op::new("Unstage").output("values: dtypes"), "")
            .may_wait()
            .doc("Takes the oldest tuple of a staging area; waits until there is one.")
            .shape(shape_rules::unknown)
            .kernel(|init| on_area(init, unstage)),
    );
    r.add(
        bounded(Op::new("StagePeek").input("index: int32").output("values: dtypes"), "")
            .may_wait()
            .doc("Returns the tuple at a position of a staging area, which stays there; waits until there is one.")
            .shape(shape_rules::unknown)
            .kernel(|init| on_area(init, peek)),
    );
    r.add(
        untyped(Op::new("StageSize").output("size: int32"), "")
            .doc("Returns the number of tuples in a staging area.")
            .shape(shape_rules::scalar)
            .kernel(|init| on_area(init, size)),
    );
    r.add(
        untyped(Op::new("StageClear"), "")
            .doc("Empties a staging area.")
            .shape(shape_rules::unknown)
            .kernel(|init| on_area(init, clear)),
    );
}
