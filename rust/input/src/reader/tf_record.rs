//! The reader of record files.

use super::source::{Source, Step, key};
use ferroflow_io::input::BUFFER_SIZE;
use ferroflow_io::{Compression, RecordReader};
use ferroflow_tensor::Result;

/// Gives the records of a file.
pub(super) struct TfRecord {
    compression: Compression,
    reader: Option<RecordReader>,
}

impl TfRecord {
    pub fn new(compression: Compression) -> TfRecord {
        TfRecord { compression, reader: None }
    }
}

impl Source for TfRecord {
    fn begin(&mut self, work: &[u8]) -> Result<()> {
        self.reader = Some(RecordReader::open(work, self.compression, BUFFER_SIZE)?);
        Ok(())
    }

    fn read(&mut self, work: &[u8]) -> Result<Step> {
        let Some(reader) = &mut self.reader else { return Ok(Step::done()) };
        let offset = reader.offset();
        match reader.read()? {
            Some(record) => Ok(Step::some(key(work, offset), record)),
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
