//! `LockKey`: which nodes of a step take the same lock.

use crate::step_graph::StepGraph;
use ferroflow_graph::{Flow, Node, OutputId, ResourceName, Role, Unnamed};
use ferroflow_tensor::{Result, bail};

/// The identity of a lock in a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LockKey {
    /// The container and the name of the resource.
    Named(String, String),
    /// A handle whose origin is unknown.
    Handle(OutputId),
}

impl LockKey {
    /// Returns the lock that a node takes; None if it takes none.
    pub fn of(step: &StepGraph<'_>, node: &Node) -> Result<Option<LockKey>> {
        let Some(&handle) = node.inputs.first() else { return Ok(None) };
        if !node.op.takes_lock {
            return Ok(None);
        }
        let mut at = handle;
        for _ in 0..=step.cx.graph.len() {
            let from = step.node(at.node)?;
            if step.feeds.contains_key(&at) {
                return Ok(Some(LockKey::Handle(at)));
            }
            let passes_on = from.op.role == Role::Identity || matches!(from.op.flow, Some(Flow::Switch | Flow::Enter));
            match from.inputs.first() {
                Some(&input) if passes_on => at = input,
                None if from.attrs.str("shared_name").is_ok() => {
                    let name = ResourceName::of_node(from, Unnamed::NodeName)?;
                    return Ok(Some(LockKey::Named(name.container, name.name)));
                }
                _ => return Ok(Some(LockKey::Handle(at))),
            }
        }
        bail!(InvalidArgument, "The graph contains a cycle through {}", step.node(at.node)?.name)
    }
}
