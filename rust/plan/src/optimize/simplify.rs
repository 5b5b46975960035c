//! Constants folded, identities seen through, equal nodes merged.

use crate::context::Context;
use crate::draft::{Action, Draft};
use crate::flow::GuardId;
use crate::source::Source;
use ferroflow_graph::{Cancellation, KernelContext, Node, Role, Step, Variables, no_functions};
use ferroflow_tensor::Tensor;
use ferroflow_tensor::threads::Threads;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Folded results above this size are computed each step instead of being kept.
const MAX_FOLDED_BYTES: usize = 10 << 20;
/// Bytes that all folding of one plan may read and write: planning cannot be interrupted, so long work is left to the step.
const MAX_FOLDING_BYTES: usize = 64 << 20;

/// Makes one pass in topological order: sources are replaced by their equals, then the node is folded or merged.
pub(super) fn simplify(d: &mut Draft, cx: &Context<'_>, order: &[u32]) {
    // The source that readers of (node, output) should read instead.
    let mut stands_for: FxHashMap<(u32, u32), Source> = FxHashMap::default();
    let mut seen: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
    let mut budget = MAX_FOLDING_BYTES;
    for i in order.iter().map(|&i| i as usize) {
        // An identity that is seen through may itself wait for others (a gate): it stays in `control`, as all producers do.
        for s in d.nodes[i].inputs.iter_mut() {
            if let Source::Output { node, index } = *s
                && let Some(to) = stands_for.get(&(node, index))
            {
                *s = *to;
            }
        }
        let n = &d.nodes[i];
        if !matches!(n.action, Action::Run(_))
            || n.node.op.has_effects()
            || n.is_ref.contains(&true)
            || n.root.is_some()
        {
            continue;
        }
        let own_control = !n.node.control_inputs.is_empty();
        if n.node.op.role == Role::Identity
            && let Some(&source) = n.inputs.first()
        {
            stands_for.insert((i as u32, 0), source);
            d.nodes[i].action = Action::Nothing;
            continue;
        }
        if own_control {
            continue;
        }
        if !n.node.op.is_foreign && !n.inputs.is_empty() && n.inputs.iter().all(|s| matches!(s, Source::Constant(_))) {
            if let Some(values) = fold(cx, d, i, &mut budget) {
                for (o, value) in values.into_iter().enumerate() {
                    stands_for.insert((i as u32, o as u32), Source::Constant(d.constants.len() as u32));
                    d.constants.push(value);
                }
                d.nodes[i].action = Action::Nothing;
            }
            continue;
        }
        let key = Key { op: Arc::as_ptr(&n.node.op).addr(), guard: n.guard, inputs: n.inputs.clone() };
        let same = seen.entry(key).or_default();
        match same.iter().copied().find(|&j| d.nodes[j as usize].node.attrs == n.node.attrs) {
            Some(j) => {
                for o in 0..n.node.outputs.len() as u32 {
                    stands_for.insert((i as u32, o), Source::Output { node: j, index: o });
                }
                let computes = std::mem::take(&mut d.nodes[i].computes);
                d.nodes[j as usize].computes.extend(computes);
                d.nodes[i].action = Action::Nothing;
                // Nodes that wait for this node must wait for the other one.
                d.nodes[i].inputs = smallvec![Source::Output { node: j, index: 0 }];
            }
            _ => same.push(i as u32),
        }
    }
    let resolve = |s: Source| match s {
        Source::Output { node, index } => stands_for.get(&(node, index)).copied().unwrap_or(s),
        _ => s,
    };
    d.fetches.iter_mut().for_each(|s| *s = resolve(*s));
    d.guards.rewrite(resolve);
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: usize,
    guard: GuardId,
    inputs: SmallVec<[Source; 3]>,
}

/// Returns the bytes that a node reads and, if its shapes are known, writes.
fn work(node: &Node, inputs: &[Tensor]) -> usize {
    let read: usize = inputs.iter().map(Tensor::byte_size).sum();
    let written = node.outputs.iter().map(|o| o.shape.elements().unwrap_or(0).saturating_mul(o.dtype.size().max(1)));
    written.fold(read, usize::saturating_add)
}

/// Runs a node whose inputs are constants; None if it fails (then the step itself reports it), or reads or writes too much.
fn fold(cx: &Context<'_>, d: &Draft, i: usize, budget: &mut usize) -> Option<Vec<Tensor>> {
    let Action::Run(kernel) = &d.nodes[i].action else { return None };
    let constant = |s: &Source| match s {
        Source::Constant(c) => d.constants.get(*c as usize).cloned(),
        _ => None,
    };
    let mut inputs = d.nodes[i].inputs.iter().map(constant).collect::<Option<Vec<Tensor>>>()?;
    let node = &d.nodes[i].node;
    *budget = budget.checked_sub(work(node, &inputs))?;
    let known = |o: &ferroflow_graph::OutputType| {
        o.shape.elements().is_none_or(|n| n.saturating_mul(o.dtype.size().max(1)) <= MAX_FOLDED_BYTES)
    };
    if !node.outputs.iter().all(known) {
        return None;
    }
    let cancellation = Cancellation::new();
    let step = Step {
        threads: Threads::single(),
        cancellation: &cancellation,
        resources: cx.resources,
        functions: no_functions(),
        rendezvous: None,
    };
    let mut outputs = vec![None; node.outputs.len()];
    let mut ctx = KernelContext::new(&step, node, &mut inputs, &mut outputs, Variables::default());
    kernel.compute(&mut ctx).ok()?;
    let values: Option<Vec<Tensor>> = outputs.into_iter().collect();
    values.filter(|v| v.iter().map(Tensor::byte_size).sum::<usize>() <= MAX_FOLDED_BYTES)
}
