//! Steps whose independent instructions run at the same time compute what steps in order compute.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrValue, Graph, OutputId};
use ferroflow_runtime::{SessionOptions, assume_time};
use proptest::prelude::*;
use world::{World, ends, registry};

/// Time of each instruction, in nanoseconds: long enough for groups of two.
const TIME: u64 = 50_000;
const VARIABLES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Sums,
    /// Fails where a divisor of its input says so.
    Refuses(i64),
    Increments(usize),
    Reads(usize),
    /// Gets its value before the step, from outside.
    Awaits,
    /// Has no value.
    Orders,
}

/// Nodes, with the earlier ones that each reads, and those that it only comes after.
type Nodes = Vec<(Kind, Vec<usize>, Vec<usize>)>;

fn nodes() -> impl Strategy<Value = Nodes> {
    let kind = prop_oneof![
        6 => Just(Kind::Sums),
        3 => (2..6i64).prop_map(Kind::Refuses),
        2 => (0..VARIABLES).prop_map(Kind::Increments),
        4 => (0..VARIABLES).prop_map(Kind::Reads),
        1 => Just(Kind::Awaits),
        1 => Just(Kind::Orders),
    ];
    let few = || prop::collection::vec(any::<usize>(), 0..3);
    prop::collection::vec((kind, few(), few()), 2..60).prop_map(|mut nodes| {
        for (k, (_, read, after)) in nodes.iter_mut().enumerate() {
            for earlier in [read, after] {
                earlier.iter_mut().for_each(|i| *i %= k.max(1));
                earlier.retain(|&i| i < k);
            }
        }
        nodes
    })
}

fn world(side_by_side: bool, intra_op_threads: usize) -> World {
    World::with(Graph::new(registry()), SessionOptions { intra_op_threads, side_by_side, ..SessionOptions::default() })
}

/// Adds variables with the value 0. What reads one is not folded, and differs from what reads another.
fn variables(world: &World) -> Vec<OutputId> {
    let zero = world.constant("zero", 0);
    let variables: Vec<OutputId> = (0..VARIABLES).map(|v| world.variable(&format!("v{v}"))).collect();
    let assigned = |v: &OutputId| world.add("Assign", &format!("start{}", v.node), &[*v, zero], &[]);
    world.fetch(&variables.iter().map(assigned).collect::<Vec<_>>()).unwrap();
    variables
}

/// The fetched values of a step or the node that failed, and then the values of the variables.
type Outcome = (Result<Vec<i64>, String>, Vec<i64>);

/// Returns the outcomes of some steps.
fn outcomes(nodes: &Nodes, side_by_side: bool, threads: usize) -> Vec<Outcome> {
    let world = world(side_by_side, threads);
    let variables = variables(&world);
    let mut outputs: Vec<OutputId> = Vec::new();
    for (k, (kind, read, after)) in nodes.iter().enumerate() {
        let name = format!("n{k}");
        let has_value = |&&i: &&usize| nodes[i].0 != Kind::Orders;
        let read: Vec<OutputId> = read.iter().filter(has_value).map(|&i| outputs[i]).collect();
        let made = match *kind {
            Kind::Sums => world.add("Sum", &name, &read, &[]),
            Kind::Refuses(divisor) => world.add("Refuse", &name, &read, &[("divisor", AttrValue::Int(divisor))]),
            Kind::Increments(v) => world.add("Increment", &name, &[variables[v]], &[]),
            Kind::Reads(v) => world.add("Sum", &name, &[variables[v]], &[]),
            Kind::Awaits => world.add("Await", &name, &read, &[("key", AttrValue::Int(k as i64))]),
            Kind::Orders => world.add("NoOp", &name, &[], &[]),
        };
        let after: Vec<_> = after.iter().map(|&i| outputs[i]).collect();
        world.control(made, &after);
        outputs.push(made);
    }
    let values = nodes.iter().zip(&outputs).filter(|(node, _)| node.0 != Kind::Orders);
    let fetches: Vec<OutputId> = values.map(|(_, output)| *output).collect();
    let step = |_| {
        for (k, (kind, ..)) in nodes.iter().enumerate() {
            if *kind == Kind::Awaits {
                world.stage().deliver(k as i64, k as i64);
            }
        }
        let ran = world.fetch(&fetches).map_err(|failure| world.failed_node(&failure));
        (ran, world.fetch(&variables).unwrap())
    };
    (0..3).map(step).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    // One thread runs the lanes one after the other, whole.
    #[test]
    fn steps_with_groups_have_the_outcomes_of_steps_in_order(nodes in nodes(), threads in prop_oneof![Just(1usize), Just(3)]) {
        assume_time(TIME);
        ends(move || assert_eq!(outcomes(&nodes, true, threads), outcomes(&nodes, false, 1), "{nodes:?}"));
    }
}

#[test]
fn independent_instructions_run_at_the_same_time() {
    assume_time(TIME);
    ends(|| {
        // A pool of its own: a pool that another test uses would leave both to one thread.
        let world = world(true, 2);
        let fetches: Vec<OutputId> = variables(&world)[..2]
            .iter()
            .flat_map(|variable| {
                let name = |node: &str| format!("{node}{}", variable.node);
                let first = world.add("Sum", &name("first"), &[*variable], &[]);
                let second = world.add("Meet", &name("second"), &[first], &[]);
                [first, second, world.add("Sum", &name("third"), &[second], &[])]
            })
            .collect();
        assert_eq!(world.fetch(&fetches).unwrap(), [0, 1, 1, 0, 1, 1]);
    });
}

#[test]
fn nothing_runs_that_comes_after_any_failure_of_a_group() {
    assume_time(TIME);
    let world = world(true, 1);
    let divisor = [("divisor", AttrValue::Int(1))];
    let failing: Vec<OutputId> = variables(&world)[..2]
        .iter()
        .map(|variable| world.add("Refuse", &format!("fails{}", variable.node), &[*variable], &divisor))
        .collect();
    let logs = [0, 1, 2].map(|k| world.add("Log", &format!("log{k}"), &[], &[]));
    world.control(logs[0], &failing[..1]);
    world.control(logs[1], &failing[1..]);
    let failure = world.fetch(&[failing.as_slice(), &logs].concat()).unwrap_err();
    assert_eq!(world.failed_node(&failure), &*world.graph.read().node(failing[0].node).unwrap().name);
    assert_eq!(world.stage().log(), ["log2"]);
}
