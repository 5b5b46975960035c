//! The ops that reduce the rows of a tensor segment by segment: SegmentSum ... (sorted ids) and UnsortedSegmentSum ...

use super::fold::{Fold, Numeric};
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{Operand, Reduce, Reducible, binary_in_place_right, mean_of_sum};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Shape, Tensor, dispatch, elementwise, ensure};
use num_traits::Bounded;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;
/// Tasks that the output is cut into at most, since each reads all ids.
const TASKS: usize = 16;
/// Elements of a row that are added one by one: a call for the row would take longer.
const SHORT: usize = 8;

/// Returns the type that partial results have: f32 for sums and products of 16-bit floats.
fn partial_type(dtype: DType, f: Reduce) -> DType {
    match (dtype, f) {
        (DType::F16 | DType::BF16, Reduce::Sum | Reduce::Prod) => DType::F32,
        _ => dtype,
    }
}

fn sorted_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let data = c.input(0)?.with_rank_at_least(1)?;
    c.input(1)?.with_rank(1)?;
    let row = data.dims().map(|d| PartialShape::from_dims(d.get(1..).unwrap_or_default()));
    c.set_output(0, PartialShape::vector(None).concatenate(&row.unwrap_or_else(PartialShape::unknown)));
    Ok(())
}

/// A segment that has rows: its id and where they are.
struct Segment {
    id: usize,
    rows: std::ops::Range<usize>,
}

/// Returns the number of rows that ids in ascending order have a place in: one more than the last.
///
/// Errors: `InvalidArgument` where they are not in order, negative, or above the last. Where several of these are so,
/// that which a walk from the front meets first.
pub(super) fn rows_of_sorted(ids: &[i64]) -> Result<i64> {
    let rows = ids.last().map_or(0, |last| last.saturating_add(1));
    ensure!(rows >= 0 && ids.last().is_none_or(|last| *last >= 0), InvalidArgument, "segment ids must be >= 0");
    for pair in ids.windows(2) {
        ensure!(pair[0] <= pair[1], InvalidArgument, "segment ids are not increasing");
        ensure!(
            pair[0] == pair[1] || (0..rows).contains(&pair[0]),
            InvalidArgument,
            "Segment id {} out of range [0, {rows}), possibly because 'segment_ids' input is not sorted.",
            pair[0]
        );
    }
    Ok(rows)
}

/// Returns the segments that have rows, in order; ids must not decrease.
fn segments(ids: &[i64]) -> Result<Vec<Segment>> {
    rows_of_sorted(ids)?;
    let mut segments: Vec<Segment> = Vec::new();
    for (row, &id) in ids.iter().enumerate() {
        match segments.last_mut() {
            Some(last) if last.id == id as usize => last.rows.end = row + 1,
            _ => segments.push(Segment { id: id as usize, rows: row..row + 1 }),
        }
    }
    Ok(segments)
}

#[derive(Clone, Copy, PartialEq)]
enum Finish {
    Keep,
    Mean,
}

