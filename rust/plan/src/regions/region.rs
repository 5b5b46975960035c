//! `Region`: the nodes of one frame (a step's own, or a loop's) with their sources, order and guards.

use crate::draft::{Action, Draft, StepNode};
use crate::flow::{FrameId, GuardId, ROOT};
use crate::lock_key::LockKey;
use crate::plan::LoopPlan;
use crate::source::{Source, VariableIndex};
use crate::step_graph::{HandleUse, StepGraph};
use ferroflow_graph::{Flow, Node, NodeId, OutputId, Variable};
use ferroflow_tensor::{Code, DType, Result, Shape, Status, ensure};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A loop's step: what it reads from around it, and its plan.
pub(crate) struct LoopDraft {
    /// Values from around the loop, in the order of the loop's inputs.
    pub inputs: Vec<(OutputId, HandleUse)>,
    /// Variables that nodes inside reach by reference: the loop is a write of them.
    pub touched: Vec<NodeId>,
    pub exits: Vec<NodeId>,
    /// Merges among the inputs: which of their inputs has a value, zero at first.
    pub value_indices: Vec<NodeId>,
    /// The positions of inputs whose values are not used.
    pub unused: Vec<u32>,
    /// Nodes around the loop that nodes inside wait for.
    pub waits: Vec<NodeId>,
    /// The locks that nodes inside take.
    pub locks: Vec<LockKey>,
    /// Its place in errors, traces and the order of ids.
    pub node: Arc<Node>,
    pub plan: LoopPlan,
}

/// The nodes of one frame on the way to a draft.
pub(crate) struct Region {
    pub frame: FrameId,
    pub draft: Draft,
    /// Step node of each graph node that runs here or, inside a loop nested here, in its loop.
    pub local: FxHashMap<NodeId, u32>,
    pub variables: FxHashMap<NodeId, VariableIndex>,
    pub by_address: FxHashMap<usize, VariableIndex>,
    /// Of a loop: the outputs around it that are read in it; their order is that of its first slots.
    pub inputs: Vec<(OutputId, HandleUse)>,
    pub input_index: FxHashMap<(OutputId, HandleUse), u32>,
    /// Output of the region's loops by Exit node.
    pub exits: FxHashMap<NodeId, Source>,
    pub guard_of: FxHashMap<NodeId, GuardId>,
    /// Guards of the values that Merges forward, where other than their own.
    pub joined: FxHashMap<NodeId, GuardId>,
    /// The node that decides whether the loop goes on, and whether it does so where that is true.
    pub condition: Option<NodeId>,
    pub stays_if: bool,
    /// Merges of loop variables whose second outputs are read: the number of the input that had a value.
    pub value_indices: Vec<NodeId>,
}

impl Region {
    pub fn new(frame: FrameId) -> Region {
        Region {
            frame,
            draft: Draft::new(),
            local: FxHashMap::default(),
            variables: FxHashMap::default(),
            by_address: FxHashMap::default(),
            inputs: Vec::new(),
            input_index: FxHashMap::default(),
            exits: FxHashMap::default(),
            guard_of: FxHashMap::default(),
            joined: FxHashMap::default(),
            condition: None,
            stays_if: true,
            value_indices: Vec::new(),
        }
    }

    /// Adds a variable. Nodes that name one variable are one for the order of its reads and writes.
    pub fn add_variable(&mut self, step: &StepGraph<'_>, id: NodeId) -> Result<()> {
        let node = step.node(id)?;
        let variable = step.cx.resources_of(node)?.variable(node)?;
        let is_taken = |other: &Arc<Variable>| other.is_temporary() && other.name == variable.name;
        if variable.is_temporary() && self.draft.variables.iter().any(is_taken) {
            return Err(
                Status::new(Code::AlreadyExists, format!("Resource __per_step/{}/TmpVar", variable.name)).at_node(id)
            );
        }
        let next = self.draft.variables.len() as u32;
        let index = *self.by_address.entry(Arc::as_ptr(&variable).addr()).or_insert(next);
        if index == next {
            self.draft.variables.push(variable);
            self.draft.shapes.push(step.cx.graph.is_specialized().then(|| value_shape(node)).flatten());
        }
        self.variables.insert(id, index);
        Ok(())
    }

    /// Returns the slot of an output from around the loop.
    pub fn input(&mut self, o: OutputId, handle_use: HandleUse) -> Source {
        let next = self.inputs.len() as u32;
        let slot = *self.input_index.entry((o, handle_use)).or_insert(next);
        if slot == next {
            self.inputs.push((o, handle_use));
        }
        Source::Feed(slot)
    }

