//! Numbers that nothing else has.

use ferroflow_tensor::{Result, bail};

/// Returns a number that differs from all others.
pub fn random() -> Result<u64> {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(u64::from_le_bytes(bytes)),
        Err(e) => bail!(Internal, "The system has no random numbers: {e}"),
    }
}
