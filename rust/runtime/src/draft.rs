//! `Draft`: the nodes of a request as steps with resolved sources, which optimisation rewrites before they are ordered.

use crate::flow::{ALWAYS, GuardId, Guards, Literal};
use crate::home::Home;
use crate::placement::{Devices, Placement};
use crate::plan::LoopPlan;
use crate::region::hand_on;
use crate::schedule::Edges;
use crate::versions::{Accesses, VariableIndex, Versions};
use ferroflow_graph::{Graph, Kernel, Node, NodeId, RefAccess, Resources, Variable};
use ferroflow_tensor::{DType, Result, Tensor};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// Where a step node's input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    Feed(u32),
    Output {
        node: u32,
        index: u32,
    },
    /// That version of a variable, read through graph node `via` (itself or an alias of it). A reference that is written or
    /// inspected has the version at the start.
    Variable {
        variable: VariableIndex,
        version: u32,
        via: NodeId,
    },
    /// Entry of the plan's constants.
    Constant(u32),
}

/// What a step node does when its turn comes.
#[derive(Clone)]
pub(crate) enum Action {
    /// Only orders: NoOp, constants, variables and their reads.
    Nothing,
    /// Reads its variable, to fail where it has no value (a read that is a target itself).
    Check,
    Run(Arc<dyn Kernel>),
    /// Hands on the one input that has a value; the guard of each.
    Merge(SmallVec<[GuardId; 4]>),
    Loop(Arc<LoopPlan>),
}

pub(crate) struct StepNode {
    pub node: Arc<Node>,
    /// The graph nodes computed here: more than one after fusion.
    pub computes: Vec<NodeId>,
    pub inputs: SmallVec<[Source; 3]>,
    /// Step nodes that must have run.
    pub control: SmallVec<[u32; 2]>,
    pub action: Action,
    /// The variable that output 0 names or aliases.
    pub root: Option<VariableIndex>,
    /// By input position, for inputs that are references the node writes or inspects.
    pub is_ref: SmallVec<[bool; 3]>,
    pub guard: GuardId,
    /// The task whose state it finds, where that is not the session's own.
    pub home: Option<Arc<Home>>,
}

impl StepNode {
    /// A node that has its place but does nothing yet.
    pub fn place(node: Arc<Node>) -> StepNode {
        StepNode {
            computes: vec![node.id],
            node,
            inputs: SmallVec::new(),
            control: SmallVec::new(),
            action: Action::Nothing,
            root: None,
            is_ref: SmallVec::new(),
            guard: ALWAYS,
            home: None,
        }
    }

    /// Whether it computes anything.
    pub fn runs(&self) -> bool {
        matches!(self.action, Action::Run(_) | Action::Merge(_) | Action::Loop(_))
    }

    /// Whether its reference inputs are writes.
    pub fn writes(&self) -> bool {
        matches!(self.action, Action::Loop(_)) || self.node.op.ref_access == RefAccess::Write
    }

    pub fn only_reads_handles(&self) -> bool {
        self.node.op.takes_handles && self.node.op.ref_access == RefAccess::Read
    }

    /// Whether running it matters even where nobody reads its outputs.
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
    /// Of each variable: the step nodes that write it, in order.
    pub writers: Vec<Vec<u32>>,
    pub fetches: Vec<Source>,
    /// Of each fetch; what is missing at the end has none.
    pub fetch_guards: Vec<GuardId>,
    pub guards: Guards,
    /// Step nodes that give the value of a variable that the planner knows: what they have as their input.
    pub snapshots: Vec<u32>,
    /// Step nodes asked for as targets.
    pub targets: Vec<u32>,
}

