//! `Region`: the nodes of one frame (a step's own, or a loop's) with their sources, order and guards.

use crate::draft::{Action, Context, Draft, Source, StepNode, check_reads, constants, resolve_versions};
use crate::flow::{ALWAYS, FrameId, Frames, GuardId, Literal, ROOT};
use crate::loops::{LoopDraft, draft_loop, loop_variable, touched_variables};
use crate::prune::{Request, is_fed_placeholder, prune};
use crate::roots::{Roots, ref_inputs};
use crate::versions::VariableIndex;
use ferroflow_graph::{Flow, KernelContext, Node, NodeId, OutputId};
use ferroflow_tensor::threads::ensure_stack;
use ferroflow_tensor::{DType, Result, Status, Tensor, bail, ensure};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// The draft of a request: its nodes with their sources, versions and constants.
pub(crate) fn draft(
    request: &Request,
    cx: &Context<'_>,
    placement: &mut Vec<(Arc<Node>, usize, bool)>,
) -> Result<Draft> {
    let graph = cx.graph;
    let fed: FxHashSet<OutputId> = request.feeds.iter().copied().collect();
    let feeds: FxHashMap<OutputId, u32> = request.feeds.iter().enumerate().map(|(i, &o)| (o, i as u32)).collect();
    let ids = prune(graph, request, &fed)?;
    let frames = Frames::find(graph, &ids, &fed)?;
    for &id in &ids {
        let node = graph.node(id)?;
        let is_inside = frames.of_output(node) != ROOT;
        placement.push((node.clone(), cx.device(node).map_err(|e| e.at_node(id))?, is_inside));
    }
    let roots = RefCell::new(Roots { graph, feeds: &feeds, memo: FxHashMap::default() });
    let step = StepGraph { cx, fed: &fed, feeds: &feeds, frames: &frames, roots: &roots };
    let mut region = Region::build(&step, ROOT)?;
    for &o in &request.fetches {
        let node = graph.node(o.node)?;
        if frames.of_output(node) != ROOT && !fed.contains(&o) {
            bail!(InvalidArgument, "{} is inside a loop and cannot be fetched", node.name);
        }
        let guard = region.output_guard(&step, o)?;
        let source = region.source(&step, o, Want::Itself)?;
        region.draft.fetches.push(source);
        region.draft.fetch_guards.push(guard);
    }
    let mut d = region.draft;
    d.targets = request.targets.iter().filter_map(|t| region.local.get(t).copied()).collect();
    check_reads(&mut d);
    resolve_versions(&mut d)?;
    constants(&mut d)?;
    Ok(d)
}

/// What a reader of an output wants, where that is the handle of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Want {
    /// The handle, like any value.
    Itself,
    /// The variable.
    Variable,
}

impl Want {
    pub fn of(node: &Node) -> Want {
        if node.op.takes_handles { Want::Variable } else { Want::Itself }
    }
}

/// What all regions of a step share.
pub(crate) struct StepGraph<'a> {
    pub cx: &'a Context<'a>,
    fed: &'a FxHashSet<OutputId>,
    feeds: &'a FxHashMap<OutputId, u32>,
    pub frames: &'a Frames,
    roots: &'a RefCell<Roots<'a>>,
}

impl<'a> StepGraph<'a> {
    pub fn node(&self, id: NodeId) -> Result<&'a Arc<Node>> {
        self.cx.graph.node(id)
    }

    /// The variable node that an output names or aliases.
    pub fn root(&self, o: OutputId) -> Result<Option<NodeId>> {
        self.roots.borrow_mut().of(o)
    }

    /// The control inputs that count.
    pub fn control<'n>(&'n self, node: &'n Node) -> impl Iterator<Item = NodeId> + 'n {
        node.control_inputs.iter().copied().filter(|&c| !is_fed_placeholder(self.cx.graph, c, self.fed))
    }
}

