//! GenerateVocabRemapping, LoadAndRemapMatrix: a matrix of a checkpoint in the order of other vocabularies.

use super::arguments::one_string;
use crate::lookup::vocabulary_lines;
use crate::room::{filled, room};
use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::bundle::{Checkpoint, ReadRequest, SliceSpec};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Tensor, bail, ensure};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// The place in the old order of what is new.
const MISSING: i64 = -1;

fn count_of(given: i64, name: &str) -> Result<usize> {
    usize::try_from(given)
        .map_err(|_| ferroflow_tensor::Status::invalid_argument(format!("{name} must not be negative, got {given}")))
}

fn file_name(t: &Tensor, argument: &str) -> Result<Bytes> {
    match (t.rank(), t.strings()?) {
        (0, [one]) => {
            ensure!(!one.is_empty(), InvalidArgument, "new vocab filename cannot be empty.");
            Ok(one.clone())
        }
        _ => bail!(InvalidArgument, "{argument} should be a single string, but got {}", t.shape()),
    }
}

/// Returns the line of each entry of a vocabulary.
fn lines_by_entry(lines: &[Bytes]) -> Result<FxHashMap<&[u8], i64>> {
    let mut by_entry = FxHashMap::default();
    for (line, entry) in lines.iter().enumerate() {
        if let Some(before) = by_entry.insert(&entry[..], line as i64) {
            bail!(
                FailedPrecondition,
                "HashTable has different value for same key. Key {} has {before} and trying to add value {line}",
                String::from_utf8_lossy(entry)
            );
        }
    }
    Ok(by_entry)
}

fn remap(inputs: &[Tensor], offset: usize, count: usize, old_size: Option<usize>) -> Result<Outputs> {
    let [new_file, old_file] = inputs else { bail!(Internal, "two files") };
    let new = vocabulary_lines(&file_name(new_file, "new_vocab_file")?, None)?;
    let Some(new) = offset.checked_add(count).and_then(|end| new.get(offset..end)) else {
        bail!(InvalidArgument, "lookup table size must be larger than last new vocab entry's line");
    };
    let old = vocabulary_lines(&file_name(old_file, "old_vocab_file")?, old_size)?;
    let by_entry = lines_by_entry(&old)?;
    let mut remapping = room(count, "vocabulary entries")?;
    remapping.extend(new.iter().map(|entry| by_entry.get(&entry[..]).copied().unwrap_or(MISSING)));
    let present = remapping.iter().filter(|&&line| line != MISSING).count();
    Ok(smallvec![Tensor::from_slice([count], &remapping)?, Tensor::scalar(present as i32)])
}

fn generate_vocab_remapping(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let number = |name| count_of(init.int32(name)?, name);
    let (offset, count) = (number("new_vocab_offset")?, number("num_new_vocab")?);
    let old_size = usize::try_from(init.int32("old_vocab_size")?).ok();
    kernel(move |ctx| {
        let inputs = ctx.take_inputs();
        ctx.run_blocking(move |_| remap(&inputs, offset, count, old_size))
    })
}

/// The matrix to make.
#[derive(Clone, Copy)]
struct Wanted {
    rows: usize,
    columns: usize,
    /// Rows of the old matrix that are read at a time; `None` for all.
    at_a_time: Option<usize>,
}

/// Returns, for each old place, the new one.
fn inverted(remapping: &[i64]) -> Result<FxHashMap<i64, usize>> {
    let mut inverse = FxHashMap::default();
    for (new, &old) in remapping.iter().enumerate().filter(|(_, old)| **old >= 0) {
        if let Some(before) = inverse.insert(old, new) {
            bail!(Unimplemented, "Old ID {old} is mapped to both new ID {before} and {new}, which is not supported.");
        }
    }
    Ok(inverse)
}

