//! Nodes as a serialized GraphDef, made in one go: what it takes per node in Python is most of what writing a graph costs.

use ferroflow_graph::{AttrValue, Graph, Node};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::attr_value::{ListValue, Value};
use ferroflow_proto::tensorflow::tensor_shape_proto::Dim;
use ferroflow_proto::tensorflow::{self as messages, GraphDef, NameAttrList, NodeDef, TensorShapeProto};
use ferroflow_tensor::{PartialShape, Result};
use std::collections::BTreeMap;

/// (position of the node, attribute) of the attributes that are left to Python: those with tensors, whose spelling is
/// decided there.
pub type Left = Vec<(usize, String)>;

/// The nodes from the `from`th on, serialized, and the attributes that they lack.
pub fn node_defs(graph: &Graph, from: usize) -> Result<(Vec<u8>, Left)> {
    let mut left = Vec::new();
    let mut message = GraphDef::default();
    for (i, node) in graph.nodes().iter().skip(from).enumerate() {
        message.node.push(node_def(graph, node, i, &mut left)?);
    }
    Ok((message.encode_to_vec(), left))
}

fn node_def(graph: &Graph, node: &Node, position: usize, left: &mut Left) -> Result<NodeDef> {
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
        match attr_value(value) {
            Some(value) => drop(attr.insert(name.to_owned(), messages::AttrValue { value: Some(value) })),
            None => left.push((position, name.to_owned())),
        }
    }
    let (name, op, device) = (node.name.to_string(), node.op.name.to_string(), node.device.to_string());
    Ok(NodeDef { name, op, input, device, attr, ..Default::default() })
}

/// `None` for what has a tensor in it.
fn attr_value(value: &AttrValue) -> Option<Value> {
    Some(match value {
        AttrValue::Int(n) => Value::I(*n),
        AttrValue::Float(x) => Value::F(*x),
        AttrValue::Bool(b) => Value::B(*b),
        AttrValue::Str(s) => Value::S(s.clone()),
        AttrValue::Type(t) => Value::Type(t.number()),
        AttrValue::Shape(s) => Value::Shape(shape(s)),
        AttrValue::Tensor(_) => return None,
        AttrValue::Func(f) => {
            let mut attr = BTreeMap::new();
            for (name, value) in f.attrs.iter() {
                attr.insert(name.to_owned(), messages::AttrValue { value: Some(attr_value(value)?) });
            }
            Value::Func(NameAttrList { name: f.name.clone(), attr })
        }
        AttrValue::List(items) => {
            let mut list = ListValue::default();
            for item in items {
                match attr_value(item)? {
                    Value::I(n) => list.i.push(n),
                    Value::F(x) => list.f.push(x),
                    Value::B(b) => list.b.push(b),
                    Value::S(s) => list.s.push(s),
                    Value::Type(t) => list.r#type.push(t),
                    Value::Shape(s) => list.shape.push(s),
                    Value::Func(f) => list.func.push(f),
                    Value::Tensor(_) | Value::List(_) | Value::Placeholder(_) => return None,
                }
            }
            Value::List(list)
        }
    })
}

fn shape(shape: &PartialShape) -> TensorShapeProto {
    match shape.to_wire() {
        None => TensorShapeProto { unknown_rank: true, ..Default::default() },
        Some(dims) => TensorShapeProto {
            dim: dims.iter().map(|&size| Dim { size, ..Default::default() }).collect(),
            ..Default::default()
        },
    }
}
