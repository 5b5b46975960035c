//! CSVDataset: the fields of text files' records as scalars.

use super::function::owned;
use super::position::{Position, misfit};
use super::schema::source;
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, dataset_kernel, scalar, text};
use crate::csv::{CsvFormat, Misquoted};
use ferroflow_graph::{KernelContext, Registry};
use ferroflow_io::input::{BUFFER_SIZE, without_line_end};
use ferroflow_io::{Compression, Input};
use ferroflow_tensor::{Bytes, Code, DType, Result, Tensor, bail, ensure, parse_number};
use std::sync::Arc;

struct Format {
    names: Vec<Bytes>,
    compression: Compression,
    header: bool,
    records: CsvFormat,
    /// By component: one value, or none where a record must have one.
    defaults: Vec<Tensor>,
}

#[derive(Clone)]
struct Csv(Arc<Format>);

struct CsvIterator {
    format: Arc<Format>,
    next_file: usize,
    open: Option<Input>,
}

impl Dataset for Csv {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(CsvIterator { format: self.0.clone(), next_file: 0, open: None })
    }
}

/// Returns the fields of a record; `None` where it ends within quotes.
fn fields(format: &CsvFormat, record: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        let (field, end) = match format.field(record, at) {
            Ok(found) => found,
            Err(Misquoted::Open) => return Ok(None),
            Err(Misquoted::Inside) => bail!(InvalidArgument, "Unquoted fields cannot have quotes inside"),
            Err(Misquoted::Unescaped) => {
                bail!(InvalidArgument, "Quote inside a string has to be escaped by another quote")
            }
        };
        fields.push(field);
        if end == record.len() {
            return Ok(Some(fields));
        }
        at = end + 1;
    }
}

/// Returns the value that field `i` spells.
fn value(field: &[u8], i: usize, dtype: DType) -> Result<Tensor> {
    let found = match dtype {
        DType::String => Some(Tensor::from_strings([], vec![field.into()])?),
        DType::I32 => parse_number(field).map(Tensor::scalar::<i32>),
        DType::I64 => parse_number(field).map(Tensor::scalar::<i64>),
        DType::F32 => parse_number(field).map(Tensor::scalar::<f32>),
        DType::F64 => parse_number(field).map(Tensor::scalar::<f64>),
        other => bail!(InvalidArgument, "csv: data type {} not supported in field {i}", other.schema_name()),
    };
    match found {
        Some(value) => Ok(value),
        None => {
            let text = String::from_utf8_lossy(field);
            bail!(InvalidArgument, "Field {i} in record is not a valid {}: {text}", dtype.name())
        }
    }
}

impl Format {
    fn element(&self, fields: &[Vec<u8>]) -> Result<Element> {
        let count = fields.len();
        let expected = self.defaults.len();
        if self.records.columns.is_empty() {
            ensure!(count == expected, InvalidArgument, "Expect {expected} fields but have {count} in record");
        }
        let mut element = Element::with_capacity(expected);
        for (k, default) in self.defaults.iter().enumerate() {
            let i = self.records.columns.get(k).copied().unwrap_or(k);
            let Some(field) = fields.get(i) else {
                bail!(InvalidArgument, "Expect at least {} fields but have {count} in record", i + 1)
            };
            if !self.records.is_missing(field) {
                element.push(value(field, i, default.dtype())?);
            } else {
                ensure!(default.elements() == 1, InvalidArgument, "Field {i} is required but missing in record!");
                element.push(default.clone().reshaped([])?);
            }
        }
        Ok(element)
    }
}

/// Returns the element of the next record; `None` where there is none.
fn next_element(format: &Format, input: &mut Input) -> Result<Option<Element>> {
    let mut record: Vec<u8> = Vec::new();
    loop {
        let Some(line) = input.line()? else {
            ensure!(record.is_empty(), InvalidArgument, "Reached end of file without closing quoted field in record");
            return Ok(None);
        };
        record.extend_from_slice(line);
        if let Some(fields) = fields(&format.records, without_line_end(&record))? {
            return format.element(&fields).map(Some);
        }
    }
}

