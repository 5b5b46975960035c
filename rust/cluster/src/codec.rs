//! Parts of graphs as messages, their tensors beside them.

use crate::message::{
    AttrMessage, FuncMessage, FunctionMessage, ListMessage, NodeMessage, PartMessage, ShapeMessage, Value, ValueMessage,
};
use ferroflow_graph::{AttrMap, AttrValue, Func, Function, Graph, Library, OutputId, Registry};
use ferroflow_plan::{Part, PartNode, assemble};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Attribute values nest no deeper than this.
const MAX_DEPTH: usize = 16;

/// Collects the tensors that messages point at.
#[derive(Default)]
pub struct Encoder {
    pub tensors: Vec<(u64, Tensor)>,
    /// Names of the functions that were met.
    functions: BTreeSet<String>,
}

fn shape_message(shape: &PartialShape) -> ShapeMessage {
    match shape.to_wire() {
        Some(dims) => ShapeMessage { has_rank: true, dims: dims.to_vec() },
        None => ShapeMessage::default(),
    }
}

fn shape_of(message: &ShapeMessage) -> Result<PartialShape> {
    if message.dims.len() > 254 || message.dims.iter().any(|&d| d < -1) {
        bail!(InvalidArgument, "A shape of dimensions {:?} was received", message.dims);
    }
    Ok(PartialShape::from_wire(message.has_rank.then_some(&*message.dims)))
}

fn pairs(flat: &[u32]) -> Result<Vec<(u32, u32)>> {
    if !flat.len().is_multiple_of(2) {
        bail!(InvalidArgument, "An output was received without its number");
    }
    Ok(flat.chunks_exact(2).map(|p| (p[0], p[1])).collect())
}

fn flat(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    pairs.flat_map(|(a, b)| [a, b]).collect()
}

impl Encoder {
    pub fn part(&mut self, part: &Part) -> PartMessage {
        PartMessage {
            nodes: part.nodes.iter().map(|n| self.node(n)).collect(),
            fetches: flat(part.fetches.iter().map(|(o, _)| *o)),
            targets: part.targets.clone(),
        }
    }

    /// Returns the functions in the messages so far, and those that these call.
    ///
    /// Errors: `NotFound` for one that the library lacks.
    pub fn functions(&mut self, library: &Library) -> Result<Vec<FunctionMessage>> {
        let mut messages = Vec::new();
        let mut sent = BTreeSet::new();
        while let Some(name) = self.functions.pop_first() {
            if !sent.insert(name.clone()) {
                continue;
            }
            let function = library.get(&name)?;
            let graph = function.graph.read();
            let outputs = |list: &[OutputId]| flat(list.iter().map(|o| (o.node, o.index)));
            messages.push(FunctionMessage {
                nodes: self.graph(&graph),
                arguments: outputs(&function.arguments),
                results: outputs(&function.results),
                effects: function.effects.clone(),
                name,
            });
            self.functions.retain(|f| !sent.contains(f));
        }
        Ok(messages)
    }

    fn graph(&mut self, graph: &Graph) -> Vec<NodeMessage> {
        let nodes = graph.nodes().iter().map(|node| PartNode {
            name: node.name.to_string(),
            op: node.op.name.to_string(),
            inputs: node.inputs.iter().map(|o| (o.node, o.index)).collect(),
            control_inputs: node.control_inputs.to_vec(),
            attrs: node.attrs.clone(),
            shapes: node.outputs.iter().map(|o| o.shape.clone()).collect(),
        });
        nodes.collect::<Vec<_>>().iter().map(|n| self.node(n)).collect()
    }

    fn node(&mut self, node: &PartNode) -> NodeMessage {
        NodeMessage {
            name: node.name.clone(),
            op: node.op.clone(),
            inputs: flat(node.inputs.iter().copied()),
            control_inputs: node.control_inputs.clone(),
            attrs: self.attrs(&node.attrs),
            shapes: node.shapes.iter().map(shape_message).collect(),
        }
    }

    fn attrs(&mut self, attrs: &AttrMap) -> Vec<AttrMessage> {
        attrs.iter().map(|(name, v)| AttrMessage { name: name.to_owned(), value: Some(self.value(v)) }).collect()
    }

