//! One node with its kernel, outside a session, which a target runs again and again.

use crate::registry::REGISTRY;
use ferroflow_graph::{
    AttrValue, Cancellation, Graph, Kernel, KernelContext, KernelInit, Node as GraphNode, NodeSpec, OutputId,
    Resources, Step, Variables, no_functions,
};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Code, DType, PartialShape, Tensor};
use std::sync::Arc;

pub struct Node {
    node: Arc<GraphNode>,
    kernel: Box<dyn Kernel>,
    resources: Resources,
}

impl Node {
    /// Returns a node of `op` whose inputs, of these types, have any shape.
    pub fn new(op: &str, inputs: &[DType], attrs: &[(&str, AttrValue)]) -> Node {
        let mut graph = Graph::new(REGISTRY.clone());
        let mut sources = Vec::new();
        for (i, &dtype) in inputs.iter().enumerate() {
            let attrs = vec![("dtype".to_owned(), AttrValue::Type(dtype))];
            let name = format!("input_{i}");
            let (inputs, control_inputs) = (vec![], vec![]);
            let spec = NodeSpec { op: "Placeholder", name: &name, inputs, control_inputs, attrs, device: "" };
            sources.push(OutputId { node: graph.add_node(spec).unwrap(), index: 0 });
        }
        let attrs: Vec<_> = attrs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let inputs_by_name = graph.group_inputs(op, &attrs, &sources).unwrap();
        let spec = NodeSpec { op, name: "node", inputs: inputs_by_name, control_inputs: vec![], attrs, device: "" };
        let id = graph.add_node(spec).unwrap();
        let node = graph.node(id).unwrap().clone();
        let resources = Resources::new();
        let init = KernelInit { node: &node, input_types: inputs, resources: &resources };
        let kernel = node.op.kernel.unwrap()(&init).unwrap();
        Node { node, kernel, resources }
    }

    /// Returns the outputs, after a check against the inferred types; `None` if the inputs are refused.
    pub fn run(&self, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
        let mut inputs = inputs.to_vec();
        let mut outputs = vec![None; self.node.outputs.len()];
        let cancellation = Cancellation::new();
        let step = Step {
            threads: Threads::single(),
            cancellation: &cancellation,
            resources: &self.resources,
            locals: &self.resources,
            functions: no_functions(),
            rendezvous: None,
        };
        let mut context = KernelContext::new(&step, &self.node, &mut inputs, &mut outputs, Variables::default());
        if let Err(status) = self.kernel.compute(&mut context) {
            assert!(matches!(status.code(), Code::InvalidArgument | Code::DataLoss), "{status:?}");
            assert!(!status.message().is_empty());
            return None;
        }
        let outputs: Vec<Tensor> = outputs.into_iter().map(Option::unwrap).collect();
        for (value, declared) in outputs.iter().zip(&self.node.outputs) {
            assert_eq!(value.dtype(), declared.dtype);
            assert!(declared.shape.is_compatible_with(&PartialShape::from(value.shape())), "{value:?} {declared:?}");
        }
        Some(outputs)
    }
}

/// Returns a string.
pub fn text(bytes: &[u8]) -> Tensor {
    Tensor::from_strings([], vec![bytes.into()]).unwrap()
}
