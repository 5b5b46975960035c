//! TextLineDataset, TFRecordDataset, FixedLengthRecordDataset(V2): the lines and records of files, one file after the other.

use super::position::{Position, misfit};
use super::schema::source;
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, Signature, scalar, signed_kernel};
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, shape_rules};
use ferroflow_io::input::{BUFFER_SIZE, without_line_end};
use ferroflow_io::{Compression, Input, RecordReader, file};
use ferroflow_tensor::{Bytes, Result, Tensor, bail, ensure};
use std::sync::Arc;

/// The parts that a file is cut into.
#[derive(Clone, Copy)]
enum Cut {
    Lines,
    Records,
    /// Pieces of one length between a header and a footer, in bytes.
    Lengths {
        header: u64,
        record: u64,
        footer: u64,
    },
}

/// An open file.
enum Open {
    Lines(Input),
    Records(RecordReader),
    /// Records left and the length of each.
    Lengths {
        input: Input,
        left: u64,
        record: usize,
    },
    /// The whole contents, and the position of the next record.
    Whole {
        body: Vec<u8>,
        at: usize,
        record: usize,
    },
}

impl Open {
    fn next(&mut self) -> Result<Option<Bytes>> {
        Ok(match self {
            Open::Lines(input) => input.line()?.map(|line| without_line_end(line).into()),
            Open::Records(reader) => reader.read()?.map(Into::into),
            Open::Lengths { left: 0, .. } => None,
            Open::Lengths { input, left, record } => {
                *left -= 1;
                let bytes: Bytes = input.take(*record)?.into();
                ensure!(bytes.len() == *record, OutOfRange, "{}; reached end of file", input.name());
                Some(bytes)
            }
            Open::Whole { body, at, record } => {
                let bytes = body.get(*at..at.saturating_add(*record)).map(Into::into);
                *at = at.saturating_add(*record);
                bytes
            }
        })
    }

    /// Returns the place of the next record: in bytes, or, of records of one length, the number of those left.
    fn offset(&self) -> u64 {
        match self {
            Open::Lines(input) => input.position(),
            Open::Records(reader) => reader.offset(),
            Open::Lengths { left, .. } => *left,
            Open::Whole { at, .. } => *at as u64,
        }
    }

    /// Goes on from the beginning of the file to a place that `offset` returned.
    fn pass_to(&mut self, offset: u64) -> Result<()> {
        match self {
            Open::Lines(input) => input.skip(offset).map(drop),
            Open::Records(reader) => reader.skip_to(offset),
            Open::Lengths { input, left, record } => {
                let passed = left.checked_sub(offset).ok_or_else(misfit)?;
                *left = offset;
                input.skip(passed.saturating_mul(*record as u64)).map(drop)
            }
            Open::Whole { at, .. } => {
                *at = usize::try_from(offset).map_err(|_| misfit())?;
                Ok(())
            }
        }
    }
}

#[derive(Clone)]
struct Files {
    names: Arc<[Bytes]>,
    cut: Cut,
    compression: Compression,
    buffer_size: usize,
}

struct FilesIterator {
    files: Files,
    next: usize,
    open: Option<Open>,
}

impl Dataset for Files {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(FilesIterator { files: self.clone(), next: 0, open: None })
    }
}

fn uneven(name: &[u8], header: u64, record: u64, footer: u64, body: i128) -> ferroflow_tensor::Status {
    ferroflow_tensor::Status::invalid_argument(format!(
        "Excluding the header ({header} bytes) and footer ({footer} bytes), input file \"{}\" has body length {body} \
         bytes, which is not an exact multiple of the record length ({record} bytes).",
        String::from_utf8_lossy(name)
    ))
}

impl Files {
    fn open(&self, name: &Bytes) -> Result<Open> {
        let open = |size| Input::open(name, self.compression, size);
        match self.cut {
            Cut::Lines => Ok(Open::Lines(open(self.buffer_size)?)),
            Cut::Records => Ok(Open::Records(RecordReader::open(name, self.compression, self.buffer_size)?)),
            Cut::Lengths { header, record, footer } => {
                let too_long = || uneven(name, header, record, footer, 0);
                let length = usize::try_from(record).map_err(|_| too_long())?;
                if self.compression != Compression::None {
                    // The length of a compressed file is known at its end only.
                    let whole = open(self.buffer_size)?.rest()?.to_vec();
                    let body = whole.len() as i128 - i128::from(header) - i128::from(footer);
                    if body < 0 || body % i128::from(record) != 0 {
                        return Err(uneven(name, header, record, footer, body));
                    }
                    let (from, to) = (header as usize, whole.len() - footer as usize);
                    let body = whole.get(from..to).unwrap_or_default().to_vec();
                    return Ok(Open::Whole { body, at: 0, record: length });
                }
                let path = file::path_of(name);
                let metadata =
                    std::fs::metadata(path).map_err(|e| file::failure(&String::from_utf8_lossy(name), &e))?;
                let body = i128::from(metadata.len()) - i128::from(header) - i128::from(footer);
                if body < 0 || body % i128::from(record) != 0 {
                    return Err(uneven(name, header, record, footer, body));
                }
                let mut input = open(self.buffer_size)?;
                input.skip(header)?;
                Ok(Open::Lengths { input, left: (body / i128::from(record)) as u64, record: length })
            }
        }
    }
}

