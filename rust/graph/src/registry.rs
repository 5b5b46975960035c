//! `Registry`: the op definitions by name; where ops and the runtime meet.

use crate::op_def::{Op, OpDef};
use ferroflow_tensor::{Result, Status};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Default)]
pub struct Registry {
    ops: FxHashMap<Arc<str>, Arc<OpDef>>,
    error: Option<Status>,
}

impl Registry {
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds an op; a faulty or repeated definition is reported by `finish`.
    pub fn add(&mut self, op: Op) {
        match op.finish() {
            Ok(def) => {
                let name = def.name.clone();
                if self.ops.insert(name.clone(), Arc::new(def)).is_some() {
                    self.error.get_or_insert(Status::internal(format!("op {name} is defined twice")));
                }
            }
            Err(e) => {
                self.error.get_or_insert(e);
            }
        }
    }

    /// Returns the registry, or the first fault among its definitions.
    pub fn finish(self) -> Result<Arc<Registry>> {
        match self.error {
            Some(e) => Err(e),
            None => Ok(Arc::new(self)),
        }
    }

    /// Adds the twin of a registered op that writes variables through handles (see `Op::over_handles`).
    pub fn add_over_handles(&mut self, name: &str) {
        match self.ops.get(name) {
            Some(def) => self.add(Op { def: OpDef::clone(def), error: None }.over_handles()),
            None => {
                self.error.get_or_insert(Status::internal(format!("op {name} is not defined")));
            }
        }
    }

    /// Adds a registered op under another name, which graphs have too.
    pub fn add_renamed(&mut self, name: &str, other: &str) {
        match self.ops.get(name) {
            Some(def) => self.add(Op { def: OpDef { name: other.into(), ..OpDef::clone(def) }, error: None }),
            None => {
                self.error.get_or_insert(Status::internal(format!("op {name} is not defined")));
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<OpDef>> {
        self.ops.get(name)
    }

    /// Returns all definitions, sorted by name.
    pub fn sorted(&self) -> Vec<&Arc<OpDef>> {
        let mut ops: Vec<_> = self.ops.values().collect();
        ops.sort_by(|a, b| a.name.cmp(&b.name));
        ops
    }
}
