//! `SessionFunctions`: plans the bodies of functions and runs them, for kernels and for the threads that kernels leave behind.

use crate::execute::execute_within;
use crate::slots::IdleSlots;
use ferroflow_graph::{
    Blocking, Callable, Cancellation, Function, Functions, Graph, Kernel, KernelInit, Library, Node, OpDef, Registry,
    Resources, Step,
};
use ferroflow_plan::{Context, Plan, PlanOptions, Request, build};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{Threads, ensure_stack, unwatched};
use ferroflow_tensor::{DType, Result, Status, Tensor, ensure};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// The functions of one session.
pub(crate) struct SessionFunctions {
    known: Arc<Library>,
    registry: Arc<Registry>,
    /// Of the session, which what it keeps (iterators among them) must not keep alive.
    resources: Weak<Resources>,
    options: PlanOptions,
    threads: Threads,
    /// Bodies whose kernels keep nothing from one call to the next: one serves all instances.
    shared: Mutex<FxHashMap<String, Arc<Body>>>,
    /// Shared with the functions beside these.
    closed: Arc<AtomicBool>,
}

struct Body {
    function: Arc<Function>,
    plan: Plan,
    idle: IdleSlots,
    arguments: Vec<DType>,
    /// True if a call runs to its end, once begun.
    is_whole: bool,
    is_bounded: bool,
}

struct Instance {
    body: Arc<Body>,
    functions: Arc<SessionFunctions>,
    /// The same, as kernels see them.
    callable: Arc<dyn Functions>,
}

/// Returns whether one of the plan's nodes changes what outlives a call.
fn changes(plan: &Plan) -> bool {
    let changes = |op: &OpDef| (op.is_stateful || op.is_foreign) && !op.only_checks;
    plan.placement.iter().any(|placed| changes(&placed.node.op))
}

/// Returns whether every call of the plan ends by itself, so that it need not be interrupted.
fn is_bounded(plan: &Plan) -> bool {
    plan.placement.iter().all(|placed| {
        let op = &placed.node.op;
        let may_hang = match op.blocking {
            Some(Blocking::Pipeline) => true,
            // An interrupt reaches code on the thread of the call, and leaves behind that on other threads.
            Some(Blocking::Code) => plan.may_wait(),
            Some(Blocking::Files | Blocking::Decoding) | None => false,
        };
        !placed.in_loop && !op.may_wait && !may_hang && !op.is_unbounded
    })
}

fn closed() -> Status {
    Status::cancelled("Session was closed.")
}

impl SessionFunctions {
    pub fn new(graph: &Graph, resources: &Arc<Resources>, options: PlanOptions, threads: Threads) -> Self {
        SessionFunctions {
            known: graph.functions().clone(),
            registry: graph.registry().clone(),
            resources: Arc::downgrade(resources),
            options,
            threads,
            shared: Mutex::default(),
            closed: Arc::default(),
        }
    }

    /// Refuses later calls.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    fn resources(&self) -> Result<Arc<Resources>> {
        if self.closed.load(Ordering::Acquire) {
            return Err(closed());
        }
        self.resources.upgrade().ok_or_else(closed)
    }

    fn body(&self, name: &str) -> Result<Arc<Body>> {
        if let Some(body) = self.shared.lock().get(name) {
            return Ok(body.clone());
        }
        ensure_stack("Functions")?;
        let function = self.known.get(name)?;
        let resources = self.resources()?;
        let graph = function.graph.read();
        let kernel = |node: &Arc<Node>, types: &[DType], resources: &Resources| make_kernel(node, types, resources);
        let context =
            Context { graph: &graph, resources: &resources, options: &self.options, tasks: None, kernel: &kernel };
        let request = Request {
            feeds: function.arguments.clone(),
            fetches: function.results.clone(),
            targets: function.effects.clone(),
        };
        // The plan outlives the step that first needs it: constants are folded to the end.
        let plan = unwatched(|| build(&request, &context)).map_err(|e| located(e, &graph, name))?;
        let is_bounded = is_bounded(&plan);
        let is_whole = is_bounded && changes(&plan);
        let is_shared = !plan.placement.iter().any(|placed| placed.node.op.keeps_state());
        let arguments = function.arguments.iter().map(|&o| Ok(graph.output(o)?.dtype)).collect::<Result<_>>()?;
        drop(graph);
        let body = Arc::new(Body { function, plan, idle: IdleSlots::default(), arguments, is_whole, is_bounded });
        if is_shared {
            self.shared.lock().insert(name.to_owned(), body.clone());
        }
        Ok(body)
    }
}

