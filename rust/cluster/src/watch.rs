//! The watch: one thread of this process that checks all its connections with members of the cluster.

use crate::line::{Line, now};
use ferroflow_sync::{Mutex, OnceLock};
use ferroflow_tensor::{Result, bail};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Longest time between two checks, if no connection needs more.
const LONGEST_TICK: Duration = Duration::from_millis(250);
/// Checks without connections before the thread ends.
const IDLE_TICKS: u32 = 40;

struct Watch {
    process: u32,
    state: Mutex<State>,
    /// Replaces the watch in a forked process: the thread does not exist there, and its lock may stay held.
    next: OnceLock<Box<Watch>>,
}

#[derive(Default)]
struct State {
    lines: Vec<Weak<Line>>,
    runs: bool,
}

impl Watch {
    fn new() -> Watch {
        Watch { process: std::process::id(), state: Mutex::default(), next: OnceLock::new() }
    }

    fn of_this_process() -> &'static Watch {
        static FIRST: OnceLock<Watch> = OnceLock::new();
        let own = std::process::id();
        let mut watch = FIRST.get_or_init(Watch::new);
        while watch.process != own {
            watch = watch.next.get_or_init(|| Box::new(Watch::new()));
        }
        watch
    }

    fn run(&self) {
        let mut idle = 0;
        let mut tick = LONGEST_TICK;
        let mut lines: Vec<Arc<Line>> = Vec::new();
        loop {
            std::thread::sleep(tick);
            {
                let mut state = self.state.lock();
                state.lines.retain(|line| {
                    line.upgrade().is_some_and(|line| {
                        lines.push(line);
                        true
                    })
                });
                idle = if lines.is_empty() { idle + 1 } else { 0 };
                if idle > IDLE_TICKS {
                    state.runs = false;
                    return;
                }
            }
            let now = now();
            lines.iter().for_each(|line| line.tend(now));
            tick = lines.iter().map(|line| line.tick()).min().unwrap_or(LONGEST_TICK);
            lines.clear();
        }
    }
}

/// Checks a connection from now on, until it is dropped.
///
/// Errors: `Unavailable` where the thread cannot be started.
pub fn look_after(line: &Arc<Line>) -> Result<()> {
    let watch = Watch::of_this_process();
    let mut state = watch.state.lock();
    if !state.runs {
        if let Err(e) = std::thread::Builder::new().name("ferroflow-watch".into()).spawn(move || watch.run()) {
            bail!(Unavailable, "The thread that checks connections cannot be started: {e}");
        }
        state.runs = true;
    }
    state.lines.push(Arc::downgrade(line));
    Ok(())
}
