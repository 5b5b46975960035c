//! A matrix product or a convolution, the bias added to it and the activation after that become one op.

use crate::draft::{Action, Context, Draft, Source};
use ferroflow_graph::{AttrMap, AttrValue, Graph, KernelInit, Node, OutputId};
use ferroflow_tensor::{DType, PartialShape, Result};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The ops that have a fused form: its name, and the attributes it takes over.
const FUSED: [(&str, &str, &[&str]); 2] = [
    ("MatMul", "_FusedMatMul", &["transpose_a", "transpose_b"]),
    (
        "Conv2D",
        "_FusedConv2D",
        &["strides", "padding", "explicit_paddings", "data_format", "dilations", "use_cudnn_on_gpu"],
    ),
];

/// The fused ops of a match, with the step nodes it replaces: the last one stays as the place of the whole.
struct Match {
    product: u32,
    bias_add: u32,
    relu: Option<u32>,
    bias: usize,
}

pub(super) fn fuse_products(d: &mut Draft, cx: &Context<'_>) {
    let readers = super::readers(d);
    let watched = super::watched(d);
    for i in 0..d.nodes.len() as u32 {
        if let Some(found) = find(d, cx.graph, i, &readers, &watched) {
            // What cannot be fused after all runs as it did.
            let _ = fuse(d, cx, &found);
        }
    }
}

fn find(d: &Draft, graph: &Graph, product: u32, readers: &[SmallVec<[u32; 2]>], watched: &[bool]) -> Option<Match> {
    let node = &d.nodes[product as usize];
    let float = matches!(node.node.outputs.first()?.dtype, DType::F32 | DType::F64);
    let is_known = FUSED.iter().any(|(plain, ..)| *plain == &*node.node.op.name);
    if !is_known || !float || !matches!(node.action, Action::Run(_)) {
        return None;
    }
    // Channels that are not the last dimension are not the product's columns.
    if node.node.attrs.get("data_format").is_some() && node.node.attrs.str("data_format").ok()? != "NHWC" {
        return None;
    }
    let bias_add = super::only_reader(d, product, readers, watched)?;
    let add = &d.nodes[bias_add as usize];
    let shape_of = |o: OutputId| graph.output(o).map_or_else(|_| PartialShape::unknown(), |t| t.shape.clone());
    let reads_product = |s: &Source| matches!(s, Source::Output { node, .. } if *node == product);
    let bias = add.inputs.iter().position(|s| !reads_product(s))?;
    let fits = match &*add.node.op.name {
        "BiasAdd" | "BiasAddV1" => bias == 1 && add.node.attrs.str("data_format").is_ok_and(|f| f == "NHWC"),
        "Add" | "AddV2" => {
            let bias_shape = shape_of(*add.node.inputs.get(bias)?);
            let shape = &node.node.outputs.first()?.shape;
            let columns = shape.rank().and_then(|rank| shape.dim(rank.checked_sub(1)?));
            bias_shape.rank() == Some(1) && columns.is_some() && bias_shape.dim(0) == columns
        }
        _ => false,
    };
    if !fits || !matches!(add.action, Action::Run(_)) {
        return None;
    }
    let relu = super::only_reader(d, bias_add, readers, watched).filter(|&r| {
        &*d.nodes[r as usize].node.op.name == "Relu" && matches!(d.nodes[r as usize].action, Action::Run(_))
    });
    Some(Match { product, bias_add, relu, bias })
}

fn fuse(d: &mut Draft, cx: &Context<'_>, m: &Match) -> Result<()> {
    let last = m.relu.unwrap_or(m.bias_add);
    let product = &d.nodes[m.product as usize];
    let Some((_, name, taken_over)) = FUSED.iter().find(|(plain, ..)| *plain == &*product.node.op.name) else {
        return Ok(());
    };
    let Some(op) = cx.graph.registry().get(name).cloned() else { return Ok(()) };
    let dtype = product.node.outputs[0].dtype;
    let mut fused_ops = vec![AttrValue::Str(b"BiasAdd".to_vec())];
    if m.relu.is_some() {
        fused_ops.push(AttrValue::Str(b"Relu".to_vec()));
    }
    let mut attrs = AttrMap::default();
    attrs.set("T", AttrValue::Type(dtype));
    for &attr in *taken_over {
        if let Some(value) = product.node.attrs.get(attr) {
            attrs.set(attr, value.clone());
        }
    }
    attrs.set("num_args", AttrValue::Int(1));
    attrs.set("fused_ops", AttrValue::List(fused_ops));
    attrs.set("epsilon", AttrValue::Float(0.0001));
    let end = &d.nodes[last as usize].node;
    let node = Arc::new(Node { op, attrs, ..Node::clone(end) });
    let Some(factory) = node.op.kernel else { return Ok(()) };
    let kernel = factory(&KernelInit { node: &node, input_types: &[dtype; 3], resources: cx.resources })?;
    let inputs: SmallVec<[Source; 3]> =
        smallvec![product.inputs[0], product.inputs[1], d.nodes[m.bias_add as usize].inputs[m.bias]];
    let mut computes = Vec::new();
    let mut control: SmallVec<[u32; 2]> = SmallVec::new();
    let parts: SmallVec<[u32; 3]> = [Some(m.product), Some(m.bias_add), m.relu].into_iter().flatten().collect();
    for &p in &parts {
        let part = &mut d.nodes[p as usize];
        computes.append(&mut part.computes);
        control.extend(part.control.iter().copied().filter(|c| !parts.contains(c)));
        if p != last {
            part.action = Action::Nothing;
        }
    }
    let place = &mut d.nodes[last as usize];
    place.action = Action::Run(Arc::from(kernel));
    place.node = node;
    place.inputs = inputs;
    place.is_ref = smallvec![false; 3];
    place.control = control;
    place.computes = computes;
    Ok(())
}