    fn value(&mut self, value: &AttrValue) -> ValueMessage {
        let value = match value {
            AttrValue::Int(v) => Value::Int(*v),
            AttrValue::Float(v) => Value::Float(*v),
            AttrValue::Bool(v) => Value::Bool(*v),
            AttrValue::Str(v) => Value::Str(v.clone()),
            AttrValue::Type(v) => Value::Type(v.number()),
            AttrValue::Shape(v) => Value::Shape(shape_message(v)),
            AttrValue::Tensor(v) => {
                self.tensors.push((0, v.clone()));
                Value::Tensor(self.tensors.len() as u32 - 1)
            }
            AttrValue::Func(v) => {
                self.functions.insert(v.name.clone());
                Value::Func(FuncMessage { name: v.name.clone(), attrs: self.attrs(&v.attrs) })
            }
            AttrValue::List(v) => Value::List(ListMessage { items: v.iter().map(|v| self.value(v)).collect() }),
        };
        ValueMessage { value: Some(value) }
    }
}

/// Reads messages whose tensors came beside them.
pub struct Decoder<'a> {
    pub tensors: &'a [(u64, Tensor)],
}

impl Decoder<'_> {
    pub fn part(&self, message: &PartMessage) -> Result<Part> {
        let nodes = self.nodes(&message.nodes)?;
        let count = nodes.len() as u32;
        let fetches: Vec<_> = pairs(&message.fetches)?.into_iter().enumerate().map(|(k, o)| (o, k)).collect();
        if fetches.iter().any(|((n, _), _)| *n >= count) || message.targets.iter().any(|&t| t >= count) {
            bail!(InvalidArgument, "A part was received that reads nodes it does not have");
        }
        Ok(Part { origin: (0..count).collect(), nodes, feeds: Vec::new(), fetches, targets: message.targets.clone() })
    }

    pub fn function(&self, message: &FunctionMessage, registry: &Arc<Registry>) -> Result<Function> {
        let graph = assemble(&self.nodes(&message.nodes)?, registry)?;
        let outputs = |flat: &[u32]| -> Result<Vec<OutputId>> {
            let output = |(node, index)| {
                let output = OutputId { node, index };
                graph.output(output).map(|_| output)
            };
            pairs(flat)?.into_iter().map(output).collect()
        };
        let (arguments, results) = (outputs(&message.arguments)?, outputs(&message.results)?);
        for &effect in &message.effects {
            graph.node(effect)?;
        }
        let (name, effects) = (message.name.clone(), message.effects.clone());
        Ok(Function { name, graph: Arc::new(RwLock::new(graph)), arguments, results, effects })
    }

    fn nodes(&self, messages: &[NodeMessage]) -> Result<Vec<PartNode>> {
        messages.iter().map(|m| self.node(m)).collect()
    }

    fn node(&self, message: &NodeMessage) -> Result<PartNode> {
        Ok(PartNode {
            name: message.name.clone(),
            op: message.op.clone(),
            inputs: pairs(&message.inputs)?,
            control_inputs: message.control_inputs.clone(),
            attrs: self.attrs(&message.attrs, 0)?,
            shapes: message.shapes.iter().map(shape_of).collect::<Result<_>>()?,
        })
    }

    fn attrs(&self, messages: &[AttrMessage], depth: usize) -> Result<AttrMap> {
        let mut attrs = AttrMap::default();
        for message in messages {
            let value = message.value.as_ref().and_then(|v| v.value.as_ref());
            attrs.set(&*message.name, self.value(value, depth)?);
        }
        Ok(attrs)
    }

    fn value(&self, value: Option<&Value>, depth: usize) -> Result<AttrValue> {
        let Some(value) = value.filter(|_| depth < MAX_DEPTH) else {
            bail!(InvalidArgument, "An attribute was received that has no value, or is nested too deeply");
        };
        Ok(match value {
            Value::Int(v) => AttrValue::Int(*v),
            Value::Float(v) => AttrValue::Float(*v),
            Value::Bool(v) => AttrValue::Bool(*v),
            Value::Str(v) => AttrValue::Str(v.clone()),
            Value::Type(v) => match DType::from_number(*v) {
                Some(dtype) => AttrValue::Type(dtype),
                None => bail!(InvalidArgument, "{v} is no dtype"),
            },
            Value::Shape(v) => AttrValue::Shape(shape_of(v)?),
            Value::Tensor(v) => match self.tensors.get(*v as usize) {
                Some((_, tensor)) => AttrValue::Tensor(tensor.clone()),
                None => bail!(InvalidArgument, "An attribute was received without its tensor"),
            },
            Value::Func(v) => AttrValue::Func(Func { name: v.name.clone(), attrs: self.attrs(&v.attrs, depth + 1)? }),
            Value::List(v) => {
                let items = v.items.iter().map(|i| self.value(i.value.as_ref(), depth + 1));
                AttrValue::List(items.collect::<Result<_>>()?)
            }
        })
    }
}
