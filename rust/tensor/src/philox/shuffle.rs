//! The permutation of RandomShuffle.

use super::generator::{Philox, Words};

/// Returns the number of blocks by which one run over `rows` rows moves the stream.
///
/// TF 1.x: an input without elements does not move it, however many rows it has.
pub fn blocks_per_run(rows: usize) -> u64 {
    (rows.saturating_sub(1) as u64).div_ceil(4)
}

/// Shuffles `rows` in place, from the first place on; of rows numbered 0, 1, ... it makes the list of rows to gather.
pub fn shuffle<T>(base: &Philox, rows: &mut [T]) {
    let mut words = Words::new(*base);
    for place in 0..rows.len().saturating_sub(1) {
        // TF 1.x: the remainder of 32 bits of the rows left, cut to 32 bits.
        let left = (rows.len() - place) as u32;
        let offset = if left == 0 { 0 } else { words.next_u32() % left };
        rows.swap(place, place + offset as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_kept_once() {
        for rows in [0_usize, 1, 2, 3, 100] {
            let mut order: Vec<usize> = (0..rows).collect();
            shuffle(&Philox::new(1, 2), &mut order);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..rows));
        }
    }

    #[test]
    fn a_run_uses_the_blocks_it_reserves() {
        for rows in 2..20 {
            let mut first: Vec<usize> = (0..rows).collect();
            let mut op = Philox::new(1, 2);
            let base = op.reserve(blocks_per_run(rows));
            shuffle(&base, &mut first);
            let mut words = Words::new(base);
            for _ in 1..rows {
                words.next_u32();
            }
            let words_left = blocks_per_run(rows) * 4 - (rows as u64 - 1);
            assert!(words_left < 4);
            for _ in 0..words_left {
                words.next_u32();
            }
            assert_eq!(words.next_u32(), Words::new(op).next_u32());
        }
    }
}
