//! MapStage, MapUnstage, MapUnstageNoKey, MapPeek, MapSize, MapIncompleteSize, MapClear, and the same of OrderedMap.
//!
//! They hold tuples found by their keys, whose values may come and go one by one.

use super::{Limits, bounded, bytes, untyped, values};
use crate::retry::{Outputs, Waited, Waiters, try_or_wait};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ResourceName, Unnamed, kernel, shape_rules};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Result, Tensor, ensure};
use std::collections::BTreeMap;
use std::sync::Arc;

type Tuple = Vec<Option<Tensor>>;

#[derive(Default)]
struct Staged {
    /// By key. The least goes first if no key is given, which for maps without order is as good as any.
    complete: BTreeMap<i64, Tuple>,
    incomplete: BTreeMap<i64, Tuple>,
    bytes: usize,
}

struct StagingMap {
    limits: Limits,
    staged: Mutex<Staged>,
    waiters: Waiters,
}

impl Waited for StagingMap {
    fn waiters(&self) -> &Waiters {
        &self.waiters
    }
}

fn check_index(key: i64, index: usize, width: usize) -> Result<()> {
    ensure!(index < width, InvalidArgument, "Index '{index}' for key '{key}' was out of bounds '{width}'.");
    Ok(())
}

impl StagingMap {
    /// Puts values at `indices` of the tuple of `width` values of a key, where there is room; takes them out of `tuple` then.
    fn put(&self, key: i64, width: usize, indices: &[usize], tuple: &mut Vec<Tensor>) -> Option<Result<Outputs>> {
        self.try_put(key, width, indices, tuple).transpose()
    }

    fn try_put(&self, key: i64, width: usize, indices: &[usize], tuple: &mut Vec<Tensor>) -> Result<Option<Outputs>> {
        let size = bytes(tuple);
        self.limits.check(size)?;
        let mut staged = self.staged.lock();
        for &index in indices {
            check_index(key, index, width)?;
            let present = staged.incomplete.get(&key).is_some_and(|t| t.get(index).is_some_and(Option::is_some));
            ensure!(
                !present,
                InvalidArgument,
                "The tensor for index '{index}' for key '{key}' was already initialized '{width}'."
            );
        }
        let is_whole = indices.len() == width;
        let has_place = !is_whole || self.limits.has_place(staged.complete.len());
        if !has_place || !self.limits.has_bytes(staged.bytes, size) {
            return Ok(None);
        }
        staged.bytes += size;
        let mut merged = staged.incomplete.remove(&key).unwrap_or_else(|| vec![None; width]);
        merged.resize(width.max(merged.len()), None);
        for (&index, value) in indices.iter().zip(std::mem::take(tuple)) {
            merged[index] = Some(value);
        }
        if merged.iter().all(Option::is_some) {
            staged.complete.insert(key, merged);
        } else {
            staged.incomplete.insert(key, merged);
        }
        Ok(Some(Outputs::new()))
    }

    /// Returns the values at `indices` of the tuple of a key, or of the first; they stay where `stay`. `None` while
    /// there is no such tuple.
    fn take(&self, key: Option<i64>, indices: &[usize], stay: bool) -> Option<Result<(i64, Outputs)>> {
        let mut staged = self.staged.lock();
        let key = match key {
            Some(key) => key,
            None => *staged.complete.keys().next()?,
        };
        let tuple = staged.complete.get_mut(&key)?;
        for &index in indices {
            if let Err(e) = check_index(key, index, tuple.len()) {
                return Some(Err(e));
            }
            if tuple[index].is_none() {
                let message = format!("Tensor at index '{index}' for key '{key}' has already been removed.");
                return Some(Err(ferroflow_tensor::Status::invalid_argument(message)));
            }
        }
        let outputs: Outputs = match stay {
            true => indices.iter().filter_map(|&i| tuple[i].clone()).collect(),
            false => indices.iter().filter_map(|&i| tuple[i].take()).collect(),
        };
        if !stay {
            if tuple.iter().all(Option::is_none) {
                staged.complete.remove(&key);
            }
            staged.bytes = staged.bytes.saturating_sub(bytes(&outputs));
        }
        Some(Ok((key, outputs)))
    }
}

