//! Philox 4x32-10: a counter-based generator whose blocks are pure functions of key and counter.
//!
//! Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

use std::hash::{BuildHasher, RandomState};
use std::time::Instant;

const ROUNDS: usize = 10;
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// A stream of blocks of four 32-bit words: a key, and the counter of the next block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    counter: u128,
    key: [u32; 2],
}

impl Philox {
    /// Returns the stream of an op whose attributes are `seed` and `seed2`, taken as they are: zeros are seeds like any
    /// other here.
    pub fn new(seed: u64, seed2: u64) -> Self {
        Self { counter: u128::from(seed2) << 64, key: [seed as u32, (seed >> 32) as u32] }
    }

    /// Returns the stream of an op with the attributes `seed` and `seed2`: one that no other op or process shares if
    /// both are 0.
    pub fn of_op(seed: i64, seed2: i64) -> Self {
        if seed == 0 && seed2 == 0 {
            // The standard library draws a hasher's keys from the operating system, and gives every hasher its own. But
            // all children of a fork have their parent's keys. They differ by their number and the time.
            let fresh = || RandomState::new().hash_one((std::process::id(), Instant::now()));
            return Self::new(fresh(), fresh());
        }
        Self::new(seed as u64, seed2 as u64)
    }

    /// Returns the stream of `key` from the block numbered `counter`, lowest word first.
    pub fn from_parts(counter: [u32; 4], key: [u32; 2]) -> Self {
        let counter = counter.iter().rev().fold(0, |number, &word| number << 32 | u128::from(word));
        Self { counter, key }
    }

    /// Moves ahead by `blocks` blocks.
    pub fn skip(&mut self, blocks: u64) {
        self.counter = self.counter.wrapping_add(u128::from(blocks));
    }

    /// Returns this stream from `blocks` blocks further on.
    #[must_use]
    pub fn skipped(mut self, blocks: u64) -> Self {
        self.skip(blocks);
        self
    }

    /// Returns the stream as it is, for one run to draw from, and moves this one ahead by the `blocks` that the run may use.
    #[must_use]
    pub fn reserve(&mut self, blocks: u64) -> Self {
        let base = *self;
        self.skip(blocks);
        base
    }

    /// Returns the four words of the next block.
    #[inline]
    pub fn next_block(&mut self) -> [u32; 4] {
        self.next_blocks::<1>().map(|[word]| word)
    }

    /// Returns the words of the next `N` blocks; `[w][i]` is word `w` of block `i`, which lets the compiler use vector
    /// registers.
    #[inline(always)]
    pub(super) fn next_blocks<const N: usize>(&mut self) -> [[u32; N]; 4] {
        let (low, high) = (self.counter as u64, (self.counter >> 64) as u64);
        let mut state = [[0; N]; 4];
        let [c0, c1, c2, c3] = &mut state;
        for block in 0..N {
            // The 128-bit sum by halves, without a branch.
            let number = low.wrapping_add(block as u64);
            let upper = high.wrapping_add(u64::from(number < low));
            c0[block] = number as u32;
            c1[block] = (number >> 32) as u32;
            c2[block] = upper as u32;
            c3[block] = (upper >> 32) as u32;
        }
        self.skip(N as u64);
        let mut key = self.key;
        for _ in 0..ROUNDS {
            let [c0, c1, c2, c3] = &mut state;
            for block in 0..N {
                let product0 = u64::from(MULTIPLIERS[0]) * u64::from(c0[block]);
                let product1 = u64::from(MULTIPLIERS[1]) * u64::from(c2[block]);
                c0[block] = (product1 >> 32) as u32 ^ c1[block] ^ key[0];
                c1[block] = product1 as u32;
                c2[block] = (product0 >> 32) as u32 ^ c3[block] ^ key[1];
                c3[block] = product0 as u32;
            }
            key[0] = key[0].wrapping_add(KEY_STEPS[0]);
            key[1] = key[1].wrapping_add(KEY_STEPS[1]);
        }
        state
    }
}

/// The length of `Words::to_numbers`.
const WORDS_NUMBERS: usize = 11;

/// The words of a stream one at a time, first to last within each block.
#[derive(Clone, Debug)]
pub struct Words {
    source: Philox,
    block: [u32; 4],
    used: usize,
}

impl Words {
    /// Starts at the first word of `source`'s next block.
    pub fn new(source: Philox) -> Self {
        Self { source, block: [0; 4], used: 4 }
    }

    /// Starts `words` words after the first word of `source`'s next block.
    pub fn starting_at(source: Philox, words: u64) -> Self {
        let mut view = Self::new(source.skipped(words / 4));
        for _ in 0..words % 4 {
            view.next_u32();
        }
        view
    }

