//! RaggedGather: rows of a ragged tensor picked by index.

use super::splits::{self, Splits};
use crate::array::gather::index_text;
use crate::room::room;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};
use std::ops::Range;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let ragged_rank = c.num_inputs() - 2;
    for i in 0..ragged_rank {
        c.input(i)?.with_rank(1)?;
    }
    let values = c.input(ragged_rank)?.with_rank_at_least(1)?;
    let out_rank = c.num_outputs() - 1;
    if let Some(rank) = (out_rank + 1).checked_sub(ragged_rank) {
        c.input(ragged_rank + 1)?.with_rank(rank)?;
    }
    for i in 0..out_rank {
        c.set_output(i, PartialShape::vector(None));
    }
    if let Some(dims) = values.dims() {
        c.set_output(out_rank, PartialShape::vector(None).concatenate(&PartialShape::from_dims(&dims[1..])));
    }
    Ok(())
}

/// Returns the row that each index picks.
fn picked_rows(indices: &Tensor, rows: i64) -> Result<Vec<usize>> {
    let mut picked = Vec::with_capacity(indices.elements());
    for (k, i) in indices.to_i64s()?.into_iter().enumerate() {
        let at = || index_text(indices.shape(), k);
        ensure!((0..rows).contains(&i), InvalidArgument, "indices{} = {i} is not in [0, {rows})", at());
        picked.push(i as usize);
    }
    Ok(picked)
}

/// Returns the splits of the uniform dimensions of `indices` after the first.
fn splits_of_dims(indices: &Shape) -> Result<Vec<Vec<usize>>> {
    let mut found = Vec::new();
    let mut rows = indices.first().copied().unwrap_or(1);
    for &size in indices.iter().skip(1) {
        let mut splits = room(rows.saturating_add(1), "row splits")?;
        splits.extend((0..=rows).map(|row| row * size));
        found.push(splits);
        rows *= size;
    }
    Ok(found)
}

fn copy<E: Movable>(from: &Tensor, inner: usize, ranges: &[Range<usize>], to: &mut Tensor) -> Result<()> {
    let (from, mut rest) = (E::view(from)?, E::view_mut(to)?);
    for range in ranges {
        let (here, after) = rest.split_at_mut(range.len() * inner);
        here.clone_from_slice(&from[range.start * inner..range.end * inner]);
        rest = after;
    }
    Ok(())
}

