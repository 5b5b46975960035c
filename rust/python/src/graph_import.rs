//! GraphDefs added to a graph in one call; Python is called for scopes alone.

use crate::error::{build, guarded};
use crate::graph::Graph;
use ferroflow_graph::{BuildError, NodeId};
use ferroflow_graph_def::{Around, Draft, Request, Sources, import};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{GraphDef, OpList};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns a message of this process's own Python.
fn message<M: Message + Default>(bytes: &[u8]) -> PyResult<M> {
    M::decode(bytes).map_err(|e| PyValueError::new_err(format!("Error parsing message: {e}")))
}

/// An exception on its way through the engine.
struct Raised(PyErr);

impl From<BuildError> for Raised {
    fn from(e: BuildError) -> Raised {
        Raised(build(e))
    }
}

impl From<PyErr> for Raised {
    fn from(e: PyErr) -> Raised {
        Raised(e)
    }
}

/// Python's scopes around an import.
struct Scopes<'a, 'py> {
    graph: &'a Graph,
    device: &'a Bound<'py, PyAny>,
    /// An object with methods `admit` and `added`, called for every node; None if no scope needs them.
    watcher: Option<&'a Bound<'py, PyAny>>,
}

impl Around for Scopes<'_, '_> {
    type Error = Raised;

    fn device(&mut self, requested: Option<&str>) -> Result<String, Raised> {
        Ok(self.device.call1((requested,))?.extract()?)
    }

    fn admit(&mut self, draft: &mut Draft<'_>) -> Result<(), Raised> {
        let Some(watcher) = self.watcher else { return Ok(()) };
        let inputs: Vec<(NodeId, u32)> = draft.inputs.iter().map(|o| (o.node, o.index)).collect();
        let arguments = (draft.op, draft.name, draft.device, inputs, draft.control_inputs.clone());
        let (inputs, control_inputs): (Vec<Bound<'_, PyAny>>, Vec<Bound<'_, PyAny>>) =
            watcher.call_method1("admit", arguments)?.extract()?;
        draft.inputs = inputs.iter().map(|t| self.graph.output_of(t)).collect::<PyResult<_>>()?;
        draft.control_inputs = control_inputs.iter().map(|c| self.graph.node_of(c)).collect::<PyResult<_>>()?;
        Ok(())
    }

    fn may_undo(&self) -> bool {
        self.watcher.is_none()
    }

    fn added(&mut self, node: NodeId, outputs: usize, device: Option<&str>) -> Result<(), Raised> {
        if let Some(watcher) = self.watcher {
            watcher.call_method1("added", (node, outputs, device))?;
        }
        Ok(())
    }
}

/// Nodes of the requested names, names of loops, sources of the gradients of TensorArrays, and all nodes if
/// conditionals or loops are among them.
type Outcome = (Vec<Option<NodeId>>, Vec<String>, Vec<String>, Vec<NodeId>);

/// Adds the nodes of a serialized GraphDef. `sources`: by tensor name (`a:0`) or control input (`^a`) what nodes read
/// instead. `producer`: a serialized OpList.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python's arguments")]
pub fn import_graph_def(
    graph: &Graph,
    graph_def: &[u8],
    scope: &str,
    sources: &Bound<'_, PyDict>,
    producer: Option<&[u8]>,
    names: Vec<String>,
    device: &Bound<'_, PyAny>,
    watcher: Option<&Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    let graph_def: GraphDef = message(graph_def)?;
    let producer: Option<OpList> = producer.map(message).transpose()?;
    let sources = sources_of(graph, sources)?;
    let request = Request { message: &graph_def, scope, sources, producer: producer.as_ref() };
    let mut scopes = Scopes { graph, device, watcher };
    guarded(|| {
        let imported = import(&graph.shared.graph, request, &mut scopes).map_err(|Raised(e)| e)?;
        let found = names.iter().map(|name| imported.find(name)).collect();
        let nodes = if imported.has_flow { imported.nodes().collect() } else { Vec::new() };
        Ok((found, imported.frames, imported.gradient_sources, nodes))
    })
}

fn sources_of(graph: &Graph, given: &Bound<'_, PyDict>) -> PyResult<Sources> {
    let mut sources = Sources::default();
    for (key, value) in given {
        let key: String = key.extract()?;
        match (key.strip_prefix('^'), key.rsplit_once(':')) {
            (Some(node), _) => sources.map_control(node, graph.node_of(&value)?),
            (None, Some((node, number))) => {
                let number = number.parse().unwrap_or(u32::MAX);
                sources.map_output(node, number, graph.output_of(&value)?);
            }
            (None, None) => return Err(PyValueError::new_err(format!("'{key}' is not the name of a tensor"))),
        }
    }
    Ok(sources)
}

/// Refuses a serialized GraphDef with ops that are not registered, in nodes or in functions.
#[pyfunction]
pub fn check_ops(graph_def: &[u8]) -> PyResult<()> {
    ferroflow_graph_def::check_ops(&*crate::graph::registry()?, &message(graph_def)?).map_err(build)
}
