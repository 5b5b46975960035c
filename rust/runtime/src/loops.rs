//! Loops: a frame's nodes become one step node with a plan of its own.

use crate::draft::{Action, Draft, Source, StepNode, check_reads, constants, order_edges, resolve_versions};
use crate::flow::{FrameId, Literal};
use crate::optimize;
use crate::plan::LoopPlan;
use crate::region::{Region, StepGraph, Want};
use crate::registers::Registers;
use crate::roots::ref_inputs;
use ferroflow_graph::{Flow, Node, NodeId, OutputId};
use ferroflow_tensor::{DType, Result, Tensor, bail};
use smallvec::SmallVec;
use std::sync::Arc;

/// A loop's step: what it reads from around it, and its plan.
pub(crate) struct LoopDraft {
    /// Values from around the loop, in the order of the loop's inputs.
    pub inputs: Vec<(OutputId, Want)>,
    /// Variables that nodes inside reach by reference: the loop is a write of them.
    pub touched: Vec<NodeId>,
    pub exits: Vec<NodeId>,
    /// Merges among the inputs: which of their inputs has a value, zero at first.
    pub value_indices: Vec<NodeId>,
    /// Nodes around the loop that nodes inside wait for.
    pub waits: Vec<NodeId>,
    /// Where it stands in errors, traces and the order of ids.
    pub node: Arc<Node>,
    pub plan: LoopPlan,
}

/// Of a Merge that is a loop variable: its Enter and its NextIteration.
pub(crate) fn loop_variable(step: &StepGraph<'_>, merge: &Node) -> Result<Option<(NodeId, NodeId)>> {
    let (mut enter, mut next) = (None, None);
    for o in &merge.inputs {
        match step.node(o.node)?.op.flow {
            Some(Flow::NextIteration) => next = Some(o.node),
            Some(Flow::Enter) => enter = Some(o.node),
            _ => {}
        }
    }
    match (enter, next) {
        (Some(enter), Some(next)) if merge.inputs.len() == 2 => Ok(Some((enter, next))),
        (None, None) => Ok(None),
        // An Enter alone is a value like others.
        (Some(_), None) => Ok(None),
        _ => bail!(Unimplemented, "'{}' joins more than one start and one next value of a loop", merge.name),
    }
}

