//! The file of a cached dataset: a record for each element, complete once it has its name.

use super::position::{Position, misfit};
use super::saved::{self, Saved};
use super::value::{BoxedIterator, DatasetIterator, Element, Pull, SharedDataset};
use ferroflow_io::input::BUFFER_SIZE;
use ferroflow_io::{Compression, RecordReader, RecordWriter, file};
use ferroflow_tensor::{Result, Status, bail, ensure};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The first record: what the file is.
const TITLE: &[u8] = b"ferroflow cached dataset, version 1";
const COMPLETE: &str = "elements";
const INCOMPLETE: &str = "incomplete";
/// An incomplete file from which a restored pass takes the elements before its position.
const RESUMED: &str = "resumed";

fn with_ending(name: &str, ending: &str) -> String {
    format!("{name}.{ending}")
}

fn failed(name: &str) -> impl Fn(std::io::Error) -> Status + '_ {
    move |e| file::failure(name, &e)
}

fn rename(from: &str, to: &str) -> Result<()> {
    std::fs::rename(file::path_of(from), file::path_of(to)).map_err(failed(to))
}

/// Returns an iterator of a dataset cached in `name`: over the file where it is complete, else over the input, which it
/// writes down.
pub(super) fn iterator(name: &str, input: &SharedDataset) -> BoxedIterator {
    let state = match file::path_of(with_ending(name, COMPLETE)).exists() {
        true => State::Reads(Reader { name: with_ending(name, COMPLETE), records: None, count: 0 }),
        false => State::Writes(Writer::new(name, input)),
    };
    BoxedIterator::new(FileIterator { name: name.to_owned(), input: input.clone(), state })
}

struct FileIterator {
    name: String,
    input: SharedDataset,
    state: State,
}

enum State {
    Reads(Reader),
    Writes(Writer),
}

impl DatasetIterator for FileIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        match &mut self.state {
            State::Reads(reader) => reader.next(),
            State::Writes(writer) => writer.next(pull),
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let mut read = match &self.state {
            State::Reads(reader) => Some(reader.count),
            State::Writes(_) => None,
        };
        position.value(&mut read)?;
        if let (Some(count), true) = (read, position.is_restored()) {
            self.state = State::Reads(Reader::at(with_ending(&self.name, COMPLETE), count)?);
        } else if position.is_restored() {
            self.state = State::Writes(Writer::new(&self.name, &self.input));
        }
        if let State::Writes(writer) = &mut self.state {
            writer.position(position)?;
            if position.is_restored() && writer.is_complete() {
                self.state = State::Reads(Reader::at(with_ending(&self.name, COMPLETE), writer.count)?);
            }
        }
        Ok(())
    }
}

struct Reader {
    /// Of the file.
    name: String,
    records: Option<RecordReader>,
    /// Elements read so far.
    count: u64,
}

impl Reader {
    /// Returns the reader of a file after `count` elements.
    fn at(name: String, count: u64) -> Result<Reader> {
        let mut reader = Reader { name, records: None, count: 0 };
        while reader.count < count {
            reader.record()?.ok_or_else(misfit)?;
        }
        Ok(reader)
    }

    fn record(&mut self) -> Result<Option<&[u8]>> {
        if self.records.is_none() {
            let mut records = RecordReader::open(&self.name, Compression::None, BUFFER_SIZE)?;
            ensure!(records.read()? == Some(TITLE), DataLoss, "{} is no file of a cached dataset", self.name);
            self.records = Some(records);
        }
        let Some(records) = &mut self.records else { return Ok(None) };
        let record = records.read()?;
        self.count += u64::from(record.is_some());
        Ok(record)
    }

    fn next(&mut self) -> Result<Option<Element>> {
        let name = self.name.clone();
        match self.record()? {
            Some(record) => Element::get(&mut saved::Reader::new(record, &name, None)).map(Some),
            None => Ok(None),
        }
    }
}

struct Writer {
    name: String,
    input: BoxedIterator,
    open: Option<Open>,
    /// Elements written so far.
    count: u64,
    ended: bool,
    /// True if a record could not be written: the file would lack it, so nothing more is written.
    gave_up: bool,
}