/// The nodes of one frame on the way to a draft.
pub(crate) struct Region {
    frame: FrameId,
    pub draft: Draft,
    /// Step node of each graph node that runs here or, inside a loop nested here, in its loop.
    pub local: FxHashMap<NodeId, u32>,
    variables: FxHashMap<NodeId, VariableIndex>,
    by_address: FxHashMap<usize, VariableIndex>,
    /// Of a loop: the outputs around it that are read in it; their order is that of its first slots.
    pub inputs: Vec<(OutputId, Want)>,
    input_index: FxHashMap<(OutputId, Want), u32>,
    /// Output of the region's loops by Exit node.
    exits: FxHashMap<NodeId, Source>,
    guard_of: FxHashMap<NodeId, GuardId>,
    /// Guards of what Merges hand on, where other than their own.
    joined: FxHashMap<NodeId, GuardId>,
    /// The node that decides whether the loop goes on, and whether it does so where that is true.
    pub condition: Option<NodeId>,
    pub stays_if: bool,
    /// Merges of loop variables whose second outputs are read: the number of the input that had a value.
    pub value_indices: Vec<NodeId>,
}

impl Region {
    pub fn build(step: &StepGraph<'_>, frame: FrameId) -> Result<Region> {
        ensure_stack("Loops")?;
        let info = step.frames.get(frame);
        let mut loops = Vec::new();
        for &child in &info.children {
            loops.push(draft_loop(step, child)?);
        }
        let mut r = Region {
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
        };
        if frame != ROOT {
            let (condition, stays_if) = condition_of(step, frame)?;
            (r.condition, r.stays_if) = (Some(condition), stays_if);
            for &enter in &info.enters {
                let o = OutputId { node: enter, index: 0 };
                if !gives_handle(step.node(enter)?) || step.root(o)?.is_none() {
                    r.input(o, Want::Itself);
                }
            }
            for &v in &touched_variables(step, frame)? {
                r.add_variable(step, v)?;
            }
        } else {
            for &id in &info.members {
                if step.node(id)?.op.is_variable {
                    r.add_variable(step, id)?;
                }
            }
        }
        r.number(step, &mut loops)?;
        r.find_guards(step, &loops)?;
        r.fill(step, loops)?;
        Ok(r)
    }

    /// Nodes that name one variable are one for the order of its reads and writes.
    fn add_variable(&mut self, step: &StepGraph<'_>, id: NodeId) -> Result<()> {
        let node = step.node(id)?;
        let variable = step.cx.resources_of(node)?.variable(node)?;
        let next = self.draft.variables.len() as u32;
        let index = *self.by_address.entry(Arc::as_ptr(&variable).addr()).or_insert(next);
        if index == next {
            self.draft.variables.push(variable);
        }
        self.variables.insert(id, index);
        Ok(())
    }

    /// The slot of an output from around the loop.
    pub fn input(&mut self, o: OutputId, want: Want) -> Source {
        let next = self.inputs.len() as u32;
        let slot = *self.input_index.entry((o, want)).or_insert(next);
        if slot == next {
            self.inputs.push((o, want));
        }
        Source::Feed(slot)
    }

