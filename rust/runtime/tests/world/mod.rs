//! A small set of ops, and the graph and session that a test runs them in.

#![allow(dead_code)]

use ferroflow_graph::{
    AttrValue, Bell, Blocking, Callable, Cancellation, Elementwise, Flow, Graph, InputArg, KernelContext, NodeId,
    NodeSpec, Op, OutputId, Pending, Registry, Role, kernel, shape_rules,
};
use ferroflow_plan::Request;
use ferroflow_runtime::{RunOptions, Session, SessionOptions, StepOutcome};
use ferroflow_sync::{Condvar, Mutex, OnceLock, RwLock};
use ferroflow_tensor::vector::{Binary, Compare};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail};
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Longer than any test takes.
pub const HANGS: Duration = Duration::from_secs(60);

/// Fails where `test` takes so long that it hangs.
pub fn ends(test: impl FnOnce() + Send + 'static) {
    let (sender, ended) = channel();
    let thread = std::thread::spawn(move || {
        test();
        let _ = sender.send(());
    });
    assert!(ended.recv_timeout(HANGS) != Err(RecvTimeoutError::Timeout), "the test hangs");
    thread.join().unwrap();
}

/// The state that the ops of one graph and the test share.
#[derive(Default)]
pub struct Stage {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Values that `Await` may take, by key.
    delivered: BTreeMap<i64, i64>,
    bells: Vec<Arc<Bell>>,
    /// Names of the nodes that have run, in order.
    log: Vec<String>,
    /// Names of the nodes whose blocking work has begun, and of those whose work has ended.
    begun: BTreeSet<String>,
    ended: BTreeSet<String>,
    /// Names of the nodes whose blocking work was cancelled while it ran.
    cancelled: BTreeSet<String>,
    /// If True, blocking work has begun on the thread of its step.
    stays: bool,
    /// Names of the nodes whose blocking work may end.
    released: BTreeSet<String>,
}

impl Stage {
    pub fn deliver(&self, key: i64, value: i64) {
        let mut state = self.state.lock();
        state.delivered.insert(key, value);
        state.bells.iter().for_each(|bell| bell.ring());
    }

    pub fn release(&self, node: &str) {
        self.state.lock().released.insert(node.to_owned());
        self.changed.notify_all();
    }

    pub fn log(&self) -> Vec<String> {
        self.state.lock().log.clone()
    }

    pub fn has_begun(&self, node: &str) -> bool {
        self.state.lock().begun.contains(node)
    }

    pub fn has_ended(&self, node: &str) -> bool {
        self.state.lock().ended.contains(node)
    }

    fn wait_until(&self, holds: impl Fn(&State) -> bool) {
        let mut state = self.state.lock();
        while !holds(&state) {
            self.changed.wait_for(&mut state, Duration::from_millis(100));
        }
    }

    pub fn wait_for_log(&self, node: &str) {
        self.wait_until(|state| state.log.iter().any(|name| name == node));
    }

    pub fn wait_for_cancellation(&self, node: &str) {
        self.wait_until(|state| state.cancelled.contains(node));
    }

    /// Waits until blocking work runs on the thread of its step.
    pub fn wait_for_one_that_stays(&self) {
        self.wait_until(|state| state.stays);
    }

    pub fn wait_for_begin(&self, node: &str) {
        self.wait_until(|state| state.begun.contains(node));
    }

    fn note(&self, node: &str) {
        self.state.lock().log.push(node.to_owned());
        self.changed.notify_all();
    }

    /// Blocks until the node is released, or, if it stops when cancelled, until its work is cancelled.
    fn block(&self, node: &str, stops: bool, cancellation: &Cancellation) -> Result<()> {
        self.state.lock().begun.insert(node.to_owned());
        self.changed.notify_all();
        let mut state = self.state.lock();
        while !(state.released.contains(node) || stops && cancellation.is_cancelled()) {
            if cancellation.is_cancelled() {
                state.cancelled.insert(node.to_owned());
                self.changed.notify_all();
            }
            self.changed.wait_for(&mut state, Duration::from_millis(20));
        }
        state.ended.insert(node.to_owned());
        drop(state);
        if stops { cancellation.check() } else { Ok(()) }
    }
}

struct Awaited {
    stage: Arc<Stage>,
    key: i64,
    name: String,
}

