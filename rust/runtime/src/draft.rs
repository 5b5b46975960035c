//! `Draft`: the nodes of a request as steps with resolved sources, which optimisation rewrites before they are ordered.

use crate::placement::Devices;
use crate::prune::{Request, is_fed_placeholder, prune};
use crate::schedule::Edges;
use crate::versions::{Accesses, VariableIndex, Versions};
use ferroflow_graph::{Graph, Kernel, Node, NodeId, OutputId, RefAccess, Resources, Variable};
use ferroflow_tensor::{DType, Result, Tensor, bail};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// Where a step node's input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

/// The steps of a request before they are ordered.
pub(crate) struct Draft {
    pub nodes: Vec<StepNode>,
    pub constants: Vec<Tensor>,
    pub variables: Vec<Arc<Variable>>,
    /// Of each variable: the step nodes that write it, in order.
    pub writers: Vec<Vec<u32>>,
    pub fetches: Vec<Source>,
    /// Step nodes asked for as targets.
    pub targets: Vec<u32>,
}

/// Makes a node's kernel, or finds the one that the session keeps for it.
pub(crate) type KernelSource<'a> = dyn Fn(&Arc<Node>, &[DType]) -> Result<Arc<dyn Kernel>> + 'a;

pub(crate) struct Context<'a> {
    pub graph: &'a Graph,
    pub resources: &'a Resources,
    pub devices: &'a Devices,
    pub kernel: &'a KernelSource<'a>,
    pub optimize: bool,
}

pub(crate) fn draft(request: &Request, cx: &Context<'_>, placement: &mut Vec<(Arc<Node>, usize)>) -> Result<Draft> {
    let graph = cx.graph;
    let fed: FxHashSet<OutputId> = request.feeds.iter().copied().collect();
    let feed_index: FxHashMap<OutputId, u32> = request.feeds.iter().enumerate().map(|(i, &o)| (o, i as u32)).collect();
    let ids = prune(graph, request, &fed)?;
    let local: FxHashMap<NodeId, u32> = ids.iter().enumerate().map(|(i, &id)| (id, i as u32)).collect();
    let mut d = Draft {
        nodes: Vec::with_capacity(ids.len()),
        constants: Vec::new(),
        variables: Vec::new(),
        writers: Vec::new(),
        fetches: Vec::new(),
        targets: Vec::new(),
    };
    let mut roots = Roots { graph, feeds: &feed_index, memo: FxHashMap::default() };
    let mut variable_index: FxHashMap<NodeId, VariableIndex> = FxHashMap::default();
    for &id in &ids {
        let node = graph.node(id)?;
        placement.push((node.clone(), cx.devices.place(node).map_err(|e| e.at_node(id))?));
        if node.op.is_variable {
            variable_index.insert(id, d.variables.len() as u32);
            d.variables.push(variable_of(node, cx.resources)?);
        }
    }
    for &id in &ids {
        let node = graph.node(id)?;
        let mut source = |o: OutputId| -> Result<Source> {
            if let Some(&f) = feed_index.get(&o) {
                return Ok(Source::Feed(f));
            }
            if let Some(&variable) = roots.of(o)?.and_then(|v| variable_index.get(&v)) {
                return Ok(Source::Variable { variable, version: 0, via: o.node });
            }
            match local.get(&o.node) {
                Some(&node) => Ok(Source::Output { node, index: o.index }),
                None => bail!(Internal, "node {} was pruned but is read", o.node),
            }
        };
        let inputs: SmallVec<[Source; 3]> = node.inputs.iter().map(|&o| source(o)).collect::<Result<_>>()?;
        let is_ref = ref_inputs(node);
        let mut control: SmallVec<[u32; 2]> = SmallVec::new();
        for &c in &node.control_inputs {
            if !is_fed_placeholder(graph, c, &fed)
                && let Some(&c) = local.get(&c)
            {
                control.push(c);
            }
        }
        // A variable behind an input is reached through the node that names it: keep that node's place in the order.
        for &o in &node.inputs {
            if !feed_index.contains_key(&o)
                && let Some(&n) = local.get(&o.node)
                && !control.contains(&n)
            {
                control.push(n);
            }
        }
        let root = match roots.of(OutputId { node: id, index: 0 })? {
            Some(v) => variable_index.get(&v).copied(),
            None => None,
        };
        let only_orders = matches!(&*node.op.name, "NoOp" | "Const");
        let action = if only_orders || node.op.is_variable || (node.op.is_alias && root.is_some()) {
            Action::Nothing
        } else {
            let types: Vec<DType> =
                node.inputs.iter().map(|&o| graph.output(o).map(|t| t.dtype)).collect::<Result<_>>()?;
            Action::Run((cx.kernel)(node, &types).map_err(|e| e.at_node(id))?)
        };
        d.nodes.push(StepNode { node: node.clone(), computes: vec![id], inputs, control, action, root, is_ref });
    }
    for &o in &request.fetches {
        d.fetches.push(if let Some(&f) = feed_index.get(&o) {
            Source::Feed(f)
        } else if let Some(&variable) = roots.of(o)?.and_then(|v| variable_index.get(&v)) {
            Source::Variable { variable, version: 0, via: o.node }
        } else {
            let Some(&node) = local.get(&o.node) else { bail!(Internal, "fetched node {} was pruned", o.node) };
            Source::Output { node, index: o.index }
        });
    }
    d.targets = request.targets.iter().filter_map(|t| local.get(t).copied()).collect();
    check_reads(&mut d);
    resolve_versions(&mut d)?;
    constants(&mut d)?;
    Ok(d)
}