fn make_kernel(node: &Arc<Node>, input_types: &[DType], resources: &Resources) -> Result<Arc<dyn Kernel>> {
    let Some(factory) = node.op.kernel else {
        return Err(Status::invalid_argument(format!(
            "No OpKernel was registered to support Op '{}' (node {})",
            node.op.name, node.name
        )));
    };
    Ok(factory(&KernelInit { node, input_types, resources })?.into())
}

/// Adds the node of a failure within a function to its message: the graph around has no such node.
fn located(failure: Status, graph: &Graph, function: &str) -> Status {
    match failure.node().and_then(|id| graph.node(id).ok()) {
        Some(node) => {
            let place = format!("\n\t [[{{{{node {}}}}} = {} in function {function}]]", node.name, node.op.name);
            failure.inside(&place)
        }
        None => failure,
    }
}

impl Functions for SessionFunctions {
    fn instance(self: Arc<Self>, name: &str) -> Result<Arc<dyn Callable>> {
        let body = self.body(name)?;
        Ok(Arc::new(Instance { body, callable: self.clone(), functions: self }))
    }

    fn definition(&self, name: &str) -> Result<Arc<Function>> {
        self.known.get(name)
    }

    fn registry(&self) -> Result<Arc<Registry>> {
        Ok(self.registry.clone())
    }

    fn beside(&self, library: Arc<Library>) -> Result<Arc<dyn Functions>> {
        Ok(Arc::new(SessionFunctions {
            known: library,
            registry: self.registry.clone(),
            resources: self.resources.clone(),
            options: self.options.clone(),
            threads: self.threads,
            shared: Mutex::default(),
            closed: self.closed.clone(),
        }))
    }
}

impl Callable for Instance {
    fn call(&self, arguments: SmallVec<[Tensor; 4]>, cancellation: &Cancellation) -> Result<Vec<Tensor>> {
        let body = &*self.body;
        let name = &body.function.name;
        ensure!(
            arguments.len() == body.arguments.len(),
            InvalidArgument,
            "Function {name} takes {} arguments, got {}",
            body.arguments.len(),
            arguments.len()
        );
        for (i, (value, expected)) in arguments.iter().zip(&body.arguments).enumerate() {
            ensure!(
                value.dtype() == *expected,
                InvalidArgument,
                "Argument {i} of function {name} is {}, but {} is expected",
                value.dtype().schema_name(),
                expected.schema_name()
            );
        }
        let resources = self.functions.resources()?;
        let (threads, functions) = (self.functions.threads, &self.callable);
        let locals = Resources::new();
        let step = Step { threads, cancellation, resources: &resources, locals: &locals, functions, rendezvous: None };
        let closed = &self.functions.closed;
        let result = if body.is_whole {
            cancellation.check()?;
            let never = Cancellation::new();
            let step = Step { cancellation: &never, ..step };
            unwatched(|| execute_within(&body.plan, &body.idle, arguments, &step, closed))
        } else {
            execute_within(&body.plan, &body.idle, arguments, &step, closed)
        };
        result.map_err(|e| located(e, &body.function.graph.read(), name))
    }

    fn is_whole(&self) -> bool {
        self.body.is_whole
    }

    fn is_bounded(&self) -> bool {
        self.body.is_bounded
    }
}
