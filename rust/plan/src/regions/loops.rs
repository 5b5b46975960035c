//! Loops: a frame's nodes become one step node with a plan of its own.

use super::build::build_region;
use super::region::{LoopDraft, Region};
use crate::draft::{Action, Draft, StepNode, order_edges};
use crate::emit::{LoopShape, emit_loop};
use crate::flow::{FrameId, Literal};
use crate::lock_key::LockKey;
use crate::optimize;
use crate::resolve::resolve;
use crate::rewrites::Rewrite;
use crate::scalar_compiler::compile;
use crate::scalar_loop::ScalarLoop;
use crate::source::Source;
use crate::step_graph::{HandleUse, StepGraph};
use ferroflow_graph::{Flow, Node, NodeId, OutputId, OutputType};
use ferroflow_tensor::{Result, Tensor, bail};
use smallvec::SmallVec;
use std::sync::Arc;

/// The values that pass from one iteration of a loop to the next, and out of the loop.
#[derive(Default)]
struct LoopValues {
    /// Slots of the loop variables, and the sources of their next values.
    carried: Vec<Source>,
    next: Vec<Source>,
    /// The Exits, and the sources of their values.
    exits: Vec<NodeId>,
    leaving: Vec<Source>,
    /// Nodes around the loop that nodes inside wait for.
    waits: Vec<NodeId>,
}

impl LoopValues {
    fn find(step: &StepGraph<'_>, r: &mut Region) -> Result<LoopValues> {
        let mut found = LoopValues::default();
        let info = step.frames.get(r.frame);
        for &id in &info.members {
            let node = step.node(id)?;
            for c in step.control(node) {
                if step.frames.of_output(step.node(c)?) != r.frame
                    && !step.frames.is_within(step.frames.of(c), r.frame)
                    && !found.waits.contains(&c)
                {
                    found.waits.push(c);
                }
            }
            match node.op.flow {
                Some(Flow::Merge) => found.add_variable(step, r, node)?,
                Some(Flow::Exit) if step.frames.is_border(node) => found.add_exit(step, r, node)?,
                _ => {}
            }
        }
        for &merge in &r.value_indices.clone() {
            let Source::Feed(slot) = r.input(OutputId { node: merge, index: 1 }, HandleUse::Handle) else { continue };
            found.carried.push(Source::Feed(slot));
            found.next.push(Source::Constant(r.draft.constants.len() as u32));
            r.draft.constants.push(Tensor::scalar(1i32));
        }
        Ok(found)
    }

    fn add_variable(&mut self, step: &StepGraph<'_>, r: &mut Region, merge: &Node) -> Result<()> {
        if let Some((enter, back)) = step.loop_variable(merge)?
            && let Some(&value) = step.node(back)?.inputs.first()
        {
            let slot = r.input(OutputId { node: enter, index: 0 }, HandleUse::Handle);
            if self.carried.contains(&slot) {
                bail!(Unimplemented, "'{}' and another loop variable have the same first value", merge.name);
            }
            self.carried.push(slot);
            self.next.push(r.source(step, value, HandleUse::Handle)?);
        }
        Ok(())
    }

    fn add_exit(&mut self, step: &StepGraph<'_>, r: &mut Region, exit: &Node) -> Result<()> {
        let Some(&value) = exit.inputs.first() else { return Ok(()) };
        let guard = r.output_guard(step, value)?;
        if r.draft.guards.get(guard) != [Literal::Leaving] {
            let name = &step.frames.get(r.frame).name;
            bail!(Unimplemented, "'{}' does not leave the loop '{name}' by its condition", exit.name);
        }
        self.leaving.push(r.source(step, value, HandleUse::Handle)?);
        self.exits.push(exit.id);
        Ok(())
    }
}

