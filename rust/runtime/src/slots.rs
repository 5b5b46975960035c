//! Value slots of executions, and what finished executions leave for later ones.

use ferroflow_sync::{Mutex, is_lost};
use ferroflow_tensor::Tensor;

/// Emptied slots kept for later executions of one plan and its loops.
const MOST_IDLE: usize = 16;

/// The values of one execution, by slot.
pub(crate) type Slots = Vec<Option<Tensor>>;

/// Emptied slots of a plan and its loops: a step of a small graph should not allocate.
#[derive(Default)]
pub(crate) struct IdleSlots(Mutex<Vec<Slots>>);

impl IdleSlots {
    pub fn acquire(&self, count: usize) -> Slots {
        let mut slots = self.0.lock().pop().unwrap_or_default();
        slots.resize(count, None);
        slots
    }

    pub fn recycle(&self, mut slots: Slots) {
        slots.clear();
        // An execution that unwinds because a lock was lost in a fork must not panic again.
        if is_lost(&self.0) {
            return;
        }
        let mut idle = self.0.lock();
        if idle.len() < MOST_IDLE {
            idle.push(slots);
        }
    }
}
