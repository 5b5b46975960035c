//! SparseCross: every combination of one feature of each column, row by row, as joined text or as one hash.

use crate::string::farm_hash::fingerprint;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Tensor, bail, ensure};
use std::ops::Range;

/// TF's separator between the parts of a joined feature.
const SEPARATOR: &[u8] = b"_X_";

/// A column of features: its values, and which of them each row has.
struct Column<'a> {
    values: &'a Tensor,
    rows: Rows<'a>,
}

enum Rows<'a> {
    /// Row and place of each value, in the order of the rows.
    Sparse(&'a [[i64; 2]]),
    /// As many values in each row.
    Dense(usize),
}

impl<'a> Column<'a> {
    /// Returns the features of a sparse matrix of `batch` rows.
    fn sparse(indices: &'a Tensor, values: &'a Tensor, batch: i64) -> Result<Column<'a>> {
        let (places, _) = indices.slice::<i64>()?.as_chunks::<2>();
        let mut least = 0;
        for (i, &[row, _]) in places.iter().enumerate() {
            ensure!(
                (least..batch).contains(&row),
                InvalidArgument,
                "Row {row} of element {i} is out of order or outside the {batch} rows"
            );
            least = row;
        }
        Ok(Column { values, rows: Rows::Sparse(places) })
    }

    fn dense(values: &'a Tensor) -> Column<'a> {
        Column { values, rows: Rows::Dense(values.shape()[1]) }
    }

    /// Returns the positions of a row's values.
    fn features(&self, row: usize) -> Range<usize> {
        match self.rows {
            Rows::Sparse(places) => {
                let before = |row: i64| places.partition_point(|&[r, _]| r < row);
                before(row as i64)..before(row as i64 + 1)
            }
            Rows::Dense(width) => row * width..(row + 1) * width,
        }
    }

    fn text(&self, i: usize) -> Result<Bytes> {
        Ok(match self.values.dtype() {
            DType::String => self.values.strings()?[i].clone(),
            _ => self.values.slice::<i64>()?[i].to_string().into_bytes().into(),
        })
    }

    fn number(&self, i: usize) -> Result<u64> {
        Ok(match self.values.dtype() {
            DType::String => fingerprint(&self.values.strings()?[i]),
            _ => self.values.slice::<i64>()?[i] as u64,
        })
    }
}

/// Returns two fingerprints as one.
fn joined(a: u64, b: u64) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mixed = |x: u64| x ^ (x >> 47);
    let result = a ^ FACTOR ^ mixed(b.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    mixed(mixed(result.wrapping_mul(FACTOR)).wrapping_mul(FACTOR))
}

/// The way in which the features of one combination are joined.
#[derive(Clone, Copy)]
enum JoinKind {
    Text,
    Hash { buckets: u64, key: u64 },
}

enum Crossed {
    Texts(Vec<Bytes>),
    Hashes(Vec<i64>),
}

