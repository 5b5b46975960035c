//! A cluster that several threads share: sessions, tasks and their connections, all in one process over real sockets.

#![allow(clippy::unwrap_used, clippy::panic)]

use ferroflow_cluster::{Address, Cluster, Master, MasterOptions, Task, TaskName};
use ferroflow_graph::{AttrValue, Graph, InputArg, NodeId, NodeSpec, Op, OutputId, Registry, Role, kernel};
use ferroflow_plan::Request;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{ClusterDef, JobDef, ServerDef};
use ferroflow_runtime::{Poll, RunOptions, SessionOptions};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{Code, DType, PartialShape, Result, Tensor, bail};
use smallvec::smallvec;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

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

/// Number of runs of `Arrive`.
static ARRIVED: AtomicUsize = AtomicUsize::new(0);

fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.add(Op::new("Zeros").output("values: int64").attr("count: int").stateful().kernel(|init| {
        let count = init.int("count")? as usize;
        kernel(move |ctx| {
            ctx.set_output(0, Tensor::zeros(DType::I64, [count])?);
            Ok(())
        })
    }));
    r.add(Op::new("Arrive").input("values: int64").stateful().kernel(|_| {
        kernel(|_| {
            ARRIVED.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }));
    // It stands for one that computes for long.
    r.add(Op::new("Hold").output("arrived: int64").attr("least: int").stateful().kernel(|init| {
        let least = init.int("least")? as usize;
        kernel(move |ctx| {
            let began = std::time::Instant::now();
            while ARRIVED.load(Ordering::Relaxed) < least {
                if began.elapsed() > Duration::from_secs(20) {
                    bail!(DeadlineExceeded, "nothing arrives while this computes");
                }
                std::thread::yield_now();
            }
            ctx.set_output(0, Tensor::scalar(1i64));
            Ok(())
        })
    }));
    ferroflow_cluster::register(&mut r);
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
            ctx.assign(0, |value, _| {
                *value = Some(Tensor::scalar(0i64));
                Ok(())
            })
        })
    }));
    r.add(writer("Increment").kernel(|_| {
        kernel(|ctx| {
            ctx.update(0, |value, _| {
                value.slice_mut::<i64>()?[0] += 1;
                Ok(())
            })
        })
    }));
    r.add(Op::new("ControlTrigger").role(Role::Trigger).kernel(|_| kernel(|_| Ok(()))));
    r.add(Op::new("Copy").input("value: int64").output("same: int64").stateful().kernel(|_| {
        kernel(|ctx| {
            let value = ctx.take(0)?;
            ctx.set_output(0, value);
            Ok(())
        })
    }));
    r.finish().unwrap()
}

/// Returns a started task; those before it have the first indices of the cluster.
fn task(before: &[Arc<Task>]) -> Arc<Task> {
    let addresses = before.iter().map(|t| t.address.to_string()).chain(["127.0.0.1:0".to_owned()]);
    let job = JobDef { name: "worker".to_owned(), tasks: (0..).zip(addresses).collect() };
    let def = ServerDef {
        cluster: Some(ClusterDef { job: vec![job] }),
        job_name: "worker".to_owned(),
        task_index: before.len() as i32,
        ..ServerDef::default()
    };
    let task = Task::new(&def.encode_to_vec()).unwrap();
    task.start(registry()).unwrap();
    task
}

/// A variable at the first of two tasks, and the second reads it.
struct World {
    tasks: [Arc<Task>; 2],
    graph: Arc<RwLock<Graph>>,
    clear: Request,
    increment: Request,
    read: Request,
}

impl World {
    fn new() -> World {
        let first = task(&[]);
        let second = task(std::slice::from_ref(&first));
        let mut graph = Graph::new(registry());
        let mut add = |op: &str, inputs: &[NodeId], attrs, device| {
            let inputs = inputs.iter().map(|&node| InputArg::One(OutputId { node, index: 0 })).collect();
            graph.add_node(NodeSpec { op, name: op, inputs, control_inputs: vec![], attrs, device }).unwrap()
        };
        let [there, here] = ["/job:worker/task:0", "/job:worker/task:1"];
        let attrs = vec![
            ("shape".to_owned(), AttrValue::Shape(PartialShape::scalar())),
            ("dtype".to_owned(), AttrValue::Type(DType::I64)),
        ];
        let variable = add("Variable", &[], attrs, there);
        let target = |node| Request { targets: vec![node], ..Request::default() };
        let clear = target(add("Clear", &[variable], vec![], there));
        let increment = target(add("Increment", &[variable], vec![], there));
        let copy = add("Copy", &[variable], vec![], here);
        let read = Request { fetches: vec![OutputId { node: copy, index: 0 }], ..Request::default() };
        World { tasks: [first, second], graph: Arc::new(RwLock::new(graph)), clear, increment, read }
    }

    fn session(&self, target: usize) -> Arc<Master> {
        let task = |i: usize| (TaskName { job: "worker".to_owned(), index: i as u32 }, self.tasks[i].address.clone());
        let cluster = Some(Cluster { tasks: vec![task(0), task(1)] });
        self.session_of(
            &self.tasks[target].address,
            MasterOptions { cluster, use_rpc: true, ..MasterOptions::default() },
        )
    }

    /// Returns a session on the state of the tasks, with the second task's cluster.
    fn shared_session(&self) -> Arc<Master> {
        let options = MasterOptions { use_rpc: true, ..MasterOptions::default() };
        self.session_of(&self.tasks[1].address, options)
    }

    fn session_of(&self, target: &Address, options: MasterOptions) -> Arc<Master> {
        Master::new(self.graph.clone(), target.clone(), options, SessionOptions::default()).unwrap()
    }
}

