//! CSVDataset: the fields of text files' records (RFC 4180) as scalars.

use super::function::owned;
use super::schema::source;
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, dataset_kernel, scalar, text};
use ferroflow_graph::{KernelContext, Registry};
use ferroflow_io::input::{BUFFER_SIZE, without_line_end};
use ferroflow_io::{Compression, Input};
use ferroflow_tensor::{Bytes, DType, Result, Tensor, bail, ensure};
use std::sync::Arc;

struct Format {
    names: Vec<Bytes>,
    compression: Compression,
    header: bool,
    delimiter: u8,
    quotes: bool,
    /// What stands for no value, as an empty field does.
    missing: Bytes,
    /// The columns that are wanted, rising; all where there are none.
    columns: Vec<usize>,
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
        Box::new(CsvIterator { format: self.0.clone(), next_file: 0, open: None })
    }
}

/// The fields of a record; `None` where it ends within quotes.
fn split(record: &[u8], delimiter: u8, quotes: bool) -> Result<Option<Vec<Vec<u8>>>> {
    let mut fields = Vec::new();
    let mut rest = record;
    loop {
        let mut field = Vec::new();
        if quotes && rest.first() == Some(&b'"') {
            rest = &rest[1..];
            loop {
                let Some(end) = rest.iter().position(|&b| b == b'"') else { return Ok(None) };
                field.extend_from_slice(&rest[..end]);
                rest = &rest[end + 1..];
                if rest.first() != Some(&b'"') {
                    break;
                }
                field.push(b'"');
                rest = &rest[1..];
            }
            ensure!(
                rest.first().is_none_or(|&b| b == delimiter),
                InvalidArgument,
                "Quote inside a string has to be escaped by another quote"
            );
        } else {
            let end = rest.iter().position(|&b| b == delimiter).unwrap_or(rest.len());
            ensure!(
                !(quotes && rest[..end].contains(&b'"')),
                InvalidArgument,
                "Unquoted fields cannot have quotes inside"
            );
            field.extend_from_slice(&rest[..end]);
            rest = &rest[end..];
        }
        fields.push(field);
        match rest.split_first() {
            Some((_, after)) => rest = after,
            None => return Ok(Some(fields)),
        }
    }
}

/// The value of field `i`.
fn parsed(field: &[u8], i: usize, default: &Tensor, missing: &[u8]) -> Result<Tensor> {
    if field.is_empty() || field == missing {
        ensure!(default.elements() == 1, InvalidArgument, "Field {i} is required but missing in record!");
        return default.clone().reshaped([]);
    }
    let text = String::from_utf8_lossy(field);
    let trimmed = text.trim();
    let found = match default.dtype() {
        DType::String => Some(Tensor::from_strings([], vec![field.into()])?),
        DType::I32 => trimmed.parse().ok().map(Tensor::scalar::<i32>),
        DType::I64 => trimmed.parse().ok().map(Tensor::scalar::<i64>),
        DType::F32 => trimmed.parse().ok().map(Tensor::scalar::<f32>),
        DType::F64 => trimmed.parse().ok().map(Tensor::scalar::<f64>),
        other => bail!(InvalidArgument, "csv: data type {} not supported in field {i}", other.schema_name()),
    };
    match found {
        Some(value) => Ok(value),
        None => {
            let kind = default.dtype().name();
            bail!(InvalidArgument, "Field {i} in record is not a valid {kind}: {text}")
        }
    }
}

impl Format {
    fn element(&self, fields: &[Vec<u8>]) -> Result<Element> {
        let count = fields.len();
        let wanted = self.defaults.len();
        if self.columns.is_empty() {
            ensure!(count == wanted, InvalidArgument, "Expect {wanted} fields but have {count} in record");
        }
        let mut element = Element::with_capacity(wanted);
        for (k, default) in self.defaults.iter().enumerate() {
            let i = self.columns.get(k).copied().unwrap_or(k);
            let Some(field) = fields.get(i) else {
                bail!(InvalidArgument, "Expect at least {} fields but have {count} in record", i + 1)
            };
            element.push(parsed(field, i, default, &self.missing)?);
        }
        Ok(element)
    }
}

impl CsvIterator {
    /// The fields of the next record of the open file.
    fn record(&mut self) -> Result<Option<Vec<Vec<u8>>>> {
        let Some(input) = &mut self.open else { return Ok(None) };
        let mut record: Vec<u8> = Vec::new();
        loop {
            let Some(line) = input.line()? else {
                // Nothing more, in the middle of a quoted field or not.
                ensure!(
                    record.is_empty(),
                    InvalidArgument,
                    "{}: Reached end of file without closing quoted field in record",
                    input.name()
                );
                return Ok(None);
            };
            record.extend_from_slice(line);
            let whole = split(without_line_end(&record), self.format.delimiter, self.format.quotes);
            if let Some(fields) = whole? {
                return Ok(Some(fields));
            }
        }
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
            match self.record()? {
                Some(fields) => return self.format.element(&fields).map(Some),
                None => self.open = None,
            }
        }
    }
}

fn format(ctx: &KernelContext<'_>) -> Result<Csv> {
    ensure!(ctx.input(0)?.rank() <= 1, InvalidArgument, "`filenames` must be a scalar or a vector.");
    let compression = text(ctx, 1, "compression_type")?;
    let Some(compression) = Compression::from_name(compression.as_bytes()) else {
        bail!(InvalidArgument, "Unsupported compression_type: {compression}.")
    };
    ensure!(scalar::<i64>(ctx, 2, "buffer_size")? > 0, InvalidArgument, "buffer_size should be positive");
    let delimiter = text(ctx, 4, "field_delim")?;
    let [delimiter] = delimiter.as_bytes() else { bail!(InvalidArgument, "field_delim should be only 1 char") };
    let columns = ctx.input(7)?.to_i64s()?;
    ensure!(
        columns.iter().all(|&c| c >= 0) && columns.windows(2).all(|w| w[0] < w[1]),
        InvalidArgument,
        "select_cols should be non-negative indices in increasing order"
    );
    let defaults = owned(ctx, 8..ctx.num_inputs())?;
    ensure!(
        columns.is_empty() || columns.len() == defaults.len(),
        InvalidArgument,
        "select_cols should match output size"
    );
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
        delimiter: *delimiter,
        quotes: scalar(ctx, 5, "use_quote_delim")?,
        missing: text(ctx, 6, "na_value")?.into_bytes().into(),
        columns: columns.into_iter().map(|c| usize::try_from(c).unwrap_or(usize::MAX)).collect(),
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
    r.add(op.doc("The fields of the records of CSV files.").kernel(|init| dataset_kernel(init, format)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(record: &str) -> Vec<String> {
        let found = split(record.as_bytes(), b',', true).unwrap().unwrap();
        found.into_iter().map(|f| String::from_utf8(f).unwrap()).collect()
    }

    #[test]
    fn fields_end_at_delimiters_outside_of_quotes() {
        assert_eq!(fields("a,,b"), ["a", "", "b"]);
        assert_eq!(fields(""), [""]);
        assert_eq!(fields("\"a,b\",\"\",\"say \"\"x\"\"\""), ["a,b", "", "say \"x\""]);
        assert_eq!(split(b"\"a,b", b',', true).unwrap(), None);
        assert!(split(b"\"a\"b", b',', true).is_err() && split(b"a\"b", b',', true).is_err());
        assert_eq!(split(b"a\"b;c", b';', false).unwrap().unwrap().len(), 2);
    }
}
