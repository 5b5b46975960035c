//! A matrix product of which only a part is read is computed in that part alone.
//!
//! Products that are added up are added as they are computed.
//!
//! Both occur in every recurrent net. The gradient with respect to the concatenation of input and state is cut in two.
//! The gradients with respect to the weights are summed over the steps.

use super::readers::{only_reader, readers, watched};
use super::replace::{Replacement, fused_node};
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::plan::Rewrite;
use crate::source::Source;
use ferroflow_graph::{AttrMap, AttrValue, Elementwise, Fusion, Node, OutputId, ProductForms};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, PartialShape};
use smallvec::SmallVec;

pub(super) fn fuse_products_with_readers(d: &mut Draft, cx: &Context<'_>) {
    let readers = readers(d);
    let watched = watched(d);
    for i in 0..d.nodes.len() as u32 {
        let node = &d.nodes[i as usize];
        if !matches!(node.action, Action::Run(_)) {
            continue;
        }
        let is_product = |&i: &u32| is_product(d, i) && only_reader(d, i, &readers, &watched).is_some();
        let fused = match (node.node.op.fusion, node.node.op.elementwise) {
            (Some(Fusion::Block), _) => produced(&node.inputs[0]).filter(is_product).and_then(|p| slice(d, i, p)),
            (_, Some(Elementwise::Sum)) => sum(d, cx, i, is_product),
            // Only sums over the iterations of a loop: other sums are better added with the elementwise ops after them.
            (_, Some(Elementwise::Binary(Binary::Add)))
                if readers[i as usize].is_empty() && matches!(node.inputs[0], Source::Feed(_)) =>
            {
                sum(d, cx, i, is_product)
            }
            _ => None,
        };
        if let Some(fused) = fused
            && let Some(replacement) = fused.replacement(d, cx, i)
        {
            replacement.apply(d);
        }
    }
}

/// The op that takes the place of a node and of products before it.
struct Fused {
    op: &'static str,
    attrs: AttrMap,
    inputs: SmallVec<[Source; 3]>,
    products: SmallVec<[u32; 3]>,
    rewrite: Rewrite,
}

impl Fused {
    fn replacement(self, d: &Draft, cx: &Context<'_>, i: u32) -> Option<Replacement> {
        let (node, kernel) = fused_node(d, cx, i, self.op, self.attrs, self.inputs.len())?;
        let nodes = self.products.into_iter().chain([i]).collect();
        Some(Replacement { nodes, node: Some(node), kernel, inputs: self.inputs, rewrite: self.rewrite })
    }
}

fn produced(source: &Source) -> Option<u32> {
    match *source {
        Source::Output { node, index: 0 } => Some(node),
        _ => None,
    }
}

fn product_forms(n: &StepNode) -> Option<&'static ProductForms> {
    match n.node.op.fusion {
        Some(Fusion::Product(forms)) => Some(forms),
        _ => None,
    }
}

/// Returns whether a node is a product of matrices of which parts and sums can be computed.
fn is_product(d: &Draft, i: u32) -> bool {
    let n = &d.nodes[i as usize];
    product_forms(n).is_some_and(|forms| forms.block.is_some() || forms.sum.is_some())
        && matches!(n.action, Action::Run(_))
        && n.node.outputs.first().is_some_and(|o| matches!(o.dtype, DType::F32 | DType::F64))
}

/// Returns the attributes that a product and what it becomes have in common.
fn attrs_of_product(node: &Node) -> AttrMap {
    let mut attrs = AttrMap::default();
    for name in ["transpose_a", "transpose_b", "T"] {
        if let Some(value) = node.attrs.get(name) {
            attrs.set(name, value.clone());
        }
    }
    attrs
}

fn slice(d: &Draft, i: u32, product: u32) -> Option<Fused> {
    let op = product_forms(&d.nodes[product as usize])?.block?;
    let (node, product_node) = (&d.nodes[i as usize], &d.nodes[product as usize]);
    let mut attrs = attrs_of_product(&product_node.node);
    if let Some(value) = node.node.attrs.get("Index") {
        attrs.set("Index", value.clone());
    }
    let inputs = product_node.inputs.iter().chain(&node.inputs[1..]).copied().collect();
    let products = SmallVec::from_slice(&[product]);
    Some(Fused { op, attrs, inputs, products, rewrite: Rewrite::Block })
}

/// Fuses a sum of terms of one known shape with those that are products and whose operands take no more memory than they do.
fn sum(d: &Draft, cx: &Context<'_>, i: u32, is_product: impl Fn(&u32) -> bool) -> Option<Fused> {
    let node = &d.nodes[i as usize];
    let shape_of = |o: &OutputId| cx.graph.output(*o).map_or_else(|_| PartialShape::unknown(), |t| t.shape.clone());
    let shape = shape_of(node.node.inputs.first()?);
    if !shape.is_fully_known() || node.node.inputs.iter().any(|o| shape_of(o) != shape) {
        return None;
    }
    let is_loop_sum = node.node.op.elementwise != Some(Elementwise::Sum);
    let elements = shape.elements()?;
    let mut products: SmallVec<[u32; 3]> = SmallVec::new();
    let mut is_term: Vec<bool> = Vec::with_capacity(node.inputs.len());
    for source in &node.inputs {
        let product = produced(source).filter(&is_product).filter(|&p| {
            let product = &d.nodes[p as usize].node;
            // An AddN runs after its last term: the operands that it keeps until then must not be larger than the products.
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
    let op = product_forms(&d.nodes[*products.first()? as usize])?.sum?;
    Some(Fused { op, attrs, inputs, products, rewrite: Rewrite::Sum })
}
