//! `room`: memory for lists as long as a user's sizes require.

use ferroflow_tensor::{Result, bail};

/// Returns an empty list with room for that many elements.
///
/// Errors: `ResourceExhausted` if there is no such memory.
pub(crate) fn room<T>(count: usize, what: &str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    match list.try_reserve_exact(count) {
        Ok(()) => Ok(list),
        Err(_) => bail!(ResourceExhausted, "OOM when allocating {count} {what}"),
    }
}

/// Returns a list of that many equal elements.
///
/// Errors: `ResourceExhausted` if there is no memory for it.
pub(crate) fn filled<T: Clone>(count: usize, value: T, what: &str) -> Result<Vec<T>> {
    let mut list = room(count, what)?;
    list.resize(count, value);
    Ok(list)
}
