//! The graph's Python class: nodes are added, read and changed by id.

use crate::attr;
use crate::convert::{shape_from_python, shape_to_python, tensor_of};
use crate::error::{build, guarded, status};
use crate::exit::detached;
use crate::handle::{OperationHandle, TensorHandle};
use ferroflow_graph::gating;
use ferroflow_graph::{AttrValue, Function, InputArg, NodeId, NodeSpec, OutputId, Registry};
use ferroflow_graph_def::{Left, node_defs};
use ferroflow_sync::OnceLock;
use ferroflow_sync::RwLock;
use ferroflow_tensor::DType;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The one graph behind Python's `Graph`, its handles and its sessions.
pub struct Shared {
    pub graph: Arc<RwLock<ferroflow_graph::Graph>>,
    /// Outputs that a step must not be fed.
    pub unfeedable: RwLock<FxHashSet<OutputId>>,
    /// Nodes that a step must not fetch.
    pub unfetchable: RwLock<FxHashSet<NodeId>>,
}

/// Returns the op registry, built on first use.
pub fn registry() -> PyResult<Arc<Registry>> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    if let Some(r) = REGISTRY.get() {
        return Ok(r.clone());
    }
    let mut all = Registry::new();
    ferroflow_ops::register(&mut all);
    ferroflow_input::register(&mut all);
    ferroflow_cluster::register(&mut all);
    ferroflow_collective::register(&mut all);
    let built = all.finish().map_err(status)?;
    Ok(REGISTRY.get_or_init(|| built).clone())
}

#[pyclass(frozen, module = "ferroflow._core")]
pub struct Graph {
    pub shared: Arc<Shared>,
}

impl Graph {
    pub fn output_of(&self, item: &Bound<'_, PyAny>) -> PyResult<OutputId> {
        let Ok(handle) = item.cast::<TensorHandle>() else {
            return Err(PyTypeError::new_err(format!("expected a Tensor, got {}", item.get_type().name()?)));
        };
        let handle = handle.get();
        if !Arc::ptr_eq(&handle.graph, &self.shared) {
            return Err(PyValueError::new_err(format!("{} must be from the same graph.", item.repr()?)));
        }
        Ok(handle.output())
    }

    pub fn node_of(&self, item: &Bound<'_, PyAny>) -> PyResult<NodeId> {
        if let Ok(handle) = item.cast::<OperationHandle>() {
            if !Arc::ptr_eq(&handle.get().graph, &self.shared) {
                return Err(PyValueError::new_err(format!("{} must be from the same graph.", item.repr()?)));
            }
            return Ok(handle.get().node);
        }
        item.extract()
    }
}

fn output_id(node: NodeId, index: u32) -> OutputId {
    OutputId { node, index }
}

#[pymethods]
impl Graph {
    #[new]
    fn new() -> PyResult<Self> {
        let graph = Arc::new(RwLock::new(ferroflow_graph::Graph::new(registry()?)));
        let shared = Shared { graph, unfeedable: RwLock::default(), unfetchable: RwLock::default() };
        Ok(Graph { shared: Arc::new(shared) })
    }

