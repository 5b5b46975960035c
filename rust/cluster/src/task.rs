//! `Task`: one task of a cluster, which lives in this process: its name, its address, and the state that outlives sessions.

use crate::address::Address;
use crate::binding::bind;
use crate::description::{Cluster, TaskName};
use crate::descriptors;
use crate::guests::Guests;
use crate::patience::Patience;
use crate::random::random;
use crate::security::{Security, ServerSecurity};
use crate::token::Token;
use ferroflow_graph::Resources;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::ServerDef;
use ferroflow_sync::{Mutex, ProcessMutex};
use ferroflow_tensor::{Result, Status, bail};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The tasks of this process. They stay until it ends, as a program may keep nothing of its server but the target.
static TASKS: ProcessMutex<Vec<Arc<Task>>> = ProcessMutex::new(Vec::new(), Vec::new);

/// A session of a task, as far as a reset concerns it.
pub(crate) trait Abortable: Send + Sync {
    fn abort(&self, reason: &Status);
}

/// A task of a cluster.
pub struct Task {
    pub name: TaskName,
    /// The address under which other tasks reach it, with its final port.
    pub address: Address,
    pub cluster: Cluster,
    pub cpus: usize,
    /// Milliseconds that a step of a session without a limit of its own may take; 0: any number.
    pub timeout_ms: u64,
    /// A number that no other start of this task has.
    pub incarnation: u64,
    pub resources: Arc<Resources>,
    /// Rises when containers are cleared: plans that hold what was in them are stale.
    generation: AtomicU64,
    pub guests: Guests,
    /// Until it is started.
    pub(crate) listener: Mutex<Option<TcpListener>>,
    pub(crate) token: Token,
    pub(crate) security: ServerSecurity,
    process: u32,
    /// The sessions whose target this is.
    sessions: Mutex<Vec<Weak<dyn Abortable>>>,
}

impl Task {
    /// Makes the task that a ServerDef describes and binds its address; nothing is answered before `start`.
    ///
    /// Errors: `InvalidArgument` for a task that is not in its cluster or has no proper address. `NotFound` for another
    /// protocol, `Unknown` if the address cannot be bound.
    pub fn new(server_def: &[u8]) -> Result<Arc<Task>> {
        let def = match ServerDef::decode(server_def) {
            Ok(def) => def,
            Err(e) => bail!(InvalidArgument, "Could not read the ServerDef: {e}"),
        };
        if !matches!(def.protocol.as_str(), "" | "grpc") {
            bail!(NotFound, "No server factory registered for the given ServerDef: protocol \"{}\"", def.protocol);
        }
        let mut cluster = Cluster::from_message(&def.cluster.unwrap_or_default())?;
        let index = u32::try_from(def.task_index).unwrap_or(u32::MAX);
        let name = TaskName { job: def.job_name.clone(), index };
        let Some(own) = cluster.tasks.iter_mut().find(|(n, _)| *n == name) else {
            bail!(InvalidArgument, "Task {index} was not defined in job \"{}\"", def.job_name);
        };
        let token = Token::for_address(&own.1)?;
        let security = Security::of_environment(&token)?.server()?;
        Patience::of_environment()?;
        descriptors::raise_limit();
        let listener = bind(&own.0, &own.1)?;
        let port = listener.local_addr().map_err(|e| Status::unknown(format!("Could not start server: {e}")))?.port();
        own.1.port = port;
        let address = own.1.clone();
        let defaults = def.default_session_config.unwrap_or_default();
        let cpus = defaults.device_count.get("CPU").copied().unwrap_or(1);
        let task = Arc::new(Task {
            name,
            address,
            cluster,
            cpus: usize::try_from(cpus).unwrap_or(1).clamp(1, 1 << 16),
            timeout_ms: u64::try_from(defaults.operation_timeout_in_ms).unwrap_or(0),
            incarnation: random()?,
            resources: Arc::default(),
            generation: AtomicU64::new(0),
            guests: Guests::default(),
            listener: Mutex::new(Some(listener)),
            token,
            security,
            process: std::process::id(),
            sessions: Mutex::default(),
        });
        TASKS.lock().push(task.clone());
        Ok(task)
    }

    /// Returns the task of this process that has an address.
    pub fn find(address: &Address) -> Option<Arc<Task>> {
        // A forked process has copies of its parent's tasks, which answer nobody.
        let own = std::process::id();
        TASKS.lock().iter().find(|t| t.process == own && t.address.is_same(address)).cloned()
    }

    /// Rises when containers are cleared.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns the target of sessions that run here.
    pub fn target(&self) -> String {
        format!("grpc://{}", self.address)
    }

    /// Keeps a session of this task in the list of those that a reset ends.
    pub(crate) fn adopt(&self, session: Weak<dyn Abortable>) {
        let mut sessions = self.sessions.lock();
        sessions.retain(|s| s.strong_count() > 0);
        sessions.push(session);
    }

    /// Ends the sessions whose target this is.
    pub fn end_sessions(&self) {
        let sessions = std::mem::take(&mut *self.sessions.lock());
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.abort(&Status::aborted(format!(
                "Session of {} was reset: its containers were cleared. Make a new session.",
                self.target()
            )));
        }
    }

    /// Forgets the state of the named containers, of all where none is named. The default one has the job's name, too.
    pub fn clear(&self, containers: &[String]) {
        if containers.is_empty() {
            self.resources.clear_all();
        }
        for container in containers {
            let is_default = *container == self.name.job || container == "localhost";
            self.resources.clear(if is_default { "" } else { container });
        }
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.guests.forget_parts();
    }
}
