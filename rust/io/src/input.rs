//! A file read forward through one buffer: runs of bytes, lines, skips.

use crate::compression::Compression;
use crate::file::{failure, path_of};
use ferroflow_tensor::{Code, Result, Status};
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Bytes that are read ahead. Larger buffers fall out of the second-level cache between the read and the checksum.
pub const BUFFER_SIZE: usize = 256 << 10;

/// The decompressed bytes of a file, in order.
///
/// Returned bytes borrow its buffer. No buffer is made for bytes that the file turns out not to have. Memory in use is
/// at most twice the bytes read, and the buffer's size.
pub struct Input {
    source: Box<dyn Read + Send + Sync>,
    name: String,
    compression: Compression,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    position: u64,
    at_end: bool,
}

impl Input {
    /// Opens a file.
    ///
    /// Errors: those of the system, `NotFound` and its like, naming the file.
    pub fn open(name: impl AsRef<[u8]>, compression: Compression, buffer_size: usize) -> Result<Input> {
        let text = String::from_utf8_lossy(name.as_ref()).into_owned();
        let file = File::open(path_of(name)).map_err(|e| failure(&text, &e))?;
        Ok(Input::new(file, text, compression, buffer_size))
    }

    /// Returns the bytes of `source`, which errors call `name`.
    pub fn new(
        source: impl Read + Send + Sync + 'static,
        name: impl Into<String>,
        compression: Compression,
        buffer_size: usize,
    ) -> Input {
        let buffer_size = buffer_size.clamp(16, 1 << 30);
        Input {
            source: compression.undone(source, buffer_size),
            name: name.into(),
            compression,
            buffer: vec![0; buffer_size],
            start: 0,
            end: 0,
            position: 0,
            at_end: false,
        }
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of bytes taken so far, counted after decompression.
    pub fn position(&self) -> u64 {
        self.position
    }

    fn failure(&self, error: &std::io::Error) -> Status {
        let damaged =
            matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof);
        if self.compression != Compression::None && damaged {
            let at = self.position + (self.end - self.start) as u64;
            let message = format!("{}; compressed data is damaged after byte {at} of its contents: {error}", self.name);
            return Status::new(Code::DataLoss, message);
        }
        failure(&self.name, error)
    }

    /// Makes room behind what is buffered: by moving it to the front, or by at most doubling the buffer.
    fn make_room(&mut self, needed: usize) -> Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            let more = self.buffer.len().min(needed.saturating_sub(self.end)).max(1);
            self.buffer.try_reserve(more).map_err(|_| {
                Status::resource_exhausted(format!(
                    "{}; no memory for {needed} bytes that follow each other",
                    self.name
                ))
            })?;
            self.buffer.resize(self.end + more, 0);
        }
        Ok(())
    }

    /// Reads once more; false at the end of the file.
    fn read_more(&mut self, needed: usize) -> Result<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.end == self.buffer.len() {
            self.make_room(needed)?;
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(n) => {
                    self.end += n;
                    self.at_end = n == 0;
                    return Ok(n > 0);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.failure(&e)),
            }
        }
    }

    fn taken(&mut self, n: usize) -> &[u8] {
        let from = self.start;
        self.start += n;
        self.position += n as u64;
        &self.buffer[from..from + n]
    }

    /// Reads until `n` bytes are buffered or the file ends, and takes none.
    pub fn fill(&mut self, n: usize) -> Result<()> {
        while self.end - self.start < n && self.read_more(n)? {}
        Ok(())
    }

    /// Returns the bytes that were read and not taken.
    pub fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns true if the last read found the file's end.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// Returns the next `n` bytes; fewer only where the file ends.
    pub fn take(&mut self, n: usize) -> Result<&[u8]> {
        self.fill(n)?;
        Ok(self.taken(n.min(self.end - self.start)))
    }

    /// Passes over `n` bytes; returns how many there were.
    pub fn skip(&mut self, n: u64) -> Result<u64> {
        let mut left = n;
        loop {
            let here = left.min((self.end - self.start) as u64);
            self.taken(here as usize);
            left -= here;
            if left == 0 || !self.read_more(0)? {
                return Ok(n - left);
            }
        }
    }

    /// Returns the next line with its newline, which only the last may lack; `None` at the end of the file.
    pub fn line(&mut self) -> Result<Option<&[u8]>> {
        let mut searched = 0;
        loop {
            let pending = &self.buffer[self.start + searched..self.end];
            if let Some(at) = memchr::memchr(b'\n', pending) {
                return Ok(Some(self.taken(searched + at + 1)));
            }
            searched += pending.len();
            if !self.read_more(usize::MAX)? {
                return Ok(if searched == 0 { None } else { Some(self.taken(searched)) });
            }
        }
    }

    /// Returns everything up to the end of the file.
    pub fn rest(&mut self) -> Result<&[u8]> {
        while self.read_more(usize::MAX)? {}
        Ok(self.taken(self.end - self.start))
    }
}

