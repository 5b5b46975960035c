//! Builds the plan of a request.

use crate::context::Context;
use crate::draft_step::draft_step;
use crate::emit::emit;
use crate::optimize;
use crate::plan::Plan;
use crate::request::Request;
use ferroflow_tensor::Result;

/// Builds the plan of a request.
///
/// Errors: those of placement, of the graph's structure, and of kernels that cannot be made, with their node.
pub fn build(request: &Request, cx: &Context<'_>) -> Result<Plan> {
    let (mut draft, placement) = draft_step(request, cx)?;
    optimize::simplify(&mut draft, cx);
    optimize::fuse(&mut draft, cx);
    emit(&draft, request.feeds.len(), placement)
}
