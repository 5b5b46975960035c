//! `Part`: what one process does in a step, and the edges between parts.

use crate::plan::Placed;
use crate::request::Request;
use ferroflow_graph::{AttrMap, NodeId, OutputId};
use ferroflow_tensor::PartialShape;

/// A node of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct PartNode {
    pub name: String,
    pub op: String,
    /// (node of the part, output).
    pub inputs: Vec<(u32, u32)>,
    pub control_inputs: Vec<u32>,
    pub attrs: AttrMap,
    /// The static types and shapes of the outputs.
    pub shapes: Vec<PartialShape>,
}

/// The part of a step that one process runs.
#[derive(Default)]
pub struct Part {
    pub nodes: Vec<PartNode>,
    /// The node of the whole graph for which each stands.
    pub origin: Vec<NodeId>,
    /// Nodes that are fed, and which of the step's feeds each is. Only the part of this process has any.
    pub feeds: Vec<(u32, usize)>,
    /// Outputs that are fetched, and which of the step's fetches each is.
    pub fetches: Vec<((u32, u32), usize)>,
    pub targets: Vec<u32>,
}

impl Part {
    /// Returns the part's feeds, fetches and targets.
    pub fn request(&self) -> Request {
        let output = |&(node, index): &(u32, u32)| OutputId { node, index };
        Request {
            feeds: self.feeds.iter().map(|&(node, _)| OutputId { node, index: 0 }).collect(),
            fetches: self.fetches.iter().map(|(o, _)| output(o)).collect(),
            targets: self.targets.clone(),
        }
    }
}

/// The source of a value that a part receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeSource {
    /// One of the step's feeds.
    Feed(usize),
    Site(usize),
}

/// A value on its way from one process to another; its position is the key of its rendezvous.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: EdgeSource,
    pub to: usize,
}

/// A step cut at the borders of processes, called sites. Site 0 is this process.
pub struct Split {
    /// By site; those that do nothing are empty.
    pub parts: Vec<Part>,
    pub edges: Vec<Edge>,
    /// All nodes of the step.
    pub placement: Vec<Placed>,
}
