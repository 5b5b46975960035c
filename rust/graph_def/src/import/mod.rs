//! Import: the nodes of a GraphDef message, added to a graph.

mod adding;
mod attrs;
mod misfit;
mod names;
mod order;
mod shapes;
mod sources;

use adding::{Added, Adding, ENTER};
use ferroflow_graph::{BuildError, Graph, NodeId, OutputId, Registry};
use ferroflow_proto::tensorflow::{GraphDef, OpList};
use ferroflow_sync::RwLock;
use ferroflow_tensor::Status;
use order::MERGE;
use rustc_hash::FxHashMap;
pub use sources::Sources;
use std::collections::BTreeMap;

/// The import to make.
pub struct Request<'a> {
    pub message: &'a GraphDef,
    /// The prefix of all nodes' names.
    pub scope: &'a str,
    /// Replacements of inputs that the message names.
    pub sources: Sources,
    /// The ops of the program that wrote the message: attributes unknown here that have their default there are left out.
    pub producer: Option<&'a OpList>,
}

/// A node about to be added.
pub struct Draft<'a> {
    pub op: &'a str,
    pub name: &'a str,
    /// The device that its message requests; `None`: that of the nodes it is colocated with.
    pub device: Option<&'a str>,
    pub inputs: Vec<OutputId>,
    pub control_inputs: Vec<NodeId>,
}

/// The surroundings of an import: the scopes that its nodes are made in.
pub trait Around {
    type Error: From<BuildError>;

    /// Returns the device of nodes that request `device`, or, with `None`, are colocated with others. Called once for
    /// each.
    fn device(&mut self, requested: Option<&str>) -> Result<String, Self::Error>;

    /// Changes what a node reads and waits for. It may add nodes.
    fn admit(&mut self, draft: &mut Draft<'_>) -> Result<(), Self::Error>;

    /// Returns true if a failed import may remove its nodes, because nothing around it has recorded them.
    fn may_undo(&self) -> bool;

    /// Records a node just added, and the device that its message requests.
    fn added(&mut self, node: NodeId, outputs: usize, device: Option<&str>) -> Result<(), Self::Error>;
}

/// No scope at all.
pub struct Nowhere;

impl Around for Nowhere {
    type Error = BuildError;

    fn device(&mut self, requested: Option<&str>) -> Result<String, BuildError> {
        Ok(requested.unwrap_or_default().to_owned())
    }

    fn admit(&mut self, _draft: &mut Draft<'_>) -> Result<(), BuildError> {
        Ok(())
    }

    fn may_undo(&self) -> bool {
        true
    }

    fn added(&mut self, _node: NodeId, _outputs: usize, _device: Option<&str>) -> Result<(), BuildError> {
        Ok(())
    }
}

/// The result of an import.
pub struct Imported<'a> {
    positions: FxHashMap<&'a str, usize>,
    added: Vec<Added>,
    /// The names of its loops.
    pub frames: Vec<String>,
    /// The sources of the gradients whose TensorArrays are among its nodes.
    pub gradient_sources: Vec<String>,
    /// True if conditionals or loops are among its nodes.
    pub has_flow: bool,
}

impl Imported<'_> {
    /// Returns the node that the message calls so.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.added.get(*self.positions.get(name)?).map(|added| added.id)
    }

    /// Returns its nodes, in the order of the message.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.added.iter().map(|added| added.id)
    }
}

/// Refuses a message with ops that are not registered, in nodes or in functions.
///
/// Errors: `Status` with code `NotFound` that lists them all, each with the place where it is first used.
pub fn check_ops(registry: &Registry, message: &GraphDef) -> Result<(), BuildError> {
    let mut unknown: BTreeMap<&str, String> = BTreeMap::new();
    for node in &message.node {
        if registry.get(&node.op).is_none() {
            unknown.entry(&node.op).or_insert_with(|| format!("node '{}'", node.name));
        }
    }
    for function in message.library.iter().flat_map(|library| &library.function) {
        let name = function.signature.as_ref().map_or("", |s| &s.name);
        for node in &function.node_def {
            if registry.get(&node.op).is_none() {
                unknown.entry(&node.op).or_insert_with(|| format!("node '{}' of function '{name}'", node.name));
            }
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = unknown.iter().map(|(op, place)| format!("'{op}' ({place})")).collect();
    Err(BuildError::Status(Status::not_found(format!(
        "Op type not registered {} in this build of ferroflow.",
        listed.join(", ")
    ))))
}

/// Adds the nodes of a message to a graph, each after those it reads.
///
/// Errors: `Value` where the message is malformed, does not fit the ops' schemas, or `sources` name what it does not
/// have. `Status` for ops that are not registered and tensors too large; and what is `around`. After an error the graph
/// is as before, unless `around` has recorded nodes or another thread added some.
pub fn import<'a, A: Around>(
    graph: &RwLock<Graph>,
    request: Request<'a>,
    around: &mut A,
) -> Result<Imported<'a>, A::Error> {
    let before = graph.read().len();
    let mut begun = 0;
    let imported = import_nodes(graph, request, around, &mut begun);
    if imported.is_err() && begun > 0 && around.may_undo() {
        let mut graph = graph.write();
        if graph.len() == before + begun {
            graph.truncate(before);
        }
    }
    imported
}

/// Adds the nodes of a message to a graph, and counts them in `begun`.
fn import_nodes<'a, A: Around>(
    graph: &RwLock<Graph>,
    request: Request<'a>,
    around: &mut A,
    begun: &mut usize,
) -> Result<Imported<'a>, A::Error> {
    let Request { message, scope, mut sources, producer } = request;
    let registry = graph.read().registry().clone();
    let nodes = message.node.as_slice();
    let positions = order::positions(nodes)?;
    check_ops(&registry, message)?;
    let names = names::names(&graph.read(), nodes, scope);
    let inputs = order::inputs(nodes, &positions, &mut sources)?;
    let order = order::order(nodes, &inputs)?;
    let mut adding = Adding::new(graph, &registry, message, scope, &names, &positions, producer);
    for i in order {
        adding.add(i, &inputs[i], around, begun)?;
    }
    adding.close_loops(&inputs)?;
    adding.place_colocated()?;
    let (added, frames, gradient_sources) = adding.finish();
    let has_flow = nodes.iter().any(|node| ENTER.contains(&&*node.op) || MERGE.contains(&&*node.op));
    let imported = Imported { positions, added, frames, gradient_sources, has_flow };
    let outputs = |name: &str| imported.added.get(*imported.positions.get(name)?).map(|added| added.outputs);
    let absent = sources.absent(outputs);
    if !absent.is_empty() {
        return Err(BuildError::Value(format!(
            "Attempted to map inputs that were not found in graph_def: [{}]",
            absent.join(", ")
        ))
        .into());
    }
    Ok(imported)
}
