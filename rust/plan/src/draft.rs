//! `Draft`: the nodes of a request as steps with resolved sources, which optimization rewrites before they are ordered.

use crate::flow::{ALWAYS, GuardId, Guards, Literal};
use crate::lock_key::LockKey;
use crate::order::Edges;
use crate::plan::LoopPlan;
use crate::rewrites::Rewrite;
use crate::source::{Source, VariableIndex};
use crate::versions::Versions;
use ferroflow_graph::{Kernel, Node, NodeId, RefAccess, Variable};
use ferroflow_tensor::{Shape, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

/// The work of a step node.
#[derive(Clone)]
pub(crate) enum Action {
    /// Only orders: NoOp, constants, variables and their reads.
    Nothing,
    /// Reads its variable, to fail where it has no value (a read that is a target itself).
    Check,
    Run(Arc<dyn Kernel>),
    /// Forwards the one input that has a value; the guard of each.
    Merge(SmallVec<[GuardId; 4]>),
    Loop(Arc<LoopPlan>),
}

pub(crate) struct StepNode {
    pub node: Arc<Node>,
    /// The graph nodes computed here: more than one after a rewrite.
    pub computes: Vec<NodeId>,
    /// The last rewrite that made it compute several nodes.
    pub rewrite: Option<Rewrite>,
    pub inputs: SmallVec<[Source; 3]>,
    /// Step nodes that must have run.
    pub control: SmallVec<[u32; 2]>,
    pub action: Action,
    /// The variable that output 0 names or aliases.
    pub root: Option<VariableIndex>,
    /// By input position, for inputs that are references the node writes or inspects.
    pub is_ref: SmallVec<[bool; 3]>,
    pub guard: GuardId,
    /// The position of the task whose state it finds; None for the session's own.
    pub task: Option<u32>,
}

impl StepNode {
    /// Returns a node that has its place but does nothing yet.
    pub fn place(node: Arc<Node>) -> StepNode {
        StepNode {
            computes: vec![node.id],
            rewrite: None,
            node,
            inputs: SmallVec::new(),
            control: SmallVec::new(),
            action: Action::Nothing,
            root: None,
            is_ref: SmallVec::new(),
            guard: ALWAYS,
            task: None,
        }
    }

    /// Returns whether it computes anything.
    pub fn runs(&self) -> bool {
        matches!(self.action, Action::Run(_) | Action::Merge(_) | Action::Loop(_))
    }

    /// Returns whether its reference inputs are writes.
    pub fn writes(&self) -> bool {
        matches!(self.action, Action::Loop(_)) || self.node.op.ref_access == RefAccess::Write
    }

    /// Returns the version of a variable that it reads only to fail where there is no value.
    pub fn checked_version(&self) -> Option<(VariableIndex, u32)> {
        match (&self.action, self.root, self.inputs.first()) {
            (Action::Check, Some(_), Some(&Source::Variable { variable, version, .. })) => Some((variable, version)),
            (Action::Check, Some(variable), _) => Some((variable, 0)),
            _ => None,
        }
    }

    pub fn only_reads_handles(&self) -> bool {
        self.node.op.takes_handles && self.node.op.ref_access == RefAccess::Read
    }

    /// Returns whether it must run even if its outputs have no reader.
    pub fn has_effects(&self) -> bool {
        let stateful = match &self.action {
            Action::Loop(plan) => plan.is_stateful,
            _ => self.node.op.has_effects() && !self.node.op.is_variable && !self.only_reads_handles(),
        };
        stateful || self.is_ref.contains(&true) || matches!(self.action, Action::Check)
    }
}

/// The steps of a request before they are ordered.
pub(crate) struct Draft {
    pub nodes: Vec<StepNode>,
    pub constants: Vec<Tensor>,
    pub variables: Vec<Arc<Variable>>,
    /// The shapes of the variables' values, if the graph's shapes rely on them.
    pub shapes: Vec<Option<Shape>>,
    /// The versions of each variable.
    pub versions: Versions,
    /// The step nodes that take locks: single nodes, and loops that contain such nodes.
    pub locks: Vec<(u32, LockKey)>,
    pub fetches: Vec<Source>,
    /// The guard of each fetch; a fetch whose guard does not hold has no value.
    pub fetch_guards: Vec<GuardId>,
    pub guards: Guards,
    /// Step nodes that give the value of a variable that is in the plan, which is their input.
    pub snapshots: Vec<u32>,
    /// Step nodes that are targets.
    pub targets: Vec<u32>,
    /// Step nodes whose values the shapes of their inputs decided.
    pub decided: Vec<u32>,
}

impl Draft {
    pub fn new() -> Draft {
        Draft {
            nodes: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            shapes: Vec::new(),
            versions: Versions::default(),
            locks: Vec::new(),
            fetches: Vec::new(),
            fetch_guards: Vec::new(),
            guards: Guards::new(),
            snapshots: Vec::new(),
            targets: Vec::new(),
            decided: Vec::new(),
        }
    }

    /// Returns every guard that something tests: nodes, the inputs of Merges, fetches.
    pub fn tested_guards(&self) -> impl Iterator<Item = GuardId> + '_ {
        let of_node = |n: &StepNode| {
            let mut guards: SmallVec<[GuardId; 4]> = SmallVec::from_slice(&[n.guard]);
            if let Action::Merge(inputs) = &n.action {
                guards.extend(inputs.iter().copied());
            }
            guards
        };
        self.nodes.iter().flat_map(of_node).chain(self.fetch_guards.iter().copied())
    }

    /// Returns the step nodes whose values decide a guard.
    pub fn deciders(&self, guard: GuardId) -> impl Iterator<Item = u32> + '_ {
        self.guards.get(guard).iter().filter_map(|l| match *l {
            Literal::Outcome { predicate: Source::Output { node, .. }, .. } | Literal::Joined(node) => Some(node),
            _ => None,
        })
    }
}

/// Returns the data and control edges of a draft.
pub(crate) fn order_edges(d: &Draft) -> Edges {
    let mut edges = Edges::new(d.nodes.len());
    for (i, node) in d.nodes.iter().enumerate() {
        node.control.iter().for_each(|&c| edges.hard[c as usize].push(i as u32));
        d.deciders(node.guard).filter(|&n| n != i as u32).for_each(|n| edges.hard[n as usize].push(i as u32));
        for source in &node.inputs {
            if let Source::Output { node: from, .. } = *source {
                edges.hard[from as usize].push(i as u32);
            }
        }
    }
    edges
}
