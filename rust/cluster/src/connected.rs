//! `Connected`: a session's tasks, once the target has answered.

use crate::peer::Peer;
use crate::task::Task;
use ferroflow_plan::{Rewrites, TaskDevices};
use ferroflow_runtime::Session;
use std::sync::Arc;

/// The connection from a session to a task.
pub(crate) enum Way {
    /// It lives in this process.
    Here(Arc<Task>),
    Away(Arc<Peer>),
}

/// A session whose target has answered.
pub(crate) struct Connected {
    pub members: Vec<Way>,
    /// Number of CPU devices of each task that has reported it.
    pub devices: Vec<TaskDevices>,
    pub session: Session,
    pub isolate: bool,
    pub rewrites: Rewrites,
    /// The tasks of other processes; the site of each is its position here plus one.
    pub peers: Vec<Arc<Peer>>,
    /// The site of each task; 0 for this process.
    pub sites: Vec<usize>,
}

impl Connected {
    /// Rises when containers of a task in this process are cleared.
    pub fn generation(&self) -> u64 {
        let of = |way: &Way| if let Way::Here(task) = way { task.generation() } else { 0 };
        self.members.iter().map(of).sum()
    }
}
