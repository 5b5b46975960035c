//! `Master`: a session with a target, which runs each node of its graph at the task that the node's device names.

use crate::address::Address;
use crate::connected::{Connected, Way};
use crate::description::{Cluster, TaskName};
use crate::descriptors;
use crate::frame::Frame;
use crate::message::{Reset, kind};
use crate::peer::Peer;
use crate::random::random;
use crate::split::SplitPlan;
use crate::task::{Abortable, Task};
use ferroflow_graph::{Graph, Resources};
use ferroflow_plan::{Devices, Placed, PlanOptions, Request, TaskDevices};
use ferroflow_runtime::{Poll, Prepared, RunOptions, Session, SessionOptions, StepOutcome};
use ferroflow_sync::{Mutex, RwLock};
use ferroflow_tensor::{Code, Result, Status, Tensor, bail};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, Weak};

/// Options of a session on a cluster.
#[derive(Clone, Debug, Default)]
pub struct MasterOptions {
    /// The tasks to use instead of the target's cluster; their state is then the session's own.
    pub cluster: Option<Cluster>,
    /// The tasks that are visible to the session; all if empty.
    pub device_filters: Vec<String>,
    /// True if the session has state of its own at each task.
    pub isolate: bool,
    pub allow_soft_placement: bool,
    /// True if tasks of this process, too, are reached through their sockets.
    pub use_rpc: bool,
}

/// A session of a cluster.
pub struct Master {
    graph: Arc<RwLock<Graph>>,
    target: Address,
    options: MasterOptions,
    session_options: SessionOptions,
    /// A number that no other session has.
    id: u64,
    connected: Mutex<Option<Arc<Connected>>>,
    ended: Mutex<Option<Ended>>,
    plans: RwLock<FxHashMap<Arc<Request>, Arc<Planned>>>,
}

enum Ended {
    Closed,
    Aborted(Status),
}

fn closed() -> Status {
    Status::cancelled("Step was cancelled by an explicit call to `Session::Close()`.")
}

enum Plan {
    /// All of it runs in this process.
    Whole(Arc<Prepared>),
    Split(Box<SplitPlan>),
}

/// A planned request.
pub struct Planned {
    plan: Plan,
    request: Arc<Request>,
    connected: Arc<Connected>,
    generation: u64,
    pub graph_version: u64,
}

/// Plans kept. A program with more different fetches than this plans again now and then.
const MAX_PLANS: usize = 4096;

impl Planned {
    /// Returns the step's nodes with their devices.
    pub fn placement(&self) -> &[Placed] {
        match &self.plan {
            Plan::Whole(prepared) => prepared.placement(),
            Plan::Split(split) => &split.placement,
        }
    }
}

impl Abortable for Master {
    /// Ends the session; steps under way and later ones fail with `reason`.
    fn abort(&self, reason: &Status) {
        self.end(Ended::Aborted(reason.clone()), reason);
    }
}

impl Master {
    /// Returns a session of the target at that address; nothing is sent there before the first step.
    pub fn new(
        graph: Arc<RwLock<Graph>>,
        target: Address,
        options: MasterOptions,
        session_options: SessionOptions,
    ) -> Result<Arc<Master>> {
        descriptors::raise_limit();
        let (connected, ended, plans) = (Mutex::default(), Mutex::default(), RwLock::default());
        let id = random()?;
        let master = Arc::new(Master { graph, target, options, session_options, id, connected, ended, plans });
        if let Some(task) = Task::find(&master.target) {
            let session: Weak<Master> = Arc::downgrade(&master);
            task.adopt(session);
        }
        Ok(master)
    }

    fn check_open(&self) -> Result<()> {
        match &*self.ended.lock() {
            None => Ok(()),
            Some(Ended::Closed) => bail!(FailedPrecondition, "Attempted to use a closed Session."),
            Some(Ended::Aborted(reason)) => Err(reason.clone()),
        }
    }

    /// Returns the target's own name and the tasks of its cluster.
    fn find_cluster(&self, poll: Option<&Poll<'_>>) -> Result<(TaskName, Cluster)> {
        let (name, cluster) = match Task::find(&self.target) {
            Some(task) if !self.options.use_rpc => (task.name.clone(), task.cluster.clone()),
            _ => {
                let peer = Peer::new(format!("grpc://{}", self.target), self.target.clone(), self.id, false);
                let (name, _, cluster) = peer.describe(poll)?;
                (name, cluster)
            }
        };
        match &self.options.cluster {
            None => Ok((name, cluster)),
            Some(given) => match given.at(&self.target) {
                Some(i) => Ok((given.tasks[i].0.clone(), given.clone())),
                None => bail!(
                    InvalidArgument,
                    "The ClusterDef of the session's ConfigProto has no task with the target's address {}",
                    self.target
                ),
            },
        }
    }

