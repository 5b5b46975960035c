//! CacheDataset: elements kept from the first whole pass, in memory or in a file, for the passes after it.

use super::cache_file;
use super::cardinality::Cardinality;
use super::place::{PerPlace, Place, Use};
use super::position::Position;
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, text,
};
use ferroflow_graph::Registry;
use ferroflow_sync::{Mutex, is_lost};
use ferroflow_tensor::{Result, bail};
use std::sync::Arc;

/// The state that the iterators of one dataset at one place share.
#[derive(Default)]
struct Kept {
    whole: Option<Arc<[Element]>>,
    /// True while an iterator is on its first pass.
    being_filled: bool,
}

struct MemoryCache {
    input: SharedDataset,
    /// TF 1.15: each place of the dataset in a pipeline keeps elements of its own.
    kept: Mutex<PerPlace<Arc<Mutex<Kept>>>>,
}

/// A dataset cached in the file of that name, in memory where it has none.
struct Cache {
    memory: MemoryCache,
    name: String,
}

impl Dataset for Cache {
    fn iterator(&self) -> BoxedIterator {
        match self.name.is_empty() {
            true => self.memory.iterator(),
            false => cache_file::iterator(&self.name, &self.memory.input),
        }
    }

    fn cardinality(&self) -> Cardinality {
        self.memory.cardinality()
    }
}

/// A pass over a cached dataset.
struct MemoryIterator {
    input: SharedDataset,
    kept: Arc<Mutex<Kept>>,
    state: State,
}

enum State {
    Reads(Reader),
    Writes(Writer),
    /// Began while another one was on its first pass.
    Waits,
}

struct Reader {
    elements: Arc<[Element]>,
    next: usize,
}

struct Writer {
    input: BoxedIterator,
    /// Until the input ends.
    elements: Option<Vec<Element>>,
    kept: Arc<Mutex<Kept>>,
}

impl Dataset for MemoryCache {
    fn iterator(&self) -> BoxedIterator {
        let place = Place::current().unwrap_or_else(|| Place::below(Use::new()));
        let kept = self.kept.lock().at(&place).clone();
        let (whole, is_first) = {
            let mut now = kept.lock();
            let whole = now.whole.clone();
            let is_first = whole.is_none() && !std::mem::replace(&mut now.being_filled, true);
            (whole, is_first)
        };
        let input = self.input.clone();
        let state = match whole {
            Some(elements) => State::Reads(Reader { elements, next: 0 }),
            None if is_first => {
                State::Writes(Writer { input: input.iterator(), elements: Some(Vec::new()), kept: kept.clone() })
            }
            None => State::Waits,
        };
        BoxedIterator::new(MemoryIterator { input, kept, state })
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

impl Reader {
    fn next(&mut self) -> Option<Element> {
        let element = self.elements.get(self.next).cloned();
        self.next = self.next.saturating_add(1);
        element
    }
}

impl Writer {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let element = self.input.next(pull)?;
        match &element {
            Some(element) => {
                if let Some(elements) = &mut self.elements {
                    elements.push(element.clone());
                }
            }
            None => {
                if let Some(elements) = self.elements.take() {
                    self.kept.lock().whole = Some(elements.into());
                }
            }
        }
        Ok(element)
    }
}

/// A pass that was left before its end keeps nothing.
impl Drop for Writer {
    fn drop(&mut self) {
        if self.elements.is_some() && !is_lost(&self.kept) {
            self.kept.lock().being_filled = false;
        }
    }
}

impl DatasetIterator for MemoryIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if matches!(self.state, State::Waits) {
            let Some(elements) = self.kept.lock().whole.clone() else {
                bail!(
                    AlreadyExists,
                    "There appears to be a concurrent caching iterator running. Iterate over the dataset once before it \
                     is read by several iterators at a time."
                )
            };
            self.state = State::Reads(Reader { elements, next: 0 });
        }
        match &mut self.state {
            State::Reads(reader) => Ok(reader.next()),
            State::Writes(writer) => writer.next(pull),
            State::Waits => Ok(None),
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let mut read = match &self.state {
            State::Reads(reader) => Some((reader.elements.to_vec(), reader.next)),
            _ => None,
        };
        position.value(&mut read)?;
        let mut waits = matches!(self.state, State::Waits);
        position.value(&mut waits)?;
        if position.is_restored() {
            // The new pass is dropped first, for that opens the cache to others.
            self.state = State::Waits;
            if let Some((elements, next)) = read {
                let elements: Arc<[Element]> = elements.into();
                self.kept.lock().whole = Some(elements.clone());
                self.state = State::Reads(Reader { elements, next });
            } else if !waits {
                self.kept.lock().being_filled = true;
                let (input, kept) = (self.input.iterator(), self.kept.clone());
                self.state = State::Writes(Writer { input, elements: None, kept });
            }
        }
        if let State::Writes(writer) = &mut self.state {
            position.value(&mut writer.elements)?;
            position.iterator(&mut writer.input)?;
        }
        Ok(())
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("CacheDataset").input("filename: string"))
            .shape(scalars)
            .doc(
                "Returns the input, from its second pass on as it was in the first: kept in memory, or in a file if \
                 `filename` names one.",
            )
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let (input, name) = (dataset_input(ctx, 0)?.dataset, text(ctx, 1, "filename")?);
                    Ok(Cache { memory: MemoryCache { input, kept: Mutex::default() }, name })
                })
            }),
    );
}
