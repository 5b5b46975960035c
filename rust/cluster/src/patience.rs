//! The time for which another process may be silent before it counts as lost.

use ferroflow_tensor::{Result, bail};
use std::time::Duration;

/// The environment variable that holds the seconds; 0: any time.
pub const VARIABLE: &str = "FERROFLOW_CLUSTER_LOST_AFTER";
const DEFAULT_MS: u64 = 15_000;
const LEAST_MS: u64 = 100;

/// Milliseconds within which the loss of the other side must be known; 0: it may stay unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience(u64);

impl Patience {
    /// Errors: `FailedPrecondition` where the variable is no number of seconds.
    pub fn of_environment() -> Result<Patience> {
        Patience::parse(std::env::var(VARIABLE).ok().as_deref())
    }

    fn parse(seconds: Option<&str>) -> Result<Patience> {
        let Some(text) = seconds.map(str::trim).filter(|s| !s.is_empty()) else { return Ok(Patience(DEFAULT_MS)) };
        match text.parse::<f64>() {
            Ok(0.0) => Ok(Patience(0)),
            Ok(s) if s > 0.0 && s <= 1e6 => Ok(Patience(((s * 1000.0) as u64).max(LEAST_MS))),
            _ => bail!(
                FailedPrecondition,
                "{VARIABLE} must be the seconds after which a silent task counts as lost, or 0 for never; it is {text:?}"
            ),
        }
    }

    /// Reads the other side's patience; more than a day counts as unlimited.
    pub const fn of_ms(ms: u64) -> Patience {
        Patience(if ms > 86_400_000 { 0 } else { ms })
    }

    pub fn ms(self) -> u64 {
        self.0
    }

    /// Returns the milliseconds of silence after which the other side counts as lost. The rest of the patience covers
    /// the delay until the next check.
    pub fn silence(self) -> Option<u64> {
        (self.0 > 0).then_some(self.0 / 8 * 7)
    }

    /// Milliseconds between two signs of life for somebody of this patience: three may be late.
    pub fn pace(self) -> Option<u64> {
        (self.0 > 0).then_some((self.0 / 4).max(10))
    }

    /// Returns the time between two checks of a connection.
    pub fn tick(self) -> Duration {
        let ms = if self.0 == 0 { 250 } else { (self.0 / 32).clamp(10, 250) };
        Duration::from_millis(ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_known_within_the_patience() {
        assert_eq!(Patience::parse(None).unwrap().ms(), 15_000);
        assert_eq!(Patience::parse(Some("")).unwrap().ms(), 15_000);
        assert_eq!(Patience::parse(Some("0")).unwrap().silence(), None);
        for text in ["0.3", "1", "15", "100"] {
            let p = Patience::parse(Some(text)).unwrap();
            let (silence, pace, tick) = (p.silence().unwrap(), p.pace().unwrap(), p.tick().as_millis() as u64);
            assert!(silence + 2 * tick <= p.ms() && 3 * pace + 2 * tick <= silence, "{text}");
        }
        for text in ["-1", "nan", "inf", "soon", "1e9"] {
            assert!(Patience::parse(Some(text)).unwrap_err().message().contains(VARIABLE), "{text}");
        }
    }
}
