//! Value slots of executions, and what finished executions leave for later ones.

use ferroflow_sync::{Mutex, is_lost};
use ferroflow_tensor::Tensor;

/// Emptied slots kept for later executions of one plan and its loops.
const MOST_IDLE: usize = 16;

/// The values of one execution, by slot.
pub(crate) type Slots = Vec<Option<Tensor>>;

/// Emptied slots of a plan and its loops: a step of a small graph should not allocate.
#[derive(Default)]
pub(crate) struct IdleSlots {
    emptied: Mutex<Vec<Slots>>,
    /// Slots of lanes, as many as the plan has, all without a value: a lane uses few of them.
    of_lanes: Mutex<Vec<Slots>>,
}

impl IdleSlots {
    pub fn acquire(&self, count: usize) -> Slots {
        let mut slots = self.emptied.lock().pop().unwrap_or_default();
        slots.resize(count, None);
        slots
    }

    pub fn recycle(&self, mut slots: Slots) {
        slots.clear();
        // An execution that unwinds because a lock was lost in a fork must not panic again.
        if slots.capacity() > 0 && !is_lost(&self.emptied) {
            keep(&self.emptied, slots);
        }
    }

    /// Returns the slots of a lane, without values.
    pub fn acquire_for_lane(&self, count: usize) -> Slots {
        self.of_lanes.lock().pop().unwrap_or_else(|| vec![None; count])
    }

    /// Keeps the slots of a lane, which has left none of them with a value.
    pub fn recycle_of_lane(&self, slots: Slots) {
        keep(&self.of_lanes, slots);
    }
}

fn keep(idle: &Mutex<Vec<Slots>>, slots: Slots) {
    let mut idle = idle.lock();
    if idle.len() < MOST_IDLE {
        idle.push(slots);
    }
}
