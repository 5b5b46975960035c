//! Which kernels that block leave the step's thread, so that the rest of the step runs beside them.

use crate::draft::{Action, Draft, StepNode};
use crate::flow::GuardId;
use crate::schedule::Edges;
use ferroflow_graph::{ArgType, Blocking};
use ferroflow_tensor::{DType, Result};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Duration;

/// What a step can run while a kernel blocks: what neither comes before it nor after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Beside {
    #[default]
    Nothing,
    /// What computes alone: the kernel cannot wait for it, but time is saved if the kernel takes long.
    Computation,
    /// What the kernel may be waiting for: other code of the program, queues, writes of variables and files.
    Effects,
}

/// Beside computation alone, a kernel that took less than this the last time stays: handing it over costs 20 to 30 us.
const LONG: Duration = Duration::from_micros(100);

/// Of an instruction that blocks: what runs beside it, and how long it took the last time.
pub(crate) struct Overlap {
    beside: AtomicU8,
    micros: AtomicU32,
}

impl Overlap {
    pub fn new(beside: Beside) -> Overlap {
        Overlap { beside: AtomicU8::new(beside as u8), micros: AtomicU32::new(u32::MAX) }
    }

    /// Notes what runs beside the loop that it is in.
    pub fn raise(&self, beside: Beside) {
        self.beside.fetch_max(beside as u8, Ordering::Relaxed);
    }

    /// Whether the work is to leave the step's thread now.
    pub fn leaves(&self) -> bool {
        let beside = self.beside.load(Ordering::Relaxed);
        beside == Beside::Effects as u8
            || beside == Beside::Computation as u8
                && u128::from(self.micros.load(Ordering::Relaxed)) >= LONG.as_micros()
    }

    pub fn note(&self, took: Duration) {
        self.micros.store(u32::try_from(took.as_micros()).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}

/// Whether a kernel that blocks may be waiting for what this node does.
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

/// Whether the node, or one in its loop, blocks.
pub(crate) fn blocks(n: &StepNode) -> bool {
    match &n.action {
        Action::Loop(l) => l.blocks,
        Action::Run(_) => n.node.op.blocking.is_some(),
        Action::Merge(_) | Action::Nothing | Action::Check => false,
    }
}

/// What it gives to run a node while another, which does not come before or after it, blocks.
fn gained(blocker: &StepNode, node: &StepNode) -> Beside {
    let how = match &blocker.action {
        Action::Run(_) => blocker.node.op.blocking,
        _ => None,
    };
    match how {
        // It waits for nothing, and leaves no thread idle: several at once use several cores.
        Some(Blocking::Decoding) if node.node.op.blocking == Some(Blocking::Decoding) => Beside::Computation,
        Some(Blocking::Decoding) => Beside::Nothing,
        // A pipe is a file.
        Some(Blocking::Files) if blocks(node) && has_effects_outside(node) => Beside::Effects,
        Some(Blocking::Files) => Beside::Computation,
        // Most of a training step comes after it, and for the rest a plan that puts aside would keep values longer.
        Some(Blocking::Pipeline) if !has_effects_outside(node) => Beside::Nothing,
        Some(Blocking::Code | Blocking::Pipeline) | None if has_effects_outside(node) => Beside::Effects,
        Some(Blocking::Code | Blocking::Pipeline) | None => Beside::Computation,
    }
}

/// What runs beside each of a draft's nodes that blocks. Empty where none blocks.
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

    /// Whether the node goes as early as it can: something blocks behind it, and the rest of the step runs meanwhile.
    pub fn is_early(&self, node: u32) -> bool {
        self.early.get(node as usize).copied().unwrap_or_default()
    }
}

/// Whether nodes under these guards never run in the same step.
fn exclude(d: &Draft, a: GuardId, b: GuardId) -> bool {
    let other = d.guards.get(b);
    d.guards.get(a).iter().any(|l| l.opposite().is_some_and(|o| other.contains(&o)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_computation_only_what_is_long_leaves() {
        let short = Duration::from_micros(20);
        let overlap = Overlap::new(Beside::Nothing);
        assert!(!overlap.leaves());
        overlap.raise(Beside::Computation);
        assert!(overlap.leaves(), "nothing is known before the first time");
        overlap.note(short);
        assert!(!overlap.leaves());
        overlap.note(LONG);
        assert!(overlap.leaves());
        overlap.note(short);
        overlap.raise(Beside::Effects);
        overlap.raise(Beside::Computation);
        assert!(overlap.leaves());
    }
}
