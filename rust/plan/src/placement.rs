//! Devices of a session, and which of them each node runs on.

use crate::roots::ref_inputs;
use ferroflow_graph::{Graph, Node, NodeId};
use ferroflow_tensor::{DType, Result, Status, bail};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// A processor as programs name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Device {
    pub job: String,
    pub task: u32,
    pub cpu: usize,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/job:{}/replica:0/task:{}/device:CPU:{}", self.job, self.task, self.cpu)
    }
}

/// A task of a cluster, which has a number of CPU devices; all are the same processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDevices {
    pub job: String,
    pub task: u32,
    pub cpus: usize,
}

/// The devices a session offers.
#[derive(Clone, Debug)]
pub struct Devices {
    /// Each with the position of its task.
    all: Vec<(Device, usize)>,
    tasks: usize,
    /// The task of nodes that request none.
    default_task: usize,
    /// Requests for devices that do not exist fall back to others.
    allow_soft_placement: bool,
}

impl Devices {
    /// Returns the devices of a session in one process.
    pub fn local(cpus: usize, allow_soft_placement: bool) -> Devices {
        let task = TaskDevices { job: "localhost".to_owned(), task: 0, cpus };
        Devices::of_tasks(&[task], 0, allow_soft_placement)
    }

    /// Returns the devices of several tasks; nodes that request no task are at the task with position `default_task`.
    pub fn of_tasks(tasks: &[TaskDevices], default_task: usize, allow_soft_placement: bool) -> Devices {
        let mut all = Vec::new();
        for (position, t) in tasks.iter().enumerate() {
            all.extend((0..t.cpus).map(|cpu| (Device { job: t.job.clone(), task: t.task, cpu }, position)));
        }
        Devices { all, tasks: tasks.len(), default_task, allow_soft_placement }
    }

    /// Returns full names, such as `/job:localhost/replica:0/task:0/device:CPU:0`.
    pub fn names(&self) -> Vec<String> {
        self.all.iter().map(|(d, _)| d.to_string()).collect()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn tasks(&self) -> usize {
        self.tasks
    }

    pub fn default_task(&self) -> usize {
        self.default_task
    }

    /// Returns the position of a device's task.
    pub fn task_of(&self, device: usize) -> usize {
        self.all.get(device).map_or(0, |(_, task)| *task)
    }

    /// Returns the device a node runs on that need not be with others.
    ///
    /// Errors: `InvalidArgument` for a device this session does not have, unless placement is soft.
    pub fn place(&self, node: &Node) -> Result<usize> {
        match Spec::parse(&node.device).and_then(|spec| self.find(&spec)) {
            Some(i) => Ok(i),
            None if self.allow_soft_placement && self.tasks == 1 => Ok(0),
            None => self.place_softly(node, &node.device),
        }
    }

    /// Returns another device of the requested task.
    fn place_softly(&self, node: &Node, requested: &str) -> Result<usize> {
        if self.allow_soft_placement {
            let found = Spec::parse(requested).and_then(|mut spec| {
                (spec.kind, spec.index) = (None, None);
                self.find(&spec)
            });
            if let Some(i) = found {
                return Ok(i);
            }
        }
        bail!(
            InvalidArgument,
            "Cannot assign a device for operation '{}': Operation was explicitly assigned to {requested} but available \
             devices are [ {} ]. Make sure the device specification refers to a valid device.",
            node.name,
            self.names().join(", ")
        )
    }

    /// Returns the first device that a request allows, of the default task where it may be.
    fn find(&self, spec: &Spec) -> Option<usize> {
        let mut first = None;
        for (i, (device, task)) in self.all.iter().enumerate() {
            if spec.allows(device) {
                if *task == self.default_task {
                    return Some(i);
                }
                first = first.or(Some(i));
            }
        }
        first
    }
}

/// A (partial) device string: what is named must be so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Spec {
    job: Option<String>,
    replica: Option<u32>,
    task: Option<u32>,
    /// In lower case.
    kind: Option<String>,
    index: Option<usize>,
}

