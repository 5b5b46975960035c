//! `Adding`: the nodes of a message on their way into a graph, one after the other.

use crate::import::attrs::{Attrs, Defaults, attrs, defaults};
use crate::import::misfit::misfit;
use crate::import::order::{Control, Input, Inputs};
use crate::import::shapes::narrow;
use crate::import::{Around, Draft};
use ferroflow_graph::{AttrValue, BuildError, Graph, NodeId, NodeSpec, OpDef, OutputId, Registry};
use ferroflow_proto::tensorflow::{GraphDef, NodeDef, OpList};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{PartialShape, Status};
use rustc_hash::{FxHashMap, FxHashSet};

pub const ENTER: [&str; 2] = ["Enter", "RefEnter"];
/// TF 1.x: programs up to this version wrote the shape of a scalar where they meant any shape.
const LAST_WITHOUT_UNKNOWN_RANK: i32 = 21;

/// A node of the message in the graph.
#[derive(Clone, Copy)]
pub struct Added {
    pub id: NodeId,
    pub outputs: u32,
}

pub struct Adding<'a> {
    graph: &'a RwLock<Graph>,
    registry: &'a Registry,
    nodes: &'a [NodeDef],
    scope: &'a str,
    /// In the graph.
    names: &'a [String],
    positions: &'a FxHashMap<&'a str, usize>,
    defaults: Defaults<'a>,
    scalar_is_unknown: bool,
    frames_in_use: FxHashSet<String>,
    /// Devices by requested device.
    devices: FxHashMap<Option<&'a str>, String>,
    added: Vec<Option<Added>>,
    /// (node, positions of the nodes it is colocated with)
    colocated: Vec<(NodeId, Vec<usize>)>,
    frames: Vec<String>,
    gradient_sources: Vec<String>,
}

