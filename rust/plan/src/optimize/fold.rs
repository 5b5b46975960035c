//! Nodes whose inputs are constants become constants, computed by their own kernels.

use super::stand_in::StandIn;
use crate::context::Context;
use crate::draft::{Action, Draft};
use crate::source::Source;
use ferroflow_graph::{Cancellation, KernelContext, Node, OutputType, Step, Variables, no_functions};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Tensor, with_denormals_flushed};

/// Folded results above this size are computed each step instead of being kept.
const MAX_FOLDED_BYTES: usize = 10 << 20;
/// Bytes that all folding of one plan may read and write: planning cannot be interrupted, so long work is left to the step.
const MAX_FOLDING_BYTES: usize = 64 << 20;

/// The folding of one draft.
pub(super) struct Folding {
    /// Bytes that may still be read and written.
    budget: usize,
}

impl Default for Folding {
    fn default() -> Folding {
        Folding { budget: MAX_FOLDING_BYTES }
    }
}

impl Folding {
    /// Runs a node whose inputs are constants; None if it fails (then the step itself reports it), or reads or writes too much.
    pub fn find(&mut self, cx: &Context<'_>, d: &Draft, i: u32) -> Option<StandIn> {
        let n = &d.nodes[i as usize];
        let Action::Run(kernel) = &n.action else { return None };
        let constant = |s: &Source| match s {
            Source::Constant(c) => d.constants.get(*c as usize).cloned(),
            _ => None,
        };
        let mut inputs = n.inputs.iter().map(constant).collect::<Option<Vec<Tensor>>>()?;
        let node = &n.node;
        self.budget = self.budget.checked_sub(work(node, &inputs))?;
        let known = |o: &OutputType| {
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
            locals: cx.resources,
            functions: no_functions(),
            rendezvous: None,
        };
        let mut outputs = vec![None; node.outputs.len()];
        let mut ctx = KernelContext::new(&step, node, &mut inputs, &mut outputs, Variables::default());
        with_denormals_flushed(|| kernel.compute(&mut ctx)).ok()?;
        let values: Option<Vec<Tensor>> = outputs.into_iter().collect();
        values.filter(|v| v.iter().map(Tensor::byte_size).sum::<usize>() <= MAX_FOLDED_BYTES).map(StandIn::Values)
    }
}

/// Returns the bytes that a node reads and, where shapes are known, writes.
fn work(node: &Node, inputs: &[Tensor]) -> usize {
    let read: usize = inputs.iter().map(Tensor::byte_size).sum();
    let written = node.outputs.iter().map(|o| o.shape.elements().unwrap_or(0).saturating_mul(o.dtype.size().max(1)));
    written.fold(read, usize::saturating_add)
}
