//! Vocabulary of the engine: op definitions and their registry, attributes, shape inference, the graph, gating, and the
//! interfaces that kernels and resources implement.

#![forbid(unsafe_code)]

mod attr;
mod constant;
mod error;
mod facts;
mod function;
pub mod gating;
mod graph;
mod kernel;
mod node;
mod op_def;
mod registry;
mod rendezvous;
mod resource;
mod schema;
mod shape_context;
pub mod shape_rules;
mod specialize;
mod wait;

pub use attr::{AttrMap, AttrValue, Func};
pub use error::BuildError;
pub use facts::{ElementsPart, EpilogueForm, Fusion, ProductForms, Role, Stretch, written};
pub use function::{Callable, Function, Functions, Library, no_functions};
pub use graph::{Graph, InputArg, NodeSpec};
pub use kernel::{
    BlockingWork, Kernel, KernelContext, KernelFactory, KernelInit, Outputs, Prepared, ProgramKernel,
    ProgramKernelFactory, ShapeFunction, Step, Variables, kernel,
};
pub use node::{HandleType, Node, NodeId, OutputId, OutputType};
pub use op_def::{ArgDef, ArgType, AttrDef, AttrKind, Blocking, Elementwise, Flow, HandleSource, Op, OpDef, RefAccess};
pub use registry::Registry;
pub use rendezvous::Rendezvous;
pub use resource::{ResourceHandle, ResourceName, Resources, Unnamed, Variable, reference_tensor, resource_kernel};
pub use shape_context::{ShapeContext, ShapeFn};
pub use specialize::reshaped_variables;
pub use wait::{Bell, Cancellation, Pending};