    /// Returns an error once the session has ended, so that waits end with it.
    fn watch<'a>(&'a self, poll: Option<&'a Poll<'a>>) -> impl Fn() -> Result<()> + 'a {
        move || {
            poll.map_or(Ok(()), |poll| poll())?;
            match &*self.ended.lock() {
                None => Ok(()),
                Some(Ended::Closed) => Err(closed()),
                Some(Ended::Aborted(reason)) => Err(reason.clone()),
            }
        }
    }

    fn connect(&self, poll: Option<&Poll<'_>>) -> Result<Arc<Connected>> {
        if let Some(connected) = &*self.connected.lock() {
            return Ok(connected.clone());
        }
        // Not with the lock held, which `close` takes: this may have to wait.
        let (own, cluster) = self.find_cluster(poll)?;
        let cluster = cluster.visible(&self.options.device_filters, Some(&own));
        let isolate = self.isolates();
        let mut members = Vec::new();
        let mut devices = Vec::new();
        for (name, address) in &cluster.tasks {
            let (way, cpus) = match Task::find(address) {
                Some(task) if !self.options.use_rpc => (Way::Here(task.clone()), task.cpus),
                _ => (Way::Away(Arc::new(Peer::new(name.to_string(), address.clone(), self.id, isolate))), 1),
            };
            devices.push(TaskDevices { job: name.job.clone(), task: name.index, cpus });
            members.push(way);
        }
        let made = Arc::new(self.connected_with(&own, members, devices));
        let mut connected = self.connected.lock();
        Ok(connected.get_or_insert(made).clone())
    }

    /// Returns true if the session has state of its own at each task.
    fn isolates(&self) -> bool {
        self.options.isolate || self.options.cluster.is_some()
    }

    fn connected_with(&self, own: &TaskName, members: Vec<Way>, devices: Vec<TaskDevices>) -> Connected {
        let isolate = self.isolates();
        let mut resources: Vec<Arc<Resources>> = Vec::new();
        let (mut peers, mut sites) = (Vec::new(), Vec::new());
        for way in &members {
            resources.push(match way {
                Way::Here(task) if !isolate => task.resources.clone(),
                _ => Arc::default(),
            });
            sites.push(match way {
                Way::Here(_) => 0,
                Way::Away(peer) => {
                    peers.push(peer.clone());
                    peers.len()
                }
            });
        }
        let default = devices.iter().position(|d| d.job == own.job && d.task == own.index).unwrap_or(0);
        let known = Devices::of_tasks(&devices, default, self.options.allow_soft_placement);
        let rewrites = self.session_options.plan.rewrites;
        let plan = PlanOptions { devices: known, rewrites };
        let options = SessionOptions { plan, ..self.session_options.clone() };
        let session = Session::across(self.graph.clone(), options, &resources);
        Connected { members, devices, session, isolate, rewrites, peers, sites }
    }

    /// Returns full names of the devices of all tasks, by a request to each.
    pub fn device_names(&self, poll: Option<&Poll<'_>>) -> Result<Vec<String>> {
        self.check_open()?;
        let connected = self.connect(poll)?;
        let mut devices = connected.devices.clone();
        for (way, known) in connected.members.iter().zip(&mut devices) {
            if let Way::Away(peer) = way {
                known.cpus = peer.describe(poll)?.1;
            }
        }
        Ok(Devices::of_tasks(&devices, 0, false).names())
    }

    /// Returns the names of the devices as steps' placements number them.
    pub fn step_device_names(&self, poll: Option<&Poll<'_>>) -> Result<Vec<String>> {
        Ok(self.connect(poll)?.session.devices().names())
    }

    /// Returns the plan of a request: made on first use and kept until the graph changes.
    ///
    /// Errors: those of placement, and of kernels that cannot be made, with their node; what `poll` says while the target is waited for.
    pub fn prepare(&self, request: &Request, poll: Option<&Poll<'_>>) -> Result<Arc<Planned>> {
        self.check_open()?;
        let connected = self.connect(Some(&self.watch(poll)))?;
        let (generation, version) = (connected.generation(), self.graph.read().version());
        let is_fresh = |p: &Planned| p.graph_version == version && p.generation == generation;
        if let Some(planned) = self.plans.read().get(request).filter(|p| is_fresh(p)) {
            return Ok(planned.clone());
        }
        let site_of = |task: usize| connected.sites.get(task).copied().unwrap_or(0);
        let split = match connected.peers.len() {
            0 => None,
            n => connected.session.split(request, n + 1, &site_of)?,
        };
        let plan = match split {
            None => {
                connected.session.forget_plans(generation);
                Plan::Whole(connected.session.prepare(request)?)
            }
            Some(split) => Plan::Split(Box::new(SplitPlan::new(split, &connected, request)?)),
        };
        let graph_version = match &plan {
            Plan::Whole(prepared) => prepared.graph_version,
            Plan::Split(split) => split.graph_version,
        };
        let request = Arc::new(request.clone());
        let planned = Arc::new(Planned { plan, request: request.clone(), connected, generation, graph_version });
        let mut plans = self.plans.write();
        plans.retain(|_, p| is_fresh(p));
        if plans.len() >= MAX_PLANS {
            plans.clear();
        }
        plans.insert(request, planned.clone());
        Ok(planned)
    }

    /// Runs one step of a plan: `values` are the feeds in the request's order.
    ///
    /// Errors: those of a session in one process; `Unavailable` where a task is no more there, `Aborted` where one was restarted.
    pub fn run(
        &self,
        planned: &Planned,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions<'_>,
    ) -> Result<StepOutcome> {
        self.check_open()?;
        let anew;
        let planned = if planned.generation == planned.connected.generation() {
            planned
        } else {
            anew = self.prepare(&planned.request, options.poll)?;
            &*anew
        };
        let is_split = matches!(planned.plan, Plan::Split(_));
        let outcome = match &planned.plan {
            Plan::Whole(prepared) => planned.connected.session.run(prepared, values, options),
            Plan::Split(split) => {
                let watch = self.watch(options.poll);
                let options = RunOptions { poll: Some(&watch), ..*options };
                split.run(&planned.connected, values, &options)
            }
        };
        // The caller that ended the session reports the reason.
        match (&outcome, &*self.ended.lock()) {
            (Err(e), Some(Ended::Aborted(reason)))
                if matches!(e.code(), Code::FailedPrecondition | Code::Cancelled | Code::Unavailable) =>
            {
                Err(reason.clone())
            }
            // Aborted: the task had dropped the session before the request.
            (Err(e), Some(Ended::Closed)) if is_split && matches!(e.code(), Code::Cancelled | Code::Aborted) => {
                Err(closed())
            }
            _ => outcome,
        }
    }

    fn end(&self, how: Ended, reason: &Status) {
        self.ended.lock().get_or_insert(how);
        let connected = self.connected.lock().clone();
        if let Some(connected) = connected {
            connected.session.close_because(reason);
            connected.peers.iter().for_each(|p| p.leave());
        }
    }

    /// Ends the session: steps under way are cancelled, later ones refused. Waits for no task.
    pub fn close(&self) {
        self.end(Ended::Closed, &closed());
    }

    pub fn is_closed(&self) -> bool {
        matches!(*self.ended.lock(), Some(Ended::Closed))
    }

    /// Drops the state of the named containers at every task of the target's cluster, or of all containers if none is
    /// named. Also ends the target's sessions.
    ///
    /// Errors: what `poll` says while tasks are waited for.
    pub fn reset(target: &Address, containers: &[String], filters: &[String], poll: Option<&Poll<'_>>) -> Result<()> {
        let reset_one = |name: &str, address: &Address, ends_sessions: bool| -> Result<()> {
            if let Some(task) = Task::find(address) {
                if ends_sessions {
                    task.end_sessions();
                }
                task.clear(containers);
                return Ok(());
            }
            let message = Reset { containers: containers.to_vec(), ends_sessions };
            let peer = Peer::new(name.to_owned(), address.clone(), random()?, false);
            peer.order(Frame::new(kind::RESET, &message), poll)
        };
        let (own, cluster) = match Task::find(target) {
            Some(task) => (task.name.clone(), task.cluster.clone()),
            None => {
                let peer = Peer::new(format!("grpc://{target}"), target.clone(), random()?, false);
                let (name, _, cluster) = peer.describe(poll)?;
                (name, cluster)
            }
        };
        reset_one(&own.to_string(), target, true)?;
        for (name, address) in cluster.visible(filters, Some(&own)).tasks {
            if name != own {
                reset_one(&name.to_string(), &address, false)?;
            }
        }
        Ok(())
    }
}
