//! `OpDef`: all that is known of an op (schema, doc, shape rule, kernel), and `Op`, its builder.

use crate::attr::{AttrMap, AttrValue};
use crate::error::BuildError;
use crate::facts::{ElementsPart, Fusion, Role, Stretch};
use crate::kernel::{Kernel, KernelFactory, KernelInit, ProgramKernel, ProgramKernelFactory, ShapeFunction};
use crate::node::HandleType;
use crate::schema;
use crate::shape_context::{ShapeContext, ShapeFn};
use ferroflow_tensor::elementwise::StretchedShape;
use ferroflow_tensor::vector::{Binary, Compare, Logical, Unary};
use ferroflow_tensor::{DType, Result, Status};
use std::sync::Arc;

/// The type of an input or output argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgType {
    Fixed(DType),
    /// The type that the `type` attribute of this name holds.
    Attr(Arc<str>),
}

/// One argument of the schema; it stands for one tensor, or for a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgDef {
    pub name: Arc<str>,
    pub ty: ArgType,
    pub is_ref: bool,
    /// `N * T`: the int attribute that counts the tensors.
    pub number_attr: Option<Arc<str>>,
    /// `T` is a `list(type)` attribute: one tensor for each of its types.
    pub is_type_list: bool,
}

impl ArgDef {
    pub fn is_list(&self) -> bool {
        self.is_type_list || self.number_attr.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    Int,
    Float,
    Bool,
    Str,
    Type,
    Shape,
    Tensor,
    Func,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AttrDef {
    pub name: Arc<str>,
    pub kind: AttrKind,
    pub is_list: bool,
    pub default: Option<AttrValue>,
    /// Least int, or least length of a list.
    pub minimum: Option<i64>,
    /// Allowed types; empty: any.
    pub allowed_types: Vec<DType>,
    /// Allowed strings; empty: any.
    pub allowed_strings: Vec<String>,
}

impl AttrDef {
    /// Returns `int`, `list(type)` ...: the word of op schemas.
    pub fn type_name(&self) -> String {
        let one = match self.kind {
            AttrKind::Int => "int",
            AttrKind::Float => "float",
            AttrKind::Bool => "bool",
            AttrKind::Str => "string",
            AttrKind::Type => "type",
            AttrKind::Shape => "shape",
            AttrKind::Tensor => "tensor",
            AttrKind::Func => "func",
        };
        if self.is_list { format!("list({one})") } else { one.to_owned() }
    }
}

/// The access of an op to the variables that its reference inputs, or its handles of variables, name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefAccess {
    /// Makes a new version (Assign, ScatterAdd, ApplyAdam).
    Write,
    /// Inspects the variable itself, initialized or not (IsVariableInitialized).
    Inspect,
    /// Needs the value behind a handle (ReadVariableOp, ResourceGather). If the planner finds the variable, the kernel
    /// gets the value in the handle's place.
    Read,
}

/// The way in which a kernel blocks its thread outside the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// It runs code of the program, which may take any time and may wait for anything, another node of its step included.
    Code,
    /// It hands out an element of an input pipeline, which may run code of the program.
    Pipeline,
    /// It reads or writes files, and ends by itself.
    Files,
    /// It computes for long on one thread, as decoders of pictures do.
    Decoding,
}

impl Blocking {
    /// Returns true if the kernel may wait without end, also for other nodes of its step.
    pub fn may_hang(self) -> bool {
        matches!(self, Blocking::Code | Blocking::Pipeline)
    }
}

/// The part an op plays in conditionals and loops, which the planner resolves; such ops have no kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Hands input 0 to output 1 where input 1 is true, to output 0 otherwise.
    Switch,
    /// Forwards the one input that has a value.
    Merge,
    /// Brings a value into the loop that its `frame_name` names.
    Enter,
    /// Brings a value out of the loop.
    Exit,
    NextIteration,
    /// Marks the value that decides whether the loop goes on.
    LoopCond,
}

/// The function that an op applies to each element: the planner may fuse it with its neighbours, and run it on scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elementwise {
    Unary(Unary),
    Binary(Binary),
    Compare(Compare),
    Logical(Logical),
    Not,
    /// Input 1 where input 0 is true, else input 2; other shapes of input 0 than the output's have a meaning of their own.
    Select,
    /// Converts to the dtype of the output.
    Cast,
    /// Adds its inputs from the first to the last.
    Sum,
}