/// Plans the loop of a frame.
pub(super) fn draft_loop(step: &StepGraph<'_>, frame: FrameId) -> Result<LoopDraft> {
    let mut r = build_region(step, frame)?;
    let Some(condition) = r.condition else { bail!(Internal, "a loop has no condition") };
    let decided = r.source(step, OutputId { node: condition, index: 0 }, HandleUse::Handle)?;
    let values = LoopValues::find(step, &mut r)?;
    part_at_condition(&mut r, condition)?;
    let Region { draft: mut d, inputs, value_indices, stays_if, .. } = r;
    d.fetches.push(decided);
    d.fetches.extend(&values.next);
    d.fetches.extend(&values.leaving);
    resolve(&mut d)?;
    let slot = |s: &Source| if let Source::Feed(slot) = s { Some(*slot) } else { None };
    let carried: Vec<u32> = values.carried.iter().filter_map(slot).collect();
    let touched = step.touched_variables(frame)?;
    optimize::simplify(&mut d, step.cx);
    let unused = if step.cx.options.rewrites.contains(Rewrite::Dead) {
        let wanted: Vec<bool> = values.exits.iter().map(|&exit| step.is_used(exit)).collect();
        optimize::drop_unused(&mut d, &carried, &wanted)
    } else {
        Vec::new()
    };
    step.unused.borrow_mut().extend(unused.iter().map(|&slot| inputs[slot as usize].0.node));
    let may_be_scalar = touched.is_empty() && step.cx.options.rewrites.contains(Rewrite::ScalarLoop);
    let scalars = if may_be_scalar { scalar_loop(step, &d, &inputs, &carried, stays_if)? } else { None };
    optimize::fuse(&mut d, step.cx, Some(&carried));
    let node = loop_node(step, frame, condition, &values.exits)?;
    let keeps_invariant = step.cx.options.rewrites.contains(Rewrite::Invariant);
    let shape = LoopShape { frame, inputs: inputs.len(), carried, stays_if, scalars, keeps_invariant };
    let plan = emit_loop(&d, shape)?;
    let mut locks: Vec<LockKey> = d.locks.into_iter().map(|(_, key)| key).collect();
    locks.sort_unstable();
    locks.dedup();
    Ok(LoopDraft {
        inputs,
        touched,
        exits: values.exits,
        value_indices,
        unused,
        waits: values.waits,
        locks,
        node,
        plan,
    })
}

fn scalar_loop(
    step: &StepGraph<'_>,
    d: &Draft,
    inputs: &[(OutputId, HandleUse)],
    carried: &[u32],
    stays_if: bool,
) -> Result<Option<ScalarLoop>> {
    let types = inputs.iter().map(|(o, _)| step.cx.graph.output(*o).cloned()).collect::<Result<Vec<OutputType>>>()?;
    Ok(compile(d, &types, carried, stays_if))
}

/// Returns the node that stands for a loop: it has the place of the loop's condition, the name of the frame, and the Exits' outputs.
fn loop_node(step: &StepGraph<'_>, frame: FrameId, condition: NodeId, exits: &[NodeId]) -> Result<Arc<Node>> {
    let outputs = exits.iter().map(|&e| Ok(step.node(e)?.outputs[0].clone())).collect::<Result<_>>()?;
    Ok(Arc::new(Node {
        name: step.frames.get(frame).name.as_str().into(),
        inputs: SmallVec::new(),
        control_inputs: SmallVec::new(),
        outputs,
        ..Node::clone(step.node(condition)?)
    }))
}

/// Puts what runs before the loop's condition is known ahead of the loop's body, and of what leaves the loop.
fn part_at_condition(r: &mut Region, condition: NodeId) -> Result<()> {
    let Some(&anchor) = r.local.get(&condition) else { bail!(Internal, "a loop's condition was pruned") };
    let mut head: SmallVec<[u32; 2]> = SmallVec::new();
    let is_behind = behind_condition(&r.draft);
    let guards = &r.draft.guards;
    for (i, n) in r.draft.nodes.iter_mut().enumerate() {
        let literals = guards.get(n.guard);
        if let Action::Merge(inputs) = &n.action
            && inputs.iter().any(|&g| guards.get(g).contains(&Literal::Leaving))
        {
            bail!(Unimplemented, "'{}' joins what leaves a loop with what stays", n.node.name);
        }
        if literals.contains(&Literal::Leaving)
            && n.runs()
            && n.inputs.iter().any(|s| matches!(s, Source::Variable { .. }))
        {
            bail!(Unimplemented, "'{}' touches a variable between a loop's condition and its Exit", n.node.name);
        }
        if literals.contains(&Literal::Body) || literals.contains(&Literal::Leaving) {
            n.control.push(anchor);
        } else if n.runs() && i as u32 != anchor {
            if is_behind[i] {
                bail!(
                    Unimplemented,
                    "'{}' runs in every iteration, but waits for what does not run in the last",
                    n.node.name
                );
            }
            head.push(i as u32);
        }
    }
    r.draft.nodes[anchor as usize].control.extend(head);
    Ok(())
}

/// Returns, by step node, true if it waits for a node that runs only if the loop continues, or only if it ends. A node
/// that waits through a ControlTrigger has neither guard itself.
fn behind_condition(d: &Draft) -> Vec<bool> {
    let after = order_edges(d).hard;
    let mut is_behind = vec![false; d.nodes.len()];
    let decided = |n: &StepNode| d.guards.get(n.guard).iter().any(|l| matches!(l, Literal::Body | Literal::Leaving));
    let mut stack: Vec<u32> = (0..d.nodes.len() as u32).filter(|&i| decided(&d.nodes[i as usize])).collect();
    while let Some(i) = stack.pop() {
        if !std::mem::replace(&mut is_behind[i as usize], true) {
            stack.extend(&after[i as usize]);
        }
    }
    is_behind
}
