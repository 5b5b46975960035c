//! `Cutter`: writes each site's nodes in the order of the whole step.

use super::part::{Edge, EdgeSource, Part, PartNode};
use super::sites::loop_around;
use crate::draft::{Action, Draft, order_edges};
use crate::flow::{ALWAYS, Frames, GuardId, order};
use crate::request::{Request, is_fed_placeholder};
use crate::roots::Roots;
use crate::source::Source;
use ferroflow_graph::{AttrMap, AttrValue, Flow, Graph, Node, NodeId, OutputId, Role, written};
use ferroflow_tensor::{DType, PartialShape, Result, bail};
use rustc_hash::{FxHashMap, FxHashSet};

/// An output of a part's node.
pub(super) type Local = (u32, u32);

/// A value that a site needs from outside, or a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Import {
    Value(OutputId),
    /// That version of the variable of this node, where the guard holds.
    Version(NodeId, u32, GuardId),
    /// That the node has run.
    Control(NodeId),
    /// A copy of a node: a Switch, or a constant.
    Copy(NodeId),
    /// Nodes that run if the predicate has this value.
    Pivot(OutputId, bool),
}

/// A `_Send` behind a write: a path of control that leaves the site after the write and may come back to it.
pub(super) type Leaving = (usize, u32);

/// A value that is sent from one site to another.
pub(super) struct Transfer {
    pub import: Import,
    /// The site that sends, and the one that receives.
    pub at: usize,
    pub site: usize,
    /// The step node that reads what is received.
    pub reader: u32,
    /// The step node that it comes from, and its guard.
    pub source: u32,
    pub guard: GuardId,
    /// The graph node that the nodes of the transfer are named after.
    pub origin: NodeId,
    /// If True, it is the value of a variable that the step has written.
    pub is_dirty: bool,
}

/// A step that is to be cut.
pub(super) struct Whole<'a> {
    pub graph: &'a Graph,
    pub request: &'a Request,
    pub fed: &'a FxHashSet<OutputId>,
    pub feeds: &'a FxHashMap<OutputId, u32>,
    pub draft: &'a Draft,
    pub frames: &'a Frames,
    /// The nodes that the request needs.
    pub ids: &'a [NodeId],
    /// By graph node: its site.
    pub site: &'a [usize],
    /// Number of sites.
    pub sites: usize,
}

pub(super) struct Cutter<'a> {
    pub(super) graph: &'a Graph,
    pub(super) request: &'a Request,
    fed: &'a FxHashSet<OutputId>,
    feeds: FxHashMap<OutputId, usize>,
    pub(super) d: &'a Draft,
    pub(super) frames: &'a Frames,
    roots: Roots<'a>,
    site: &'a [usize],
    /// The step node of each graph node of the root frame.
    step_node: FxHashMap<NodeId, u32>,
    /// The step node of each outermost loop.
    loops: FxHashMap<usize, u32>,
    /// The nodes of each outermost loop with its Enters and Exits, in an order in which each comes after what it waits for.
    members: FxHashMap<usize, Vec<NodeId>>,
    pub(super) parts: Vec<Part>,
    pub(super) edges: Vec<Edge>,
    local: Vec<FxHashMap<NodeId, u32>>,
    /// Dtypes of the nodes that only the parts have, by site.
    pub(super) own_dtypes: Vec<FxHashMap<u32, DType>>,
    pub(super) made: FxHashMap<(Import, usize), Local>,
    /// Nodes whose end each version's `_Send` waits for.
    sent_after: FxHashMap<(Import, usize), Vec<NodeId>>,
    pub(super) tokens: Vec<Option<u32>>,
    /// Of each step node: the sends behind writes that it comes after.
    pub(super) behind: Vec<Vec<Leaving>>,
    /// Of each step node: bit s is set where it comes after a write at site s, or is one.
    pub(super) wrote: Vec<u64>,
}

