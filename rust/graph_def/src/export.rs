//! Nodes as a serialized GraphDef, made in one go: what it takes per node in Python is most of what writing a graph costs.

use crate::attributes::{shape_to_message, to_message};
use ferroflow_graph::{AttrValue, Graph, Node};
use ferroflow_io::tensor_message;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::attr_value::{ListValue, Value};
use ferroflow_proto::tensorflow::{self as messages, GraphDef, NodeDef, VersionDef};
use ferroflow_tensor::{Result, Status};
use std::collections::BTreeMap;

/// (position of the node, attribute) of the attributes that are left to Python: those with tensors, whose spelling is
/// decided there.
pub type Left = Vec<(usize, String)>;

/// Returns the nodes from the `from`th on, serialized, and the attributes that they lack. `add_shapes`: with the
/// attribute `_output_shapes`.
pub fn node_defs(graph: &Graph, from: usize, add_shapes: bool) -> Result<(Vec<u8>, Left)> {
    let mut left = Vec::new();
    let mut bytes = Vec::new();
    let mut one = GraphDef::default();
    for (i, node) in graph.nodes().iter().skip(from).enumerate() {
        // Serialized messages one after the other are the message of all their nodes.
        one.node.clear();
        one.node.push(node_def(graph, node, i, add_shapes, &mut left)?);
        one.encode(&mut bytes).map_err(|e| Status::resource_exhausted(e.to_string()))?;
    }
    Ok((bytes, left))
}

/// The version of graphs that TF 1.15 makes.
const PRODUCER: i32 = 134;

/// Returns the message of a graph, tensors included.
///
/// Errors: `Unimplemented` for tensors of resources or variants, and tensors within lists or functions.
pub fn graph_def(graph: &Graph) -> Result<GraphDef> {
    let mut left = Vec::new();
    let nodes = graph.nodes().iter().enumerate();
    let node = nodes.map(|(i, node)| node_def(graph, node, i, false, &mut left)).collect::<Result<Vec<_>>>()?;
    let versions = Some(VersionDef { producer: PRODUCER, ..Default::default() });
    let mut message = GraphDef { node, versions, ..Default::default() };
    for (position, name) in left {
        let value = graph.nodes().get(position).and_then(|node| node.attrs.get(&name));
        let (Some(AttrValue::Tensor(tensor)), Some(node)) = (value, message.node.get_mut(position)) else {
            return Err(Status::unimplemented(format!("attr '{name}' holds tensors in a list or a function")));
        };
        let value = Some(Value::Tensor(tensor_message::readable(tensor)?));
        node.attr.insert(name, messages::AttrValue { value });
    }
    Ok(message)
}

/// Attributes that TF 1.x lacks, by what names of ops begin with. It refuses graphs that have them.
const NEWER: [(&str, &[&str]); 3] = [
    ("RFFT", &["Treal", "Tcomplex"]),
    ("IRFFT", &["Treal", "Tcomplex"]),
    ("DepthwiseConv2dNative", &["explicit_paddings"]),
];

/// Returns true if an attribute is left out of exports, so that TF 1.x reads the node.
fn is_newer_default(node: &Node, name: &str, value: &AttrValue) -> bool {
    NEWER.iter().any(|(op, newer)| newer.contains(&name) && node.op.name.starts_with(op))
        && node.op.attr(name).is_some_and(|def| def.default.as_ref() == Some(value))
}

fn node_def(graph: &Graph, node: &Node, position: usize, add_shapes: bool, left: &mut Left) -> Result<NodeDef> {
    let mut input = Vec::with_capacity(node.inputs.len() + node.control_inputs.len());
    for o in &node.inputs {
        let name = &graph.node(o.node)?.name;
        input.push(if o.index == 0 { name.to_string() } else { format!("{name}:{}", o.index) });
    }
    for &c in &node.control_inputs {
        input.push(format!("^{}", graph.node(c)?.name));
    }
    let mut attr = BTreeMap::new();
    for (name, value) in node.attrs.iter() {
        if is_newer_default(node, name, value) {
            continue;
        }
        match to_message(value) {
            Some(value) => drop(attr.insert(name.to_owned(), messages::AttrValue { value: Some(value) })),
            None => left.push((position, name.to_owned())),
        }
    }
    if add_shapes && !node.outputs.is_empty() {
        let shape = node.outputs.iter().map(|o| shape_to_message(&o.shape)).collect();
        let value = Some(Value::List(ListValue { shape, ..Default::default() }));
        attr.insert("_output_shapes".to_owned(), messages::AttrValue { value });
    }
    let (name, op, device) = (node.name.to_string(), node.op.name.to_string(), node.device.to_string());
    Ok(NodeDef { name, op, input, device, attr, ..Default::default() })
}
