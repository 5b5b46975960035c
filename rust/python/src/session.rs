//! The session's Python class.
//!
//! `run_fast` serves the usual fetches and feeds in one call without Python code. Other requests are left to Python,
//! which flattens, checks and calls `run_flat`.

use crate::convert::{quick_tensor, tensor_of, to_python};
use crate::engine::{Engine, Limit, Planned, with_poll};
use crate::error::status;
use crate::graph::{Graph, Shared};
use crate::handle::{OperationHandle, TensorHandle};
use crate::server::master_options;
use ferroflow_cluster::{Address, Master, Task, Unreachable};
use ferroflow_graph::{NodeId, OutputId};
use ferroflow_plan::{Devices, PlanOptions, Request, Rewrite, Rewrites};
use ferroflow_runtime::{Event, Made, Poll, RunOptions, SessionOptions, StepOutcome, Trace};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{Code, DType, PartialShape, Status, Tensor};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Fetches and feeds by identity: each fetch as node and output + 1 (0: the operation), then each feed.
type Key = SmallVec<[u64; 8]>;

/// The structure of the returned values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    One,
    List,
    Tuple,
}

struct Feed {
    dtype: DType,
    shape: PartialShape,
}

/// A request that needs no further thought.
struct Ready {
    prepared: Planned,
    feeds: SmallVec<[Feed; 4]>,
    /// For each fetch: the place of its value in the step's; None for operations, which have none. A tensor that is
    /// fetched several times has one value.
    places: SmallVec<[Option<usize>; 4]>,
    /// The request, to plan again when the graph has grown.
    request: Request,
}

#[pyclass(frozen, module = "ferroflow._core")]
pub struct Session {
    inner: Engine,
    shared: Arc<Shared>,
    ready: RwLock<FxHashMap<Key, Arc<Ready>>>,
    /// Makes the Python exception of a failed step: called with (code, message, node id or None).
    make_error: Py<PyAny>,
    /// Milliseconds after which a step fails with DeadlineExceeded; 0: never.
    timeout_ms: u64,
}

fn key_of_tensor(t: &TensorHandle) -> u64 {
    u64::from(t.node) << 32 | u64::from(t.index + 1)
}

impl Session {
    fn error(&self, py: Python<'_>, e: Status) -> PyErr {
        let cause = e.cause::<PyErr>();
        if let Some(exit) = cause.filter(|c| !c.is_instance_of::<PyException>(py)) {
            // Ctrl-C and sys.exit in a function end the program as they would outside a session.
            return exit.clone_ref(py);
        }
        let is_unreachable = e.cause::<Unreachable>().is_some();
        let error = match self.make_error.call1(py, (e.code() as i32, e.message(), e.node(), is_unreachable)) {
            Ok(exception) => PyErr::from_value(exception.into_bound(py)),
            Err(e) => e,
        };
        if let Some(cause) = cause {
            error.set_cause(py, Some(cause.clone_ref(py)));
        }
        error
    }

    /// Adds a fetch to key and request; false if Python must convert it.
    fn fetch(&self, item: &Bound<'_, PyAny>, key: &mut Key) -> bool {
        if let Ok(t) = item.cast::<TensorHandle>() {
            key.push(key_of_tensor(t.get()));
            return Arc::ptr_eq(&t.get().graph, &self.shared);
        }
        if let Ok(op) = item.cast::<OperationHandle>() {
            key.push(u64::from(op.get().node) << 32);
            return Arc::ptr_eq(&op.get().graph, &self.shared);
        }
        // A variable counts as its tensor.
        let Ok(element) = item.call_method0(intern!(item.py(), "_as_graph_element")) else { return false };
        let Ok(t) = element.cast::<TensorHandle>() else { return false };
        key.push(key_of_tensor(t.get()));
        Arc::ptr_eq(&t.get().graph, &self.shared)
    }

