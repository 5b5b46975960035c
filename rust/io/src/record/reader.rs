//! Reading record files.

use super::{FOOTER, HEADER};
use crate::checksum::masked;
use crate::{Compression, Input};
use ferroflow_tensor::{Result, Status};

/// The records of a file, in order.
pub struct RecordReader {
    input: Input,
    name: String,
    /// The first failure: bytes behind a damaged place may be garbage.
    failure: Option<Status>,
}

/// Returns the first bytes as an array; zeros where they are fewer.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// Returns the damage of `bytes`, which should be `length` bytes and their checksum; `None` if they are.
fn damage(bytes: &[u8], length: usize, at: u64, what: &str) -> Option<String> {
    match bytes.split_at_checked(length) {
        Some((data, checksum)) if checksum.len() == FOOTER => {
            let fits = masked(data) == u32::from_le_bytes(array(checksum));
            (!fits).then(|| format!("corrupted record at {at}: its {what} does not fit its checksum"))
        }
        _ => Some(format!(
            "truncated record at {at}: {} bytes of its {what} and checksum are there, {} were expected",
            bytes.len(),
            length + FOOTER
        )),
    }
}

impl RecordReader {
    /// Opens a file.
    ///
    /// Errors: those of the system, `NotFound` and its like, naming the file.
    pub fn open(name: impl AsRef<[u8]>, compression: Compression, buffer_size: usize) -> Result<RecordReader> {
        Ok(RecordReader::new(Input::open(name, compression, buffer_size)?))
    }

    /// Returns the records in the rest of `input`.
    pub fn new(input: Input) -> RecordReader {
        let name = input.name().to_owned();
        RecordReader { input, name, failure: None }
    }

    /// Returns the start of the next record, in bytes after decompression.
    pub fn offset(&self) -> u64 {
        self.input.position()
    }

    /// Passes over the bytes before `offset`, where a record begins.
    ///
    /// Errors: `OutOfRange` where the file is shorter, `InvalidArgument` where the offset was passed already.
    pub fn skip_to(&mut self, offset: u64) -> Result<()> {
        let (name, at) = (&self.name, self.offset());
        let Some(distance) = offset.checked_sub(at) else {
            return Err(Status::invalid_argument(format!("{name}; byte {offset} lies before byte {at}, read already")));
        };
        let passed = self.input.skip(distance)?;
        if passed < distance {
            let length = at + passed;
            return Err(Status::out_of_range(format!("{name}; byte {offset} lies behind its end at byte {length}")));
        }
        Ok(())
    }

    /// Returns the number of bytes that must be buffered for the next record, as far as the buffered ones state it.
    fn needed(&self) -> usize {
        match self.input.buffered().first_chunk::<HEADER>() {
            None => HEADER,
            Some(header) if damage(header, HEADER - FOOTER, 0, "length").is_some() => HEADER,
            Some(header) => {
                usize::try_from(u64::from_le_bytes(array(header))).unwrap_or(0).saturating_add(HEADER + FOOTER)
            }
        }
    }

    /// Returns true if the next `read` need not wait for the file.
    pub fn is_prepared(&self) -> bool {
        self.failure.is_some() || self.input.at_end() || self.input.buffered().len() >= self.needed()
    }

    /// Reads ahead for the next `read`, which then returns any failure.
    pub fn prepare(&mut self) {
        while !self.is_prepared() {
            if let Err(e) = self.input.fill(self.needed()) {
                self.failure = Some(e);
            }
        }
    }

    /// Returns the next record; `None` where the file ends after a whole one.
    ///
    /// Errors: `DataLoss` where a record is cut short or does not fit its checksums, naming file and byte, at this call
    /// and every later one.
    pub fn read(&mut self) -> Result<Option<&[u8]>> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let length = match self.length() {
            Ok(Some(length)) => length,
            Ok(None) => return Ok(None),
            Err(e) => return Err(self.failure.insert(e).clone()),
        };
        let at = self.offset();
        match self.input.take(length + FOOTER) {
            Ok(bytes) => match damage(bytes, length, at, "data") {
                None => Ok(bytes.get(..length)),
                Some(problem) => {
                    let e = Status::data_loss(format!("{}; {problem}", self.name));
                    Err(self.failure.insert(e).clone())
                }
            },
            Err(e) => Err(self.failure.insert(e).clone()),
        }
    }

    /// Returns the length of the next record, one that its checksum can follow; `None` at the end of the file.
    fn length(&mut self) -> Result<Option<usize>> {
        let at = self.offset();
        let header = self.input.take(HEADER)?;
        if header.is_empty() {
            return Ok(None);
        }
        let number = u64::from_le_bytes(array(header));
        let problem = damage(header, HEADER - FOOTER, at, "length");
        let length = usize::try_from(number).ok().filter(|&n| n <= isize::MAX as usize - FOOTER);
        match (problem, length) {
            (None, Some(length)) => Ok(Some(length)),
            (None, None) => {
                Err(Status::data_loss(format!("{}; record size too large at {at}: {number} bytes", self.name)))
            }
            (Some(problem), _) => Err(Status::data_loss(format!("{}; {problem}", self.name))),
        }
    }
}
