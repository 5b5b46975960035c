//! `Overlap`: whether an instruction that blocks leaves the step's thread.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Duration;

/// The work of a step that is ordered neither before nor after a blocking kernel, and can run meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Beside {
    #[default]
    Nothing,
    /// Computation alone: the kernel cannot wait for it, but time is saved if the kernel takes long.
    Computation,
    /// Work that the kernel may wait for: other code of the program, queues, writes of variables and files.
    Effects,
}

/// Beside computation alone, a kernel that took less than this the last time stays: handing it over costs 20 to 30 us.
const LONG: Duration = Duration::from_micros(100);

/// Of an instruction that blocks: what runs beside it, and how long it took the last time.
pub struct Overlap {
    beside: AtomicU8,
    micros: AtomicU32,
}

impl Overlap {
    pub fn new(beside: Beside) -> Overlap {
        Overlap { beside: AtomicU8::new(beside as u8), micros: AtomicU32::new(u32::MAX) }
    }

    /// Notes what runs beside the loop that it is in.
    pub fn raise(&self, beside: Beside) {
        self.beside.fetch_max(beside as u8, Ordering::Relaxed);
    }

    /// Returns what runs beside it.
    pub fn beside(&self) -> Beside {
        match self.beside.load(Ordering::Relaxed) {
            b if b == Beside::Effects as u8 => Beside::Effects,
            b if b == Beside::Computation as u8 => Beside::Computation,
            _ => Beside::Nothing,
        }
    }

    /// Returns whether the work should leave the step's thread now.
    pub fn leaves(&self) -> bool {
        let beside = self.beside.load(Ordering::Relaxed);
        beside == Beside::Effects as u8
            || beside == Beside::Computation as u8
                && u128::from(self.micros.load(Ordering::Relaxed)) >= LONG.as_micros()
    }

    pub fn note(&self, took: Duration) {
        self.micros.store(u32::try_from(took.as_micros()).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_computation_only_what_is_long_leaves() {
        let short = Duration::from_micros(20);
        let overlap = Overlap::new(Beside::Nothing);
        assert!(!overlap.leaves());
        overlap.raise(Beside::Computation);
        assert!(overlap.leaves(), "nothing is known before the first time");
        overlap.note(short);
        assert!(!overlap.leaves());
        overlap.note(LONG);
        assert!(overlap.leaves());
        overlap.note(short);
        overlap.raise(Beside::Effects);
        overlap.raise(Beside::Computation);
        assert!(overlap.leaves());
    }
}
