//! `Store`: the elements of a queue, in the order its kind gives them out.

use super::element::Element;
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::{Result, ensure};
use std::collections::{BTreeMap, VecDeque};

/// Reserved at once for a queue that must hold that many elements; more grow with the queue.
const MOST_RESERVED: usize = 1 << 16;

/// The number of the first element of a queue with priorities; those that come back get smaller ones.
const FIRST: u64 = 1 << 63;

pub(super) enum Store {
    Fifo(VecDeque<Element>),
    /// The order of TensorFlow's RandomShuffleQueue: word of the stream modulo size is taken, and the last element takes
    /// its place.
    Shuffle {
        elements: Vec<Element>,
        words: Words,
    },
    /// By priority, least first, and within one in the order they came.
    Priority {
        elements: BTreeMap<(i64, u64), Element>,
        next: u64,
    },
}

impl Store {
    pub fn fifo() -> Store {
        Store::Fifo(VecDeque::new())
    }

    pub fn shuffle((seed, seed2): (i64, i64), at_least: usize) -> Store {
        let elements = Vec::with_capacity(at_least.min(MOST_RESERVED));
        Store::Shuffle { elements, words: Words::new(Philox::of_op(seed, seed2)) }
    }

    pub fn priority() -> Store {
        Store::Priority { elements: BTreeMap::new(), next: FIRST }
    }

    pub fn len(&self) -> usize {
        match self {
            Store::Fifo(elements) => elements.len(),
            Store::Shuffle { elements, .. } => elements.len(),
            Store::Priority { elements, .. } => elements.len(),
        }
    }

    /// Errors: `InvalidArgument` where the priority is no scalar.
    pub fn push(&mut self, element: Element) -> Result<()> {
        match self {
            Store::Fifo(elements) => elements.push_back(element),
            Store::Shuffle { elements, .. } => elements.push(element),
            Store::Priority { elements, next } => {
                elements.insert((priority(&element)?, *next), element);
                *next += 1;
            }
        }
        Ok(())
    }

    /// Returns the next element; `None` where there is none.
    pub fn pop(&mut self) -> Option<Element> {
        match self {
            Store::Fifo(elements) => elements.pop_front(),
            Store::Shuffle { elements, words } => {
                let n = elements.len();
                (n > 0).then(|| elements.swap_remove((u64::from(words.next_u32()) % n as u64) as usize))
            }
            Store::Priority { elements, .. } => elements.pop_first().map(|(_, e)| e),
        }
    }

    /// Takes back what was popped, given in the order it was: it comes before what is there.
    pub fn put_back(&mut self, popped: impl DoubleEndedIterator<Item = Element>) -> Result<()> {
        for element in popped.rev() {
            match self {
                Store::Fifo(elements) => elements.push_front(element),
                Store::Shuffle { elements, .. } => elements.push(element),
                Store::Priority { elements, .. } => {
                    let priority = priority(&element)?;
                    // Numbers below the first: returned elements were there before the others of their priority.
                    let first = elements.range((priority, 0)..=(priority, u64::MAX)).next();
                    let number = first.map_or(FIRST, |((_, n), _)| n.saturating_sub(1));
                    elements.insert((priority, number), element);
                }
            }
        }
        Ok(())
    }
}

fn priority(element: &Element) -> Result<i64> {
    let tuple = element.to_tuple()?;
    ensure!(!tuple.is_empty(), Internal, "an element has no components");
    ensure!(
        tuple[0].rank() == 0,
        InvalidArgument,
        "Expected the priority element to be a scalar, but received shape: {}",
        tuple[0].shape()
    );
    tuple[0].to_scalar::<i64>()
}
