//! RaggedTensorToTensor: the rows of a ragged tensor, padded or cut to one length.

use super::splits::Splits;
use crate::room::room;
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

const UNEQUAL: &str = "Values and indices must be equal";

/// A way to divide values into rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partition {
    FirstDimSize,
    ValueRowids,
    RowSplits,
}

fn partitions(attrs: &AttrMap) -> Result<Vec<Partition>> {
    let mut found = Vec::new();
    for name in attrs.strs("row_partition_types")? {
        found.push(match name.as_str() {
            "FIRST_DIM_SIZE" => Partition::FirstDimSize,
            "VALUE_ROWIDS" => Partition::ValueRowids,
            "ROW_SPLITS" => Partition::RowSplits,
            "ROW_LENGTHS" | "ROW_LIMITS" | "ROW_STARTS" => {
                bail!(InvalidArgument, "Unsupported partition type: {name}")
            }
            _ => bail!(InvalidArgument, "Unknown string for partition info type: {name}"),
        });
    }
    match found[..] {
        [] => bail!(InvalidArgument, "Partition info types should not be empty"),
        [Partition::ValueRowids, ..] => bail!(InvalidArgument, "VALUE_ROWIDS cannot be first"),
        [Partition::FirstDimSize, ref rest @ ..] => ensure!(
            rest.first() == Some(&Partition::ValueRowids),
            InvalidArgument,
            "FIRST_DIM_SIZE must be followed by VALUE_ROWIDS"
        ),
        _ => {}
    }
    ensure!(!found[1..].contains(&Partition::FirstDimSize), InvalidArgument, "FIRST_DIM_SIZE must be first");
    Ok(found)
}

fn ragged_rank(partitions: &[Partition]) -> usize {
    partitions.iter().filter(|&&p| p != Partition::FirstDimSize).count()
}