fn sorted(init: &KernelInit<'_>, f: Reduce, finish: Finish) -> Result<Box<dyn Kernel>> {
    let dtype = init.input_type(0)?;
    let partial = partial_type(dtype, f);
    dispatch!(partial, T in number, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        kernel(move |ctx| {
            let threads = ctx.threads();
            let ids = ctx.input(1)?;
            ensure!(ids.rank() == 1, InvalidArgument, "segment_ids should be a vector.");
            let ids = ids.to_i64s()?;
            let data = elementwise::cast(ctx.take(0)?, partial, threads)?;
            ensure!(
                data.rank() > 0 && data.shape()[0] == ids.len(),
                InvalidArgument,
                "segment_ids should be the same size as dimension 0 of input."
            );
            let segments = segments(&ids)?;
            let row = &data.shape()[1..];
            let count = ids.last().map_or(0, |last| last.saturating_add(1));
            let dims: Vec<i64> = std::iter::once(count).chain(row.iter().map(|d| *d as i64)).collect();
            // TF 1.x: a segment without rows is one for products and zero for everything else.
            let empty = elementwise::cast(Tensor::scalar(f == Reduce::Prod), partial, threads)?.to_scalar::<T>()?;
            let mut out = Tensor::new(partial, Shape::checked(&dims)?)?;
            let k: usize = row.iter().product();
            if out.elements() > 0 {
                let values = data.slice::<T>()?;
                let per_segment = (data.elements() / count as usize).max(k);
                try_for_chunks_mut(threads, out.slice_mut::<T>()?, (BLOCK / per_segment).max(1) * k, |start, out| {
                    out.fill(empty);
                    let (first, end) = (start / k, (start + out.len()) / k);
                    let mine = &segments[segments.partition_point(|s| s.id < first)..];
                    for s in mine.iter().take_while(|s| s.id < end) {
                        let to = &mut out[(s.id - first) * k..][..k];
                        fold_rows(f, finish, &values[s.rows.start * k..s.rows.end * k], to);
                    }
                })?;
            }
            let out = elementwise::cast(out, dtype, threads)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn fold_rows<T: Scalar + Reducible>(f: Reduce, finish: Finish, rows: &[T], to: &mut [T]) {
    let fold = Numeric(f);
    match to {
        // TF 1.x: a NaN of a row alone stays.
        _ if rows.len() == to.len() && fold.is_extreme() => to.copy_from_slice(rows),
        [one] => *one = fold.slice(rows),
        _ => fold.matrices(rows, (rows.len() / to.len(), to.len()), to),
    }
    if finish == Finish::Mean {
        let count = rows.len() / to.len();
        to.iter_mut().for_each(|v| *v = mean_of_sum(v.widened(), count));
    }
}

fn unsorted_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (data, ids) = (c.input(0)?.clone(), c.input(1)?.clone());
    c.input(2)?.with_rank(0)?;
    let count = c.input_i64(2)?;
    if let Some(n) = count {
        ensure!(n >= 0, InvalidArgument, "Dimension size, given by scalar input 2, must be non-negative but is {n}");
    }
    let (Some(data), Some(rank)) = (data.dims(), ids.rank()) else { return Ok(()) };
    ensure!(data.len() >= rank, InvalidArgument, "data's rank {} is below the rank {rank} of segment_ids", data.len());
    PartialShape::from_dims(&data[..rank]).merge(&ids)?;
    let segments = PartialShape::vector(count.and_then(|n| usize::try_from(n).ok()));
    c.set_output(0, segments.concatenate(&PartialShape::from_dims(&data[rank..])));
    Ok(())
}

/// Returns the index, as text, of the id at flat position `i` of its tensor.
fn index_text(shape: &Shape, i: usize) -> String {
    let index: Vec<String> = shape.iter().zip(shape.strides()).map(|(d, s)| (i / s % d).to_string()).collect();
    format!("[{}]", index.join(","))
}

fn unsorted(init: &KernelInit<'_>, f: Reduce) -> Result<Box<dyn Kernel>> {
    let dtype = init.input_type(0)?;
    let partial = partial_type(dtype, f);
    dispatch!(partial, T in number, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        kernel(move |ctx| {
            let threads = ctx.threads();
            let (ids, count) = (ctx.input(1)?, ctx.input(2)?);
            ensure!(
                count.rank() == 0,
                InvalidArgument,
                "num_segments should be a scalar, not shape {}",
                count.shape()
            );
            let count = count.to_i64s()?.first().copied().unwrap_or_default();
            ensure!(count >= 0, InvalidArgument, "Input num_segments == {count} must not be negative.");
            let shape = ids.shape().clone();
            let data_shape = ctx.input(0)?.shape();
            ensure!(
                data_shape.starts_with(&shape),
                InvalidArgument,
                "data.shape = {data_shape} does not start with segment_ids.shape = {shape}"
            );
            // Ids of rows without elements are not read.
            let ids = if ctx.input(0)?.elements() > 0 { ids.to_i64s()? } else { Vec::new() };
            for (i, id) in ids.iter().enumerate() {
                ensure!(
                    *id < count,
                    InvalidArgument,
                    "segment_ids{} = {id} is out of range [0, {count})",
                    index_text(&shape, i)
                );
            }
            let row: Vec<i64> = Shape::new(&data_shape[shape.rank()..]).to_i64();
            let dims = Shape::checked(&std::iter::once(count).chain(row).collect::<Vec<_>>())?;
            let data = elementwise::cast(ctx.take(0)?, partial, threads)?;
            let mut out = Tensor::new(partial, dims)?;
            scatter::<T>(f, threads, data.slice()?, &ids, count as usize, nothing::<T>(f, partial)?, out.slice_mut()?)?;
            let out = elementwise::cast(out, dtype, threads)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Returns the value of a segment without rows: the extremes are the type's largest finite values.
fn nothing<T: Scalar + Reducible>(f: Reduce, dtype: DType) -> Result<T> {
    let extreme = |t: Tensor| t.to_scalar::<T>();
    dispatch!(dtype, N in real, {
        match f {
            Reduce::Max => return extreme(Tensor::scalar(<N as Bounded>::min_value())),
            Reduce::Min => return extreme(Tensor::scalar(<N as Bounded>::max_value())),
            _ => {}
        }
    }, else {});
    Ok(Numeric(f).nothing())
}

/// Folds each data row into its segment, in the order of the data; negative ids are dropped.
fn scatter<T: Summed + Reducible>(
    f: Reduce,
    threads: Threads,
    data: &[T],
    ids: &[i64],
    count: usize,
    nothing: T,
    out: &mut [T],
) -> Result<()> {
    if count == 0 || out.is_empty() {
        return Ok(());
    }
    let k = out.len() / count;
    let fold = Numeric(f);
    let row_into = |acc: &mut [T], row: &[T]| {
        if f == Reduce::Sum && k < SHORT {
            acc.iter_mut().zip(row).for_each(|(acc, &x)| *acc = acc.plus(x));
        } else if fold.is_extreme() {
            // TF 1.x: the row comes first, so that its NaN stays until the next row.
            binary_in_place_right(fold.of_two(), Operand::Slice(row), acc);
        } else {
            fold.row_into(acc, row);
        }
    };
    // To read the ids takes a task of short rows as long as to add its rows.
    let tasks = ((data.len() + out.len()) / BLOCK).clamp(1, TASKS.min(4 + k / 2));
    try_for_chunks_mut(threads, out, count.div_ceil(tasks) * k, |start, out| {
        out.fill(nothing);
        let (first, rows) = ((start / k) as i64, (out.len() / k) as i64);
        for (id, row) in ids.iter().zip(data.chunks(k)) {
            let at = id - first;
            if (0..rows).contains(&at) {
                row_into(&mut out[at as usize * k..][..k], row);
            }
        }
    })?;
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        let op = Op::new(name).input("data: T").input("segment_ids: Tindices").output("output: T").attr(types);
        op.attr("Tindices: {int32, int64}").shape(sorted_shape)
    };
    let (number, real) = ("T: numbertype", "T: realnumbertype");
    r.add(
        op("SegmentSum", number)
            .doc("Returns the sum of the rows of each segment.")
            .kernel(|init| sorted(init, Reduce::Sum, Finish::Keep)),
    );
    r.add(
        op("SegmentMean", number)
            .doc("Returns the mean of the rows of each segment.")
            .kernel(|init| sorted(init, Reduce::Sum, Finish::Mean)),
    );
    r.add(
        op("SegmentProd", number)
            .doc("Returns the product of the rows of each segment.")
            .kernel(|init| sorted(init, Reduce::Prod, Finish::Keep)),
    );
    r.add(
        op("SegmentMax", real)
            .doc("Returns the largest elements of the rows of each segment.")
            .kernel(|init| sorted(init, Reduce::Max, Finish::Keep)),
    );
    r.add(
        op("SegmentMin", real)
            .doc("Returns the smallest elements of the rows of each segment.")
            .kernel(|init| sorted(init, Reduce::Min, Finish::Keep)),
    );
    let op = |name: &str, types: &str| {
        Op::new(name)
            .input("data: T")
            .input("segment_ids: Tindices")
            .input("num_segments: Tnumsegments")
            .output("output: T")
            .attr(types)
            .attr("Tindices: {int32, int64}")
            .attr("Tnumsegments: {int32, int64} = DT_INT32")
            .shape(unsorted_shape)
    };
    r.add(
        op("UnsortedSegmentSum", number)
            .doc("Returns the sum of the rows of each segment; ids come in any order.")
            .kernel(|init| unsorted(init, Reduce::Sum)),
    );
    r.add(
        op("UnsortedSegmentProd", number)
            .doc("Returns the product of the rows of each segment; ids come in any order.")
            .kernel(|init| unsorted(init, Reduce::Prod)),
    );
    r.add(
        op("UnsortedSegmentMax", real)
            .doc("Returns the largest elements of the rows of each segment; ids come in any order.")
            .kernel(|init| unsorted(init, Reduce::Max)),
    );
    r.add(
        op("UnsortedSegmentMin", real)
            .doc("Returns the smallest elements of the rows of each segment; ids come in any order.")
            .kernel(|init| unsorted(init, Reduce::Min)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::f16;

    fn ids(values: &[i32]) -> Tensor {
        Tensor::from_slice([values.len()], values).unwrap()
    }

    #[test]
    fn rows_of_every_length_are_added_in_the_order_of_the_data() {
        for k in [1usize, 2, 3, 7, 8, 9, 20] {
            // So many that several tasks share the segments.
            let (rows, count) = (400_000 / k, 1000usize);
            let values: Vec<f32> = (0..rows * k).map(|i| 1.0 / (1.0 + (i * 7919 % 1000) as f32)).collect();
            let numbers: Vec<i32> = (0..rows).map(|i| (i * 31 % (count + 1)) as i32 - 1).collect();
            let mut expected = vec![0f32; count * k];
            for (row, &id) in values.chunks(k).zip(&numbers) {
                if let Ok(id) = usize::try_from(id) {
                    expected[id * k..(id + 1) * k].iter_mut().zip(row).for_each(|(to, x)| *to += x);
                }
            }
            let data = Tensor::from_slice([rows, k], &values).unwrap();
            let found = run("UnsortedSegmentSum", &[data, ids(&numbers), Tensor::scalar(count as i32)], &[]).unwrap();
            assert!(found[0].slice::<f32>().unwrap() == expected, "rows of {k}");
        }
    }

    fn data() -> Tensor {
        Tensor::from_slice([4, 2], &[1.0f32, 2.0, 3.0, 4.0, -5.0, 6.0, 7.0, 8.0]).unwrap()
    }

    #[test]
    fn sorted_segments_are_folded_and_gaps_have_their_value() {
        let of = |op: &str| {
            let out = run(op, &[data(), ids(&[0, 0, 2, 2])], &[]).unwrap();
            assert_eq!(out[0].shape(), &[3, 2].into());
            out[0].slice::<f32>().unwrap().to_vec()
        };
        assert_eq!(of("SegmentSum"), [4.0, 6.0, 0.0, 0.0, 2.0, 14.0]);
        assert_eq!(of("SegmentMean"), [2.0, 3.0, 0.0, 0.0, 1.0, 7.0]);
        assert_eq!(of("SegmentProd"), [3.0, 8.0, 1.0, 1.0, -35.0, 48.0]);
        assert_eq!(of("SegmentMax"), [3.0, 4.0, 0.0, 0.0, 7.0, 8.0]);
        assert_eq!(of("SegmentMin"), [1.0, 2.0, 0.0, 0.0, -5.0, 6.0]);
        let vector = run("SegmentSum", &[ids(&[1, 2, 3]), ids(&[0, 1, 1])], &[]).unwrap();
        assert_eq!(vector[0].slice::<i32>().unwrap(), [1, 5]);
        assert_eq!(run("SegmentSum", &[ids(&[]), ids(&[])], &[]).unwrap()[0].elements(), 0);
    }

    #[test]
    fn unsorted_segments_are_folded_and_negative_ids_dropped() {
        let of = |op: &str| {
            let out = run(op, &[data(), ids(&[2, 0, -1, 2]), Tensor::scalar(3i32)], &[]).unwrap();
            out[0].slice::<f32>().unwrap().to_vec()
        };
        assert_eq!(of("UnsortedSegmentSum"), [3.0, 4.0, 0.0, 0.0, 8.0, 10.0]);
        assert_eq!(of("UnsortedSegmentProd"), [3.0, 4.0, 1.0, 1.0, 7.0, 16.0]);
        assert_eq!(of("UnsortedSegmentMax"), [3.0, 4.0, f32::MIN, f32::MIN, 7.0, 8.0]);
        assert_eq!(of("UnsortedSegmentMin"), [3.0, 4.0, f32::MAX, f32::MAX, 1.0, 2.0]);
        let matrix = Tensor::from_slice([2, 2], &[0i32, 1, 1, 0]).unwrap();
        let values = Tensor::from_slice([2, 2], &[f16::ONE; 4]).unwrap();
        let out = run("UnsortedSegmentSum", &[values, matrix, Tensor::scalar(2i32)], &[]).unwrap();
        assert_eq!(out[0].slice::<f16>().unwrap(), [f16::from_f32(2.0); 2]);
    }

    // TF 1.15: sorted segments pass over NaN unless their row is alone; unsorted ones keep it until the next row.
    #[test]
    fn extremes_of_nan() {
        let nan = f32::NAN;
        let bits = |op: &str, x: &[f32], rest: &[Tensor]| {
            let data = Tensor::from_slice([x.len()], x).unwrap();
            let inputs: Vec<Tensor> = std::iter::once(data).chain(rest.iter().cloned()).collect();
            let out = run(op, &inputs, &[]).unwrap();
            out[0].slice::<f32>().unwrap().iter().map(|v| (!v.is_nan()).then_some(*v)).collect::<Vec<_>>()
        };
        let sorted = ids(&[0, 0, 1, 1, 2]);
        assert_eq!(
            bits("SegmentMax", &[nan, 1.0, nan, nan, nan], std::slice::from_ref(&sorted)),
            [Some(1.0), Some(-f32::INFINITY), None]
        );
        assert_eq!(
            bits("SegmentMin", &[1.0, nan, nan, nan, nan], std::slice::from_ref(&sorted)),
            [Some(1.0), Some(f32::INFINITY), None]
        );
        let (mixed, three) = (ids(&[0, 0, 1, 1, 2]), Tensor::scalar(3i32));
        for op in ["UnsortedSegmentMax", "UnsortedSegmentMin"] {
            let got = bits(op, &[nan, 1.0, 1.0, nan, nan], &[mixed.clone(), three.clone()]);
            assert_eq!(got, [Some(1.0), None, None], "{op}");
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let (n, k) = (3000, 70);
        let values: Vec<f32> = (0..n * k).map(|i| (i as f32 * 0.77).sin()).collect();
        let data = Tensor::from_slice([n, k], &values).unwrap();
        let sorted: Vec<i32> = (0..n as i32).map(|i| i / 7).collect();
        let mixed: Vec<i32> = (0..n as i32).map(|i| i * 31 % 200).collect();
        let at = |threads: usize| {
            let one = vec![Arg::One(data.clone()), Arg::One(ids(&sorted))];
            let other = vec![Arg::One(data.clone()), Arg::One(ids(&mixed)), Arg::One(Tensor::scalar(200i32))];
            let sorted = run_args("SegmentSum", one, &[], threads).unwrap().values;
            (sorted, run_args("UnsortedSegmentSum", other, &[], threads).unwrap().values)
        };
        let one = at(1);
        assert!(at(2) == one && at(4) == one);
        let first: f32 = (0..n).filter(|i| mixed[*i] == 0).map(|i| values[i * k]).fold(0.0, |a, b| a + b);
        assert_eq!(one.1[0].slice::<f32>().unwrap()[0], first);
    }

    #[test]
    fn faulty_ids_are_refused() {
        let e = |op: &str, inputs: &[Tensor]| run(op, inputs, &[]).err().unwrap().message().to_owned();
        assert!(e("SegmentSum", &[data(), ids(&[0, 2, 1, 3])]).contains("segment ids are not increasing"));
        assert!(e("SegmentSum", &[data(), ids(&[0, 0, 0, -1])]).contains("segment ids must be >= 0"));
        let unsorted = "out of range [0, 1), possibly because 'segment_ids' input is not sorted.";
        assert_eq!(e("SegmentSum", &[data(), ids(&[-1, -1, 0, 0])]), format!("Segment id -1 {unsorted}"));
        assert_eq!(e("SegmentSum", &[data(), ids(&[0, 1, 2, 0])]), format!("Segment id 1 {unsorted}"));
        assert!(e("SegmentSum", &[data(), ids(&[0, 1])]).contains("same size as dimension 0"));
        let two = Tensor::scalar(2i32);
        let e = e("UnsortedSegmentSum", &[data(), ids(&[0, 1, 2, 0]), two]);
        assert!(e.contains("segment_ids[2] = 2 is out of range [0, 2)"), "{e}");
    }
}