impl Spec {
    /// Parses a device string; `None` if it is none.
    fn parse(text: &str) -> Option<Spec> {
        if !text.is_empty() && !text.starts_with('/') {
            return None;
        }
        let mut spec = Spec::default();
        for part in text.split('/').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once(':').unwrap_or((part, ""));
            let number = |v: &str| if matches!(v, "*" | "") { Some(None) } else { v.parse().ok().map(Some) };
            match key.to_ascii_lowercase().as_str() {
                "job" => spec.job = (!matches!(value, "*" | "")).then(|| value.to_owned()),
                "replica" => spec.replica = number(value)?,
                "task" => spec.task = number(value)?,
                "device" => {
                    let (kind, index) = value.split_once(':').unwrap_or((value, "*"));
                    spec.kind = (kind != "*").then(|| kind.to_ascii_lowercase());
                    spec.index = if index == "*" { None } else { Some(index.parse().ok()?) };
                }
                kind => {
                    spec.kind = Some(kind.to_owned());
                    spec.index = if matches!(value, "*" | "") { None } else { Some(value.parse().ok()?) };
                }
            }
        }
        Some(spec)
    }

    fn allows(&self, device: &Device) -> bool {
        self.job.as_ref().is_none_or(|j| *j == device.job)
            && self.replica.is_none_or(|r| r == 0)
            && self.task.is_none_or(|t| t == device.task)
            && self.kind.as_ref().is_none_or(|k| k == "cpu")
            && self.index.is_none_or(|i| i == device.cpu)
    }

    /// Merges two requests.
    ///
    /// Errors: the name of the part in which they differ.
    fn merge(&self, other: &Spec) -> Result<Spec, &'static str> {
        fn both<T: Clone + PartialEq>(
            a: &Option<T>,
            b: &Option<T>,
            part: &'static str,
        ) -> Result<Option<T>, &'static str> {
            match (a, b) {
                (Some(x), Some(y)) if x != y => Err(part),
                (a, b) => Ok(a.clone().or_else(|| b.clone())),
            }
        }
        Ok(Spec {
            job: both(&self.job, &other.job, "jobs")?,
            replica: both(&self.replica, &other.replica, "replicas")?,
            task: both(&self.task, &other.task, "tasks")?,
            kind: both(&self.kind, &other.kind, "types")?,
            index: both(&self.index, &other.index, "ids")?,
        })
    }
}

/// The device of every node of a graph whose session has several tasks. Nodes that share state or are colocated have one device.
#[derive(Clone, Default)]
pub struct Placement {
    /// By node id.
    devices: Vec<Result<u32>>,
    version: u64,
}

impl Placement {
    /// Places the nodes of a graph; nodes that `earlier` placed keep their devices.
    pub fn of(graph: &Graph, devices: &Devices, earlier: Option<&Placement>) -> Placement {
        let mut groups = Groups { parent: (0..graph.len() as NodeId).collect() };
        for node in graph.nodes() {
            for name in node.colocation() {
                if let Some(other) = graph.find(&name) {
                    groups.join(other, node.id);
                }
            }
            for (&o, is_ref) in node.inputs.iter().zip(ref_inputs(node)) {
                let is_state = graph.output(o).is_ok_and(|t| (is_ref && t.is_ref) || t.dtype == DType::Resource);
                if is_state {
                    groups.join(o.node, node.id);
                }
            }
        }
        let mut of_group: FxHashMap<NodeId, Result<u32>> = FxHashMap::default();
        let mut specs: FxHashMap<NodeId, (Spec, NodeId)> = FxHashMap::default();
        for node in graph.nodes() {
            let group = groups.find(node.id);
            if let Some(Ok(device)) = earlier.and_then(|e| e.devices.get(node.id as usize)) {
                of_group.insert(group, Ok(*device));
                continue;
            }
            if of_group.contains_key(&group) {
                continue;
            }
            let Some(spec) = Spec::parse(&node.device) else {
                of_group.insert(group, Err(malformed(node)));
                continue;
            };
            match specs.get_mut(&group) {
                None => {
                    specs.insert(group, (spec, node.id));
                }
                Some((merged, first)) => match merged.merge(&spec) {
                    Ok(both) => *merged = both,
                    Err(_) if devices.allow_soft_placement => {}
                    Err(part) => {
                        let failure = incompatible(graph, *first, node, part);
                        of_group.insert(group, Err(failure));
                    }
                },
            }
        }
        let mut placed = Vec::with_capacity(graph.len());
        for node in graph.nodes() {
            let group = groups.find(node.id);
            let of = of_group.entry(group).or_insert_with(|| {
                let spec = specs.get(&group).map(|(s, _)| s.clone()).unwrap_or_default();
                match devices.find(&spec) {
                    Some(i) => Ok(i as u32),
                    None => devices.place_softly(node, &node.device).map(|i| i as u32),
                }
            });
            placed.push(of.clone());
        }
        Placement { devices: placed, version: graph.version() }
    }

