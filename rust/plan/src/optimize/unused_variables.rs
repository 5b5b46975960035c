//! Loop variables that nothing reads but their own next values are not computed.
//!
//! Such are the lists of a loop's values for gradients that turn out to need only shapes. They would also keep these values in memory.

use super::{dead_nodes, inferred};
use crate::draft::Draft;
use crate::flow::Literal;
use crate::source::Source;
use ferroflow_tensor::Tensor;
use rustc_hash::FxHashMap;

/// Stops the work for loop variables without a reader, and for exits that are not `wanted`; returns the slots of these variables.
///
/// The fetches of the draft are the condition, the next values of the variables in `carried`, and the values of the exits.
pub(crate) fn drop_unused(d: &mut Draft, carried: &[u32], wanted: &[bool]) -> Vec<u32> {
    let exits = 1 + carried.len();
    let live = Liveness::find(d, carried, wanted);
    for (k, &slot) in carried.iter().enumerate().filter(|&(k, _)| !live.variables[k]) {
        d.fetches[1 + k] = Source::Feed(slot);
    }
    for (e, _) in wanted.iter().enumerate().filter(|(_, is_wanted)| !**is_wanted) {
        d.fetches[exits + e] = Source::Constant(d.constants.len() as u32);
        d.constants.push(Tensor::scalar(0i32));
    }
    dead_nodes::drop_dead(d);
    carried.iter().zip(live.variables).filter(|(_, is_live)| !is_live).map(|(&slot, _)| slot).collect()
}

struct Liveness {
    nodes: Vec<bool>,
    variables: Vec<bool>,
}

impl Liveness {
    fn find(d: &Draft, carried: &[u32], wanted: &[bool]) -> Liveness {
        let by_slot: FxHashMap<u32, usize> = carried.iter().enumerate().map(|(k, &slot)| (slot, k)).collect();
        let mut live = Liveness { nodes: vec![false; d.nodes.len()], variables: vec![false; carried.len()] };
        let exits = d.fetches[1 + carried.len()..].iter().zip(wanted).filter(|(_, is_wanted)| **is_wanted);
        let mut stack: Vec<Source> = exits.map(|(s, _)| *s).chain([d.fetches[0]]).collect();
        let node = |node| Source::Output { node, index: 0 };
        stack.extend(d.targets.iter().copied().chain(inferred::that_may_fail(d)).map(node));
        stack.extend((0..d.nodes.len() as u32).filter(|&i| d.nodes[i as usize].has_effects()).map(node));
        // The values that decide a guard count as read, whether or not the guarded nodes do.
        for guard in d.tested_guards() {
            stack.extend(d.guards.get(guard).iter().filter_map(|literal| match *literal {
                Literal::Outcome { predicate, .. } => Some(predicate),
                Literal::Joined(joined) => Some(node(joined)),
                _ => None,
            }));
        }
        while let Some(source) = stack.pop() {
            match source {
                Source::Output { node, .. } if !std::mem::replace(&mut live.nodes[node as usize], true) => {
                    stack.extend(d.nodes[node as usize].inputs.iter().copied());
                }
                Source::Feed(slot) => {
                    if let Some(&k) = by_slot.get(&slot)
                        && !std::mem::replace(&mut live.variables[k], true)
                    {
                        stack.push(d.fetches[1 + k]);
                    }
                }
                _ => {}
            }
        }
        live
    }
}