    /// Returns true if a node's value is a session's handle, which Python wraps.
    fn gives_handle(&self, node: NodeId) -> PyResult<bool> {
        let graph = self.shared.graph.read();
        Ok(graph.node(node).map_err(status)?.op.name.starts_with("GetSessionHandle"))
    }

    /// Returns the plan for a key; None where something may not be fetched or fed, or is a handle.
    fn ready(&self, py: Python<'_>, key: &Key, fetches: usize) -> PyResult<Option<Arc<Ready>>> {
        if let Some(ready) = self.ready.read().get(key)
            && ready.prepared.graph_version() == self.shared.graph.read().version()
        {
            return Ok(Some(ready.clone()));
        }
        let mut request = Request::default();
        let mut places = SmallVec::new();
        let mut first: FxHashMap<OutputId, usize> = FxHashMap::default();
        for &k in &key[1..1 + fetches] {
            let (node, output) = ((k >> 32) as u32, k as u32);
            if self.shared.unfetchable.read().contains(&node) || self.gives_handle(node)? {
                return Ok(None);
            }
            let Some(index) = output.checked_sub(1) else {
                request.targets.push(node);
                places.push(None);
                continue;
            };
            let fetch = OutputId { node, index };
            places.push(Some(*first.entry(fetch).or_insert_with(|| {
                request.fetches.push(fetch);
                request.fetches.len() - 1
            })));
        }
        let mut feeds = SmallVec::new();
        for &k in &key[1 + fetches..] {
            let output = OutputId { node: (k >> 32) as u32, index: (k as u32).wrapping_sub(1) };
            if self.shared.unfeedable.read().contains(&output) {
                return Ok(None);
            }
            let graph = self.shared.graph.read();
            let known = graph.output(output).map_err(status)?;
            feeds.push(Feed { dtype: known.dtype, shape: known.shape.clone() });
            request.feeds.push(output);
        }
        let prepared = self.prepare(py, &request, self.timeout_ms)?;
        let ready = Arc::new(Ready { prepared, feeds, places, request });
        let mut all = self.ready.write();
        // Plans of an older graph would only use memory.
        all.retain(|_, r| r.prepared.graph_version() == ready.prepared.graph_version());
        if all.len() >= 4096 {
            all.clear();
        }
        all.insert(key.clone(), ready.clone());
        Ok(Some(ready))
    }

    fn prepare(&self, py: Python<'_>, request: &Request, timeout_ms: u64) -> PyResult<Planned> {
        let prepare = |poll: &Poll<'_>| self.inner.prepare(request, poll);
        with_poll(py, Limit::after_ms(timeout_ms), prepare, |e| self.error(py, e))
    }

    fn step(
        &self,
        py: Python<'_>,
        prepared: &Planned,
        values: SmallVec<[Tensor; 4]>,
        options: RunOptions<'_>,
        timeout_ms: u64,
    ) -> PyResult<StepOutcome> {
        let run = |poll: &Poll<'_>| {
            let options = RunOptions { poll: Some(poll), ..options };
            self.inner.run(prepared, values, &options)
        };
        with_poll(py, Limit::after_ms(timeout_ms), run, |e| self.error(py, e))
    }

    fn pack(&self, py: Python<'_>, ready: &Ready, values: Vec<Option<Tensor>>, shape: Shape) -> PyResult<Py<PyAny>> {
        let made = |v: Option<Tensor>| v.map_or_else(|| Ok(py.None()), |v| to_python(py, v));
        let values: SmallVec<[Py<PyAny>; 4]> = values.into_iter().map(made).collect::<PyResult<_>>()?;
        let value = |p: &Option<usize>| p.and_then(|p| values.get(p)).map_or_else(|| py.None(), |v| v.clone_ref(py));
        if shape == Shape::One {
            return Ok(ready.places.first().map_or_else(|| py.None(), value));
        }
        let items = ready.places.iter().map(value);
        Ok(if shape == Shape::List { PyList::new(py, items)?.into_any() } else { PyTuple::new(py, items)?.into_any() }
            .unbind())
    }
}

