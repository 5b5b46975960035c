//! Functions: bodies in graphs of their own, kept by name in a library, which kernels call through `Functions`.

use crate::graph::Graph;
use crate::node::{NodeId, OutputId};
use crate::registry::Registry;
use crate::wait::Cancellation;
use ferroflow_sync::{OnceLock, RwLock};
use ferroflow_tensor::{Result, Tensor, bail};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// A function: a graph with the outputs that stand for its arguments and those that are its results.
pub struct Function {
    pub name: String,
    pub graph: Arc<RwLock<Graph>>,
    pub arguments: Vec<OutputId>,
    pub results: Vec<OutputId>,
    /// Nodes that run at every call though no result reads them.
    pub effects: Vec<NodeId>,
}

/// The functions of a graph by name.
#[derive(Default)]
pub struct Library(RwLock<FxHashMap<String, Arc<Function>>>);

impl Library {
    /// Adds a function.
    ///
    /// Errors: `AlreadyExists` for a name in use.
    pub fn add(&self, function: Function) -> Result<()> {
        let mut functions = self.0.write();
        if functions.contains_key(&function.name) {
            bail!(AlreadyExists, "Another function is already defined with that name: {}", function.name);
        }
        functions.insert(function.name.clone(), Arc::new(function));
        Ok(())
    }

    /// Returns the function of that name.
    ///
    /// Errors: `NotFound`.
    pub fn get(&self, name: &str) -> Result<Arc<Function>> {
        match self.0.read().get(name) {
            Some(function) => Ok(function.clone()),
            None => bail!(NotFound, "Function {name} is not defined."),
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.read().contains_key(name)
    }
}

/// A function ready to be called, by several threads at once.
pub trait Callable: Send + Sync {
    /// Returns the results for the arguments. The caller's cancellation ends the call, unless the function is whole.
    fn call(&self, arguments: SmallVec<[Tensor; 4]>, cancellation: &Cancellation) -> Result<Vec<Tensor>>;

    /// Returns true if a call, once begun, runs to its end: its changes are then made once for each call.
    fn is_whole(&self) -> bool;

    /// Returns true if every call ends by itself: the function has no loop, and waits for nothing outside.
    fn is_bounded(&self) -> bool;
}

/// The functions of a session's graph.
pub trait Functions: Send + Sync {
    /// Returns the function of that name with state of its own: its random ops start at the first number of their
    /// streams.
    ///
    /// Errors: `NotFound` without such a function; those of planning its body.
    fn instance(self: Arc<Self>, name: &str) -> Result<Arc<dyn Callable>>;

    /// Returns the definition of the function of that name.
    ///
    /// Errors: `NotFound` without such a function, `Unimplemented` outside of a session.
    fn definition(&self, name: &str) -> Result<Arc<Function>> {
        bail!(Unimplemented, "function {name} cannot be read outside of a session")
    }

    /// Returns the ops of the session's graph.
    ///
    /// Errors: `Unimplemented` outside of a session.
    fn registry(&self) -> Result<Arc<Registry>> {
        bail!(Unimplemented, "there are no ops outside of a session")
    }

    /// Returns the functions of another library, which run as those of this session do.
    ///
    /// Errors: `Unimplemented` outside of a session.
    fn beside(&self, _library: Arc<Library>) -> Result<Arc<dyn Functions>> {
        bail!(Unimplemented, "functions cannot be added outside of a session")
    }
}

struct NoFunctions;

impl Functions for NoFunctions {
    fn instance(self: Arc<Self>, name: &str) -> Result<Arc<dyn Callable>> {
        bail!(Unimplemented, "function {name} cannot be called outside of a session")
    }
}

/// Returns the functions for kernels outside of a session: none.
pub fn no_functions() -> &'static Arc<dyn Functions> {
    static NONE: OnceLock<Arc<dyn Functions>> = OnceLock::new();
    NONE.get_or_init(|| Arc::new(NoFunctions))
}
