//! Products of matrices of which parts and sums can be computed, and the fused ops that do so.
//!
//! Both occur in every recurrent net. The gradient with respect to input and state, concatenated, is cut in two. The
//! gradients with respect to the weights are summed over the steps.

use super::readers::Readers;
use super::replace::{Replacement, fused_node};
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{AttrMap, Fusion, Node, ProductForms};
use ferroflow_tensor::DType;
use smallvec::SmallVec;

/// The op that takes the place of a node and of products before it.
pub(super) struct Fused {
    pub op: &'static str,
    pub attrs: AttrMap,
    pub inputs: SmallVec<[Source; 3]>,
    pub products: SmallVec<[u32; 3]>,
    pub rewrite: Rewrite,
}

impl Fused {
    /// Returns the replacement of the products and of node `i`, which comes after them.
    pub fn replacement(self, d: &Draft, cx: &Context<'_>, i: u32) -> Option<Replacement> {
        let (node, kernel) = fused_node(d, cx, i, self.op, self.attrs, self.inputs.len())?;
        let nodes = self.products.into_iter().chain([i]).collect();
        Some(Replacement { nodes, node: Some(node), kernel, inputs: self.inputs, rewrite: self.rewrite })
    }
}

pub(super) fn product_forms(n: &StepNode) -> Option<&'static ProductForms> {
    match n.node.op.fusion {
        Some(Fusion::Product(forms)) => Some(forms),
        _ => None,
    }
}

/// Returns the product that a source is the value of, if nothing else depends on it.
pub(super) fn product(d: &Draft, readers: &Readers, source: &Source) -> Option<u32> {
    let Source::Output { node: i, index: 0 } = *source else { return None };
    let n = &d.nodes[i as usize];
    let is_product = product_forms(n).is_some_and(|forms| forms.block.is_some() || forms.sum.is_some())
        && matches!(n.action, Action::Run(_))
        && n.node.outputs.first().is_some_and(|o| matches!(o.dtype, DType::F32 | DType::F64));
    (is_product && readers.only(d, i).is_some()).then_some(i)
}

/// Returns the attributes that a product and what it becomes have in common.
pub(super) fn attrs_of_product(node: &Node) -> AttrMap {
    let mut attrs = AttrMap::default();
    for name in ["transpose_a", "transpose_b", "T"] {
        if let Some(value) = node.attrs.get(name) {
            attrs.set(name, value.clone());
        }
    }
    attrs
}