impl CsvIterator {
    /// Returns the file that is being read, from a place on.
    fn reopened(&self, offset: u64) -> Result<Input> {
        let name = self.next_file.checked_sub(1).and_then(|i| self.format.names.get(i)).ok_or_else(misfit)?;
        let mut input = Input::open(name, self.format.compression, BUFFER_SIZE)?;
        input.skip(offset)?;
        Ok(input)
    }
}

impl DatasetIterator for CsvIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        loop {
            if self.open.is_none() {
                let Some(name) = self.format.names.get(self.next_file) else { return Ok(None) };
                self.next_file += 1;
                let input = self.open.insert(Input::open(name, self.format.compression, BUFFER_SIZE)?);
                if self.format.header {
                    input.line()?;
                }
            }
            let Some(input) = &mut self.open else { continue };
            let start = input.position();
            match next_element(&self.format, input) {
                Ok(None) => self.open = None,
                Err(s) if s.code() == Code::InvalidArgument => {
                    bail!(InvalidArgument, "{}; record at byte {start}: {}", input.name(), s.message())
                }
                element => return element,
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let mut offset = self.open.as_ref().map(Input::position);
        position.value(&mut self.next_file)?;
        position.value(&mut offset)?;
        if position.is_restored() {
            self.open = offset.map(|offset| self.reopened(offset)).transpose()?;
        }
        Ok(())
    }
}

fn format(ctx: &KernelContext<'_>) -> Result<Csv> {
    ensure!(ctx.input(0)?.rank() <= 1, InvalidArgument, "`filenames` must be a scalar or a vector.");
    let compression = text(ctx, 1, "compression_type")?;
    let Some(compression) = Compression::from_name(compression.as_bytes()) else {
        bail!(InvalidArgument, "Unsupported compression_type: {compression}.")
    };
    ensure!(scalar::<i64>(ctx, 2, "buffer_size")? > 0, InvalidArgument, "buffer_size should be positive");
    let defaults = owned(ctx, 8..ctx.num_inputs())?;
    let records = CsvFormat::new(
        text(ctx, 4, "field_delim")?.as_bytes(),
        scalar(ctx, 5, "use_quote_delim")?,
        text(ctx, 6, "na_value")?.into_bytes(),
        &ctx.input(7)?.to_i64s()?,
        defaults.len(),
    )?;
    for default in &defaults {
        ensure!(
            default.rank() <= 1 && default.elements() <= 1,
            InvalidArgument,
            "There should only be 1 default per field, got shape {}",
            default.shape()
        );
    }
    Ok(Csv(Arc::new(Format {
        names: ctx.input(0)?.strings()?.to_vec(),
        compression,
        header: scalar(ctx, 3, "header")?,
        records,
        defaults,
    })))
}

pub(super) fn register(r: &mut Registry) {
    let op = source("CSVDataset")
        .input("filenames: string")
        .input("compression_type: string")
        .input("buffer_size: int64")
        .input("header: bool")
        .input("field_delim: string")
        .input("use_quote_delim: bool")
        .input("na_value: string")
        .input("select_cols: int64")
        .input("record_defaults: output_types")
        .attr("output_types: list({float,double,int32,int64,string}) >= 1")
        .attr("output_shapes: list(shape) >= 1");
    r.add(op.doc("Returns the fields of the records of CSV files.").kernel(|init| dataset_kernel(init, format)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_a_field_more_than_delimiters_or_is_not_whole_yet() {
        let format = CsvFormat::new(b",", true, Vec::new(), &[], 1).unwrap();
        let cut = |record: &str| {
            let found = fields(&format, record.as_bytes())?;
            Ok::<_, ferroflow_tensor::Status>(found.map(|all| all.join(&b'|')))
        };
        assert_eq!(cut("a,,b").unwrap().unwrap(), b"a||b");
        assert_eq!(cut("").unwrap().unwrap(), b"");
        assert_eq!(cut("\"a,b\",\"\",").unwrap().unwrap(), b"a,b||");
        assert_eq!(cut("\"a,b").unwrap(), None);
        assert!(cut("\"a\"b").is_err() && cut("a\"b").is_err());
    }
}