/// The source of the known type behind a handle.
#[derive(Clone, Copy)]
pub enum HandleSource {
    Unknown,
    /// The op makes the handle, and its attributes hold the type.
    Attrs(fn(&AttrMap) -> Option<HandleType>),
    /// The node's attributes and inputs hold the type.
    Node(fn(&ShapeContext<'_>) -> Option<HandleType>),
    /// The handle stands for values of the same type as input 0's.
    FirstInput,
}

#[derive(Clone)]
pub struct OpDef {
    pub name: Arc<str>,
    pub inputs: Vec<ArgDef>,
    pub outputs: Vec<ArgDef>,
    pub attrs: Vec<AttrDef>,
    /// Has state or side effects: never merged with an equal op, never folded, never dropped as dead when it is a target.
    pub is_stateful: bool,
    /// True if TensorFlow's registry calls the op stateful; None if it says the same as `is_stateful`. OpDefs and signatures have it.
    pub listed_stateful: Option<bool>,
    pub is_commutative: bool,
    pub is_aggregate: bool,
    /// Output 0 is input 0 itself; readers of it read the variable behind it.
    pub is_alias: bool,
    /// Its output names a variable of the session (`VariableV2`).
    pub is_variable: bool,
    /// Its kernel runs code of the program: never while a graph is built or planned.
    pub is_foreign: bool,
    /// Its kernel may have to wait for something outside the step; it then leaves a `Pending`.
    pub may_wait: bool,
    /// Takes the lock that input 0 names, and holds it until the readers of output 0 have run.
    pub takes_lock: bool,
    /// Other processes may wait for it: it goes as early in a step as its inputs allow.
    pub is_urgent: bool,
    /// Its kernel may block, by `KernelContext::run_blocking`: where the plan says so, that part runs on another thread.
    pub blocking: Option<Blocking>,
    pub ref_access: RefAccess,
    /// Its inputs of type resource are handles of variables.
    pub takes_handles: bool,
    /// Gives the variable of input 0 the value of input 1, of any shape unless the attribute `validate_shape` is true.
    pub may_reshape_variable: bool,
    /// Output 0 is the value that the handle's variable has in the step when the op's turn comes (ReadVariableOp).
    pub is_snapshot: bool,
    pub elementwise: Option<Elementwise>,
    pub flow: Option<Flow>,
    pub role: Role,
    pub fusion: Option<Fusion>,
    pub stretch: Option<Stretch>,
    /// Its outputs follow from the shapes of its inputs alone.
    pub reads_shapes: bool,
    /// Output 0 has the elements of input 0 in their order.
    pub keeps_elements: bool,
    /// Output 0 has the elements of input 0 in their order if input 1 has no elements.
    pub keeps_elements_without_axes: bool,
    pub elements: Option<ElementsPart>,
    /// The input of which kernels keep a prepared form while it stays the same, and the attribute by which forms differ.
    pub prepares: Option<(usize, &'static str)>,
    /// The source of the types behind the handles that the op outputs.
    pub handle_source: HandleSource,
    /// Stateful for its effects or its identity alone: its kernel keeps nothing from one run to the next.
    pub is_memoryless: bool,
    /// Its only effect is that it may fail.
    pub only_checks: bool,
    /// Its kernel may run for any time without waiting: an interrupt must reach it.
    pub is_unbounded: bool,
    /// Allows GraphDefs of older TensorFlow, which lack the last input. It is then the first input.
    pub last_input_may_be_first: bool,
    /// The attributes of a real type and of the complex type over it, which must fit each other.
    pub paired_types: Option<[&'static str; 2]>,
    /// The op that does the same with values in place of references.
    pub value_form: Option<Arc<str>>,
    pub doc: &'static str,
    pub shape: Option<ShapeFn>,
    pub kernel: Option<KernelFactory>,
    pub kernel_of_program: Option<ProgramKernel>,
    pub kernel_of_shape: Option<fn(&KernelInit<'_>) -> Result<ShapeFunction>>,
}

impl OpDef {
    /// Returns true if two equal nodes may differ in values or effects. The op is stateful, or handles a resource, as a
    /// table's lookup does, which TF does not call stateful.
    pub fn has_effects(&self) -> bool {
        self.is_stateful || self.inputs.iter().any(|a| a.ty == ArgType::Fixed(DType::Resource))
    }

    /// Returns true if the op's kernels keep state between runs: two instances of a function must not share it.
    pub fn keeps_state(&self) -> bool {
        self.is_stateful && !self.is_foreign && !self.is_variable && !self.is_memoryless
    }

    /// Returns true if its kernel calls functions, which may write the variables whose handles it passes to them.
    pub fn may_write_in_functions(&self) -> bool {
        self.blocking == Some(Blocking::Code) && self.attrs.iter().any(|a| a.kind == AttrKind::Func)
    }

    /// Returns whether OpDefs call the op stateful, as TensorFlow's do.
    pub fn is_listed_stateful(&self) -> bool {
        self.listed_stateful.unwrap_or(self.is_stateful)
    }

    pub fn attr(&self, name: &str) -> Option<&AttrDef> {
        self.attrs.iter().find(|a| &*a.name == name)
    }

    /// Checks that the real type and the complex type of a node fit each other.
    pub(crate) fn check_paired_types(&self, attrs: &AttrMap) -> Result<(), BuildError> {
        let Some([real, complex]) = self.paired_types else { return Ok(()) };
        let (r, c) = (attrs.dtype(real)?, attrs.dtype(complex)?);
        if r.complex() == Some(c) {
            return Ok(());
        }
        let has_type = |arg: &&ArgDef, name: &str| matches!(&arg.ty, ArgType::Attr(attr) if **attr == *name);
        let (arg, got, expected) = match self.inputs.iter().find(|a| has_type(a, real)) {
            Some(arg) => (Some(arg), r, Some(c.real())),
            None => (self.inputs.iter().find(|a| has_type(a, complex)), c, r.complex()),
        };
        Err(BuildError::type_error(format!(
            "Input '{}' of '{}' Op has type {} that does not match expected type of {}.",
            arg.map_or("", |a| &a.name),
            self.name,
            got.name(),
            expected.map_or("none", DType::name)
        )))
    }
}

/// Builder of an `OpDef`; schema strings have TensorFlow's syntax (`"values: N * T"`, `"T: {float, double} = DT_FLOAT"`).
pub struct Op {
    pub(crate) def: OpDef,
    pub(crate) error: Option<Status>,
}

impl Op {
    pub fn new(name: &str) -> Op {
        Op {
            def: OpDef {
                name: name.into(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                attrs: Vec::new(),
                is_stateful: false,
                listed_stateful: None,
                is_commutative: false,
                is_aggregate: false,
                is_alias: false,
                is_variable: false,
                is_foreign: false,
                may_wait: false,
                takes_lock: false,
                is_urgent: false,
                blocking: None,
                ref_access: RefAccess::Write,
                takes_handles: false,
                may_reshape_variable: false,
                is_snapshot: false,
                elementwise: None,
                flow: None,
                role: Role::Compute,
                fusion: None,
                stretch: None,
                reads_shapes: false,
                keeps_elements: false,
                keeps_elements_without_axes: false,
                elements: None,
                prepares: None,
                handle_source: HandleSource::Unknown,
                is_memoryless: false,
                only_checks: false,
                is_unbounded: false,
                last_input_may_be_first: false,
                paired_types: None,
                value_form: None,
                doc: "",
                shape: None,
                kernel: None,
                kernel_of_program: None,
                kernel_of_shape: None,
            },
            error: None,
        }
    }

    fn keep<T>(&mut self, parsed: Result<T>) -> Option<T> {
        match parsed {
            Ok(v) => Some(v),
            Err(e) => {
                let name = &self.def.name;
                self.error.get_or_insert(Status::internal(format!("schema of {name}: {}", e.message())));
                None
            }
        }
    }

    /// Returns `"name: T"`, `"name: N * T"`, `"name: Ref(T)"`, `"name: float"`.
    #[must_use]
    pub fn input(mut self, text: &str) -> Op {
        let arg = self.keep(schema::parse_arg(text));
        self.def.inputs.extend(arg);
        self
    }

    #[must_use]
    pub fn output(mut self, text: &str) -> Op {
        let arg = self.keep(schema::parse_arg(text));
        self.def.outputs.extend(arg);
        self
    }

    /// Computes `"T: {float, double} = DT_FLOAT"`, `"N: int >= 1"`, `"shape: shape = { unknown_rank: true }"`.
    #[must_use]
    pub fn attr(mut self, text: &str) -> Op {
        let attr = self.keep(schema::parse_attr(text));
        self.def.attrs.extend(attr);
        self
    }

    #[must_use]
    pub fn stateful(mut self) -> Op {
        self.def.is_stateful = true;
        self
    }

    /// Sets the `is_stateful` of TensorFlow's registry, where it differs. Plans read `is_stateful` alone.
    #[must_use]
    pub fn listed_stateful(mut self, is_stateful: bool) -> Op {
        self.def.listed_stateful = Some(is_stateful);
        self
    }

    /// Allows GraphDefs of older TensorFlow, which lack the last input. It is then the first input.
    #[must_use]
    pub fn last_input_may_be_first(mut self) -> Op {
        self.def.last_input_may_be_first = true;
        self
    }

    #[must_use]
    pub fn commutative(mut self) -> Op {
        self.def.is_commutative = true;
        self
    }

    #[must_use]
    pub fn aggregate(mut self) -> Op {
        self.def.is_aggregate = true;
        self
    }

    #[must_use]
    pub fn alias(mut self) -> Op {
        self.def.is_alias = true;
        self
    }

    #[must_use]
    pub fn variable(mut self) -> Op {
        self.def.is_variable = true;
        self.stateful()
    }

    #[must_use]
    pub fn foreign(mut self) -> Op {
        self.def.is_foreign = true;
        self
    }

    #[must_use]
    pub fn may_wait(mut self) -> Op {
        self.def.may_wait = true;
        self
    }

    /// Declares that the op waits for the lock that input 0 names, and holds it until the readers of output 0 have run.
    #[must_use]
    pub fn takes_lock(mut self) -> Op {
        self.def.takes_lock = true;
        self.may_wait()
    }

    /// Declares that other processes may wait for the op, so that it goes as early in a step as its inputs allow.
    #[must_use]
    pub fn urgent(mut self) -> Op {
        self.def.is_urgent = true;
        self
    }

    /// Declares that the kernel blocks by `KernelContext::run_blocking`.
    #[must_use]
    pub fn blocks(mut self, how: Blocking) -> Op {
        self.def.blocking = Some(how);
        self
    }

    /// Declares that reference inputs are inspected, not written.
    #[must_use]
    pub fn inspects_ref(mut self) -> Op {
        self.def.ref_access = RefAccess::Inspect;
        self
    }

    /// Declares that inputs of type resource are handles of variables, for this access.
    #[must_use]
    pub fn handles(mut self, access: RefAccess) -> Op {
        self.def.takes_handles = true;
        self.def.ref_access = access;
        self.stateful()
    }

    /// Declares what is known of the values behind the handles that the op outputs.
    #[must_use]
    pub fn handle_source(mut self, source: HandleSource) -> Op {
        self.def.handle_source = source;
        self
    }

    /// Declares that the op gives the value of its handle's variable.
    #[must_use]
    pub fn snapshot(mut self) -> Op {
        self.def.is_snapshot = true;
        self.handles(RefAccess::Read)
    }

    /// Returns `self`, which writes variables through references, as the op that does so through handles: "Resource"
    /// before its name, handles for references, no output. Its kernel and shape rule see no difference.
    #[must_use]
    pub fn over_handles(mut self) -> Op {
        self.def.name = format!("Resource{}", self.def.name).into();
        for arg in self.def.inputs.iter_mut().filter(|a| a.is_ref) {
            (arg.is_ref, arg.ty) = (false, ArgType::Fixed(DType::Resource));
        }
        self.def.outputs.retain(|a| !a.is_ref);
        self.handles(RefAccess::Write)
    }

    /// Declares that the op computes this elementwise function of its inputs.
    #[must_use]
    pub fn elementwise(mut self, f: Elementwise) -> Op {
        self.def.elementwise = Some(f);
        self
    }

    #[must_use]
    pub fn flow(mut self, part: Flow) -> Op {
        self.def.flow = Some(part);
        self
    }

    /// Sets the role of the op's nodes in a plan, if it is not to run the kernel.
    #[must_use]
    pub fn role(mut self, role: Role) -> Op {
        self.def.role = role;
        self
    }

    #[must_use]
    pub fn fusion(mut self, fusion: Fusion) -> Op {
        self.def.fusion = Some(fusion);
        self
    }

    /// Declares that the op only repeats the elements of input `of`, up to a shape that follows from input `by`. `shape`
    /// checks these as the kernel does.
    #[must_use]
    pub fn stretches(mut self, of: usize, by: usize, shape: StretchedShape) -> Op {
        self.def.stretch = Some(Stretch { of, by, shape });
        self
    }

    /// Declares that the outputs follow from the shapes of the inputs alone.
    #[must_use]
    pub fn reads_shapes(mut self) -> Op {
        self.def.reads_shapes = true;
        self
    }

    /// Declares that output 0 has the elements of input 0 in their order.
    #[must_use]
    pub fn keeps_elements(mut self) -> Op {
        self.def.keeps_elements = true;
        self
    }

    /// Declares the part that the op plays for a list or an array of tensors.
    #[must_use]
    pub fn elements(mut self, part: ElementsPart) -> Op {
        self.def.elements = Some(part);
        self
    }

    /// Declares that the op reduces along the axes of input 1, and changes no bit if there are none.
    #[must_use]
    pub fn keeps_elements_without_axes(mut self) -> Op {
        self.def.keeps_elements_without_axes = true;
        self
    }

    /// Declares that the variable of input 0 gets the value of input 1, or none. Its shape may change, unless the attribute
    /// `validate_shape` is true.
    #[must_use]
    pub fn may_reshape_variable(mut self) -> Op {
        self.def.may_reshape_variable = true;
        self
    }

    /// Declares that the kernel uses `KernelContext::take_prepared` for an input. Ops that do so for inputs of one type
    /// make the same of them if the attribute is the same.
    #[must_use]
    pub fn prepares(mut self, input: usize, attr: &'static str) -> Op {
        self.def.prepares = Some((input, attr));
        self
    }

    /// Declares that the op is stateful, but its kernel keeps nothing from one run to the next.
    #[must_use]
    pub fn memoryless(mut self) -> Op {
        self.def.is_memoryless = true;
        self.stateful()
    }

    /// Declares that the op's only effect is that it may fail.
    #[must_use]
    pub fn only_checks(mut self) -> Op {
        self.def.only_checks = true;
        self.memoryless()
    }

    /// Declares that the op's kernel may run for any time without waiting.
    #[must_use]
    pub fn unbounded(mut self) -> Op {
        self.def.is_unbounded = true;
        self
    }

    /// Declares that attribute `complex` must be the complex type over the type of attribute `real`.
    #[must_use]
    pub fn paired_types(mut self, real: &'static str, complex: &'static str) -> Op {
        self.def.paired_types = Some([real, complex]);
        self
    }

    /// Declares that the op does with references what the op of this name does with values.
    #[must_use]
    pub fn value_form(mut self, name: &str) -> Op {
        self.def.value_form = Some(name.into());
        self
    }

    #[must_use]
    pub fn doc(mut self, text: &'static str) -> Op {
        self.def.doc = text;
        self
    }

    #[must_use]
    pub fn shape(mut self, f: ShapeFn) -> Op {
        self.def.shape = Some(f);
        self
    }

    /// Returns the kernel's constructor; called once per node and session.
    #[must_use]
    pub fn kernel(mut self, f: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>) -> Op {
        self.def.kernel = Some(f);
        self
    }

    /// Declares that the op reads only the shape of its input, and returns the constructor of the function of it.
    #[must_use]
    pub fn kernel_of_shape(mut self, f: fn(&KernelInit<'_>) -> Result<ShapeFunction>) -> Op {
        self.def.kernel_of_shape = Some(f);
        self
    }

    /// Sets the constructor of the kernel that computes an input by a program of float32 or float64.
    #[must_use]
    pub fn kernel_of_program(mut self, input: usize, make: ProgramKernelFactory) -> Op {
        self.def.kernel_of_program = Some(ProgramKernel { input, make });
        self
    }

    /// Checks that arguments and attributes agree: every attribute an argument names exists and has the right kind.
    pub(crate) fn finish(mut self) -> Result<OpDef> {
        if let Some(e) = self.error {
            return Err(e);
        }
        for arg in self.def.inputs.iter_mut().chain(&mut self.def.outputs) {
            let known = |name: &str, kind| {
                let found = self.def.attrs.iter().find(|a| &*a.name == name && a.kind == kind);
                found.ok_or_else(|| {
                    Status::internal(format!("schema of {}: argument {} names no attr {name}", self.def.name, arg.name))
                })
            };
            if let Some(n) = &arg.number_attr {
                known(n, AttrKind::Int)?;
            }
            if let ArgType::Attr(t) = &arg.ty {
                arg.is_type_list = known(t, AttrKind::Type)?.is_list;
            }
        }
        Ok(self.def)
    }
}
