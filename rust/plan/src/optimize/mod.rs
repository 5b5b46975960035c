//! Rewrites a draft before it is ordered.
//!
//! No rewrite changes a bit of any result. Folding runs the node's own kernel, merging needs equal op, attributes and
//! inputs, and fused functions are those that the single ops call.

mod dead_nodes;
mod epilogue;
mod fuse;
mod products;
mod readers;
mod replace;
mod simplify;

use crate::context::Context;
use crate::draft::{Draft, order_edges};

/// Folds, merges and drops nodes: what is left must run.
pub(crate) fn simplify(d: &mut Draft, cx: &Context<'_>) {
    // The order of the visibility rule: edges that rewrites add along it close no cycle. Without an order the plan fails anyway.
    let Ok(order) = order_edges(d).order(u64::from) else { return };
    simplify::simplify(d, cx, &order);
    dead_nodes::drop_dead(d);
}

/// Fuses nodes where that saves passes over memory.
pub(crate) fn fuse(d: &mut Draft, cx: &Context<'_>) {
    products::fuse_products_with_readers(d, cx);
    epilogue::fuse_epilogues(d, cx);
    fuse::fuse_elementwise(d, cx.graph);
}
