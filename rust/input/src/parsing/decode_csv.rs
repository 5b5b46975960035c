//! DecodeCSV: the fields of lines of comma-separated values, as columns.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, Result, Scalar, Status, Tensor, bail, dispatch, ensure};
use std::str::FromStr;

/// How lines are cut into fields.
///
/// Source: RFC 4180, and TF's: line ends before a field are passed over.
pub(crate) struct CsvFormat {
    pub delimiter: u8,
    /// Whether `"` quotes.
    pub quotes: bool,
    /// The fields that are wanted, increasing; all where it is empty.
    pub columns: Vec<usize>,
}

impl CsvFormat {
    /// The wanted fields of a line.
    ///
    /// Errors: `InvalidArgument` where quotes or line ends are where they may not be.
    pub(crate) fn fields(&self, line: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut fields = Vec::new();
        let (mut at, mut number) = (0, 0);
        let is_wanted = |number: usize, found: usize| {
            self.columns.is_empty() || self.columns.get(found).is_some_and(|&c| c == number)
        };
        while let Some(&byte) = line.get(at) {
            if matches!(byte, b'\n' | b'\r') {
                at += 1;
                continue;
            }
            let (field, end) = match self.quotes && byte == b'"' {
                true => self.quoted(line, at + 1)?,
                false => self.plain(line, at)?,
            };
            at = end;
            if is_wanted(number, fields.len()) {
                fields.push(field);
                if fields.len() == self.columns.len() {
                    return Ok(fields);
                }
            }
            number += 1;
        }
        if line.last() == Some(&self.delimiter) && is_wanted(number, fields.len()) {
            fields.push(Vec::new());
        }
        Ok(fields)
    }

    /// A field without quotes around it, and where the next begins.
    fn plain(&self, line: &[u8], start: usize) -> Result<(Vec<u8>, usize)> {
        let rest = line.get(start..).unwrap_or_default();
        let length = rest.iter().position(|&b| b == self.delimiter).unwrap_or(rest.len());
        let field = &rest[..length];
        ensure!(
            !field.iter().any(|&b| matches!(b, b'\n' | b'\r') || (self.quotes && b == b'"')),
            InvalidArgument,
            "Unquoted fields cannot have quotes/CRLFs inside"
        );
        Ok((field.to_vec(), start + length + 1))
    }

    /// A field behind its opening quote, and where the next begins.
    fn quoted(&self, line: &[u8], start: usize) -> Result<(Vec<u8>, usize)> {
        let mut field = Vec::new();
        let mut at = start;
        while let Some(&byte) = line.get(at) {
            let next = line.get(at + 1);
            match (byte, next) {
                (b'"', None) => return Ok((field, at + 2)),
                (b'"', Some(&n)) if n == self.delimiter => return Ok((field, at + 2)),
                (b'"', Some(b'"')) => {
                    field.push(b'"');
                    at += 2;
                }
                (b'"', _) => bail!(InvalidArgument, "Quote inside a string has to be escaped by another quote"),
                _ => {
                    field.push(byte);
                    at += 1;
                }
            }
        }
        bail!(InvalidArgument, "Quoted field has to end with quote followed by delim or end")
    }
}

/// The number that `text` spells in decimal; spaces around it are allowed.
fn number<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']).parse().ok()
}

/// A column being filled.
enum Column {
    Numbers(DType, Tensor),
    Words(Vec<Bytes>),
}

impl Column {
    fn new(dtype: DType, records: &Tensor) -> Result<Column> {
        Ok(match dtype {
            DType::String => Column::Words(Vec::with_capacity(records.elements())),
            _ => Column::Numbers(dtype, Tensor::zeros(dtype, records.shape().clone())?),
        })
    }

    fn set(&mut self, i: usize, f: usize, field: Vec<u8>) -> Result<()> {
        match self {
            Column::Words(words) => words.push(field.into()),
            Column::Numbers(dtype, out) => dispatch!(*dtype, T in [F32, F64, I32, I64], {
                let slot = out.slice_mut::<T>()?.get_mut(i);
                if let (Some(slot), Some(value)) = (slot, number::<T>(&field)) {
                    *slot = value;
                    return Ok(());
                }
                bail!(
                    InvalidArgument,
                    "Field {f} in record {i} is not a valid {}: {}",
                    dtype.schema_name(),
                    String::from_utf8_lossy(&field)
                )
            }, else bail!(InvalidArgument, "csv: data type {} not supported in field {f}", dtype.schema_name())),
        }
        Ok(())
    }

    fn set_default(&mut self, i: usize, default: &Tensor) -> Result<()> {
        match self {
            Column::Words(words) => words.extend(default.strings()?.first().cloned()),
            Column::Numbers(dtype, out) => dispatch!(*dtype, T in [F32, F64, I32, I64], copy::<T>(out, i, default)?,
                else bail!(InvalidArgument, "csv: data type {} not supported", dtype.schema_name())),
        }
        Ok(())
    }

    fn into_tensor(self, records: &Tensor) -> Result<Tensor> {
        match self {
            Column::Words(words) => Tensor::from_strings(records.shape().clone(), words),
            Column::Numbers(_, out) => Ok(out),
        }
    }
}

fn copy<T: Scalar>(out: &mut Tensor, i: usize, default: &Tensor) -> Result<()> {
    if let (Some(slot), Some(&value)) = (out.slice_mut::<T>()?.get_mut(i), default.slice::<T>()?.first()) {
        *slot = value;
    }
    Ok(())
}

