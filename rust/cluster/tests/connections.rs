//! The cost of connections for a task; silent strangers keep no member out.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]

use ferroflow_cluster::{Cluster, Master, MasterOptions, Task, TaskName};
use ferroflow_graph::{Graph, Registry};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{ClusterDef, JobDef, ServerDef};
use ferroflow_runtime::SessionOptions;
use ferroflow_sync::{Mutex, RwLock};
use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const HANGS: Duration = Duration::from_secs(60);

/// Tests that count what the process has open take turns.
static ALONE: Mutex<()> = Mutex::new(());

fn registry() -> Arc<Registry> {
    Registry::new().finish().unwrap()
}

fn task() -> Arc<Task> {
    let tasks = [(0, "127.0.0.1:0".to_owned())].into_iter().collect();
    let job = JobDef { name: "ps".to_owned(), tasks };
    let def =
        ServerDef { cluster: Some(ClusterDef { job: vec![job] }), job_name: "ps".to_owned(), ..ServerDef::default() };
    let task = Task::new(&def.encode_to_vec()).unwrap();
    task.start(registry()).unwrap();
    task
}

/// Returns a session that has reached a task over its socket.
fn session(task: &Task) -> Arc<Master> {
    let name = TaskName { job: "ps".to_owned(), index: 0 };
    let cluster = Some(Cluster { tasks: vec![(name, task.address.clone())] });
    let options = MasterOptions { cluster, use_rpc: true, ..MasterOptions::default() };
    let graph = Arc::new(RwLock::new(Graph::new(registry())));
    let session = Master::new(graph, task.address.clone(), options, SessionOptions::default()).unwrap();
    assert_eq!(session.device_names(None).unwrap().len(), 1);
    session
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < HANGS, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_session_has_one_descriptor_at_each_side_and_leaves_none() {
    let _alone = ALONE.lock();
    let task = task();
    drop(session(&task));
    wait_until("the first one left", || descriptors() < 64);
    let before = (descriptors(), threads());
    let sessions: Vec<_> = (0..200).map(|_| session(&task)).collect();
    // A request from before the session had its cluster ends by itself.
    wait_until("the sessions have more than a socket at each side", || descriptors() <= before.0 + 2 * 200);
    // Some of those that were there before may have ended since.
    assert!(descriptors() + 20 >= before.0 + 2 * 200);
    wait_until("a session has no thread at the task", || threads() + 20 >= before.1 + 200);
    sessions.iter().for_each(|s| s.close());
    wait_until("sessions that were closed have descriptors", || descriptors() <= before.0);
    wait_until("sessions that were closed have threads", || threads() <= before.1 + 1);
}

#[test]
fn strangers_who_come_back_for_ever_keep_nobody_out() {
    let _alone = ALONE.lock();
    let task = task();
    let address = task.address.to_string();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (address, stop) = (&address, &stop);
            scope.spawn(move || {
                let come = || TcpStream::connect(address).inspect(|s| s.set_nonblocking(true).unwrap());
                let mut strangers: Vec<_> = (0..80).map(|_| come()).collect();
                while !stop.load(Ordering::Relaxed) {
                    for stranger in &mut strangers {
                        let is_cut = match stranger {
                            Ok(s) => !matches!(s.read(&mut [0]), Err(e) if e.kind() == std::io::ErrorKind::WouldBlock),
                            Err(_) => true,
                        };
                        if is_cut {
                            *stranger = come();
                        }
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        let mut slowest = Duration::ZERO;
        for _ in 0..10 {
            let began = Instant::now();
            session(&task).close();
            slowest = slowest.max(began.elapsed());
        }
        stop.store(true, Ordering::Relaxed);
        assert!(slowest < Duration::from_secs(10), "a member waited for {slowest:?}");
    });
}

#[test]
fn a_stranger_is_cut_after_two_seconds() {
    let _alone = ALONE.lock();
    let task = task();
    let mut stranger = TcpStream::connect(task.address.to_string()).unwrap();
    let began = Instant::now();
    stranger.set_read_timeout(Some(HANGS)).unwrap();
    assert!(matches!(stranger.read(&mut [0]), Ok(0)));
    let stayed = began.elapsed();
    assert!(stayed > Duration::from_millis(1900) && stayed < Duration::from_secs(10), "{stayed:?}");
}
