//! Runs one op outside a session: what the ops' unit tests stand on.

use ferroflow_graph::{
    AttrValue, Cancellation, Graph, InputArg, Kernel, KernelContext, KernelInit, Node, NodeSpec, OutputId,
    ResourceHandle, ResourceName, Resources, Step, Variable, Variables, no_functions,
};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, PartialShape, Result, Status, Tensor, with_denormals_flushed};
use smallvec::SmallVec;
use std::sync::Arc;

/// An input argument: one tensor, a list of them, or a reference to a variable.
pub(crate) enum Arg {
    One(Tensor),
    List(Vec<Tensor>),
    /// A variable that has this value.
    Variable(Tensor),
    /// A variable of this type that has no value yet.
    Uninitialized(DType),
    /// The handle of a variable that has this value.
    Handle(Tensor),
    /// A list of references to variables.
    References(Vec<Arg>),
    /// A reference by container and name, as the older ops have it.
    Reference(Tensor),
}

/// The values and the inferred shapes of an op's outputs on constant inputs.
pub(crate) struct Outcome {
    pub values: Vec<Tensor>,
    pub shapes: Vec<PartialShape>,
}

/// A node and its kernel, to be run more than once: what the kernel and its variables keep shows.
pub(crate) struct Rerun {
    node: Arc<Node>,
    kernel: Box<dyn Kernel>,
    inputs: Vec<Tensor>,
    handles: Vec<Option<Arc<Variable>>>,
    resources: Resources,
    locals: Arc<Resources>,
}

/// The graph being built around the node under test.
struct Inputs {
    graph: Graph,
    values: Vec<Tensor>,
    handles: Vec<Option<Arc<Variable>>>,
}

fn build(e: ferroflow_graph::BuildError) -> Status {
    Status::invalid_argument(e.to_string())
}

impl Inputs {
    fn source(&mut self, op: &str, attrs: Vec<(String, AttrValue)>) -> Result<OutputId> {
        let name = format!("c{}", self.graph.len());
        let spec = NodeSpec { op, name: &name, inputs: vec![], control_inputs: vec![], attrs, device: "" };
        Ok(OutputId { node: self.graph.add_node(spec).map_err(build)?, index: 0 })
    }

    fn constant(&mut self, t: Tensor) -> Result<OutputId> {
        let attrs =
            vec![("value".to_owned(), AttrValue::Tensor(t.clone())), ("dtype".to_owned(), AttrValue::Type(t.dtype()))];
        self.values.push(t);
        self.handles.push(None);
        self.source("Const", attrs)
    }

    fn variable(&mut self, dtype: DType, shape: PartialShape, value: Option<Tensor>) -> Result<OutputId> {
        let attrs = vec![("shape".to_owned(), AttrValue::Shape(shape)), ("dtype".to_owned(), AttrValue::Type(dtype))];
        let variable = Variable::new(format!("v{}", self.graph.len()), dtype);
        *variable.lock() = value;
        self.values.push(Tensor::scalar(false));
        self.handles.push(Some(Arc::new(variable)));
        self.source("VariableV2", attrs)
    }

    fn reference(&mut self, names: Tensor) -> Result<OutputId> {
        self.values.push(names);
        self.handles.push(None);
        self.source("Stack", vec![("elem_type".to_owned(), AttrValue::Type(DType::F32))])
    }

    fn handle(&mut self, value: Tensor) -> Result<OutputId> {
        let shape = AttrValue::Shape(PartialShape::from(value.shape()));
        let attrs = vec![("shape".to_owned(), shape), ("dtype".to_owned(), AttrValue::Type(value.dtype()))];
        let name = ResourceName { container: String::new(), name: format!("v{}", self.graph.len()) };
        let variable = Arc::new(Variable::of_handle(&name, value.dtype()));
        *variable.lock() = Some(value);
        self.values.push(ResourceHandle::new(name, variable).into_tensor()?);
        self.handles.push(None);
        self.source("VarHandleOp", attrs)
    }
}

impl Rerun {
    /// Returns a node of `op` behind `Const` and `VariableV2` nodes. Fails as graph construction or the kernel's
    /// constructor fails.
    pub(crate) fn of_args(op: &str, args: Vec<Arg>, attrs: &[(&str, AttrValue)]) -> Result<Rerun> {
        let mut sources = Inputs { graph: Graph::new(crate::registry()?), values: Vec::new(), handles: Vec::new() };
        let mut inputs = Vec::new();
        for arg in args {
            inputs.push(match arg {
                Arg::References(args) => {
                    let mut references = Vec::new();
                    for arg in args {
                        let Arg::Variable(t) = arg else { return Err(Status::internal("no variable")) };
                        references.push(sources.variable(t.dtype(), PartialShape::from(t.shape()), Some(t))?);
                    }
                    InputArg::List(references)
                }
                Arg::One(t) => InputArg::One(sources.constant(t)?),
                Arg::List(l) => InputArg::List(l.into_iter().map(|t| sources.constant(t)).collect::<Result<_>>()?),
                Arg::Variable(t) => {
                    InputArg::One(sources.variable(t.dtype(), PartialShape::from(t.shape()), Some(t))?)
                }
                Arg::Handle(t) => InputArg::One(sources.handle(t)?),
                Arg::Reference(t) => InputArg::One(sources.reference(t)?),
                Arg::Uninitialized(dtype) => InputArg::One(sources.variable(dtype, PartialShape::unknown(), None)?),
            });
        }
        let Inputs { mut graph, values, handles } = sources;
        let attrs = attrs.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect();
        let spec = NodeSpec { op, name: "node", inputs, control_inputs: vec![], attrs, device: "" };
        let id = graph.add_node(spec).map_err(build)?;
        let node = graph.node(id)?.clone();
        let Some(factory) = node.op.kernel else { return Err(Status::unimplemented("no kernel")) };
        let resources = Resources::new();
        let types: Vec<_> = node.inputs.iter().map(|&i| Ok(graph.output(i)?.dtype)).collect::<Result<_>>()?;
        let kernel = factory(&KernelInit { node: &node, input_types: &types, resources: &resources })?;
        Ok(Rerun { node, kernel, inputs: values, handles, resources, locals: Arc::default() })
    }