/// The unfinished file, and the lock that keeps others from it.
struct Open {
    records: RecordWriter,
    _lock: Lock,
}

struct Lock(PathBuf);

/// A pass that was left before its end keeps nothing.
impl Drop for Lock {
    fn drop(&mut self) {
        // The next reader reports the failure.
        std::fs::remove_file(&self.0).unwrap_or(());
    }
}

impl Writer {
    fn new(name: &str, input: &SharedDataset) -> Writer {
        let input = input.iterator();
        Writer { name: name.to_owned(), input, open: None, count: 0, ended: false, gave_up: false }
    }

    /// Returns true if the file has all elements, as another pass may have written it.
    fn is_complete(&self) -> bool {
        file::path_of(with_ending(&self.name, COMPLETE)).exists()
    }

    /// Begins the file, under the lock.
    fn begin(&self) -> Result<Open> {
        self.begin_with(self.lock()?)
    }

    fn begin_with(&self, lock: Lock) -> Result<Open> {
        let mut records = RecordWriter::create(with_ending(&self.name, INCOMPLETE), Compression::None, None)?;
        records.write(TITLE)?;
        Ok(Open { records, _lock: lock })
    }

    /// Begins the file with the elements before a restored position, which the incomplete file has.
    fn resume(&self) -> Result<Open> {
        let (incomplete, resumed) = (with_ending(&self.name, INCOMPLETE), with_ending(&self.name, RESUMED));
        let lock = self.lock()?;
        rename(&incomplete, &resumed)?;
        let mut open = self.begin_with(lock)?;
        let mut reader = Reader { name: resumed.clone(), records: None, count: 0 };
        for _ in 0..self.count {
            open.records.write(reader.record()?.ok_or_else(misfit)?)?;
        }
        std::fs::remove_file(file::path_of(&resumed)).map_err(failed(&resumed))?;
        Ok(open)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        if let Some(open) = &mut self.open {
            open.records.flush()?;
        }
        position.value(&mut self.count)?;
        position.value(&mut self.ended)?;
        position.value(&mut self.gave_up)?;
        let mut is_open = self.open.is_some();
        position.value(&mut is_open)?;
        if position.is_restored() && is_open && !self.is_complete() {
            self.open = Some(self.resume()?);
        }
        position.iterator(&mut self.input)
    }

    fn lock(&self) -> Result<Lock> {
        let name = with_ending(&self.name, "lockfile");
        let path = file::path_of(&name);
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut lockfile) => {
                let lock = Lock(path);
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
                std::io::Write::write_all(&mut lockfile, format!("Created at: {now}").as_bytes())
                    .map_err(failed(&name))?;
                Ok(lock)
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
                let contents = std::fs::read_to_string(&path).unwrap_or_default();
                bail!(
                    AlreadyExists,
                    "There appears to be a concurrent caching iterator running - cache lockfile already exists ('{name}'). \
                     If you are sure no other running TF computations are using this cache prefix, delete the lockfile and \
                     re-initialize the iterator. Lockfile contents: {contents}"
                )
            }
            Err(e) => Err(file::failure(&name, &e)),
        }
    }

    fn write(&mut self, element: &Element) -> Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let mut to = saved::Writer { bytes: Vec::new(), takes_datasets: false };
        element.put(&mut to)?;
        open.records.write(&to.bytes)?;
        self.count += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(mut open) = self.open.take() {
            open.records.close()?;
            rename(&with_ending(&self.name, INCOMPLETE), &with_ending(&self.name, COMPLETE))?;
        }
        Ok(())
    }
}

impl Writer {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if self.ended {
            return Ok(None);
        }
        if self.gave_up {
            return self.input.next(pull);
        }
        if self.open.is_none() {
            self.open = Some(self.begin()?);
        }
        let element = self.input.next(pull)?;
        match &element {
            Some(element) => self.write(element).inspect_err(|_| {
                self.gave_up = true;
                self.open = None;
            })?,
            None => {
                self.ended = true;
                self.finish()?;
            }
        }
        Ok(element)
    }
}
