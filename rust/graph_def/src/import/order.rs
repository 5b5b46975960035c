//! The inputs of a message's nodes, and an order in which each node comes after its inputs.

use crate::import::sources::Sources;
use ferroflow_graph::{BuildError, NodeId, OutputId};
use ferroflow_proto::tensorflow::NodeDef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub const MERGE: [&str; 2] = ["Merge", "RefMerge"];
const NEXT: [&str; 2] = ["NextIteration", "RefNextIteration"];

/// The source of a node's input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// An output of a node of the message, by position.
    Node { position: usize, index: u32 },
    /// The same, but the value of the iteration before, which closes the cycle of a loop variable.
    Back { position: usize, index: u32 },
    /// An output that was in the graph before.
    Mapped(OutputId),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    Node { position: usize },
    Mapped(NodeId),
}

#[derive(Debug, Default)]
pub struct Inputs {
    pub data: SmallVec<[Input; 3]>,
    pub control: SmallVec<[Control; 1]>,
}

impl Inputs {
    /// Positions of the nodes of the message that must be made before.
    fn before(&self) -> impl Iterator<Item = usize> {
        let data = self.data.iter().filter_map(|input| match *input {
            Input::Node { position, .. } => Some(position),
            _ => None,
        });
        let control = self.control.iter().filter_map(|c| match *c {
            Control::Node { position } => Some(position),
            Control::Mapped(_) => None,
        });
        data.chain(control)
    }
}

/// Returns the positions of nodes by name.
///
/// Errors: `Value` for names that no node may have or that two have, and for nodes without an op.
pub fn positions(nodes: &[NodeDef]) -> Result<FxHashMap<&str, usize>, BuildError> {
    let mut positions = FxHashMap::with_capacity_and_hasher(nodes.len(), Default::default());
    for (i, node) in nodes.iter().enumerate() {
        let name = node.name.as_str();
        if !is_name(name) {
            return Err(BuildError::Value(format!("Node '{name}': Node name contains invalid characters")));
        }
        if positions.insert(name, i).is_some() {
            return Err(BuildError::Value(format!("Node '{name}' is not unique")));
        }
        if node.op.is_empty() {
            return Err(BuildError::Value(format!("Node '{name}' does not specify an operation")));
        }
    }
    Ok(positions)
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'.');
    first && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/'))
}

/// Returns (node, output) of a tensor's name. A name without a number is that of output 0. A number too large is one
/// that no node has.
fn parsed(text: &str) -> (&str, u32) {
    match text.rsplit_once(':') {
        Some((node, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            (node, number.parse().unwrap_or(u32::MAX))
        }
        _ => (text, 0),
    }
}

/// Returns the inputs of each node.
///
/// Errors: `Value` for inputs that neither the message nor `sources` has, and for control inputs before others.
pub fn inputs(
    nodes: &[NodeDef],
    positions: &FxHashMap<&str, usize>,
    sources: &mut Sources,
) -> Result<Vec<Inputs>, BuildError> {
    nodes.iter().map(|node| inputs_of(node, nodes, positions, sources)).collect()
}

fn inputs_of(
    node: &NodeDef,
    nodes: &[NodeDef],
    positions: &FxHashMap<&str, usize>,
    sources: &mut Sources,
) -> Result<Inputs, BuildError> {
    let unknown = |text: &str| BuildError::Value(format!("Node '{}': Unknown input node '{text}'", node.name));
    let is_merge = MERGE.contains(&&*node.op);
    let mut inputs = Inputs::default();
    for text in &node.input {
        if let Some(name) = text.strip_prefix('^') {
            inputs.control.push(match (sources.control(name), positions.get(name)) {
                (Some(to), _) => Control::Mapped(to),
                (None, Some(&position)) => Control::Node { position },
                (None, None) => return Err(unknown(text)),
            });
            continue;
        }
        if !inputs.control.is_empty() {
            return Err(BuildError::Value(format!(
                "Node '{}': Control dependencies must come after regular dependencies",
                node.name
            )));
        }
        let (name, index) = parsed(text);
        inputs.data.push(match (sources.output(name, index), positions.get(name)) {
            (Some(to), _) => Input::Mapped(to),
            (None, Some(&position)) if is_merge && nodes.get(position).is_some_and(|n| NEXT.contains(&&*n.op)) => {
                Input::Back { position, index }
            }
            (None, Some(&position)) => Input::Node { position, index },
            (None, None) => return Err(unknown(text)),
        });
    }
    Ok(inputs)
}

/// Returns the positions of all nodes, each after those it reads; as in the message where that is so already.
///
/// Errors: `Value` where nodes wait for each other.
pub fn order(nodes: &[NodeDef], inputs: &[Inputs]) -> Result<Vec<usize>, BuildError> {
    if inputs.iter().enumerate().all(|(i, of_node)| of_node.before().all(|j| j < i)) {
        return Ok((0..inputs.len()).collect());
    }
    let mut waits = vec![0usize; inputs.len()];
    let mut readers: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); inputs.len()];
    for (i, of_node) in inputs.iter().enumerate() {
        for j in of_node.before() {
            waits[i] += 1;
            readers[j].push(i);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        waits.iter().enumerate().filter(|(_, count)| **count == 0).map(|(i, _)| Reverse(i)).collect();
    let mut order = Vec::with_capacity(inputs.len());
    while let Some(Reverse(i)) = ready.pop() {
        order.push(i);
        for &reader in &readers[i] {
            waits[reader] -= 1;
            if waits[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    match waits.iter().position(|&count| count > 0) {
        None => Ok(order),
        Some(stuck) => Err(BuildError::Value(format!(
            "{} nodes in a cycle, '{}' among them",
            inputs.len() - order.len(),
            nodes[stuck].name
        ))),
    }
}
