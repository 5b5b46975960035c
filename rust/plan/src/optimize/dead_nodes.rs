//! Drops nodes without a reader.

use super::inferred;
use crate::draft::{Action, Draft};
use crate::source::Source;

/// Drops the work of pure nodes whose values are not read. They stay in the order, because control edges may lead through
/// them: a gate waits for every gradient, also for those that no update uses.
pub(super) fn drop_dead(d: &mut Draft) {
    let mut live = vec![false; d.nodes.len()];
    let mut stack: Vec<u32> = d.targets.clone();
    stack.extend(inferred::that_may_fail(d));
    for s in &d.fetches {
        if let Source::Output { node, .. } = s {
            stack.push(*node);
        }
    }
    d.fetch_guards.iter().for_each(|&g| stack.extend(d.deciders(g)));
    for (i, n) in d.nodes.iter().enumerate() {
        if n.has_effects() {
            stack.push(i as u32);
        }
    }
    while let Some(i) = stack.pop() {
        if std::mem::replace(&mut live[i as usize], true) {
            continue;
        }
        let n = &d.nodes[i as usize];
        for s in &n.inputs {
            if let Source::Output { node, .. } = s {
                stack.push(*node);
            }
        }
        stack.extend(d.deciders(n.guard));
        if let Action::Merge(guards) = &n.action {
            guards.iter().for_each(|&g| stack.extend(d.deciders(g)));
        }
    }
    for (n, live) in d.nodes.iter_mut().zip(live) {
        if !live && n.runs() {
            n.action = Action::Nothing;
        }
    }
}
