//! Barrier and its ops: tuples found by their keys, whose components come one by one.
//!
//! The complete ones wait in a queue, in the order in which their keys came.

use super::element::Tuple;
use super::state::{Begun, Count, Kind, Queue, Spec, shape_list, type_list};
use crate::rows;
use ferroflow_graph::{
    Cancellation, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, Unnamed, kernel, resource_kernel,
    shape_rules,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Status, Tensor, bail, ensure};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A tuple some of whose components are missing.
struct Incomplete {
    /// The order in which its key came; components that came together have one number.
    index: i64,
    components: Vec<Option<Tensor>>,
}

struct State {
    is_closed: bool,
    is_cancelled: bool,
    incomplete: HashMap<Bytes, Incomplete>,
    next_index: i64,
}

struct Barrier {
    name: String,
    types: Vec<DType>,
    shapes: Vec<PartialShape>,
    /// Index, key and components of complete tuples, least index first.
    ready: Arc<Queue>,
    state: Mutex<State>,
}

impl Barrier {
    fn new(name: &str, types: Vec<DType>, shapes: Vec<PartialShape>) -> Result<Barrier> {
        let spec = Spec {
            kind: Kind::Priority,
            capacity: i32::MAX as usize,
            types: [DType::I64, DType::String].iter().chain(&types).copied().collect(),
            shapes: [PartialShape::scalar(), PartialShape::scalar()].iter().chain(&shapes).cloned().collect(),
            min_after_dequeue: 0,
            seeds: (0, 0),
        };
        let ready = Arc::new(Queue::new(format!("{name}_queue"), spec)?);
        let state = State { is_closed: false, is_cancelled: false, incomplete: HashMap::new(), next_index: i64::MIN };
        Ok(Barrier { name: name.to_owned(), types, shapes, ready, state: Mutex::new(state) })
    }

    fn check(&self, types: &[DType], shapes: &[PartialShape]) -> Result<()> {
        ensure!(
            self.types == types,
            InvalidArgument,
            "Shared barrier '{}' has component types {} but requested component types were {}",
            self.name,
            type_list(&self.types),
            type_list(types)
        );
        ensure!(
            self.shapes == shapes,
            InvalidArgument,
            "Shared barrier '{}' has component shapes {} but requested component shapes were {}",
            self.name,
            shape_list(&self.shapes),
            shape_list(shapes)
        );
        Ok(())
    }

    /// Gives the rows of `values` to their keys, as component `component`.
    fn insert(&self, component: usize, keys: &Tensor, values: &Tensor, step: &Cancellation) -> Result<()> {
        let name = &self.name;
        ensure!(
            keys.elements() == 0 || values.elements() > 0,
            InvalidArgument,
            "Tensors with no elements are not supported {name}: received shape {}",
            values.shape()
        );
        ensure!(
            values.rank() > 0 && values.shape()[0] == keys.elements(),
            InvalidArgument,
            "{} keys were given for values of shape {}",
            keys.elements(),
            values.shape()
        );
        let mut state = self.state.lock();
        let State { is_closed, is_cancelled, .. } = *state;
        let left = state.incomplete.len();
        ensure!(
            !is_closed || (!is_cancelled && (keys.elements() == 0 || left > 0)),
            Cancelled,
            "Barrier {name} is closed.  Pending enqueues cancelled: {}.  Number of new insertions: {}.  Number of \
             incomplete keys: {left}.",
            u8::from(is_cancelled),
            keys.elements()
        );
        let mut complete: Vec<(Bytes, Incomplete)> = Vec::new();
        let mut has_new = false;
        let mut failure = Ok(());
        for (i, key) in keys.strings()?.iter().enumerate() {
            if let Err(e) = self.insert_one(&mut state, component, (i, key), values, &mut has_new) {
                failure = Err(e);
                break;
            }
            if state.incomplete.get(key).is_some_and(|t| t.components.iter().all(Option::is_some))
                && let Some(tuple) = state.incomplete.remove(key)
            {
                complete.push((key.clone(), tuple));
            }
        }
        if has_new {
            state.next_index += 1;
        }
        drop(state);
        if !complete.is_empty() {
            // There is room for any number, so no operation waits.
            self.ready.enqueue_many(self.batch(&complete)?, step)?;
        }
        failure
    }

