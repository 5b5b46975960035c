//! TopK and TopKV2: the `k` largest entries of each last-axis row and where they are.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_rows_mut;
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, bail, dispatch, ensure};
use std::cmp::Ordering;

/// Entries of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 13;

/// Rows at least this many times as long as `k` are scanned for what exceeds the entries found so far.
const LONG_ROW: usize = 8;

/// Least entries that are collected before the best of them are selected again.
const COLLECTED: usize = 64;

/// Entries that are compared at once.
const GROUP: usize = 32;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    let k = if c.num_inputs() > 1 {
        c.input(1)?.with_rank(0)?;
        c.input_i64(1)?
    } else {
        Some(c.int32("k")?)
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
    y.partial_cmp(x).unwrap_or_else(|| is_nan(x).cmp(&is_nan(y))).then(a.cmp(&b))
}

fn is_nan<T: PartialOrd>(x: &T) -> bool {
    x.partial_cmp(x).is_none()
}

/// Returns the place of the first whole group, from `start` on, that has an entry larger than `least`; behind them all
/// if there is none.
fn next_group<T: PartialOrd + Copy>(row: &[T], start: usize, least: T) -> usize {
    let (groups, _) = row[start..].as_chunks::<GROUP>();
    on_best_isa(|| {
        let mut at = start;
        for group in groups {
            // Without an early end, which would keep the loop from using vectors.
            if group.iter().fold(false, |any, x| any | (*x > least)) {
                break;
            }
            at += GROUP;
        }
        at
    })
}

/// Returns true if entry `a` goes before entry `b`: it is larger, or neither is and its index is lower.
fn goes_before<T: PartialOrd>(row: &[T], a: usize, b: usize) -> bool {
    match row[b].partial_cmp(&row[a]) {
        Some(Ordering::Less) => true,
        Some(Ordering::Greater) => false,
        _ => a < b,
    }
}

/// A heap of places whose first goes behind all others.
///
/// TF 1.x: entries that are not sorted have the order of a heap of the C++ library, whose steps these are.
struct WorstFirst<'a, T> {
    row: &'a [T],
    places: &'a mut [usize],
}

impl<T: PartialOrd> WorstFirst<'_, T> {
    /// Moves a place up from a free one, at most to `top`.
    fn rise(&mut self, mut free: usize, top: usize, place: usize) {
        while free > top {
            let parent = (free - 1) / 2;
            if !goes_before(self.row, self.places[parent], place) {
                break;
            }
            self.places[free] = self.places[parent];
            free = parent;
        }
        self.places[free] = place;
    }

    /// Puts a place where `top` is free: the free one sinks to a leaf, from which the place rises.
    fn settle(&mut self, top: usize, length: usize, place: usize) {
        let mut free = top;
        while 2 * free + 1 < length {
            let mut child = 2 * free + 2;
            if child == length || goes_before(self.row, self.places[child], self.places[child - 1]) {
                child -= 1;
            }
            self.places[free] = self.places[child];
            free = child;
        }
        self.rise(free, top, place);
    }

    /// Drops the first place, and leaves the last one free.
    fn pop(&mut self) {
        let last = self.places.len() - 1;
        let place = self.places[last];
        self.settle(0, last, place);
    }
}

/// Puts the places of the `k` first entries by `goes_before` into `places`, in the order of a heap; `k` is less than the
/// row's length.
fn select_in_heap_order<T: PartialOrd + Copy>(row: &[T], k: usize, places: &mut Vec<usize>) {
    places.clear();
    places.extend(0..=k);
    let mut heap = WorstFirst { row, places: &mut places[..] };
    for top in (0..=(k - 1) / 2).rev() {
        let place = heap.places[top];
        heap.settle(top, k + 1, place);
    }
    heap.pop();
    let mut next = k + 1;
    while next < row.len() {
        // A later entry goes before the first one only if it is larger.
        next = next_group(row, next, row[heap.places[0]]);
        for i in next..row.len().min(next + GROUP) {
            if row[i] > row[heap.places[0]] {
                heap.places[k] = i;
                heap.pop();
            }
        }
        next += GROUP;
    }
    places.truncate(k);
}

