//! InitializeTableFromTextFile: fills a static table from the lines of a file.

use super::table::Table;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_io::file;
use ferroflow_tensor::{Bytes, DType, NumberText, Result, Tensor, bail, ensure, parse_number};

/// The place of a key or value on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    WholeLine,
    LineNumber,
    Column(usize),
}

impl Field {
    fn of(index: i64) -> Result<Field> {
        Ok(match index {
            -2 => Field::WholeLine,
            -1 => Field::LineNumber,
            _ => match usize::try_from(index) {
                Ok(column) => Field::Column(column),
                Err(_) => bail!(InvalidArgument, "a column must be at least -2, got {index}"),
            },
        })
    }

    fn check(self, dtype: DType, what: &str) -> Result<()> {
        let text = dtype == DType::String || (what == "Key" && dtype.is_integer());
        let allowed = if what == "Key" { "string or integer table key" } else { "table value dtype of string" };
        ensure!(
            self != Field::WholeLine || text,
            InvalidArgument,
            "{what} index for whole line requires {allowed}, got {}",
            dtype.schema_name()
        );
        ensure!(
            self != Field::LineNumber || dtype == DType::I64,
            InvalidArgument,
            "{what} index for line number requires table {} dtype of int64, got {}",
            what.to_lowercase(),
            dtype.schema_name()
        );
        Ok(())
    }
}

struct Reader<'a> {
    file: &'a str,
    delimiter: u8,
    lines: Vec<Bytes>,
    /// The last column that is read.
    last_column: Option<usize>,
}

/// Returns lines as TF reads them: carriage returns are dropped, an unended last line counts where it is not empty.
fn lines(text: &[u8]) -> Vec<Bytes> {
    let mut parts: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    if parts.last().is_some_and(|p| p.is_empty()) {
        parts.pop();
    }
    parts.into_iter().map(|line| line.iter().copied().filter(|&b| b != b'\r').collect()).collect()
}

/// Returns the lines of a file: all, or the first `size`.
///
/// Errors: `InvalidArgument` where the file has fewer, or one is empty.
pub(crate) fn vocabulary_lines(name: &[u8], size: Option<usize>) -> Result<Vec<Bytes>> {
    let mut lines = lines(&file::read(name)?);
    let name = String::from_utf8_lossy(name);
    if let Some(size) = size {
        ensure!(
            lines.len() >= size,
            InvalidArgument,
            "Invalid vocab_size in {name}: expected {size} but got {}",
            lines.len()
        );
        lines.truncate(size);
    }
    if let Some(empty) = lines.iter().position(|line| line.is_empty()) {
        bail!(InvalidArgument, "Invalid content in {name}: empty line found at line {empty}.");
    }
    Ok(lines)
}

impl Reader<'_> {
    /// Checks that every line has its columns.
    fn check(&self) -> Result<()> {
        for (i, line) in self.lines.iter().enumerate() {
            let Some(last) = self.last_column else { continue };
            let columns = line.split(|&b| b == self.delimiter).count();
            ensure!(
                last < columns,
                InvalidArgument,
                "Invalid number of columns in {} line {i} ({}) : expected {last} got {columns}",
                self.file,
                String::from_utf8_lossy(line)
            );
        }
        Ok(())
    }

    fn words(&self, field: Field) -> Vec<&[u8]> {
        let word = |line| match field {
            Field::Column(c) => <[u8]>::split(line, |&b| b == self.delimiter).nth(c).unwrap_or_default(),
            _ => line,
        };
        self.lines.iter().map(|line| word(line)).collect()
    }

    fn numbers<T: NumberText + Default>(&self, field: Field, name: &str) -> Result<Vec<T>> {
        let mut out = Vec::with_capacity(self.lines.len());
        for (i, word) in self.words(field).into_iter().enumerate() {
            match parse_number(word) {
                Some(number) => out.push(number),
                None => {
                    bail!(InvalidArgument, "Field {} in line {i} is not a valid {name}.", String::from_utf8_lossy(word))
                }
            }
        }
        Ok(out)
    }

    fn column(&self, field: Field, dtype: DType) -> Result<Tensor> {
        let count = [self.lines.len()];
        if field == Field::LineNumber {
            return Tensor::from_slice(count, &(0..count[0] as i64).collect::<Vec<_>>());
        }
        match dtype {
            DType::String => Tensor::from_strings(count, self.words(field).into_iter().map(Bytes::from).collect()),
            DType::I32 => Tensor::from_slice(count, &self.numbers::<i32>(field, "int32")?),
            DType::I64 => Tensor::from_slice(count, &self.numbers::<i64>(field, "int64")?),
            DType::F32 => Tensor::from_slice(count, &self.numbers::<f32>(field, "float")?),
            DType::F64 => Tensor::from_slice(count, &self.numbers::<f64>(field, "double")?),
            _ => bail!(InvalidArgument, "Data type {} not supported.", dtype.schema_name()),
        }
    }
}

