//! `Graph`: the nodes of a program; `add_node` is the one way in, for construction and for import.

use crate::attr::{AttrMap, AttrValue};
use crate::error::BuildError;
use crate::function::Library;
use crate::node::{HandleType, Node, NodeId, OutputId, OutputType};
use crate::op_def::{ArgDef, ArgType, AttrDef, AttrKind, Flow, HandleSource, OpDef};
use crate::registry::Registry;
use crate::shape_context::ShapeContext;
use ferroflow_tensor::{DType, PartialShape, Result, Status};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// Upper bound of a number of outputs (an attribute's value), checked before memory is allocated.
const MAX_OUTPUTS: usize = 1 << 20;

/// The value of one input argument of the schema.
#[derive(Clone, Debug)]
pub enum InputArg {
    One(OutputId),
    List(Vec<OutputId>),
}

/// A node to be added. Attributes that inputs decide may be left out.
pub struct NodeSpec<'a> {
    pub op: &'a str,
    pub name: &'a str,
    pub inputs: Vec<InputArg>,
    pub control_inputs: Vec<NodeId>,
    pub attrs: Vec<(String, AttrValue)>,
    pub device: &'a str,
}

pub struct Graph {
    registry: Arc<Registry>,
    functions: Arc<Library>,
    nodes: Vec<Arc<Node>>,
    by_name: FxHashMap<Arc<str>, NodeId>,
    consumers: Vec<SmallVec<[(NodeId, u32); 2]>>,
    devices: FxHashMap<Arc<str>, Arc<str>>,
    version: u64,
    /// The outputs that a step feeds, if the shapes are those of this step.
    fed: Option<FxHashSet<OutputId>>,
}

fn value_error<T>(message: String) -> Result<T, BuildError> {
    Err(BuildError::Value(message))
}

fn type_error<T>(message: String) -> Result<T, BuildError> {
    Err(BuildError::Type(message))
}

fn type_words(types: &[DType]) -> String {
    types.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ")
}

impl Graph {
    pub fn new(registry: Arc<Registry>) -> Graph {
        Graph {
            registry,
            functions: Arc::default(),
            nodes: Vec::new(),
            by_name: FxHashMap::default(),
            consumers: Vec::new(),
            devices: FxHashMap::default(),
            version: 0,
            fed: None,
        }
    }

    /// Returns a copy whose nodes have the shapes of a step that feeds these outputs, once they are inferred.
    pub(crate) fn with_fed(&self, fed: FxHashSet<OutputId>) -> Graph {
        Graph {
            registry: self.registry.clone(),
            functions: self.functions.clone(),
            nodes: self.nodes.clone(),
            by_name: self.by_name.clone(),
            consumers: self.consumers.clone(),
            devices: self.devices.clone(),
            version: self.version,
            fed: Some(fed),
        }
    }

    /// Returns true if the shapes of the nodes of a step follow from what it feeds.
    pub fn is_specialized(&self) -> bool {
        self.fed.is_some()
    }