fn gather(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let out_rank = init.node.outputs.len() - 1;
    let splits_type = init.input_type(0)?;
    kernel(move |ctx| {
        let ragged_rank = ctx.num_inputs() - 2;
        let (values, indices) = (ctx.input(ragged_rank)?, ctx.input(ragged_rank + 1)?);
        ensure!(values.rank() > 0, InvalidArgument, "params.rank must be nonzero");
        ensure!(
            indices.rank() + ragged_rank == out_rank + 1,
            InvalidArgument,
            "OUTPUT_RAGGED_RANK is {out_rank}, but indices of rank {} pick from ragged rank {ragged_rank}",
            indices.rank()
        );
        let picked = picked_rows(indices, ctx.input(0)?.elements() as i64 - 1)?;
        let nested = Splits::nested(&ctx.inputs()[..ragged_rank], values.shape()[0])?;
        let mut out_splits = splits_of_dims(indices.shape())?;
        let mut ranges: Vec<Range<usize>> = picked.into_iter().map(|row| row..row + 1).collect();
        for splits in &nested {
            let rows = ranges.iter().map(Range::len).fold(1, usize::saturating_add);
            let mut ends = room(rows, "row splits")?;
            ends.push(0);
            let mut end = 0usize;
            for row in ranges.iter().cloned().flatten() {
                let Some(next) = end.checked_add(splits.row(row).len()).filter(|&n| i64::try_from(n).is_ok()) else {
                    bail!(ResourceExhausted, "OOM when allocating the picked rows: they have too many values")
                };
                end = next;
                ends.push(end);
            }
            out_splits.push(ends);
            for range in &mut ranges {
                *range = splits.values_of(range);
            }
        }
        if indices.rank() == 0 {
            // One row: its own dimension is dropped.
            out_splits.remove(0);
        }
        let slice = &values.shape()[1..];
        let inner: usize = slice.iter().product();
        let count = ranges.iter().map(Range::len).sum();
        let shape: Shape = std::iter::once(count).chain(slice.iter().copied()).collect();
        let mut out = Tensor::new(values.dtype(), shape)?;
        by_size!(values.dtype(), E, copy::<E>(values, inner, &ranges, &mut out))?;
        for (i, splits) in out_splits.iter().enumerate() {
            let splits = splits::to_tensor(splits_type, splits)?;
            ctx.set_output(i, splits);
        }
        ctx.set_output(out_rank, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RaggedGather")
            .input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
            .input("params_dense_values: Tvalues")
            .input("indices: Tindices")
            .output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
            .output("output_dense_values: Tvalues")
            .attr("Tvalues: type")
            .attr("Tindices: {int32, int64}")
            .attr("Tsplits: {int32, int64} = DT_INT64")
            .attr("PARAMS_RAGGED_RANK: int >= 1")
            .attr("OUTPUT_RAGGED_RANK: int >= 0")
            .doc("Returns the rows of a ragged tensor that `indices` picks.")
            .shape(shape)
            .kernel(gather),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Outcome, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn gather(splits: &[&[i64]], indices: Tensor, out_rank: i64) -> Result<Outcome> {
        let splits = splits.iter().map(|s| Tensor::from_slice([s.len()], s)).collect::<Result<_>>()?;
        let values = Tensor::from_slice([3], &[1i32, 2, 3])?;
        let args = vec![Arg::List(splits), Arg::One(values), Arg::One(indices)];
        run_args("RaggedGather", args, &[("OUTPUT_RAGGED_RANK", AttrValue::Int(out_rank))], 1)
    }

    fn vector(values: &[i64]) -> Tensor {
        Tensor::from_slice([values.len()], values).unwrap()
    }

    #[test]
    fn rows_are_picked_with_all_that_is_in_them() {
        let got = gather(&[&[0, 2, 3]], vector(&[1, 0]), 1).unwrap().values;
        assert_eq!((got[0].slice::<i64>().unwrap(), got[1].slice::<i32>().unwrap()), (&[0, 1, 3][..], &[3, 1, 2][..]));
        let got = gather(&[&[0, 1, 3], &[0, 2, 2, 3]], vector(&[1, 0, 1]), 2).unwrap().values;
        assert_eq!(got[0].slice::<i64>().unwrap(), [0, 2, 3, 5]);
        assert_eq!(got[1].slice::<i64>().unwrap(), [0, 0, 1, 3, 3, 4]);
        assert_eq!(got[2].slice::<i32>().unwrap(), [3, 1, 2, 3]);
    }

    #[test]
    fn dimensions_of_indices_become_splits() {
        let matrix = Tensor::from_slice([2, 2], &[1i64, 0, 0, 0]).unwrap();
        let got = gather(&[&[0, 2, 3]], matrix, 2).unwrap().values;
        assert_eq!(got[0].slice::<i64>().unwrap(), [0, 2, 4]);
        assert_eq!(got[1].slice::<i64>().unwrap(), [0, 1, 3, 5, 7]);
        let row = gather(&[&[0, 2, 3]], Tensor::scalar(1i32), 0).unwrap().values;
        assert_eq!(row[0].slice::<i32>().unwrap(), [3]);
    }

    #[test]
    fn splits_that_no_memory_holds_are_refused() {
        let none = Tensor::from_slice([1 << 40, 0], &[0i64; 0]).unwrap();
        let error = gather(&[&[0, 2, 3]], none, 2).err().unwrap();
        assert_eq!(error.code(), Code::ResourceExhausted);
    }

    #[test]
    fn bad_indices_and_splits_are_refused() {
        let message = |splits: &[&[i64]], i: &[i64], rank| gather(splits, vector(i), rank).err().unwrap().to_string();
        assert!(message(&[&[0, 2, 3]], &[0, 2], 1).contains("indices[1] = 2 is not in [0, 2)"));
        assert!(message(&[&[]], &[0], 1).contains("indices[0] = 0 is not in [0, -1)"));
        assert!(message(&[&[0, 5]], &[0], 1).contains("Ragged splits must not point past values"));
        assert!(message(&[&[0, 2, 1]], &[0], 1).contains("Ragged splits must be sorted"));
        assert!(message(&[&[-1, 2]], &[0], 1).contains("Ragged splits must be non-negative"));
        assert!(message(&[&[0, 2], &[0, 1]], &[0], 2).contains("Ragged splits must not point past values"));
    }
}
