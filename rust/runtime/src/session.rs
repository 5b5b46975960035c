//! `Session`: plans and runs steps of a graph, and keeps what lives between them.

use crate::execute::{Frames, execute};
use crate::placement::Devices;
use crate::plan::{Context, Plan};
use crate::prune::Request;
use crate::trace::Trace;
use ferroflow_graph::{Cancellation, Graph, Kernel, KernelInit, Node, NodeId, OutputId, Resources, Step};
use ferroflow_tensor::threads::{Threads, default_count};
use ferroflow_tensor::{DType, Result, Status, Tensor};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Threads one kernel may use; 0: as many as the machine has.
    pub intra_op_threads: usize,
    pub devices: Devices,
    /// Whether plans are optimised; off, every node runs by itself.
    pub optimize: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        let devices = Devices { cpus: 1, allow_soft_placement: false };
        SessionOptions { intra_op_threads: 0, devices, optimize: true }
    }
}

#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub trace: bool,
}

pub struct StepOutcome {
    /// Values of the fetches, in order.
    pub values: Vec<Tensor>,
    pub trace: Option<Trace>,
}

struct Prepared {
    plan: Plan,
    frames: Frames,
}

type Plans = FxHashMap<Arc<Request>, (u64, Arc<Prepared>)>;

pub struct Session {
    graph: Arc<RwLock<Graph>>,
    options: SessionOptions,
    threads: Threads,
    resources: Arc<Resources>,
    kernels: Mutex<FxHashMap<NodeId, Arc<dyn Kernel>>>,
    plans: RwLock<Plans>,
    closed: AtomicBool,
    /// Cancellations of the steps under way.
    running: Mutex<FxHashMap<u64, Arc<Cancellation>>>,
    next_step: AtomicU64,
}

impl Session {
    pub fn new(graph: Arc<RwLock<Graph>>, options: SessionOptions, resources: Arc<Resources>) -> Session {
        let n = if options.intra_op_threads == 0 { default_count() } else { options.intra_op_threads };
        Session {
            graph,
            options,
            threads: Threads::new(n),
            resources,
            kernels: Mutex::default(),
            plans: RwLock::default(),
            closed: AtomicBool::new(false),
            running: Mutex::default(),
            next_step: AtomicU64::new(0),
        }
    }

    pub fn graph(&self) -> &Arc<RwLock<Graph>> {
        &self.graph
    }

    pub fn resources(&self) -> &Arc<Resources> {
        &self.resources
    }

    pub fn devices(&self) -> &Devices {
        &self.options.devices
    }

    fn prepare(&self, request: &Request) -> Result<Arc<Prepared>> {
        let graph = self.graph.read();
        let version = graph.version();
        if let Some((planned, prepared)) = self.plans.read().get(request)
            && *planned == version
        {
            return Ok(prepared.clone());
        }
        let kernel = |node: &Arc<Node>, types: &[DType]| self.kernel(node, types);
        let context = Context {
            graph: &graph,
            resources: &self.resources,
            devices: &self.options.devices,
            kernel: &kernel,
            optimize: self.options.optimize,
        };
        let plan = Plan::build(request, &context)?;
        let prepared = Arc::new(Prepared { plan, frames: Frames::default() });
        self.plans.write().insert(Arc::new(request.clone()), (version, prepared.clone()));
        Ok(prepared)
    }

    /// The kernel of a node: made on first use, then kept, for its state belongs to (session, node).
    fn kernel(&self, node: &Arc<Node>, input_types: &[DType]) -> Result<Arc<dyn Kernel>> {
        if let Some(kernel) = self.kernels.lock().get(&node.id) {
            return Ok(kernel.clone());
        }
        let Some(factory) = node.op.kernel else {
            return Err(Status::invalid_argument(format!(
                "No OpKernel was registered to support Op '{}' (node {})",
                node.op.name, node.name
            )));
        };
        let kernel: Arc<dyn Kernel> = factory(&KernelInit { node, input_types, resources: &self.resources })?.into();
        Ok(self.kernels.lock().entry(node.id).or_insert(kernel).clone())
    }

    /// Runs one step: feeds in, fetches out, targets for their effects.
    ///
    /// Errors: `FailedPrecondition` on a closed session; otherwise those of planning and of the nodes, which they name.
    pub fn run(
        &self,
        feeds: SmallVec<[(OutputId, Tensor); 4]>,
        fetches: &[OutputId],
        targets: &[NodeId],
        options: &RunOptions,
        cancellation: &Arc<Cancellation>,
    ) -> Result<StepOutcome> {
        let (feeds, values): (Vec<OutputId>, SmallVec<[Tensor; 4]>) = feeds.into_iter().unzip();
        self.run_request(
            &Request { feeds, fetches: fetches.to_vec(), targets: targets.to_vec() },
            values,
            options,
            cancellation,
        )
    }

    fn run_request(
        &self,
        request: &Request,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions,
        cancellation: &Arc<Cancellation>,
    ) -> Result<StepOutcome> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Status::failed_precondition("Session has been closed."));
        }
        let prepared = self.prepare(request)?;
        self.run_prepared(&prepared, values, options, cancellation)
    }

    fn run_prepared(
        &self,
        prepared: &Prepared,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions,
        cancellation: &Arc<Cancellation>,
    ) -> Result<StepOutcome> {
        let id = self.next_step.fetch_add(1, Ordering::Relaxed);
        self.running.lock().insert(id, cancellation.clone());
        let mut trace = options.trace.then(Trace::new);
        let step = Step { threads: self.threads, cancellation, resources: &self.resources };
        let result = execute(&prepared.plan, &prepared.frames, values, &step, trace.as_mut());
        self.running.lock().remove(&id);
        Ok(StepOutcome { values: result?, trace })
    }

    /// Ends the session: steps under way are cancelled, later ones refused.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for cancellation in self.running.lock().values() {
            cancellation.cancel(Status::cancelled("Session was closed."));
        }
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
