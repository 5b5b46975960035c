//! `Session`: plans and runs steps of a graph, and keeps what lives between them.

use crate::execute::execute;
use crate::execution::Execution;
use crate::functions::SessionFunctions;
use crate::interrupts::{Interrupts, Poll};
use crate::prepared::Prepared;
use crate::side_by_side::Mode;
use crate::task_state::TaskState;
use crate::trace::Trace;
use ferroflow_graph::{Cancellation, Functions, Graph, Kernel, KernelInit, Node, Rendezvous, Resources, Role, Step};
use ferroflow_plan::{
    Context, Devices, KernelSource, Part, Placement, PlanOptions, Request, Rewrite, Rewrites, ShapedPlan, Split, Tasks,
    assemble, build, build_for_shapes, prune, split,
};
use ferroflow_sync::{Mutex, RwLock, is_lost};
use ferroflow_tensor::threads::{Threads, default_count};
use ferroflow_tensor::{Code, DType, Result, Shape, Status, Tensor};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Threads one kernel may use; 0: as many as the machine has.
    pub intra_op_threads: usize,
    /// If true, instructions that are too small for several threads run beside others.
    pub side_by_side: bool,
    pub plan: PlanOptions,
}

impl Default for SessionOptions {
    fn default() -> Self {
        let devices = Devices::local(1, false);
        SessionOptions {
            intra_op_threads: 0,
            side_by_side: true,
            plan: PlanOptions { devices, rewrites: Rewrites::ALL },
        }
    }
}

#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    pub trace: bool,
    /// Called about every 50 ms on the calling thread; an error ends the step.
    pub poll: Option<&'a Poll<'a>>,
    /// If true, a fetch may have no value, being in a branch that was not taken.
    pub may_miss: bool,
    /// Present if other processes run parts of the step.
    pub rendezvous: Option<&'a Arc<dyn Rendezvous>>,
}

pub struct StepOutcome {
    /// Values of the fetches, in order; None only where `RunOptions::may_miss`.
    pub values: Vec<Option<Tensor>>,
    pub trace: Option<Trace>,
}

/// A step among the running ones, until it returns or panics.
struct Registered<'a> {
    session: &'a Session,
    id: u64,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        if !is_lost(&self.session.running) {
            self.session.running.lock().remove(&self.id);
        }
    }
}

/// Most plans kept; a program with more different requests plans some of them again.
const MAX_PLANS: usize = 4096;

type Plans = FxHashMap<Arc<Request>, Arc<Prepared>>;

pub struct Session {
    graph: Arc<RwLock<Graph>>,
    options: SessionOptions,
    threads: Threads,
    resources: Arc<Resources>,
    /// True if the resources end with the session. Those of a task serve other sessions, too.
    owns_resources: bool,
    functions: Arc<SessionFunctions>,
    callable: Arc<dyn Functions>,
    /// The tasks whose nodes it runs, if they are several.
    tasks: Vec<TaskState>,
    task_resources: Vec<Arc<Resources>>,
    placement: Mutex<Arc<Placement>>,
    kernels: Mutex<FxHashMap<Arc<str>, Arc<dyn Kernel>>>,
    plans: RwLock<Plans>,
    closed: AtomicBool,
    /// Cancellations of the steps under way.
    running: Mutex<FxHashMap<u64, Arc<Cancellation>>>,
    next_step: AtomicU64,
    /// Of the state that plans hold.
    generation: AtomicU64,
}

impl Session {
    /// Returns a session with resources of its own.
    pub fn new(graph: Arc<RwLock<Graph>>, options: SessionOptions) -> Session {
        Session { owns_resources: true, ..Session::with_resources(graph, options, Arc::default()) }
    }