    /// Adds a node. `inputs`: a tensor, or a list of tensors, for each argument of the op. `control_inputs`: operations.
    /// `attrs`: by name; those that inputs decide may be left out. Returns (id, number of outputs).
    #[pyo3(signature = (op, name, inputs, attrs=None, control_inputs=None, device=""))]
    fn add_node(
        &self,
        op: &str,
        name: &str,
        inputs: &Bound<'_, PyAny>,
        attrs: Option<&Bound<'_, PyDict>>,
        control_inputs: Option<&Bound<'_, PyAny>>,
        device: &str,
    ) -> PyResult<(NodeId, usize)> {
        let mut args = Vec::new();
        for item in inputs.try_iter()? {
            let item = item?;
            if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
                let list = item.try_iter()?.map(|t| self.output_of(&t?)).collect::<PyResult<_>>()?;
                args.push(InputArg::List(list));
            } else {
                args.push(InputArg::One(self.output_of(&item)?));
            }
        }
        self.add(op, name, args, attrs, control_inputs, device)
    }

    /// Adds a node as `add_node` does, with the inputs in one flat list, as a NodeDef has them; the attributes give the
    /// groups.
    #[pyo3(signature = (op, name, inputs, attrs=None, control_inputs=None, device=""))]
    fn add_node_flat(
        &self,
        op: &str,
        name: &str,
        inputs: &Bound<'_, PyAny>,
        attrs: Option<&Bound<'_, PyDict>>,
        control_inputs: Option<&Bound<'_, PyAny>>,
        device: &str,
    ) -> PyResult<(NodeId, usize)> {
        let flat: Vec<OutputId> = inputs.try_iter()?.map(|t| self.output_of(&t?)).collect::<PyResult<_>>()?;
        let values = self.attrs_from_python(op, attrs)?;
        let args = self.shared.graph.read().group_inputs(op, &values, &flat).map_err(build)?;
        self.add_with(op, name, args, values, control_inputs, device)
    }

    fn prevent_feeding(&self, node: NodeId, index: u32) {
        if self.shared.unfeedable.write().insert(output_id(node, index)) {
            self.shared.graph.write().touch();
        }
    }

    fn is_feedable(&self, node: NodeId, index: u32) -> bool {
        !self.shared.unfeedable.read().contains(&output_id(node, index))
    }

    fn prevent_fetching(&self, node: NodeId) {
        if self.shared.unfetchable.write().insert(node) {
            self.shared.graph.write().touch();
        }
    }

    fn is_fetchable(&self, node: NodeId) -> bool {
        !self.shared.unfetchable.read().contains(&node)
    }

    fn __len__(&self) -> usize {
        self.shared.graph.read().len()
    }

    #[getter]
    fn version(&self) -> u64 {
        self.shared.graph.read().version()
    }

    /// Returns the id of the node of that name, or None.
    fn find(&self, name: &str) -> Option<NodeId> {
        self.shared.graph.read().find(name)
    }

    /// Returns the names of the nodes from the `from_node`th on, in lower case.
    fn lowercase_names(&self, from_node: usize) -> Vec<String> {
        self.shared.graph.read().nodes().iter().skip(from_node).map(|n| n.name.to_ascii_lowercase()).collect()
    }

    fn node_name(&self, id: NodeId) -> PyResult<String> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.name.to_string())
    }

    fn node_op(&self, id: NodeId) -> PyResult<String> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.op.name.to_string())
    }

    fn node_device(&self, id: NodeId) -> PyResult<String> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.device.to_string())
    }

    fn output_count(&self, id: NodeId) -> PyResult<usize> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.outputs.len())
    }

    fn set_device(&self, id: NodeId, device: &str) -> PyResult<()> {
        self.shared.graph.write().set_device(id, device).map_err(build)
    }

    /// Returns (node, output) of every input.
    fn node_inputs(&self, id: NodeId) -> PyResult<Vec<(NodeId, u32)>> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.inputs.iter().map(|o| (o.node, o.index)).collect())
    }

    fn node_control_inputs(&self, id: NodeId) -> PyResult<Vec<NodeId>> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.control_inputs.to_vec())
    }

    /// Ids of the nodes that have `id` as a control input.
    fn node_control_outputs(&self, id: NodeId) -> Vec<NodeId> {
        let graph = self.shared.graph.read();
        graph.nodes().iter().filter(|n| n.control_inputs.contains(&id)).map(|n| n.id).collect()
    }

    fn add_control_inputs(&self, id: NodeId, sources: Vec<NodeId>) -> PyResult<()> {
        self.shared.graph.write().add_control_inputs(id, &sources).map_err(build)
    }

    fn set_control_inputs(&self, id: NodeId, sources: Vec<NodeId>) -> PyResult<()> {
        self.shared.graph.write().set_control_inputs(id, &sources).map_err(build)
    }

    fn update_input(&self, id: NodeId, position: usize, to: &Bound<'_, PyAny>) -> PyResult<()> {
        let to = self.output_of(to)?;
        self.shared.graph.write().update_input(id, position, to).map_err(build)
    }

    /// Returns (kind, value) of an attribute; KeyError without it.
    fn attr<'py>(&self, py: Python<'py>, id: NodeId, name: &str) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
        let node = self.shared.graph.read().node(id).map_err(status)?.clone();
        match node.attrs.get(name) {
            Some(v) => attr::to_python(py, v),
            None => Err(PyKeyError::new_err(name.to_owned())),
        }
    }

    fn has_attr(&self, id: NodeId, name: &str) -> PyResult<bool> {
        Ok(self.shared.graph.read().node(id).map_err(status)?.attrs.get(name).is_some())
    }

    /// Returns name -> (kind, value) of all attributes.
    fn attrs<'py>(&self, py: Python<'py>, id: NodeId) -> PyResult<Bound<'py, PyDict>> {
        let node = self.shared.graph.read().node(id).map_err(status)?.clone();
        let all = PyDict::new(py);
        for (name, value) in node.attrs.iter() {
            all.set_item(name, attr::to_python(py, value)?)?;
        }
        Ok(all)
    }

    /// Returns the nodes from the `from_node`th on as a serialized GraphDef, and (position, attribute) of the
    /// attributes that it lacks: those with tensors.
    fn node_defs<'py>(
        &self,
        py: Python<'py>,
        from_node: usize,
        add_shapes: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Left)> {
        // The lock is taken and released without the GIL, which a thread that waits for the lock may hold.
        let written = detached(py, || node_defs(&self.shared.graph.read(), from_node, add_shapes));
        let (bytes, left) = written.map_err(status)?;
        Ok((PyBytes::new(py, &bytes), left))
    }

    /// Adds or replaces an attribute; inside the schema its declared kind decides the conversion.
    fn set_attr(&self, id: NodeId, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let op = self.shared.graph.read().node(id).map_err(status)?.op.clone();
        let value = match op.attr(name) {
            Some(def) => attr::from_python(&op.name, def, value)?,
            None => attr::from_python_untyped(name, value)?,
        };
        self.shared.graph.write().set_attr(id, name, value).map_err(build)
    }

    /// Adds an output behind the others, of a type given as the number of its DataType.
    fn add_output(&self, id: NodeId, dtype: i32, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let dtype =
            DType::from_number(dtype).ok_or_else(|| PyTypeError::new_err(format!("{dtype} is not a DataType")))?;
        let shape = shape_from_python(shape)?;
        self.shared.graph.write().add_output(id, dtype, shape).map_err(build)
    }

    /// Returns the number of the output's DataType, plus 100 for a reference.
    fn output_dtype(&self, node: NodeId, index: u32) -> PyResult<i32> {
        let graph = self.shared.graph.read();
        let output = graph.output(output_id(node, index)).map_err(status)?;
        Ok(output.dtype.number() + if output.is_ref { 100 } else { 0 })
    }

    /// Returns tuple of dimensions with None for unknown ones; None for unknown rank.
    fn output_shape(&self, py: Python<'_>, node: NodeId, index: u32) -> PyResult<Py<PyAny>> {
        let shape = self.shared.graph.read().output(output_id(node, index)).map_err(status)?.shape.clone();
        shape_to_python(py, shape.to_wire())
    }

    /// Narrows an output's shape; ValueError where it contradicts what is known.
    fn merge_shape(&self, node: NodeId, index: u32, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape = shape_from_python(shape)?;
        self.shared.graph.write().merge_shape(output_id(node, index), &shape).map_err(build)
    }

    /// Returns (node, input position) of every reader of an output.
    fn consumers(&self, node: NodeId, index: u32) -> PyResult<Vec<(NodeId, u32)>> {
        let graph = self.shared.graph.read();
        let output = output_id(node, index);
        let mut readers = Vec::new();
        for &(reader, position) in graph.consumers(node) {
            let reads = graph.node(reader).map_err(status)?.inputs.get(position as usize).copied();
            if reads == Some(output) {
                readers.push((reader, position));
            }
        }
        Ok(readers)
    }

    /// Returns the value of an output as an array, where the graph alone decides it; None elsewhere.
    fn constant_value(&self, py: Python<'_>, node: NodeId, index: u32) -> PyResult<Option<Py<PyAny>>> {
        guarded(|| {
            // Not in the scrutinee of a match: NumPy may release the GIL, and the lock must not be held then.
            let value = self.shared.graph.read().constant_value(output_id(node, index));
            value.map(|t| attr::tensor_value(py, &t).map(Bound::unbind)).transpose()
        })
    }

    /// Returns the shape that an int vector output describes, as `output_shape` gives shapes.
    fn constant_as_shape(&self, py: Python<'_>, node: NodeId, index: u32) -> PyResult<Py<PyAny>> {
        let shape = guarded(|| self.shared.graph.read().constant_as_shape(output_id(node, index)).map_err(status))?;
        shape_to_python(py, shape.to_wire())
    }

    /// Ties gradients together: no gate (an Identity of its gradient) runs before `barrier` (a NoOp), which waits for all.
    fn apply_gate(&self, barrier: &Bound<'_, PyAny>, gates: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let gates = gates.iter().map(|g| self.node_of(g)).collect::<PyResult<Vec<_>>>()?;
        let barrier = self.node_of(barrier)?;
        gating::tie(&mut self.shared.graph.write(), barrier, &gates).map_err(build)
    }

    /// Returns the nodes on some path from `sources` to `targets` (node ids), the ends included, as a sorted list: what
    /// a gradient passes through. Paths do not continue through outputs whose dtype cannot carry a gradient or through
    /// `stops`. Whole numbers carry gradients if `whole_numbers` is true.
    #[pyo3(signature = (sources, targets, stops, whole_numbers=false))]
    fn between(
        &self,
        sources: Vec<(NodeId, u32)>,
        targets: Vec<NodeId>,
        stops: Vec<NodeId>,
        whole_numbers: bool,
    ) -> PyResult<Vec<NodeId>> {
        let carries = |dtype: DType| carries_gradient(dtype) || (whole_numbers && dtype.is_integer());
        let stops: FxHashSet<NodeId> = stops.into_iter().collect();
        let graph = self.shared.graph.read();
        let n = graph.len();
        let mut reached = vec![false; n];
        let mut stack: Vec<NodeId> = sources.iter().map(|s| s.0).collect();
        while let Some(id) = stack.pop() {
            let Some(seen) = reached.get_mut(id as usize) else { continue };
            if std::mem::replace(seen, true) {
                continue;
            }
            for &(reader, position) in graph.consumers(id) {
                let input = graph.node(reader).map_err(status)?.inputs.get(position as usize).copied();
                let is_way = input.and_then(|o| graph.output(o).ok()).is_some_and(|o| carries(o.dtype));
                if is_way && !stops.contains(&reader) {
                    stack.push(reader);
                }
            }
        }
        let mut between = vec![false; n];
        let mut stack = targets;
        while let Some(id) = stack.pop() {
            if !reached.get(id as usize).copied().unwrap_or(false) || std::mem::replace(&mut between[id as usize], true)
            {
                continue;
            }
            stack.extend(graph.node(id).map_err(status)?.inputs.iter().map(|o| o.node));
        }
        Ok((0..n as NodeId).filter(|&i| between[i as usize]).collect())
    }

    /// Adds a function: the body's graph, the tensors that stand for its arguments and results, and the operations that run
    /// at every call.
    fn add_function(
        &self,
        name: String,
        body: &Graph,
        arguments: Vec<Bound<'_, PyAny>>,
        results: Vec<Bound<'_, PyAny>>,
        effects: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let function = Function {
            name,
            graph: body.shared.graph.clone(),
            arguments: arguments.iter().map(|t| body.output_of(t)).collect::<PyResult<_>>()?,
            results: results.iter().map(|t| body.output_of(t)).collect::<PyResult<_>>()?,
            effects: effects.iter().map(|o| body.node_of(o)).collect::<PyResult<_>>()?,
        };
        let library = self.shared.graph.read().functions().clone();
        library.add(function).map_err(status)
    }

    /// Adds a node like one of another graph, without its control inputs and colocation. `inputs` is flat; `attrs` replace
    /// those of the node.
    #[pyo3(signature = (source, name, inputs, attrs=None))]
    fn copy_node(
        &self,
        source: &Bound<'_, OperationHandle>,
        name: &str,
        inputs: &Bound<'_, PyAny>,
        attrs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(NodeId, usize)> {
        let node = source.get().graph.graph.read().node(source.get().node).map_err(status)?.clone();
        let flat: Vec<OutputId> = inputs.try_iter()?.map(|t| self.output_of(&t?)).collect::<PyResult<_>>()?;
        let mut values = self.attrs_from_python(&node.op.name, attrs)?;
        for (key, value) in node.attrs.iter() {
            if key != "_class" && !values.iter().any(|(n, _)| n == key) {
                values.push((key.to_owned(), value.clone()));
            }
        }
        let args = self.shared.graph.read().group_inputs(&node.op.name, &values, &flat).map_err(build)?;
        self.add_with(&node.op.name, name, args, values, None, &node.device)
    }

    /// Returns a constant's tensor made straight from a Python value of a given dtype number: adds the Const node.
    #[pyo3(signature = (name, value, dtype, control_inputs=None, device=""))]
    fn add_constant(
        &self,
        name: &str,
        value: &Bound<'_, PyAny>,
        dtype: i32,
        control_inputs: Option<&Bound<'_, PyAny>>,
        device: &str,
    ) -> PyResult<(NodeId, usize)> {
        let dtype =
            DType::from_number(dtype).ok_or_else(|| PyTypeError::new_err(format!("{dtype} is not a DataType")))?;
        let tensor = tensor_of(value, dtype)?.into_owned().map_err(status)?;
        let attrs = vec![("value".to_owned(), AttrValue::Tensor(tensor)), ("dtype".to_owned(), AttrValue::Type(dtype))];
        self.add_with("Const", name, Vec::new(), attrs, control_inputs, device)
    }
}

