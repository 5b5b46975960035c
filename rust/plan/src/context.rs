//! `Context`: the graph, the devices and the kernels that a plan is made from.

use crate::placement::{Devices, Placement};
use crate::rewrites::Rewrites;
use ferroflow_graph::{Graph, Kernel, Node, Resources};
use ferroflow_tensor::{DType, Result};
use std::sync::Arc;

/// Makes a node's kernel, or returns the one that the session keeps for it.
pub type KernelSource<'a> = dyn Fn(&Arc<Node>, &[DType], &Resources) -> Result<Arc<dyn Kernel>> + 'a;

/// The options of a session that plans depend on.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    pub devices: Devices,
    /// The rewrites that may make steps faster. Without rewrites every node runs by itself.
    pub rewrites: Rewrites,
}

/// The tasks whose nodes one session runs.
#[derive(Clone, Copy)]
pub struct Tasks<'a> {
    pub placement: &'a Placement,
    /// The state of each task, by its position in `PlanOptions::devices`.
    pub resources: &'a [Arc<Resources>],
}

#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub graph: &'a Graph,
    /// The session's own state, which nodes find unless they belong to one of several tasks.
    pub resources: &'a Resources,
    pub options: &'a PlanOptions,
    /// None if the session has one task.
    pub tasks: Option<Tasks<'a>>,
    pub kernel: &'a KernelSource<'a>,
}

impl<'a> Context<'a> {
    /// Returns the index of the device that a node runs on.
    pub fn device(&self, node: &Node) -> Result<usize> {
        match &self.tasks {
            None => self.options.devices.place(node),
            Some(tasks) => tasks.placement.device(node.id),
        }
    }

    /// Returns the position of a node's task; None if the session has one task.
    pub fn task(&self, node: &Node) -> Result<Option<u32>> {
        let Some(tasks) = &self.tasks else { return Ok(None) };
        let task = self.options.devices.task_of(tasks.placement.device(node.id)?);
        Ok((task < tasks.resources.len()).then_some(task as u32))
    }

    /// Returns the state that a node finds.
    pub fn resources_of(&self, node: &Node) -> Result<&'a Resources> {
        match (&self.tasks, self.task(node)?) {
            (Some(tasks), Some(task)) => Ok(&tasks.resources[task as usize]),
            _ => Ok(self.resources),
        }
    }
}
