//! Matrix products of which only a part is read are computed in that part alone; products that are added up are added as they are
//! computed.
//!
//! Both come with every recurrent net: the gradient by the concatenation of input and state is cut in two, and the gradients
//! by the weights are summed over the steps.

use crate::draft::{Action, Context, Draft, Source};
use ferroflow_graph::{AttrMap, AttrValue, KernelInit, Node, OutputId};
use ferroflow_tensor::{DType, PartialShape, Result};
use smallvec::SmallVec;
use std::sync::Arc;

pub(super) fn fuse_products_with_readers(d: &mut Draft, cx: &Context<'_>) {
    let readers = super::readers(d);
    let watched = super::watched(d);
    for i in 0..d.nodes.len() as u32 {
        let node = &d.nodes[i as usize];
        if !matches!(node.action, Action::Run(_)) {
            continue;
        }
        let is_product = |&i: &u32| is_product(d, i) && super::only_reader(d, i, &readers, &watched).is_some();
        let fused = match &*node.node.op.name {
            "Slice" => produced(&node.inputs[0]).filter(is_product).map(|p| slice(d, i, p)),
            "AddN" => sum(d, cx, i, is_product),
            // Only what a loop adds up: other sums are better added with the elementwise ops after them.
            "Add" | "AddV2" if readers[i as usize].is_empty() && matches!(node.inputs[0], Source::Feed(_)) => {
                sum(d, cx, i, is_product)
            }
            _ => None,
        };
        if let Some(fused) = fused {
            // What cannot be fused after all runs as it did.
            let _ = replace(d, cx, i, fused);
        }
    }
}

/// The op that takes the place of a node and of products before it.
struct Fused {
    op: &'static str,
    attrs: AttrMap,
    inputs: SmallVec<[Source; 3]>,
    products: SmallVec<[u32; 3]>,
}

fn produced(source: &Source) -> Option<u32> {
    match *source {
        Source::Output { node, index: 0 } => Some(node),
        _ => None,
    }
}

fn is_product(d: &Draft, i: u32) -> bool {
    let n = &d.nodes[i as usize];
    &*n.node.op.name == "MatMul"
        && matches!(n.action, Action::Run(_))
        && n.node.outputs.first().is_some_and(|o| matches!(o.dtype, DType::F32 | DType::F64))
}

/// The attributes that a product and what it becomes have in common.
fn attrs_of_product(node: &Node) -> AttrMap {
    let mut attrs = AttrMap::default();
    for name in ["transpose_a", "transpose_b", "T"] {
        if let Some(value) = node.attrs.get(name) {
            attrs.set(name, value.clone());
        }
    }
    attrs
}

fn slice(d: &Draft, i: u32, product: u32) -> Fused {
    let (node, product_node) = (&d.nodes[i as usize], &d.nodes[product as usize]);
    let mut attrs = attrs_of_product(&product_node.node);
    if let Some(value) = node.node.attrs.get("Index") {
        attrs.set("Index", value.clone());
    }
    let inputs = product_node.inputs.iter().chain(&node.inputs[1..]).copied().collect();
    Fused { op: "_MatMulSlice", attrs, inputs, products: SmallVec::from_slice(&[product]) }
}

/// A sum of terms of one known shape, those among them that are products and take no more memory as their operands.
fn sum(d: &Draft, cx: &Context<'_>, i: u32, is_product: impl Fn(&u32) -> bool) -> Option<Fused> {
    let node = &d.nodes[i as usize];
    let shape_of = |o: &OutputId| cx.graph.output(*o).map_or_else(|_| PartialShape::unknown(), |t| t.shape.clone());
    let shape = shape_of(node.node.inputs.first()?);
    if !shape.is_fully_known() || node.node.inputs.iter().any(|o| shape_of(o) != shape) {
        return None;
    }
    let is_loop_sum = &*node.node.op.name != "AddN";
    let elements = shape.elements()?;
    let mut products: SmallVec<[u32; 3]> = SmallVec::new();
    let mut is_term: Vec<bool> = Vec::with_capacity(node.inputs.len());
    for source in &node.inputs {
        let product = produced(source).filter(&is_product).filter(|&p| {
            let product = &d.nodes[p as usize].node;
            // Those of an AddN wait for the last of them: their operands must not be larger than they are.
            let kept: Option<usize> = product.inputs.iter().map(|o| shape_of(o).elements()).sum();
            let first = products.first().map_or(product, |&f| &d.nodes[f as usize].node);
            let is_alike = ["transpose_a", "transpose_b"].iter().all(|a| first.attrs.get(a) == product.attrs.get(a));
            is_alike && (is_loop_sum || kept.is_some_and(|kept| kept <= elements))
        });
        is_term.push(product.is_some());
        products.extend(product);
    }
    // The first term alone is computed as it was.
    if !is_term.iter().skip(1).any(|p| *p) {
        return None;
    }
    let operand = |k: usize| products.iter().map(move |&p| d.nodes[p as usize].inputs[k]);
    let matrices = node.inputs.iter().zip(&is_term).filter(|(_, p)| !**p).map(|(s, _)| *s);
    let mut attrs = attrs_of_product(&d.nodes[*products.first()? as usize].node);
    attrs.set("M", AttrValue::Int((node.inputs.len() - products.len()) as i64));
    attrs.set("N", AttrValue::Int(products.len() as i64));
    attrs.set("is_product", AttrValue::List(is_term.iter().map(|p| AttrValue::Bool(*p)).collect()));
    let inputs = matrices.chain(operand(0)).chain(operand(1)).collect();
    Some(Fused { op: "_MatMulSum", attrs, inputs, products })
}

fn replace(d: &mut Draft, cx: &Context<'_>, i: u32, fused: Fused) -> Result<()> {
    let Some(op) = cx.graph.registry().get(fused.op).cloned() else { return Ok(()) };
    let place = &d.nodes[i as usize];
    let node = Arc::new(Node { op, attrs: fused.attrs, ..Node::clone(&place.node) });
    let Some(factory) = node.op.kernel else { return Ok(()) };
    let types = vec![place.node.outputs[0].dtype; fused.inputs.len()];
    let kernel = factory(&KernelInit { node: &node, input_types: &types, resources: cx.resources })?;
    let mut computes = Vec::new();
    let mut control: SmallVec<[u32; 2]> = SmallVec::new();
    for &p in &fused.products {
        let product = &mut d.nodes[p as usize];
        computes.append(&mut product.computes);
        control.append(&mut product.control);
        product.action = Action::Nothing;
    }
    let place = &mut d.nodes[i as usize];
    computes.append(&mut place.computes);
    place.action = Action::Run(Arc::from(kernel));
    place.node = node;
    place.is_ref = SmallVec::from_elem(false, fused.inputs.len());
    place.inputs = fused.inputs;
    place.control.extend(control);
    place.computes = computes;
    Ok(())
}
