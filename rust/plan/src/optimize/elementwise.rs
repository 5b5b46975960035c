//! Chains and trees of elementwise ops become one node that reads and writes memory once.

use super::formula::{self, Formulas};
use super::fused::{Fused, Operands};
use super::groups;
use super::program_reader;
use super::readers::Readers;
use crate::context::Context;
use crate::draft::Draft;
use crate::rewrites::Rewrite;
use ferroflow_graph::Role;
use rustc_hash::FxHashMap;

/// Makes the readers of constants wait for what the constants wait for, where all of these are elementwise. Gradients
/// have such constants: `gradients/Square_grad/Const` waits for the gradient that its reader's reader takes.
///
/// Returns the nodes waited for, each with a node that waits.
fn pass_on_waits(d: &mut Draft, formulas: &Formulas) -> Vec<(u32, u32)> {
    let mut followers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (i, n) in d.nodes.iter().enumerate() {
        if !n.control.is_empty() && n.node.op.role == Role::Constant {
            followers.insert(i as u32, Vec::new());
        }
    }
    if followers.is_empty() {
        return Vec::new();
    }
    for (i, n) in d.nodes.iter().enumerate() {
        for c in &n.control {
            if let Some(of_constant) = followers.get_mut(c) {
                of_constant.push(i as u32);
            }
        }
    }
    let mut constants: Vec<_> = followers.into_iter().collect();
    constants.sort_unstable_by_key(|(constant, _)| *constant);
    let mut waits = Vec::new();
    for (constant, following) in constants {
        let guard = d.nodes[constant as usize].guard;
        let is_pure = |&i: &u32| formulas[i as usize].is_some() && d.nodes[i as usize].guard == guard;
        if d.targets.contains(&constant)
            || !following.iter().all(is_pure)
            || !d.nodes[constant as usize].control.iter().all(is_pure)
        {
            continue;
        }
        let waited = std::mem::take(&mut d.nodes[constant as usize].control);
        for &reader in &following {
            let control = &mut d.nodes[reader as usize].control;
            control.extend(waited.iter().copied().filter(|&w| w != reader));
            waits.extend(waited.iter().map(|&w| (w, reader)));
        }
    }
    waits
}

/// Fuses what elementwise nodes compute. `carried` are the feeds of a loop that change from one iteration to the next.
pub(super) fn fuse_elementwise(d: &mut Draft, cx: &Context<'_>, carried: Option<&[u32]>) {
    let stretches = cx.options.rewrites.contains(Rewrite::Stretch);
    let formulas: Vec<_> = (0..d.nodes.len()).map(|i| formula::find(d, cx.graph, i)).collect();
    let waits = pass_on_waits(d, &formulas);
    let mut readers = Readers::find(d);
    waits.into_iter().for_each(|(waited, waiting)| readers.add(waited, waiting));
    for (last, nodes) in groups::find(d, &readers, &formulas, carried.is_some()) {
        let reader = program_reader::find(d, cx, &readers, last);
        let operands = Operands::find(d, &formulas, stretches.then_some(&readers), &nodes);
        if nodes.len() == 1 && reader.is_none() && operands.stretches.is_empty() {
            continue;
        }
        // A group that makes no program runs node by node.
        let Ok(fused) = Fused::new(d, &readers, &formulas, &nodes, operands) else { continue };
        if let Some(replacement) = reader.and_then(|r| program_reader::replacement(d, cx, carried, &fused, r)) {
            replacement.apply(d);
        } else if fused.nodes.len() > 1 || fused.rewrite == Rewrite::Stretch {
            fused.replacement().apply(d);
        }
    }
}
