//! DecodeCSV: the fields of lines of comma-separated values, as columns.

use crate::csv::{CsvFormat, Misquoted};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, Result, Scalar, Status, Tensor, bail, dispatch, ensure, parse_number};

fn misquoted(fault: Misquoted) -> Status {
    Status::invalid_argument(match fault {
        Misquoted::Inside => "Unquoted fields cannot have quotes/CRLFs inside",
        Misquoted::Unescaped => "Quote inside a string has to be escaped by another quote",
        Misquoted::Open => "Quoted field has to end with quote followed by delim or end",
    })
}

/// Returns the selected fields of a line. TF 1.x: line ends before a field are passed over.
///
/// Errors: `InvalidArgument` where quotes or line ends are where they may not be.
fn fields(format: &CsvFormat, line: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    let (mut at, mut number) = (0, 0);
    let is_selected = |number: usize, found: usize| {
        format.columns.is_empty() || format.columns.get(found).is_some_and(|&c| c == number)
    };
    while let Some(&byte) = line.get(at) {
        if matches!(byte, b'\n' | b'\r') {
            at += 1;
            continue;
        }
        let (field, end) = format.field(line, at).map_err(misquoted)?;
        let is_quoted = format.quotes && byte == b'"';
        if !is_quoted && field.iter().any(|b| matches!(b, b'\n' | b'\r')) {
            return Err(misquoted(Misquoted::Inside));
        }
        at = end + 1;
        if is_selected(number, fields.len()) {
            fields.push(field);
            if fields.len() == format.columns.len() {
                return Ok(fields);
            }
        }
        number += 1;
    }
    if line.last() == Some(&format.delimiter) && is_selected(number, fields.len()) {
        fields.push(Vec::new());
    }
    Ok(fields)
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
                if let (Some(slot), Some(value)) = (slot, parse_number::<T>(&field)) {
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

fn decode_csv(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtypes = init.dtypes("OUT_TYPE")?;
    let format = CsvFormat::new(
        &init.bytes("field_delim")?,
        init.bool("use_quote_delim")?,
        init.bytes("na_value")?.to_vec(),
        &init.ints("select_cols")?,
        dtypes.len(),
    )?;
    kernel(move |ctx| {
        let [records, defaults @ ..] = ctx.inputs() else { bail!(Internal, "DecodeCSV lacks inputs") };
        for (f, default) in defaults.iter().enumerate() {
            ensure!(default.rank() <= 1, InvalidArgument, "Each record default should be at most rank 1");
            ensure!(
                default.elements() < 2,
                InvalidArgument,
                "There should only be 1 default per field but field {f} has {}",
                default.elements()
            );
        }
        let mut columns = dtypes.iter().map(|&d| Column::new(d, records)).collect::<Result<Vec<_>>>()?;
        for (i, record) in records.strings()?.iter().enumerate() {
            let fields = fields(&format, record)?;
            ensure!(
                fields.len() == columns.len(),
                InvalidArgument,
                "Expect {} fields but have {} in record {i}",
                columns.len(),
                fields.len()
            );
            for (f, ((field, column), default)) in fields.into_iter().zip(&mut columns).zip(defaults).enumerate() {
                if !format.is_missing(&field) {
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
            .attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1")
            .attr("field_delim: string = ','")
            .attr("use_quote_delim: bool = true")
            .attr("na_value: string = ''")
            .attr("select_cols: list(int) = []")
            .doc(
                "Returns the fields of each record, a tensor for each column, with defaults for fields that are empty.",
            )
            .shape(shape)
            .kernel(decode_csv),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str, columns: &[i64]) -> Result<Vec<String>> {
        let format = CsvFormat::new(b",", true, Vec::new(), columns, columns.len())?;
        Ok(fields(&format, line.as_bytes())?.into_iter().map(|f| String::from_utf8(f).unwrap()).collect())
    }

    #[test]
    fn fields_end_at_delimiters_outside_of_quotes() {
        assert_eq!(cut("a,b c,", &[]).unwrap(), ["a", "b c", ""]);
        assert_eq!(cut("\"a,b\",\"c\"\"d\",\"\"", &[]).unwrap(), ["a,b", "c\"d", ""]);
        assert_eq!(cut("a,b\r\n", &[]).unwrap_err().message(), "Unquoted fields cannot have quotes/CRLFs inside");
        assert_eq!(cut("\"a\nb\",c", &[]).unwrap(), ["a\nb", "c"]);
        assert!(cut("", &[]).unwrap().is_empty());
    }

    #[test]
    fn only_wanted_columns_are_returned_and_what_follows_them_is_not_read() {
        assert_eq!(cut("a,b,c,d", &[1, 3]).unwrap(), ["b", "d"]);
        assert_eq!(cut("a,b,\"bro\"ken", &[0, 1]).unwrap(), ["a", "b"]);
        assert_eq!(cut("a,b,", &[2]).unwrap(), [""]);
        assert_eq!(cut("a,b", &[4]).unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn quotes_that_are_not_closed_or_stand_inside_are_errors() {
        for bad in ["\"", "\"a", "\"a\"b,c", "a\"b", "\"a\"\""] {
            assert!(cut(bad, &[]).is_err(), "{bad}");
        }
    }
}