    /// Returns true if the shapes are those of a step that feeds the output.
    pub(crate) fn is_fed(&self, output: OutputId) -> bool {
        self.fed.as_ref().is_some_and(|fed| fed.contains(&output))
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Returns the functions that nodes call by name. Bodies of functions have none of their own: they call those of
    /// the graph around.
    pub fn functions(&self) -> &Arc<Library> {
        &self.functions
    }

    /// Rises with every change to the nodes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Counts a change outside the nodes that makes plans stale: what may be fed or fetched.
    pub fn touch(&mut self) {
        self.version += 1;
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    pub fn node(&self, id: NodeId) -> Result<&Arc<Node>> {
        self.nodes.get(id as usize).ok_or_else(|| Status::internal(format!("the graph has no node {id}")))
    }

    pub fn output(&self, id: OutputId) -> Result<&OutputType> {
        let node = self.node(id.node)?;
        let output = node.outputs.get(id.index as usize);
        output.ok_or_else(|| Status::internal(format!("{} has no output {}", node.name, id.index)))
    }

    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// Returns the (node, input position) pairs that read any output of `id`.
    pub fn consumers(&self, id: NodeId) -> &[(NodeId, u32)] {
        self.consumers.get(id as usize).map_or(&[], |c| c)
    }

    fn op(&self, name: &str) -> Result<&Arc<OpDef>, BuildError> {
        self.registry.get(name).ok_or_else(|| {
            BuildError::Status(Status::not_found(format!(
                "Op type not registered '{name}' in this build of ferroflow."
            )))
        })
    }

    /// Groups a node's flat inputs (as a GraphDef lists them) by the arguments of its op.
    pub fn group_inputs(
        &self,
        op: &str,
        attrs: &[(String, AttrValue)],
        inputs: &[OutputId],
    ) -> Result<Vec<InputArg>, BuildError> {
        let def = self.op(op)?;
        let attr = |name: &str| attrs.iter().find(|(n, _)| n == name).map(|(_, v)| v);
        let mut rest = inputs.iter();
        let mut groups = Vec::with_capacity(def.inputs.len());
        for arg in &def.inputs {
            let length = match (&arg.number_attr, &arg.ty) {
                (Some(n), _) => match attr(n) {
                    Some(AttrValue::Int(n)) => usize::try_from(*n).ok(),
                    _ => None,
                },
                (None, ArgType::Attr(t)) if arg.is_type_list => match attr(t) {
                    Some(AttrValue::List(l)) => Some(l.len()),
                    _ => None,
                },
                _ => {
                    match rest.next() {
                        Some(o) => groups.push(InputArg::One(*o)),
                        None => return value_error(format!("NodeDef of op {op} lacks input '{}'", arg.name)),
                    }
                    continue;
                }
            };
            let Some(length) = length.filter(|n| *n <= rest.len()) else {
                return value_error(format!("NodeDef of op {op} has too few inputs for list '{}'", arg.name));
            };
            groups.push(InputArg::List(rest.by_ref().take(length).copied().collect()));
        }
        match rest.next() {
            None => Ok(groups),
            Some(_) => value_error(format!("NodeDef of op {op} has {} inputs, more than its arguments", inputs.len())),
        }
    }

    /// Adds a node: infers attributes, checks types, infers shapes.
    ///
    /// Errors: `Value` for a name in use, attribute values and shapes; `Type` for dtypes; `Status` for an unknown op.
    pub fn add_node(&mut self, spec: NodeSpec<'_>) -> Result<NodeId, BuildError> {
        let def = self.op(spec.op)?.clone();
        if self.by_name.contains_key(spec.name) {
            return value_error(format!("Duplicate node name in graph: '{}'", spec.name));
        }
        if let Some(c) = spec.control_inputs.iter().find(|&&c| c as usize >= self.nodes.len()) {
            return value_error(format!("control input {c} of '{}' is not in the graph", spec.name));
        }
        let (attrs, inputs) = self.infer_attrs(&def, spec.name, spec.attrs, &spec.inputs)?;
        let types = output_types(&def, &attrs)?;
        let shapes = match def.shape {
            Some(rule) => {
                let mut ctx = ShapeContext::new(self, &def, &attrs, &inputs, types.len());
                match rule(&mut ctx) {
                    Ok(()) => ctx.into_outputs(),
                    Err(e) => return Err(self.shape_error(e, &def, spec.name, &inputs)),
                }
            }
            None => SmallVec::from_elem(PartialShape::unknown(), types.len()),
        };
        let id = self.nodes.len() as NodeId;
        let name: Arc<str> = spec.name.into();
        let device = self.devices.entry(spec.device.into()).or_insert_with_key(|k| k.clone()).clone();
        for (i, input) in inputs.iter().enumerate() {
            self.consumers[input.node as usize].push((id, i as u32));
        }
        let is_handle = |dtype| matches!(dtype, DType::Resource | DType::Variant);
        let handle = if types.iter().any(|t| is_handle(t.0)) { self.handle_type(&def, &attrs, &inputs) } else { None };
        let output = |((dtype, is_ref), shape)| {
            let handle = if is_handle(dtype) { handle.clone() } else { None };
            OutputType { dtype, is_ref, shape, handle }
        };
        let outputs = types.into_iter().zip(shapes).map(output).collect();
        let mut control_inputs: SmallVec<[NodeId; 2]> = SmallVec::new();
        for c in spec.control_inputs {
            if !control_inputs.contains(&c) {
                control_inputs.push(c);
            }
        }
        self.by_name.insert(name.clone(), id);
        self.consumers.push(SmallVec::new());
        self.nodes.push(Arc::new(Node { id, name, op: def, attrs, inputs, control_inputs, device, outputs }));
        self.version += 1;
        Ok(id)
    }

    /// Removes the nodes from number `length` on. The nodes before must not read them.
    pub fn truncate(&mut self, length: usize) {
        for node in self.nodes.drain(length.min(self.nodes.len())..) {
            self.by_name.remove(&node.name);
            for input in &node.inputs {
                if let Some(readers) = self.consumers.get_mut(input.node as usize) {
                    readers.retain(|(reader, _)| *reader != node.id);
                }
            }
        }
        self.consumers.truncate(length);
        self.version += 1;
    }

    /// Returns the known type of what the handles stand for that a node outputs.
    fn handle_type(&self, def: &OpDef, attrs: &AttrMap, inputs: &[OutputId]) -> Option<Arc<HandleType>> {
        if def.is_variable {
            let (dtype, shape) = (attrs.dtype("dtype").ok()?, attrs.shape("shape").ok()?);
            return Some(Arc::new(HandleType::new(dtype, shape)));
        }
        match def.handle_source {
            HandleSource::Attrs(known) => return known(attrs).map(Arc::new),
            HandleSource::Node(known) => {
                return known(&ShapeContext::new(self, def, attrs, inputs, 0)).map(Arc::new);
            }
            HandleSource::Unknown if !def.is_alias && def.flow.is_none() => return None,
            HandleSource::Unknown | HandleSource::FirstInput => {}
        }
        let first = self.output(*inputs.first()?).ok()?;
        // Values that a branch or a loop's body makes may be of another type.
        let is_merged = def.flow == Some(Flow::Merge) && first.dtype == DType::Variant;
        if is_merged { None } else { first.handle.clone() }
    }

    fn shape_error(&self, e: Status, def: &OpDef, name: &str, inputs: &[OutputId]) -> BuildError {
        let known = |o: &OutputType| o.shape.rank().map(|_| o.shape.to_string());
        let shape_text = |&i| self.output(i).ok().and_then(known).unwrap_or_else(|| "?".to_owned());
        let shapes: Vec<String> = inputs.iter().map(shape_text).collect();
        let at = format!("for '{name}' (op: '{}') with input shapes: {}.", def.name, shapes.join(", "));
        match BuildError::from(e) {
            BuildError::Value(m) => BuildError::Value(format!("{m} {at}")),
            other => other,
        }
    }

    /// Checks the inputs against the schema and completes the attributes from them.
    fn infer_attrs(
        &self,
        def: &OpDef,
        name: &str,
        given: Vec<(String, AttrValue)>,
        inputs: &[InputArg],
    ) -> Result<(AttrMap, SmallVec<[OutputId; 3]>), BuildError> {
        if inputs.len() != def.inputs.len() {
            return type_error(format!("{} takes {} inputs, got {}", def.name, def.inputs.len(), inputs.len()));
        }
        let mut given: SmallVec<[(String, AttrValue); 4]> = given.into_iter().collect();
        let mut inferred: SmallVec<[(&str, AttrValue, &str); 4]> = SmallVec::new();
        let mut flat: SmallVec<[OutputId; 3]> = SmallVec::new();
        for (arg, input) in def.inputs.iter().zip(inputs) {
            let outputs: &[OutputId] = match (input, arg.is_list()) {
                (InputArg::One(o), false) => std::slice::from_ref(o),
                (InputArg::List(l), true) => l,
                (InputArg::One(_), true) => {
                    return type_error(format!(
                        "Expected list for '{}' argument to '{}' Op, not a tensor.",
                        arg.name, def.name
                    ));
                }
                (InputArg::List(_), false) => {
                    return type_error("List of Tensors when single Tensor expected".to_owned());
                }
            };
            let mut types: SmallVec<[DType; 4]> = SmallVec::new();
            for &o in outputs {
                let out = self.output(o)?;
                if arg.is_ref && !out.is_ref {
                    return type_error(format!(
                        "'{}' Op requires that input '{}' be a mutable tensor (e.g.: a tf.Variable)",
                        def.name, arg.name
                    ));
                }
                types.push(out.dtype);
            }
            flat.extend_from_slice(outputs);
            if let Some(n) = &arg.number_attr {
                self.agree(def, arg, n, AttrValue::Int(outputs.len() as i64), &given, &mut inferred)?;
            }
            match &arg.ty {
                ArgType::Fixed(expected) => {
                    if let Some(got) = types.iter().find(|t| *t != expected) {
                        return type_error(format!(
                            "Input '{}' of '{}' Op has type {} that does not match expected type of {}.",
                            arg.name,
                            def.name,
                            got.name(),
                            expected.name()
                        ));
                    }
                }
                ArgType::Attr(t) if arg.is_type_list => {
                    let list = types.iter().map(|&t| AttrValue::Type(t)).collect();
                    self.agree(def, arg, t, AttrValue::List(list), &given, &mut inferred)?;
                }
                ArgType::Attr(t) => {
                    if let Some(other) = types.iter().find(|x| **x != types[0]) {
                        return type_error(format!(
                            "Tensors in list passed to '{}' of '{}' Op have types [{}] that don't all match ({} and {}).",
                            arg.name,
                            def.name,
                            type_words(&types),
                            types[0].name(),
                            other.name()
                        ));
                    }
                    if let Some(&first) = types.first() {
                        self.agree(def, arg, t, AttrValue::Type(first), &given, &mut inferred)?;
                    }
                }
            }
        }
        // TF 1.x: what inputs decide is checked before what is given.
        for (name, value, arg) in &inferred {
            if let Some(attr) = def.attrs.iter().find(|attr| **name == *attr.name) {
                check_attr(def, attr, value, Some(arg))?;
            }
        }
        let mut attrs = AttrMap::default();
        for attr in &def.attrs {
            let from_given = given.iter().position(|(n, _)| **n == *attr.name);
            let from_inputs = inferred.iter().find(|(n, ..)| **n == *attr.name);
            let value = match (from_given, from_inputs) {
                (Some(i), _) => given.swap_remove(i).1,
                (None, Some((_, v, _))) => v.clone(),
                (None, None) => match &attr.default {
                    Some(v) => v.clone(),
                    None => {
                        return type_error(format!("No argument for attr {} of op {} ({name})", attr.name, def.name));
                    }
                },
            };
            if from_inputs.is_none() {
                check_attr(def, attr, &value, None)?;
            }
            attrs.set(attr.name.clone(), value);
        }
        for (n, v) in given {
            if !n.starts_with('_') {
                return type_error(format!("{} got an unexpected attr '{n}' ({name})", def.name));
            }
            attrs.set(n, v);
        }
        def.check_paired_types(&attrs)?;
        Ok((attrs, flat))
    }

    /// Checks one input's value of an attribute against the values of earlier inputs.
    fn agree<'d>(
        &self,
        def: &'d OpDef,
        arg: &'d ArgDef,
        attr: &'d str,
        value: AttrValue,
        given: &[(String, AttrValue)],
        inferred: &mut SmallVec<[(&'d str, AttrValue, &'d str); 4]>,
    ) -> Result<(), BuildError> {
        let word = |v: &AttrValue| match v {
            AttrValue::Type(t) => t.name().to_owned(),
            AttrValue::Int(n) => n.to_string(),
            AttrValue::List(l) => {
                let names = l.iter().map(|v| if let AttrValue::Type(t) = v { t.name() } else { "?" });
                format!("[{}]", names.collect::<Vec<_>>().join(", "))
            }
            other => other.kind_name().to_owned(),
        };
        if let Some((_, v)) = given.iter().find(|(n, _)| n == attr)
            && *v != value
        {
            let (got, expected) = (word(&value), word(v));
            return if let AttrValue::Int(_) = value {
                value_error(format!(
                    "List argument '{}' to '{}' Op with length {got} must match length {expected} of attr '{attr}'.",
                    arg.name, def.name
                ))
            } else {
                type_error(format!(
                    "Input '{}' of '{}' Op has type {got} that does not match expected type of {expected}.",
                    arg.name, def.name
                ))
            };
        }
        match inferred.iter().find(|(n, ..)| *n == attr) {
            None => inferred.push((attr, value, &arg.name)),
            Some((_, v, _)) if *v == value => {}
            Some((_, v, first)) => {
                let (got, expected) = (word(&value), word(v));
                return if let AttrValue::Int(_) = value {
                    value_error(format!(
                        "List argument '{}' to '{}' Op with length {got} must match length {expected} of argument '{first}'.",
                        arg.name, def.name
                    ))
                } else {
                    type_error(format!(
                        "Input '{}' of '{}' Op has type {got} that does not match type {expected} of argument '{first}'.",
                        arg.name, def.name
                    ))
                };
            }
        }
        Ok(())
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, BuildError> {
        self.version += 1;
        match self.nodes.get_mut(id as usize) {
            Some(n) => Ok(Arc::make_mut(n)),
            None => value_error(format!("the graph has no node {id}")),
        }
    }

    fn check_known(&self, nodes: &[NodeId]) -> Result<(), BuildError> {
        match nodes.iter().find(|&&n| n as usize >= self.nodes.len()) {
            Some(n) => value_error(format!("the graph has no node {n}")),
            None => Ok(()),
        }
    }

    /// Adds control edges `sources -> id`, or none if a node is not in the graph.
    pub fn add_control_inputs(&mut self, id: NodeId, sources: &[NodeId]) -> Result<(), BuildError> {
        self.check_known(sources)?;
        let node = self.node_mut(id)?;
        for &c in sources {
            if !node.control_inputs.contains(&c) {
                node.control_inputs.push(c);
            }
        }
        Ok(())
    }

    /// Replaces the control edges into `id` by those from `sources`, or none if a node is not in the graph.
    pub fn set_control_inputs(&mut self, id: NodeId, sources: &[NodeId]) -> Result<(), BuildError> {
        self.check_known(sources)?;
        self.node_mut(id)?.control_inputs.clear();
        self.add_control_inputs(id, sources)
    }

    pub fn set_device(&mut self, id: NodeId, device: &str) -> Result<(), BuildError> {
        let device = self.devices.entry(device.into()).or_insert_with_key(|k| k.clone()).clone();
        self.node_mut(id)?.device = device;
        Ok(())
    }

    pub fn set_attr(&mut self, id: NodeId, name: &str, value: AttrValue) -> Result<(), BuildError> {
        self.node_mut(id)?.attrs.set(name, value);
        Ok(())
    }

    /// Reads another output at an input position (of the same base type).
    pub fn update_input(&mut self, id: NodeId, position: usize, to: OutputId) -> Result<(), BuildError> {
        let (old, new_type) = (self.node(id)?.inputs.get(position).copied(), self.output(to)?.clone());
        let Some(old) = old else { return value_error(format!("node {id} has no input {position}")) };
        if self.output(old)?.dtype != new_type.dtype {
            return type_error(format!(
                "Cannot replace an input of type {} by one of type {}",
                self.output(old)?.dtype.name(),
                new_type.dtype.name()
            ));
        }
        self.node_mut(id)?.inputs[position] = to;
        self.consumers[old.node as usize].retain(|c| *c != (id, position as u32));
        self.consumers[to.node as usize].push((id, position as u32));
        Ok(())
    }

    /// Adds an output behind the others. The attribute that lists the types of the outputs must be set to match.
    pub fn add_output(&mut self, id: NodeId, dtype: DType, shape: PartialShape) -> Result<(), BuildError> {
        let node = self.node_mut(id)?;
        if node.outputs.len() >= MAX_OUTPUTS {
            return value_error(format!("{} has {MAX_OUTPUTS} outputs, the largest number", node.name));
        }
        node.outputs.push(OutputType { dtype, is_ref: false, shape, handle: None });
        Ok(())
    }

    /// Narrows an output's shape to what is also known of it.
    pub fn merge_shape(&mut self, id: OutputId, shape: &PartialShape) -> Result<(), BuildError> {
        let merged = self.output(id)?.shape.merge(shape).map_err(|_| {
            let old = self.output(id).map_or_else(|_| String::new(), |o| o.shape.to_string());
            BuildError::Value(format!("Shapes {old} and {shape} are not compatible"))
        })?;
        self.node_mut(id.node)?.outputs[id.index as usize].shape = merged;
        Ok(())
    }

    /// Replaces an output's shape (a variable declared with `validate_shape=False`).
    pub fn replace_shape(&mut self, id: OutputId, shape: PartialShape) -> Result<(), BuildError> {
        self.output(id)?;
        self.node_mut(id.node)?.outputs[id.index as usize].shape = shape;
        Ok(())
    }

    /// Returns the value of an output where the graph alone decides it.
    pub fn constant_value(&self, id: OutputId) -> Option<ferroflow_tensor::Tensor> {
        crate::constant::value(self, id)
    }

    /// Returns the shape that a vector of dimensions describes, as far as the graph alone decides it.
    pub fn constant_as_shape(&self, id: OutputId) -> Result<PartialShape> {
        crate::constant::as_shape(self, id)
    }
}

fn check_attr(def: &OpDef, attr: &AttrDef, value: &AttrValue, param: Option<&str>) -> Result<(), BuildError> {
    let one = |v: &AttrValue| -> Result<(), BuildError> {
        let right = matches!(
            (attr.kind, v),
            (AttrKind::Int, AttrValue::Int(_))
                | (AttrKind::Float, AttrValue::Float(_))
                | (AttrKind::Bool, AttrValue::Bool(_))
                | (AttrKind::Str, AttrValue::Str(_))
                | (AttrKind::Type, AttrValue::Type(_))
                | (AttrKind::Shape, AttrValue::Shape(_))
                | (AttrKind::Tensor, AttrValue::Tensor(_))
                | (AttrKind::Func, AttrValue::Func(_))
        );
        if !right {
            return type_error(format!(
                "attr '{}' of op {} should be {}, got {}",
                attr.name,
                def.name,
                attr.type_name(),
                v.kind_name()
            ));
        }
        match v {
            AttrValue::Type(t) if !attr.allowed_types.is_empty() && !attr.allowed_types.contains(t) => {
                let (what, name) = if let Some(p) = param { ("parameter", p) } else { ("attr", &*attr.name) };
                type_error(format!(
                    "Value passed to {what} '{name}' has DataType {} not in list of allowed values: {}",
                    t.name(),
                    type_words(&attr.allowed_types)
                ))
            }
            AttrValue::Str(s) if !attr.allowed_strings.is_empty() => {
                let s = String::from_utf8_lossy(s);
                if attr.allowed_strings.iter().any(|a| *a == s) {
                    return Ok(());
                }
                value_error(format!(
                    "Attr '{}' of '{}' Op passed string '{s}' not in: \"{}\".",
                    attr.name,
                    def.name,
                    attr.allowed_strings.join("\", \"")
                ))
            }
            _ => Ok(()),
        }
    };
    match (attr.is_list, value) {
        (false, v) => {
            one(v)?;
            if let (AttrValue::Int(n), Some(min)) = (v, attr.minimum)
                && *n < min
            {
                return value_error(format!(
                    "Attr '{}' of '{}' Op passed {n} less than minimum {min}.",
                    attr.name, def.name
                ));
            }
        }
        (true, AttrValue::List(items)) => {
            items.iter().try_for_each(one)?;
            if let Some(min) = attr.minimum
                && (items.len() as i64) < min
            {
                return value_error(format!(
                    "Attr '{}' of '{}' Op passed list of length {} less than minimum {min}.",
                    attr.name,
                    def.name,
                    items.len()
                ));
            }
        }
        (true, v) => {
            return type_error(format!(
                "attr '{}' of op {} should be {}, got {}",
                attr.name,
                def.name,
                attr.type_name(),
                v.kind_name()
            ));
        }
    }
    Ok(())
}

/// Returns (dtype, is_ref) of every output tensor.
fn output_types(def: &OpDef, attrs: &AttrMap) -> Result<SmallVec<[(DType, bool); 1]>, BuildError> {
    let mut types = SmallVec::new();
    for arg in &def.outputs {
        let one = match &arg.ty {
            ArgType::Fixed(t) => *t,
            ArgType::Attr(a) if arg.is_type_list => {
                types.extend(attrs.dtypes(a)?.into_iter().map(|t| (t, arg.is_ref)));
                continue;
            }
            ArgType::Attr(a) => attrs.dtype(a)?,
        };
        let count = match &arg.number_attr {
            Some(n) => usize::try_from(attrs.int(n)?).unwrap_or(0),
            None => 1,
        };
        if count > MAX_OUTPUTS {
            return value_error(format!("{} with {count} outputs: a node has at most {MAX_OUTPUTS}", def.name));
        }
        types.extend(std::iter::repeat_n((one, arg.is_ref), count));
    }
    Ok(types)
}