/// The function of a kernel; the last argument is the number of values its attributes name.
type Use = fn(&mut KernelContext<'_>, Arc<StagingMap>, usize) -> Result<()>;

fn on_map(init: &KernelInit<'_>, ordered: bool, f: Use) -> Result<Box<dyn Kernel>> {
    let mut name = ResourceName::of(init, Unnamed::NodeName)?;
    // A map with order and a map without order are two, even with one name.
    name.name.insert_str(0, if ordered { "ordered/" } else { "plain/" });
    let (limits, width) = (Limits::of(init)?, init.dtypes("dtypes")?.len());
    kernel(move |ctx| {
        let made = || Ok(StagingMap { limits, staged: Mutex::default(), waiters: Waiters::default() });
        let map = ctx.step.resources.lookup_or_create(&name.container, &name.name, made)?;
        f(ctx, map, width)
    })
}

fn key(ctx: &KernelContext<'_>) -> Result<i64> {
    ctx.input(0)?.to_scalar::<i64>()
}

/// Returns the positions in a tuple that a node names, least first.
fn indices(ctx: &KernelContext<'_>, input: usize) -> Result<Vec<usize>> {
    let given = ctx.input(input)?.slice::<i32>()?;
    ensure!(given.is_sorted_by(|a, b| a < b), InvalidArgument, "Indices are not strictly ordered");
    // A negative one is out of bounds, and refused as such.
    Ok(given.iter().map(|&i| usize::try_from(i).unwrap_or(usize::MAX)).collect())
}

fn stage(ctx: &mut KernelContext<'_>, map: Arc<StagingMap>, width: usize) -> Result<()> {
    let (key, at) = (key(ctx)?, indices(ctx, 1)?);
    let mut tuple = values(ctx, 2)?;
    ensure!(tuple.len() == at.len(), InvalidArgument, "{} indices were given for {} values", at.len(), tuple.len());
    try_or_wait(ctx, map, "MapStage operation was cancelled", move |map| map.put(key, width, &at, &mut tuple))
}

fn checked(taken: Option<Result<(i64, Outputs)>>, expected: usize, with_key: bool) -> Option<Result<Outputs>> {
    Some(taken?.and_then(|(key, mut outputs)| {
        if with_key {
            outputs.insert(0, Tensor::scalar(key));
        }
        let given = outputs.len();
        ensure!(given == expected, InvalidArgument, "output/indices size mismatch: {expected} vs. {given}");
        Ok(outputs)
    }))
}

fn unstage(ctx: &mut KernelContext<'_>, map: Arc<StagingMap>, _: usize) -> Result<()> {
    let (key, at, expected) = (key(ctx)?, indices(ctx, 1)?, ctx.num_outputs());
    try_or_wait(ctx, map, "MapUnstage operation was cancelled", move |map| {
        checked(map.take(Some(key), &at, false), expected, false)
    })
}

fn peek(ctx: &mut KernelContext<'_>, map: Arc<StagingMap>, _: usize) -> Result<()> {
    let (key, at, expected) = (key(ctx)?, indices(ctx, 1)?, ctx.num_outputs());
    try_or_wait(ctx, map, "MapPeek operation was cancelled", move |map| {
        checked(map.take(Some(key), &at, true), expected, false)
    })
}

fn unstage_no_key(ctx: &mut KernelContext<'_>, map: Arc<StagingMap>, _: usize) -> Result<()> {
    let (at, expected) = (indices(ctx, 0)?, ctx.num_outputs());
    try_or_wait(ctx, map, "MapUnstageNoKey operation was cancelled", move |map| {
        checked(map.take(None, &at, false), expected, true)
    })
}

fn count(size: usize) -> Tensor {
    Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX))
}

fn size(ctx: &mut KernelContext<'_>, map: Arc<StagingMap>, _: usize) -> Result<()> {
    let size = map.staged.lock().complete.len();
    ctx.set_output(0, count(size));
    Ok(())
}

fn incomplete_size(ctx: &mut KernelContext<'_>, map: Arc<StagingMap>, _: usize) -> Result<()> {
    let size = map.staged.lock().incomplete.len();
    ctx.set_output(0, count(size));
    Ok(())
}

fn clear(_: &mut KernelContext<'_>, map: Arc<StagingMap>, _: usize) -> Result<()> {
    *map.staged.lock() = Staged::default();
    map.waiters.changed();
    Ok(())
}

/// Adds the ops whose names begin with `prefix`.
macro_rules! family {
    ($r:ident, $prefix:literal, $ordered:literal) => {
        let op = |name: &str| Op::new(&format!(concat!($prefix, "{}"), name));
        let keyed = |name| op(name).input("key: int64").input("indices: int32");
        $r.add(
            untyped(keyed("Stage").input("values: fake_dtypes"), "fake_dtypes: list(type) >= 1")
                .may_wait()
                .doc("Leaves values of the tuple of a key in a staging map; waits while it is full.")
                .shape(shape_rules::unknown)
                .kernel(|init| on_map(init, $ordered, stage)),
        );
        $r.add(
            bounded(keyed("Peek").output("values: dtypes"), "")
                .may_wait()
                .doc("Returns values of the tuple of a key, which stay in the staging map; waits until it is there.")
                .shape(shape_rules::unknown)
                .kernel(|init| on_map(init, $ordered, peek)),
        );
        $r.add(
            bounded(keyed("Unstage").output("values: dtypes"), "")
                .may_wait()
                .doc("Takes values of the tuple of a key out of a staging map; waits until it is there.")
                .shape(shape_rules::unknown)
                .kernel(|init| on_map(init, $ordered, unstage)),
        );
        $r.add(
            bounded(op("UnstageNoKey").input("indices: int32").output("key: int64").output("values: dtypes"), "")
                .may_wait()
                .doc("Takes values of some tuple out of a staging map; waits until there is one.")
                .shape(shape_rules::unknown)
                .kernel(|init| on_map(init, $ordered, unstage_no_key)),
        );
        $r.add(
            untyped(op("Size").output("size: int32"), "")
                .doc("Returns the number of complete tuples in a staging map.")
                .shape(shape_rules::scalar)
                .kernel(|init| on_map(init, $ordered, size)),
        );
        $r.add(
            untyped(op("IncompleteSize").output("size: int32"), "")
                .doc("Returns the number of tuples in a staging map of which values are missing.")
                .shape(shape_rules::scalar)
                .kernel(|init| on_map(init, $ordered, incomplete_size)),
        );
        $r.add(
            untyped(op("Clear"), "")
                .doc("Empties a staging map.")
                .shape(shape_rules::unknown)
                .kernel(|init| on_map(init, $ordered, clear)),
        );
    };
}

pub(super) fn register(r: &mut Registry) {
    {
        family!(r, "Map", false);
    }
    {
        family!(r, "OrderedMap", true);
    }
}
