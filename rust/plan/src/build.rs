//! Builds the plan of a request.

use crate::context::Context;
use crate::draft_step::draft_step;
use crate::emit::emit;
use crate::optimize;
use crate::plan::Plan;
use crate::request::{Request, prune};
use ferroflow_graph::{Node, OutputId, Variable};
use ferroflow_tensor::{Result, Shape};
use std::cell::RefCell;
use std::sync::Arc;

/// Builds the plan of a request.
///
/// Errors: those of placement, of the graph's structure, and of kernels that cannot be made, with their node.
pub fn build(request: &Request, cx: &Context<'_>) -> Result<Plan> {
    let (mut draft, placement) = draft_step(request, cx)?;
    optimize::simplify(&mut draft, cx);
    optimize::fuse(&mut draft, cx, None);
    emit(&draft, request.feeds.len(), placement)
}

/// A plan for feeds of known shapes, and the shapes of variables' values that it relies on.
pub struct ShapedPlan {
    pub plan: Plan,
    pub variables: Vec<(Arc<Variable>, Shape)>,
}

/// Builds a plan for feeds of these shapes. None if the shapes of the nodes do not follow from them.
///
/// Errors: those of `build`.
pub fn build_for_shapes(request: &Request, shapes: &[Shape], cx: &Context<'_>) -> Result<Option<ShapedPlan>> {
    let feeds: Vec<(OutputId, Shape)> = request.feeds.iter().copied().zip(shapes.iter().cloned()).collect();
    let nodes = prune(cx.graph, request, &request.feeds.iter().copied().collect())?;
    let variables = RefCell::new(Vec::new());
    let variable = |node: &Node| {
        let variable = cx.resources_of(node).ok()?.variable(node).ok()?;
        let shape = variable.read()?.shape().clone();
        variables.borrow_mut().push((variable, shape.clone()));
        Some(shape)
    };
    let Some(graph) = cx.graph.specialized(&nodes, &feeds, &variable) else { return Ok(None) };
    let plan = build(request, &Context { graph: &graph, ..*cx })?;
    Ok(Some(ShapedPlan { plan, variables: variables.into_inner() }))
}
