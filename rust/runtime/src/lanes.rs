//! Runs a group of a plan: each lane on a thread, with slots of its own.

use crate::execution::Execution;
use crate::interrupts::Interrupts;
use crate::side_by_side::{Mode, nanoseconds_since};
use crate::slots::Slots;
use ferroflow_plan::{Group, Lane};
use ferroflow_sync::Mutex;
use ferroflow_tensor::Status;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The flag of a lane's interrupts, which nothing sets: the cancellation of its step ends a lane.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// The failure of a group.
pub(crate) struct Failure {
    /// The first instruction that failed, in the plan's order, and its error.
    pub first: usize,
    pub error: Status,
    /// The other instructions of the group that have not run to their ends, in order.
    pub rest: Vec<usize>,
}

/// A lane that runs, or has run.
struct Running<'a> {
    lane: &'a Lane,
    slots: Slots,
    /// Position in the lane of the instruction that failed.
    failed: Option<(usize, Status)>,
}

impl<'a> Execution<'a> {
    /// Returns the groups that lie in a part of the plan.
    pub fn groups(&self, part: Range<usize>) -> &'a [Group] {
        self.mode.groups(part)
    }

    /// Runs a group, and notes its time if the mode says so.
    pub fn run_group(&mut self, group: &'a Group) -> std::result::Result<(), Failure> {
        let Mode::Tried(trial) = self.mode else { return self.run_lanes(group) };
        let began = Instant::now();
        let ran = self.run_lanes(group);
        trial.note(group, nanoseconds_since(began));
        ran
    }

    fn run_lanes(&mut self, group: &'a Group) -> std::result::Result<(), Failure> {
        let step = self.step;
        if let Err(error) = self.interrupts.check().and_then(|()| step.cancellation.check()) {
            let rest = group.range.clone().skip(1).collect();
            return Err(Failure { first: group.range.start, error, rest });
        }
        let running: SmallVec<[Mutex<Running<'a>>; 4]> =
            group.lanes.iter().map(|lane| Mutex::new(self.begin_lane(lane))).collect();
        let (plan, idle) = (self.plan, self.idle);
        step.threads.run(running.len(), &|i| {
            let mut running = running[i].lock();
            let poll = || step.cancellation.check();
            let interrupts = Interrupts::within(&poll, &CLOSED);
            let slots = std::mem::take(&mut running.slots);
            let mut execution = Execution::of_lane(plan, slots, idle, step, &interrupts);
            running.failed = execution.run_lane(running.lane).err();
            running.slots = std::mem::take(&mut execution.slots);
        });
        let mut failed: Vec<(usize, Status)> = Vec::new();
        let mut rest = Vec::new();
        for running in running {
            let Running { lane, slots, failed: of_lane } = running.into_inner();
            self.end_lane(lane, slots);
            if let Some((position, error)) = of_lane {
                failed.push((lane.instructions[position] as usize, error));
                rest.extend(lane.instructions[position + 1..].iter().map(|&k| k as usize));
            }
        }
        if failed.is_empty() {
            group.dropped.iter().for_each(|&slot| self.slots[slot as usize] = None);
            return Ok(());
        }
        failed.sort_unstable_by_key(|(k, _)| *k);
        let (first, error) = failed.remove(0);
        rest.extend(failed.into_iter().map(|(k, _)| k));
        rest.sort_unstable();
        Err(Failure { first, error, rest })
    }

    /// Gives a lane the values that it reads.
    fn begin_lane(&mut self, lane: &'a Lane) -> Running<'a> {
        let mut slots = self.idle.acquire_for_lane(self.plan.slots);
        for &(slot, is_only) in &lane.read {
            let value = &mut self.slots[slot as usize];
            slots[slot as usize] = if is_only { value.take() } else { value.clone() };
        }
        Running { lane, slots, failed: None }
    }

    /// Runs the instructions of a lane up to the first that fails. The error has its position.
    fn run_lane(&mut self, lane: &Lane) -> std::result::Result<(), (usize, Status)> {
        let plan = self.plan;
        for (position, &k) in lane.instructions.iter().enumerate() {
            let ended = match self.execute(&plan.instructions[k as usize]) {
                Ok(None) => Ok(()),
                Ok(Some(begun)) => Err(Status::internal("an op that may not wait did").at_node(begun.run.node.id)),
                Err(error) => Err(error),
            };
            ended.map_err(|error| (position, error))?;
        }
        Ok(())
    }

    /// Takes over the values that a lane has made, and those that it has not used because it failed.
    fn end_lane(&mut self, lane: &Lane, mut slots: Slots) {
        let unused = lane.read.iter().filter(|(_, is_only)| *is_only).map(|(slot, _)| slot);
        for &slot in lane.filled.iter().chain(unused) {
            if let Some(value) = slots[slot as usize].take() {
                self.slots[slot as usize] = Some(value);
            }
        }
        lane.read.iter().for_each(|&(slot, _)| slots[slot as usize] = None);
        self.idle.recycle_of_lane(slots);
    }
}