impl Draft {
    pub fn new() -> Draft {
        Draft {
            nodes: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            writers: Vec::new(),
            fetches: Vec::new(),
            fetch_guards: Vec::new(),
            guards: Guards::new(),
            snapshots: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Every guard that something tests: nodes, the inputs of Merges, fetches.
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

    /// The step nodes whose values decide a guard.
    pub fn deciders(&self, guard: GuardId) -> impl Iterator<Item = u32> + '_ {
        self.guards.get(guard).iter().filter_map(|l| match *l {
            Literal::Outcome { predicate: Source::Output { node, .. }, .. } | Literal::Joined(node) => Some(node),
            _ => None,
        })
    }
}

/// Makes a node's kernel, or finds the one that the session keeps for it.
pub(crate) type KernelSource<'a> = dyn Fn(&Arc<Node>, &[DType], &Resources) -> Result<Arc<dyn Kernel>> + 'a;

pub(crate) struct Context<'a> {
    pub graph: &'a Graph,
    pub resources: &'a Resources,
    pub devices: &'a Devices,
    /// Where several tasks run the nodes: the device of each, and the tasks' homes.
    pub placed: Option<(&'a Placement, &'a [Arc<Home>])>,
    pub kernel: &'a KernelSource<'a>,
    pub optimize: bool,
}

impl<'a> Context<'a> {
    /// The device a node runs on.
    pub fn device(&self, node: &Node) -> Result<usize> {
        match self.placed {
            None => self.devices.place(node),
            Some((placement, _)) => placement.device(node.id),
        }
    }

    /// The home of a node, where it is not the session's own.
    pub fn home(&self, node: &Node) -> Result<Option<&'a Arc<Home>>> {
        let Some((placement, homes)) = self.placed else { return Ok(None) };
        Ok(homes.get(self.devices.task_of(placement.device(node.id)?)))
    }

    pub fn resources_of(&self, node: &Node) -> Result<&'a Resources> {
        Ok(self.home(node)?.map_or(self.resources, |h| &h.resources))
    }
}

/// Applies the visibility rule: fills in the version that every read of a variable sees.
pub(crate) fn resolve_versions(d: &mut Draft) -> Result<()> {
    let mut edges = order_edges(d);
    let mut accesses = Accesses { writes: Vec::new(), reads: Vec::new(), variables: d.variables.len() };
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
    let versions = Versions::assign(&accesses, &mut edges, u64::from)?;
    let mut seen = versions.seen.iter();
    for node in &mut d.nodes {
        let writes = node.writes();
        for (k, source) in node.inputs.iter_mut().enumerate() {
            if let Source::Variable { version, .. } = source
                && !(node.is_ref[k] && writes)
            {
                *version = seen.next().copied().unwrap_or(0);
            }
        }
        if matches!(node.action, Action::Check) && node.root.is_some() && seen.next().is_some_and(|&v| v > 0) {
            // What a write of this very step made has a value.
            node.action = Action::Nothing;
        }
    }
    for fetch in &mut d.fetches {
        if let Source::Variable { variable, version, .. } = fetch {
            *version = versions.writers[*variable as usize].len() as u32;
        }
    }
    d.writers = versions.writers;
    see_through_snapshots(d);
    Ok(())
}

/// Who reads a snapshot reads the version that the snapshot sees. One that decides a guard is a value of its own: there the
/// guard finds it.
fn see_through_snapshots(d: &mut Draft) {
    let deciding: FxHashSet<u32> = d.tested_guards().flat_map(|g| d.deciders(g)).collect();
    let mut stands_for: FxHashMap<u32, Source> = FxHashMap::default();
    for i in std::mem::take(&mut d.snapshots) {
        let n = &mut d.nodes[i as usize];
        if deciding.contains(&i) {
            n.action = Action::Run(Arc::new(hand_on));
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

/// The data and control edges of a draft.
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

/// A read of a variable that is asked for itself, or that something waits for, must fail where there is no value.
pub(crate) fn check_reads(d: &mut Draft) {
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
pub(crate) fn constants(d: &mut Draft) -> Result<()> {
    let mut index: FxHashMap<u32, u32> = FxHashMap::default();
    for (i, n) in d.nodes.iter_mut().enumerate() {
        if &*n.node.op.name == "Const" {
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
