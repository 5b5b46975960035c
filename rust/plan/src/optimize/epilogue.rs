//! A matrix product or a convolution, the bias added to it and the activation after that become one op.

use super::readers::Readers;
use super::replace::{Replacement, fused_node};
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{AttrMap, AttrValue, Elementwise, EpilogueForm, Fusion, Graph, OutputId};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, PartialShape};
use smallvec::smallvec;

/// The ops of a match.
struct Match {
    product: u32,
    form: &'static EpilogueForm,
    bias_add: u32,
    activation: Option<u32>,
    /// Which input of the addition is the bias.
    bias: usize,
}

pub(super) fn find(d: &Draft, cx: &Context<'_>, readers: &Readers, product: u32) -> Option<Replacement> {
    replacement(d, cx, &find_match(d, cx.graph, readers, product)?)
}

fn find_match(d: &Draft, graph: &Graph, readers: &Readers, product: u32) -> Option<Match> {
    let node = &d.nodes[product as usize];
    let Some(Fusion::Product(forms)) = node.node.op.fusion else { return None };
    let float = matches!(node.node.outputs.first()?.dtype, DType::F32 | DType::F64);
    if !float || !matches!(node.action, Action::Run(_)) {
        return None;
    }
    // Channels that are not the last dimension are not the product's columns.
    if node.node.attrs.get("data_format").is_some() && node.node.attrs.str("data_format").ok()? != "NHWC" {
        return None;
    }
    let bias_add = readers.only(d, product)?;
    let add = &d.nodes[bias_add as usize];
    let reads_product = |s: &Source| matches!(s, Source::Output { node, .. } if *node == product);
    let bias = add.inputs.iter().position(|s| !reads_product(s))?;
    if !adds_bias(graph, node, add, bias)? || !matches!(add.action, Action::Run(_)) {
        return None;
    }
    let activation = readers.only(d, bias_add).filter(|&r| {
        let reader = &d.nodes[r as usize];
        reader.node.op.fusion == Some(Fusion::Activation) && matches!(reader.action, Action::Run(_))
    });
    Some(Match { product, form: &forms.epilogue, bias_add, activation, bias })
}

/// Returns whether a node adds its input `bias` to every row of the product.
fn adds_bias(graph: &Graph, product: &StepNode, add: &StepNode, bias: usize) -> Option<bool> {
    if add.node.op.fusion == Some(Fusion::Bias) {
        return Some(bias == 1 && add.node.attrs.str("data_format").is_ok_and(|f| f == "NHWC"));
    }
    if add.node.op.elementwise != Some(Elementwise::Binary(Binary::Add)) {
        return Some(false);
    }
    let shape_of = |o: OutputId| graph.output(o).map_or_else(|_| PartialShape::unknown(), |t| t.shape.clone());
    let bias_shape = shape_of(*add.node.inputs.get(bias)?);
    let shape = &product.node.outputs.first()?.shape;
    let columns = shape.rank().and_then(|rank| shape.dim(rank.checked_sub(1)?));
    Some(bias_shape.rank() == Some(1) && columns.is_some() && bias_shape.dim(0) == columns)
}

fn replacement(d: &Draft, cx: &Context<'_>, m: &Match) -> Option<Replacement> {
    let last = m.activation.unwrap_or(m.bias_add);
    let product = &d.nodes[m.product as usize];
    let mut fused_ops = vec![AttrValue::Str(m.form.bias.as_bytes().to_vec())];
    fused_ops.extend(m.activation.map(|a| AttrValue::Str(d.nodes[a as usize].node.op.name.as_bytes().to_vec())));
    let mut attrs = AttrMap::default();
    attrs.set("T", AttrValue::Type(product.node.outputs[0].dtype));
    for &attr in m.form.attrs {
        if let Some(value) = product.node.attrs.get(attr) {
            attrs.set(attr, value.clone());
        }
    }
    attrs.set("num_args", AttrValue::Int(1));
    attrs.set("fused_ops", AttrValue::List(fused_ops));
    attrs.set("epsilon", AttrValue::Float(0.0001));
    let (node, kernel) = fused_node(d, cx, last, m.form.op, attrs, 3)?;
    Some(Replacement {
        nodes: [Some(m.product), Some(m.bias_add), m.activation].into_iter().flatten().collect(),
        node: Some(node),
        kernel,
        inputs: smallvec![product.inputs[0], product.inputs[1], d.nodes[m.bias_add as usize].inputs[m.bias]],
        rewrite: Rewrite::Epilogue,
    })
}