impl<'a> Cutter<'a> {
    pub fn new(whole: Whole<'a>) -> Result<Cutter<'a>> {
        let Whole { graph, request, fed, feeds: of_roots, draft: d, frames, ids, site, sites } = whole;
        let feeds: FxHashMap<OutputId, usize> = request.feeds.iter().enumerate().map(|(i, &o)| (o, i)).collect();
        let (mut step_node, mut loops) = (FxHashMap::default(), FxHashMap::default());
        for (i, n) in d.nodes.iter().enumerate() {
            match &n.action {
                Action::Loop(plan) => loops.insert(plan.frame, i as u32),
                _ => step_node.insert(n.node.id, i as u32),
            };
        }
        let mut members: FxHashMap<usize, Vec<NodeId>> = FxHashMap::default();
        for id in order(graph, ids)? {
            if let Some(outermost) = loop_around(frames, graph.node(id)?) {
                members.entry(outermost).or_default().push(id);
            }
        }
        Ok(Cutter {
            graph,
            request,
            fed,
            feeds,
            d,
            frames,
            roots: Roots { graph, feeds: of_roots, memo: FxHashMap::default() },
            site,
            step_node,
            loops,
            members,
            parts: (0..sites).map(|_| Part::default()).collect(),
            edges: Vec::new(),
            local: vec![FxHashMap::default(); sites],
            own_dtypes: vec![FxHashMap::default(); sites],
            made: FxHashMap::default(),
            sent_after: FxHashMap::default(),
            tokens: vec![None; sites],
            behind: vec![Vec::new(); d.nodes.len()],
            wrote: vec![0; d.nodes.len()],
        })
    }

    pub fn finish(self) -> (Vec<Part>, Vec<Edge>) {
        (self.parts, self.edges)
    }

    pub fn run(&mut self) -> Result<()> {
        let edges = order_edges(self.d);
        let d = self.d;
        for i in edges.order(u64::from)? {
            let node = &d.nodes[i as usize];
            if node.writes() && node.is_ref.contains(&true) {
                let site = match &node.action {
                    Action::Loop(plan) => self.loop_site(plan.frame),
                    _ => self.site[node.node.id as usize],
                };
                self.wrote[i as usize] |= 1 << site.min(63);
            }
            match &node.action {
                Action::Loop(plan) => {
                    for id in self.members.remove(&plan.frame).unwrap_or_default() {
                        self.emit(id, i)?;
                    }
                }
                _ => {
                    let graph_node = self.graph.node(node.node.id)?;
                    // An Enter or an Exit is written with its loop, a Switch before its first reader.
                    let later = matches!(graph_node.op.flow, Some(Flow::Enter | Flow::Exit | Flow::Switch));
                    if !later || (graph_node.op.flow != Some(Flow::Switch) && !self.frames.is_border(graph_node)) {
                        self.emit(node.node.id, i)?;
                    }
                }
            }
            let (behind, wrote) = (self.behind[i as usize].clone(), self.wrote[i as usize]);
            for &t in &edges.hard[i as usize] {
                self.wrote[t as usize] |= wrote;
                let list = &mut self.behind[t as usize];
                list.extend(behind.iter().filter(|l| !list.contains(l)).copied().collect::<Vec<_>>());
            }
        }
        self.request_fetches()
    }

    /// Returns the site of a loop's nodes, which is one.
    fn loop_site(&self, frame: usize) -> usize {
        self.members.get(&frame).and_then(|m| m.first()).map_or(0, |&id| self.site[id as usize])
    }

    /// Adds the fetches and targets of each part.
    fn request_fetches(&mut self) -> Result<()> {
        for (k, &o) in self.request.fetches.iter().enumerate() {
            if self.fed.contains(&o) {
                let stub = self.value(o, 0, None, &mut Vec::new())?;
                self.parts[0].fetches.push((stub, k));
                continue;
            }
            // A fetched variable is read at the end of the step, where it is.
            let (at, o) = match self.root(o)? {
                Some(v) if self.site[v as usize] != self.site[o.node as usize] => {
                    // The node that forwards it runs as well: a fetch runs what its node waits for.
                    let site = self.site[o.node as usize];
                    let node = self.local_node(o.node, site)?;
                    self.parts[site].targets.push(node);
                    (self.site[v as usize], OutputId { node: v, index: 0 })
                }
                _ => (self.site[o.node as usize], o),
            };
            let node = self.local_node(o.node, at)?;
            self.parts[at].fetches.push(((node, o.index), k));
        }
        for &t in &self.request.targets {
            let at = self.site[t as usize];
            let node = self.local_node(t, at)?;
            self.parts[at].targets.push(node);
        }
        Ok(())
    }

    fn root(&mut self, o: OutputId) -> Result<Option<NodeId>> {
        if self.fed.contains(&o) {
            return Ok(None);
        }
        self.roots.of(o)
    }

    /// Returns the step node of a graph node: itself, or the loop it is in.
    fn step_of(&self, id: NodeId) -> Result<u32> {
        if let Some(&i) = self.step_node.get(&id) {
            return Ok(i);
        }
        let node = self.graph.node(id)?;
        match loop_around(self.frames, node).and_then(|frame| self.loops.get(&frame)) {
            Some(&i) => Ok(i),
            None => bail!(Internal, "node {} was pruned but is read", node.name),
        }
    }

    pub(super) fn push(&mut self, site: usize, origin: NodeId, node: PartNode) -> u32 {
        let part = &mut self.parts[site];
        part.nodes.push(node);
        part.origin.push(origin);
        part.nodes.len() as u32 - 1
    }

    /// Pushes a node that the whole graph does not have, with the dtype of its output.
    pub(super) fn push_own(&mut self, site: usize, origin: NodeId, node: PartNode, dtype: DType) -> u32 {
        let local = self.push(site, origin, node);
        self.own_dtypes[site].insert(local, dtype);
        local
    }

    /// Writes a node at its site.
    fn emit(&mut self, id: NodeId, reader: u32) -> Result<u32> {
        let site = self.site[id as usize];
        if let Some(&local) = self.local[site].get(&id) {
            return Ok(local);
        }
        self.write(id, site, reader)
    }

    /// Writes a node, or a copy of it, at a site.
    fn write(&mut self, id: NodeId, site: usize, reader: u32) -> Result<u32> {
        let node = self.graph.node(id)?.clone();
        let mut controls: Vec<u32> = Vec::new();
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for (position, &o) in node.inputs.iter().enumerate() {
            let is_back_edge = node.op.flow == Some(Flow::Merge)
                && self.graph.node(o.node)?.op.flow == Some(Flow::NextIteration)
                && !self.local[site].contains_key(&o.node);
            if is_back_edge {
                inputs.push((u32::MAX - o.node, o.index));
                continue;
            }
            inputs.push(self.value(o, site, Some((reader, position)), &mut controls)?);
        }
        for &c in &node.control_inputs {
            if !is_fed_placeholder(self.graph, c, self.fed) {
                controls.extend(self.control(c, site, reader)?);
            }
        }
        let mut attrs = AttrMap::default();
        node.attrs.iter().filter(|(n, _)| *n != "_class").for_each(|(n, v)| attrs.set(n, v.clone()));
        controls.sort_unstable();
        controls.dedup();
        let op = match self.reads_elsewhere(&node, site)? {
            // A value from another process is no reference.
            true => node.op.value_form.as_deref().unwrap_or(&node.op.name).to_owned(),
            false => node.op.name.to_string(),
        };
        let made = PartNode {
            name: node.name.to_string(),
            op,
            inputs,
            control_inputs: controls,
            attrs,
            shapes: node.outputs.iter().map(|o| o.shape.clone()).collect(),
        };
        let local = self.push(site, id, made);
        self.local[site].insert(id, local);
        if node.op.flow == Some(Flow::NextIteration) {
            self.close(id, site, local);
        }
        Ok(local)
    }

    /// Returns whether a node that forwards a reference runs at another site than the variable.
    fn reads_elsewhere(&mut self, node: &Node, site: usize) -> Result<bool> {
        if node.op.value_form.is_none() {
            return Ok(false);
        }
        for &o in &node.inputs {
            if let Some(v) = self.root(o)?
                && self.site[v as usize] != site
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ties the Merges that wait for a NextIteration to it.
    fn close(&mut self, next: NodeId, site: usize, local: u32) {
        let stand_in = u32::MAX - next;
        let merges: Vec<u32> =
            self.graph.consumers(next).iter().filter_map(|(reader, _)| self.local[site].get(reader).copied()).collect();
        for merge in merges {
            for input in &mut self.parts[site].nodes[merge as usize].inputs {
                if input.0 == stand_in {
                    input.0 = local;
                }
            }
        }
    }

    /// Returns the node at its site; writes it there first if it is a Switch without a reader so far.
    fn local_node(&mut self, id: NodeId, site: usize) -> Result<u32> {
        match self.local[site].get(&id) {
            Some(&local) => Ok(local),
            None => {
                let reader = self.step_of(id)?;
                self.write(id, site, reader)
            }
        }
    }

    /// Returns an output's value at a site. `reader`: the step node that reads it, and the position of the input there. What else the
    /// reader must wait for is added to `controls`.
    pub(super) fn value(
        &mut self,
        o: OutputId,
        site: usize,
        reader: Option<(u32, usize)>,
        controls: &mut Vec<u32>,
    ) -> Result<Local> {
        if let Some(&feed) = self.feeds.get(&o) {
            return self.fed_value(o, feed, site);
        }
        if let Some(v) = self.root(o)? {
            return self.variable(v, o, site, reader, controls);
        }
        let from = self.graph.node(o.node)?.clone();
        if let Some(&local) = self.local[site].get(&o.node) {
            return Ok((local, o.index));
        }
        let in_loop = loop_around(self.frames, &from).is_some();
        if from.op.flow == Some(Flow::Switch) && !in_loop {
            let reader = reader.map_or_else(|| self.step_of(o.node), |(r, _)| Ok(r))?;
            return Ok((self.write(o.node, site, reader)?, o.index));
        }
        let reader = reader.map_or_else(|| self.step_of(o.node), |(r, _)| Ok(r))?;
        if from.op.role == Role::Constant && from.control_inputs.is_empty() && !in_loop {
            let key = (Import::Copy(o.node), site);
            if let Some(&local) = self.made.get(&key) {
                return Ok(local);
            }
            let made = (self.write(o.node, site, reader)?, o.index);
            self.made.insert(key, made);
            return Ok(made);
        }
        let at = self.site[o.node as usize];
        if at == site {
            bail!(Internal, "{} is read before it is there", from.name);
        }
        let dtype = self.graph.output(o)?.dtype;
        if !dtype.is_plain() && dtype != DType::String {
            bail!(
                InvalidArgument,
                "'{}' (on {}) gives a {} that is used in another process (on {}): operations on it must be placed with it",
                from.name,
                from.device,
                dtype.name(),
                self.graph.node(self.d.nodes[reader as usize].node.id)?.device
            );
        }
        let source = self.step_of(o.node)?;
        let guard = self.d.nodes[source as usize].guard;
        let sent = self.local_node(o.node, at)?;
        let import = Import::Value(o);
        let transfer = Transfer { import, at, site, reader, source, guard, origin: o.node, is_dirty: false };
        self.transfer(transfer, |_, _| Ok(((sent, o.index), vec![])))
    }

    /// Returns a feed at a site: itself where it is fed, received elsewhere.
    pub(super) fn fed_value(&mut self, o: OutputId, feed: usize, site: usize) -> Result<Local> {
        let key = (Import::Value(o), site);
        if let Some(&local) = self.made.get(&key) {
            return Ok(local);
        }
        let output = self.graph.output(o)?.clone();
        let local = if site == 0 {
            let mut attrs = AttrMap::default();
            attrs.set("dtype", AttrValue::Type(output.dtype));
            attrs.set("shape", AttrValue::Shape(PartialShape::unknown()));
            let stub = PartNode {
                name: format!("_feed/{feed}"),
                op: written::PLACEHOLDER.to_owned(),
                inputs: Vec::new(),
                control_inputs: Vec::new(),
                attrs,
                shapes: vec![output.shape],
            };
            let local = self.push_own(0, o.node, stub, output.dtype);
            self.parts[0].feeds.push((local, feed));
            local
        } else {
            let edge = self.edge(EdgeSource::Feed(feed), site);
            self.receive(edge, site, o.node, output.dtype, output.shape, Vec::new())
        };
        self.made.insert(key, (local, 0));
        Ok((local, 0))
    }

    /// Returns a variable, or the version of it that the reader sees.
    fn variable(
        &mut self,
        v: NodeId,
        o: OutputId,
        site: usize,
        reader: Option<(u32, usize)>,
        controls: &mut Vec<u32>,
    ) -> Result<Local> {
        let at = self.site[v as usize];
        if let Some(&local) = self.local[site].get(&o.node)
            && at == site
        {
            return Ok((local, o.index));
        }
        let Some((reader, position)) = reader else {
            bail!(Internal, "a variable has no reader");
        };
        // The reader's guard may come from a Switch between the variable and the reader; each input of a Merge has its own.
        let (guard, is_merge) = match &self.d.nodes[reader as usize].action {
            Action::Merge(guards) => (guards.get(position).copied().unwrap_or(ALWAYS), true),
            _ => (self.d.nodes[reader as usize].guard, false),
        };
        if at == site {
            controls.extend(self.control(o.node, site, reader)?);
            controls.extend(self.pivots(guard, site, reader)?);
            return Ok((self.local_node(v, at)?, 0));
        }
        let version = self.version(v, reader, position)?;
        let import = Import::Version(v, version, guard);
        let source = self.step_of(o.node)?;
        let is_there = self.site[o.node as usize] == at && self.graph.node(o.node)?.op.flow.is_none();
        let index = self.d.nodes[self.step_of(v)? as usize].root.unwrap_or(0);
        let maker = self.d.versions.maker(index, version);
        let variable = self.local_node(v, at)?;
        let mut after = Vec::new();
        if is_there {
            after.push(self.local_node(o.node, at)?);
        }
        match (maker, self.d.versions.renewal(index, version)) {
            (Some(lock), Some(_)) => {
                let lock = self.d.nodes[lock as usize].node.id;
                after.extend(self.control(lock, at, reader)?);
            }
            (Some(writer), None) => after.push(self.writer_node(writer, at)?),
            (None, _) => {}
        }
        let is_dirty = maker.is_some();
        let via = o.node;
        let transfer = Transfer { import, at, site, reader, source, guard, origin: via, is_dirty };
        let received = self.transfer(transfer, |cutter, at| {
            // Nodes that the send comes after may not run, so the send tests the reader's guard.
            let mut waits = cutter.pivots(guard, at, reader)?;
            waits.extend(cutter.trigger(at, via, after));
            Ok(((variable, 0), waits))
        })?;
        if is_merge {
            // A received value exists if the guard holds; a Merge that waited for more would have none elsewhere.
            return Ok(received);
        }
        let known = self.sent_after.entry((import, site)).or_insert_with(|| vec![via]);
        if !is_there || !known.contains(&via) {
            known.push(via);
            if via != v {
                controls.extend(self.control(via, site, reader)?);
            }
        }
        controls.extend(self.pivots(guard, site, reader)?);
        Ok(received)
    }

    /// Returns the local node of a step node that writes: itself, or the last node of the loop.
    fn writer_node(&mut self, step_node: u32, site: usize) -> Result<u32> {
        let node = &self.d.nodes[step_node as usize];
        match &node.action {
            Action::Loop(plan) => {
                // A value that leaves a loop says that the loop has ended.
                let frame = plan.frame;
                let exit = self.exits(frame)?.into_iter().next();
                match exit.and_then(|e| self.local[site].get(&e)) {
                    Some(&local) => Ok(local),
                    None => bail!(
                        Unimplemented,
                        "The loop '{}' writes a variable that another process reads, and no value leaves the loop",
                        self.frames.get(frame).name
                    ),
                }
            }
            _ => self.local_node(node.node.id, site),
        }
    }

    /// Returns the version of a variable that the reader's input sees.
    fn version(&self, v: NodeId, reader: u32, position: usize) -> Result<u32> {
        let index = self.d.nodes[self.step_of(v)? as usize].root;
        let node = &self.d.nodes[reader as usize];
        let of = |s: &Source| match *s {
            Source::Variable { variable, version, .. } if Some(variable) == index => Some(version),
            _ => None,
        };
        let seen = match &node.action {
            Action::Loop(_) => node.inputs.iter().find_map(of),
            _ => node.inputs.get(position).and_then(of).or_else(|| node.inputs.iter().find_map(of)),
        };
        // A node that only forwards the reference reads no version.
        Ok(seen.unwrap_or(0))
    }

    /// Returns the nodes that a reader at a site waits for in place of a node elsewhere.
    fn control(&mut self, c: NodeId, site: usize, reader: u32) -> Result<Option<u32>> {
        if let Some(&local) = self.local[site].get(&c) {
            return Ok(Some(local));
        }
        let node = self.graph.node(c)?.clone();
        let in_loop = loop_around(self.frames, &node).is_some();
        if node.op.flow == Some(Flow::Switch) && !in_loop {
            return self.write(c, site, reader).map(Some);
        }
        if node.op.role == Role::Constant && node.control_inputs.is_empty() && !in_loop {
            return Ok(None);
        }
        let at = self.site[c as usize];
        if at == site {
            bail!(Internal, "{} is waited for before it is there", node.name);
        }
        let source = self.step_of(c)?;
        let guard = self.d.nodes[source as usize].guard;
        let sent = self.local_node(c, at)?;
        let import = Import::Control(c);
        let transfer = Transfer { import, at, site, reader, source, guard, origin: c, is_dirty: false };
        let received = self.transfer(transfer, |cutter, at| Ok(((cutter.token(at, c), 0), vec![sent])))?;
        Ok(Some(received.0))
    }
}