    /// Returns a session on resources that other sessions use, too.
    pub fn with_resources(graph: Arc<RwLock<Graph>>, options: SessionOptions, resources: Arc<Resources>) -> Session {
        let n = if options.intra_op_threads == 0 { default_count() } else { options.intra_op_threads };
        let threads = Threads::new(n);
        let functions = SessionFunctions::new(&graph.read(), &resources, options.plan.clone(), threads);
        let functions = Arc::new(functions);
        Session {
            graph,
            options,
            threads,
            resources,
            owns_resources: false,
            callable: functions.clone(),
            functions,
            tasks: Vec::new(),
            task_resources: Vec::new(),
            placement: Mutex::default(),
            kernels: Mutex::default(),
            plans: RwLock::default(),
            closed: AtomicBool::new(false),
            running: Mutex::default(),
            next_step: AtomicU64::new(0),
            generation: AtomicU64::new(0),
        }
    }

    /// Returns a session that runs the nodes of several tasks; `resources` are those of each task of `options.devices`.
    pub fn across(graph: Arc<RwLock<Graph>>, options: SessionOptions, resources: &[Arc<Resources>]) -> Session {
        let own = resources.get(options.plan.devices.default_task()).cloned().unwrap_or_default();
        let mut session = Session::with_resources(graph, options, own);
        // A function runs wholly in the process that calls it, so its plan has one local device.
        let body = PlanOptions { devices: Devices::local(1, true), rewrites: session.options.plan.rewrites };
        for own in resources {
            let functions = SessionFunctions::new(&session.graph.read(), own, body.clone(), session.threads);
            let functions = Arc::new(functions);
            session.tasks.push(TaskState { resources: own.clone(), functions });
        }
        session.task_resources = resources.to_vec();
        session
    }

    pub fn graph(&self) -> &Arc<RwLock<Graph>> {
        &self.graph
    }

    pub fn resources(&self) -> &Arc<Resources> {
        &self.resources
    }

    pub fn devices(&self) -> &Devices {
        &self.options.plan.devices
    }

    /// Returns the plan of a request: made on first use and kept until the graph changes.
    ///
    /// Errors: those of placement, and of kernels that cannot be made, with their node.
    pub fn prepare(&self, request: &Request) -> Result<Arc<Prepared>> {
        let graph = self.graph.read();
        let graph_version = graph.version();
        // Before the plan is made: state that is cleared meanwhile makes the plan stale.
        let generation = self.generation.load(Ordering::Acquire);
        let is_fresh = |p: &Prepared| p.graph_version == graph_version && p.generation == generation;
        if let Some(prepared) = self.plans.read().get(request).filter(|p| is_fresh(p)) {
            return Ok(prepared.clone());
        }
        let kernel = |node: &Arc<Node>, types: &[DType], resources: &Resources| self.kernel(node, types, resources);
        let placement = (!self.tasks.is_empty()).then(|| self.placement(&graph));
        let context = self.context(&graph, placement.as_deref(), &kernel);
        let plan = build(request, &context)?;
        let request = Arc::new(request.clone());
        let open = self.is_open(&graph, &request).then(|| request.clone());
        let prepared = Arc::new(Prepared::new(plan, graph_version, generation, open));
        let mut plans = self.plans.write();
        plans.retain(|_, p| is_fresh(p));
        if plans.len() >= MAX_PLANS {
            plans.clear();
        }
        plans.insert(request, prepared.clone());
        Ok(prepared)
    }

    /// Returns whether shapes of feeds may decide more shapes than the graph does.
    fn is_open(&self, graph: &Graph, request: &Request) -> bool {
        let is_open = |&o| graph.output(o).is_ok_and(|t| !t.shape.is_fully_known());
        self.options.plan.rewrites.contains(Rewrite::FedShapes)
            && self.tasks.is_empty()
            && request.feeds.iter().any(is_open)
    }

