//! ArgMax and ArgMin: where along an axis the largest and the smallest elements are.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::transpose::matrix;
use ferroflow_tensor::vector::{ARG_COLUMNS, Ordered, arg_max, arg_max_columns, arg_min, arg_min_columns};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;
/// Rows of up to so many elements are searched side by side.
const SHORT_ROW: usize = 32;
/// With fewer columns, each is copied out and searched as a row.
const FEW_COLUMNS: usize = 8;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    let Some(dims) = c.input(0)?.dims() else { return Ok(()) };
    let rank = dims.len() as i64;
    let out = match c.input_i64(1)? {
        _ if rank <= 1 => PartialShape::scalar(),
        None => PartialShape::unknown_of_rank(dims.len() - 1),
        Some(axis) => {
            ensure!(
                (-rank..rank).contains(&axis),
                InvalidArgument,
                "Dimension ({axis}) must be in the range [{}, {rank}), where {rank} is the number of dimensions in the input.",
                -rank
            );
            let axis = (if axis < 0 { axis + rank } else { axis }) as usize;
            let kept: Vec<_> = dims.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, d)| *d).collect();
            PartialShape::from_dims(&kept)
        }
    };
    c.set_output(0, out);
    Ok(())
}

/// Finds the places in columns; returns false if these must be searched one by one.
type OfColumns<T> = fn(&[T], (u32, usize), &mut [u32]) -> bool;

/// The functions that find the places of extremes.
#[derive(Clone, Copy)]
struct Search<T> {
    of_row: fn(&[T]) -> usize,
    of_columns: OfColumns<T>,
}

impl<T: Ordered> Search<T> {
    const MAX: Search<T> = Search { of_row: arg_max, of_columns: arg_max_columns };
    const MIN: Search<T> = Search { of_row: arg_min, of_columns: arg_min_columns };
}

/// Computes the places of the extremes along the middle dimension of an array of shape (outer, n, inner).
fn places<T: Ordered + Scalar, I: Scalar + TryFrom<usize>>(
    search: Search<T>,
    threads: Threads,
    x: &[T],
    (n, inner): (usize, usize),
    out: &mut [I],
) -> Result<()> {
    let place = |found: usize| I::try_from(found).unwrap_or_default();
    if inner == 1 && n <= SHORT_ROW {
        // As columns of their transpose, short rows fill vectors.
        try_for_chunks_mut(threads, out, (BLOCK / n).next_multiple_of(ARG_COLUMNS), |start, out| {
            let (mut columns, mut found) = ([T::default(); SHORT_ROW * ARG_COLUMNS], [0; ARG_COLUMNS]);
            let rows = x[start * n..].chunks(n * ARG_COLUMNS);
            for (out, rows) in out.chunks_mut(ARG_COLUMNS).zip(rows) {
                let (count, found) = (out.len(), &mut found[..out.len()]);
                matrix(&rows[..count * n], n, (count, n), &mut columns, ARG_COLUMNS);
                if (search.of_columns)(&columns, (n as u32, ARG_COLUMNS), found) {
                    out.iter_mut().zip(found).for_each(|(o, found)| *o = place(*found as usize));
                } else {
                    out.iter_mut().zip(rows.chunks(n)).for_each(|(o, row)| *o = place((search.of_row)(row)));
                }
            }
        })?;
        return Ok(());
    }
    if inner == 1 {
        try_for_chunks_mut(threads, out, (BLOCK / n).max(1), |start, out| {
            for (o, row) in out.iter_mut().zip(x[start * n..].chunks(n)) {
                *o = place((search.of_row)(row));
            }
        })?;
        return Ok(());
    }
    let rows = u32::try_from(n).ok().filter(|_| inner >= FEW_COLUMNS);
    let block = (BLOCK / n).max(1).next_multiple_of(inner.min(ARG_COLUMNS));
    try_for_chunks_mut(threads, out, block, |start, out| {
        let mut found = [0; ARG_COLUMNS];
        let mut values = Vec::new();
        let (mut at, end) = (start, start + out.len());
        while at < end {
            let (matrix, column) = (at / inner, at % inner);
            let width = ARG_COLUMNS.min(inner - column).min(end - at);
            let (columns, out) = (&x[matrix * n * inner + column..], &mut out[at - start..][..width]);
            let found = &mut found[..width];
            if rows.is_some_and(|rows| (search.of_columns)(columns, (rows, inner), found)) {
                out.iter_mut().zip(found).for_each(|(o, found)| *o = place(*found as usize));
            } else {
                for (j, o) in out.iter_mut().enumerate() {
                    values.clear();
                    values.extend(columns[j..].iter().step_by(inner).take(n));
                    *o = place((search.of_row)(&values));
                }
            }
            at += width;
        }
    })?;
    Ok(())
}

