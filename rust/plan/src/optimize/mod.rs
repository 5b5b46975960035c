//! Rewrites a draft before it is ordered.
//!
//! No rewrite changes a bit of any result. Folding runs the node's own kernel, merging needs equal op, attributes and
//! inputs, and fused functions are those that the single ops call.

mod dead_nodes;
mod elementwise;
mod epilogue;
mod equal_nodes;
mod fold;
mod formula;
mod fused;
mod groups;
mod identities;
mod inferred;
mod one_shape;
mod product;
mod product_block;
mod product_sum;
mod program_reader;
mod readers;
mod replace;
mod shapes;
mod simplify;
mod stand_in;
mod unused_variables;

use crate::context::Context;
use crate::draft::{Draft, order_edges};
use crate::rewrites::{Rewrite, Rewrites};
use readers::Readers;
use replace::Replacement;
pub(crate) use unused_variables::drop_unused;

/// Finds what one node can replace: the node and those before it, if they match.
type Pattern = fn(&Draft, &Context<'_>, &Readers, u32) -> Option<Replacement>;

/// A product that is fused with its readers gets no epilogue.
const PATTERNS: [(Rewrite, Pattern); 2] = [(Rewrite::Block, product_block::find), (Rewrite::Epilogue, epilogue::find)];

/// Folds, merges and drops nodes: what is left must run.
pub(crate) fn simplify(d: &mut Draft, cx: &Context<'_>) {
    if cx.options.rewrites == Rewrites::NONE {
        return;
    }
    // The order of the visibility rule: edges that rewrites add along it close no cycle. Without an order the plan fails anyway.
    let Ok(order) = order_edges(d).order(u64::from) else { return };
    simplify::simplify(d, cx, &order);
    if cx.options.rewrites.contains(Rewrite::Dead) {
        dead_nodes::drop_dead(d);
    }
}

/// Fuses nodes where that saves passes over memory. In a loop, `carried` are the feeds that change from one iteration to
/// the next.
pub(crate) fn fuse(d: &mut Draft, cx: &Context<'_>, carried: Option<&[u32]>) {
    if cx.options.rewrites.contains(Rewrite::Shape) {
        shapes::fuse(d, cx);
    }
    if cx.options.rewrites.contains(Rewrite::Sum) {
        product_sum::fuse(d, cx);
    }
    for (rewrite, find) in PATTERNS {
        if cx.options.rewrites.contains(rewrite) {
            replace_all(d, cx, find);
        }
    }
    // Last: it takes what the others left.
    if cx.options.rewrites.contains(Rewrite::Elementwise) {
        elementwise::fuse_elementwise(d, cx, carried);
        if cx.options.rewrites.contains(Rewrite::Dead) {
            // Nodes whose output several programs repeat themselves have no reader left.
            dead_nodes::drop_dead(d);
        }
    }
}

fn replace_all(d: &mut Draft, cx: &Context<'_>, find: Pattern) {
    let readers = Readers::find(d);
    for i in 0..d.nodes.len() as u32 {
        if let Some(replacement) = find(d, cx, &readers, i) {
            replacement.apply(d);
        }
    }
}