/// The variables that nodes in a loop, or in loops nested in it, reach by reference.
pub(crate) fn touched_variables(step: &StepGraph<'_>, frame: FrameId) -> Result<Vec<NodeId>> {
    let mut found = Vec::new();
    let mut frames = vec![frame];
    while let Some(f) = frames.pop() {
        let info = step.frames.get(f);
        frames.extend(&info.children);
        for &id in &info.members {
            let node = step.node(id)?;
            if node.op.flow.is_some() {
                continue;
            }
            for (&o, is_ref) in node.inputs.iter().zip(ref_inputs(node)) {
                if is_ref && let Some(v) = step.root(o)? {
                    found.push(v);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Plans the loop of a frame.
pub(crate) fn draft_loop(step: &StepGraph<'_>, frame: FrameId) -> Result<LoopDraft> {
    let info = step.frames.get(frame);
    let mut r = Region::build(step, frame)?;
    let Some(condition) = r.condition else { bail!(Internal, "a loop has no condition") };
    let condition_node = step.node(condition)?.clone();
    let decided = r.source(step, OutputId { node: condition, index: 0 }, Want::Itself)?;
    let mut carried = Vec::new();
    let mut next = Vec::new();
    let mut leaving = Vec::new();
    let mut exits = Vec::new();
    let mut waits = Vec::new();
    for &id in &info.members {
        let node = step.node(id)?;
        for c in step.control(node) {
            if step.frames.of_output(step.node(c)?) != frame
                && !step.frames.is_within(step.frames.of(c), frame)
                && !waits.contains(&c)
            {
                waits.push(c);
            }
        }
        match node.op.flow {
            Some(Flow::Merge) => {
                if let Some((enter, back)) = loop_variable(step, node)?
                    && let Some(&value) = step.node(back)?.inputs.first()
                {
                    let slot = r.input(OutputId { node: enter, index: 0 }, Want::Itself);
                    if carried.contains(&slot) {
                        bail!(Unimplemented, "'{}' and another loop variable have the same first value", node.name);
                    }
                    carried.push(slot);
                    next.push(r.source(step, value, Want::Itself)?);
                }
            }
            Some(Flow::Exit) if step.frames.is_border(node) => {
                if let Some(&value) = node.inputs.first() {
                    let guard = r.output_guard(step, value)?;
                    if r.draft.guards.get(guard) != [Literal::Leaving] {
                        bail!(
                            Unimplemented,
                            "'{}' does not leave the loop '{}' by its condition",
                            node.name,
                            info.name
                        );
                    }
                    leaving.push(r.source(step, value, Want::Itself)?);
                    exits.push(id);
                }
            }
            _ => {}
        }
    }
    for &merge in &r.value_indices.clone() {
        let Source::Feed(slot) = r.input(OutputId { node: merge, index: 1 }, Want::Itself) else { continue };
        carried.push(Source::Feed(slot));
        next.push(Source::Constant(r.draft.constants.len() as u32));
        r.draft.constants.push(Tensor::scalar(1i32));
    }
    r.part_at_condition(condition)?;
    let (stays_if, value_indices) = (r.stays_if, r.value_indices);
    let mut d = r.draft;
    d.fetches.push(decided);
    d.fetches.extend(&next);
    d.fetches.extend(&leaving);
    check_reads(&mut d);
    resolve_versions(&mut d)?;
    constants(&mut d)?;
    let carried: Vec<u32> =
        carried.iter().filter_map(|s| if let Source::Feed(slot) = s { Some(*slot) } else { None }).collect();
    let touched = touched_variables(step, frame)?;
    let mut registers = None;
    if step.cx.optimize {
        optimize::simplify(&mut d, step.cx);
        if touched.is_empty() {
            let types: Vec<DType> =
                r.inputs.iter().map(|(o, _)| step.cx.graph.output(*o).map(|t| t.dtype)).collect::<Result<_>>()?;
            registers = Registers::compile(&d, &types, &carried, stays_if);
        }
        optimize::fuse(&mut d, step.cx);
    }
    let is_stateful = d.nodes.iter().any(StepNode::has_effects);
    let outputs = exits.iter().map(|&e| Ok(step.node(e)?.outputs[0].clone())).collect::<Result<_>>()?;
    let node = Arc::new(Node {
        name: info.name.as_str().into(),
        inputs: SmallVec::new(),
        control_inputs: SmallVec::new(),
        outputs,
        ..Node::clone(&condition_node)
    });
    let plan = LoopPlan::build(&d, frame, r.inputs.len(), carried, stays_if, is_stateful, registers)?;
    Ok(LoopDraft { inputs: r.inputs, touched, exits, value_indices, waits, node, plan })
}

impl Region {
    /// Puts what runs before the loop's condition is known ahead of the loop's body, and of what leaves the loop.
    fn part_at_condition(&mut self, condition: NodeId) -> Result<()> {
        let Some(&anchor) = self.local.get(&condition) else { bail!(Internal, "a loop's condition was pruned") };
        let mut head: SmallVec<[u32; 2]> = SmallVec::new();
        let is_behind = behind_condition(&self.draft);
        for (i, n) in self.draft.nodes.iter_mut().enumerate() {
            let literals = self.draft.guards.get(n.guard);
            if let Action::Merge(inputs) = &n.action
                && inputs.iter().any(|&g| self.draft.guards.get(g).contains(&Literal::Leaving))
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
        self.draft.nodes[anchor as usize].control.extend(head);
        Ok(())
    }
}

/// By step node: whether it waits for something that only runs where the loop goes on, or only where it is left. What only
/// a ControlTrigger puts there has neither guard itself.
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
