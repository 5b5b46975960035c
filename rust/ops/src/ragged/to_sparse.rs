//! RaggedTensorToSparse: the values of a ragged tensor with their coordinates.

use super::splits::Splits;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let ragged_rank = c.num_inputs() - 1;
    for i in 0..ragged_rank {
        c.input(i)?.with_rank(1)?;
    }
    let values = c.input(ragged_rank)?.with_rank_at_least(1)?;
    let rank = values.rank().map(|rank| ragged_rank + rank);
    let count = values.elements();
    c.set_output(0, PartialShape::from_dims(&[count, rank]));
    c.set_output(1, PartialShape::vector(count));
    c.set_output(2, PartialShape::vector(rank));
    Ok(())
}

/// Reads splits that hold all values, which other ops do not require.
fn covering_splits(tensors: &[Tensor], values: &Tensor) -> Result<Vec<Splits>> {
    for splits in tensors {
        ensure!(splits.elements() > 0, InvalidArgument, "ragged splits may not be empty.");
        ensure!(splits.to_i64s()?[0] == 0, InvalidArgument, "First value of ragged splits must be 0.");
    }
    let count = values.shape().first().copied();
    let below = tensors.iter().skip(1).map(|next| Some(next.elements() - 1)).chain([count]);
    for (splits, count) in tensors.iter().zip(below) {
        let last = splits.to_i64s()?.last().copied().and_then(|last| usize::try_from(last).ok());
        ensure!(
            count.is_some() && last == count,
            InvalidArgument,
            "Final value of ragged splits must match the length the corresponding ragged values."
        );
    }
    Splits::nested(tensors, count.unwrap_or(0))
}

/// The row that holds a value, and the value's place in it.
#[derive(Clone, Copy)]
struct Place {
    row: usize,
    column: usize,
}

fn places(splits: &Splits) -> Vec<Place> {
    (0..splits.rows()).flat_map(|row| (0..splits.row(row).len()).map(move |column| Place { row, column })).collect()
}

fn to_sparse(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let ragged_rank = ctx.num_inputs() - 1;
        let values = ctx.input(ragged_rank)?;
        let nested = covering_splits(&ctx.inputs()[..ragged_rank], values)?;
        let (slice, strides) = (&values.shape()[1..], values.shape().strides());
        let rank = ragged_rank + values.rank();
        let count = values.elements();
        // Any number of values may be empty; none of them has a coordinate.
        let levels: Vec<Vec<Place>> = if count == 0 { Vec::new() } else { nested.iter().map(places).collect() };
        let mut indices = Tensor::new(DType::I64, [count, rank])?;
        let inner: usize = slice.iter().product();
        for (i, index) in indices.slice_mut::<i64>()?.chunks_exact_mut(rank).enumerate() {
            let mut row = i / inner;
            for (d, level) in levels.iter().enumerate().rev() {
                let place = level[row];
                index[d + 1] = place.column as i64;
                row = place.row;
            }
            index[0] = row as i64;
            let dims = slice.iter().zip(&strides[1..]);
            for (to, (&size, &stride)) in index[ragged_rank + 1..].iter_mut().zip(dims) {
                *to = (i / stride % size) as i64;
            }
        }
        let rows = nested.first().map_or(0, Splits::rows);
        let longest = nested.iter().map(Splits::longest_row);
        let dense: Vec<i64> =
            std::iter::once(rows).chain(longest).chain(slice.iter().copied()).map(|n| n as i64).collect();
        let flat = values.clone().reshaped([count])?;
        ctx.set_output(0, indices);
        ctx.set_output(1, flat);
        ctx.set_output(2, Tensor::from_slice([rank], &dense)?);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RaggedTensorToSparse")
            .input("rt_nested_splits: RAGGED_RANK * Tsplits")
            .input("rt_dense_values: T")
            .output("sparse_indices: int64")
            .output("sparse_values: T")
            .output("sparse_dense_shape: int64")
            .attr("RAGGED_RANK: int >= 1")
            .attr("T: type")
            .attr("Tsplits: {int32, int64} = DT_INT64")
            .doc("Returns the values of a ragged tensor, their coordinates, and the smallest shape that holds them.")
            .shape(shape)
            .kernel(to_sparse),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_tensor::{Result, Tensor};

    fn to_sparse(splits: &[&[i64]], values: Tensor) -> Result<Vec<Tensor>> {
        let splits = splits.iter().map(|s| Tensor::from_slice([s.len()], s)).collect::<Result<_>>()?;
        Ok(run_args("RaggedTensorToSparse", vec![Arg::List(splits), Arg::One(values)], &[], 1)?.values)
    }

    #[test]
    fn coordinates_count_rows_and_columns() {
        let got = to_sparse(&[&[0, 1, 3], &[0, 2, 2, 3]], Tensor::from_slice([3], &[1i32, 2, 3]).unwrap()).unwrap();
        assert_eq!(got[0].slice::<i64>().unwrap(), [0, 0, 0, 0, 0, 1, 1, 1, 0]);
        assert_eq!(got[2].slice::<i64>().unwrap(), [2, 2, 2]);
        let got = to_sparse(&[&[0, 2, 2, 3]], Tensor::from_slice([3, 2], &[1i32, 2, 3, 4, 5, 6]).unwrap()).unwrap();
        assert_eq!(got[0].slice::<i64>().unwrap()[9..], [0, 1, 1, 2, 0, 0, 2, 0, 1]);
        assert_eq!((got[1].shape().dims(), got[2].slice::<i64>().unwrap()), (&[6][..], &[3, 2, 2][..]));
        let none = to_sparse(&[&[0]], Tensor::from_slice([0], &[0i32; 0]).unwrap()).unwrap();
        assert_eq!((none[0].shape().dims(), none[2].slice::<i64>().unwrap()), (&[0, 2][..], &[0, 0][..]));
    }

    #[test]
    fn values_without_elements_have_no_coordinates_however_many_they_are() {
        let count = 1i64 << 40;
        let none = to_sparse(&[&[0, count]], Tensor::from_slice([1 << 40, 0], &[0i32; 0]).unwrap()).unwrap();
        assert_eq!((none[0].shape().dims(), none[2].slice::<i64>().unwrap()), (&[0, 3][..], &[1, count, 0][..]));
    }

    #[test]
    fn splits_that_do_not_cover_the_values_are_refused() {
        let message = |splits: &[&[i64]]| {
            to_sparse(splits, Tensor::from_slice([2], &[1i32, 2]).unwrap()).err().unwrap().message().to_owned()
        };
        assert_eq!(message(&[&[]]), "ragged splits may not be empty.");
        assert_eq!(message(&[&[1, 2]]), "First value of ragged splits must be 0.");
        let last = "Final value of ragged splits must match the length the corresponding ragged values.";
        assert_eq!(message(&[&[0, 3]]), last);
        assert_eq!(message(&[&[0, 2], &[0, 2]]), last);
        assert_eq!(message(&[&[0, 2, 1, 2]]), "Ragged splits must be sorted");
    }
}