/// Returns a line without its newline and one carriage return before that.
pub fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn input(bytes: &[u8], buffer_size: usize) -> Input {
        Input::new(Cursor::new(bytes.to_vec()), "test", Compression::None, buffer_size)
    }

    #[test]
    fn bytes_come_in_order_through_a_buffer_of_any_size() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        for size in [16, 17, 100, 5000] {
            let mut from = input(&bytes, size);
            let mut seen = Vec::new();
            for n in (0..).map(|i| i * 7 % 60) {
                let got = from.take(n).unwrap();
                seen.extend_from_slice(got);
                if got.len() < n {
                    break;
                }
            }
            assert_eq!(seen, bytes);
            assert_eq!(from.position(), 1000);
        }
    }

    #[test]
    fn skipping_passes_over_what_taking_would_give() {
        let bytes: Vec<u8> = (0..200).collect();
        let mut from = input(&bytes, 16);
        assert_eq!(from.take(3).unwrap(), [0, 1, 2]);
        assert_eq!(from.skip(100).unwrap(), 100);
        assert_eq!(from.take(2).unwrap(), [103, 104]);
        assert_eq!(from.skip(1000).unwrap(), 95);
        assert_eq!(from.take(1).unwrap(), []);
    }

    #[test]
    fn asking_for_more_than_there_is_makes_no_room_for_it() {
        let mut from = input(&[7; 100], 16);
        assert_eq!(from.take(1 << 60).unwrap(), [7; 100]);
        assert!(from.buffer.len() <= 256);
    }

    #[test]
    fn lines_keep_their_newline_and_the_last_may_have_none() {
        let long = [b"x".repeat(100), b"\n".to_vec()].concat();
        let text = [b"a\n\nb\r\n".to_vec(), long.clone(), b"end".to_vec()].concat();
        let mut from = input(&text, 16);
        for expected in [b"a\n", &b"\n"[..], b"b\r\n", &long, b"end"] {
            assert_eq!(from.line().unwrap(), Some(expected));
        }
        assert_eq!(from.line().unwrap(), None);
        assert_eq!(from.position(), text.len() as u64);
        assert_eq!(without_line_end(b"b\r\r\n"), b"b\r");
        assert_eq!(without_line_end(b"b\r"), b"b");
    }

    #[test]
    fn the_rest_is_what_was_not_taken() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut from = input(&bytes, 16);
        from.take(5).unwrap();
        assert_eq!(from.rest().unwrap(), &bytes[5..]);
        assert_eq!(from.rest().unwrap(), []);
    }

    #[test]
    fn a_folder_is_no_file() {
        let mut from = Input::open(std::env::temp_dir().to_string_lossy().as_bytes(), Compression::None, 16).unwrap();
        assert_eq!(from.take(1).unwrap_err().code(), Code::FailedPrecondition);
        let e = Input::open("/nowhere/at/all", Compression::None, 16).err().unwrap();
        assert_eq!(e.code(), Code::NotFound);
    }
}
