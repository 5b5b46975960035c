//! Sessions that several threads share: variables, operations that wait, plans, and the session's end.

#![allow(clippy::unwrap_used, clippy::panic)]

use ferroflow_graph::{
    AttrValue, Bell, Graph, InputArg, KernelContext, NodeId, NodeSpec, Op, OutputId, Pending, Registry, Resources,
    kernel,
};
use ferroflow_plan::Request;
use ferroflow_runtime::{Poll, RunOptions, Session, SessionOptions};
use ferroflow_sync::{Mutex, RwLock};
use ferroflow_tensor::{Code, DType, PartialShape, Result, Status, Tensor, bail};
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// Elements of the variable: enough that a value which is half written would be seen.
const ELEMENTS: usize = 1000;

/// Fails where `test` takes so long that it hangs.
fn ends(test: impl FnOnce() + Send + 'static) {
    let (sender, ended) = channel();
    let thread = std::thread::spawn(move || {
        test();
        let _ = sender.send(());
    });
    if ended.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
        panic!("the test hangs");
    }
    thread.join().unwrap();
}

/// Values on their way from steps that put to steps that take; holds two.
#[derive(Default)]
struct Mailbox {
    values: Mutex<VecDeque<i64>>,
    waiting: Mutex<Vec<Arc<Bell>>>,
    /// Operations that ever waited.
    waited: AtomicUsize,
}

impl Mailbox {
    fn put(&self, value: i64) -> Option<Tensor> {
        let mut values = self.values.lock();
        (values.len() < 2).then(|| values.push_back(value)).map(|()| Tensor::scalar(value))
    }

    fn take(&self) -> Option<Tensor> {
        self.values.lock().pop_front().map(Tensor::scalar)
    }

    fn changed(&self) {
        self.waiting.lock().iter().for_each(|bell| bell.ring());
    }
}

struct AtMailbox<F> {
    mailbox: Arc<Mailbox>,
    attempt: F,
    bell: Arc<Bell>,
}

impl<F: FnMut(&Mailbox) -> Option<Tensor>> Pending for AtMailbox<F> {
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>> {
        let value = (self.attempt)(&self.mailbox)?;
        self.mailbox.changed();
        Some(Ok(smallvec![value]))
    }
}

impl<F> Drop for AtMailbox<F> {
    fn drop(&mut self) {
        let mut waiting = self.mailbox.waiting.lock();
        let place = waiting.iter().position(|b| Arc::ptr_eq(b, &self.bell)).unwrap();
        waiting.swap_remove(place);
    }
}

fn mailbox(resources: &Resources) -> Arc<Mailbox> {
    resources.lookup_or_create("", "mailbox", || Ok(Mailbox::default())).unwrap()
}

fn wait_for(ctx: &mut KernelContext<'_>, attempt: impl FnMut(&Mailbox) -> Option<Tensor> + 'static) -> Result<()> {
    let mailbox = mailbox(ctx.step.resources);
    let bell = ctx.step.cancellation.bell().clone();
    mailbox.waiting.lock().push(bell.clone());
    mailbox.waited.fetch_add(1, Ordering::Relaxed);
    ctx.wait_for(AtMailbox { mailbox, attempt, bell });
    Ok(())
}

/// The barriers at which a test can stop the kernel of `Slow`.
static SLOW: [Barrier; 2] = [const { Barrier::new(2) }; 2];

fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.add(
        Op::new("Variable")
            .output("ref: Ref(dtype)")
            .attr("shape: shape")
            .attr("dtype: type")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .variable()
            .kernel(|_| kernel(|_| bail!(Internal, "a variable does not run"))),
    );
    let writer = |name: &str| Op::new(name).input("ref: Ref(int64)").output("output_ref: Ref(int64)");
    r.add(writer("Clear").kernel(|_| {
        kernel(|ctx| {
            let zeros = Tensor::zeros(DType::I64, [ELEMENTS])?;
            ctx.assign(0, |value, _| {
                *value = Some(zeros);
                Ok(())
            })
        })
    }));
    r.add(writer("Increment").kernel(|_| {
        kernel(|ctx| ctx.update(0, |value, _| value.slice_mut::<i64>().map(|v| v.iter_mut().for_each(|x| *x += 1))))
    }));
    r.add(Op::new("Slow").input("value: int64").output("same: int64").stateful().kernel(|_| {
        SLOW.iter().for_each(|barrier| {
            barrier.wait();
        });
        kernel(|ctx| {
            let value = ctx.take(0)?;
            ctx.set_output(0, value);
            Ok(())
        })
    }));
    r.add(Op::new("Given").output("value: int64").stateful());
    r.add(Op::new("Put").input("value: int64").output("same: int64").stateful().may_wait().kernel(|_| {
        kernel(|ctx| {
            let value = ctx.input(0)?.to_scalar::<i64>()?;
            wait_for(ctx, move |mailbox| mailbox.put(value))
        })
    }));
    r.add(
        Op::new("Take")
            .output("value: int64")
            .stateful()
            .may_wait()
            .kernel(|_| kernel(|ctx| wait_for(ctx, Mailbox::take))),
    );
    r.finish().unwrap()
}