fn arg_kernel(init: &KernelInit<'_>, is_max: bool) -> Result<Box<dyn Kernel>> {
    let to = init.dtype("output_type")?;
    dispatch!(init.input_type(0)?, T in real, {
        let search = if is_max { Search::<T>::MAX } else { Search::MIN };
        kernel(move |ctx| {
            let (x, axis) = (ctx.input(0)?, ctx.input(1)?);
            ensure!(
                axis.rank() == 0,
                InvalidArgument,
                "dim must be a scalar, but received tensor of shape: {}",
                axis.shape()
            );
            let (rank, dim) = (x.rank() as i64, axis.to_i64s()?.first().copied().unwrap_or_default());
            let axis = if dim < 0 { dim + rank } else { dim };
            ensure!(
                (0..rank).contains(&axis),
                InvalidArgument,
                "Expected dimension in the range [{}, {rank}), but got {dim}",
                -rank
            );
            let (_, n, inner) = x.shape().around(axis as usize);
            ensure!(n > 0, InvalidArgument, "Reduction axis {dim} is empty in shape {}", x.shape());
            let kept = x.shape().iter().enumerate().filter(|(i, _)| *i != axis as usize);
            let mut out = Tensor::new(to, kept.map(|(_, d)| *d).collect::<Shape>())?;
            if out.elements() > 0 {
                let values = x.slice::<T>()?;
                match to {
                    DType::I32 => places::<T, i32>(search, ctx.threads(), values, (n, inner), out.slice_mut()?)?,
                    _ => places::<T, i64>(search, ctx.threads(), values, (n, inner), out.slice_mut()?)?,
                }
            }
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("input: T")
            .input("dimension: Tidx")
            .output("output: output_type")
            .attr("T: numbertype")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .attr("output_type: {int32, int64} = DT_INT64")
            .shape(shape)
    };
    r.add(op("ArgMax").doc("Returns the index of the first largest element.").kernel(|init| arg_kernel(init, true)));
    r.add(op("ArgMin").doc("Returns the index of the first smallest element.").kernel(|init| arg_kernel(init, false)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;

    fn input(shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|i| ((i * 37 + 5) % 101) as f32).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    #[test]
    fn every_axis_gives_the_naive_place_at_any_number_of_threads() {
        for shape in [&[9][..], &[3, 5], &[300, 8], &[67, 32], &[4, 3, 50], &[700, 130], &[2, 300, 170]] {
            let x = input(shape);
            let values = x.slice::<f32>().unwrap();
            for axis in 0..shape.len() {
                let (outer, n, inner) = x.shape().around(axis);
                for (op, sign) in [("ArgMax", 1.0), ("ArgMin", -1.0)] {
                    let mut expected = Vec::new();
                    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
                        let at = |k: usize| sign * values[(o * n + k) * inner + i];
                        expected.push((0..n).fold(0, |best, k| if at(k) > at(best) { k } else { best }) as i64);
                    }
                    for threads in [1, 2, 4] {
                        let args =
                            vec![Arg::One(x.clone()), Arg::One(Tensor::scalar(axis as i32 - shape.len() as i32))];
                        let got = run_args(op, args, &[], threads).unwrap();
                        assert_eq!(got.values[0].slice::<i64>().unwrap(), expected, "{op} {shape:?} {axis}");
                        assert_eq!(got.shapes[0], PartialShape::from(got.values[0].shape()));
                    }
                }
            }
        }
    }

    #[test]
    fn columns_are_searched_as_rows_are() {
        let special = [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 0.0, -0.0, 1.0];
        for (n, inner) in [(1, 9), (2, 64), (3, 70), (5, 200)] {
            let values: Vec<f32> = (0..n * inner).map(|i| special[i * 31 % 41 % special.len()]).collect();
            let rows: Vec<f32> =
                (0..inner).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| values[i * inner + j]).collect();
            let [columns, rows] =
                [([n, inner], values), ([inner, n], rows)].map(|(shape, x)| Tensor::from_slice(shape, &x).unwrap());
            for op in ["ArgMax", "ArgMin"] {
                let places =
                    |x: &Tensor, axis: i32| run(op, &[x.clone(), Tensor::scalar(axis)], &[]).unwrap().remove(0);
                assert_eq!(places(&columns, 0), places(&rows, 1), "{op} {n} {inner}");
            }
        }
    }

    #[test]
    fn places_are_int32_where_asked() {
        let attrs = [("output_type", AttrValue::Type(DType::I32))];
        let out = run("ArgMax", &[input(&[2, 3]), Tensor::scalar(0i32)], &attrs).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap().len(), 3);
    }

    #[test]
    fn axes_that_are_empty_or_do_not_exist_are_refused() {
        assert!(run("ArgMax", &[input(&[2, 3]), Tensor::scalar(2i32)], &[]).is_err());
        assert!(run("ArgMax", &[input(&[2, 0]), Tensor::scalar(1i32)], &[]).is_err());
        assert!(run("ArgMax", &[Tensor::scalar(1.0f32), Tensor::scalar(0i32)], &[]).is_err());
        assert_eq!(run("ArgMax", &[input(&[0, 3]), Tensor::scalar(1i32)], &[]).unwrap()[0].elements(), 0);
    }
}
