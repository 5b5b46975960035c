//! Resolves what every reader of a draft sees: versions of variables, snapshots of them, and constants.

use crate::draft::{Action, Draft, order_edges};
use crate::forward::forward;
use crate::locks::order_holders;
use crate::source::Source;
use crate::versions::{Accesses, Versions};
use ferroflow_graph::Role;
use ferroflow_tensor::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Resolves a draft whose nodes, fetches and targets are known.
pub(crate) fn resolve(d: &mut Draft) -> Result<()> {
    check_reads(d);
    order_holders(d)?;
    resolve_versions(d)?;
    constants(d)
}

/// Applies the visibility rule: fills in the version that every read of a variable sees.
fn resolve_versions(d: &mut Draft) -> Result<()> {
    let mut edges = order_edges(d);
    let locks = d.locks.iter().map(|&(node, _)| node).filter(|&i| d.nodes[i as usize].node.op.takes_lock).collect();
    let mut accesses = Accesses { writes: Vec::new(), reads: Vec::new(), variables: d.variables.len(), locks };
    for (i, node) in d.nodes.iter().enumerate() {
        for (k, source) in node.inputs.iter().enumerate() {
            if let Source::Variable { variable, .. } = *source {
                if node.is_ref[k] && node.writes() {
                    accesses.writes.push((i as u32, variable));
                } else {
                    accesses.reads.push((i as u32, variable));
                }
            }
        }
        if let (Action::Check, Some(variable)) = (&node.action, node.root) {
            accesses.reads.push((i as u32, variable));
        }
    }
    let (versions, seen) = Versions::assign(&accesses, &mut edges, u64::from)?;
    let mut seen = seen.iter();
    for node in &mut d.nodes {
        let writes = node.writes();
        for (k, source) in node.inputs.iter_mut().enumerate() {
            if let Source::Variable { version, .. } = source
                && !(node.is_ref[k] && writes)
            {
                *version = seen.next().copied().unwrap_or(0);
            }
        }
        if let (Action::Check, Some(variable)) = (&node.action, node.root)
            && let Some(&version) = seen.next()
            && version > 0
            && versions.renewal(variable, version).is_none()
        {
            // A version that this step writes always has a value.
            node.action = Action::Nothing;
        }
    }
    for fetch in &mut d.fetches {
        if let Source::Variable { variable, version, .. } = fetch {
            *version = versions.last(*variable);
        }
    }
    d.versions = versions;
    see_through_snapshots(d);
    Ok(())
}

/// Readers of a snapshot read the variable's version directly, so that no snapshot copies or holds it. A snapshot that decides
/// a guard stays: guards test values, not variables.
fn see_through_snapshots(d: &mut Draft) {
    let deciding: FxHashSet<u32> = d.tested_guards().flat_map(|g| d.deciders(g)).collect();
    let mut stands_for: FxHashMap<u32, Source> = FxHashMap::default();
    for i in std::mem::take(&mut d.snapshots) {
        let n = &mut d.nodes[i as usize];
        if deciding.contains(&i) {
            n.action = Action::Run(Arc::new(forward));
        } else if let Some(&source) = n.inputs.first() {
            let via = n.node.id;
            stands_for.insert(
                i,
                match source {
                    Source::Variable { variable, version, .. } => Source::Variable { variable, version, via },
                    other => other,
                },
            );
        }
    }
    let replace = |s: &mut Source| {
        if let Source::Output { node, .. } = s
            && let Some(to) = stands_for.get(node)
        {
            *s = *to;
        }
    };
    d.nodes.iter_mut().flat_map(|n| n.inputs.iter_mut()).for_each(replace);
    d.fetches.iter_mut().for_each(replace);
}

/// Marks reads that are targets, or that control edges wait for. They must fail if the variable has no value, and no
/// other node reads it for them.
fn check_reads(d: &mut Draft) {
    let mut waited = vec![false; d.nodes.len()];
    for n in &d.nodes {
        for id in n.node.control_inputs.iter() {
            if let Ok(i) = d.nodes.binary_search_by_key(id, |m| m.node.id) {
                waited[i] = true;
            }
        }
    }
    for &t in &d.targets {
        waited[t as usize] = true;
    }
    for (n, waited) in d.nodes.iter_mut().zip(waited) {
        if waited && (n.node.op.is_alias || n.node.op.is_snapshot) && n.root.is_some() {
            n.action = Action::Check;
        }
    }
}

/// Reads of Const nodes become reads of the plan's constants.
fn constants(d: &mut Draft) -> Result<()> {
    let mut index: FxHashMap<u32, u32> = FxHashMap::default();
    for (i, n) in d.nodes.iter_mut().enumerate() {
        if n.node.op.role == Role::Constant {
            index.insert(i as u32, d.constants.len() as u32);
            d.constants.push(n.node.attrs.tensor("value").map_err(|e| e.at_node(n.node.id))?);
        }
    }
    let replace = |s: &mut Source| {
        if let Source::Output { node, .. } = s
            && let Some(&c) = index.get(node)
        {
            *s = Source::Constant(c);
        }
    };
    d.nodes.iter_mut().flat_map(|n| n.inputs.iter_mut()).for_each(replace);
    d.fetches.iter_mut().for_each(replace);
    d.guards.rewrite(|mut s| {
        replace(&mut s);
        s
    });
    Ok(())
}
