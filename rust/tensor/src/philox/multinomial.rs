//! Class indices drawn from rows of unnormalised log-probabilities.

use num_traits::AsPrimitive;

use super::convert::Sample;
use super::generator::{Philox, Words};
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};

/// Classes summed and samples drawn by one task.
const STEPS_PER_TASK: usize = 4096;

/// Returns the number of blocks by which one run moves the stream: 256 for each of a row's samples, rounded up to
/// fours, twice.
pub fn blocks_per_run(rows: usize, samples: usize) -> u64 {
    (rows as u64).wrapping_mul((samples as u64).next_multiple_of(4)).wrapping_mul(2 * 256)
}

/// Fills `out`, `[rows, samples]`, with classes drawn by the rows of `logits`, `[rows, classes]`.
///
/// Infinite and NaN logits are never drawn; a row without a finite logit gives `classes`, one past the last class.
///
/// TF 1.x: the stream runs through all rows without a gap when one thread does them all. With several threads
/// TensorFlow's numbers depend on how many. This is the order of one thread, whatever the number here.
pub fn fill_multinomial<T, O>(
    base: &Philox,
    threads: Threads,
    logits: &[T],
    classes: usize,
    samples: usize,
    out: &mut [O],
) -> Result<(), Interrupted>
where
    T: Sample,
    O: Copy + Send + 'static,
    usize: AsPrimitive<O>,
{
    if classes == 0 || samples == 0 {
        return Ok(());
    }
    let rows_per_task = (STEPS_PER_TASK / classes.saturating_add(samples)).max(1);
    try_for_chunks_mut(threads, out, rows_per_task.saturating_mul(samples), |start, chunk| {
        let first_row = start / samples;
        let mut words = Words::starting_at(*base, (start as u64).wrapping_mul(2));
        let rows = logits.chunks_exact(classes).skip(first_row);
        for (row, drawn) in rows.zip(chunk.chunks_mut(samples)) {
            let sums = running_sums(row);
            let total = sums.last().copied().unwrap_or(0.0);
            for class in drawn {
                let point = words.next_f64() * total;
                *class = sums.partition_point(|&sum| sum <= point).as_();
            }
        }
    })
}

/// Returns the sums of `exp(logit - highest)` up to each class, in float64 from left to right, as if logits that are
/// not finite were absent.
fn running_sums<T: Sample>(logits: &[T]) -> Vec<f64> {
    let finite = |logit: &T| Some(logit.to_f64()).filter(|value| value.is_finite());
    let highest = logits.iter().filter_map(finite).fold(f64::MIN, f64::max);
    let mut total = 0.0;
    logits
        .iter()
        .map(|logit| {
            total += finite(logit).map_or(0.0, |value| (value - highest).exp());
            total
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_finite_logits_give_one_past_the_last_class() {
        let mut out = [0_i32; 4];
        fill_multinomial(&Philox::new(1, 2), Threads::single(), &[f32::NEG_INFINITY, f32::NAN], 2, 4, &mut out)
            .unwrap();
        assert_eq!(out, [2; 4]);
    }

    #[test]
    fn a_class_of_negligible_weight_is_not_drawn() {
        let mut out = [0_i64; 1000];
        fill_multinomial(&Philox::new(1, 2), Threads::single(), &[0.0_f64, -1000.0, 0.0], 3, 1000, &mut out).unwrap();
        assert!(out.contains(&0) && out.contains(&2) && !out.contains(&1));
    }

    #[test]
    fn nothing_is_drawn_for_no_samples_or_no_classes() {
        fill_multinomial::<f32, i32>(&Philox::new(1, 2), Threads::single(), &[0.0; 4], 2, 0, &mut []).unwrap();
        let mut out = [7_i32; 2];
        fill_multinomial::<f32, i32>(&Philox::new(1, 2), Threads::single(), &[], 0, 2, &mut out).unwrap();
        assert_eq!(out, [7; 2]);
    }
}
