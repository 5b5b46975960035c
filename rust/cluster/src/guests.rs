//! `Guests`: the sessions of other processes at a task, and their registered parts.

use crate::random::random;
use ferroflow_runtime::{Prepared, Session};
use ferroflow_sync::{Mutex, RwLock};
use ferroflow_tensor::{Result, bail};
use rustc_hash::FxHashMap;
use std::sync::Arc;

const MAX_CONNECTIONS: usize = 16384;

/// The state of another process's session at this task.
pub struct Guest {
    pub session: Session,
    pub parts: RwLock<FxHashMap<u64, Registered>>,
    /// Names of the functions it has registered.
    pub functions: Mutex<Vec<String>>,
}

/// A part, and the generation of the task's state that its plan holds.
pub struct Registered {
    pub prepared: Arc<Prepared>,
    pub generation: u64,
}

/// The sessions of other processes by their numbers.
#[derive(Clone, Default)]
pub struct Guests(Arc<Mutex<FxHashMap<u64, Entry>>>);

/// A session's number of connections, and its state once it has registered something.
struct Entry {
    connections: usize,
    /// A number that no other stay of the session has.
    residence: u64,
    guest: Option<Arc<Guest>>,
}

/// A connection of a session; the session's state here is dropped with its last connection.
pub struct Stay {
    guests: Guests,
    pub session: u64,
    pub residence: u64,
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.guests.leave(self.session);
    }
}

impl Guests {
    /// Counts a connection of a session.
    ///
    /// Errors: `ResourceExhausted` where there are too many.
    pub fn enter(&self, session: u64) -> Result<Stay> {
        let fresh = random()?;
        let mut all = self.0.lock();
        if all.values().map(|e| e.connections).sum::<usize>() >= MAX_CONNECTIONS {
            bail!(ResourceExhausted, "The task has {MAX_CONNECTIONS} connections");
        }
        let entry = all.entry(session).or_insert(Entry { connections: 0, residence: fresh, guest: None });
        entry.connections += 1;
        Ok(Stay { guests: self.clone(), session, residence: entry.residence })
    }

    fn leave(&self, session: u64) {
        let mut all = self.0.lock();
        let Some(entry) = all.get_mut(&session) else { return };
        entry.connections -= 1;
        if entry.connections == 0 {
            let left = all.remove(&session);
            // The state may be large: dropping it must not hold the lock.
            drop(all);
            drop(left);
        }
    }

    pub fn get(&self, session: u64) -> Option<Arc<Guest>> {
        self.0.lock().get(&session)?.guest.clone()
    }

    pub fn get_or_make(&self, session: u64, make: impl FnOnce() -> Guest) -> Option<Arc<Guest>> {
        let mut all = self.0.lock();
        Some(all.get_mut(&session)?.guest.get_or_insert_with(|| Arc::new(make())).clone())
    }

    /// Returns the number of parts that sessions have registered.
    pub fn parts(&self) -> usize {
        self.0.lock().values().filter_map(|e| e.guest.as_ref()).map(|guest| guest.parts.read().len()).sum()
    }

    /// Forgets all parts: their plans hold state that was cleared.
    pub fn forget_parts(&self) {
        for entry in self.0.lock().values() {
            if let Some(guest) = &entry.guest {
                guest.parts.write().clear();
            }
        }
    }
}