    /// Gives every node its place: by rising id, a loop standing where its condition is; Exits belong to where they lead.
    fn number(&mut self, step: &StepGraph<'_>, loops: &mut [LoopDraft]) -> Result<()> {
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

    /// The step node that stands for a graph node here: itself, or the loop it is in.
    fn local(&self, step: &StepGraph<'_>, id: NodeId) -> Option<u32> {
        if let Some(&i) = self.local.get(&id) {
            return Some(i);
        }
        let child = step.frames.child_around(step.frames.of(id), self.frame)?;
        self.draft.nodes.iter().position(|n| matches!(&n.action, Action::Loop(l) if l.frame == child)).map(|i| i as u32)
    }

    /// Where the value of an output comes from.
    pub fn source(&mut self, step: &StepGraph<'_>, output: OutputId, want: Want) -> Result<Source> {
        let mut o = output;
        let is_handle = step.cx.graph.output(o)?.dtype == DType::Resource;
        // A reader's wish means nothing for other values: they have one slot in a loop.
        let want = if is_handle { want } else { Want::Itself };
        loop {
            if let Some(&f) = step.feeds.get(&o) {
                return Ok(if self.frame == ROOT { Source::Feed(f) } else { self.input(o, want) });
            }
            if (!is_handle || want == Want::Variable)
                && let Some(root) = step.root(o)?
            {
                if let Some(&variable) = self.variables.get(&root) {
                    return Ok(Source::Variable { variable, version: 0, via: o.node });
                }
                if self.frame != ROOT {
                    return Ok(self.input(o, want));
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
                return Ok(self.input(o, want));
            }
            let passes = match node.op.flow {
                Some(Flow::Switch | Flow::LoopCond | Flow::NextIteration) => true,
                Some(Flow::Enter | Flow::Exit) => !step.frames.is_border(node),
                Some(Flow::Merge) => match loop_variable(step, node)? {
                    Some((enter, _)) if o.index == 0 => {
                        return Ok(self.input(OutputId { node: enter, index: 0 }, Want::Itself));
                    }
                    Some(_) => {
                        if !self.value_indices.contains(&o.node) {
                            self.value_indices.push(o.node);
                        }
                        return Ok(self.input(o, Want::Itself));
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

    /// Under which guard an output has a value.
    pub fn output_guard(&mut self, step: &StepGraph<'_>, o: OutputId) -> Result<GuardId> {
        if step.fed.contains(&o) {
            return Ok(ALWAYS);
        }
        let node = step.node(o.node)?;
        if step.frames.of(o.node) != self.frame && !self.exits.contains_key(&o.node) {
            return Ok(ALWAYS);
        }
        let own = self.guard_of.get(&o.node).copied().unwrap_or(ALWAYS);
        match node.op.flow {
            Some(Flow::Switch) => {
                let literal = self.literal(step, node, o.index == 1)?;
                Ok(self.draft.guards.with(own, literal))
            }
            Some(Flow::Merge) => Ok(self.joined.get(&o.node).copied().unwrap_or(own)),
            _ => Ok(own),
        }
    }

    /// What must hold for an output of a Switch.
    fn literal(&mut self, step: &StepGraph<'_>, switch: &Node, value: bool) -> Result<Literal> {
        let Some(&(mut predicate)) = switch.inputs.get(1) else { bail!(Internal, "{} has no predicate", switch.name) };
        // A conditional decides by its predicate and by a copy of it; for the guards they are one.
        while !step.fed.contains(&predicate) && &*step.node(predicate.node)?.op.name == "Identity" {
            predicate = step.node(predicate.node)?.inputs[0];
        }
        if self.condition == Some(predicate.node) {
            return Ok(if value == self.stays_if { Literal::Body } else { Literal::Leaving });
        }
        let predicate = match self.source(step, predicate, Want::Itself)? {
            // The value at this place: the Switch reads it.
            Source::Variable { .. } => match self.local.get(&switch.id) {
                Some(&node) => Source::Output { node, index: 0 },
                None => bail!(Internal, "{} was pruned but is read", switch.name),
            },
            other => other,
        };
        Ok(Literal::Outcome { predicate, value })
    }

    /// Finds the guard of every node, along the order of the members.
    fn find_guards(&mut self, step: &StepGraph<'_>, loops: &[LoopDraft]) -> Result<()> {
        let info = step.frames.get(self.frame);
        if info.children.is_empty() && !info.members.iter().any(|&m| step.node(m).is_ok_and(|n| n.op.flow.is_some())) {
            return Ok(());
        }
        let loop_of: FxHashMap<NodeId, usize> =
            loops.iter().enumerate().flat_map(|(k, l)| l.exits.iter().map(move |&e| (e, k))).collect();
        // A loop goes where what it reads is known: before the first node behind its Exits, at the latest after all others.
        for &id in &info.members {
            let node = step.node(id)?;
            for from in node.predecessors() {
                if let Some(&k) = loop_of.get(&from) {
                    self.guard_loop(step, &loops[k])?;
                }
            }
            self.guard_node(step, node)?;
        }
        for l in loops {
            self.guard_loop(step, l)?;
        }
        for (&id, &i) in &self.local {
            self.draft.nodes[i as usize].guard = self.guard_of.get(&id).copied().unwrap_or(ALWAYS);
        }
        Ok(())
    }

    fn guard_loop(&mut self, step: &StepGraph<'_>, l: &LoopDraft) -> Result<()> {
        if self.guard_of.contains_key(&l.node.id) {
            return Ok(());
        }
        let mut guard = ALWAYS;
        for &(o, _) in &l.inputs {
            let node = step.node(o.node)?;
            if node.op.flow == Some(Flow::Merge) && !self.local.contains_key(&o.node) {
                // The loop's own count of which input of a variable has a value.
                continue;
            }
            let of = match node.op.flow {
                Some(Flow::Enter) if step.frames.of(o.node) == self.frame => {
                    self.guard_of.get(&o.node).copied().unwrap_or(ALWAYS)
                }
                _ => self.output_guard(step, o)?,
            };
            guard = self.draft.guards.and(guard, of);
        }
        for w in &l.waits {
            let of = self.guard_of.get(w).copied().unwrap_or(ALWAYS);
            guard = self.draft.guards.and(guard, of);
        }
        self.guard_of.insert(l.node.id, guard);
        for &e in &l.exits {
            self.guard_of.insert(e, guard);
        }
        Ok(())
    }

    fn guard_node(&mut self, step: &StepGraph<'_>, node: &Arc<Node>) -> Result<()> {
        if &*node.op.name == "ControlTrigger" {
            return Ok(());
        }
        if node.op.flow == Some(Flow::Merge) {
            return self.guard_merge(step, node);
        }
        let mut guard = ALWAYS;
        for &o in &node.inputs {
            let of = self.output_guard(step, o)?;
            guard = self.draft.guards.and(guard, of);
        }
        for c in step.control(node) {
            let of = self.guard_of.get(&c).copied().unwrap_or(ALWAYS);
            guard = self.draft.guards.and(guard, of);
        }
        if guard != ALWAYS {
            self.guard_of.insert(node.id, guard);
        }
        Ok(())
    }

    fn guard_merge(&mut self, step: &StepGraph<'_>, node: &Arc<Node>) -> Result<()> {
        if loop_variable(step, node)?.is_some() {
            return Ok(());
        }
        let mut guards: SmallVec<[GuardId; 4]> = SmallVec::new();
        for &o in &node.inputs {
            guards.push(self.output_guard(step, o)?);
        }
        let Some(&local) = self.local.get(&node.id) else { bail!(Internal, "{} has no place", node.name) };
        let mut own = guards[0];
        let mut is_complete = true;
        for &g in &guards[1..] {
            match self.draft.guards.either(own, g) {
                Some(joined) => own = joined,
                None => {
                    is_complete = false;
                    own = self.draft.guards.shared(own, g);
                }
            }
        }
        if own != ALWAYS {
            self.guard_of.insert(node.id, own);
        }
        if !is_complete && !guards.contains(&own) {
            let joined = self.draft.guards.with(own, Literal::Joined(local));
            self.joined.insert(node.id, joined);
        }
        self.draft.nodes[local as usize].action = Action::Merge(guards);
        Ok(())
    }

    /// Completes the step nodes: inputs, order, kernels.
    fn fill(&mut self, step: &StepGraph<'_>, loops: Vec<LoopDraft>) -> Result<()> {
        let graph = step.cx.graph;
        for l in loops {
            let Some(&i) = self.local.get(&l.node.id) else { bail!(Internal, "a loop has no place") };
            self.fill_loop(step, i, l)?;
        }
        for i in 0..self.draft.nodes.len() {
            let node = self.draft.nodes[i].node.clone();
            if let Some(&Source::Output { node: of, .. }) = self.exits.get(&node.id) {
                self.draft.nodes[i].control.push(of);
                continue;
            }
            if matches!(self.draft.nodes[i].action, Action::Loop(_)) {
                continue;
            }
            let id = node.id;
            let is_loop_variable = node.op.flow == Some(Flow::Merge) && loop_variable(step, &node)?.is_some();
            let is_place = match node.op.flow {
                Some(Flow::Merge) => is_loop_variable,
                Some(_) => true,
                None => false,
            };
            let mut control: SmallVec<[u32; 2]> = SmallVec::new();
            for c in step.control(&node) {
                if let Some(c) = self.local(step, c) {
                    control.push(c);
                }
            }
            // A variable behind an input is reached through the node that names it: keep that node's place in the order.
            for &o in &node.inputs {
                if !step.fed.contains(&o)
                    && !is_loop_variable
                    && let Some(n) = self.local(step, o.node)
                    && !control.contains(&n)
                {
                    control.push(n);
                }
            }
            let mut root = match step.root(OutputId { node: id, index: 0 })? {
                Some(v) => self.variables.get(&v).copied(),
                None => None,
            };
            // A handle is made and handed on like any value, for readers that the planner does not see through.
            let names_variable = (node.op.is_variable || (node.op.is_alias && root.is_some())) && !gives_handle(&node);
            let only_orders = matches!(&*node.op.name, "NoOp" | "Const" | "ControlTrigger");
            let mut inputs: SmallVec<[Source; 3]> = SmallVec::new();
            if !is_place {
                for &o in &node.inputs {
                    inputs.push(self.source(step, o, Want::of(&node))?);
                }
            }
            let mut is_ref = ref_inputs(&node);
            let is_snapshot = match node.inputs.first() {
                Some(&handle) if node.op.is_snapshot => step.root(handle)?.is_some(),
                _ => false,
            };
            if is_snapshot {
                self.draft.snapshots.push(i as u32);
                if let Some(&Source::Variable { variable, .. }) = inputs.first() {
                    root = Some(variable);
                }
            }
            let action = if matches!(self.draft.nodes[i].action, Action::Merge(_)) {
                is_ref.iter_mut().for_each(|r| *r = false);
                std::mem::replace(&mut self.draft.nodes[i].action, Action::Nothing)
            } else if node.op.flow == Some(Flow::Switch) && node.inputs.len() == 2 {
                // Only a predicate that is a variable is read here.
                is_ref.clear();
                match self.source(step, node.inputs[1], Want::Itself)? {
                    source @ Source::Variable { .. } if self.condition != Some(node.inputs[1].node) => {
                        inputs.push(source);
                        is_ref.push(false);
                        Action::Run(Arc::new(hand_on))
                    }
                    _ => Action::Nothing,
                }
            } else if is_snapshot {
                Action::Nothing
            } else if is_place || only_orders || names_variable {
                if is_place {
                    is_ref.clear();
                }
                Action::Nothing
            } else {
                let types: Vec<DType> =
                    node.inputs.iter().map(|&o| graph.output(o).map(|t| t.dtype)).collect::<Result<_>>()?;
                let resources = step.cx.resources_of(&node)?;
                Action::Run((step.cx.kernel)(&node, &types, resources).map_err(|e| e.at_node(id))?)
            };
            let place = &mut self.draft.nodes[i];
            (place.inputs, place.control, place.action, place.root, place.is_ref) =
                (inputs, control, action, root, is_ref);
            place.home = step.cx.home(&node)?.cloned();
        }
        Ok(())
    }

    fn fill_loop(&mut self, step: &StepGraph<'_>, i: u32, l: LoopDraft) -> Result<()> {
        let mut inputs: SmallVec<[Source; 3]> = SmallVec::new();
        let mut control: SmallVec<[u32; 2]> = SmallVec::new();
        for &(o, want) in &l.inputs {
            let node = step.node(o.node)?;
            if l.value_indices.contains(&o.node) {
                inputs.push(Source::Constant(self.draft.constants.len() as u32));
                self.draft.constants.push(Tensor::scalar(0i32));
                continue;
            }
            let is_enter = node.op.flow == Some(Flow::Enter) && step.frames.of(o.node) == self.frame;
            let read = if is_enter { node.inputs.first().copied().unwrap_or(o) } else { o };
            inputs.push(self.source(step, read, want)?);
            control.extend(self.local(step, o.node));
        }
        control.extend(l.waits.iter().filter_map(|&w| self.local(step, w)));
        let mut is_ref: SmallVec<[bool; 3]> = SmallVec::from_elem(false, inputs.len());
        let mut touched: SmallVec<[VariableIndex; 4]> = SmallVec::new();
        for v in &l.touched {
            if let Some(&variable) = self.variables.get(v)
                && !touched.contains(&variable)
            {
                touched.push(variable);
                inputs.push(Source::Variable { variable, version: 0, via: *v });
                is_ref.push(true);
            }
        }
        control.sort_unstable();
        control.dedup();
        control.retain(|c| *c != i);
        let place = &mut self.draft.nodes[i as usize];
        (place.inputs, place.control, place.is_ref) = (inputs, control, is_ref);
        place.action = Action::Loop(Arc::new(l.plan));
        Ok(())
    }
}

/// Whether a node's value is a handle, which is made and handed on like any value.
fn gives_handle(node: &Node) -> bool {
    node.outputs.first().is_some_and(|o| o.dtype == DType::Resource)
}

/// The node that decides whether a loop goes on, and the value with which it does.
///
/// Errors: `InvalidArgument` where no one node does.
fn condition_of(step: &StepGraph<'_>, frame: FrameId) -> Result<(NodeId, bool)> {
    let info = step.frames.get(frame);
    let mut marked = Vec::new();
    let mut left_by: Vec<(NodeId, bool)> = Vec::new();
    for &id in &info.members {
        let node = step.node(id)?;
        match node.op.flow {
            Some(Flow::LoopCond) => marked.push(id),
            Some(Flow::Exit) if step.frames.is_border(node) => {
                // The Switch that its value comes from, perhaps changed on the way.
                let mut at = node.inputs.first().copied();
                while let Some(o) = at {
                    let from = step.node(o.node)?;
                    if from.op.flow == Some(Flow::Switch) {
                        if let Some(predicate) = from.inputs.get(1) {
                            left_by.push((predicate.node, o.index == 0));
                        }
                        break;
                    }
                    at = match from.op.flow {
                        None => from
                            .inputs
                            .iter()
                            .copied()
                            .find(|i| step.node(i.node).is_ok_and(|n| step.frames.of_output(n) == frame)),
                        _ => None,
                    };
                }
            }
            _ => {}
        }
    }
    left_by.dedup();
    match (&marked[..], &left_by[..]) {
        (&[one], _) => Ok((one, left_by.iter().find(|(p, _)| *p == one).is_none_or(|(_, stays_if)| *stays_if))),
        // TensorFlow's executor asks for no LoopCond.
        (&[], &[(one, stays_if)]) => Ok((one, stays_if)),
        _ => bail!(InvalidArgument, "The loop '{}' needs one LoopCond", info.name),
    }
}

pub(crate) fn hand_on(ctx: &mut KernelContext<'_>) -> Result<()> {
    let value = ctx.take(0)?;
    ctx.set_output(0, value);
    Ok(())
}