impl FilesIterator {
    /// Returns the file that is being read, from a place on.
    fn reopened(&self, offset: u64) -> Result<Open> {
        let name = self.next.checked_sub(1).and_then(|i| self.files.names.get(i)).ok_or_else(misfit)?;
        let mut open = self.files.open(name)?;
        open.pass_to(offset)?;
        Ok(open)
    }
}

impl DatasetIterator for FilesIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        loop {
            let open = match &mut self.open {
                Some(open) => open,
                None => {
                    let Some(name) = self.files.names.get(self.next) else { return Ok(None) };
                    // Reported once: the next call reads the file after the one that failed.
                    self.next += 1;
                    self.open.insert(self.files.open(name)?)
                }
            };
            match open.next() {
                Ok(Some(bytes)) => return Ok(Some(vec![Tensor::from_strings([], vec![bytes])?])),
                Ok(None) => self.open = None,
                Err(e) => {
                    self.open = None;
                    return Err(e);
                }
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let mut offset = self.open.as_ref().map(Open::offset);
        position.value(&mut self.next)?;
        position.value(&mut offset)?;
        if position.is_restored() {
            self.open = offset.map(|offset| self.reopened(offset)).transpose()?;
        }
        Ok(())
    }
}

fn names(ctx: &KernelContext<'_>) -> Result<Arc<[Bytes]>> {
    ensure!(ctx.input(0)?.rank() <= 1, InvalidArgument, "`filenames` must be a scalar or a vector.");
    Ok(ctx.input(0)?.strings()?.into())
}

fn compression(ctx: &KernelContext<'_>, i: usize) -> Result<Compression> {
    let [name] = ctx.input(i)?.strings()? else { bail!(InvalidArgument, "compression_type must be a scalar") };
    match Compression::from_name(name) {
        Some(compression) => Ok(compression),
        None => bail!(InvalidArgument, "Unsupported compression_type: {}.", String::from_utf8_lossy(name)),
    }
}

/// Returns the number of bytes of a buffer, as the input requests; 0 means the usual size. More than the usual is not
/// faster.
fn buffer_size(ctx: &KernelContext<'_>, i: usize) -> Result<usize> {
    let size = scalar::<i64>(ctx, i, "buffer_size")?;
    ensure!(size >= 0, InvalidArgument, "`buffer_size` must be >= 0 (0 == default)");
    Ok(usize::try_from(size).ok().filter(|n| (1..BUFFER_SIZE).contains(n)).unwrap_or(BUFFER_SIZE))
}

fn compressed(ctx: &KernelContext<'_>, cut: Cut) -> Result<Files> {
    Ok(Files { names: names(ctx)?, cut, compression: compression(ctx, 1)?, buffer_size: buffer_size(ctx, 2)? })
}

fn lengths(ctx: &KernelContext<'_>, compression: Compression) -> Result<Files> {
    let bytes = |i: usize, name: &str| -> Result<u64> {
        let n = scalar::<i64>(ctx, i, name)?;
        u64::try_from(n)
            .map_err(|_| ferroflow_tensor::Status::invalid_argument(format!("`{name}` must be >= 0, got {n}")))
    };
    let (header, record, footer) = (bytes(1, "header_bytes")?, bytes(2, "record_bytes")?, bytes(3, "footer_bytes")?);
    ensure!(record > 0, InvalidArgument, "`record_bytes` must be > 0");
    let cut = Cut::Lengths { header, record, footer };
    Ok(Files { names: names(ctx)?, cut, compression, buffer_size: buffer_size(ctx, 4)? })
}

/// Checks the shapes: names in a scalar or a vector, and scalars.
fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    for i in 1..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    shape_rules::scalar(c)
}

pub(super) fn register(r: &mut Registry) {
    let whole = |name: &str| -> Op {
        let op = source(name).input("filenames: string").input("compression_type: string");
        op.input("buffer_size: int64").shape(shape)
    };
    r.add(
        whole("TextLineDataset")
            .doc("Returns the lines of text files, without their ends.")
            .kernel(|init| signed_kernel(init, Signature::records(), |ctx| compressed(ctx, Cut::Lines))),
    );
    r.add(
        whole("TFRecordDataset")
            .doc("Returns the records of TFRecord files.")
            .kernel(|init| signed_kernel(init, Signature::records(), |ctx| compressed(ctx, Cut::Records))),
    );
    let fixed = |name: &str| {
        let op = source(name).input("filenames: string").input("header_bytes: int64").input("record_bytes: int64");
        op.input("footer_bytes: int64").input("buffer_size: int64").shape(shape)
    };
    r.add(
        fixed("FixedLengthRecordDataset")
            .doc("Returns the pieces of one length that files are cut into.")
            .kernel(|init| signed_kernel(init, Signature::records(), |ctx| lengths(ctx, Compression::None))),
    );
    r.add(
        fixed("FixedLengthRecordDatasetV2")
            .input("compression_type: string")
            .doc("Returns the pieces of one length that files, compressed or not, are cut into.")
            .kernel(|init| signed_kernel(init, Signature::records(), |ctx| lengths(ctx, compression(ctx, 5)?))),
    );
}
