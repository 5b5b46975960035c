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
    /// Records that are not in the file yet, in whole or in part.
    buffer: Vec<u8>,
    /// The bytes of the records before these.
    before: u64,
    /// The first failure: what was written behind it could not be read.
    failure: Option<Status>,
}

/// Writes the records that are in the buffer.
fn put(to: &mut dyn Write, buffer: &mut Vec<u8>, before: &mut u64) -> std::io::Result<()> {
    to.write_all(buffer)?;
    *before += buffer.len() as u64;
    buffer.clear();
    Ok(())
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
        let buffer = Vec::with_capacity(BUFFER_SIZE);
        Ok(RecordWriter { sink: Some(sink), name: text, buffer, before: 0, failure: None })
    }

    /// Hands `act` the file, unless it is closed or failed before.
    fn act(&mut self, act: impl FnOnce(&mut dyn Write, &mut Vec<u8>, &mut u64) -> std::io::Result<()>) -> Result<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let Some(sink) = &mut self.sink else {
            return Err(Status::failed_precondition(format!("Writer is closed: {}", self.name)));
        };
        act(sink.writer(), &mut self.buffer, &mut self.before).map_err(|e| {
            self.cut();
            let e = failure(&self.name, &e);
            self.failure.insert(e).clone()
        })
    }

    /// Cuts a file without compression after its last whole record. Part of a record would be read as damage.
    fn cut(&self) {
        let Some(Sink::Plain(file)) = &self.sink else { return };
        let length = file.metadata().map_or(0, |m| m.len());
        let (mut whole, mut rest) = (self.before, &self.buffer[..]);
        while let Some(size) =
            rest.first_chunk().map(|b| u64::from_le_bytes(*b).saturating_add((HEADER + FOOTER) as u64))
            && whole.saturating_add(size) <= length
        {
            whole += size;
            rest = rest.get(size as usize..).unwrap_or_default();
        }
        if length > whole {
            let _ = file.set_len(whole);
        }
    }

    /// Returns true if a record of that many bytes is only buffered by `write`.
    pub fn has_room(&self, length: usize) -> bool {
        length.saturating_add(self.buffer.len() + HEADER + FOOTER) <= BUFFER_SIZE
    }

    /// Appends a record.
    ///
    /// Errors: those of the system, at this call and every later one; `FailedPrecondition` where the file is closed.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        self.act(|to, buffer, before| {
            let size = record.len().saturating_add(HEADER + FOOTER);
            if size.saturating_add(buffer.len()) > BUFFER_SIZE {
                put(to, buffer, before)?;
            }
            let length = (record.len() as u64).to_le_bytes();
            buffer.extend_from_slice(&length);
            buffer.extend_from_slice(&masked(&length).to_le_bytes());
            let checksum = masked(record).to_le_bytes();
            if size > BUFFER_SIZE {
                to.write_all(buffer)?;
                to.write_all(record)?;
                to.write_all(&checksum)?;
                buffer.clear();
                *before += size as u64;
                return Ok(());
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
        self.act(|to, buffer, before| {
            put(to, buffer, before)?;
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
        let written = self.act(put);
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
