//! A matrix product of which only a block is read is computed in that block alone.

use super::product::{Fused, attrs_of_product, product, product_forms};
use super::readers::Readers;
use super::replace::Replacement;
use crate::context::Context;
use crate::draft::{Action, Draft};
use crate::rewrites::Rewrite;
use ferroflow_graph::Fusion;
use smallvec::SmallVec;

pub(super) fn find(d: &Draft, cx: &Context<'_>, readers: &Readers, i: u32) -> Option<Replacement> {
    let node = &d.nodes[i as usize];
    if node.node.op.fusion != Some(Fusion::Block) || !matches!(node.action, Action::Run(_)) {
        return None;
    }
    let product = product(d, readers, node.inputs.first()?)?;
    let product_node = &d.nodes[product as usize];
    let op = product_forms(product_node)?.block?;
    let mut attrs = attrs_of_product(&product_node.node);
    if let Some(value) = node.node.attrs.get("Index") {
        attrs.set("Index", value.clone());
    }
    let inputs = product_node.inputs.iter().chain(&node.inputs[1..]).copied().collect();
    let products = SmallVec::from_slice(&[product]);
    Fused { op, attrs, inputs, products, rewrite: Rewrite::Block }.replacement(d, cx, i)
}