    /// Returns `of_args` for ops without list inputs and variables.
    pub(crate) fn new(op: &str, inputs: &[Tensor], attrs: &[(&str, AttrValue)]) -> Result<Rerun> {
        Rerun::of_args(op, inputs.iter().map(|t| Arg::One(t.clone())).collect(), attrs)
    }

    /// Runs the kernel; its inputs are shared, as values that others read are. The values of the outputs that are no
    /// references. Fails as the kernel fails, or where an output does not fit its inferred shape or type.
    pub(crate) fn run(&self, threads: usize) -> Result<Vec<Tensor>> {
        self.run_on(self.inputs.clone(), threads)
    }

    /// Returns `run` with inputs that nothing else reads, so that the kernel may write to them.
    pub(crate) fn run_unshared(&self, threads: usize) -> Result<Vec<Tensor>> {
        self.run_on(self.inputs.iter().map(Tensor::deep_copy).collect::<Result<_>>()?, threads)
    }

    fn run_on(&self, mut inputs: Vec<Tensor>, threads: usize) -> Result<Vec<Tensor>> {
        let cancellation = Cancellation::new();
        let step = Step {
            threads: Threads::new(threads),
            cancellation: &cancellation,
            resources: &self.resources,
            locals: &self.locals,
            functions: no_functions(),
            rendezvous: None,
        };
        let mut outputs = vec![None; self.node.outputs.len()];
        let variables = Variables { handles: &self.handles, read_later: 0, written: SmallVec::new() };
        let mut context = KernelContext::new(&step, &self.node, &mut inputs, &mut outputs, variables);
        // As in a session, whose threads all flush.
        with_denormals_flushed(|| self.kernel.compute(&mut context))?;
        let mut results = Vec::new();
        for (value, declared) in outputs.into_iter().zip(&self.node.outputs) {
            // A reference to a variable has no value; one by name has.
            if declared.is_ref && value.is_none() {
                continue;
            }
            let value = value.ok_or_else(|| Status::internal("an output was not set"))?;
            // TF 1.x: the shapes of handles of TensorArrays and stacks are pairs, as they were when handles were
            // strings.
            let is_handle = value.dtype() == DType::Resource;
            let fits = is_handle || declared.shape.is_compatible_with(&PartialShape::from(value.shape()));
            if value.dtype() != declared.dtype || !fits {
                return Err(Status::internal(format!("{value:?} is not the declared {declared:?}")));
            }
            results.push(value);
        }
        Ok(results)
    }

    /// Returns the value of the variable that input `i` refers to or is a handle of.
    pub(crate) fn variable(&self, i: usize) -> Option<Tensor> {
        match &self.handles[i] {
            Some(variable) => variable.read(),
            None => ResourceHandle::from_tensor(&self.inputs[i]).ok()?.resource::<Variable>().ok()?.read(),
        }
    }

    /// Returns the inferred shapes of the outputs.
    pub(crate) fn shapes(&self) -> Vec<PartialShape> {
        self.node.outputs.iter().map(|o| o.shape.clone()).collect()
    }
}

/// Builds one node of `op`, infers its shapes and runs its kernel with `threads` threads.
/// Fails as graph construction or the kernel fails, or where an output does not fit its inferred shape or type.
pub(crate) fn run_args(op: &str, args: Vec<Arg>, attrs: &[(&str, AttrValue)], threads: usize) -> Result<Outcome> {
    let node = Rerun::of_args(op, args, attrs)?;
    Ok(Outcome { values: node.run(threads)?, shapes: node.shapes() })
}

/// Returns `run_args` for ops without list inputs, on one thread; the values of the outputs.
pub(crate) fn run(op: &str, inputs: &[Tensor], attrs: &[(&str, AttrValue)]) -> Result<Vec<Tensor>> {
    let args = inputs.iter().map(|t| Arg::One(t.clone())).collect();
    Ok(run_args(op, args, attrs, 1)?.values)
}

/// Returns `run` in a step that has these resources of its own, for ops that find them by name.
pub(crate) fn run_in_step(
    locals: &Arc<Resources>,
    op: &str,
    inputs: &[Tensor],
    attrs: &[(&str, AttrValue)],
) -> Result<Vec<Tensor>> {
    // Handles of the first generation come from references.
    let of_text = |i: usize, t: &Tensor| i == 0 && t.dtype() == DType::String;
    let is_first = crate::registry()?.get(op).is_some_and(|op| op.inputs.first().is_some_and(|arg| arg.is_ref));
    let args = inputs.iter().enumerate().map(|(i, t)| match is_first && of_text(i, t) {
        true => Arg::Reference(t.clone()),
        false => Arg::One(t.clone()),
    });
    let node = Rerun { locals: locals.clone(), ..Rerun::of_args(op, args.collect(), attrs)? };
    node.run(1)
}
