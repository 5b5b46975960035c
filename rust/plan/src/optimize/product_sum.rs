//! Matrix products that are added up are added as they are computed.

use super::product::{Fused, attrs_of_product, product, product_forms};
use super::readers::Readers;
use super::replace::Replacement;
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{AttrValue, Elementwise, OutputId};
use ferroflow_tensor::PartialShape;
use ferroflow_tensor::vector::Binary;
use smallvec::SmallVec;

/// Which sums have products fused into them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    /// An AddN.
    Terms,
    /// The addition of a term to a variable of a loop. Other additions are better fused with the elementwise ops after them.
    OverIterations,
}

fn sum_of(n: &StepNode, readers: &[u32]) -> Option<Sum> {
    match n.node.op.elementwise? {
        Elementwise::Sum => Some(Sum::Terms),
        Elementwise::Binary(Binary::Add) if readers.is_empty() && matches!(n.inputs.first(), Some(Source::Feed(_))) => {
            Some(Sum::OverIterations)
        }
        _ => None,
    }
}

/// Fuses a sum of terms of one known shape with those that are products and whose operands take no more memory than they do.
pub(super) fn find(d: &Draft, cx: &Context<'_>, readers: &Readers, i: u32) -> Option<Replacement> {
    let node = &d.nodes[i as usize];
    if !matches!(node.action, Action::Run(_)) {
        return None;
    }
    let sum = sum_of(node, readers.of(i))?;
    let shape_of = |o: &OutputId| cx.graph.output(*o).map_or_else(|_| PartialShape::unknown(), |t| t.shape.clone());
    let shape = shape_of(node.node.inputs.first()?);
    if !shape.is_fully_known() || node.node.inputs.iter().any(|o| shape_of(o) != shape) {
        return None;
    }
    let elements = shape.elements()?;
    let mut products: SmallVec<[u32; 3]> = SmallVec::new();
    let mut is_term: Vec<bool> = Vec::with_capacity(node.inputs.len());
    for source in &node.inputs {
        let product = product(d, readers, source).filter(|&p| {
            let product = &d.nodes[p as usize].node;
            // An AddN runs after its last term: the operands that it keeps until then must not be larger than the products.
            let kept: Option<usize> = product.inputs.iter().map(|o| shape_of(o).elements()).sum();
            let first = products.first().map_or(product, |&f| &d.nodes[f as usize].node);
            let is_alike = ["transpose_a", "transpose_b"].iter().all(|a| first.attrs.get(a) == product.attrs.get(a));
            is_alike && (sum == Sum::OverIterations || kept.is_some_and(|kept| kept <= elements))
        });
        is_term.push(product.is_some());
        products.extend(product);
    }
    // The first term alone is computed as it was.
    if !is_term.iter().skip(1).any(|p| *p) {
        return None;
    }
    let first = &d.nodes[*products.first()? as usize];
    let operand = |k: usize| products.iter().map(move |&p| d.nodes[p as usize].inputs[k]);
    let matrices = node.inputs.iter().zip(&is_term).filter(|(_, p)| !**p).map(|(s, _)| *s);
    let mut attrs = attrs_of_product(&first.node);
    attrs.set("M", AttrValue::Int((node.inputs.len() - products.len()) as i64));
    attrs.set("N", AttrValue::Int(products.len() as i64));
    attrs.set("is_product", AttrValue::List(is_term.iter().map(|p| AttrValue::Bool(*p)).collect()));
    let inputs = matrices.chain(operand(0)).chain(operand(1)).collect();
    let op = product_forms(first)?.sum?;
    Fused { op, attrs, inputs, products, rewrite: Rewrite::Sum }.replacement(d, cx, i)
}
