//! Which kernels that block leave the step's thread, so that the rest of the step runs beside them.

use crate::draft::{Action, Draft, StepNode};
use crate::flow::GuardId;
use crate::order::Edges;
use crate::overlap::Beside;
use ferroflow_graph::{ArgType, Blocking};
use ferroflow_tensor::{DType, Result};

/// Returns whether a kernel that blocks may be waiting for what this node does.
pub(crate) fn has_effects_outside(n: &StepNode) -> bool {
    let op = &n.node.op;
    match &n.action {
        Action::Loop(l) => l.has_effects_outside,
        Action::Run(_) => {
            let on_resource = op.inputs.iter().any(|a| a.ty == ArgType::Fixed(DType::Resource));
            op.may_wait
                || op.blocking.is_some_and(Blocking::may_hang)
                || op.is_stateful && (op.blocking.is_some() || op.outputs.is_empty())
                || n.writes() && n.is_ref.contains(&true)
                || on_resource && !n.only_reads_handles()
        }
        Action::Merge(_) | Action::Nothing | Action::Check => false,
    }
}

/// Returns whether the node, or one in its loop, blocks.
pub(crate) fn blocks(n: &StepNode) -> bool {
    match &n.action {
        Action::Loop(l) => l.blocks,
        Action::Run(_) => n.node.op.blocking.is_some(),
        Action::Merge(_) | Action::Nothing | Action::Check => false,
    }
}

/// Returns what is gained by running a node while another, which no edge orders before or after it, blocks.
fn gained(blocker: &StepNode, node: &StepNode) -> Beside {
    let how = match &blocker.action {
        Action::Run(_) => blocker.node.op.blocking,
        _ => None,
    };
    match how {
        // A decoder waits for nothing and uses its thread: only other decoders gain, on other cores.
        Some(Blocking::Decoding) if node.node.op.blocking == Some(Blocking::Decoding) => Beside::Computation,
        Some(Blocking::Decoding) => Beside::Nothing,
        // A pipe is a file.
        Some(Blocking::Files) if blocks(node) && has_effects_outside(node) => Beside::Effects,
        Some(Blocking::Files) => Beside::Computation,
        // Most of a training step comes after the pipeline; offloading it for the rest would only keep values longer.
        Some(Blocking::Pipeline) if !has_effects_outside(node) => Beside::Nothing,
        Some(Blocking::Code | Blocking::Pipeline) | None if has_effects_outside(node) => Beside::Effects,
        Some(Blocking::Code | Blocking::Pipeline) | None => Beside::Computation,
    }
}

/// The nodes that run beside each of a draft's blocking nodes. Empty if none blocks.
#[derive(Default)]
pub(crate) struct Overlaps {
    beside: Vec<Beside>,
    /// Nodes with something beside them, and all that comes before these.
    early: Vec<bool>,
}

impl Overlaps {
    /// Errors: `InvalidArgument` where the hard edges close a cycle.
    pub fn find(d: &Draft, edges: &Edges) -> Result<Overlaps> {
        let n = d.nodes.len();
        let blocking: Vec<u32> = (0..n as u32).filter(|&i| blocks(&d.nodes[i as usize])).collect();
        if blocking.is_empty() {
            return Ok(Overlaps::default());
        }
        let order = edges.order(u64::from)?;
        let words = blocking.len().div_ceil(64);
        // Of each node: the blocking nodes that come before it, and after it; itself is both.
        let (mut before, mut after) = (vec![0u64; n * words], vec![0u64; n * words]);
        for (bit, &i) in blocking.iter().enumerate() {
            before[i as usize * words + bit / 64] |= 1 << (bit % 64);
            after[i as usize * words + bit / 64] |= 1 << (bit % 64);
        }
        for &i in &order {
            for &t in &edges.hard[i as usize] {
                for w in 0..words {
                    before[t as usize * words + w] |= before[i as usize * words + w];
                }
            }
        }
        for &i in order.iter().rev() {
            for &t in &edges.hard[i as usize] {
                for w in 0..words {
                    after[i as usize * words + w] |= after[t as usize * words + w];
                }
            }
        }
        let mut found = Overlaps { beside: vec![Beside::Nothing; n], early: vec![false; n] };
        for (x, node) in d.nodes.iter().enumerate() {
            if !node.runs() || matches!(node.action, Action::Merge(_)) {
                continue;
            }
            for (bit, &b) in blocking.iter().enumerate() {
                let at = x * words + bit / 64;
                let is_ordered = (before[at] | after[at]) >> (bit % 64) & 1 == 1;
                let (blocker, beside) = (&d.nodes[b as usize], &mut found.beside[b as usize]);
                if !is_ordered && *beside < Beside::Effects && !exclude(d, node.guard, blocker.guard) {
                    *beside = (*beside).max(gained(blocker, node));
                }
            }
        }
        for (bit, &b) in blocking.iter().enumerate() {
            if found.beside[b as usize] > Beside::Nothing {
                for (x, early) in found.early.iter_mut().enumerate() {
                    *early |= after[x * words + bit / 64] >> (bit % 64) & 1 == 1;
                }
            }
        }
        Ok(found)
    }

    pub fn beside(&self, node: u32) -> Beside {
        self.beside.get(node as usize).copied().unwrap_or_default()
    }

    /// Returns whether the node goes as early as it can: something blocks behind it, and the rest of the step runs meanwhile.
    pub fn is_early(&self, node: u32) -> bool {
        self.early.get(node as usize).copied().unwrap_or_default()
    }
}

/// Returns whether nodes under these guards never run in the same step.
fn exclude(d: &Draft, a: GuardId, b: GuardId) -> bool {
    let other = d.guards.get(b);
    d.guards.get(a).iter().any(|l| l.opposite().is_some_and(|o| other.contains(&o)))
}