fn load(inputs: &[Tensor], wanted: Wanted, threads: Threads) -> Result<Outputs> {
    let [path, name, row_remapping, column_remapping, initial] = inputs else { bail!(Internal, "five inputs") };
    let Wanted { rows, columns, at_a_time } = wanted;
    let (row_remapping, column_remapping) = (row_remapping.slice::<i64>()?, column_remapping.slice::<i64>()?);
    ensure!(
        row_remapping.len() == rows,
        InvalidArgument,
        "Size of row_remapping is {} instead of being equal to num_rows={rows}",
        row_remapping.len()
    );
    let new_rows = inverted(row_remapping)?;
    let moves_columns = !column_remapping.is_empty();
    ensure!(
        !moves_columns || column_remapping.len() == columns,
        InvalidArgument,
        "Provided col_remapping, but its size is {} instead of being equal to num_cols={columns}",
        column_remapping.len()
    );
    let new_columns = inverted(column_remapping)?;
    let checkpoint = Checkpoint::open(&one_string(path, "ckpt_path")?)?;
    let name = one_string(name, "old_tensor_name")?;
    let (dtype, full) = checkpoint.describe(name.as_bytes())?;
    ensure!(
        dtype == DType::F32,
        InvalidArgument,
        "Tensor {name} has invalid type {} instead of expected type float",
        dtype.schema_name()
    );
    let [old_rows, old_columns] = *full.dims() else {
        bail!(
            InvalidArgument,
            "Tensor {name} has shape {full} of invalid rank {} instead of expected shape of rank 2.",
            full.rank()
        )
    };
    ensure!(
        moves_columns || old_columns == columns,
        InvalidArgument,
        "Tensor {name} has shape {full}, where the size of its 2nd dimension is {old_columns} instead of being equal to \
         num_cols={columns}"
    );
    let shape = Shape::checked(&[rows as i64, columns as i64])?;
    let mut out = Tensor::zeros(DType::F32, shape.clone())?;
    let to = out.slice_mut::<f32>()?;
    let mut is_set = filled(shape.elements(), false, "elements")?;
    let used = |old: &&i64| **old >= 0;
    let first = row_remapping.iter().filter(used).min().copied();
    let end = row_remapping.iter().filter(used).max().map_or(0, |last| last.saturating_add(1));
    let mut start = first.unwrap_or(end);
    while start < end {
        let length = at_a_time.map_or(end - start, |most| (end - start).min(most as i64));
        ensure!(
            end <= old_rows as i64,
            InvalidArgument,
            "Extent in dimension 0 out of bounds: shape = {full}, slice = {start},{length}:-"
        );
        let part = SliceSpec::parse(&format!("{old_rows} {old_columns} {start},{length}:-"))?;
        let read = checkpoint.read(&[ReadRequest { name: name.as_bytes(), part }], threads)?;
        let Some(read) = read.first() else { bail!(Internal, "no tensor was read") };
        for (old, row) in (start..).zip(read.slice::<f32>()?.chunks_exact(old_columns.max(1))) {
            let Some(&new) = new_rows.get(&old) else { continue };
            for (old, &value) in (0i64..).zip(row) {
                let column = if moves_columns { new_columns.get(&old).copied() } else { usize::try_from(old).ok() };
                if let Some(column) = column {
                    to[new * columns + column] = value;
                }
            }
        }
        start += length;
    }
    for (cells, _) in is_set.chunks_exact_mut(columns.max(1)).zip(row_remapping).filter(|(_, old)| **old >= 0) {
        match moves_columns {
            true => cells.iter_mut().zip(column_remapping).for_each(|(is_set, old)| *is_set = *old >= 0),
            false => cells.fill(true),
        }
    }
    let initial = initial.slice::<f32>()?;
    let mut values = initial.iter();
    for (to, _) in to.iter_mut().zip(&is_set).filter(|(_, is_set)| !**is_set) {
        let Some(&value) = values.next() else {
            bail!(
                InvalidArgument,
                "initializing_values contained {} elements, but more missing values remain.",
                initial.len()
            )
        };
        *to = value;
    }
    let unused = values.len();
    ensure!(
        unused == 0,
        InvalidArgument,
        "initializing_values contained {} elements, but only {} elements were used to fill in missing values.",
        initial.len(),
        initial.len() - unused
    );
    Ok(smallvec![out])
}

fn load_and_remap_matrix(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let at_a_time = usize::try_from(init.int("max_rows_in_memory")?).ok().filter(|&n| n > 0);
    let number = |name| count_of(init.int(name)?, name);
    let wanted = Wanted { rows: number("num_rows")?, columns: number("num_cols")?, at_a_time };
    kernel(move |ctx| {
        let (inputs, threads) = (ctx.take_inputs(), ctx.threads());
        ctx.run_blocking(move |_| load(&inputs, wanted, threads))
    })
}

fn remapping_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.input(1)?.with_rank(0)?;
    let count = usize::try_from(c.int("num_new_vocab")?).ok();
    c.set_output(0, PartialShape::vector(count));
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

