//! `WaitSets`: which instructions of a plan must wait for which.

/// Instructions that may wait for something outside the step are numbered. For every instruction this holds the set of those
/// that must have ended before it. Plans in which nothing waits have no wait sets, and run in their order.
pub struct WaitSets {
    pub(crate) words: usize,
    /// `words` words for each instruction: the bits of those that must have ended before it.
    pub(crate) after: Vec<u64>,
    /// The bit of each instruction that may wait.
    pub(crate) bits: Vec<Option<u32>>,
}

impl WaitSets {
    /// Returns the number of 64-bit words in one set.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the set of an instruction.
    #[inline]
    pub fn after(&self, instruction: usize) -> &[u64] {
        &self.after[instruction * self.words..(instruction + 1) * self.words]
    }

    /// Returns the bit of an instruction; None if it cannot wait.
    #[inline]
    pub fn bit(&self, instruction: usize) -> Option<u32> {
        self.bits[instruction]
    }
}