    /// Returns the placement of a graph whose nodes stand for these.
    pub fn of_part(&self, origin: &[NodeId]) -> Placement {
        let of = |&id: &NodeId| self.device(id).map(|d| d as u32);
        Placement { devices: origin.iter().map(of).collect(), version: self.version }
    }

    /// Returns the version of the graph that was placed.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn device(&self, node: NodeId) -> Result<usize> {
        match self.devices.get(node as usize) {
            Some(Ok(device)) => Ok(*device as usize),
            Some(Err(e)) => Err(e.clone()),
            None => bail!(Internal, "node {node} was not placed"),
        }
    }
}

fn malformed(node: &Node) -> Status {
    Status::invalid_argument(format!("Malformed device specification '{}' of node {}", node.device, node.name))
}

fn incompatible(graph: &Graph, first: NodeId, node: &Arc<Node>, part: &str) -> Status {
    let first = graph.node(first).map(|n| (n.name.to_string(), n.device.to_string())).unwrap_or_default();
    Status::invalid_argument(format!(
        "Cannot colocate nodes '{}' and '{}': Cannot merge devices with incompatible {part}: '{}' and '{}'",
        first.0, node.name, first.1, node.device
    ))
}

/// Sets of nodes that are placed together.
struct Groups {
    parent: Vec<NodeId>,
}

impl Groups {
    fn find(&mut self, id: NodeId) -> NodeId {
        let mut at = id;
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_strings_of_every_spelling() {
        let d = Devices::local(2, false);
        for (text, expected) in [
            ("", Some(0)),
            ("/cpu:0", Some(0)),
            ("/CPU:1", Some(1)),
            ("/device:CPU:1", Some(1)),
            ("/job:localhost/replica:0/task:0/device:CPU:1", Some(1)),
            ("/device:CPU:*", Some(0)),
            ("/cpu:2", None),
            ("/gpu:0", None),
            ("/device:GPU:0", None),
            ("/job:worker/task:1", None),
            ("/task:x", None),
        ] {
            assert_eq!(Spec::parse(text).and_then(|s| d.find(&s)), expected, "{text}");
        }
    }

    #[test]
    fn a_request_goes_to_the_default_task_where_it_may() {
        let task = |job: &str, task, cpus| TaskDevices { job: job.to_owned(), task, cpus };
        let d = Devices::of_tasks(&[task("ps", 0, 1), task("worker", 0, 1), task("worker", 1, 2)], 2, false);
        for (text, expected) in [
            ("", "/job:worker/replica:0/task:1/device:CPU:0"),
            ("/job:ps", "/job:ps/replica:0/task:0/device:CPU:0"),
            ("/job:worker", "/job:worker/replica:0/task:1/device:CPU:0"),
            ("/task:0", "/job:ps/replica:0/task:0/device:CPU:0"),
            ("/cpu:1", "/job:worker/replica:0/task:1/device:CPU:1"),
        ] {
            let found = Spec::parse(text).and_then(|s| d.find(&s)).map(|i| d.names()[i].clone());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn requests_merge_unless_they_differ() {
        let spec = |t: &str| Spec::parse(t).unwrap();
        assert_eq!(spec("/job:ps").merge(&spec("/task:1/cpu:0")), Ok(spec("/job:ps/task:1/cpu:0")));
        assert_eq!(spec("/job:ps").merge(&spec("/job:worker")), Err("jobs"));
    }
}