/// (node ids, start, end, outputs) of an event, each output (index, dtype number, shape, bytes).
type EventTuple = (Vec<u32>, u64, u64, Vec<(u32, i32, Vec<usize>, usize)>);

/// Returns a trace for Python: the number of the thread, and the events.
fn events(trace: Option<Trace>) -> (u32, Vec<EventTuple>) {
    let Some(trace) = trace else { return (0, Vec::new()) };
    let made = |m: &Made| (m.slot, m.dtype.number(), m.shape.to_vec(), m.bytes);
    let event = |e: Event| {
        let outputs = e.made.iter().map(made).collect();
        (e.nodes, e.start.as_nanos() as u64, e.end.as_nanos() as u64, outputs)
    };
    (trace.thread, trace.events.into_iter().map(event).collect())
}

/// Returns the rewrites that a session's options leave it.
fn rewrites(options: &Bound<'_, PyDict>) -> PyResult<Rewrites> {
    if !options.get_item("optimize")?.is_none_or(|v| v.is_truthy().unwrap_or(true)) {
        return Ok(Rewrites::NONE);
    }
    let Some(names) = options.get_item("without_rewrites")? else { return Ok(Rewrites::ALL) };
    names.extract::<Vec<String>>()?.iter().try_fold(Rewrites::ALL, |rewrites, name| {
        let rewrite =
            Rewrite::find(name).ok_or_else(|| PyValueError::new_err(format!("no rewrite is named '{name}'")))?;
        Ok(rewrites.without(rewrite))
    })
}

/// Returns the names of the rewrites that plans may use, of which the option without_rewrites takes some.
#[pyfunction]
pub fn rewrite_names() -> Vec<&'static str> {
    Rewrite::ALL.iter().map(|r| r.name()).collect()
}

