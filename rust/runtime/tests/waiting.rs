//! Steps in which many instructions wait at once: what can run does run, and everything runs once, in its order.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrValue, OutputId};
use ferroflow_plan::Request;
use ferroflow_runtime::RunOptions;
use ferroflow_tensor::{Code, Status};
use proptest::prelude::*;
use std::collections::BTreeSet;
use world::{World, ends};

/// A node of a random step: it waits for a delivery or not, reads earlier nodes, and runs after others.
#[derive(Clone, Debug)]
struct Node {
    waits: bool,
    reads: Vec<usize>,
    after: Vec<usize>,
}

/// Returns nodes that refer to earlier ones: numbers are taken modulo the node's position.
fn nodes(most: usize) -> impl Strategy<Value = Vec<Node>> {
    let earlier = || prop::collection::vec(any::<usize>(), 0..3);
    let node = (prop::bool::weighted(0.6), earlier(), earlier()).prop_map(|(waits, reads, after)| Node {
        waits,
        reads,
        after,
    });
    prop::collection::vec(node, 1..most).prop_map(|mut nodes| {
        for (k, node) in nodes.iter_mut().enumerate() {
            for list in [&mut node.reads, &mut node.after] {
                list.iter_mut().for_each(|i| *i %= k.max(1));
                list.retain(|&i| i < k);
            }
        }
        nodes
    })
}

fn name(k: usize) -> String {
    format!("n{k}")
}

/// Checks a step of these nodes to which the values are delivered in the order of `keys`.
fn check(nodes: &[Node], keys: &[usize]) {
    let world = World::new();
    let mut outputs: Vec<OutputId> = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let reads: Vec<_> = node.reads.iter().map(|&i| outputs[i]).collect();
        let key = [("key", AttrValue::Int(k as i64))];
        let made = if node.waits {
            world.add("Await", &name(k), &reads, &key)
        } else {
            world.add("Log", &name(k), &reads, &[])
        };
        let after: Vec<_> = node.after.iter().map(|&i| outputs[i]).collect();
        world.control(made, &after);
        outputs.push(made);
    }
    // A node that waits gives 1000 times its number; the others add what they read.
    let mut values: Vec<i64> = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let sum = node.reads.iter().map(|&i| values[i]).sum();
        values.push(if node.waits { 1000 * k as i64 } else { sum });
    }
    let stage = world.stage();
    let fetched = std::thread::scope(|scope| {
        let step = scope.spawn(|| world.fetch(&outputs));
        let mut delivered = BTreeSet::new();
        for key in std::iter::once(None).chain(keys.iter().map(Some)) {
            if let Some(&key) = key {
                delivered.insert(key);
                stage.deliver(key as i64, 1000 * key as i64);
            }
            // All whose predecessors have ended run now, though the others still wait.
            let mut free: Vec<bool> = Vec::new();
            for (k, node) in nodes.iter().enumerate() {
                let before = node.reads.iter().chain(&node.after).all(|&i| free[i]);
                free.push(before && (!node.waits || delivered.contains(&k)));
            }
            (0..nodes.len()).filter(|&k| free[k]).for_each(|k| stage.wait_for_log(&name(k)));
        }
        step.join().unwrap().unwrap()
    });
    assert_eq!(fetched, values);
    let log = stage.log();
    let place = |k: usize| {
        let places: Vec<_> = (0..log.len()).filter(|&p| log[p] == name(k)).collect();
        assert_eq!(places.len(), 1, "node {k} runs once");
        places[0]
    };
    for (k, node) in nodes.iter().enumerate() {
        for &before in node.reads.iter().chain(&node.after) {
            assert!(place(before) < place(k), "node {k} comes after node {before}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_need_not_wait_runs_and_what_must_comes_later(
        (nodes, keys) in nodes(24).prop_flat_map(|nodes| {
            let keys: Vec<_> = (0..nodes.len()).filter(|&k| nodes[k].waits).collect();
            (Just(nodes), Just(keys).prop_shuffle())
        }),
    ) {
        ends(move || check(&nodes, &keys));
    }
}

#[test]
fn hundreds_wait_at_once() {
    // Two words of a set hold 128 of them.
    let chain =
        |k: usize| Node { waits: k % 3 != 2, reads: if k >= 150 { vec![k - 150] } else { vec![] }, after: vec![] };
    let nodes: Vec<_> = (0..300).map(chain).collect();
    let keys: Vec<_> = (0..300).rev().filter(|&k| nodes[k].waits).collect();
    ends(move || check(&nodes, &keys));
}

#[test]
fn a_step_that_is_cancelled_fails_at_what_waits() {
    ends(|| {
        let world = World::new();
        let waiting = world.add("Await", "waiting", &[], &[("key", AttrValue::Int(1))]);
        let request = Request { fetches: vec![waiting], ..Request::default() };
        let message = |stop: Status| {
            let poll: &dyn Fn() -> ferroflow_tensor::Result<()> = &|| Err(stop.clone());
            let options = RunOptions { poll: Some(poll), ..RunOptions::default() };
            let failure = world.run(&request, vec![], &options).err().unwrap();
            (failure.code(), failure.message().to_owned(), world.failed_node(&failure))
        };
        let expected = |code, message: &str| (code, message.to_owned(), "waiting".to_owned());
        assert_eq!(message(Status::cancelled("Ctrl-C")), expected(Code::Cancelled, "Awaited in vain"));
        let late = Status::deadline_exceeded("late");
        assert_eq!(message(late), expected(Code::DeadlineExceeded, "late"));
        // The step after it gets the value that none of them has taken.
        world.stage().deliver(1, 7);
        assert_eq!(world.fetch(&[waiting]), Ok(vec![7]));
    });
}
