//! `Cluster`: the tasks of a session, by job and index.

use crate::address::Address;
use ferroflow_proto::tensorflow::ClusterDef;
use ferroflow_tensor::{Result, bail};

/// A task's place in its cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskName {
    pub job: String,
    pub index: u32,
}

impl std::fmt::Display for TaskName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/job:{}/replica:0/task:{}", self.job, self.index)
    }
}

/// The tasks of a cluster with their addresses, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    pub tasks: Vec<(TaskName, Address)>,
}

impl Cluster {
    /// Errors: `InvalidArgument` for an address without a host or a port, and for a negative index.
    pub fn from_message(def: &ClusterDef) -> Result<Cluster> {
        let mut tasks = Vec::new();
        for job in &def.job {
            for (&index, address) in &job.tasks {
                let Ok(index) = u32::try_from(index) else {
                    bail!(InvalidArgument, "Task index {index} of job {} must not be negative", job.name);
                };
                tasks.push((TaskName { job: job.name.clone(), index }, Address::parse(address)?));
            }
        }
        tasks.sort_by(|a, b| a.0.cmp(&b.0));
        tasks.dedup_by(|a, b| a.0 == b.0);
        Ok(Cluster { tasks })
    }

    /// Errors: `InvalidArgument` for bytes that are no ClusterDef, and those of `from_message`.
    pub fn decode(bytes: &[u8]) -> Result<Cluster> {
        match <ClusterDef as ferroflow_proto::Message>::decode(bytes) {
            Ok(def) => Cluster::from_message(&def),
            Err(e) => bail!(InvalidArgument, "Could not read the ClusterDef: {e}"),
        }
    }

    pub fn address(&self, name: &TaskName) -> Option<&Address> {
        self.tasks.iter().find(|(n, _)| n == name).map(|(_, a)| a)
    }

    /// Returns the position of the task with that address.
    pub fn at(&self, address: &Address) -> Option<usize> {
        self.tasks.iter().position(|(_, a)| a.is_same(address))
    }

    /// Returns the tasks that some filter (`/job:ps`, `/job:worker/task:3`) names; all of them without filters.
    pub fn visible(&self, filters: &[String], own: Option<&TaskName>) -> Cluster {
        let is_visible = |name: &TaskName| filters.is_empty() || filters.iter().any(|f| allows(f, name));
        let tasks = self.tasks.iter().filter(|(n, _)| Some(n) == own || is_visible(n)).cloned().collect();
        Cluster { tasks }
    }
}

/// Returns true if a (partial) device string names the task.
fn allows(filter: &str, name: &TaskName) -> bool {
    filter.split('/').filter(|p| !p.is_empty()).all(|part| {
        let (key, value) = part.split_once(':').unwrap_or((part, ""));
        match key {
            "job" => matches!(value, "" | "*") || value == name.job,
            "replica" => matches!(value, "" | "*" | "0"),
            "task" => matches!(value, "" | "*") || value.parse() == Ok(name.index),
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> Cluster {
        let task = |job: &str, index, port| {
            (TaskName { job: job.to_owned(), index }, Address { host: "localhost".to_owned(), port })
        };
        Cluster { tasks: vec![task("ps", 0, 1), task("worker", 0, 2), task("worker", 1, 3)] }
    }

    #[test]
    fn filters_name_what_is_visible_and_a_task_always_sees_itself() {
        let names = |filters: &[&str]| {
            let filters: Vec<String> = filters.iter().map(|f| (*f).to_owned()).collect();
            let own = TaskName { job: "worker".into(), index: 1 };
            cluster().visible(&filters, Some(&own)).tasks.into_iter().map(|(n, _)| n.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]).len(), 3);
        assert_eq!(names(&["/job:ps"]), ["/job:ps/replica:0/task:0", "/job:worker/replica:0/task:1"]);
        assert_eq!(names(&["/job:ps", "/job:worker/task:0"]).len(), 3);
    }
}
