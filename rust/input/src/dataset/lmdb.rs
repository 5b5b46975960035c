//! LMDBDataset: the keys and values of LMDB databases, one after the other.

use super::position::{Position, misfit};
use super::schema::{described, source};
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, dataset_kernel};
use ferroflow_graph::{Registry, ShapeContext, shape_rules};
use ferroflow_io::LmdbReader;
use ferroflow_tensor::{Bytes, Result, Tensor, ensure};
use std::sync::Arc;

struct Databases(Arc<[Bytes]>);

/// A database that is being read.
struct Open {
    reader: LmdbReader,
    /// Number of entries that were read.
    read: u64,
}

struct DatabasesIterator {
    names: Arc<[Bytes]>,
    next: usize,
    open: Option<Open>,
}

impl Dataset for Databases {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(DatabasesIterator { names: self.0.clone(), next: 0, open: None })
    }
}

impl DatabasesIterator {
    /// Returns the database that is being read, behind a number of entries.
    fn reopened(&self, read: u64) -> Result<Open> {
        let name = self.next.checked_sub(1).and_then(|i| self.names.get(i)).ok_or_else(misfit)?;
        let mut reader = LmdbReader::open(name)?;
        for _ in 0..read {
            reader.read()?.ok_or_else(misfit)?;
        }
        Ok(Open { reader, read })
    }
}

impl DatasetIterator for DatabasesIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            let open = match &mut self.open {
                Some(open) => open,
                None => {
                    let Some(name) = self.names.get(self.next) else { return Ok(None) };
                    // Reported once: the next call reads the database after the one that failed.
                    self.next += 1;
                    self.open.insert(Open { reader: LmdbReader::open(name)?, read: 0 })
                }
            };
            match open.reader.read() {
                Ok(Some((key, value))) => {
                    open.read += 1;
                    let scalar = |bytes: Vec<u8>| Tensor::from_strings([], vec![bytes.into()]);
                    return Ok(Some(vec![scalar(key)?, scalar(value)?]));
                }
                Ok(None) => self.open = None,
                Err(e) => {
                    self.open = None;
                    return Err(e);
                }
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let mut read = self.open.as_ref().map(|open| open.read);
        position.value(&mut self.next)?;
        position.value(&mut read)?;
        if position.is_restored() {
            self.open = read.map(|read| self.reopened(read)).transpose()?;
        }
        Ok(())
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    shape_rules::scalar(c)
}

pub(super) fn register(r: &mut Registry) {
    for name in ["LMDBDataset", "ExperimentalLMDBDataset"] {
        r.add(
            described(source(name).input("filenames: string"))
                .shape(shape)
                .doc("Returns the keys and values of LMDB databases.")
                .kernel(|init| {
                    dataset_kernel(init, |ctx| {
                        ensure!(
                            ctx.input(0)?.rank() <= 1,
                            InvalidArgument,
                            "`filenames` must be a scalar or a vector."
                        );
                        Ok(Databases(ctx.input(0)?.strings()?.into()))
                    })
                }),
        );
    }
}
