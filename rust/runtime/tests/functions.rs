//! Functions of a session: their results, their failures, the state of their instances, and calls that run to the end.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrMap, AttrValue, Func, Function, Graph, OutputId};
use ferroflow_plan::Request;
use ferroflow_runtime::{RunOptions, Session, SessionOptions};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{Code, DType, Result, Status, Tensor};
use std::sync::Arc;
use world::{World, add, ends, registry};

/// Defines a function with one argument of type int64. `body` adds its nodes and returns the results and the effects.
fn define(world: &World, name: &str, body: impl FnOnce(&mut Graph, OutputId) -> (Vec<OutputId>, Vec<OutputId>)) {
    let mut graph = Graph::new(registry());
    let argument = add(&mut graph, "Placeholder", "x", &[], &[("dtype", AttrValue::Type(DType::I64))]);
    let (results, effects) = body(&mut graph, argument);
    let effects = effects.into_iter().map(|o| o.node).collect();
    let graph = Arc::new(RwLock::new(graph));
    let function = Function { name: name.to_owned(), graph, arguments: vec![argument], results, effects };
    world.graph.read().functions().add(function).unwrap();
}

fn named(function: &str) -> (&'static str, AttrValue) {
    ("f", AttrValue::Func(Func { name: function.to_owned(), attrs: AttrMap::default() }))
}

/// Adds a call with these arguments, which gives `results` values.
fn call(world: &World, name: &str, function: &str, arguments: &[OutputId], results: i64) -> OutputId {
    world.add("Call", name, arguments, &[named(function), ("N", AttrValue::Int(results))])
}

fn failure(result: Result<Vec<i64>>) -> (Code, String) {
    let e = result.unwrap_err();
    (e.code(), e.message().to_owned())
}

#[test]
fn a_call_gives_the_results_and_has_the_effects_each_time() {
    let world = World::new();
    define(&world, "f", |g, x| {
        let double = add(g, "Sum", "double", &[x, x], &[]);
        (vec![double, x], vec![add(g, "Log", "effect", &[x], &[])])
    });
    let three = world.constant("three", 3);
    let first = call(&world, "call", "f", &[three], 2);
    let again = call(&world, "again", "f", &[first], 2);
    let second = |o: OutputId| OutputId { index: 1, ..o };
    assert_eq!(world.fetch(&[first, second(first), again, second(again)]), Ok(vec![6, 3, 12, 6]));
    assert_eq!(world.stage().log(), ["effect"; 2]);
    assert_eq!(world.fetch(&[first]), Ok(vec![6]));
    assert_eq!(world.fetch(&[second(first)]), Ok(vec![3]));
    assert_eq!(world.stage().log(), ["effect"; 4]);
    // A result without a reader leaves the values of other nodes alone.
    let before = world.add("Log", "before", &[three], &[]);
    let call = call(&world, "after", "f", &[before], 2);
    let sum = world.add("Log", "sum", &[before, call], &[]);
    assert_eq!(world.fetch(&[sum]), Ok(vec![9]));
}

#[test]
fn arguments_that_do_not_fit_and_unknown_functions_are_refused() {
    let world = World::new();
    define(&world, "f", |_, x| (vec![x], vec![]));
    let three = world.constant("three", 3);
    let float = [("value", AttrValue::Tensor(Tensor::scalar(1f32))), ("dtype", AttrValue::Type(DType::F32))];
    let float = world.add("Const", "float", &[], &float);
    let two = call(&world, "two", "f", &[three, three], 1);
    let message = "Function f takes 1 arguments, got 2".to_owned();
    assert_eq!(failure(world.fetch(&[two])), (Code::InvalidArgument, message));
    let other = call(&world, "other", "f", &[float], 1);
    let message = "Argument 0 of function f is float, but int64 is expected".to_owned();
    assert_eq!(failure(world.fetch(&[other])), (Code::InvalidArgument, message));
    let unknown = call(&world, "unknown", "g", &[], 1);
    assert_eq!(failure(world.fetch(&[unknown])), (Code::NotFound, "Function g is not defined.".to_owned()));
}

#[test]
fn a_failure_inside_names_its_node_and_the_function() {
    let world = World::new();
    define(&world, "f", |g, x| (vec![add(g, "Fail", "inner", &[x], &[])], vec![]));
    let three = world.constant("three", 3);
    let outer = call(&world, "outer", "f", &[three], 1);
    let e = world.fetch(&[outer]).unwrap_err();
    let message = "inner fails\n\t [[{{node inner}} = Fail in function f]]";
    assert_eq!((e.code(), e.message(), &*world.failed_node(&e)), (Code::Aborted, message, "outer"));
}

#[test]
fn a_function_without_end_exhausts_the_stack_with_an_error() {
    ends(|| {
        let world = World::new();
        define(&world, "f", |g, x| {
            (vec![add(g, "Call", "inner", &[x], &[named("f"), ("N", AttrValue::Int(1))])], vec![])
        });
        let three = world.constant("three", 3);
        let outer = call(&world, "outer", "f", &[three], 1);
        assert_eq!(failure(world.fetch(&[outer])).0, Code::ResourceExhausted);
    });
}

