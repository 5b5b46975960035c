//! Completes the step nodes of a region: inputs, order, kernels.

use super::region::{LoopDraft, Region};
use crate::draft::Action;
use crate::forward::forward;
use crate::lock_key::LockKey;
use crate::roots::ref_inputs;
use crate::source::{Source, VariableIndex};
use crate::step_graph::{HandleUse, StepGraph, gives_handle};
use ferroflow_graph::{Flow, Node, NodeId, OutputId, Role as OpRole};
use ferroflow_tensor::{DType, Result, Tensor, bail};
use smallvec::SmallVec;
use std::sync::Arc;

/// The role of a node in its region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A Merge that is a loop variable: its value is an input of the loop.
    LoopVariable,
    /// A Merge of branches, whose guards are known.
    Merge,
    Switch,
    /// Forwards its input across the border of a loop or of an iteration: readers see through it.
    Border,
    /// Gives the value of a variable that is in the plan.
    Snapshot,
    /// Orders others, is a constant, or names a variable.
    Order,
    Compute,
}

impl Role {
    /// Returns whether the readers of the node read its inputs instead.
    fn is_seen_through(self) -> bool {
        matches!(self, Role::LoopVariable | Role::Switch | Role::Border)
    }
}

impl Region {
    /// Completes the step nodes.
    pub fn fill(&mut self, step: &StepGraph<'_>, loops: Vec<LoopDraft>) -> Result<()> {
        for l in loops {
            let Some(&i) = self.local.get(&l.node.id) else { bail!(Internal, "a loop has no place") };
            self.draft.locks.extend(l.locks.iter().map(|key| (i, key.clone())));
            self.fill_loop(step, i, l)?;
        }
        for i in 0..self.draft.nodes.len() {
            let node = self.draft.nodes[i].node.clone();
            if let Some(&Source::Output { node: of, .. }) = self.exits.get(&node.id) {
                self.draft.nodes[i].control.push(of);
            } else if !matches!(self.draft.nodes[i].action, Action::Loop(_)) {
                self.fill_node(step, i, &node)?;
            }
        }
        Ok(())
    }

    fn fill_node(&mut self, step: &StepGraph<'_>, i: usize, node: &Arc<Node>) -> Result<()> {
        let mut root = match step.root(OutputId { node: node.id, index: 0 })? {
            Some(v) => self.variables.get(&v).copied(),
            None => None,
        };
        let role = self.role(step, node, root)?;
        let control = self.control_of(step, node, role);
        let mut inputs: SmallVec<[Source; 3]> = SmallVec::new();
        let mut is_ref: SmallVec<[bool; 3]> = SmallVec::new();
        if !role.is_seen_through() {
            for &o in &node.inputs {
                inputs.push(self.source(step, o, HandleUse::of(node))?);
            }
            is_ref = ref_inputs(node);
        }
        // Behind the inputs of the kernel: the call makes a version of each variable that its functions may write.
        for (variable, via) in self.touched(&step.passed_variables(node)?) {
            inputs.push(Source::Variable { variable, version: 0, via });
            is_ref.push(true);
        }
        let action = match role {
            Role::LoopVariable | Role::Border | Role::Order => Action::Nothing,
            Role::Merge => {
                is_ref.iter_mut().for_each(|r| *r = false);
                std::mem::replace(&mut self.draft.nodes[i].action, Action::Nothing)
            }
            // Only a predicate that is a variable is read here.
            Role::Switch => match self.source(step, node.inputs[1], HandleUse::Handle)? {
                source @ Source::Variable { .. } if self.condition != Some(node.inputs[1].node) => {
                    inputs.push(source);
                    is_ref.push(false);
                    Action::Run(Arc::new(forward))
                }
                _ => Action::Nothing,
            },
            Role::Snapshot => {
                self.draft.snapshots.push(i as u32);
                if let Some(&Source::Variable { variable, .. }) = inputs.first() {
                    root = Some(variable);
                }
                Action::Nothing
            }
            Role::Compute => {
                let dtype = |&o: &OutputId| step.cx.graph.output(o).map(|t| t.dtype);
                let types: Vec<DType> = node.inputs.iter().map(dtype).collect::<Result<_>>()?;
                let resources = step.cx.resources_of(node)?;
                Action::Run((step.cx.kernel)(node, &types, resources).map_err(|e| e.at_node(node.id))?)
            }
        };
        let place = &mut self.draft.nodes[i];
        (place.inputs, place.control, place.action, place.root, place.is_ref) = (inputs, control, action, root, is_ref);
        place.task = step.cx.task(node)?;
        self.draft.locks.extend(LockKey::of(step, node)?.map(|key| (i as u32, key)));
        Ok(())
    }