fn handles(fetches: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyAny>>> {
    fetches.try_iter()?.map(|f| f.map(Bound::unbind)).collect()
}

#[pymethods]
impl Session {
    /// Returns `options`: intra_op_parallelism_threads, inter_op_parallelism_threads, cpus, allow_soft_placement, optimize, operation_timeout_in_ms;
    /// with a target (`grpc://host:port`) also those of its cluster.
    #[new]
    #[pyo3(signature = (graph, make_error, options, target=""))]
    fn new(graph: &Graph, make_error: Py<PyAny>, options: &Bound<'_, PyDict>, target: &str) -> PyResult<Self> {
        let get = |name: &str| -> PyResult<u64> {
            Ok(options.get_item(name)?.map(|v| v.extract::<u64>()).transpose()?.unwrap_or(0))
        };
        let devices = Devices::local((get("cpus")? as usize).max(1), get("allow_soft_placement")? != 0);
        let rewrites = rewrites(options)?;
        let intra_op_threads = get("intra_op_parallelism_threads")? as usize;
        let side_by_side = get("inter_op_parallelism_threads")? != 1;
        let plan = PlanOptions { devices, rewrites };
        let session_options = SessionOptions { intra_op_threads, side_by_side, plan };
        let nodes = graph.shared.graph.clone();
        let mut timeout_ms = get("operation_timeout_in_ms")?;
        let inner = match target {
            "" => Engine::Local(Box::new(ferroflow_runtime::Session::new(nodes, session_options))),
            target => {
                let address = Address::of_target(target).map_err(status)?;
                if timeout_ms == 0 {
                    // TF 1.x: a server's own options are the default of its sessions.
                    timeout_ms = Task::find(&address).map_or(0, |task| task.timeout_ms);
                }
                Engine::Cluster(Master::new(nodes, address, master_options(options)?, session_options).map_err(status)?)
            }
        };
        Ok(Session { inner, shared: graph.shared.clone(), ready: RwLock::default(), make_error, timeout_ms })
    }

    /// Visits `make_error` for the garbage collector: it refers to the graph, and a graph may keep its session in a
    /// cycle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.make_error)
    }

    /// Runs one step for a tensor, an operation, or a list or tuple of them, with a dict of fed tensors or None.
    /// NotImplemented for anything that needs Python's own checks or conversions.
    #[pyo3(signature = (fetches, feed_dict=None))]
    fn run_fast(
        &self,
        py: Python<'_>,
        fetches: &Bound<'_, PyAny>,
        feed_dict: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let mut key: Key = SmallVec::new();
        key.push(0);
        let shape = if let Ok(list) = fetches.cast_exact::<PyList>() {
            for item in list.iter() {
                if !self.fetch(&item, &mut key) {
                    return Ok(py.NotImplemented());
                }
            }
            Shape::List
        } else if let Ok(tuple) = fetches.cast_exact::<PyTuple>() {
            for item in tuple.iter() {
                if !self.fetch(&item, &mut key) {
                    return Ok(py.NotImplemented());
                }
            }
            Shape::Tuple
        } else {
            if !self.fetch(fetches, &mut key) {
                return Ok(py.NotImplemented());
            }
            Shape::One
        };
        let count = key.len() - 1;
        key[0] = count as u64;
        let mut fed: SmallVec<[Bound<'_, PyAny>; 4]> = SmallVec::new();
        if let Some(feeds) = feed_dict {
            let Ok(feeds) = feeds.cast_exact::<PyDict>() else { return Ok(py.NotImplemented()) };
            for (tensor, value) in feeds.iter() {
                let Ok(t) = tensor.cast::<TensorHandle>() else { return Ok(py.NotImplemented()) };
                if !Arc::ptr_eq(&t.get().graph, &self.shared) {
                    return Ok(py.NotImplemented());
                }
                key.push(key_of_tensor(t.get()));
                fed.push(value);
            }
        }
        if self.inner.is_closed() {
            return Ok(py.NotImplemented());
        }
        let Some(ready) = self.ready(py, &key, count)? else { return Ok(py.NotImplemented()) };
        let mut values: SmallVec<[Tensor; 4]> = SmallVec::new();
        for (value, feed) in fed.iter().zip(&ready.feeds) {
            let Some(t) = fed_tensor(value, feed.dtype)? else { return Ok(py.NotImplemented()) };
            if !fits(&feed.shape, &t) {
                return Ok(py.NotImplemented());
            }
            values.push(t);
        }
        let outcome = self.step(py, &ready.prepared, values, RunOptions::default(), self.timeout_ms)?;
        self.pack(py, &ready, outcome.values, shape)
    }

    /// Runs one step; returns the values of `fetches` (tensors) in order. `feeds` are (tensor, value) pairs, values
    /// converted by NumPy's rules. With `trace` it returns (values, (thread number, events)). An event is (node ids,
    /// start, end, outputs), in nanoseconds since the step began; an output is (index, dtype number, shape, bytes).
    /// With `may_miss`, values in a branch that was not taken are None.
    #[pyo3(signature = (fetches, feeds, targets, trace=false, timeout_ms=0, may_miss=false))]
    #[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn run_flat(
        &self,
        py: Python<'_>,
        fetches: Vec<Bound<'_, TensorHandle>>,
        feeds: Vec<(Bound<'_, TensorHandle>, Bound<'_, PyAny>)>,
        targets: Vec<Bound<'_, OperationHandle>>,
        trace: bool,
        timeout_ms: u64,
        may_miss: bool,
    ) -> PyResult<Py<PyAny>> {
        let foreign = |graph: &Arc<Shared>| !Arc::ptr_eq(graph, &self.shared);
        if fetches.iter().any(|f| foreign(&f.get().graph))
            || feeds.iter().any(|f| foreign(&f.0.get().graph))
            || targets.iter().any(|f| foreign(&f.get().graph))
        {
            return Err(PyValueError::new_err("a fetched or fed tensor is not of this session's graph"));
        }
        let request = Request {
            feeds: feeds.iter().map(|(t, _)| t.get().output()).collect(),
            fetches: fetches.iter().map(|t| t.get().output()).collect(),
            targets: targets.iter().map(|t| t.get().node).collect(),
        };
        let mut values: SmallVec<[Tensor; 4]> = SmallVec::new();
        for (tensor, value) in &feeds {
            let dtype = self.shared.graph.read().output(tensor.get().output()).map_err(status)?.dtype;
            values.push(tensor_of(value, dtype)?);
        }
        let timeout = if timeout_ms > 0 { timeout_ms } else { self.timeout_ms };
        let options = RunOptions { trace, may_miss, ..RunOptions::default() };
        let prepared = self.prepare(py, &request, timeout)?;
        let outcome = self.step(py, &prepared, values, options, timeout)?;
        let values = outcome.values.into_iter().map(|t| t.map_or_else(|| Ok(py.None()), |t| to_python(py, t)));
        let values: Vec<Py<PyAny>> = values.collect::<PyResult<_>>()?;
        let values = PyList::new(py, values)?;
        if trace {
            return Ok((values, events(outcome.trace)).into_pyobject(py)?.into_any().unbind());
        }
        Ok(values.into_any().unbind())
    }

    /// Returns (name, op, device index, is_in_loop) of the nodes that a request would run; `is_in_loop` is true if the
    /// outputs are inside of a loop.
    fn placement(
        &self,
        py: Python<'_>,
        fetches: Vec<Bound<'_, TensorHandle>>,
        feeds: Vec<Bound<'_, TensorHandle>>,
        targets: Vec<Bound<'_, OperationHandle>>,
    ) -> PyResult<Vec<(String, String, usize, bool)>> {
        let request = Request {
            feeds: feeds.iter().map(|t| t.get().output()).collect(),
            fetches: fetches.iter().map(|t| t.get().output()).collect(),
            targets: targets.iter().map(|t| t.get().node).collect(),
        };
        let prepared = self.prepare(py, &request, self.timeout_ms)?;
        let nodes = prepared.placement().iter();
        Ok(nodes.map(|p| (p.node.name.to_string(), p.node.op.name.to_string(), p.device, p.in_loop)).collect())
    }

    /// Returns the plan of a request as text, one line for each instruction: for feeds of `shapes`, if they are given.
    #[pyo3(signature = (fetches, feeds, targets, shapes=None))]
    fn plan_text(
        &self,
        py: Python<'_>,
        fetches: Vec<Bound<'_, TensorHandle>>,
        feeds: Vec<Bound<'_, TensorHandle>>,
        targets: Vec<Bound<'_, OperationHandle>>,
        shapes: Option<Vec<Vec<usize>>>,
    ) -> PyResult<String> {
        let request = Request {
            feeds: feeds.iter().map(|t| t.get().output()).collect(),
            fetches: fetches.iter().map(|t| t.get().output()).collect(),
            targets: targets.iter().map(|t| t.get().node).collect(),
        };
        let shapes = shapes.map(|all| all.iter().map(|s| s.iter().copied().collect()).collect::<Vec<_>>());
        self.inner.dump(&request, shapes.as_deref()).map_err(|e| self.error(py, e))
    }

    /// Returns full names of the session's devices, by a request to every task.
    fn device_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let names = |poll: &Poll<'_>| self.inner.device_names(poll);
        with_poll(py, Limit::after_ms(self.timeout_ms), names, |e| self.error(py, e))
    }

    /// Returns the names of the devices that `placement` numbers.
    fn step_device_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let names = |poll: &Poll<'_>| self.inner.step_device_names(poll);
        with_poll(py, Limit::after_ms(self.timeout_ms), names, |e| self.error(py, e))
    }

    /// Returns a function of the fed values, in `feed_list`'s order. `fetches`: as for `run_fast`.
    fn make_callable(
        slf: Bound<'_, Self>,
        fetches: Bound<'_, PyAny>,
        feed_list: Vec<Bound<'_, TensorHandle>>,
    ) -> PyResult<Callable> {
        let this = slf.get();
        let mut key: Key = SmallVec::new();
        key.push(0);
        let (items, shape) = if fetches.is_instance_of::<PyList>() {
            (handles(&fetches)?, Shape::List)
        } else if fetches.is_instance_of::<PyTuple>() {
            (handles(&fetches)?, Shape::Tuple)
        } else {
            (vec![fetches.clone().unbind()], Shape::One)
        };
        for item in &items {
            if !this.fetch(item.bind(slf.py()), &mut key) {
                return Err(PyTypeError::new_err("make_callable takes tensors and operations of this session's graph"));
            }
        }
        key[0] = items.len() as u64;
        for t in &feed_list {
            key.push(key_of_tensor(t.get()));
        }
        let Some(ready) = this.ready(slf.py(), &key, items.len())? else {
            return Err(PyValueError::new_err("a tensor may not be fetched or fed"));
        };
        Ok(Callable { session: slf.unbind(), ready: RwLock::new(ready), shape })
    }

    /// Cancels steps under way and refuses later ones.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.inner.close());
    }

    #[getter]
    fn closed(&self) -> bool {
        self.inner.is_closed()
    }
}

