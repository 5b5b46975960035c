//! Writing record files.

use super::{FOOTER, HEADER};
use crate::Compression;
use crate::checksum::masked;
use crate::file::{failure, path_of};
use ferroflow_tensor::{Result, Status};
use flate2::write::{GzEncoder, ZlibEncoder};
use std::fs::File;
use std::io::Write;

/// Bytes gathered before they are passed to the system, in whole records. A killed program leaves whole records behind,
/// except for one larger than this.
const BUFFER_SIZE: usize = 256 << 10;

enum Sink {
    Plain(File),
    Zlib(ZlibEncoder<File>),
    Gzip(GzEncoder<File>),
}

impl Sink {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Sink::Plain(w) => w,
            Sink::Zlib(w) => w,
            Sink::Gzip(w) => w,
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Sink::Plain(_) => Ok(()),
            Sink::Zlib(w) => w.finish().map(drop),
            Sink::Gzip(w) => w.finish().map(drop),
        }
    }
}

/// A record file being written; dropped, it closes and forgets failures.
pub struct RecordWriter {
    /// `None` once closed.
    sink: Option<Sink>,
    name: String,
    buffer: Vec<u8>,
    /// The first failure: what was written behind it could not be read.
    failure: Option<Status>,
}

impl RecordWriter {
    /// Makes a file, in place of one that has the name. `level` is how hard to compress, 0 to 9; by default 6.
    ///
    /// Errors: those of the system, `NotFound` and its like, naming the file.
    pub fn create(name: impl AsRef<[u8]>, compression: Compression, level: Option<u32>) -> Result<RecordWriter> {
        let text = String::from_utf8_lossy(name.as_ref()).into_owned();
        let file = File::create(path_of(name)).map_err(|e| failure(&text, &e))?;
        let level = level.map_or_else(flate2::Compression::default, |l| flate2::Compression::new(l.min(9)));
        let sink = match compression {
            Compression::None => Sink::Plain(file),
            Compression::Zlib => Sink::Zlib(ZlibEncoder::new(file, level)),
            Compression::Gzip => Sink::Gzip(GzEncoder::new(file, level)),
        };
        Ok(RecordWriter { sink: Some(sink), name: text, buffer: Vec::with_capacity(BUFFER_SIZE), failure: None })
    }

    /// Hands `act` the file, unless it is closed or failed before.
    fn act(&mut self, act: impl FnOnce(&mut dyn Write, &mut Vec<u8>) -> std::io::Result<()>) -> Result<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let Some(sink) = &mut self.sink else {
            return Err(Status::failed_precondition(format!("Writer is closed: {}", self.name)));
        };
        act(sink.writer(), &mut self.buffer).map_err(|e| {
            let e = failure(&self.name, &e);
            self.failure.insert(e).clone()
        })
    }

    /// Returns true if a record of that many bytes is only buffered by `write`.
    pub fn has_room(&self, length: usize) -> bool {
        length.saturating_add(self.buffer.len() + HEADER + FOOTER) <= BUFFER_SIZE
    }

    /// Appends a record.
    ///
    /// Errors: those of the system, at this call and every later one; `FailedPrecondition` where the file is closed.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        self.act(|to, buffer| {
            let size = record.len().saturating_add(HEADER + FOOTER);
            if size.saturating_add(buffer.len()) > BUFFER_SIZE {
                to.write_all(buffer)?;
                buffer.clear();
            }
            let length = (record.len() as u64).to_le_bytes();
            buffer.extend_from_slice(&length);
            buffer.extend_from_slice(&masked(&length).to_le_bytes());
            let checksum = masked(record).to_le_bytes();
            if size > BUFFER_SIZE {
                to.write_all(buffer)?;
                buffer.clear();
                to.write_all(record)?;
                return to.write_all(&checksum);
            }
            buffer.extend_from_slice(record);
            buffer.extend_from_slice(&checksum);
            Ok(())
        })
    }

    /// Gives the system all records so far: who opens the file now reads them.
    ///
    /// Errors: as `write`.
    pub fn flush(&mut self) -> Result<()> {
        self.act(|to, buffer| {
            to.write_all(buffer)?;
            buffer.clear();
            to.flush()
        })
    }

    /// Ends the file; closing again does nothing.
    ///
    /// Errors: those of the system.
    pub fn close(&mut self) -> Result<()> {
        if self.sink.is_none() {
            return Ok(());
        }
        let written = self.act(|to, buffer| to.write_all(buffer));
        self.buffer = Vec::new();
        let finished = match self.sink.take() {
            Some(sink) if written.is_ok() => sink.finish().map_err(|e| failure(&self.name, &e)),
            _ => Ok(()),
        };
        written.and(finished)
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
