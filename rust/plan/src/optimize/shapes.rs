//! The shape of an elementwise result is found from the shapes of its operands, so that the result need not be in memory.

use super::replace::Replacement;
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{Elementwise, KernelContext, KernelInit, NodeId};
use ferroflow_tensor::{Result, Shape, Status, broadcast};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Results beyond so many nodes are read as they are.
const MAX_NODES: usize = 64;

/// Makes the ops that read only a shape read the operands of the elementwise ops before them.
pub(super) fn fuse(d: &mut Draft, cx: &Context<'_>) {
    for i in 0..d.nodes.len() as u32 {
        if let Some(replacement) = replacement(d, cx, i) {
            replacement.apply(d);
        }
    }
}

fn replacement(d: &Draft, cx: &Context<'_>, i: u32) -> Option<Replacement> {
    let place = &d.nodes[i as usize];
    let function = place.node.op.kernel_of_shape.filter(|_| matches!(place.action, Action::Run(_)))?;
    let [source @ Source::Output { node, index: 0 }] = place.inputs[..] else { return None };
    elementwise(d, place, node)?;
    let types = [cx.graph.output(*place.node.inputs.first()?).ok()?.dtype];
    let function = function(&KernelInit { node: &place.node, input_types: &types, resources: cx.resources }).ok()?;
    let (shapes, inputs) = Shapes::find(d, place, source)?;
    let kernel = move |ctx: &mut KernelContext<'_>| {
        let shape = shapes.run(ctx)?;
        ctx.set_output(0, function(&shape)?);
        Ok(())
    };
    Some(Replacement { nodes: smallvec![i], node: None, kernel: Arc::new(kernel), inputs, rewrite: Rewrite::Shape })
}

/// Returns the inputs of a node whose result has the shape of these, stretched to each other.
fn elementwise<'a>(d: &'a Draft, place: &StepNode, i: u32) -> Option<&'a [Source]> {
    let n = &d.nodes[i as usize];
    let function = matches!(n.node.op.elementwise, Some(Elementwise::Unary(_) | Elementwise::Binary(_)));
    let runs = matches!(n.action, Action::Run(_)) && !n.is_ref.contains(&true);
    (function && runs && n.guard == place.guard && n.task == place.task).then_some(&n.inputs)
}

/// Finds a shape by stretching others to each other.
struct Shapes {
    /// The values that a node stretches to each other. The inputs come first, then the result of each step; the last is
    /// the result.
    steps: Vec<(SmallVec<[u32; 2]>, NodeId)>,
}

impl Shapes {
    /// Returns how the shape of a source is found, and the inputs that this takes; None if nodes are not in order.
    fn find(d: &Draft, place: &StepNode, source: Source) -> Option<(Shapes, SmallVec<[Source; 3]>)> {
        let mut inside: Vec<u32> = Vec::new();
        let mut inputs: SmallVec<[Source; 3]> = SmallVec::new();
        let mut stack = vec![source];
        while let Some(source) = stack.pop() {
            match source {
                Source::Output { node, index: 0 } if inside.contains(&node) => {}
                Source::Output { node, index: 0 } if inside.len() < MAX_NODES => match elementwise(d, place, node) {
                    Some(operands) => {
                        inside.push(node);
                        stack.extend(operands.iter().copied());
                    }
                    None if inputs.contains(&source) => {}
                    None => inputs.push(source),
                },
                _ if inputs.contains(&source) => {}
                _ => inputs.push(source),
            }
        }
        // Operands come before their readers.
        inside.sort_unstable();
        let mut values: FxHashMap<Source, u32> = inputs.iter().enumerate().map(|(k, s)| (*s, k as u32)).collect();
        let mut steps = Vec::with_capacity(inside.len());
        for node in inside {
            let n = &d.nodes[node as usize];
            let operands = n.inputs.iter().map(|s| values.get(s).copied());
            steps.push((operands.collect::<Option<_>>()?, n.node.id));
            values.insert(Source::Output { node, index: 0 }, (inputs.len() + steps.len() - 1) as u32);
        }
        Some((Shapes { steps }, inputs))
    }

    /// Errors: `InvalidArgument` at the node whose operands do not fit.
    fn run(&self, ctx: &KernelContext<'_>) -> Result<Shape> {
        let mut shapes: SmallVec<[Shape; 8]> = ctx.inputs().iter().map(|t| t.shape().clone()).collect();
        for (operands, id) in &self.steps {
            let shape = operands.iter().try_fold(Shape::default(), |all, &v| broadcast(&all, &shapes[v as usize]));
            shapes.push(shape.map_err(|e| e.at_node(*id))?);
        }
        shapes.pop().ok_or_else(|| Status::internal("a shape of nothing was asked for"))
    }
}