/// Returns the shape that input 0 states. TF 1.x: a scalar, which may be -1 alone, must be known with the graph.
fn given_shape(c: &ShapeContext<'_>) -> Result<PartialShape> {
    match c.input(0)?.with_rank_at_most(1)?.rank() {
        Some(0) if !c.is_exact() => match c.input_i64s(0)?.as_deref() {
            Some([-1]) => Ok(PartialShape::unknown()),
            Some(_) => bail!(InvalidArgument, "Received an invalid shape scalar with a static value that is not '-1'."),
            None => bail!(
                InvalidArgument,
                "Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an \
                 unknown shape."
            ),
        },
        Some(1) => c.input_as_shape(0),
        _ => Ok(PartialShape::unknown()),
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let partitions = partitions(c)?;
    for (i, &partition) in (3..c.num_inputs()).zip(&partitions) {
        let rank = c.input(i)?.rank();
        ensure!(
            partition == Partition::FirstDimSize || rank.is_none_or(|rank| rank == 1),
            InvalidArgument,
            "Row partition must be a vector."
        );
    }
    let ragged_rank = ragged_rank(&partitions);
    let given = given_shape(c)?;
    let values = c.input(1)?;
    if values.rank().is_none() {
        c.set_output(0, given);
        return Ok(());
    }
    let inner = PartialShape::from_dims(&values.with_rank_at_least(1)?.dims().unwrap_or_default()[1..]);
    let of_values = PartialShape::unknown_of_rank(ragged_rank + 1).concatenate(&inner);
    if let (Some(rank), Some(full)) = (given.rank(), of_values.rank()) {
        ensure!(
            rank == full,
            InvalidArgument,
            "shape.rank = {rank} but value.rank = {} and ragged rank = {ragged_rank}",
            full - ragged_rank
        );
    }
    match of_values.merge(&given) {
        Ok(out) => c.set_output(0, out),
        Err(_) => bail!(InvalidArgument, "Value and shape dimension are inconsistent."),
    }
    Ok(())
}

/// Returns the requested sizes of the output's dimensions; None where the values decide.
fn requested(shape: &Tensor, rank: usize) -> Result<Vec<Option<usize>>> {
    if shape.rank() == 0 {
        ensure!(
            shape.to_i64s()? == [-1],
            InvalidArgument,
            "The only valid scalar shape tensor is the fully unknown -1"
        );
        return Ok(vec![None; rank]);
    }
    let dims = shape.to_i64s()?;
    for &size in &dims {
        ensure!(size >= -1, InvalidArgument, "Dimension {size} must be >= -1");
    }
    ensure!(
        dims.len() == rank,
        InvalidArgument,
        "shape has {} dimensions, but the values have {rank} with their rows",
        dims.len()
    );
    Ok(dims.into_iter().map(|size| usize::try_from(size).ok()).collect())
}

/// One ragged dimension: the row of each value, in the order of the values.
struct Rows {
    rowids: Vec<usize>,
    longest: usize,
}

impl Rows {
    /// Args: `held`, the number of values of the rows, if what follows decides it.
    fn of_splits(splits: &Tensor, held: Option<usize>) -> Result<(Rows, usize)> {
        ensure!(splits.elements() > 0, InvalidArgument, "Dimension -1 must be >= 0");
        let last = splits.to_i64s()?.last().copied().unwrap_or(0);
        let splits = Splits::of(splits, usize::try_from(last).unwrap_or(0))?;
        let count = splits.values_of(&(0..splits.rows())).len();
        ensure!(held.is_none_or(|held| held == count), Internal, "{UNEQUAL}");
        let mut rowids = room(count, "rows of values")?;
        rowids.extend((0..splits.rows()).flat_map(|row| splits.row(row).map(move |_| row)));
        Ok((Rows { rowids, longest: splits.longest_row() }, splits.rows()))
    }

    fn of_rowids(rowids: &Tensor, rows: usize) -> Result<Rows> {
        let (mut found, mut longest, mut run) = (Vec::with_capacity(rowids.elements()), 0, 0);
        for id in rowids.to_i64s()? {
            let Some(row) = usize::try_from(id).ok().filter(|&row| row < rows) else {
                bail!(InvalidArgument, "the row {id} of a value is not in [0, {rows})")
            };
            run = if found.last() == Some(&row) { run + 1 } else { 1 };
            longest = longest.max(run);
            found.push(row);
        }
        Ok(Rows { rowids: found, longest })
    }
}

/// Reads the ragged dimensions above `count` values, outermost first, and the number of rows.
fn levels(partitions: &[Partition], tensors: &[Tensor], count: usize) -> Result<(usize, Vec<Rows>)> {
    let mut first = None;
    let mut below = 0;
    let mut levels: Vec<Rows> = Vec::new();
    for (i, (partition, tensor)) in partitions.iter().zip(tensors).enumerate() {
        match partition {
            Partition::FirstDimSize => {
                below = usize::try_from(tensor.to_i64s()?.first().copied().unwrap_or(-1)).unwrap_or(0);
                first = Some(below);
                continue;
            }
            Partition::ValueRowids => levels.push(Rows::of_rowids(tensor, below)?),
            Partition::RowSplits => {
                let held = match (partitions.get(i + 1), tensors.get(i + 1)) {
                    (Some(Partition::RowSplits), Some(next)) => Some(next.elements().saturating_sub(1)),
                    (Some(_), _) => None,
                    (None, _) => Some(count),
                };
                let (level, rows) = Rows::of_splits(tensor, held)?;
                ensure!(first.is_none() || rows == below, Internal, "{UNEQUAL}");
                first = first.or(Some(rows));
                levels.push(level);
            }
        }
        below = levels.last().map_or(0, |level| level.rowids.len());
    }
    Ok((first.unwrap_or(0), levels))
}

/// Returns the slice of the output that each value goes to; None for values that are cut off.
fn targets(levels: &[Rows], sizes: &[usize]) -> Vec<Option<usize>> {
    // There may be more rows without values than a list can hold.
    let mut above: Option<Vec<Option<usize>>> = None;
    for (level, &size) in levels.iter().zip(&sizes[1..]) {
        let mut column = 0;
        let mut previous = None;
        let place = |&row: &usize| {
            column = if previous == Some(row) { column + 1 } else { 0 };
            previous = Some(row);
            let start = above.as_ref().map_or((row < sizes[0]).then_some(row), |above| above[row]);
            start.filter(|_| column < size).map(|start| start * size + column)
        };
        above = Some(level.rowids.iter().map(place).collect());
    }
    above.unwrap_or_default()
}

/// Writes the values to their slices of the output, and the default to all others.
fn fill<E: Movable>(values: &Tensor, default: &Tensor, targets: &[Option<usize>], out: &mut Tensor) -> Result<()> {
    let inner: usize = values.shape()[1..].iter().product();
    let (values, default, to) = (E::view(values)?, E::view(default)?, E::view_mut(out)?);
    for line in to.chunks_exact_mut(inner) {
        for (element, default) in line.iter_mut().zip(default.iter().cycle()) {
            *element = default.clone();
        }
    }
    for (line, target) in values.chunks_exact(inner).zip(targets) {
        if let Some(target) = target {
            to[target * inner..][..inner].clone_from_slice(line);
        }
    }
    Ok(())
}

fn to_tensor(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let partitions = partitions(init)?;
    kernel(move |ctx| {
        let (values, default) = (ctx.input(1)?, ctx.input(2)?);
        ensure!(values.rank() > 0, InvalidArgument, "values must have at least one dimension");
        let slice = &values.shape()[1..];
        let ragged = ragged_rank(&partitions);
        let wanted = requested(ctx.input(0)?, ragged + 1 + slice.len())?;
        for (&size, &known) in wanted[ragged + 1..].iter().zip(slice) {
            ensure!(
                size.is_none_or(|size| size == known),
                InvalidArgument,
                "Value and shape dimension are inconsistent."
            );
        }
        // A default of the last dimensions repeats over those before.
        let default_dims: Vec<usize> = default.shape().iter().copied().skip_while(|&size| size == 1).collect();
        ensure!(
            slice.ends_with(&default_dims),
            InvalidArgument,
            "default_value of shape {} does not broadcast to {slice:?}",
            default.shape()
        );
        let (rows, levels) = levels(&partitions, &ctx.inputs()[3..], values.shape()[0])?;
        let count = levels.last().map_or(0, |level| level.rowids.len());
        ensure!(count == values.shape()[0], Internal, "{UNEQUAL}");
        let found = std::iter::once(rows).chain(levels.iter().map(|level| level.longest));
        let sizes: Vec<usize> = found.zip(&wanted).map(|(found, wanted)| wanted.unwrap_or(found)).collect();
        let dims: Vec<i64> = sizes.iter().chain(slice).map(|&size| size as i64).collect();
        let mut out = Tensor::new(values.dtype(), Shape::checked(&dims)?)?;
        if out.elements() > 0 {
            let targets = targets(&levels, &sizes);
            by_size!(values.dtype(), E, fill::<E>(values, default, &targets, &mut out))?;
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RaggedTensorToTensor")
            .input("shape: Tshape")
            .input("values: T")
            .input("default_value: T")
            .input("row_partition_tensors: num_row_partition_tensors * Tindex")
            .output("result: T")
            .attr("T: type")
            .attr("Tindex: {int64, int32}")
            .attr("Tshape: {int64, int32}")
            .attr("num_row_partition_tensors: int >= 1")
            .attr("row_partition_types: list(string)")
            .doc("Returns the rows of a ragged tensor, padded with `default_value` or cut to `shape`.")
            .shape(shape)
            .kernel(to_tensor),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn dense(shape: &[i64], types: &[&str], parts: &[&[i64]]) -> Result<(Vec<usize>, Vec<i32>)> {
        let parts = parts.iter().map(|p| Tensor::from_slice([p.len()], p)).collect::<Result<_>>()?;
        let shape = Tensor::from_slice([shape.len()], shape)?;
        let values = Tensor::from_slice([3], &[1i32, 2, 3])?;
        let args = vec![Arg::One(shape), Arg::One(values), Arg::One(Tensor::scalar(9i32)), Arg::List(parts)];
        let types = types.iter().map(|&t| AttrValue::Str(t.into())).collect();
        let got = run_args("RaggedTensorToTensor", args, &[("row_partition_types", AttrValue::List(types))], 1)?;
        let out = &got.values[0];
        Ok((out.shape().dims().to_vec(), out.slice::<i32>()?.to_vec()))
    }

    #[test]
    fn rows_are_padded_and_cut() {
        let splits: &[&[i64]] = &[&[0, 2, 2, 3]];
        assert_eq!(dense(&[-1, -1], &["ROW_SPLITS"], splits).unwrap(), (vec![3, 2], vec![1, 2, 9, 9, 3, 9]));
        assert_eq!(dense(&[4, 1], &["ROW_SPLITS"], splits).unwrap(), (vec![4, 1], vec![1, 9, 3, 9]));
        let ids: &[&[i64]] = &[&[4], &[0, 0, 2]];
        let got = dense(&[-1, -1], &["FIRST_DIM_SIZE", "VALUE_ROWIDS"], ids).unwrap();
        assert_eq!(got, (vec![4, 2], vec![1, 2, 9, 9, 3, 9, 9, 9]));
    }

    #[test]
    fn dimensions_nest() {
        let expected = (vec![2, 2, 2], vec![1, 2, 9, 9, 9, 9, 3, 9]);
        let all = [-1, -1, -1];
        assert_eq!(dense(&all, &["ROW_SPLITS", "ROW_SPLITS"], &[&[0, 1, 3], &[0, 2, 2, 3]]).unwrap(), expected);
        let types = ["FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"];
        assert_eq!(dense(&all, &types, &[&[2], &[0, 1, 1], &[0, 0, 2]]).unwrap(), expected);
    }

    #[test]
    fn more_rows_than_memory_holds_are_cut_or_refused() {
        let ids: &[&[i64]] = &[&[1 << 60], &[0, 0, 2]];
        let types = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"];
        assert_eq!(dense(&[3, 1], &types, ids).unwrap(), (vec![3, 1], vec![1, 9, 3]));
        assert_eq!(dense(&[-1, 1], &types, ids).unwrap_err().code(), Code::ResourceExhausted);
        let splits: &[&[i64]] = &[&[0, 1 << 60], &[0, 1, 2]];
        assert_eq!(dense(&[-1, -1], &["ROW_SPLITS"], &splits[..1]).unwrap_err().code(), Code::Internal);
        let mixed = dense(&[-1, -1, -1], &["ROW_SPLITS", "VALUE_ROWIDS"], splits);
        assert_eq!(mixed.unwrap_err().code(), Code::ResourceExhausted);
    }

    #[test]
    fn bad_partitions_are_refused() {
        let message = |types: &[&str], parts: &[&[i64]]| dense(&[-1, -1], types, parts).unwrap_err().to_string();
        assert!(message(&["FOO"], &[&[0]]).contains("Unknown string for partition info type: FOO"));
        assert!(message(&["VALUE_ROWIDS"], &[&[0]]).contains("VALUE_ROWIDS cannot be first"));
        assert!(message(&["ROW_SPLITS"], &[&[0, 2]]).contains("Values and indices must be equal"));
        assert!(dense(&[-2, -1], &["ROW_SPLITS"], &[&[0, 3]]).is_err());
    }
}