fn matrix_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in [2, 3, 4] {
        c.input(i)?.with_rank(1)?;
    }
    let (rows, columns) = (usize::try_from(c.int("num_rows")?).ok(), usize::try_from(c.int("num_cols")?).ok());
    c.input(2)?.merge(&PartialShape::vector(rows))?;
    c.set_output(0, PartialShape::from_dims(&[rows, columns]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("GenerateVocabRemapping")
            .input("new_vocab_file: string")
            .input("old_vocab_file: string")
            .output("remapping: int64")
            .output("num_present: int32")
            .attr("new_vocab_offset: int >= 0")
            .attr("num_new_vocab: int >= 0")
            .attr("old_vocab_size: int >= -1 = -1")
            .foreign()
            .blocks(Blocking::Files)
            .doc("Returns the lines in an old vocabulary of a new one's entries, -1 where it has none, and their number.")
            .shape(remapping_shape)
            .kernel(generate_vocab_remapping),
    );
    r.add(
        Op::new("LoadAndRemapMatrix")
            .input("ckpt_path: string")
            .input("old_tensor_name: string")
            .input("row_remapping: int64")
            .input("col_remapping: int64")
            .input("initializing_values: float")
            .output("output_matrix: float")
            .attr("num_rows: int >= 0")
            .attr("num_cols: int >= 1")
            .attr("max_rows_in_memory: int = -1")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Reads a matrix of a checkpoint and puts its rows and columns in another order; the rest is given.")
            .shape(matrix_shape)
            .kernel(load_and_remap_matrix),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_io::bundle::{Item, write};
    use ferroflow_tensor::threads::Threads;
    use ferroflow_tensor::{Code, Result, Tensor};
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ferroflow_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn text(value: &str) -> Tensor {
        Tensor::from_strings([], vec![value.as_bytes().into()]).unwrap()
    }

    #[test]
    fn entries_are_found_in_the_old_vocabulary() {
        let folder = folder("vocabularies");
        let files = ["new", "old"].map(|name| folder.join(name).to_str().unwrap().to_owned());
        std::fs::write(&files[0], "a\nb\nc\nd\n").unwrap();
        std::fs::write(&files[1], "c\na\nz\n").unwrap();
        let remap = |offset: i64, count: i64, old_size: i64| -> Result<(Vec<i64>, i32)> {
            let attrs = [("new_vocab_offset", offset), ("num_new_vocab", count), ("old_vocab_size", old_size)];
            let attrs = attrs.map(|(name, value)| (name, AttrValue::Int(value)));
            let out = run("GenerateVocabRemapping", &[text(&files[0]), text(&files[1])], &attrs)?;
            Ok((out[0].to_i64s()?, out[1].to_scalar::<i32>()?))
        };
        assert_eq!(remap(0, 4, -1).unwrap(), (vec![1, -1, 0, -1], 2));
        assert_eq!(remap(1, 2, 1).unwrap(), (vec![-1, 0], 1));
        assert_eq!(remap(1, 0, -1).unwrap(), (vec![], 0));
        let e = remap(2, 3, -1).unwrap_err();
        assert_eq!(e.message(), "lookup table size must be larger than last new vocab entry's line");
        assert!(remap(0, 4, 9).unwrap_err().message().ends_with("expected 9 but got 3"));
        std::fs::write(&files[1], "c\nc\n").unwrap();
        assert_eq!(remap(0, 4, -1).unwrap_err().code(), Code::FailedPrecondition);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_matrix_is_put_in_another_order() {
        let folder = folder("matrix");
        let prefix = folder.join("model").to_str().unwrap().to_owned();
        let matrix = Tensor::from_slice([3, 2], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        write(&prefix, &[Item { name: b"m", part: None, tensor: &matrix }], Threads::single()).unwrap();
        let load = |rows: &[i64], columns: &[i64], initial: &[f32], at_a_time: i64| -> Result<Vec<f32>> {
            let width = if columns.is_empty() { 2 } else { columns.len() };
            let inputs = [
                text(&prefix),
                text("m"),
                Tensor::from_slice([rows.len()], rows).unwrap(),
                Tensor::from_slice([columns.len()], columns).unwrap(),
                Tensor::from_slice([initial.len()], initial).unwrap(),
            ];
            let attrs =
                [("num_rows", rows.len() as i64), ("num_cols", width as i64), ("max_rows_in_memory", at_a_time)]
                    .map(|(name, value)| (name, AttrValue::Int(value)));
            Ok(run("LoadAndRemapMatrix", &inputs, &attrs)?[0].slice::<f32>()?.to_vec())
        };
        for at_a_time in [-1, 1, 2] {
            assert_eq!(load(&[2, -1, 0], &[], &[7.0, 8.0], at_a_time).unwrap(), [5.0, 6.0, 7.0, 8.0, 1.0, 2.0]);
            let moved = load(&[1, -1], &[1, -1, 0], &[7.0, 8.0, 9.0, 10.0], at_a_time).unwrap();
            assert_eq!(moved, [4.0, 7.0, 3.0, 8.0, 9.0, 10.0]);
        }
        assert_eq!(load(&[-1], &[], &[7.0, 8.0], -1).unwrap(), [7.0, 8.0]);
        assert_eq!(load(&[1, 1], &[], &[], -1).unwrap_err().code(), Code::Unimplemented);
        assert!(load(&[-1], &[], &[7.0], -1).unwrap_err().message().contains("more missing values remain"));
        assert!(load(&[0], &[], &[7.0], -1).unwrap_err().message().contains("only 0 elements were used"));
        assert!(load(&[3], &[], &[], -1).unwrap_err().message().contains("out of bounds"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