fn step(session: &Master, request: &Request) -> Result<Option<i64>> {
    let never: &Poll<'_> = &|| Ok(());
    let options = RunOptions { poll: Some(never), ..RunOptions::default() };
    let planned = session.prepare(request, options.poll)?;
    let outcome = session.run(&planned, smallvec![], &options)?;
    outcome.values.first().map(|v| v.as_ref().unwrap().to_scalar()).transpose()
}

#[test]
fn steps_of_several_sessions_at_shared_tasks_lose_no_update() {
    const STEPS: i64 = 40;
    ends(|| {
        let world = World::new();
        let sessions = [world.shared_session(), world.shared_session()];
        step(&sessions[0], &world.clear).unwrap();
        std::thread::scope(|scope| {
            for session in sessions.iter().chain(&sessions) {
                let increment = &world.increment;
                scope.spawn(move || (0..STEPS).for_each(|_| _ = step(session, increment).unwrap()));
            }
            scope.spawn(|| {
                let mut before = 0;
                while before < 4 * STEPS {
                    let now = step(&sessions[0], &world.read).unwrap().unwrap();
                    assert!(now >= before);
                    before = now;
                }
            });
        });
    });
}

#[test]
fn a_session_that_is_closed_ends_its_steps_and_no_others() {
    ends(|| {
        let world = World::new();
        for target in [0, 1, 0, 1] {
            let [session, other] = [world.session(target), world.session(target)];
            step(&session, &world.clear).unwrap();
            step(&other, &world.clear).unwrap();
            let steps = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for request in [&world.increment, &world.read, &world.increment] {
                    let (session, steps) = (&session, &steps);
                    scope.spawn(move || {
                        let failure = loop {
                            match step(session, request) {
                                Ok(_) => steps.fetch_add(1, Ordering::Relaxed),
                                Err(failure) => break failure,
                            };
                        };
                        assert!(matches!(failure.code(), Code::Cancelled | Code::FailedPrecondition), "{failure:?}");
                    });
                }
                scope.spawn(|| (0..20).for_each(|_| _ = step(&other, &world.increment).unwrap()));
                while steps.load(Ordering::Relaxed) < 10 {
                    std::thread::yield_now();
                }
                session.close();
            });
            assert!(session.is_closed());
            assert_eq!(step(&other, &world.read).unwrap(), Some(20));
        }
    });
}

#[test]
fn sessions_that_go_on_after_a_reset_agree_on_the_state() {
    ends(|| {
        let world = World::new();
        let [target, there] = [1, 0].map(|i| &world.tasks[i].address);
        // Their target is the task without variables, so that a reset of the other one lets them live.
        let sessions = [world.shared_session(), world.shared_session()];
        let rounds = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for session in &sessions {
                let (rounds, world) = (&rounds, &world);
                scope.spawn(move || {
                    while rounds.load(Ordering::Relaxed) < 10 {
                        for request in [&world.clear, &world.increment, &world.read] {
                            if let Err(e) = step(session, request) {
                                assert!(matches!(e.code(), Code::Aborted | Code::FailedPrecondition), "{e:?}");
                            }
                        }
                    }
                });
            }
            while rounds.fetch_add(1, Ordering::Relaxed) < 10 {
                Master::reset(there, &[], &["/job:worker/task:0".to_owned()], None).unwrap();
            }
        });
        let settled = |session: &Master, request: &Request| {
            // The first step after a reset may find that its part is no more known.
            step(session, request).or_else(|_| step(session, request)).unwrap()
        };
        let [a, b] = &sessions;
        settled(a, &world.clear);
        settled(b, &world.increment);
        settled(a, &world.increment);
        assert_eq!((settled(a, &world.read), settled(b, &world.read)), (Some(2), Some(2)));
        Master::reset(target, &[], &[], None).unwrap();
        assert_eq!(step(a, &world.read).unwrap_err().code(), Code::Aborted);
    });
}

#[test]
fn a_task_forgets_the_parts_of_a_graph_that_has_changed_since() {
    ends(|| {
        let world = World::new();
        let session = world.shared_session();
        step(&session, &world.clear).unwrap();
        for _ in 0..50 {
            // Any change makes the plans stale: each is made and registered anew.
            world.graph.write().touch();
            step(&session, &world.increment).unwrap();
            step(&session, &world.read).unwrap();
        }
        assert_eq!(step(&session, &world.read).unwrap(), Some(50));
        for task in &world.tasks {
            assert!(task.guests.parts() <= 4, "{} parts", task.guests.parts());
        }
    });
}

#[test]
fn a_value_leaves_while_its_process_computes() {
    ends(|| {
        let world = World::new();
        let session = world.session(1);
        // The second is more than a connection takes at once.
        for (count, least) in [(1, 1), (1 << 22, 2)] {
            let mut graph = world.graph.write();
            let mut add = |op: &str, inputs: &[NodeId], attrs, task| {
                let inputs = inputs.iter().map(|&node| InputArg::One(OutputId { node, index: 0 })).collect();
                let (name, device) = (format!("{op}{count}"), format!("/job:worker/task:{task}"));
                let spec = NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: &device };
                graph.add_node(spec).unwrap()
            };
            let zeros = add("Zeros", &[], vec![("count".to_owned(), AttrValue::Int(count))], 1);
            let arrive = add("Arrive", &[zeros], vec![], 0);
            let hold = add("Hold", &[], vec![("least".to_owned(), AttrValue::Int(least))], 1);
            drop(graph);
            let fetches = vec![OutputId { node: hold, index: 0 }];
            let request = Request { fetches, targets: vec![arrive], ..Request::default() };
            assert_eq!(step(&session, &request).unwrap(), Some(1));
        }
    });
}
