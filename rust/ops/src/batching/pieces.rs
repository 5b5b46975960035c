//! The parts that Unbatch and UnbatchGrad share: the rows of each step in a batch, and the wait for another step.

use super::queue::check;
use ferroflow_graph::{Bell, Cancellation};
use ferroflow_tensor::{Result, Tensor, bail, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest time between two polls for interrupts. A bell rings before, if something changes.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Returns the number of each step in a batch and its number of rows.
pub(super) fn steps(index: &Tensor) -> Result<Vec<(i64, usize)>> {
    ensure!(
        index.rank() == 2 && index.shape()[1] == 3,
        InvalidArgument,
        "Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: {}.",
        index.shape()
    );
    let mut found = Vec::with_capacity(index.shape()[0]);
    for step in index.slice::<i64>()?.chunks_exact(3) {
        match step[2].checked_sub(step[1]).and_then(|rows| usize::try_from(rows).ok()) {
            Some(rows) => found.push((step[0], rows)),
            None => {
                bail!(InvalidArgument, "A step of the batch ends before it begins: rows {} to {}", step[1], step[2])
            }
        }
    }
    Ok(found)
}

/// Waits until `look` returns something.
///
/// Returns: None once `deadline` has passed.
///
/// Errors: those of `look`, and the reason of an interrupt.
pub(super) fn wait<T>(
    cancellation: &Cancellation,
    bell: &Arc<Bell>,
    deadline: Option<Instant>,
    mut look: impl FnMut() -> Result<Option<T>>,
) -> Result<Option<T>> {
    let mut heard = 0;
    loop {
        bell.rang(&mut heard);
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        let rest = deadline.map_or(LONGEST_WAIT, |d| d.saturating_duration_since(Instant::now()));
        if rest.is_zero() {
            return Ok(None);
        }
        check(cancellation)?;
        bell.wait(&mut heard, rest.min(LONGEST_WAIT));
    }
}
