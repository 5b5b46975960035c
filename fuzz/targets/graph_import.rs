//! GraphDefs of any content: nodes that fit are added to a graph, others refused, never a panic.
//!
//! It does what the Python front end does with a parsed message: attributes become values, inputs are looked up, and the
//! node is added, with its schema's checks and its shape rule.

#![no_main]

use ferroflow_graph::{AttrMap, AttrValue, Func, Graph, NodeId, NodeSpec, OutputId, Registry};
use ferroflow_io::tensor_message;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::attr_value::{ListValue, Value};
use ferroflow_proto::tensorflow::{AttrValue as AttrMessage, GraphDef, NameAttrList, NodeDef, TensorShapeProto};
use ferroflow_tensor::{DType, PartialShape};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    ferroflow_ops::register(&mut registry);
    ferroflow_input::register(&mut registry);
    registry.finish().unwrap()
});

fn shape(message: &TensorShapeProto) -> Option<PartialShape> {
    if message.unknown_rank {
        return Some(PartialShape::unknown());
    }
    let dims: Vec<i64> = message.dim.iter().map(|d| d.size).collect();
    // Python refuses sizes below -1, which stands for one that is not known.
    dims.iter().all(|&size| size >= -1).then(|| PartialShape::from_wire(Some(&dims)))
}

fn function(message: &NameAttrList) -> Option<AttrValue> {
    let mut attrs = AttrMap::default();
    for (name, value) in &message.attr {
        attrs.set(name.as_str(), attribute(value)?);
    }
    Some(AttrValue::Func(Func { name: message.name.clone(), attrs }))
}

fn list(message: &ListValue) -> Option<AttrValue> {
    let mut items = Vec::new();
    items.extend(message.s.iter().map(|s| AttrValue::Str(s.to_vec())));
    items.extend(message.i.iter().map(|&i| AttrValue::Int(i)));
    items.extend(message.f.iter().map(|&f| AttrValue::Float(f)));
    items.extend(message.b.iter().map(|&b| AttrValue::Bool(b)));
    for &number in &message.r#type {
        items.push(AttrValue::Type(DType::from_number(number)?));
    }
    for item in &message.shape {
        items.push(AttrValue::Shape(shape(item)?));
    }
    for item in &message.tensor {
        items.push(AttrValue::Tensor(tensor_message::decoded(&item.encode_to_vec()).ok()?));
    }
    for item in &message.func {
        items.push(function(item)?);
    }
    Some(AttrValue::List(items))
}

fn attribute(message: &AttrMessage) -> Option<AttrValue> {
    Some(match message.value.as_ref()? {
        Value::S(s) => AttrValue::Str(s.to_vec()),
        Value::I(i) => AttrValue::Int(*i),
        Value::F(f) => AttrValue::Float(*f),
        Value::B(b) => AttrValue::Bool(*b),
        Value::Type(number) => AttrValue::Type(DType::from_number(*number)?),
        Value::Shape(message) => AttrValue::Shape(shape(message)?),
        Value::Tensor(message) => AttrValue::Tensor(tensor_message::decoded(&message.encode_to_vec()).ok()?),
        Value::List(message) => list(message)?,
        Value::Func(message) => function(message)?,
        Value::Placeholder(_) => return None,
    })
}

/// Adds a node; `None` where it does not fit.
fn add(graph: &mut Graph, node: &NodeDef) -> Option<NodeId> {
    let mut inputs = Vec::new();
    let mut controls = Vec::new();
    for text in &node.input {
        if let Some(name) = text.strip_prefix('^') {
            controls.push(graph.find(name)?);
            continue;
        }
        let (name, index) = text.split_once(':').unwrap_or((text, "0"));
        let source = graph.find(name)?;
        let output = OutputId { node: source, index: index.parse().ok()? };
        graph.output(output).ok()?;
        inputs.push(output);
    }
    let mut attrs = Vec::new();
    for (name, value) in &node.attr {
        attrs.push((name.clone(), attribute(value)?));
    }
    let grouped = graph.group_inputs(&node.op, &attrs, &inputs).ok()?;
    let spec = NodeSpec {
        op: &node.op,
        name: &node.name,
        inputs: grouped,
        control_inputs: controls,
        attrs,
        device: &node.device,
    };
    graph.add_node(spec).ok()
}

fuzz_target!(|data: &[u8]| {
    let Ok(message) = GraphDef::decode(data) else { return };
    let mut graph = Graph::new(REGISTRY.clone());
    for node in &message.node {
        let before = graph.len();
        let added = add(&mut graph, node);
        assert_eq!(graph.len(), before + usize::from(added.is_some()));
        let Some(id) = added else { continue };
        for index in 0..graph.node(id).unwrap().outputs.len() as u32 {
            let output = OutputId { node: id, index };
            let _ = graph.constant_value(output);
            let _ = graph.constant_as_shape(output);
        }
    }
});