/// Returns true for types that gradients pass through. TF 1.x: floats, complex numbers, and resources and variants,
/// which carry them.
fn carries_gradient(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex() || matches!(dtype, DType::Resource | DType::Variant)
}

impl Graph {
    fn attrs_from_python(&self, op: &str, attrs: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, AttrValue)>> {
        let def = self.shared.graph.read().registry().get(op).cloned();
        let mut values = Vec::new();
        for (name, value) in attrs.into_iter().flat_map(|d| d.iter()) {
            let name: String = name.extract()?;
            let value = match def.as_ref().and_then(|d| d.attr(&name)) {
                Some(a) => attr::from_python(op, a, &value)?,
                None => attr::from_python_untyped(&name, &value)?,
            };
            values.push((name, value));
        }
        Ok(values)
    }

    fn add(
        &self,
        op: &str,
        name: &str,
        inputs: Vec<InputArg>,
        attrs: Option<&Bound<'_, PyDict>>,
        control_inputs: Option<&Bound<'_, PyAny>>,
        device: &str,
    ) -> PyResult<(NodeId, usize)> {
        let attrs = self.attrs_from_python(op, attrs)?;
        self.add_with(op, name, inputs, attrs, control_inputs, device)
    }

    fn add_with(
        &self,
        op: &str,
        name: &str,
        inputs: Vec<InputArg>,
        attrs: Vec<(String, AttrValue)>,
        control_inputs: Option<&Bound<'_, PyAny>>,
        device: &str,
    ) -> PyResult<(NodeId, usize)> {
        let mut controls = Vec::new();
        if let Some(list) = control_inputs {
            for item in list.try_iter()? {
                controls.push(self.node_of(&item?)?);
            }
        }
        guarded(|| {
            let mut graph = self.shared.graph.write();
            let spec = NodeSpec { op, name, inputs, control_inputs: controls, attrs, device };
            let id = graph.add_node(spec).map_err(build)?;
            let outputs = graph.node(id).map_err(status)?.outputs.len();
            Ok((id, outputs))
        })
    }
}
