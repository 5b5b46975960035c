//! The shapes that a step's nodes have, given the shapes of what is fed.
//!
//! Shapes of a program's graph are not enough for a plan: `set_shape` may state anything. Here a shape counts only if it
//! follows from a value that is fed, from the value of a variable, or from an op's rule.

mod elements;

use crate::facts::Role;
use crate::graph::Graph;
use crate::node::{HandleType, Node, NodeId, OutputId, OutputType};
use crate::op_def::{AttrKind, Blocking, Flow};
use crate::shape_context::ShapeContext;
use elements::Elements;
use ferroflow_tensor::{DType, PartialShape, Shape};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Passes over the nodes after which loops count as too deep.
const MAX_PASSES: usize = 16;

static RESHAPED: AtomicU64 = AtomicU64::new(0);

/// Counts a variable whose value got another shape, or was forgotten.
pub(crate) fn count_reshaped() {
    RESHAPED.fetch_add(1, Ordering::Release);
}

/// Returns a number that rises whenever a variable of this process gets a value of another shape.
pub fn reshaped_variables() -> u64 {
    RESHAPED.load(Ordering::Acquire)
}

impl Graph {
    /// Returns this graph with the shapes that the nodes of a step have. None if they cannot be relied on.
    ///
    /// `nodes` are those of the step, by rising id. `feeds` are what is fed, with its shape. `variable` gives the shape of the
    /// value of a variable's node.
    pub fn specialized(
        &self,
        nodes: &[NodeId],
        feeds: &[(OutputId, Shape)],
        variable: &dyn Fn(&Node) -> Option<Shape>,
    ) -> Option<Graph> {
        let mut graph = self.with_fed(feeds.iter().map(|(o, _)| *o).collect());
        for &id in nodes {
            let shape = match graph.node(id).ok()?.op.is_variable {
                true => Some(variable(graph.node(id).ok()?)?),
                false => None,
            };
            for output in &mut graph.node_mut(id).ok()?.outputs {
                set_type(output, shape.as_ref());
            }
        }
        for (o, shape) in feeds {
            graph.node_mut(o.node).ok()?.outputs.get_mut(o.index as usize)?.shape = known(shape);
        }
        let mut inference = Inference {
            visited: FxHashSet::default(),
            inside: nodes.iter().copied().collect(),
            elements: Elements::default(),
        };
        for _ in 0..MAX_PASSES {
            let mut is_stable = true;
            for &id in nodes {
                is_stable &= inference.visit(&mut graph, id)?;
            }
            if !inference.elements.take_changed() && is_stable {
                return nodes.iter().all(|&id| keeps_variables(&graph, id)).then_some(graph);
            }
        }
        None
    }
}

fn known(shape: &Shape) -> PartialShape {
    let dims: SmallVec<[Option<usize>; 4]> = shape.iter().map(|&d| Some(d)).collect();
    PartialShape::from_dims(&dims)
}

/// Forgets the shape of an output; that of a variable, or of what its handle names, becomes `variable`.
fn set_type(output: &mut OutputType, variable: Option<&Shape>) {
    output.shape = PartialShape::unknown();
    let Some(shape) = variable else { return };
    if output.dtype == DType::Resource {
        output.shape = PartialShape::scalar();
        let dtype = output.handle.as_ref().map(|h| h.dtype);
        output.handle = dtype.map(|dtype| Arc::new(HandleType::new(dtype, known(shape))));
    } else {
        output.shape = known(shape);
    }
}

/// Returns true unless the node may give a variable a value of another shape.
fn keeps_variables(graph: &Graph, id: NodeId) -> bool {
    let Ok(node) = graph.node(id) else { return false };
    if !node.op.may_reshape_variable || node.attrs.bool("validate_shape").unwrap_or(false) {
        return true;
    }
    let of = |i: usize| node.inputs.get(i).and_then(|&o| graph.output(o).ok());
    let (Some(variable), Some(value)) = (of(0), of(1)) else { return false };
    let held = if variable.dtype == DType::Resource {
        variable.handle.as_ref().map(|h| &h.shape)
    } else {
        Some(&variable.shape)
    };
    value.shape.is_fully_known() && held == Some(&value.shape)
}

/// The inference of a step's shapes.
struct Inference {
    visited: FxHashSet<NodeId>,
    inside: FxHashSet<NodeId>,
    elements: Elements,
}

