//! Steps in which nodes fail: all others run that come neither after them nor after what waits.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrValue, OutputId};
use proptest::prelude::*;
use world::{World, ends};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Logs,
    Fails,
    /// Nothing is delivered to it.
    Waits,
    /// Blocks on a thread of its own, and fails.
    Blocks,
}

/// Nodes, with the earlier ones that each comes after.
type Nodes = Vec<(Kind, Vec<usize>)>;

fn nodes(most: usize, kinds: &'static [Kind]) -> impl Strategy<Value = Nodes> {
    let node = (prop::sample::select(kinds), prop::collection::vec(any::<usize>(), 0..3));
    prop::collection::vec(node, 1..most).prop_map(|mut nodes| {
        for (k, (_, after)) in nodes.iter_mut().enumerate() {
            after.iter_mut().for_each(|i| *i %= k.max(1));
            after.retain(|&i| i < k);
        }
        nodes
    })
}

/// Returns which of the nodes are reached: none of those before them fails or waits.
fn reached(nodes: &Nodes) -> Vec<bool> {
    let mut reached: Vec<bool> = Vec::new();
    for (_, after) in nodes {
        reached.push(after.iter().all(|&i| reached[i] && nodes[i].0 == Kind::Logs));
    }
    reached
}

fn check(nodes: &Nodes) {
    let world = World::new();
    let stage = world.stage();
    let zero = world.add("Sum", "zero", &[], &[]);
    let mut outputs: Vec<OutputId> = Vec::new();
    for (k, (kind, after)) in nodes.iter().enumerate() {
        let name = format!("n{k}");
        let made = match kind {
            Kind::Logs => world.add("Log", &name, &[], &[]),
            Kind::Fails => world.add("Fail", &name, &[zero], &[]),
            Kind::Waits => world.add("Await", &name, &[], &[("key", AttrValue::Int(k as i64))]),
            Kind::Blocks => world.add("Block", &name, &[], &[("fails", AttrValue::Bool(true))]),
        };
        stage.release(&name);
        let after: Vec<_> = after.iter().map(|&i| outputs[i]).collect();
        world.control(made, &after);
        outputs.push(made);
    }
    let reached = reached(nodes);
    let failure = world.fetch(&outputs).unwrap_err();
    let failed: usize = world.failed_node(&failure)[1..].parse().unwrap();
    assert!(reached[failed] && matches!(nodes[failed].0, Kind::Fails | Kind::Blocks), "{failed} of {nodes:?}");
    let mut log: Vec<usize> = stage.log().iter().map(|name| name[1..].parse().unwrap()).collect();
    for (position, &k) in log.iter().enumerate() {
        assert!(nodes[k].1.iter().all(|i| log[..position].contains(i)), "{log:?} of {nodes:?}");
    }
    log.sort_unstable();
    let expected: Vec<usize> = (0..nodes.len()).filter(|&k| reached[k] && nodes[k].0 == Kind::Logs).collect();
    assert_eq!(log, expected, "{nodes:?}");
}

fn check_if_one_fails(nodes: Nodes) {
    let fails = |(node, reached): (&(Kind, Vec<usize>), bool)| reached && !matches!(node.0, Kind::Logs | Kind::Waits);
    if nodes.iter().zip(reached(&nodes)).any(fails) {
        ends(move || check(&nodes));
    }
}

proptest! {
    #[test]
    fn what_does_not_come_after_a_failure_runs(nodes in nodes(40, &[Kind::Logs, Kind::Logs, Kind::Logs, Kind::Fails])) {
        check_if_one_fails(nodes);
    }

    #[test]
    fn neither_what_waits_nor_what_comes_after_it_runs_in_a_step_that_fails(
        nodes in nodes(40, &[Kind::Logs, Kind::Logs, Kind::Logs, Kind::Logs, Kind::Fails, Kind::Waits])
    ) {
        check_if_one_fails(nodes);
    }

    #[test]
    fn failures_of_what_blocks_leave_the_others_alone(nodes in nodes(20, &[Kind::Logs, Kind::Logs, Kind::Blocks])) {
        check_if_one_fails(nodes);
    }
}