impl Pending for Awaited {
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>> {
        let value = self.stage.state.lock().delivered.remove(&self.key)?;
        self.stage.note(&self.name);
        Some(Ok(smallvec![Tensor::scalar(value)]))
    }

    fn cancelled(&self) -> &'static str {
        "Awaited in vain"
    }
}

fn stage(ctx: &KernelContext<'_>) -> Result<Arc<Stage>> {
    ctx.step.resources.lookup_or_create("", "stage", || Ok(Stage::default()))
}

fn give(ctx: &mut KernelContext<'_>, value: i64) {
    ctx.set_output(0, Tensor::scalar(value));
}

pub fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.add(Op::new("Const").output("o: dtype").attr("value: tensor").attr("dtype: type").role(Role::Constant));
    r.add(Op::new("Placeholder").output("o: dtype").attr("dtype: type").role(Role::Placeholder));
    r.add(Op::new("NoOp").role(Role::NoOp));
    let sum = |op: Op| op.input("x: N * int64").output("o: int64").attr("N: int >= 0");
    r.add(sum(Op::new("Sum")).shape(shape_rules::scalar).kernel(|_| {
        kernel(|ctx| {
            let all: Result<Vec<i64>> = ctx.inputs().iter().map(|t| t.to_scalar()).collect();
            give(ctx, all?.into_iter().sum());
            Ok(())
        })
    }));
    // Adds its inputs, and fails if the sum can be divided by the attribute.
    r.add(sum(Op::new("Refuse")).attr("divisor: int").kernel(|init| {
        let divisor = init.int("divisor")?;
        kernel(move |ctx| {
            let all: Result<Vec<i64>> = ctx.inputs().iter().map(|t| t.to_scalar()).collect();
            let sum: i64 = all?.into_iter().fold(1, i64::wrapping_add);
            if sum % divisor == 0 {
                bail!(Aborted, "{} refuses {sum}", ctx.name());
            }
            give(ctx, sum);
            Ok(())
        })
    }));
    // Ends when two such nodes have begun.
    r.add(sum(Op::new("Meet")).kernel(|_| {
        kernel(|ctx| {
            let stage = stage(ctx)?;
            stage.note(ctx.name());
            stage.wait_until(|state| state.log.len() >= 2);
            give(ctx, 1);
            Ok(())
        })
    }));
    // Adds its inputs, and notes that it ran.
    r.add(sum(Op::new("Log")).stateful().kernel(|_| {
        kernel(|ctx| {
            stage(ctx)?.note(ctx.name());
            let all: Result<Vec<i64>> = ctx.inputs().iter().map(|t| t.to_scalar()).collect();
            give(ctx, all?.into_iter().sum());
            Ok(())
        })
    }));
    let add = Op::new("Add").input("x: int64").input("y: int64").output("o: int64").shape(shape_rules::scalar);
    r.add(add.elementwise(Elementwise::Binary(Binary::Add)).kernel(|_| {
        kernel(|ctx| {
            let sum = ctx.input(0)?.to_scalar::<i64>()? + ctx.input(1)?.to_scalar::<i64>()?;
            give(ctx, sum);
            Ok(())
        })
    }));
    let less = Op::new("Less").input("x: int64").input("y: int64").output("o: bool").shape(shape_rules::scalar);
    r.add(less.elementwise(Elementwise::Compare(Compare::Less)).kernel(|_| {
        kernel(|ctx| {
            let less = ctx.input(0)?.to_scalar::<i64>()? < ctx.input(1)?.to_scalar::<i64>()?;
            ctx.set_output(0, Tensor::scalar(less));
            Ok(())
        })
    }));
    r.add(
        Op::new("Fail")
            .input("x: int64")
            .output("o: int64")
            .stateful()
            .kernel(|_| kernel(|ctx| bail!(Aborted, "{} fails", ctx.name()))),
    );
    // Waits until the test delivers a value under the key.
    r.add(sum(Op::new("Await")).attr("key: int").stateful().may_wait().kernel(|init| {
        let key = init.int("key")?;
        kernel(move |ctx| {
            let (stage, bell) = (stage(ctx)?, ctx.step.cancellation.bell().clone());
            stage.state.lock().bells.push(bell);
            let name = ctx.name().to_owned();
            ctx.wait_for(Awaited { stage, key, name });
            Ok(())
        })
    }));
    // Blocks until the test releases the node.
    for (name, how) in [("Block", Blocking::Code), ("BlockOnFile", Blocking::Files)] {
        let op = sum(Op::new(name)).attr("stops: bool = true").attr("fails: bool = false").stateful().blocks(how);
        r.add(op.kernel(|init| {
            let (stops, fails) = (init.bool("stops")?, init.bool("fails")?);
            kernel(move |ctx| {
                let (stage, name) = (stage(ctx)?, ctx.name().to_owned());
                let all: Result<Vec<i64>> = ctx.inputs().iter().map(|t| t.to_scalar()).collect();
                let sum: i64 = all?.into_iter().sum();
                let caller = std::thread::current().id();
                ctx.run_blocking(move |cancellation| {
                    stage.state.lock().stays |= std::thread::current().id() == caller;
                    stage.block(&name, stops, cancellation)?;
                    if fails {
                        bail!(Aborted, "{name} fails");
                    }
                    Ok(smallvec![Tensor::scalar(sum)])
                })
            })
        }));
    }
    // Counts its runs: state that belongs to a node, or to an instance of a function.
    for (name, is_memoryless) in [("Count", false), ("MemorylessCount", true)] {
        let op = sum(Op::new(name)).stateful();
        r.add(if is_memoryless { op.memoryless() } else { op }.kernel(|_| {
            let runs = AtomicI64::new(0);
            kernel(move |ctx| {
                let run = runs.fetch_add(1, Ordering::Relaxed) + 1;
                give(ctx, run);
                Ok(())
            })
        }));
    }
    // Keeps the step's thread until the test releases the node, whatever happens to the step.
    r.add(sum(Op::new("Gate")).stateful().kernel(|_| {
        kernel(|ctx| {
            stage(ctx)?.block(ctx.name(), false, ctx.step.cancellation)?;
            give(ctx, 0);
            Ok(())
        })
    }));
    r.add(sum(Op::new("Check")).only_checks().kernel(|_| kernel(|_| Ok(()))));
    r.add(sum(Op::new("Foreign")).foreign().kernel(|_| kernel(|_| Ok(()))));
    r.add(sum(Op::new("Unbounded")).unbounded().kernel(|_| kernel(|_| Ok(()))));
    r.add(
        Op::new("Call")
            .input("x: T")
            .output("o: N * int64")
            .attr("T: list(type)")
            .attr("N: int")
            .attr("f: func")
            .stateful()
            .kernel(|init| {
                let (name, instance) = (init.func("f")?.name, OnceLock::new());
                kernel(move |ctx| {
                    let made: &Arc<dyn Callable> = match instance.get() {
                        Some(made) => made,
                        None => {
                            let made = ctx.step.functions.clone().instance(&name)?;
                            instance.get_or_init(|| made)
                        }
                    };
                    let results = made.call(ctx.take_inputs(), ctx.step.cancellation)?;
                    results.into_iter().enumerate().for_each(|(i, value)| ctx.set_output(i, value));
                    Ok(())
                })
            }),
    );
    // Gives 2 if calls of the function run to their end, plus 1 if they end by themselves.
    r.add(Op::new("Kind").output("o: int64").attr("f: func").stateful().kernel(|init| {
        let name = init.func("f")?.name;
        kernel(move |ctx| {
            let made = ctx.step.functions.clone().instance(&name)?;
            give(ctx, 2 * i64::from(made.is_whole()) + i64::from(made.is_bounded()));
            Ok(())
        })
    }));
    let variable = Op::new("Variable").output("ref: Ref(dtype)").attr("shape: shape").attr("dtype: type");
    let variable = variable.attr("container: string = ''").attr("shared_name: string = ''").variable();
    r.add(variable.kernel(|_| kernel(|_| bail!(Internal, "a variable does not run"))));
    r.add(Op::new("Assign").input("ref: Ref(int64)").input("x: int64").output("same: Ref(int64)").kernel(|_| {
        kernel(|ctx| {
            let value = ctx.input(1)?.clone();
            ctx.assign(0, |v, _| {
                *v = Some(value);
                Ok(())
            })
        })
    }));
    r.add(
        Op::new("Increment")
            .input("ref: Ref(int64)")
            .output("same: Ref(int64)")
            .kernel(|_| kernel(|ctx| ctx.update(0, |v, _| v.slice_mut::<i64>().map(|v| v[0] += 1)))),
    );
    let one = |name: &str, flow| Op::new(name).input("x: T").output("o: T").attr("T: type").flow(flow);
    r.add(
        Op::new("Switch")
            .input("x: T")
            .input("pred: bool")
            .output("f: T")
            .output("t: T")
            .attr("T: type")
            .flow(Flow::Switch),
    );
    r.add(
        Op::new("Merge")
            .input("x: N * T")
            .output("o: T")
            .output("index: int32")
            .attr("N: int")
            .attr("T: type")
            .flow(Flow::Merge),
    );
    r.add(one("Enter", Flow::Enter).attr("frame_name: string").attr("is_constant: bool = false"));
    r.add(one("Exit", Flow::Exit));
    r.add(one("NextIteration", Flow::NextIteration));
    r.add(Op::new("LoopCond").input("x: bool").output("o: bool").flow(Flow::LoopCond));
    r.finish().unwrap()
}