/// Applies the visibility rule: fills in the version that every read of a variable sees.
fn resolve_versions(d: &mut Draft) -> Result<()> {
    let mut edges = order_edges(d);
    let mut accesses = Accesses { writes: Vec::new(), reads: Vec::new(), variables: d.variables.len() };
    for (i, node) in d.nodes.iter().enumerate() {
        for (k, source) in node.inputs.iter().enumerate() {
            if let Source::Variable { variable, .. } = *source {
                if node.is_ref[k] && node.node.op.ref_access == RefAccess::Write {
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
        let writes = node.node.op.ref_access == RefAccess::Write;
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
    Ok(())
}

/// The data and control edges of a draft.
pub(crate) fn order_edges(d: &Draft) -> Edges {
    let mut edges = Edges::new(d.nodes.len());
    for (i, node) in d.nodes.iter().enumerate() {
        node.control.iter().for_each(|&c| edges.hard[c as usize].push(i as u32));
        for source in &node.inputs {
            if let Source::Output { node: from, .. } = *source {
                edges.hard[from as usize].push(i as u32);
            }
        }
    }
    edges
}

/// A read of a variable that is asked for itself, or that something waits for, must fail where there is no value.
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
        if waited && n.node.op.is_alias && n.root.is_some() {
            n.action = Action::Check;
        }
    }
}

/// Reads of Const nodes become reads of the plan's constants.
fn constants(d: &mut Draft) -> Result<()> {
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
    Ok(())
}

/// Which of a node's inputs are references that it writes or inspects.
fn ref_inputs(node: &Node) -> SmallVec<[bool; 3]> {
    let mut flags: SmallVec<[bool; 3]> = SmallVec::new();
    for arg in &node.op.inputs {
        let count = match &arg.number_attr {
            Some(n) => usize::try_from(node.attrs.int(n).unwrap_or(0)).unwrap_or(0),
            None if arg.is_type_list => node.inputs.len().saturating_sub(flags.len()),
            None => 1,
        };
        flags.extend(std::iter::repeat_n(arg.is_ref, count.min(node.inputs.len())));
    }
    flags.resize(node.inputs.len(), false);
    flags
}

fn variable_of(node: &Node, resources: &Resources) -> Result<Arc<Variable>> {
    let shared = node.attrs.str("shared_name").unwrap_or_default();
    let container = node.attrs.str("container").unwrap_or_default();
    let name = if shared.is_empty() { node.name.to_string() } else { shared };
    let dtype = node.attrs.dtype("dtype")?;
    resources.lookup_or_create(&container, &name, || Ok(Variable::new(&*node.name, dtype)))
}

/// Finds the variable that a reference, or an alias of one, stands for.
struct Roots<'a> {
    graph: &'a Graph,
    feeds: &'a FxHashMap<OutputId, u32>,
    memo: FxHashMap<OutputId, Option<NodeId>>,
}

impl Roots<'_> {
    fn of(&mut self, output: OutputId) -> Result<Option<NodeId>> {
        let mut path = Vec::new();
        let mut at = output;
        let root = loop {
            if self.feeds.contains_key(&at) {
                break None;
            }
            if let Some(known) = self.memo.get(&at) {
                break *known;
            }
            path.push(at);
            if path.len() > self.graph.len() {
                bail!(InvalidArgument, "The graph contains a cycle through {}", self.graph.node(at.node)?.name);
            }
            let node = self.graph.node(at.node)?;
            if node.op.is_variable {
                break Some(at.node);
            }
            let is_ref = node.outputs.get(at.index as usize).is_some_and(|o| o.is_ref);
            let passes_on = (node.op.is_alias || is_ref) && at.index == 0;
            match node.inputs.first() {
                Some(&input) if passes_on => at = input,
                _ => break None,
            }
        };
        self.memo.extend(path.into_iter().map(|o| (o, root)));
        Ok(root)
    }
}