fn from_text_file(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (key, value) = (Field::of(init.int("key_index")?)?, Field::of(init.int("value_index")?)?);
    let vocabulary = usize::try_from(init.int("vocab_size")?).ok();
    let delimiter = match init.bytes("delimiter")?[..] {
        [one] => one,
        _ => bail!(InvalidArgument, "delimiter should be only 1 char"),
    };
    kernel(move |ctx| {
        let table = ctx.resource::<Table>(0)?;
        let name = match ctx.input(1)?.strings()? {
            [one] if ctx.input(1)?.rank() == 0 => one.clone(),
            _ => bail!(InvalidArgument, "filename should be a single string, but got {}", ctx.input(1)?.shape()),
        };
        ensure!(!name.is_empty(), InvalidArgument, "filename cannot be empty.");
        let layout = &table.layout;
        key.check(layout.key_dtype, "Key")?;
        value.check(layout.value_dtype, "Value")?;
        let lines = vocabulary_lines(&name, vocabulary)?;
        let columns = [key, value].into_iter().filter_map(|f| if let Field::Column(c) = f { Some(c) } else { None });
        let file = String::from_utf8_lossy(&name);
        let reader = Reader { file: &file, delimiter, lines, last_column: columns.max() };
        reader.check()?;
        // TF 1.x: if several nodes fill a table from the same file, the first one fills it.
        if table.is_initialized() {
            return Ok(());
        }
        let (keys, values) = (reader.column(key, layout.key_dtype)?, reader.column(value, layout.value_dtype)?);
        match table.initialize(&keys, &values) {
            Err(_) if table.is_initialized() => Ok(()),
            result => result,
        }
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for (name, handle) in
        [("InitializeTableFromTextFile", "Ref(string)"), ("InitializeTableFromTextFileV2", "resource")]
    {
        r.add(
            Op::new(name)
                .input(&format!("table_handle: {handle}"))
                .input("filename: string")
                .attr("key_index: int >= -2")
                .attr("value_index: int >= -2")
                .attr("vocab_size: int >= -1 = -1")
                .attr("delimiter: string = '\t'")
                .stateful()
                .listed_stateful(name.ends_with("V2"))
                .doc("Fills a static table with a row for each line of a file; index -2 is the line, -1 its number.")
                .shape(shape)
                .kernel(from_text_file),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_tf_ends_them() {
        let of = |text: &[u8]| lines(text).iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect::<Vec<_>>();
        assert_eq!(of(b"a\r\nb\n"), ["a", "b"]);
        assert_eq!(of(b"a\n\nb"), ["a", "", "b"]);
        assert!(of(b"").is_empty());
    }

    #[test]
    fn columns_are_read_and_missing_ones_named() {
        let lines = lines(b"brain 3\nsalad 4");
        let reader = Reader { file: "f", delimiter: b' ', lines, last_column: Some(1) };
        reader.check().unwrap();
        assert_eq!(reader.column(Field::Column(1), DType::I64).unwrap(), Tensor::from_slice([2], &[3i64, 4]).unwrap());
        assert_eq!(reader.column(Field::LineNumber, DType::I64).unwrap().to_i64s().unwrap(), [0, 1]);
        assert_eq!(reader.column(Field::WholeLine, DType::String).unwrap().strings().unwrap()[1].as_ref(), b"salad 4");
        let error = reader.column(Field::Column(0), DType::I64).unwrap_err();
        assert_eq!(error.message(), "Field brain in line 0 is not a valid int64.");
        let short = Reader { last_column: Some(2), ..reader };
        assert!(short.check().unwrap_err().message().contains("line 0 (brain 3) : expected 2 got 2"));
    }
}
