//! `Node`: one operation of a graph.

use crate::attr::AttrMap;
use crate::op_def::OpDef;
use ferroflow_tensor::{DType, PartialShape};
use smallvec::SmallVec;
use std::sync::Arc;

/// Position of a node in its graph.
pub type NodeId = u32;

/// One output of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputId {
    pub node: NodeId,
    pub index: u32,
}

/// The known type of what a handle stands for: a variable, each element of a TensorArray, or each value of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleType {
    pub dtype: DType,
    pub shape: PartialShape,
    /// Of a table: the type and the shape of each key.
    pub keys: Option<(DType, PartialShape)>,
}

impl HandleType {
    pub fn new(dtype: DType, shape: PartialShape) -> HandleType {
        HandleType { dtype, shape, keys: None }
    }
}

/// The known type of an output while building.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputType {
    pub dtype: DType,
    /// A reference to a variable (TF1's `float32_ref`).
    pub is_ref: bool,
    pub shape: PartialShape,
    /// Of a handle.
    pub handle: Option<Arc<HandleType>>,
}

#[derive(Clone)]
pub struct Node {
    pub id: NodeId,
    pub name: Arc<str>,
    pub op: Arc<OpDef>,
    pub attrs: AttrMap,
    pub inputs: SmallVec<[OutputId; 3]>,
    pub control_inputs: SmallVec<[NodeId; 2]>,
    pub device: Arc<str>,
    pub outputs: SmallVec<[OutputType; 1]>,
}

impl Node {
    /// Ids of the nodes whose outputs or completion this one waits for.
    pub fn predecessors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.inputs.iter().map(|o| o.node).chain(self.control_inputs.iter().copied())
    }

    /// Returns the nodes that this one must be placed with (its `_class` attribute).
    pub fn colocation(&self) -> Vec<String> {
        let list = self.attrs.strs("_class").unwrap_or_default();
        list.iter().filter_map(|s| s.strip_prefix("loc:@").map(str::to_owned)).collect()
    }
}