impl Inference {
    /// Infers the outputs of a node; returns true unless a Merge learned of one more shape. None if the nodes are out of order.
    ///
    /// A Merge begins with the shapes of the inputs before it, and forgets what those that come later do not share.
    fn visit(&mut self, graph: &mut Graph, id: NodeId) -> Option<bool> {
        let node = graph.node(id).ok()?.clone();
        let is_new = self.visited.insert(id);
        if node.op.is_variable {
            return Some(true);
        }
        let is_known =
            |o: &OutputId| graph.is_fed(*o) || !self.inside.contains(&o.node) || self.visited.contains(&o.node);
        let inputs: SmallVec<[OutputId; 4]> = node.inputs.iter().copied().filter(is_known).collect();
        if node.op.flow != Some(Flow::Merge) {
            // An input that comes later, in a graph whose edges were changed, would be read before it is known.
            if inputs.len() < node.inputs.len() {
                return None;
            }
            let outputs = self.outputs(graph, &node)?;
            self.set(graph, &node, outputs);
            return Some(true);
        }
        self.elements.merge(&inputs, OutputId { node: id, index: 0 }, is_new);
        let before = (!is_new).then(|| node.outputs.first().cloned()).flatten();
        let mut joined = before.clone();
        for &o in &inputs {
            let input = graph.output(o).ok()?;
            joined = Some(match joined {
                None => OutputType { is_ref: node.outputs.first()?.is_ref, ..input.clone() },
                Some(all) => OutputType {
                    shape: all.shape.most_specific_common(&input.shape),
                    handle: all.handle.filter(|h| Some(h) == input.handle.as_ref()),
                    ..all
                },
            });
        }
        let is_stable = joined == before || (is_new && inputs.len() == node.inputs.len());
        let mut outputs = node.outputs.clone();
        if let (Some(first), Some(joined)) = (outputs.first_mut(), joined) {
            *first = joined;
        }
        if let Some(index) = outputs.get_mut(1) {
            index.shape = PartialShape::scalar();
        }
        self.set(graph, &node, outputs);
        Some(is_stable)
    }

    /// Returns the types of the outputs of a node that is no Merge.
    fn outputs(&mut self, graph: &Graph, node: &Node) -> Option<SmallVec<[OutputType; 1]>> {
        let mut outputs = infer(graph, node);
        if node.op.elements.is_some() {
            if let Some((i, shape)) = self.elements.visit(graph, node) {
                outputs.get_mut(i)?.shape = shape;
            }
        } else if node.op.flow.is_some() || node.op.role == Role::Identity {
            let from = *node.inputs.first()?;
            for index in 0..outputs.len() as u32 {
                self.elements.forward(from, OutputId { node: node.id, index });
            }
        } else {
            self.elements.share(&node.inputs);
        }
        Some(outputs)
    }

    fn set(&self, graph: &mut Graph, node: &Node, mut outputs: SmallVec<[OutputType; 1]>) {
        for (i, output) in outputs.iter_mut().enumerate() {
            let id = OutputId { node: node.id, index: i as u32 };
            if let (true, Ok(fed)) = (graph.is_fed(id), graph.output(id)) {
                *output = fed.clone();
            }
        }
        if outputs != node.outputs
            && let Ok(node) = graph.node_mut(node.id)
        {
            node.outputs = outputs;
        }
    }
}

/// Returns true if the rule may state what a program states.
///
/// Such are rules for code of the program, for pipelines that call it, for functions, and for elements of lists.
fn is_stated(graph: &Graph, node: &Node) -> bool {
    let op = &node.op;
    let reads_variant = || node.inputs.iter().any(|&o| graph.output(o).is_ok_and(|t| t.dtype == DType::Variant));
    op.is_foreign
        || op.blocking.is_some_and(Blocking::may_hang)
        || op.attrs.iter().any(|a| a.kind == AttrKind::Func)
        || reads_variant()
}

/// Returns the types of the outputs that follow from the inputs.
fn infer(graph: &Graph, node: &Node) -> SmallVec<[OutputType; 1]> {
    let mut outputs = node.outputs.clone();
    let first = node.inputs.first().and_then(|&o| graph.output(o).ok());
    // A placeholder with a default that is not fed gives the default, whatever shape it states.
    if node.op.flow.is_some() || node.op.role == Role::Placeholder {
        for output in &mut outputs {
            output.shape = first.map_or_else(PartialShape::unknown, |i| i.shape.clone());
            output.handle = first.and_then(|i| i.handle.clone());
        }
        return outputs;
    }
    let mut context = ShapeContext::new(graph, &node.op, &node.attrs, &node.inputs, node.outputs.len());
    let shapes = match node.op.shape.filter(|_| !is_stated(graph, node)).map(|rule| rule(&mut context)) {
        Some(Ok(())) => context.into_outputs(),
        _ => SmallVec::from_elem(PartialShape::unknown(), outputs.len()),
    };
    for (output, shape) in outputs.iter_mut().zip(shapes) {
        // TF 1.x: handles of arrays and stacks count as pairs of names, and are scalars.
        let may_be_handle = output.dtype == DType::Resource || (output.dtype == DType::String && node.op.is_stateful);
        output.shape = if may_be_handle { PartialShape::unknown() } else { shape };
        if output.dtype == DType::Resource && node.op.is_alias {
            output.handle = first.and_then(|i| i.handle.clone());
        }
    }
    outputs
}

#[cfg(test)]
mod tests;
