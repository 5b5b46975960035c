//! `Sentences`: the pairs of neighbours in a text, in the order and with the random numbers of TensorFlow 1.8.

use super::corpus::Corpus;
use ferroflow_graph::Cancellation;
use ferroflow_tensor::Result;
use ferroflow_tensor::philox::convert::unit_f32;
use ferroflow_tensor::philox::{Philox, Words};

/// Words of a sentence: the text is cut into pieces of one length.
const SENTENCE: usize = 1000;
/// Words that are left out before the step checks whether it is cancelled.
const UNCHECKED: usize = 1 << 16;

/// A word and one of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub word: i32,
    pub neighbour: i32,
}

/// The position in a text.
#[derive(Clone)]
pub(super) struct Sentences {
    random: Words,
    window: u32,
    subsample: f32,
    /// Passes over the text that have begun, less one.
    pub epoch: i32,
    /// Words whose neighbours have been taken.
    pub processed: i64,
    /// The place in the text of the next sentence.
    next: usize,
    sentence: Vec<i32>,
    /// The place in the sentence of the word.
    word: usize,
    /// The places in the sentence of the word's neighbours that are still to come.
    neighbours: std::ops::Range<usize>,
}

impl Sentences {
    pub(super) fn of(corpus: &Corpus, window: u32, subsample: f32) -> Sentences {
        Sentences {
            random: Words::new(Philox::new(0, 0)),
            window,
            subsample,
            epoch: -1,
            processed: 0,
            next: corpus.text.len(),
            sentence: vec![0; SENTENCE],
            word: SENTENCE,
            neighbours: 0..0,
        }
    }

    pub(super) fn pair(&mut self, corpus: &Corpus, cancellation: &Cancellation) -> Result<Pair> {
        loop {
            if self.neighbours.is_empty() {
                self.next_word(corpus, cancellation)?;
            }
            for neighbour in self.neighbours.by_ref() {
                if neighbour != self.word {
                    return Ok(Pair { word: self.sentence[self.word], neighbour: self.sentence[neighbour] });
                }
            }
        }
    }

    /// Moves on to the next word, and draws the distance of its neighbours.
    fn next_word(&mut self, corpus: &Corpus, cancellation: &Cancellation) -> Result<()> {
        self.processed = self.processed.wrapping_add(1);
        self.word += 1;
        if self.word >= SENTENCE {
            self.word = 0;
            self.next_sentence(corpus, cancellation)?;
        }
        let distance = 1 + self.random.next_below_u32(self.window) as usize;
        self.neighbours = self.word.saturating_sub(distance)..SENTENCE.min(self.word + distance + 1);
        Ok(())
    }

    /// Takes words of the text; frequent ones are left out with a probability.
    fn next_sentence(&mut self, corpus: &Corpus, cancellation: &Cancellation) -> Result<()> {
        let (mut filled, mut left_out) = (0, 0_usize);
        while filled < SENTENCE {
            if self.next >= corpus.text.len() {
                self.epoch = self.epoch.wrapping_add(1);
                self.next = 0;
            }
            let word = corpus.text[self.next];
            self.next += 1;
            if self.keeps(corpus, word) {
                self.sentence[filled] = word;
                filled += 1;
            } else {
                left_out += 1;
                if left_out.is_multiple_of(UNCHECKED) {
                    cancellation.check()?;
                }
            }
        }
        Ok(())
    }

    fn keeps(&mut self, corpus: &Corpus, word: i32) -> bool {
        if self.subsample <= 0.0 || self.subsample.is_nan() {
            return true;
        }
        let count = corpus.counts[word as usize] as f32;
        let bound = self.subsample * corpus.text.len() as f32;
        let probability = ((count / bound).sqrt() + 1.0) * bound / count;
        unit_f32(self.random.next_u32()) <= probability
    }
}
