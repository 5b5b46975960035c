//! The file of a cached dataset: a record for each element, complete once it has its name.

use super::value::{BoxedIterator, DatasetIterator, Element, Pull};
use ferroflow_io::input::BUFFER_SIZE;
use ferroflow_io::{Compression, RecordReader, RecordWriter, file};
use ferroflow_tensor::{Buffer, Bytes, DType, Object, Result, Shape, Status, Tensor, bail, ensure};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The first record: what the file is.
const TITLE: &[u8] = b"ferroflow cached dataset, version 1";
/// A tensor in a variant in a variant: nobody needs more.
const MAX_DEPTH: usize = 4;

fn with_ending(name: &str, ending: &str) -> String {
    format!("{name}.{ending}")
}

fn failed(name: &str) -> impl Fn(std::io::Error) -> Status + '_ {
    move |e| file::failure(name, &e)
}

/// Returns an iterator of a dataset cached in `name`: over the file where it is complete, else over the input, which it
/// writes down.
pub(super) fn iterator(name: &str, input: impl FnOnce() -> BoxedIterator) -> BoxedIterator {
    if file::path_of(with_ending(name, "elements")).exists() {
        return BoxedIterator::new(Reader { name: name.to_owned(), records: None });
    }
    BoxedIterator::new(Writer { name: name.to_owned(), input: input(), open: None, ended: false, gave_up: false })
}

struct Reader {
    name: String,
    records: Option<RecordReader>,
}

impl DatasetIterator for Reader {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        let name = with_ending(&self.name, "elements");
        let records = match &mut self.records {
            Some(records) => records,
            None => {
                let mut records = RecordReader::open(&name, Compression::None, BUFFER_SIZE)?;
                ensure!(records.read()? == Some(TITLE), DataLoss, "{name} is no file of a cached dataset");
                self.records.insert(records)
            }
        };
        let Some(record) = records.read()? else { return Ok(None) };
        let mut rest = Rest { bytes: record, name: &name };
        let count = rest.number()?;
        let mut element = Element::new();
        for _ in 0..count {
            element.push(rest.tensor(MAX_DEPTH)?);
        }
        Ok(Some(element))
    }
}

struct Writer {
    name: String,
    input: BoxedIterator,
    open: Option<Open>,
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
        let mut bytes = Vec::new();
        push_number(&mut bytes, element.len());
        element.iter().try_for_each(|t| push_tensor(&mut bytes, t, MAX_DEPTH))?;
        open.records.write(&bytes)
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(mut open) = self.open.take() {
            open.records.close()?;
            let (from, to) = (with_ending(&self.name, "incomplete"), with_ending(&self.name, "elements"));
            std::fs::rename(file::path_of(from), file::path_of(&to)).map_err(failed(&to))?;
        }
        Ok(())
    }
}

impl DatasetIterator for Writer {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        if self.ended {
            return Ok(None);
        }
        if self.gave_up {
            return self.input.next(pull);
        }
        if self.open.is_none() {
            let lock = self.lock()?;
            let mut records = RecordWriter::create(with_ending(&self.name, "incomplete"), Compression::None, None)?;
            records.write(TITLE)?;
            self.open = Some(Open { records, _lock: lock });
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

fn push_number(bytes: &mut Vec<u8>, n: usize) {
    bytes.extend_from_slice(&(n as u64).to_le_bytes());
}

/// Writes type, rank, dimensions, then the elements. Plain elements are as in memory, strings each with their length,
/// and tensors in variants as tensors.
fn push_tensor(bytes: &mut Vec<u8>, t: &Tensor, depth: usize) -> Result<()> {
    ensure!(depth > 0, Unimplemented, "A variant nested too deeply cannot be cached in a file");
    push_number(bytes, t.dtype().number() as usize);
    push_number(bytes, t.rank());
    t.shape().iter().for_each(|&d| push_number(bytes, d));
    if let Some(plain) = t.bytes() {
        bytes.extend_from_slice(plain);
        return Ok(());
    }
    if t.dtype() == DType::String {
        for s in t.strings()? {
            push_number(bytes, s.len());
            bytes.extend_from_slice(s);
        }
        return Ok(());
    }
    for object in t.objects()? {
        match object.get::<Tensor>() {
            Some(inner) => push_tensor(bytes, inner, depth - 1)?,
            None => bail!(Unimplemented, "Elements with resources, datasets or lists cannot be cached in a file"),
        }
    }
    Ok(())
}

/// The rest of a record.
struct Rest<'a> {
    bytes: &'a [u8],
    name: &'a str,
}

impl<'a> Rest<'a> {
    fn damaged(&self) -> Status {
        Status::data_loss(format!("{}: an element differs from the one written", self.name))
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(n).ok_or_else(|| self.damaged())?;
        self.bytes = tail;
        Ok(head)
    }

    fn number(&mut self) -> Result<usize> {
        let bytes = self.take(8)?;
        let number = bytes.try_into().map(u64::from_le_bytes).ok().and_then(|n| usize::try_from(n).ok());
        number.ok_or_else(|| self.damaged())
    }

    fn tensor(&mut self, depth: usize) -> Result<Tensor> {
        let dtype = self.number()?;
        let dtype = i32::try_from(dtype).ok().and_then(DType::from_number).filter(|_| depth > 0);
        let Some(dtype) = dtype else { return Err(self.damaged()) };
        let rank = self.number()?;
        ensure!(rank <= 254, DataLoss, "{}: an element of rank {rank}", self.name);
        let mut dims = Vec::with_capacity(rank);
        for _ in 0..rank {
            dims.push(i64::try_from(self.number()?).map_err(|_| self.damaged())?);
        }
        let shape = Shape::checked(&dims)?;
        let count = shape.elements();
        if matches!(dtype, DType::Variant | DType::Resource) {
            let mut objects = Vec::new();
            for _ in 0..count {
                objects.push(Object::new(self.tensor(depth - 1)?));
            }
            return Tensor::from_objects(dtype, shape, objects);
        }
        if dtype == DType::String {
            let mut strings: Vec<Bytes> = Vec::new();
            for _ in 0..count {
                let length = self.number()?;
                strings.push(self.take(length)?.into());
            }
            return Tensor::from_strings(shape, strings);
        }
        // The record has these bytes, so a damaged length cannot allocate more.
        let bytes = self.take(count.checked_mul(dtype.size()).ok_or_else(|| self.damaged())?)?;
        plain(dtype, shape, bytes)
    }
}

/// Returns a tensor of the elements that `bytes` are.
fn plain(dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Tensor> {
    if dtype == DType::Bool {
        let values: Vec<bool> = bytes.iter().map(|&b| b != 0).collect();
        return Tensor::from_slice(shape, &values);
    }
    let mut buffer = Buffer::new(bytes.len())?;
    if let Some(to) = buffer.bytes_mut() {
        to.copy_from_slice(bytes);
    }
    Tensor::from_buffer(dtype, shape, buffer)
}
