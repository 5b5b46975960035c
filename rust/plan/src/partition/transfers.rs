//! Transfers between sites: a `_Send` and a `_Recv`, and the conditions under which they run.

use super::cut::{Cutter, Import, Leaving, Local, Transfer};
use super::part::{Edge, EdgeSource, PartNode};
use crate::draft::Action;
use crate::flow::{GuardId, Literal};
use crate::source::Source;
use ferroflow_graph::{AttrMap, AttrValue, Flow, Node, NodeId, OutputId, written};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail};
use std::sync::Arc;

impl Cutter<'_> {
    /// Writes a node that runs once these have run or were skipped: it is under none of their guards.
    pub(super) fn trigger(&mut self, site: usize, origin: NodeId, mut after: Vec<u32>) -> Option<u32> {
        after.sort_unstable();
        after.dedup();
        if after.is_empty() {
            return None;
        }
        let number = self.parts[site].nodes.len();
        let made = PartNode {
            name: format!("_after/{number}"),
            op: written::CONTROL_TRIGGER.to_owned(),
            inputs: Vec::new(),
            control_inputs: after,
            attrs: AttrMap::default(),
            shapes: Vec::new(),
        };
        Some(self.push(site, origin, made))
    }

    /// Returns a constant that is sent for the order alone.
    pub(super) fn token(&mut self, site: usize, origin: NodeId) -> u32 {
        if let Some(token) = self.tokens[site] {
            return token;
        }
        let made = constant("_token".to_owned(), Tensor::scalar(true));
        let token = self.push_own(site, origin, made, DType::Bool);
        self.tokens[site] = Some(token);
        token
    }

    pub(super) fn edge(&mut self, from: EdgeSource, to: usize) -> u64 {
        self.edges.push(Edge { from, to });
        self.edges.len() as u64 - 1
    }

    pub(super) fn receive(
        &mut self,
        edge: u64,
        site: usize,
        origin: NodeId,
        dtype: DType,
        shape: PartialShape,
        control_inputs: Vec<u32>,
    ) -> u32 {
        let made = PartNode {
            name: format!("_recv/{edge}"),
            op: written::RECV.to_owned(),
            inputs: Vec::new(),
            control_inputs,
            attrs: self.transfer_attrs("tensor_type", dtype, edge, origin),
            shapes: vec![shape],
        };
        self.push_own(site, origin, made, dtype)
    }

    fn transfer_attrs(&self, type_attr: &'static str, dtype: DType, edge: u64, origin: NodeId) -> AttrMap {
        let name = self.graph.node(origin).map(|n| n.name.to_string()).unwrap_or_default();
        let mut attrs = AttrMap::default();
        attrs.set(type_attr, AttrValue::Type(dtype));
        attrs.set("tensor_name", AttrValue::Str(format!("edge_{edge}_{name}").into_bytes()));
        attrs.set("send_device", AttrValue::Str(Vec::new()));
        attrs.set("send_device_incarnation", AttrValue::Int(0));
        attrs.set("recv_device", AttrValue::Str(Vec::new()));
        attrs.set("client_terminated", AttrValue::Bool(false));
        attrs.set("_edge", AttrValue::Int(edge as i64));
        attrs
    }

    /// Sends something from one site to another, once, and returns the node that receives it.
    ///
    /// Args: `source`, the step node it comes from, and its `guard`. `sent` returns the output to send at its site, and
    /// the nodes that the `_Send` waits for.
    pub(super) fn transfer(
        &mut self,
        transfer: Transfer,
        sent: impl FnOnce(&mut Self, usize) -> Result<(Local, Vec<u32>)>,
    ) -> Result<Local> {
        let Transfer { import, at, site, reader, source, guard, origin, is_dirty } = transfer;
        let key = (import, site);
        let mut leaving = self.made.get(&(import, usize::MAX - site)).map(|&(send, _)| (at, send));
        if !self.made.contains_key(&key) {
            let waits = self.pivots(guard, site, reader)?;
            let (output, after) = sent(self, at)?;
            let (dtype, shape) = self.type_of(at, output)?;
            let edge = self.edge(EdgeSource::Site(at), site);
            let send = PartNode {
                name: format!("_send/{edge}"),
                op: written::SEND.to_owned(),
                inputs: vec![output],
                control_inputs: after,
                attrs: self.transfer_attrs("T", dtype, edge, origin),
                shapes: Vec::new(),
            };
            let send = self.push(at, origin, send);
            self.parts[at].targets.push(send);
            let mut waits = waits;
            let is_back = |&(of, send): &Leaving| if of == site { Some(send) } else { None };
            let behind = self.behind[source as usize].iter().filter_map(is_back).collect();
            waits.extend(self.trigger(site, origin, behind));
            let received = self.receive(edge, site, origin, dtype, shape, waits);
            self.made.insert(key, (received, 0));
            if is_dirty || self.wrote[source as usize] >> at.min(63) & 1 == 1 {
                self.made.insert((import, usize::MAX - site), (send, 0));
                leaving = Some((at, send));
            }
        }
        if let Some(leaving) = leaving
            && !self.behind[reader as usize].contains(&leaving)
        {
            self.behind[reader as usize].push(leaving);
        }
        Ok(self.made.get(&key).copied().unwrap_or_default())
    }

    /// Returns dtype and shape of a part's output.
    fn type_of(&self, site: usize, (node, index): Local) -> Result<(DType, PartialShape)> {
        let part = &self.parts[site];
        let made = &part.nodes[node as usize];
        let shape = made.shapes.get(index as usize).cloned().unwrap_or_else(PartialShape::unknown);
        let dtype = match self.own_dtypes[site].get(&node) {
            Some(&dtype) => dtype,
            None => self.graph.output(OutputId { node: part.origin[node as usize], index })?.dtype,
        };
        Ok((dtype, shape))
    }

    /// Returns nodes that run at a site exactly where all of a guard holds.
    pub(super) fn pivots(&mut self, guard: GuardId, site: usize, reader: u32) -> Result<Vec<u32>> {
        let mut found = Vec::new();
        for literal in self.d.guards.get(guard) {
            let Literal::Outcome { predicate, value } = *literal else {
                bail!(
                    Unimplemented,
                    "A value behind a Merge of unrelated branches is used in another process: '{}'",
                    self.d.nodes[reader as usize].node.name
                );
            };
            found.push(self.pivot(predicate, value, site, reader)?);
        }
        Ok(found)
    }

    fn pivot(&mut self, predicate: Source, value: bool, site: usize, reader: u32) -> Result<u32> {
        let mut controls = Vec::new();
        let (key, tested, origin) = match predicate {
            Source::Feed(i) => {
                let o = self.request.feeds[i as usize];
                (o, self.fed_value(o, i as usize, site)?, o.node)
            }
            Source::Constant(c) => {
                // Numbers that no node has.
                let key = OutputId { node: u32::MAX, index: c };
                let origin = self.d.nodes[reader as usize].node.id;
                let value = self.d.constants[c as usize].clone();
                let dtype = value.dtype();
                let made = constant(format!("_predicate/{c}_{}", self.edges.len()), value);
                (key, (self.push_own(site, origin, made, dtype), 0), origin)
            }
            Source::Output { node: n, index } => {
                let of = &self.d.nodes[n as usize];
                let (o, read_by) = match &of.action {
                    Action::Loop(plan) => {
                        let exit = self.exits(plan.frame)?.get(index as usize).copied();
                        let Some(exit) = exit else { bail!(Internal, "a loop has no output {index}") };
                        (OutputId { node: exit, index: 0 }, (n, 0))
                    }
                    _ => {
                        let graph_node = self.graph.node(of.node.id)?;
                        match (graph_node.op.flow, graph_node.inputs.get(1)) {
                            // A predicate that is a variable is read at its Switch.
                            (Some(Flow::Switch), Some(&predicate)) => (predicate, (n, 0)),
                            _ => (OutputId { node: of.node.id, index }, (reader, usize::MAX)),
                        }
                    }
                };
                let key = o;
                if let Some(&(local, _)) = self.made.get(&(Import::Pivot(key, value), site)) {
                    return Ok(local);
                }
                (key, self.value(o, site, Some(read_by), &mut controls)?, o.node)
            }
            Source::Variable { .. } => bail!(Internal, "a predicate is a variable"),
        };
        if let Some(&(local, _)) = self.made.get(&(Import::Pivot(key, value), site)) {
            return Ok(local);
        }
        let pivot = self.write_pivot(site, origin, tested, value, controls);
        self.made.insert((Import::Pivot(key, value), site), (pivot, 0));
        Ok(pivot)
    }

    /// Writes a Switch on a tested predicate, and the Identity that runs where it has this value.
    fn write_pivot(&mut self, site: usize, origin: NodeId, tested: Local, value: bool, controls: Vec<u32>) -> u32 {
        let number = self.parts[site].nodes.len();
        let typed = |name: &str| {
            let mut attrs = AttrMap::default();
            attrs.set("T", AttrValue::Type(DType::Bool));
            PartNode {
                name: format!("_{name}/{number}"),
                op: String::new(),
                inputs: Vec::new(),
                control_inputs: Vec::new(),
                attrs,
                shapes: vec![PartialShape::scalar()],
            }
        };
        let switch = PartNode {
            op: written::SWITCH.to_owned(),
            inputs: vec![tested, tested],
            control_inputs: controls,
            shapes: vec![PartialShape::scalar(); 2],
            ..typed("switch")
        };
        let switch = self.push(site, origin, switch);
        let pivot =
            PartNode { op: written::IDENTITY.to_owned(), inputs: vec![(switch, u32::from(value))], ..typed("pivot") };
        self.push(site, origin, pivot)
    }

    /// Returns the Exits of a loop, in the order of its outputs.
    pub(super) fn exits(&self, frame: usize) -> Result<Vec<NodeId>> {
        let mut exits = Vec::new();
        for &id in &self.frames.get(frame).members {
            let node: &Arc<Node> = self.graph.node(id)?;
            if node.op.flow == Some(Flow::Exit) && self.frames.is_border(node) {
                exits.push(id);
            }
        }
        Ok(exits)
    }
}

fn constant(name: String, value: Tensor) -> PartNode {
    let mut attrs = AttrMap::default();
    attrs.set("dtype", AttrValue::Type(value.dtype()));
    attrs.set("value", AttrValue::Tensor(value));
    PartNode {
        name,
        op: written::CONST.to_owned(),
        inputs: vec![],
        control_inputs: vec![],
        attrs,
        shapes: vec![PartialShape::unknown()],
    }
}