impl<'a> Adding<'a> {
    pub fn new(
        graph: &'a RwLock<Graph>,
        registry: &'a Registry,
        message: &'a GraphDef,
        scope: &'a str,
        names: &'a [String],
        positions: &'a FxHashMap<&'a str, usize>,
        producer: Option<&'a OpList>,
    ) -> Adding<'a> {
        let nodes = message.node.as_slice();
        let has_loops = nodes.iter().any(|node| ENTER.contains(&&*node.op));
        Adding {
            graph,
            registry,
            nodes,
            scope,
            names,
            positions,
            defaults: producer.map(defaults).unwrap_or_default(),
            scalar_is_unknown: message.versions.as_ref().map_or(0, |v| v.producer) <= LAST_WITHOUT_UNKNOWN_RANK,
            frames_in_use: if has_loops { frames_of(&graph.read()) } else { FxHashSet::default() },
            devices: FxHashMap::default(),
            added: vec![None; nodes.len()],
            colocated: Vec::new(),
            frames: Vec::new(),
            gradient_sources: Vec::new(),
        }
    }

    /// Adds the node at a position of the message, and counts it in `begun` as soon as it is in the graph.
    pub fn add<A: Around>(
        &mut self,
        position: usize,
        inputs: &Inputs,
        around: &mut A,
        begun: &mut usize,
    ) -> Result<(), A::Error> {
        let (node, name) = (&self.nodes[position], self.names[position].as_str());
        let Some(op) = self.registry.get(&node.op) else {
            return Err(BuildError::Status(Status::not_found(format!("Op type not registered '{}'", node.op))).into());
        };
        let named = |name: &str| self.positions.get(name).map(|&i| (i, self.names[i].as_str()));
        let mut draft = Draft {
            op: &node.op,
            name,
            device: None,
            inputs: self.data_inputs(op, node, inputs)?,
            control_inputs: self.control_inputs(inputs),
        };
        let Attrs { mut values, shapes, partners } = attrs(node, op, &self.defaults, named)?;
        self.adapt(node, &mut values);
        if partners.is_empty() {
            draft.device = Some(&node.device);
        }
        let requested = draft.device;
        let device = match self.devices.get(&requested) {
            Some(device) => device,
            None => {
                let device = around.device(requested)?;
                self.devices.entry(requested).or_insert(device)
            }
        };
        around.admit(&mut draft)?;
        let mut graph = self.graph.write();
        let added = match add_node(&mut graph, &mut draft, values, device) {
            Ok(added) => added,
            Err(BuildError::Value(failure) | BuildError::Type(failure)) => {
                // The values were consumed.
                let Attrs { values, .. } = attrs(node, op, &self.defaults, named)?;
                let misfit = misfit(&graph, op, &values, &draft.inputs, &node.name, name);
                return Err(BuildError::Value(misfit.unwrap_or_else(|| naming(&node.name, failure))).into());
            }
            Err(failure) => return Err(failure.into()),
        };
        *begun += 1;
        if let Some(shapes) = shapes {
            narrow(&mut graph, added.id, node, shapes)?;
        }
        drop(graph);
        self.added[position] = Some(added);
        if !partners.is_empty() {
            self.colocated.push((added.id, partners));
        }
        around.added(added.id, added.outputs as usize, requested)
    }

    fn data_inputs(&self, op: &OpDef, node: &NodeDef, inputs: &Inputs) -> Result<Vec<OutputId>, BuildError> {
        let first = inputs.data.iter().find(|input| !matches!(input, Input::Back { .. })).copied();
        let output = |&input: &Input| {
            // A loop variable's first value is a placeholder for the next one until that is made.
            let input = if let Input::Back { .. } = input { first } else { Some(input) };
            match input {
                Some(Input::Mapped(output)) => Ok(output),
                Some(Input::Node { position, index }) => self.output(node, position, index),
                _ => Err(BuildError::Value(format!("Node '{}': a loop variable without a first value", node.name))),
            }
        };
        let mut found: Vec<_> = inputs.data.iter().map(output).collect::<Result<_, _>>()?;
        if op.last_input_may_be_first && found.len() + 1 == op.inputs.len() {
            found.extend(found.first().copied());
        }
        Ok(found)
    }

    fn output(&self, node: &NodeDef, position: usize, index: u32) -> Result<OutputId, BuildError> {
        match self.added.get(position) {
            Some(Some(added)) if index < added.outputs => Ok(OutputId { node: added.id, index }),
            Some(Some(added)) => Err(BuildError::Value(format!(
                "Node '{}': Connecting to invalid output {index} of source node {} which has {} outputs",
                node.name, self.nodes[position].name, added.outputs
            ))),
            _ => Err(BuildError::Status(Status::internal(format!("'{}' comes before its inputs", node.name)))),
        }
    }

    fn control_inputs(&self, inputs: &Inputs) -> Vec<NodeId> {
        let id = |control: &Control| match *control {
            Control::Mapped(id) => Some(id),
            Control::Node { position } => self.added.get(position).copied().flatten().map(|added| added.id),
        };
        inputs.control.iter().filter_map(id).collect()
    }

    /// Fits attributes to the graph and to what old programs meant.
    fn adapt(&mut self, node: &NodeDef, values: &mut [(String, AttrValue)]) {
        let is_enter = ENTER.contains(&&*node.op);
        for (key, value) in values {
            match (key.as_str(), value) {
                ("frame_name", AttrValue::Str(frame)) if is_enter => {
                    let mut name = String::from_utf8_lossy(frame).into_owned();
                    if self.frames_in_use.contains(&name) {
                        name.insert_str(0, self.scope);
                        *frame = name.clone().into_bytes();
                    }
                    self.frames.push(name);
                }
                ("source", AttrValue::Str(source)) => {
                    self.gradient_sources.push(String::from_utf8_lossy(source).into_owned());
                }
                ("shape", AttrValue::Shape(shape))
                    if self.scalar_is_unknown && node.op == "Placeholder" && shape.rank() == Some(0) =>
                {
                    *shape = PartialShape::unknown();
                }
                _ => {}
            }
        }
    }

    /// Gives loop variables their next values.
    pub fn close_loops(&self, inputs: &[Inputs]) -> Result<(), BuildError> {
        for ((node, of_node), added) in self.nodes.iter().zip(inputs).zip(&self.added) {
            for (i, input) in of_node.data.iter().enumerate() {
                if let (Input::Back { position, index }, Some(added)) = (*input, added) {
                    let next = self.output(node, position, index)?;
                    self.graph.write().update_input(added.id, i, next)?;
                }
            }
        }
        Ok(())
    }

    /// Places colocated nodes. TF 1.x: each takes the device of the first of its partners that has one.
    pub fn place_colocated(&self) -> Result<(), BuildError> {
        let mut graph = self.graph.write();
        for (id, partners) in &self.colocated {
            for partner in partners.iter().filter_map(|&i| self.added.get(i).copied().flatten()) {
                let device = graph.node(partner.id)?.device.clone();
                if !device.is_empty() {
                    graph.set_device(*id, &device)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the nodes by position, the names of loops, and the sources of the gradients of TensorArrays.
    pub fn finish(self) -> (Vec<Added>, Vec<String>, Vec<String>) {
        (self.added.into_iter().flatten().collect(), self.frames, self.gradient_sources)
    }
}

/// Returns the names of the loops in a graph.
fn frames_of(graph: &Graph) -> FxHashSet<String> {
    let enters = graph.nodes().iter().filter(|node| ENTER.contains(&&*node.op.name));
    enters.filter_map(|node| node.attrs.str("frame_name").ok()).collect()
}

/// Returns a failure that names a node.
fn naming(name: &str, failure: String) -> String {
    if failure.contains(name) { failure } else { format!("{failure} (node '{name}')") }
}

fn add_node(
    graph: &mut Graph,
    draft: &mut Draft<'_>,
    attrs: Vec<(String, AttrValue)>,
    device: &str,
) -> Result<Added, BuildError> {
    let inputs = graph.group_inputs(draft.op, &attrs, &draft.inputs)?;
    let control_inputs = std::mem::take(&mut draft.control_inputs);
    let id = graph.add_node(NodeSpec { op: draft.op, name: draft.name, inputs, control_inputs, attrs, device })?;
    Ok(Added { id, outputs: graph.node(id)?.outputs.len() as u32 })
}
