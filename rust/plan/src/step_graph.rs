//! `StepGraph`: the pruned graph of a request with its frames, feeds and variables, as all regions of the step see it.

use crate::context::Context;
use crate::flow::{FrameId, Frames};
use crate::request::is_fed_placeholder;
use crate::roots::{Roots, ref_inputs};
use ferroflow_graph::{Flow, Node, NodeId, OutputId};
use ferroflow_tensor::{DType, Result, bail};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::sync::Arc;

/// The use that a reader makes of a variable's handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HandleUse {
    /// As a value like any other.
    Handle,
    /// For the variable that it names.
    Variable,
}

impl HandleUse {
    pub fn of(node: &Node) -> HandleUse {
        if node.op.takes_handles { HandleUse::Variable } else { HandleUse::Handle }
    }
}

/// State that all regions of a step share.
pub(crate) struct StepGraph<'a> {
    pub cx: &'a Context<'a>,
    pub fed: &'a FxHashSet<OutputId>,
    pub feeds: &'a FxHashMap<OutputId, u32>,
    pub frames: &'a Frames,
    pub roots: &'a RefCell<Roots<'a>>,
    /// The nodes that read each Exit; one that is fetched has itself among them.
    pub exit_readers: &'a FxHashMap<NodeId, Vec<NodeId>>,
    /// Enters whose values the loops do not use.
    pub unused: &'a RefCell<FxHashSet<NodeId>>,
}

impl<'a> StepGraph<'a> {
    pub fn node(&self, id: NodeId) -> Result<&'a Arc<Node>> {
        self.cx.graph.node(id)
    }

    /// Returns the variable node that an output names or aliases.
    pub fn root(&self, o: OutputId) -> Result<Option<NodeId>> {
        self.roots.borrow_mut().of(o)
    }

    /// Returns the control inputs that count: a fed placeholder does not run.
    pub fn control<'n>(&'n self, node: &'n Node) -> impl Iterator<Item = NodeId> + 'n {
        node.control_inputs.iter().copied().filter(|&c| !is_fed_placeholder(self.cx.graph, c, self.fed))
    }

    /// Returns whether a value that leaves a loop is used; the loops after it must be planned.
    pub fn is_used(&self, exit: NodeId) -> bool {
        let unused = self.unused.borrow();
        self.exit_readers.get(&exit).is_some_and(|readers| readers.iter().any(|r| !unused.contains(r)))
    }

    /// Returns the Enter and the NextIteration of a Merge that is a loop variable.
    pub fn loop_variable(&self, merge: &Node) -> Result<Option<(NodeId, NodeId)>> {
        let (mut enter, mut next) = (None, None);
        for o in &merge.inputs {
            match self.node(o.node)?.op.flow {
                Some(Flow::NextIteration) => next = Some(o.node),
                Some(Flow::Enter) => enter = Some(o.node),
                _ => {}
            }
        }
        match (enter, next) {
            (Some(enter), Some(next)) if merge.inputs.len() == 2 => Ok(Some((enter, next))),
            (None, None) => Ok(None),
            // An Enter alone is a value like others.
            (Some(_), None) => Ok(None),
            _ => bail!(Unimplemented, "'{}' joins more than one start and one next value of a loop", merge.name),
        }
    }

    /// Returns the variables that nodes in a loop, or in loops nested in it, reach by reference.
    pub fn touched_variables(&self, frame: FrameId) -> Result<Vec<NodeId>> {
        let mut found = Vec::new();
        let mut frames = vec![frame];
        while let Some(f) = frames.pop() {
            let info = self.frames.get(f);
            frames.extend(&info.children);
            for &id in &info.members {
                let node = self.node(id)?;
                if node.op.flow.is_some() {
                    continue;
                }
                found.extend(self.passed_variables(node)?);
                for (&o, is_ref) in node.inputs.iter().zip(ref_inputs(node)) {
                    if is_ref && let Some(v) = self.root(o)? {
                        found.push(v);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the variables whose handles a node passes to functions, each once. The functions may write them.
    pub fn passed_variables(&self, node: &Node) -> Result<Vec<NodeId>> {
        let mut found = Vec::new();
        if !node.op.may_write_in_functions() {
            return Ok(found);
        }
        for &o in &node.inputs {
            if self.cx.graph.output(o)?.dtype == DType::Resource
                && let Some(v) = self.root(o)?
                && !found.contains(&v)
            {
                found.push(v);
            }
        }
        Ok(found)
    }

    /// Returns the node that decides whether a loop goes on, and the value with which it does.
    ///
    /// Errors: `InvalidArgument` if no single node decides.
    pub fn condition_of(&self, frame: FrameId) -> Result<(NodeId, bool)> {
        let info = self.frames.get(frame);
        let mut marked = Vec::new();
        let mut left_by: Vec<(NodeId, bool)> = Vec::new();
        for &id in &info.members {
            let node = self.node(id)?;
            match node.op.flow {
                Some(Flow::LoopCond) => marked.push(id),
                Some(Flow::Exit) if self.frames.is_border(node) => left_by.extend(self.exit_predicate(frame, node)?),
                _ => {}
            }
        }
        left_by.dedup();
        match (&marked[..], &left_by[..]) {
            (&[one], _) => Ok((one, left_by.iter().find(|(p, _)| *p == one).is_none_or(|(_, stays_if)| *stays_if))),
            // TensorFlow's executor does not need a LoopCond.
            (&[], &[(one, stays_if)]) => Ok((one, stays_if)),
            _ => bail!(InvalidArgument, "The loop '{}' needs one LoopCond", info.name),
        }
    }

    /// Returns the predicate of the Switch that an Exit's value comes from, perhaps through other nodes. Also returns
    /// the value of the predicate with which the loop continues.
    fn exit_predicate(&self, frame: FrameId, exit: &Node) -> Result<Option<(NodeId, bool)>> {
        let mut at = exit.inputs.first().copied();
        while let Some(o) = at {
            let from = self.node(o.node)?;
            match from.op.flow {
                Some(Flow::Switch) => return Ok(from.inputs.get(1).map(|predicate| (predicate.node, o.index == 0))),
                Some(_) => return Ok(None),
                None => {
                    let is_here = |i: &OutputId| self.node(i.node).is_ok_and(|n| self.frames.of_output(n) == frame);
                    at = from.inputs.iter().copied().find(is_here);
                }
            }
        }
        Ok(None)
    }
}

/// Returns whether a node's value is a handle, which is made and forwarded like any value.
pub(crate) fn gives_handle(node: &Node) -> bool {
    node.outputs.first().is_some_and(|o| o.dtype == DType::Resource)
}
