//! `Corpus`: a text as numbers of words.

use ferroflow_tensor::{Bytes, Result, bail, ensure};
use rustc_hash::FxHashMap;

/// The number of the words that are too rare to have one of their own.
const UNKNOWN: i32 = 0;
/// A text must have that many words for each word of a window.
const WINDOWS: usize = 10;

/// A text and its vocabulary.
pub(super) struct Corpus {
    /// The words by their numbers, the most frequent first after "UNK"; of equally frequent ones the one that is first in
    /// the text.
    pub words: Vec<Bytes>,
    /// The number of times that each word occurs.
    pub counts: Vec<i32>,
    /// The numbers of the text's words.
    pub text: Vec<i32>,
}

/// Returns the words of a text, which C's `isspace` separates.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte.is_ascii_whitespace() || byte == 0x0b).filter(|word| !word.is_empty())
}

impl Corpus {
    /// Reads a text. Words that occur less than `min_count` times are unknown.
    ///
    /// Errors: `InvalidArgument` if the text has too few words for the window, or more than have numbers.
    pub(super) fn of(name: &str, text: &[u8], window: usize, min_count: i64) -> Result<Corpus> {
        let mut places: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut found: Vec<(&[u8], usize)> = Vec::new();
        let mut size = 0;
        for word in words(text) {
            let place = *places.entry(word).or_insert(found.len());
            if place == found.len() {
                found.push((word, 0));
            }
            found[place].1 += 1;
            size += 1;
        }
        ensure!(
            size >= window.saturating_mul(WINDOWS) && size > 0,
            InvalidArgument,
            "The text file {name} contains too little data: {size} words"
        );
        let Ok(total) = i32::try_from(size) else {
            bail!(InvalidArgument, "The text file {name} contains too much data: {size} words")
        };
        found.retain(|&(_, count)| count as i64 >= min_count);
        found.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let known: usize = found.iter().map(|&(_, count)| count).sum();
        let numbers: FxHashMap<&[u8], i32> = found.iter().zip(1..).map(|(&(word, _), number)| (word, number)).collect();
        let unknown = (b"UNK".as_slice(), total as usize - known);
        let (words_, counts) = std::iter::once(unknown).chain(found).map(|(w, n)| (Bytes::from(w), n as i32)).unzip();
        let text = words(text).map(|word| numbers.get(word).copied().unwrap_or(UNKNOWN)).collect();
        Ok(Corpus { words: words_, counts, text })
    }
}
