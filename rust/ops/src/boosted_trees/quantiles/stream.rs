//! `Stream`: weighted values one after the other, of which only summaries are kept.

use super::summary::Summary;
use ferroflow_tensor::{Result, ensure};

/// Levels of summaries: each stands for as many values as all levels below it.
#[derive(Clone)]
pub(super) struct Stream {
    error: f64,
    block: usize,
    most: usize,
    buffer: Vec<(f32, f32)>,
    levels: Vec<Summary>,
}

/// Returns the entries of a summary that keep the error for that many values.
fn block_size(error: f64, most: u64) -> usize {
    if error <= f64::EPSILON {
        return usize::try_from(most).unwrap_or(usize::MAX).max(2);
    }
    let (mut level, mut block) = (1u32, 2u64);
    while u128::from(block) << level < u128::from(most) {
        block = (f64::from(level) / error).ceil() as u64 + 1;
        level += 1;
    }
    usize::try_from(block).unwrap_or(usize::MAX).max(2)
}

impl Stream {
    /// Returns an empty stream.
    ///
    /// Args: `error` is the greatest error of a rank, as a part of the total weight. `most` is the number of values that
    /// the stream can take without a greater one.
    ///
    /// Errors: `InvalidArgument` if the error is not in (0, 1), or `most` is not positive.
    pub fn new(error: f32, most: i64) -> Result<Stream> {
        ensure!(error > 0.0, InvalidArgument, "An epsilon value of zero is not allowed.");
        ensure!(error < 1.0, InvalidArgument, "epsilon must be below 1, got {error}");
        ensure!(most > 0, InvalidArgument, "max_elements must be positive, got {most}");
        let error = f64::from(error);
        let block = block_size(error, most.unsigned_abs());
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(block.saturating_mul(2));
        Ok(Stream { error, block, most, buffer: Vec::new(), levels: Vec::new() })
    }

    /// Adds a value; one whose weight is not positive counts for nothing.
    pub fn push(&mut self, value: f32, weight: f32) {
        if weight <= 0.0 {
            return;
        }
        self.buffer.push((value, weight));
        if self.buffer.len() >= self.most {
            self.push_buffer();
        }
    }

    fn push_buffer(&mut self) {
        let values = std::mem::take(&mut self.buffer);
        self.push_summary(Summary::of_values(values));
    }

    /// Adds the values of a summary.
    pub fn push_summary(&mut self, mut summary: Summary) {
        summary.compress(self.block, self.error);
        if summary.0.is_empty() {
            return;
        }
        for level in &mut self.levels {
            summary.merge(level);
            if level.0.is_empty() || summary.0.len() <= self.block + 1 {
                *level = summary;
                return;
            }
            summary.compress(self.block, self.error);
            level.0.clear();
        }
        self.levels.push(summary);
    }

    /// Returns the summary of all values.
    pub fn finish(mut self) -> Summary {
        self.push_buffer();
        let mut all = Summary::default();
        self.levels.iter().for_each(|level| all.merge(level));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_stay_within_the_error() {
        let error = 0.05;
        let mut stream = Stream::new(error, 4000).unwrap();
        let count = 4000;
        for i in 0..count {
            stream.push(((i * 1237) % count) as f32, 1.0);
        }
        let summary = stream.finish();
        assert!(summary.0.len() < 500, "{} entries are kept", summary.0.len());
        assert_eq!(summary.total_weight(), count as f32);
        for entry in &summary.0 {
            assert!(entry.min_rank <= entry.value && entry.value + 1.0 <= entry.max_rank + 1.0);
            assert!(entry.max_rank - entry.min_rank - entry.weight <= error * count as f32);
        }
    }

    #[test]
    fn an_error_outside_its_range_is_refused() {
        for error in [0.0, -0.5, 1.0, f32::NAN] {
            assert!(Stream::new(error, 10).is_err());
        }
        assert!(Stream::new(0.5, 0).is_err());
    }
}