/// Returns a fed value as a tensor; None if Python must convert it.
fn fed_tensor(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Tensor>> {
    if let Some(t) = quick_tensor(value, dtype)? {
        return Ok(Some(t));
    }
    let is_numbers = value.cast::<PyUntypedArray>().is_ok()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>();
    // Values that NumPy refuses are refused again, with the tensor's name.
    Ok(if is_numbers && dtype.is_plain() { tensor_of(value, dtype).ok() } else { None })
}

/// Returns true if a value may be fed where `shape` is known.
fn fits(shape: &PartialShape, value: &Tensor) -> bool {
    match shape.to_wire() {
        None => true,
        Some(dims) => {
            dims.len() == value.rank() && dims.iter().zip(value.shape().iter()).all(|(&d, &v)| d < 0 || d as usize == v)
        }
    }
}

/// The result of `Session.make_callable`.
#[pyclass(frozen, module = "ferroflow._core")]
pub struct Callable {
    session: Py<Session>,
    ready: RwLock<Arc<Ready>>,
    shape: Shape,
}

#[pymethods]
impl Callable {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.session)
    }

    #[pyo3(signature = (*args))]
    fn __call__(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let session = self.session.get();
        let mut ready = self.ready.read().clone();
        if ready.prepared.graph_version() != session.shared.graph.read().version() {
            let prepared = session.prepare(py, &ready.request, session.timeout_ms)?;
            let feeds = ready.feeds.iter().map(|f| Feed { dtype: f.dtype, shape: f.shape.clone() }).collect();
            ready = Arc::new(Ready { prepared, feeds, places: ready.places.clone(), request: ready.request.clone() });
            *self.ready.write() = ready.clone();
        }
        if args.len() != ready.feeds.len() {
            return Err(PyTypeError::new_err(format!(
                "Expected {} arguments, one for each tensor of feed_list, got {}",
                ready.feeds.len(),
                args.len()
            )));
        }
        let mut values: SmallVec<[Tensor; 4]> = SmallVec::new();
        for ((value, feed), fed) in args.iter().zip(&ready.feeds).zip(&ready.request.feeds) {
            let t = tensor_of(&value, feed.dtype)?;
            if !fits(&feed.shape, &t) {
                let name = session.shared.graph.read().node(fed.node).map(|n| n.name.clone()).map_err(status)?;
                let message = format!(
                    "Cannot feed value of shape {} for Tensor '{name}:{}', which has shape '{}'",
                    t.shape(),
                    fed.index,
                    feed.shape
                );
                return Err(session.error(py, Status::new(Code::InvalidArgument, message).at_node(fed.node)));
            }
            values.push(t);
        }
        let outcome = session.step(py, &ready.prepared, values, RunOptions::default(), session.timeout_ms)?;
        session.pack(py, &ready, outcome.values, self.shape)
    }
}
