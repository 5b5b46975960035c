//! `SideBySide`: measures the instructions of a plan in its first steps, and finds the groups that later steps run at the same time.

use ferroflow_plan::{Group, Plan};
use ferroflow_sync::OnceLock;
use ferroflow_tensor::threads::shared_loops;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Steps before the first that is measured: their memory and caches are cold.
const UNMEASURED: u32 = 2;
/// Steps in which instructions are measured one after the other, and then groups of them.
const MEASURED: u32 = 4;
/// Fewest instructions that are worth measuring.
const FEWEST: usize = 4;

/// Fewest lanes of a group while times are assumed: a single thread then runs them one after the other.
const ASSUMED_LANES: usize = 3;

/// The time of every instruction in nanoseconds, if a test has set one; 0: they are measured.
static ASSUMED: AtomicU64 = AtomicU64::new(0);

/// Makes new plans take this time, in nanoseconds, for that of each instruction; with 0 they measure it. For tests.
pub fn assume_time(nanoseconds: u64) {
    ASSUMED.store(nanoseconds, Ordering::SeqCst);
}

pub(crate) fn nanoseconds_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The least time that an instruction took, and whether it used several threads.
struct Measured {
    nanoseconds: AtomicU64,
    is_parallel: AtomicBool,
}

/// The times of a plan's instructions.
pub(crate) struct Times {
    /// If true, a test has set the times.
    is_assumed: bool,
    steps: AtomicU32,
    /// None for an instruction that must run alone.
    instructions: Box<[Option<Measured>]>,
}

impl Times {
    /// Runs an instruction and notes its time.
    pub fn measure<T>(&self, k: usize, run: impl FnOnce() -> T) -> T {
        let Some(measured) = &self.instructions[k] else { return run() };
        let (loops, began) = (shared_loops(), Instant::now());
        let ran = run();
        measured.nanoseconds.fetch_min(nanoseconds_since(began), Ordering::Relaxed);
        if shared_loops() != loops {
            measured.is_parallel.store(true, Ordering::Relaxed);
        }
        ran
    }

    fn costs(&self) -> Vec<Option<u64>> {
        let cost = |measured: &Measured| {
            let nanoseconds = measured.nanoseconds.load(Ordering::Relaxed);
            let is_known = nanoseconds < u64::MAX && !measured.is_parallel.load(Ordering::Relaxed);
            is_known.then_some(nanoseconds)
        };
        self.instructions.iter().map(|measured| measured.as_ref().and_then(cost)).collect()
    }
}

/// Groups on trial: whether they save time shows only when they run, because the other threads may be asleep or busy.
pub(crate) struct Trial {
    groups: Vec<Group>,
    /// The least time of each group in nanoseconds, one instruction after the other and side by side.
    in_order: Vec<u64>,
    grouped: Vec<AtomicU64>,
}

impl Trial {
    fn new(plan: &Plan, times: &Times, threads: usize) -> Trial {
        let costs = times.costs();
        let groups = plan.groups(&costs, threads);
        let sum = |group: &Group| costs[group.range.clone()].iter().flatten().sum();
        let in_order = groups.iter().map(sum).collect();
        let grouped = groups.iter().map(|_| AtomicU64::new(u64::MAX)).collect();
        Trial { groups, in_order, grouped }
    }

    /// Notes the time of a group.
    pub fn note(&self, group: &Group, took: u64) {
        let position = self.groups.partition_point(|g| g.range.start < group.range.start);
        self.grouped[position].fetch_min(took, Ordering::Relaxed);
    }

    /// Returns the groups that took at most nine tenths of the time of their instructions.
    fn passed(&self) -> Vec<Group> {
        let times = self.in_order.iter().zip(&self.grouped);
        let saves = times.map(|(&before, now)| now.load(Ordering::Relaxed).saturating_mul(10) <= before * 9);
        self.groups.iter().zip(saves).filter(|(_, saves)| *saves).map(|(group, _)| group.clone()).collect()
    }
}

/// The way in which a step runs the instructions of a plan.
#[derive(Clone, Copy)]
pub(crate) enum Mode<'a> {
    InOrder,
    /// They run in order, and their times are noted.
    Timed(&'a Times),
    /// The instructions of groups run at the same time, and the groups' times are noted.
    Tried(&'a Trial),
    /// The instructions of groups run at the same time.
    Grouped(&'a [Group]),
}

impl<'a> Mode<'a> {
    /// Returns the groups that lie in a part of the plan.
    pub fn groups(self, part: Range<usize>) -> &'a [Group] {
        let groups = match self {
            Mode::Grouped(groups) => groups,
            Mode::Tried(trial) => &trial.groups,
            Mode::InOrder | Mode::Timed(_) => return &[],
        };
        let first = groups.partition_point(|group| group.range.start < part.start);
        let end = groups.partition_point(|group| group.range.end <= part.end);
        groups.get(first..end).unwrap_or_default()
    }
}

/// The groups of a plan, once they are known.
pub(crate) struct SideBySide {
    times: Option<Times>,
    trial: OnceLock<Trial>,
    groups: OnceLock<Vec<Group>>,
}

impl SideBySide {
    pub fn new(plan: &Plan) -> SideBySide {
        let shareable = plan.shareable();
        let assumed = ASSUMED.load(Ordering::Relaxed);
        let measured = |is_shareable: &bool| {
            let nanoseconds = AtomicU64::new(if assumed > 0 { assumed } else { u64::MAX });
            is_shareable.then(|| Measured { nanoseconds, is_parallel: AtomicBool::new(false) })
        };
        let is_worth_it = shareable.iter().filter(|&&is_shareable| is_shareable).count() >= FEWEST;
        let times = is_worth_it.then(|| Times {
            is_assumed: assumed > 0,
            steps: AtomicU32::new(0),
            instructions: shareable.iter().map(measured).collect(),
        });
        SideBySide { times, trial: OnceLock::new(), groups: OnceLock::new() }
    }

    /// Returns how the next step of the plan runs, and counts it.
    pub fn mode(&self, plan: &Plan, threads: usize) -> Mode<'_> {
        let Some(times) = self.times.as_ref().filter(|times| times.is_assumed || threads > 1) else {
            return Mode::InOrder;
        };
        if let Some(groups) = self.groups.get() {
            return Mode::Grouped(groups);
        }
        if times.is_assumed {
            let groups = || plan.groups(&times.costs(), threads.max(ASSUMED_LANES));
            return Mode::Grouped(self.groups.get_or_init(groups));
        }
        let trial = || self.trial.get_or_init(|| Trial::new(plan, times, threads));
        let step = times.steps.fetch_add(1, Ordering::Relaxed);
        if step < UNMEASURED {
            Mode::InOrder
        } else if step < UNMEASURED + MEASURED {
            Mode::Timed(times)
        } else if step < UNMEASURED + 2 * MEASURED {
            Mode::Tried(trial())
        } else {
            Mode::Grouped(self.groups.get_or_init(|| trial().passed()))
        }
    }
}