/// A graph with a session.
pub struct World {
    pub graph: Arc<RwLock<Graph>>,
    pub session: Session,
}

pub fn output(node: NodeId) -> OutputId {
    OutputId { node, index: 0 }
}

impl World {
    pub fn new() -> World {
        World::of(Graph::new(registry()))
    }

    pub fn of(graph: Graph) -> World {
        World::with(graph, SessionOptions::default())
    }

    pub fn with(graph: Graph, options: SessionOptions) -> World {
        let graph = Arc::new(RwLock::new(graph));
        let session = Session::new(graph.clone(), options);
        World { graph, session }
    }

    pub fn stage(&self) -> Arc<Stage> {
        self.session.resources().lookup_or_create("", "stage", || Ok(Stage::default())).unwrap()
    }

    /// Adds a node of that name. Ops with one list as input get all of `inputs` in it.
    pub fn add(&self, op: &str, name: &str, inputs: &[OutputId], attrs: &[(&str, AttrValue)]) -> OutputId {
        add(&mut self.graph.write(), op, name, inputs, attrs)
    }

    pub fn constant(&self, name: &str, value: i64) -> OutputId {
        let value = Tensor::scalar(value);
        self.add("Const", name, &[], &[("value", AttrValue::Tensor(value)), ("dtype", AttrValue::Type(DType::I64))])
    }