/// A graph of a variable and what its sessions share.
struct World {
    graph: Arc<RwLock<Graph>>,
    resources: Arc<Resources>,
    variable: NodeId,
}

fn add(graph: &mut Graph, op: &str, name: &str, inputs: &[NodeId]) -> NodeId {
    let inputs = inputs.iter().map(|&node| InputArg::One(OutputId { node, index: 0 })).collect();
    graph.add_node(NodeSpec { op, name, inputs, control_inputs: vec![], attrs: vec![], device: "" }).unwrap()
}

impl World {
    fn new() -> World {
        let mut graph = Graph::new(registry());
        let attrs = vec![
            ("shape".to_owned(), AttrValue::Shape(PartialShape::vector(Some(ELEMENTS)))),
            ("dtype".to_owned(), AttrValue::Type(DType::I64)),
        ];
        let spec = NodeSpec { op: "Variable", name: "v", inputs: vec![], control_inputs: vec![], attrs, device: "" };
        let variable = graph.add_node(spec).unwrap();
        World { graph: Arc::new(RwLock::new(graph)), resources: Arc::default(), variable }
    }

    fn add(&self, op: &str, inputs: &[NodeId]) -> NodeId {
        let mut graph = self.graph.write();
        let name = format!("n{}", graph.len());
        add(&mut graph, op, &name, inputs)
    }

    fn session(&self) -> Session {
        Session::with_resources(self.graph.clone(), SessionOptions::default(), self.resources.clone())
    }
}

fn target(node: NodeId) -> Request {
    Request { targets: vec![node], ..Request::default() }
}

fn fetch(node: NodeId) -> Request {
    Request { fetches: vec![OutputId { node, index: 0 }], ..Request::default() }
}

fn step(session: &Session, request: &Request, fed: &[i64]) -> Result<Vec<i64>> {
    let prepared = session.prepare(request)?;
    let never: &Poll<'_> = &|| Ok(());
    let options = RunOptions { poll: Some(never), ..RunOptions::default() };
    let outcome = session.run(&prepared, fed.iter().map(|&v| Tensor::scalar(v)).collect(), &options)?;
    outcome.values.first().map_or(Ok(vec![]), |v| Ok(v.as_ref().unwrap().slice::<i64>()?.to_vec()))
}

#[test]
fn steps_of_several_sessions_lose_no_update_and_see_none_half_done() {
    const STEPS: i64 = 200;
    ends(|| {
        let world = World::new();
        let clear = world.add("Clear", &[world.variable]);
        let increment = world.add("Increment", &[world.variable]);
        let sessions = [world.session(), world.session()];
        step(&sessions[0], &target(clear), &[]).unwrap();
        std::thread::scope(|scope| {
            for session in sessions.iter().chain(&sessions) {
                let variable = world.variable;
                scope.spawn(move || (0..STEPS).for_each(|_| drop(step(session, &target(increment), &[]).unwrap())));
                scope.spawn(move || {
                    let mut before = 0;
                    while before < 4 * STEPS {
                        let value = step(session, &fetch(variable), &[]).unwrap();
                        assert!(value.iter().all(|&x| x == value[0]) && value[0] >= before);
                        before = value[0];
                    }
                });
            }
        });
    });
}