impl Crossed {
    fn push(&mut self, columns: &[Column<'_>], features: &[usize], kind: JoinKind) -> Result<()> {
        match (self, kind) {
            (Crossed::Texts(texts), JoinKind::Text) => {
                let mut text = Vec::new();
                for (i, (column, &feature)) in columns.iter().zip(features).enumerate() {
                    if i > 0 {
                        text.extend_from_slice(SEPARATOR);
                    }
                    text.extend_from_slice(&column.text(feature)?);
                }
                texts.push(text.into());
            }
            (Crossed::Hashes(hashes), JoinKind::Hash { buckets, key }) => {
                let mut hash = key;
                for (column, &feature) in columns.iter().zip(features) {
                    hash = joined(hash, column.number(feature)?);
                }
                hashes.push((hash % if buckets > 0 { buckets } else { i64::MAX as u64 }) as i64);
            }
            _ => bail!(Internal, "crossed features are of another kind"),
        }
        Ok(())
    }
}

/// Returns the columns and the number of rows. The inputs are n index matrices, n value vectors, n shapes, and dense
/// matrices.
fn columns(inputs: &[Tensor], n: usize) -> Result<(Vec<Column<'_>>, i64)> {
    ensure!(inputs.len() >= 3 * n, Internal, "SparseCross has {} inputs for {n} sparse columns", inputs.len());
    let (indices, values, shapes, dense) = (&inputs[..n], &inputs[n..2 * n], &inputs[2 * n..3 * n], &inputs[3 * n..]);
    for (i, shape) in shapes.iter().enumerate() {
        ensure!(
            shape.rank() == 1,
            InvalidArgument,
            "Input shapes should be a std::vector but received shape {} at position {i}",
            shape.shape()
        );
        ensure!(
            shape.elements() == 2,
            InvalidArgument,
            "shape should imply a 2D tensor, but got {} at position {i}",
            shape.shape()
        );
    }
    for (i, t) in dense.iter().enumerate() {
        ensure!(
            t.rank() == 2,
            InvalidArgument,
            "Dense inputs should be a matrix but received shape {} at position {i}",
            t.shape()
        );
    }
    let batch = match (shapes.first(), dense.first()) {
        (Some(shape), _) => shape.slice::<i64>()?[0],
        (None, Some(t)) => t.shape()[0] as i64,
        (None, None) => 0,
    };
    ensure!(batch >= 0, InvalidArgument, "The number of rows must not be negative, got {batch}");
    let mut columns = Vec::new();
    for (i, ((indices, values), shape)) in indices.iter().zip(values).zip(shapes).enumerate() {
        ensure!(
            indices.rank() == 2,
            InvalidArgument,
            "Input indices should be a matrix but received shape {} at position {i}",
            indices.shape()
        );
        ensure!(
            indices.shape()[1] == 2,
            InvalidArgument,
            "Expected D2 of index to be 2 got {} at position {i}",
            indices.shape()[1]
        );
        ensure!(
            values.rank() == 1,
            InvalidArgument,
            "Input values should be a std::vector but received shape {} at position {i}",
            values.shape()
        );
        ensure!(
            values.elements() == indices.shape()[0],
            InvalidArgument,
            "Expected size of values to be {} got {} at position {i}",
            indices.shape()[0],
            values.elements()
        );
        let rows = shape.slice::<i64>()?[0];
        ensure!(rows == batch, InvalidArgument, "Expected batch size {batch} got {rows} at position {i}");
        columns.push(Column::sparse(indices, values, batch)?);
    }
    for (i, t) in dense.iter().enumerate() {
        ensure!(
            t.shape()[0] as i64 == batch,
            InvalidArgument,
            "Expected batch size {batch} got {} at dense tensor {i}",
            t.shape()[0]
        );
        columns.push(Column::dense(t));
    }
    Ok((columns, batch))
}

/// Returns the rows in which every column may have features.
fn rows_of(columns: &[Column<'_>], batch: i64) -> Vec<usize> {
    let sparse = columns.iter().find_map(|c| match c.rows {
        Rows::Sparse(places) => Some(places),
        Rows::Dense(_) => None,
    });
    match sparse {
        Some(places) => places.chunk_by(|a, b| a[0] == b[0]).map(|row| row[0][0] as usize).collect(),
        None if columns.iter().any(|c| c.values.elements() == 0) => Vec::new(),
        None => (0..batch as usize).collect(),
    }
}

fn cross(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let n = usize::try_from(init.int("N")?).unwrap_or_default();
    let hashed = init.bool("hashed_output")?;
    ensure!(
        (init.dtype("out_type")? == DType::I64) == hashed,
        InvalidArgument,
        "SparseCross gives int64 where its output is hashed, and string where it is not"
    );
    let kind = match hashed {
        true => JoinKind::Hash { buckets: init.int("num_buckets")? as u64, key: init.int("hash_key")? as u64 },
        false => JoinKind::Text,
    };
    kernel(move |ctx| {
        let (columns, batch) = columns(ctx.inputs(), n)?;
        ensure!(!columns.is_empty(), InvalidArgument, "SparseCross needs at least one column");
        let rows = rows_of(&columns, batch);
        let count = |row: usize| {
            columns.iter().try_fold(1usize, |product, column| product.checked_mul(column.features(row).len()))
        };
        let Some(total) = rows.iter().try_fold(0usize, |sum, &row| sum.checked_add(count(row)?)) else {
            bail!(ResourceExhausted, "OOM: too many crossed features")
        };
        let mut indices = Tensor::new(DType::I64, Shape::checked(&[total as i64, 2])?)?;
        let (places, _) = indices.slice_mut::<i64>()?.as_chunks_mut::<2>();
        let mut places = places.iter_mut();
        let mut out = if hashed { Crossed::Hashes(Vec::new()) } else { Crossed::Texts(Vec::new()) };
        let mut largest = 0;
        let mut features = vec![0; columns.len()];
        for row in rows {
            let ranges: Vec<_> = columns.iter().map(|c| c.features(row)).collect();
            let in_row: usize = ranges.iter().map(|r| r.len()).product();
            largest = largest.max(in_row);
            for number in 0..in_row {
                // The last column's feature changes fastest.
                let mut rest = number;
                for (feature, range) in features.iter_mut().zip(&ranges).rev() {
                    *feature = range.start + rest % range.len();
                    rest /= range.len();
                }
                out.push(&columns, &features, kind)?;
                if let Some(place) = places.next() {
                    *place = [row as i64, number as i64];
                }
            }
            ctx.check_cancelled()?;
        }
        let values = match out {
            Crossed::Texts(texts) => Tensor::from_strings([total], texts)?,
            Crossed::Hashes(hashes) => Tensor::from_slice([total], &hashes)?,
        };
        let shape = Tensor::from_slice([2], &[batch, largest as i64])?;
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        ctx.set_output(2, shape);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::from_dims(&[None, Some(2)]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(Some(2)));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseCross")
            .input("indices: N * int64")
            .input("values: sparse_types")
            .input("shapes: N * int64")
            .input("dense_inputs: dense_types")
            .output("output_indices: int64")
            .output("output_values: out_type")
            .output("output_shape: int64")
            .attr("N: int >= 0")
            .attr("hashed_output: bool")
            .attr("num_buckets: int >= 0")
            .attr("hash_key: int")
            .attr("sparse_types: list({int64, string}) >= 0")
            .attr("dense_types: list({int64, string}) >= 0")
            .attr("out_type: {int64, string}")
            .attr("internal_type: {int64, string}")
            .doc(
                "Returns, for each row, every combination of one feature of each column, as joined text or as one \
                 hash.",
            )
            .shape(shape)
            .kernel(cross),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Bytes, DType, Result, Tensor};

    fn words(w: &[&str]) -> Tensor {
        Tensor::from_strings([w.len()], w.iter().map(|s| s.as_bytes().into()).collect()).unwrap()
    }

    fn cross(hashed: bool, rows: [i64; 2]) -> Result<Vec<Tensor>> {
        let column = |r: &[i64]| Tensor::from_slice([r.len() / 2, 2], r).unwrap();
        let list = |l: Vec<Tensor>| Arg::List(l);
        let args = vec![
            list(vec![column(&[0, 0, 0, 1, 1, 0]), column(&[0, 0])]),
            list(vec![words(&["a", "b", "c"]), Tensor::from_slice([1], &[7i64])?]),
            list(rows.map(|r| Tensor::from_slice([2], &[r, 2]).unwrap()).to_vec()),
            list(vec![Tensor::from_slice([2, 2], &[1i64, 2, 3, 4])?]),
        ];
        let types = |t: &[DType]| AttrValue::List(t.iter().map(|&t| AttrValue::Type(t)).collect());
        let out = if hashed { DType::I64 } else { DType::String };
        let attrs = [
            ("hashed_output", AttrValue::Bool(hashed)),
            ("num_buckets", AttrValue::Int(100)),
            ("hash_key", AttrValue::Int(0xDECAF_CAFFE)),
            ("sparse_types", types(&[DType::String, DType::I64])),
            ("dense_types", types(&[DType::I64])),
            ("out_type", AttrValue::Type(out)),
            ("internal_type", AttrValue::Type(DType::I64)),
        ];
        Ok(run_args("SparseCross", args, &attrs, 1)?.values)
    }

    #[test]
    fn features_are_crossed_row_by_row() {
        let out = cross(false, [2, 2]).unwrap();
        let texts: Vec<Bytes> =
            ["a_X_7_X_1", "a_X_7_X_2", "b_X_7_X_1", "b_X_7_X_2"].map(|s| s.as_bytes().into()).into();
        assert_eq!(out[1].strings().unwrap(), texts);
        assert_eq!(out[0].slice::<i64>().unwrap(), [0, 0, 0, 1, 0, 2, 0, 3]);
        assert_eq!(out[2].slice::<i64>().unwrap(), [2, 4]);
        assert_eq!(cross(true, [2, 2]).unwrap()[1].elements(), 4);
        assert!(cross(false, [2, 3]).unwrap_err().message().contains("Expected batch size 2 got 3 at position 1"));
    }

    #[test]
    fn rows_out_of_order_or_range_are_refused() {
        let one = |places: &[i64], rows: i64| {
            let args = vec![
                Arg::List(vec![Tensor::from_slice([places.len() / 2, 2], places)?]),
                Arg::List(vec![Tensor::from_slice([places.len() / 2], &vec![1i64; places.len() / 2])?]),
                Arg::List(vec![Tensor::from_slice([2], &[rows, 5])?]),
                Arg::List(vec![]),
            ];
            let attrs = [
                ("hashed_output", AttrValue::Bool(true)),
                ("num_buckets", AttrValue::Int(0)),
                ("hash_key", AttrValue::Int(1)),
                ("sparse_types", AttrValue::List(vec![AttrValue::Type(DType::I64)])),
                ("dense_types", AttrValue::List(vec![])),
                ("out_type", AttrValue::Type(DType::I64)),
                ("internal_type", AttrValue::Type(DType::I64)),
            ];
            run_args("SparseCross", args, &attrs, 1)
        };
        for places in [[1, 0, 0, 0], [0, 0, 2, 0], [-1, 0, 0, 0]] {
            assert!(one(&places, 2).err().unwrap().message().contains("out of order or outside the 2 rows"));
        }
        // Rows without features take neither time nor memory.
        let huge = one(&[0, 0, i64::MAX - 1, 0], i64::MAX).unwrap().values;
        assert_eq!(huge[0].slice::<i64>().unwrap(), [0, 0, i64::MAX - 1, 0]);
    }
}