    pub fn placeholder(&self, name: &str, dtype: DType) -> OutputId {
        self.add("Placeholder", name, &[], &[("dtype", AttrValue::Type(dtype))])
    }

    pub fn variable(&self, name: &str) -> OutputId {
        let shape = AttrValue::Shape(PartialShape::scalar());
        self.add("Variable", name, &[], &[("shape", shape), ("dtype", AttrValue::Type(DType::I64))])
    }

    pub fn control(&self, node: OutputId, after: &[OutputId]) {
        let after: Vec<_> = after.iter().map(|o| o.node).collect();
        self.graph.write().add_control_inputs(node.node, &after).unwrap();
    }

    pub fn run(&self, request: &Request, fed: Vec<Tensor>, options: &RunOptions<'_>) -> Result<StepOutcome> {
        self.session.run(&*self.session.prepare(request)?, fed.into(), options)
    }

    /// Returns the fetched int64 scalars of a step.
    pub fn fetch(&self, fetches: &[OutputId]) -> Result<Vec<i64>> {
        let request = Request { fetches: fetches.to_vec(), ..Request::default() };
        let never: &dyn Fn() -> Result<()> = &|| Ok(());
        let outcome = self.run(&request, vec![], &RunOptions { poll: Some(never), ..RunOptions::default() })?;
        outcome.values.iter().map(|v| v.as_ref().unwrap().to_scalar()).collect()
    }

    /// Returns the name of the node that a failure names.
    pub fn failed_node(&self, failure: &ferroflow_tensor::Status) -> String {
        let graph = self.graph.read();
        failure.node().map_or(String::new(), |id| graph.node(id).unwrap().name.to_string())
    }
}

pub fn add(g: &mut Graph, op: &str, name: &str, inputs: &[OutputId], attrs: &[(&str, AttrValue)]) -> OutputId {
    let def = g.registry().get(op).unwrap().clone();
    let inputs = match def.inputs.as_slice() {
        [arg] if arg.is_list() => vec![InputArg::List(inputs.to_vec())],
        _ => inputs.iter().map(|&o| InputArg::One(o)).collect(),
    };
    let attrs = attrs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    output(g.add_node(NodeSpec { op, name, inputs, control_inputs: vec![], attrs, device: "" }).unwrap())
}
