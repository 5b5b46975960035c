//! `Rendezvous`: where the parts of one step that run in several processes hand each other their values.

use crate::wait::Bell;
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;
use std::time::Duration;

/// The meeting place of one step, as its part in this process sees it.
pub trait Rendezvous: Send + Sync {
    /// Hands a value to the part that receives under that key. It is on its way at the next `depart` or `rest`, at the latest
    /// when the part has ended.
    fn send(&self, key: u64, value: Tensor) -> Result<()>;

    /// Has what was sent leave while the part goes on.
    ///
    /// Errors: the reason for which the other parts cannot go on.
    fn depart(&self) -> Result<()>;

    /// Returns the value that came under that key; once.
    fn take(&self, key: u64) -> Option<Tensor>;

    /// Waits until something may have come, the bell rings (`heard` is how often it was heard), or `at_most` has passed.
    ///
    /// Errors: the reason for which the other parts cannot go on.
    fn rest(&self, bell: &Arc<Bell>, heard: &mut u64, at_most: Duration) -> Result<()>;
}
