//! TopK and TopKV2: the `k` largest entries of each last-axis row and where they are.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_rows_mut;
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, bail, dispatch, ensure};
use std::cmp::Ordering;

/// Entries of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 13;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    let k = if c.num_inputs() > 1 {
        c.input(1)?.with_rank(0)?;
        c.input_i64(1)?
    } else {
        Some(c.int("k")?)
    };
    let k = match k {
        None => None,
        Some(k) => match usize::try_from(k) {
            Ok(k) => Some(k),
            Err(_) => bail!(InvalidArgument, "Need k >= 0, got {k}"),
        },
    };
    let Some(mut dims) = input.dims() else {
        return Ok(());
    };
    if let Some(last) = dims.last_mut() {
        if let (Some(n), Some(k)) = (*last, k) {
            ensure!(n >= k, InvalidArgument, "input must have last dimension >= k = {k} but is {n}");
        }
        *last = k;
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    c.set_output(1, PartialShape::from_dims(&dims));
    Ok(())
}

/// Orders larger ones first; NaN after all numbers; of equal ones, the lower index first.
fn order<T: PartialOrd>(row: &[T], a: usize, b: usize) -> Ordering {
    let (x, y) = (&row[a], &row[b]);
    y.partial_cmp(x)
        .unwrap_or_else(|| {
            let is_nan = |v: &T| v.partial_cmp(v).is_none();
            is_nan(x).cmp(&is_nan(y))
        })
        .then(a.cmp(&b))
}

/// Returns true if the entry at `a` comes before that at `b`; NaN compares as equal to everything.
fn is_before<T: PartialOrd>(row: &[T], a: usize, b: usize) -> bool {
    match row[b].partial_cmp(&row[a]) {
        Some(Ordering::Less) => true,
        Some(Ordering::Greater) => false,
        _ => a < b,
    }
}