    /// Returns the numbers that `from_numbers` makes the same words of.
    pub fn to_numbers(&self) -> [u32; WORDS_NUMBERS] {
        let counter = self.source.counter;
        let [a, b, c, d] = [0, 32, 64, 96].map(|shift| (counter >> shift) as u32);
        let ([k, l], [w, x, y, z]) = (self.source.key, self.block);
        [a, b, c, d, k, l, w, x, y, z, self.used as u32]
    }

    /// Returns the words of `to_numbers`; `None` where the numbers are none of its results.
    pub fn from_numbers(numbers: [u32; WORDS_NUMBERS]) -> Option<Self> {
        let [a, b, c, d, k, l, w, x, y, z, used] = numbers;
        let used = usize::try_from(used).ok().filter(|&used| used <= 4)?;
        Some(Self { source: Philox::from_parts([a, b, c, d], [k, l]), block: [w, x, y, z], used })
    }

    /// Returns the next word.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.used == 4 {
            self.block = self.source.next_block();
            self.used = 0;
        }
        let word = self.block[self.used];
        self.used += 1;
        word
    }

    /// Returns the next two words as one number, low half first.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let low = self.next_u32();
        u64::from(low) | u64::from(self.next_u32()) << 32
    }

    /// Returns the next two words as a double in [0, 1).
    #[inline]
    pub fn next_f64(&mut self) -> f64 {
        let high = self.next_u32();
        super::convert::unit_f64(high, self.next_u32())
    }

    /// Returns an integer in `[0, bound)` without bias, from as many words as it takes; 0 if `bound` is 0.
    pub fn next_below_u32(&mut self, bound: u32) -> u32 {
        if bound == 0 {
            return 0;
        }
        if bound.is_power_of_two() {
            return self.next_u32() & (bound - 1);
        }
        let rejected = u32::MAX % bound + 1;
        loop {
            let bits = self.next_u32();
            if bits >= rejected {
                return bits % bound;
            }
        }
    }

    /// Returns an integer in `[0, bound)` without bias, from as many pairs of words as it takes; 0 if `bound` is 0.
    pub fn next_below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        if bound.is_power_of_two() {
            return self.next_u64() & (bound - 1);
        }
        let rejected = u64::MAX % bound + 1;
        loop {
            let bits = self.next_u64();
            if bits >= rejected {
                return bits % bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_match_the_known_answers_of_random123() {
        let mut zeros = Philox::from_parts([0; 4], [0; 2]);
        assert_eq!(zeros.next_block(), [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]);
        let mut ones = Philox::from_parts([u32::MAX; 4], [u32::MAX; 2]);
        assert_eq!(ones.next_block(), [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]);
        let mut pi =
            Philox::from_parts([0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344], [0xA409_3822, 0x299F_31D0]);
        assert_eq!(pi.next_block(), [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1]);
    }

    #[test]
    fn counters_carry_through_all_four_words() {
        let mut last = Philox::from_parts([u32::MAX, u32::MAX, u32::MAX, 6], [1, 2]);
        last.next_block();
        assert_eq!(last, Philox::from_parts([0, 0, 0, 7], [1, 2]));
        assert_eq!(Philox::from_parts([u32::MAX; 4], [1, 2]).skipped(1), Philox::from_parts([0; 4], [1, 2]));
    }

    #[test]
    fn many_blocks_at_once_are_the_blocks_one_by_one() {
        let mut wide = Philox::from_parts([u32::MAX - 3, u32::MAX, 5, 6], [7, 8]);
        let mut narrow = wide;
        let words = wide.next_blocks::<8>();
        for block in 0..8 {
            assert_eq!(words.map(|lane| lane[block]), narrow.next_block());
        }
        assert_eq!(wide, narrow);
    }

    #[test]
    fn words_can_start_anywhere() {
        let source = Philox::new(3, 4);
        let mut from_first = Words::new(source);
        let words: Vec<u32> = (0..12).map(|_| from_first.next_u32()).collect();
        for (start, &word) in words.iter().enumerate() {
            assert_eq!(Words::starting_at(source, start as u64).next_u32(), word);
        }
    }

    #[test]
    fn ops_without_seeds_have_streams_of_their_own() {
        assert_ne!(Philox::of_op(0, 0), Philox::of_op(0, 0));
        assert_eq!(Philox::of_op(0, 7), Philox::new(0, 7));
        assert_eq!(Philox::of_op(-1, 0), Philox::new(u64::MAX, 0));
    }

    #[test]
    fn integers_below_a_bound_stay_below_it() {
        let mut words = Words::new(Philox::new(1, 2));
        for bound in [1, 2, 3, 64, 100, u64::MAX / 2 + 2, u64::MAX] {
            for _ in 0..50 {
                assert!(words.next_below(bound) < bound);
            }
        }
        assert_eq!(words.next_below(0), 0);
    }
}
