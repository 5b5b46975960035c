//! The shapes of a node's outputs in its message, added to the inferred ones.

use crate::attributes::shape_from_message;
use ferroflow_graph::{BuildError, Graph, NodeId, OutputId};
use ferroflow_proto::tensorflow::{NodeDef, TensorShapeProto};
use ferroflow_tensor::{DType, PartialShape};

/// TF 1.x: files made before these ops had shape functions hold wrong `_output_shapes`, which are ignored.
const WRONG: [&str; 29] = [
    "RandomShuffleQueue",
    "PaddingFIFOQueue",
    "FIFOQueue",
    "PriorityQueue",
    "QueueSize",
    "Stack",
    "Barrier",
    "BarrierReadySize",
    "BarrierIncompleteSize",
    "HashTable",
    "MutableHashTable",
    "MutableHashTableOfTensors",
    "Mutex",
    "CuckooTable",
    "IndexTable",
    "Table",
    "WholeFileReader",
    "TextLineReader",
    "FixedLengthRecordReader",
    "TFRecordReader",
    "IdentityReader",
    "LMDBReader",
    "RefSwitch",
    "RefEnter",
    "RefNextIteration",
    "RefMerge",
    "RefIdentity",
    "ConditionalAccumulator",
    "SparseConditionalAccumulator",
];

/// Adds `shapes` to the inferred shapes of a node's outputs.
///
/// Errors: `Value` where they are too few or too many, or contradict what is known.
pub fn narrow(graph: &mut Graph, id: NodeId, node: &NodeDef, shapes: &[TensorShapeProto]) -> Result<(), BuildError> {
    let may_be_wrong = WRONG.contains(&&*node.op);
    let outputs = graph.node(id)?.outputs.len();
    if shapes.len() != outputs {
        if may_be_wrong {
            return Ok(());
        }
        return Err(BuildError::Value(format!(
            "Node '{}' has {outputs} outputs but the _output_shapes attribute specifies shapes for {} outputs",
            node.name,
            shapes.len()
        )));
    }
    for (index, shape) in (0..).zip(shapes) {
        let output = OutputId { node: id, index };
        let known = graph.output(output)?;
        // TF 1.x: handles of stacks were vectors of two strings once, and messages still state that shape.
        let is_exempt = may_be_wrong || known.dtype == DType::Resource;
        let failure = match shape_from_message(shape) {
            Err(failure) => failure.message().to_owned(),
            Ok(shape) => match known.shape.merge(&shape) {
                Ok(merged) if merged == known.shape => continue,
                Ok(_) => {
                    graph.merge_shape(output, &shape)?;
                    continue;
                }
                Err(_) => format!("Shapes {} and {} are not compatible", tuple(&known.shape), tuple(&shape)),
            },
        };
        if !is_exempt {
            return Err(BuildError::Value(format!(
                "Node '{}' has an _output_shapes attribute inconsistent with the GraphDef for output #{index}: {failure}",
                node.name
            )));
        }
    }
    Ok(())
}

/// Returns a shape as Python writes it.
fn tuple(shape: &PartialShape) -> String {
    let Some(dims) = shape.dims() else { return "<unknown>".to_owned() };
    let words: Vec<String> = dims.iter().map(|d| d.map_or_else(|| "?".to_owned(), |d| d.to_string())).collect();
    if let [one] = words.as_slice() { format!("({one},)") } else { format!("({})", words.join(", ")) }
}