#[test]
fn only_calls_that_change_something_and_end_run_to_their_end() {
    let world = World::new();
    let cases: [(&str, &[&str], i64); 11] = [
        ("pure", &["Sum"], 1),
        ("logs", &["Log"], 3),
        ("checks", &["Check"], 1),
        ("foreign", &["Foreign"], 3),
        ("unbounded", &["Unbounded"], 0),
        ("unbounded_effect", &["Log", "Unbounded"], 0),
        ("waits", &["Await"], 0),
        ("waits_and_logs", &["Log", "Await"], 0),
        // An interrupt would reach the code on the thread of the call, so that it need not be waited for.
        ("code", &["Block"], 3),
        ("code_beside_code", &["Block", "Block"], 0),
        ("files", &["BlockOnFile", "BlockOnFile"], 3),
    ];
    for (name, ops, kind) in cases {
        define(&world, name, |g, x| {
            let effects = ops.iter().enumerate().map(|(k, op)| {
                let attrs = if *op == "Await" { vec![("key", AttrValue::Int(1))] } else { vec![] };
                add(g, op, &format!("{op}{k}"), &[x], &attrs)
            });
            let effects = effects.collect();
            (vec![x], effects)
        });
        let found = world.add("Kind", name, &[], &[named(name)]);
        assert_eq!(world.fetch(&[found]), Ok(vec![kind]), "{name}");
    }
}

#[test]
fn each_instance_has_the_state_of_its_own_kernels() {
    let world = World::new();
    define(&world, "counts", |g, _| (vec![add(g, "Count", "count", &[], &[])], vec![]));
    define(&world, "shares", |g, _| (vec![add(g, "MemorylessCount", "count", &[], &[])], vec![]));
    let three = world.constant("three", 3);
    let of = |function: &str| [0, 1].map(|k| call(&world, &format!("{function}{k}"), function, &[three], 1));
    let (counts, shares) = (of("counts"), of("shares"));
    for run in 1..4 {
        assert_eq!(world.fetch(&counts), Ok(vec![run, run]));
        // A body whose kernels keep nothing is planned once: the kernel of this test betrays it.
        let mut shared = world.fetch(&shares).unwrap();
        shared.sort_unstable();
        assert_eq!(shared, [2 * run - 1, 2 * run]);
    }
}

/// Runs a step whose function waits at a gate while the step is cancelled. Returns its failure and the log.
fn cancelled_at_gate(rest: &'static str) -> (Status, Vec<String>) {
    let world = World::new();
    define(&world, "f", |g, x| {
        let gate = add(g, "Gate", "gate", &[x], &[]);
        let attrs = if rest == "Await" { vec![("key", AttrValue::Int(1))] } else { vec![] };
        let log = add(g, "Log", "log", &[gate], &[]);
        (vec![add(g, rest, "rest", &[log], &attrs)], vec![])
    });
    let three = world.constant("three", 3);
    let outer = call(&world, "outer", "f", &[three], 1);
    let session =
        Session::with_resources(world.graph.clone(), SessionOptions::default(), world.session.resources().clone());
    let request = Request { fetches: vec![outer], ..Request::default() };
    let stage = world.stage();
    let failure = std::thread::scope(|scope| {
        let step = scope.spawn(|| {
            let prepared = session.prepare(&request).unwrap();
            session.run(&prepared, Default::default(), &RunOptions::default()).err().unwrap()
        });
        stage.wait_for_begin("gate");
        session.close_because(&Status::new(Code::Aborted, "the other task is gone"));
        stage.release("gate");
        step.join().unwrap()
    });
    (failure, stage.log())
}

#[test]
fn a_call_that_changes_something_runs_to_its_end_though_its_step_is_cancelled() {
    ends(|| {
        let (failure, log) = cancelled_at_gate("Sum");
        assert_eq!((failure.code(), failure.message()), (Code::Aborted, "the other task is gone"));
        assert_eq!(log, ["log"]);
        let (failure, log) = cancelled_at_gate("Await");
        assert_eq!((failure.code(), failure.message()), (Code::Aborted, "the other task is gone"));
        assert!(log.is_empty(), "a call that waits ends where it is");
    });
}

#[test]
fn what_a_closed_session_left_behind_calls_no_function() {
    ends(|| {
        let world = World::new();
        define(&world, "f", |g, x| (vec![add(g, "Log", "log", &[x], &[])], vec![]));
        let three = world.constant("three", 3);
        let gate = world.add("Gate", "gate", &[three], &[]);
        let outer = call(&world, "outer", "f", &[gate], 1);
        let stage = world.stage();
        let failure = std::thread::scope(|scope| {
            let step = scope.spawn(|| world.fetch(&[outer]));
            stage.wait_for_begin("gate");
            world.session.close();
            stage.release("gate");
            step.join().unwrap()
        });
        assert_eq!(failure.unwrap_err().code(), Code::Cancelled);
        assert!(stage.log().is_empty());
        let refused = world.fetch(&[three]).unwrap_err();
        let message = "Attempted to use a closed Session.";
        assert_eq!((refused.code(), refused.message()), (Code::FailedPrecondition, message));
    });
}
