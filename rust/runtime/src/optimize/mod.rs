//! Rewrites a draft before it is ordered.
//!
//! No rewrite changes a bit of any result: folding runs the node's own kernel, merging needs equal op, attributes and
//! inputs, and fused functions are the very ones that the single ops call.

mod dead;
mod fuse;
mod simplify;

use crate::plan::{Context, Draft};

pub(crate) fn run(d: &mut Draft, cx: &Context<'_>) {
    simplify::simplify(d, cx);
    dead::drop_dead(d);
    fuse::fuse_elementwise(d, cx.graph);
}