    /// Returns the plan of a request for feeds of these shapes. None if it cannot be made, or the graph has changed.
    fn plan_for_shapes(&self, prepared: &Prepared, request: &Request, shapes: &[Shape]) -> Result<Option<ShapedPlan>> {
        let graph = self.graph.read();
        if graph.version() != prepared.graph_version {
            return Ok(None);
        }
        let kernel = |node: &Arc<Node>, types: &[DType], resources: &Resources| self.kernel(node, types, resources);
        build_for_shapes(request, shapes, &self.context(&graph, None, &kernel))
    }

    /// Returns the plan of a request for feeds of these shapes as text, or that for feeds of any shape if none can be made.
    ///
    /// Errors: those of `prepare`.
    pub fn dump(&self, request: &Request, shapes: Option<&[Shape]>) -> Result<String> {
        let prepared = self.prepare(request)?;
        let special = shapes.map(|shapes| self.plan_for_shapes(&prepared, request, shapes)).transpose()?.flatten();
        let graph = self.graph.read();
        Ok(special.map_or_else(|| prepared.dump(&graph), |shaped| shaped.plan.dump(&graph)))
    }

    /// Cuts a request at the borders of processes: `site_of` gives the site (below `sites`) of each task, 0 for this process.
    /// None where all of it runs here.
    ///
    /// Errors: those of placement and of the graph's structure, and of what cannot be cut.
    pub fn split(&self, request: &Request, sites: usize, site_of: &dyn Fn(usize) -> usize) -> Result<Option<Split>> {
        let graph = self.graph.read();
        let placement = self.placement(&graph);
        let site_of = |device: usize| site_of(self.options.plan.devices.task_of(device));
        let fed = request.feeds.iter().copied().collect();
        let mut is_here = true;
        for id in prune(&graph, request, &fed)? {
            is_here &= site_of(placement.device(id).map_err(|e| e.at_node(id))?) == 0;
        }
        if is_here {
            return Ok(None);
        }
        let kernel = |_: &Arc<Node>, _: &[DType], _: &Resources| Err(Status::internal("a part is cut, not run"));
        let context = self.context(&graph, Some(&placement), &kernel);
        split(request, &context, sites, &site_of).map(Some)
    }

    /// Returns the plan of this process's part of a step; its nodes share their kernels with those they stand for.
    pub fn prepare_part(&self, part: &Part) -> Result<Prepared> {
        let generation = self.generation.load(Ordering::Acquire);
        let (registry, placement, graph_version) = {
            let graph = self.graph.read();
            let placement = (!self.tasks.is_empty()).then(|| self.placement(&graph));
            (graph.registry().clone(), placement, graph.version())
        };
        let named = |e: Status| match e.node().and_then(|n| part.origin.get(n as usize)) {
            Some(&id) => e.inside("").at_node(id),
            None => e,
        };
        let graph = assemble(&part.nodes, &registry).map_err(named)?;
        let placement = placement.map(|p| p.of_part(&part.origin));
        let kernel = |node: &Arc<Node>, types: &[DType], resources: &Resources| self.kernel(node, types, resources);
        let context = self.context(&graph, placement.as_ref(), &kernel);
        let plan = build(&part.request(), &context).map_err(named)?;
        Ok(Prepared::new(plan, graph_version, generation, None))
    }

    /// Drops the plans that hold cleared state; `generation` rises whenever state is cleared.
    pub fn forget_plans(&self, generation: u64) {
        if self.generation.fetch_max(generation, Ordering::AcqRel) < generation {
            self.plans.write().clear();
        }
    }