/// Puts `value` into the heap at `hole`, or above it but not above `top`.
fn sift_up<T: PartialOrd>(row: &[T], heap: &mut [usize], mut hole: usize, top: usize, value: usize) {
    while hole > top {
        let parent = (hole - 1) / 2;
        if !is_before(row, heap[parent], value) {
            break;
        }
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = value;
}

/// Puts `value` into the heap below `top`, whose place is free: moves the hole down to a leaf, then `value` up.
fn replace_top<T: PartialOrd>(row: &[T], heap: &mut [usize], top: usize, value: usize) {
    let n = heap.len();
    let mut hole = top;
    loop {
        let right = 2 * hole + 2;
        let child = match right.cmp(&n) {
            Ordering::Less if is_before(row, heap[right], heap[right - 1]) => right - 1,
            Ordering::Less => right,
            Ordering::Equal => right - 1,
            Ordering::Greater => break,
        };
        heap[hole] = heap[child];
        hole = child;
    }
    sift_up(row, heap, hole, top, value);
}

/// Moves the heap's top, its smallest entry, to the end, so that the places before it are a heap.
fn pop<T: PartialOrd>(row: &[T], heap: &mut [usize]) {
    if let Some((last, rest)) = heap.split_last_mut()
        && let Some(&top) = rest.first()
    {
        let value = std::mem::replace(last, top);
        replace_top(row, rest, 0, value);
    }
}

/// Puts the places of the `k` largest entries, fewer than all, into `places`.
///
/// TF leaves their order open, but programs see it: that of the heap of the `k` best entries so far, as C++ keeps one.
fn unsorted_top_k<T: PartialOrd>(row: &[T], k: usize, places: &mut Vec<usize>) {
    places.extend(0..=k);
    for parent in (0..places.len() / 2).rev() {
        let value = places[parent];
        replace_top(row, places, parent, value);
    }
    pop(row, places);
    for place in k + 1..row.len() {
        if is_before(row, place, places[0]) {
            places[k] = place;
            pop(row, places);
        }
    }
}

fn top_k<T: Scalar + PartialOrd>(ctx: &mut KernelContext<'_>, k: i64, sorted: bool) -> Result<()> {
    let Ok(k) = usize::try_from(k) else { bail!(InvalidArgument, "Need k >= 0, got {k}") };
    let input = ctx.take(0)?;
    let Some((&n, outer)) = input.shape().split_last() else {
        bail!(InvalidArgument, "input must be >= 1-D, got shape {}", input.shape())
    };
    ensure!(n >= k, InvalidArgument, "input must have at least k columns. Had {n}, needed {k}");
    let rows: usize = outer.iter().product();
    let dims: ferroflow_tensor::Shape = outer.iter().copied().chain([k]).collect();
    let mut values = Tensor::new(input.dtype(), dims.clone())?;
    let mut indices = Tensor::new(DType::I32, dims)?;
    ensure!(i32::try_from(n).is_ok(), InvalidArgument, "input has more columns than int32 can index: {n}");
    let x = input.slice::<T>()?;
    let outputs = (values.slice_mut::<T>()?, indices.slice_mut::<i32>()?);
    if k > 0 {
        try_for_rows_mut(ctx.threads(), rows, (BLOCK / n).max(1), outputs, |range, (values, indices)| {
            let mut places: Vec<usize> = Vec::with_capacity(n);
            let rows = x[range.start * n..range.end * n].chunks_exact(n);
            for ((row, values), indices) in rows.zip(values.chunks_exact_mut(k)).zip(indices.chunks_exact_mut(k)) {
                places.clear();
                if sorted || k == n {
                    places.extend(0..n);
                    if k < n {
                        places.select_nth_unstable_by(k - 1, |&a, &b| order(row, a, b));
                    }
                    places[..k].sort_unstable_by(|&a, &b| order(row, a, b));
                } else {
                    unsorted_top_k(row, k, &mut places);
                }
                for ((value, index), &place) in values.iter_mut().zip(indices).zip(&places[..k]) {
                    (*value, *index) = (row[place], place as i32);
                }
            }
        })?;
    }
    ctx.set_output(0, values);
    ctx.set_output(1, indices);
    Ok(())
}

fn of_attr(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (k, sorted) = (init.int("k")?, init.bool("sorted")?);
    dispatch!(init.output_type(0)?, T in real, kernel(move |ctx| top_k::<T>(ctx, k, sorted)), else Err(init.unsupported()))
}

fn of_input(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let sorted = init.bool("sorted")?;
    dispatch!(init.output_type(0)?, T in real, {
        kernel(move |ctx| {
            let k = ctx.input(1)?;
            ensure!(k.rank() == 0, InvalidArgument, "k must be scalar, got shape {}", k.shape());
            let k = k.to_scalar::<i32>()?;
            top_k::<T>(ctx, k.into(), sorted)
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let doc =
        "The `k` largest entries of each last-axis row, largest first, and their indices; of equal entries the first.";
    r.add(
        Op::new("TopK")
            .input("input: T")
            .output("values: T")
            .output("indices: int32")
            .attr("k: int >= 0")
            .attr("sorted: bool = true")
            .attr("T: realnumbertype")
            .doc(doc)
            .shape(shape)
            .kernel(of_attr),
    );
    r.add(
        Op::new("TopKV2")
            .input("input: T")
            .input("k: int32")
            .output("values: T")
            .output("indices: int32")
            .attr("sorted: bool = true")
            .attr("T: realnumbertype")
            .doc(doc)
            .shape(shape)
            .kernel(of_input),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn top(x: &Tensor, k: i32) -> Vec<Tensor> {
        let by_input = run("TopKV2", &[x.clone(), Tensor::scalar(k)], &[]).unwrap();
        let by_attr = run("TopK", std::slice::from_ref(x), &[("k", AttrValue::Int(k.into()))]).unwrap();
        assert_eq!(by_input, by_attr);
        by_input
    }

    #[test]
    fn the_largest_come_first_and_of_equal_ones_the_lower_index() {
        let x = Tensor::from_slice([2, 5], &[1.0f32, 4.0, 2.0, 4.0, 3.0, 5.0, 5.0, 5.0, 0.0, 6.0]).unwrap();
        let t = top(&x, 3);
        assert_eq!(t[0].shape().dims(), [2, 3]);
        assert_eq!(t[0].slice::<f32>().unwrap(), [4.0, 4.0, 3.0, 6.0, 5.0, 5.0]);
        assert_eq!(t[1].slice::<i32>().unwrap(), [1, 3, 4, 4, 0, 1]);
    }

    #[test]
    fn agrees_with_sorting_every_row() {
        let x: Vec<i64> = (0..7 * 301).map(|i| (i * 7919) % 131).collect();
        let rows = Tensor::from_slice([7, 301], &x).unwrap();
        for k in [0, 1, 2, 150, 300, 301] {
            let t = top(&rows, k);
            let mut expected = Vec::new();
            for row in x.chunks(301) {
                let mut places: Vec<i32> = (0..301).collect();
                places.sort_by_key(|&p| -row[p as usize]);
                expected.extend_from_slice(&places[..k as usize]);
            }
            assert_eq!(t[1].slice::<i32>().unwrap(), expected, "k = {k}");
        }
    }

    #[test]
    fn unsorted_gives_the_same_entries() {
        let x = Tensor::from_slice([6], &[3.0f32, 9.0, 1.0, 9.0, 5.0, 0.0]).unwrap();
        let t = run("TopKV2", &[x, Tensor::scalar(3i32)], &[("sorted", AttrValue::Bool(false))]).unwrap();
        let mut indices = t[1].slice::<i32>().unwrap().to_vec();
        indices.sort_unstable();
        assert_eq!(indices, [1, 3, 4]);
    }

    #[test]
    fn unsorted_entries_are_in_the_order_of_tensorflow() {
        let x = Tensor::from_slice([10], &[7.0f32, 2.0, 9.0, 4.0, 9.0, 1.0, 8.0, 3.0, 6.0, 5.0]).unwrap();
        let cases: [(i32, &[i32]); 5] = [
            (1, &[2]),
            (3, &[6, 4, 2]),
            (4, &[0, 6, 2, 4]),
            (7, &[3, 9, 0, 8, 4, 2, 6]),
            (10, &[2, 4, 6, 0, 8, 9, 3, 7, 1, 5]),
        ];
        for (k, expected) in cases {
            let t = run("TopKV2", &[x.clone(), Tensor::scalar(k)], &[("sorted", AttrValue::Bool(false))]).unwrap();
            assert_eq!(t[1].slice::<i32>().unwrap(), expected, "k = {k}");
        }
    }

    #[test]
    fn numbers_come_before_nan() {
        let x = Tensor::from_slice([4], &[f32::NAN, 1.0, f32::NEG_INFINITY, f32::NAN]).unwrap();
        assert_eq!(top(&x, 4)[1].slice::<i32>().unwrap(), [1, 2, 0, 3]);
    }

    #[test]
    fn wrong_k_is_an_error() {
        let x = Tensor::zeros(DType::F32, [2]).unwrap();
        for k in [3, -1] {
            assert!(run("TopKV2", &[x.clone(), Tensor::scalar(k)], &[]).is_err());
        }
        assert!(run("TopKV2", &[Tensor::scalar(1.0f32), Tensor::scalar(0i32)], &[]).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..999 * 40).map(|i| ((i * 7919) % 1009) as f32).collect();
        let x = Tensor::from_slice([999, 40], &x).unwrap();
        let by =
            |n| run_args("TopKV2", vec![Arg::One(x.clone()), Arg::One(Tensor::scalar(7i32))], &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
