//! A session keeps plans until the graph or the state changes, and kernels for good; a traced step lists its nodes.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrValue, OutputId};
use ferroflow_plan::Request;
use ferroflow_runtime::{RunOptions, Trace};
use ferroflow_tensor::{Code, DType, Status, Tensor};
use std::sync::Arc;
use world::{World, ends};

fn request(fetches: &[OutputId]) -> Request {
    Request { fetches: fetches.to_vec(), ..Request::default() }
}

#[test]
fn a_plan_is_kept_until_the_graph_or_the_state_changes() {
    let world = World::new();
    let count = world.add("Count", "count", &[], &[]);
    let other = world.constant("other", 1);
    let plan = || world.session.prepare(&request(&[count])).unwrap();
    let first = plan();
    assert!(Arc::ptr_eq(&first, &plan()));
    assert!(!Arc::ptr_eq(&first, &world.session.prepare(&request(&[other])).unwrap()));
    assert!(Arc::ptr_eq(&first, &plan()), "another request leaves it");
    assert_eq!(world.fetch(&[count]), Ok(vec![1]));
    let placed: Vec<_> = first.placement().iter().map(|placed| placed.node.name.to_string()).collect();
    assert_eq!(placed, ["count"]);
    world.graph.write().touch();
    let second = plan();
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(world.fetch(&[count]), Ok(vec![2]), "the kernel stays");
    world.session.forget_plans(2);
    let third = plan();
    assert!(!Arc::ptr_eq(&second, &third));
    for older in [0, 1, 2] {
        world.session.forget_plans(older);
        assert!(Arc::ptr_eq(&third, &plan()));
    }
    assert_eq!(world.fetch(&[count]), Ok(vec![3]));
}

#[test]
fn a_step_under_way_fails_for_the_reason_of_the_close() {
    ends(|| {
        let world = World::new();
        let gate = world.add("Gate", "gate", &[], &[]);
        let log = world.add("Log", "log", &[gate], &[]);
        let stage = world.stage();
        let failure = std::thread::scope(|scope| {
            let step = scope.spawn(|| world.fetch(&[log]));
            stage.wait_for_begin("gate");
            world.session.close_because(&Status::new(Code::Unavailable, "the other task is gone"));
            stage.release("gate");
            step.join().unwrap().unwrap_err()
        });
        assert_eq!((failure.code(), failure.message()), (Code::Unavailable, "the other task is gone"));
        assert!(world.session.is_closed() && stage.log().is_empty());
    });
}

fn traced(world: &World, fetches: &[OutputId]) -> Trace {
    let options = RunOptions { trace: true, ..RunOptions::default() };
    world.run(&request(fetches), vec![], &options).unwrap().trace.unwrap()
}

#[test]
fn a_trace_lists_each_node_once_with_its_time_and_its_values() {
    ends(|| {
        let world = World::new();
        let variable = world.variable("v");
        let three = world.constant("three", 3);
        let assign = world.add("Assign", "assign", &[variable, three], &[]);
        world.fetch(&[assign]).unwrap();
        let read = world.add("Log", "read", &[variable, three], &[]);
        let waits = world.add("Await", "waits", &[read], &[("key", AttrValue::Int(1))]);
        let last = world.add("Log", "last", &[waits], &[]);
        world.stage().deliver(1, 5);
        let trace = traced(&world, &[last]);
        let name = |node: u32| world.graph.read().node(node).unwrap().name.to_string();
        let names: Vec<Vec<_>> = trace.events.iter().map(|e| e.nodes.iter().map(|&n| name(n)).collect()).collect();
        assert_eq!(names, [["v"], ["read"], ["waits"], ["last"]]);
        for event in &trace.events {
            assert!(event.start <= event.end && event.made.len() == 1);
            let made = &event.made[0];
            assert_eq!((made.slot, made.dtype, made.shape.rank(), made.bytes), (0, DType::I64, 0, 8));
        }
        assert!(trace.events.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(world.run(&request(&[read]), vec![], &RunOptions::default()).unwrap().trace.is_none());
    });
}

#[test]
fn a_trace_names_its_thread() {
    let world = World::new();
    let three = world.constant("three", 3);
    let log = world.add("Log", "log", &[three], &[]);
    let mine = traced(&world, &[log]).thread;
    assert!(mine > 0 && traced(&world, &[log]).thread == mine);
    let others =
        std::thread::scope(|scope| [(); 2].map(|()| scope.spawn(|| traced(&world, &[log]).thread).join().unwrap()));
    assert!(others[0] != mine && others[1] != mine && others[0] != others[1]);
}

#[test]
fn a_feed_takes_the_place_of_what_is_fed() {
    let world = World::new();
    let three = world.constant("three", 3);
    let log = world.add("Log", "log", &[three, three], &[]);
    let feeds = Request { feeds: vec![three], fetches: vec![log, three], ..Request::default() };
    let outcome = world.run(&feeds, vec![Tensor::scalar(10i64)], &RunOptions::default()).unwrap();
    let values: Vec<i64> = outcome.values.iter().map(|v| v.as_ref().unwrap().to_scalar().unwrap()).collect();
    assert_eq!(values, [20, 10]);
}