    /// Gives every node its place: by rising id, a loop standing where its condition is; Exits belong to where they lead.
    pub fn number(&mut self, step: &StepGraph<'_>, loops: &[LoopDraft]) -> Result<()> {
        let info = step.frames.get(self.frame);
        let mut places: Vec<(NodeId, Option<usize>)> = Vec::with_capacity(info.members.len());
        for &id in &info.members {
            let node = step.node(id)?;
            if node.op.flow != Some(Flow::Exit) || !step.frames.is_border(node) {
                places.push((id, None));
            }
        }
        for (k, l) in loops.iter().enumerate() {
            places.push((l.node.id, Some(k)));
            places.extend(l.exits.iter().map(|&e| (e, None)));
        }
        places.sort_unstable();
        for (i, &(id, of_loop)) in places.iter().enumerate() {
            self.local.insert(id, i as u32);
            let node = match of_loop {
                Some(k) => loops[k].node.clone(),
                None => step.node(id)?.clone(),
            };
            if let Some(k) = of_loop {
                for (e, &exit) in loops[k].exits.iter().enumerate() {
                    self.exits.insert(exit, Source::Output { node: i as u32, index: e as u32 });
                }
            }
            self.draft.nodes.push(StepNode::place(node));
        }
        Ok(())
    }

    /// Returns the step node that stands for a graph node here: itself, or the loop it is in.
    pub fn local(&self, step: &StepGraph<'_>, id: NodeId) -> Option<u32> {
        if let Some(&i) = self.local.get(&id) {
            return Some(i);
        }
        let child = step.frames.child_around(step.frames.of(id), self.frame)?;
        self.draft.nodes.iter().position(|n| matches!(&n.action, Action::Loop(l) if l.frame == child)).map(|i| i as u32)
    }

    /// Returns the source of an output's value.
    pub fn source(&mut self, step: &StepGraph<'_>, output: OutputId, handle_use: HandleUse) -> Result<Source> {
        let mut o = output;
        let is_handle = step.cx.graph.output(o)?.dtype == DType::Resource;
        // Other values have one slot in a loop, however they are used.
        let handle_use = if is_handle { handle_use } else { HandleUse::Handle };
        loop {
            if let Some(&f) = step.feeds.get(&o) {
                return Ok(if self.frame == ROOT { Source::Feed(f) } else { self.input(o, handle_use) });
            }
            if (!is_handle || handle_use == HandleUse::Variable)
                && let Some(root) = step.root(o)?
            {
                if let Some(&variable) = self.variables.get(&root) {
                    return Ok(Source::Variable { variable, version: 0, via: o.node });
                }
                if self.frame != ROOT {
                    return Ok(self.input(o, handle_use));
                }
            }
            if let Some(&exit) = self.exits.get(&o.node) {
                return Ok(exit);
            }
            let node = step.node(o.node)?;
            let runs_in = step.frames.of(o.node);
            if runs_in != self.frame {
                // An Enter, or a value read from around the loop without one.
                ensure!(
                    step.frames.is_within(self.frame, runs_in),
                    InvalidArgument,
                    "{} is read outside of its loop",
                    node.name
                );
                return Ok(self.input(o, handle_use));
            }
            let passes = match node.op.flow {
                Some(Flow::Switch | Flow::LoopCond | Flow::NextIteration) => true,
                Some(Flow::Enter | Flow::Exit) => !step.frames.is_border(node),
                Some(Flow::Merge) => match step.loop_variable(node)? {
                    Some((enter, _)) if o.index == 0 => {
                        return Ok(self.input(OutputId { node: enter, index: 0 }, HandleUse::Handle));
                    }
                    Some(_) => {
                        if !self.value_indices.contains(&o.node) {
                            self.value_indices.push(o.node);
                        }
                        return Ok(self.input(o, HandleUse::Handle));
                    }
                    None => false,
                },
                _ => false,
            };
            match node.inputs.first() {
                Some(&input) if passes => o = input,
                _ => {
                    return match self.local.get(&o.node) {
                        Some(&node) => Ok(Source::Output { node, index: o.index }),
                        None => Err(Status::internal(format!("node {} was pruned but is read", node.name))),
                    };
                }
            }
        }
    }
}

/// Returns the shape of the value of a variable's node, or of the variable that its handle names.
fn value_shape(node: &Node) -> Option<Shape> {
    let output = node.outputs.first()?;
    match output.dtype {
        DType::Resource => output.handle.as_ref()?.shape.to_shape(),
        _ => output.shape.to_shape(),
    }
}