fn format_of(init: &KernelInit<'_>, columns: usize) -> Result<CsvFormat> {
    let selected = init.ints("select_cols")?;
    ensure!(selected.is_empty() || selected.len() == columns, InvalidArgument, "select_cols should match output size");
    ensure!(
        selected.windows(2).all(|w| w[0] < w[1]),
        InvalidArgument,
        "select_cols should be strictly increasing indices"
    );
    let columns: Result<Vec<usize>, _> = selected.into_iter().map(usize::try_from).collect();
    let Ok(columns) = columns else {
        bail!(InvalidArgument, "select_cols should be non-negative indices");
    };
    let [delimiter] = init.bytes("field_delim")?[..] else {
        bail!(InvalidArgument, "field_delim should be only 1 char");
    };
    Ok(CsvFormat { delimiter, quotes: init.bool("use_quote_delim")?, columns })
}

fn decode_csv(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtypes = init.dtypes("OUT_TYPE")?;
    let format = format_of(init, dtypes.len())?;
    let missing = init.bytes("na_value")?;
    kernel(move |ctx| {
        let [records, defaults @ ..] = ctx.inputs() else { bail!(Internal, "DecodeCSV lacks inputs") };
        for (f, default) in defaults.iter().enumerate() {
            ensure!(
                default.elements() < 2,
                InvalidArgument,
                "There should only be 1 default per field but field {f} has {}",
                default.elements()
            );
        }
        let mut columns = dtypes.iter().map(|&d| Column::new(d, records)).collect::<Result<Vec<_>>>()?;
        for (i, record) in records.strings()?.iter().enumerate() {
            let fields = format.fields(record)?;
            ensure!(
                fields.len() == columns.len(),
                InvalidArgument,
                "Expect {} fields but have {} in record {i}",
                columns.len(),
                fields.len()
            );
            for (f, ((field, column), default)) in fields.into_iter().zip(&mut columns).zip(defaults).enumerate() {
                if !field.is_empty() && field != missing {
                    column.set(i, f, field)?;
                } else if default.elements() == 1 {
                    column.set_default(i, default)?;
                } else {
                    bail!(InvalidArgument, "Field {f} is required but missing in record {i}!");
                }
            }
        }
        let columns = columns.into_iter().map(|c| c.into_tensor(records)).collect::<Result<Vec<_>>>()?;
        for (i, column) in columns.into_iter().enumerate() {
            ctx.set_output(i, column);
        }
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 1..c.num_inputs() {
        let default = c.input(i)?.with_rank_at_most(1)?;
        if default.elements().is_some_and(|n| n > 1) {
            return Err(Status::invalid_argument(
                "Shape of a default must be a length-0 or length-1 vector, or a scalar.",
            ));
        }
    }
    for i in 0..c.num_outputs() {
        let out = c.input(0)?.clone();
        c.set_output(i, out);
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeCSV")
            .input("records: string")
            .input("record_defaults: OUT_TYPE")
            .output("output: OUT_TYPE")
            .attr("OUT_TYPE: list({float, double, int32, int64, string})")
            .attr("field_delim: string = ','")
            .attr("use_quote_delim: bool = true")
            .attr("na_value: string = ''")
            .attr("select_cols: list(int) = []")
            .doc("The fields of each record, a tensor for each column, with defaults for fields that are empty.")
            .shape(shape)
            .kernel(decode_csv),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str, columns: &[usize]) -> Result<Vec<String>> {
        let format = CsvFormat { delimiter: b',', quotes: true, columns: columns.to_vec() };
        Ok(format.fields(line.as_bytes())?.into_iter().map(|f| String::from_utf8(f).unwrap()).collect())
    }

    #[test]
    fn fields_end_at_delimiters_outside_of_quotes() {
        assert_eq!(fields("a,b c,", &[]).unwrap(), ["a", "b c", ""]);
        assert_eq!(fields("\"a,b\",\"c\"\"d\",\"\"", &[]).unwrap(), ["a,b", "c\"d", ""]);
        assert_eq!(fields("a,b\r\n", &[]).unwrap_err().message(), "Unquoted fields cannot have quotes/CRLFs inside");
        assert_eq!(fields("\"a\nb\",c", &[]).unwrap(), ["a\nb", "c"]);
        assert!(fields("", &[]).unwrap().is_empty());
    }

    #[test]
    fn only_wanted_columns_are_returned_and_what_follows_them_is_not_read() {
        assert_eq!(fields("a,b,c,d", &[1, 3]).unwrap(), ["b", "d"]);
        assert_eq!(fields("a,b,\"bro\"ken", &[0, 1]).unwrap(), ["a", "b"]);
        assert_eq!(fields("a,b,", &[2]).unwrap(), [""]);
        assert_eq!(fields("a,b", &[4]).unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn quotes_that_are_not_closed_or_stand_inside_are_errors() {
        for bad in ["\"", "\"a", "\"a\"b,c", "a\"b", "\"a\"\""] {
            assert!(fields(bad, &[]).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_may_have_spaces_around_them() {
        assert_eq!(number::<i32>(b" 7\t"), Some(7));
        assert_eq!(number::<f32>(b"-1e3"), Some(-1000.0));
        assert_eq!((number::<i32>(b"7.5"), number::<i64>(b"\xff")), (None, None));
    }
}