    fn insert_one(
        &self,
        state: &mut State,
        component: usize,
        (i, key): (usize, &Bytes),
        values: &Tensor,
        has_new: &mut bool,
    ) -> Result<()> {
        let shown = String::from_utf8_lossy(key);
        let left = state.incomplete.len();
        if !state.incomplete.contains_key(key) {
            ensure!(
                !state.is_closed,
                Cancelled,
                "Barrier {} is closed, but attempted to insert a brand new key: {shown}.  Pending enqueues cancelled: {}.  \
                 Insertion index: {i}.  Number of incomplete keys: {left}.",
                self.name,
                u8::from(state.is_cancelled)
            );
            *has_new = true;
            let new = Incomplete { index: state.next_index, components: vec![None; self.types.len()] };
            state.incomplete.insert(key.clone(), new);
        }
        let Some(place) = state.incomplete.get_mut(key).and_then(|t| t.components.get_mut(component)) else {
            bail!(Internal, "a barrier has lost a key");
        };
        ensure!(
            place.is_none(),
            InvalidArgument,
            "Key {shown} already has a value for component {component} in barrier {}",
            self.name
        );
        let row = rows::row(values, i)?;
        let shape = &self.shapes[component];
        ensure!(
            shape.is_compatible_with(&row.shape().into()),
            InvalidArgument,
            "Shape mismatch in tuple component {}. Expected {shape}, got {}",
            component + 2,
            row.shape()
        );
        *place = Some(row);
        Ok(())
    }

    /// Tuples as one batch of the queue's components.
    fn batch(&self, complete: &[(Bytes, Incomplete)]) -> Result<Tuple> {
        let indices: Vec<i64> = complete.iter().map(|(_, t)| t.index).collect();
        let keys: Vec<Bytes> = complete.iter().map(|(key, _)| key.clone()).collect();
        let n = complete.len();
        let mut batch = Tuple::new();
        batch.push(Tensor::from_slice([n], &indices)?);
        batch.push(Tensor::from_strings([n], keys)?);
        for (c, &dtype) in self.types.iter().enumerate() {
            let rows = complete.iter().filter_map(|(_, t)| t.components[c].as_ref());
            let parts: Vec<(&Tensor, Range<usize>)> = rows.map(|t| (t, 0..t.elements())).collect();
            let mut dims = vec![n as i64];
            dims.extend(parts.first().map(|(t, _)| t.shape().to_i64()).unwrap_or_default());
            batch.push(rows::joined(dtype, Shape::checked(&dims)?, &parts)?);
        }
        Ok(batch)
    }

    fn take(&self, requested: usize, allow_small: bool, step: &Cancellation) -> Result<Begun> {
        let mut requested = requested;
        {
            let state = self.state.lock();
            if state.is_closed {
                let mut available = self.ready.len();
                if allow_small {
                    requested = requested.min(available);
                } else {
                    available += state.incomplete.len();
                }
                ensure!(
                    available >= requested.max(1),
                    OutOfRange,
                    "Barrier '{}' is closed and has insufficient elements (requested {requested}, total size {available})",
                    self.name
                );
            }
        }
        self.ready.dequeue(if allow_small { Count::UpTo(requested) } else { Count::Many(requested) }, step)
    }

    fn close(&self, cancel: bool, step: &Cancellation) -> Result<()> {
        let mut state = self.state.lock();
        ensure!(
            !state.is_closed || (cancel && !state.is_cancelled),
            Cancelled,
            "Barrier '{}' is already closed.",
            self.name
        );
        state.is_cancelled = cancel;
        state.is_closed = true;
        if cancel || state.incomplete.is_empty() {
            state.incomplete.clear();
            drop(state);
            if !self.ready.is_closed() {
                self.ready.close(cancel, step)?;
            }
        }
        Ok(())
    }
}

fn make(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (types, shapes) = (init.dtypes("component_types")?, init.shapes("shapes")?);
    ensure!(shapes.len() == types.len(), InvalidArgument, "All of the component shapes must be specified");
    ensure!(
        init.int("capacity")? == -1,
        InvalidArgument,
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a limited capacity."
    );
    let requested = (types.clone(), shapes.clone());
    resource_kernel(
        init,
        Unnamed::Private,
        move |_: &KernelContext<'_>, name: &str| Barrier::new(name, types.clone(), shapes.clone()),
        move |found: &Barrier| found.check(&requested.0, &requested.1),
    )
}

