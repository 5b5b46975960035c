//! The base classes of Python's `Operation` and `Tensor`: which node of which graph they stand for.

use crate::graph::Graph;
use ferroflow_graph::{NodeId, OutputId};
use pyo3::prelude::*;
use std::sync::Arc;

/// A node of a graph.
#[pyclass(subclass, frozen, module = "ferroflow._core")]
pub struct OperationHandle {
    pub graph: Arc<crate::graph::Shared>,
    #[pyo3(get, name = "_id")]
    pub node: NodeId,
}

#[pymethods]
impl OperationHandle {
    #[new]
    fn new(graph: &Graph, node: NodeId) -> Self {
        OperationHandle { graph: graph.shared.clone(), node }
    }
}

/// An output of a node.
#[pyclass(subclass, frozen, module = "ferroflow._core")]
pub struct TensorHandle {
    pub graph: Arc<crate::graph::Shared>,
    #[pyo3(get, name = "_node_id")]
    pub node: NodeId,
    #[pyo3(get, name = "_index")]
    pub index: u32,
}

#[pymethods]
impl TensorHandle {
    #[new]
    fn new(graph: &Graph, node: NodeId, index: u32) -> Self {
        TensorHandle { graph: graph.shared.clone(), node, index }
    }
}

impl TensorHandle {
    pub fn output(&self) -> OutputId {
        OutputId { node: self.node, index: self.index }
    }
}