    fn context<'a>(
        &'a self,
        graph: &'a Graph,
        placement: Option<&'a Placement>,
        kernel: &'a KernelSource<'a>,
    ) -> Context<'a> {
        Context {
            graph,
            resources: &self.resources,
            options: &self.options.plan,
            tasks: placement.map(|placement| Tasks { placement, resources: &self.task_resources }),
            kernel,
        }
    }

    /// Returns the placement of the graph's nodes.
    fn placement(&self, graph: &Graph) -> Arc<Placement> {
        let mut placement = self.placement.lock();
        if placement.version() != graph.version() {
            *placement = Arc::new(Placement::of(graph, &self.options.plan.devices, Some(&placement)));
        }
        placement.clone()
    }

    /// Returns the kernel of a node: made on first use, then kept, for its state belongs to (session, node).
    fn kernel(&self, node: &Arc<Node>, input_types: &[DType], resources: &Resources) -> Result<Arc<dyn Kernel>> {
        // The key of a transferred value differs from one step's parts to the next.
        let is_kept = !matches!(node.op.role, Role::Send | Role::Recv);
        if is_kept && let Some(kernel) = self.kernels.lock().get(&node.name) {
            return Ok(kernel.clone());
        }
        let Some(factory) = node.op.kernel else {
            return Err(Status::invalid_argument(format!(
                "No OpKernel was registered to support Op '{}' (node {})",
                node.op.name, node.name
            )));
        };
        let kernel: Arc<dyn Kernel> = factory(&KernelInit { node, input_types, resources })?.into();
        if !is_kept {
            return Ok(kernel);
        }
        Ok(self.kernels.lock().entry(node.name.clone()).or_insert(kernel).clone())
    }

    /// Runs one step of a plan: `values` are the feeds in the request's order.
    ///
    /// Errors: `FailedPrecondition` on a closed session; what `options.poll` says; otherwise the failing node's, which it
    /// names.
    pub fn run(
        &self,
        prepared: &Prepared,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions<'_>,
    ) -> Result<StepOutcome> {
        let cancellation = Arc::new(Cancellation::new());
        let id = self.next_step.fetch_add(1, Ordering::Relaxed);
        self.running.lock().insert(id, cancellation.clone());
        let _registered = Registered { session: self, id };
        // The check comes after the registration: a later `close` finds the step among those it cancels.
        if self.is_closed() {
            return Err(Status::new(Code::FailedPrecondition, "Attempted to use a closed Session."));
        }
        let trace = options.trace.then(|| RefCell::new(Trace::new()));
        let locals = Resources::new();
        let step = Step {
            threads: self.threads,
            cancellation: &cancellation,
            resources: &self.resources,
            locals: &locals,
            functions: &self.callable,
            rendezvous: options.rendezvous,
        };
        let shaped = prepared.shaped(&values, |request, shapes| self.plan_for_shapes(prepared, request, shapes));
        let ready = shaped.as_deref().unwrap_or(&prepared.general);
        let interrupts = Interrupts::begin(options.poll);
        let execution =
            Execution::begin(&ready.plan, values, &ready.idle, &self.tasks, &step, &interrupts, trace.as_ref());
        // A trace shows the instructions in their order, and other processes wait for values in theirs.
        let is_grouped = self.options.side_by_side && !options.trace;
        let mode = match options.rendezvous {
            None if is_grouped => ready.side_by_side.mode(&ready.plan, self.threads.count()),
            _ => Mode::InOrder,
        };
        let execution = execution.with_mode(mode);
        let values = execute(execution, options.may_miss)?;
        Ok(StepOutcome { values, trace: trace.map(RefCell::into_inner) })
    }

    /// Ends the session: steps under way are cancelled, later ones refused.
    pub fn close(&self) {
        self.close_because(&Status::cancelled("Session was closed."));
    }

    /// Closes as `close` does; the steps under way fail with `reason`.
    pub fn close_because(&self, reason: &Status) {
        self.closed.store(true, Ordering::Release);
        for cancellation in self.running.lock().values() {
            cancellation.cancel(reason.clone());
        }
        if self.owns_resources {
            self.functions.close();
            return;
        }
        // An iterator that other sessions find by its name goes on to call this session's functions. Iterators of the session alone
        // end here, with their threads.
        let plans = std::mem::take(&mut *self.plans.write());
        let kernels = std::mem::take(&mut *self.kernels.lock());
        drop((plans, kernels));
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
