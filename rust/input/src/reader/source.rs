//! `Source`: what a kind of reader does with one piece of work.

use ferroflow_tensor::{Bytes, Result};

/// Key and value.
pub(super) type Record = (Bytes, Bytes);

/// The result of one attempt to read.
pub(super) struct Step {
    pub record: Option<Record>,
    /// True if the work has no more records.
    pub is_done: bool,
}

impl Step {
    pub fn some(key: Bytes, value: impl Into<Bytes>) -> Step {
        Step { record: Some((key, value.into())), is_done: false }
    }

    /// Returns the only record of its work.
    pub fn only(key: &[u8], value: impl Into<Bytes>) -> Step {
        Step { record: Some((key.into(), value.into())), is_done: true }
    }

    pub fn done() -> Step {
        Step { record: None, is_done: true }
    }
}

/// The way in which a kind of reader reads.
pub(super) trait Source: Send {
    /// Begins with a piece of work.
    fn begin(&mut self, work: &[u8]) -> Result<()>;

    /// Reads on in the work that was begun.
    fn read(&mut self, work: &[u8]) -> Result<Step>;

    /// Forgets the work under way.
    fn clear(&mut self) {}

    /// Returns true if what was read so far is all that counts: the reader can then be saved.
    fn is_stateless(&self) -> bool {
        false
    }
}

/// Returns a key that says where in its file a record is.
pub(super) fn key(work: &[u8], place: impl std::fmt::Display) -> Bytes {
    [work, format!(":{place}").as_bytes()].concat().into()
}
