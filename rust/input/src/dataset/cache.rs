//! CacheDataset: elements kept from the first whole pass, in memory or in a file, for the passes after it.

use super::cache_file;
use super::cardinality::Cardinality;
use super::place::{PerPlace, Place, Use};
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
            false => cache_file::iterator(&self.name, || self.memory.input.iterator()),
        }
    }

    fn cardinality(&self) -> Cardinality {
        self.memory.cardinality()
    }
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

/// An iterator that began while another one was on its first pass.
struct Late {
    kept: Arc<Mutex<Kept>>,
    reader: Option<Reader>,
}

impl Dataset for MemoryCache {
    fn iterator(&self) -> BoxedIterator {
        let place = Place::current().unwrap_or_else(|| Place::below(Use::new()));
        let here = self.kept.lock().at(&place).clone();
        let mut kept = here.lock();
        if let Some(elements) = &kept.whole {
            return BoxedIterator::new(Reader { elements: elements.clone(), next: 0 });
        }
        if std::mem::replace(&mut kept.being_filled, true) {
            drop(kept);
            return BoxedIterator::new(Late { kept: here, reader: None });
        }
        drop(kept);
        BoxedIterator::new(Writer { input: self.input.iterator(), elements: Some(Vec::new()), kept: here })
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

impl DatasetIterator for Reader {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        let element = self.elements.get(self.next).cloned();
        self.next += 1;
        Ok(element)
    }
}

impl DatasetIterator for Writer {
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

impl DatasetIterator for Late {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if self.reader.is_none() {
            match &self.kept.lock().whole {
                Some(elements) => self.reader = Some(Reader { elements: elements.clone(), next: 0 }),
                None => bail!(
                    AlreadyExists,
                    "There appears to be a concurrent caching iterator running. Iterate over the dataset once before it \
                     is read by several iterators at a time."
                ),
            }
        }
        match &mut self.reader {
            Some(reader) => reader.next(pull),
            None => Ok(None),
        }
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