fn insert_many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (component, dtype) = (init.int32("component_index")?, init.dtype("T")?);
    kernel(move |ctx| {
        let barrier: Arc<Barrier> = ctx.resource(0)?;
        let known = usize::try_from(component).ok().and_then(|c| Some((c, *barrier.types.get(c)?)));
        let Some((c, requested)) = known else {
            bail!(
                InvalidArgument,
                "The component ID is out of range {component} > num_components (= {})",
                barrier.types.len()
            );
        };
        ensure!(
            requested == dtype,
            InvalidArgument,
            "Signature mismatch, have: {} expected: {}",
            dtype.schema_name(),
            requested.schema_name()
        );
        barrier.insert(c, ctx.input(1)?, ctx.input(2)?, ctx.step.cancellation)
    })
}

fn take_many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    ensure!(init.int("timeout_ms")? == -1, InvalidArgument, "Timeout not supported yet.");
    let (types, allow_small) = (init.dtypes("component_types")?, init.bool("allow_small_batch")?);
    kernel(move |ctx| {
        let barrier: Arc<Barrier> = ctx.resource(0)?;
        let n = ctx.input(1)?;
        ensure!(n.rank() == 0, InvalidArgument, "num_elements must be a scalar.");
        let n = n.to_scalar::<i32>()?;
        let requested =
            usize::try_from(n).map_err(|_| Status::invalid_argument(format!("num_elements {n} must be >= 0")))?;
        ensure!(
            barrier.types == types,
            InvalidArgument,
            "Signature mismatch, have: {} expected: {}",
            type_list(&types),
            type_list(&barrier.types)
        );
        let begun = barrier.take(requested, allow_small, ctx.step.cancellation)?;
        super::access::finish(ctx, begun)
    })
}

fn close(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let cancel = init.bool("cancel_pending_enqueues")?;
    kernel(move |ctx| ctx.resource::<Barrier>(0)?.close(cancel, ctx.step.cancellation))
}

fn handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn insert_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let values = c.input(2)?.with_rank_at_least(1)?;
    c.input(1)?.with_rank(1)?.merge(&PartialShape::vector(values.dim(0)))?;
    Ok(())
}

fn on_barrier(name: &str) -> Op {
    Op::new(name).input("handle: Ref(string)").inspects_ref()
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Barrier")
            .output("handle: Ref(string)")
            .attr("component_types: list(type) >= 1")
            .attr("shapes: list(shape) >= 0 = []")
            .attr("capacity: int = -1")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .doc("Tuples found by their keys, whose components come one by one.")
            .shape(handle_shape)
            .kernel(make),
    );
    r.add(
        on_barrier("BarrierInsertMany")
            .input("keys: string")
            .input("values: T")
            .attr("T: type")
            .attr("component_index: int")
            .doc("Gives values to keys of a barrier, as one component of their tuples.")
            .shape(insert_shape)
            .kernel(insert_many),
    );
    r.add(
        on_barrier("BarrierTakeMany")
            .input("num_elements: int32")
            .output("indices: int64")
            .output("keys: string")
            .output("values: component_types")
            .attr("component_types: list(type) >= 1")
            .attr("allow_small_batch: bool = false")
            .attr("wait_for_incomplete: bool = false")
            .attr("timeout_ms: int = -1")
            .may_wait()
            .doc("Takes complete tuples out of a barrier; waits until there are as many.")
            .shape(shape_rules::unknown)
            .kernel(take_many),
    );
    r.add(
        on_barrier("BarrierClose")
            .attr("cancel_pending_enqueues: bool = false")
            .doc("Closes a barrier: no new keys come, and taking fails once too little is left.")
            .shape(shape_rules::unknown)
            .kernel(close),
    );
    r.add(
        on_barrier("BarrierReadySize")
            .output("size: int32")
            .doc("Returns the number of complete tuples in a barrier.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let size = ctx.resource::<Barrier>(0)?.ready.len();
                    ctx.set_output(0, Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX)));
                    Ok(())
                })
            }),
    );
    r.add(
        on_barrier("BarrierIncompleteSize")
            .output("size: int32")
            .doc("Returns the number of keys of a barrier whose tuples lack components.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let size = ctx.resource::<Barrier>(0)?.state.lock().incomplete.len();
                    ctx.set_output(0, Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX)));
                    Ok(())
                })
            }),
    );
}