    /// Returns the role of a node; `root` is the variable that its first output names or aliases.
    fn role(&self, step: &StepGraph<'_>, node: &Node, root: Option<VariableIndex>) -> Result<Role> {
        let flow = match node.op.flow {
            Some(Flow::Merge) if step.loop_variable(node)?.is_some() => Some(Role::LoopVariable),
            Some(Flow::Merge) => Some(Role::Merge),
            Some(Flow::Switch) if node.inputs.len() == 2 => Some(Role::Switch),
            Some(_) => Some(Role::Border),
            None => None,
        };
        if let Some(role) = flow {
            return Ok(role);
        }
        if let Some(&handle) = node.inputs.first()
            && node.op.is_snapshot
            && step.root(handle)?.is_some()
        {
            return Ok(Role::Snapshot);
        }
        // A handle is made and forwarded like any value, for readers that the planner does not see through.
        let names_variable = (node.op.is_variable || (node.op.is_alias && root.is_some())) && !gives_handle(node);
        let only_orders = matches!(node.op.role, OpRole::NoOp | OpRole::Constant | OpRole::Trigger);
        Ok(if only_orders || names_variable { Role::Order } else { Role::Compute })
    }

    /// Returns the step nodes that must have run before a node. Those that it reads are among them. The source of an
    /// input may be another node than the one it names, whose place in the order must hold all the same.
    fn control_of(&self, step: &StepGraph<'_>, node: &Node, role: Role) -> SmallVec<[u32; 2]> {
        let mut control: SmallVec<[u32; 2]> = SmallVec::new();
        for c in step.control(node) {
            control.extend(self.local(step, c));
        }
        // The input of a loop variable comes from outside the loop or from the iteration before.
        if role != Role::LoopVariable {
            for &o in node.inputs.iter().filter(|o| !step.fed.contains(o)) {
                if let Some(n) = self.local(step, o.node)
                    && !control.contains(&n)
                {
                    control.push(n);
                }
            }
        }
        control
    }

    fn fill_loop(&mut self, step: &StepGraph<'_>, i: u32, l: LoopDraft) -> Result<()> {
        let mut inputs: SmallVec<[Source; 3]> = SmallVec::new();
        let mut control: SmallVec<[u32; 2]> = SmallVec::new();
        for (k, &(o, handle_use)) in l.inputs.iter().enumerate() {
            let node = step.node(o.node)?;
            let is_index = l.value_indices.contains(&o.node);
            if is_index || l.unused.contains(&(k as u32)) {
                control.extend(self.local(step, o.node).filter(|_| !is_index));
                inputs.push(Source::Constant(self.draft.constants.len() as u32));
                self.draft.constants.push(Tensor::scalar(0i32));
                continue;
            }
            let is_enter = node.op.flow == Some(Flow::Enter) && step.frames.of(o.node) == self.frame;
            let read = if is_enter { node.inputs.first().copied().unwrap_or(o) } else { o };
            inputs.push(self.source(step, read, handle_use)?);
            control.extend(self.local(step, o.node));
        }
        control.extend(l.waits.iter().filter_map(|&w| self.local(step, w)));
        let mut is_ref: SmallVec<[bool; 3]> = SmallVec::from_elem(false, inputs.len());
        for (variable, via) in self.touched(&l.touched) {
            inputs.push(Source::Variable { variable, version: 0, via });
            is_ref.push(true);
        }
        control.sort_unstable();
        control.dedup();
        control.retain(|c| *c != i);
        let place = &mut self.draft.nodes[i as usize];
        (place.inputs, place.control, place.is_ref) = (inputs, control, is_ref);
        place.action = Action::Loop(Arc::new(l.plan));
        Ok(())
    }

    /// Returns the variables behind these nodes, each once, with the first node that names it.
    fn touched(&self, nodes: &[NodeId]) -> SmallVec<[(VariableIndex, NodeId); 4]> {
        let mut found: SmallVec<[(VariableIndex, NodeId); 4]> = SmallVec::new();
        for &node in nodes {
            if let Some(&variable) = self.variables.get(&node)
                && found.iter().all(|&(known, _)| known != variable)
            {
                found.push((variable, node));
            }
        }
        found
    }
}
