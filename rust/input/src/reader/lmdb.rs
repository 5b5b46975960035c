//! The reader of LMDB databases.

use super::source::{Source, Step};
use ferroflow_io::LmdbReader;
use ferroflow_tensor::Result;

/// Gives the entries of a database by rising keys.
#[derive(Default)]
pub(super) struct Lmdb {
    reader: Option<LmdbReader>,
}

impl Source for Lmdb {
    fn begin(&mut self, work: &[u8]) -> Result<()> {
        self.reader = Some(LmdbReader::open(work)?);
        Ok(())
    }

    fn read(&mut self, _: &[u8]) -> Result<Step> {
        match self.reader.as_mut().map(LmdbReader::read).transpose()?.flatten() {
            Some((key, value)) => Ok(Step { record: Some((key.into(), value.into())), is_done: false }),
            None => {
                self.reader = None;
                Ok(Step::done())
            }
        }
    }

    fn clear(&mut self) {
        self.reader = None;
    }
}