/// Puts the places of the `k` first entries by `order` into `places`, in any order.
fn select<T: PartialOrd + Copy>(row: &[T], k: usize, places: &mut Vec<usize>) {
    let n = row.len();
    places.clear();
    if k == n || n / LONG_ROW < k {
        places.extend(0..n);
        if k < n {
            places.select_nth_unstable_by(k - 1, |&a, &b| order(row, a, b));
            places.truncate(k);
        }
        return;
    }
    // Places are collected in ascending order of index. A later entry that equals the least of the best is none of them.
    let most = (2 * k).max(COLLECTED).min(n);
    let mut next = most;
    places.extend(0..most);
    loop {
        let (_, &mut last, _) = places.select_nth_unstable_by(k - 1, |&a, &b| order(row, a, b));
        places.truncate(k);
        let (least, least_is_nan) = (row[last], is_nan(&row[last]));
        while next < n && places.len() < most {
            if !least_is_nan {
                next = next_group(row, next, least);
            }
            for (i, x) in row.iter().enumerate().skip(next).take(GROUP) {
                if *x > least || least_is_nan && !is_nan(x) {
                    places.push(i);
                }
            }
            next += GROUP;
        }
        if places.len() == k {
            return;
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
            let mut places = Vec::new();
            let rows = x[range.start * n..range.end * n].chunks_exact(n);
            for ((row, values), indices) in rows.zip(values.chunks_exact_mut(k)).zip(indices.chunks_exact_mut(k)) {
                // TF 1.x: all entries of a row are always sorted.
                if sorted || k == n {
                    select(row, k, &mut places);
                    places.sort_unstable_by(|&a, &b| order(row, a, b));
                } else {
                    select_in_heap_order(row, k, &mut places);
                }
                for ((value, index), &place) in values.iter_mut().zip(indices).zip(&places) {
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
    fn long_rows_with_nan_agree_with_sorting() {
        let n = 3001usize;
        let shuffled = |i: usize| ((i * 7919) % 1009) as f32;
        let mostly_nan = |i: usize| if i.is_multiple_of(501) { i as f32 } else { f32::NAN };
        let rows: [&dyn Fn(usize) -> f32; 6] =
            [&shuffled, &mostly_nan, &|i| i as f32, &|i| -(i as f32), &|_| f32::NAN, &|i| {
                if i < 2000 { f32::NAN } else { 1.0 }
            }];
        for row in rows {
            let row: Vec<f32> = (0..n).map(row).collect();
            let mut places: Vec<i32> = (0..n as i32).collect();
            places.sort_by(|&a, &b| super::order(&row, a as usize, b as usize));
            let x = Tensor::from_slice([n], &row).unwrap();
            for k in [1, 5, 31, 375, 376] {
                assert_eq!(top(&x, k)[1].slice::<i32>().unwrap(), &places[..k as usize], "k = {k}");
            }
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
    fn unsorted_entries_have_the_order_of_a_heap() {
        // By TensorFlow 1.15.5.
        let long = [
            26, 14, 23, 5, 1, 8, 23, 8, 18, 9, 26, 28, 7, 13, 23, 23, 25, 8, 4, 18, 12, 6, 10, 20, 3, 0, 23, 21, 21, 9,
            6, 29, 6, 24, 2, 14, 21, 8, 17, 2, 26, 23, 0, 8, 19, 10, 13, 1, 0, 13, 28, 3, 18, 19, 15, 2, 25, 18, 17,
            16, 17, 25, 9, 27, 16, 12, 23, 18, 22, 3, 11, 23, 24, 18, 6, 7, 13, 10, 7, 9, 18, 23, 21, 19, 16, 21, 15,
            4, 27, 27, 11, 19, 8, 25, 5, 8, 27, 26, 29, 22,
        ];
        let cases: [(&[i32], &[i32]); 6] = [
            (&[5, 0, 3, 3, 7], &[0, 4]),
            (&[3, 5, 2, 4, 7, 6, 8, 8], &[4, 7, 6]),
            (&[1, 6, 7, 7, 8, 1, 5, 8, 4, 3], &[1, 3, 2, 7, 4]),
            (&[2, 0, 0, 4, 5, 5], &[4, 5, 3, 0, 1, 2]),
            (&[6, 8, 4, 1, 4, 8, 1], &[1]),
            (&long, &[89, 50, 88, 98, 11, 31, 63]),
        ];
        for (row, places) in cases {
            let inputs = [Tensor::from_slice([row.len()], row).unwrap(), Tensor::scalar(places.len() as i32)];
            let t = run("TopKV2", &inputs, &[("sorted", AttrValue::Bool(false))]).unwrap();
            assert_eq!(t[1].slice::<i32>().unwrap(), places);
        }
        let row = [1.0, f32::NAN, 3.0, 2.0, f32::NAN, 5.0, 0.0, 4.0];
        for (k, places) in [(3, &[7, 1, 5][..]), (5, &[3, 7, 2, 5, 1]), (7, &[4, 3, 0, 7, 1, 5, 2])] {
            let inputs = [Tensor::from_slice([8], &row).unwrap(), Tensor::scalar(k)];
            let t = run("TopKV2", &inputs, &[("sorted", AttrValue::Bool(false))]).unwrap();
            assert_eq!(t[1].slice::<i32>().unwrap(), places, "k = {k}");
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