#[test]
fn values_that_steps_wait_for_come_once_and_in_order() {
    const EACH: i64 = 200;
    ends(|| {
        let world = World::new();
        let given = world.add("Given", &[]);
        let (put, take) = (world.add("Put", &[given]), world.add("Take", &[]));
        let put = Request { feeds: vec![OutputId { node: given, index: 0 }], ..fetch(put) };
        let sessions = [world.session(), world.session(), world.session()];
        let taken = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (k, session) in (0..).zip(&sessions) {
                let (put, taken) = (&put, &taken);
                scope.spawn(move || (k * EACH..(k + 1) * EACH).for_each(|v| drop(step(session, put, &[v]).unwrap())));
                scope.spawn(move || {
                    let mine: Vec<i64> = (0..EACH).flat_map(|_| step(session, &fetch(take), &[]).unwrap()).collect();
                    for k in 0..3 {
                        let from_k = mine.iter().filter(|&&v| v / EACH == k);
                        assert!(from_k.is_sorted());
                    }
                    taken.lock().extend(mine);
                });
            }
        });
        let mut taken = taken.into_inner();
        taken.sort_unstable();
        assert_eq!(taken, (0..3 * EACH).collect::<Vec<_>>());
    });
}

#[test]
fn an_ended_session_ends_the_steps_that_compute_and_those_that_wait() {
    ends(|| {
        for _ in 0..20 {
            let world = World::new();
            let clear = world.add("Clear", &[world.variable]);
            let (increment, take) = (world.add("Increment", &[world.variable]), world.add("Take", &[]));
            let session = world.session();
            step(&session, &target(clear), &[]).unwrap();
            let mailbox = mailbox(&world.resources);
            std::thread::scope(|scope| {
                let forever = |request: Request| {
                    let failure = loop {
                        if let Err(failure) = step(&session, &request, &[]) {
                            break failure;
                        }
                    };
                    assert!(matches!(failure.code(), Code::Cancelled | Code::FailedPrecondition), "{failure:?}");
                };
                for _ in 0..2 {
                    scope.spawn(move || forever(fetch(take)));
                    scope.spawn(move || forever(target(increment)));
                }
                while mailbox.waited.load(Ordering::Relaxed) < 2 {
                    std::thread::yield_now();
                }
                session.close();
            });
            assert!(mailbox.waiting.lock().is_empty());
            assert_eq!(step(&session, &target(increment), &[]).unwrap_err().code(), Code::FailedPrecondition);
            assert!(step(&world.session(), &target(increment), &[]).is_ok());
        }
    });
}

#[test]
fn a_poll_ends_the_step_that_asks_and_no_other() {
    ends(|| {
        let world = World::new();
        let given = world.add("Given", &[]);
        let (put, take) = (world.add("Put", &[given]), world.add("Take", &[]));
        let put = Request { feeds: vec![OutputId { node: given, index: 0 }], ..fetch(put) };
        let session = world.session();
        std::thread::scope(|scope| {
            let patient = scope.spawn(|| step(&session, &fetch(take), &[]).unwrap());
            let given_up: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let stop: &Poll<'_> = &|| Err(Status::new(Code::DeadlineExceeded, "late"));
                        let options = RunOptions { poll: Some(stop), ..RunOptions::default() };
                        session.run(&session.prepare(&fetch(take)).unwrap(), smallvec![], &options).err().unwrap()
                    })
                })
                .collect();
            for step in given_up {
                assert_eq!(step.join().unwrap().code(), Code::DeadlineExceeded);
            }
            step(&session, &put, &[7]).unwrap();
            assert_eq!(patient.join().unwrap(), [7]);
        });
    });
}

#[test]
fn steps_are_planned_while_the_graph_grows() {
    ends(|| {
        let world = World::new();
        let (clear, session) = (world.add("Clear", &[world.variable]), world.session());
        step(&session, &target(clear), &[]).unwrap();
        let steps = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while steps.fetch_add(1, Ordering::Relaxed) < 300 {
                        let last = world.graph.read().len() as NodeId - 1;
                        step(&session, &target(last), &[]).unwrap();
                    }
                });
            }
            for step in 0..300 {
                while steps.load(Ordering::Relaxed) < step {
                    std::thread::yield_now();
                }
                world.add("Increment", &[world.variable]);
            }
        });
    });
}

#[test]
fn a_plan_made_while_state_is_cleared_is_not_kept() {
    ends(|| {
        let world = World::new();
        let clear = world.add("Clear", &[world.variable]);
        let slow = world.add("Slow", &[world.variable]);
        let session = world.session();
        let mut is_made_again = false;
        std::thread::scope(|scope| {
            let first = scope.spawn(|| drop(session.prepare(&fetch(slow)).unwrap()));
            SLOW[0].wait();
            world.resources.clear_all();
            session.forget_plans(1);
            SLOW[1].wait();
            first.join().unwrap();
            step(&session, &target(clear), &[]).unwrap();
            is_made_again = step(&session, &fetch(slow), &[]).is_ok();
        });
        assert!(is_made_again, "the plan holds a variable that was forgotten");
    });
}
