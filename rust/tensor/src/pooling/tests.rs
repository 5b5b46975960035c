//! Pooling against its definition, at any number of threads.

use super::*;
use crate::Shape;
use crate::threads::{Interrupted, Threads};

/// `[outer, planes, rows, columns, inner]`, and for each dimension but the first and last its window and stride.
struct Case {
    outer: usize,
    input: [usize; 3],
    inner: usize,
    window: [i64; 3],
    stride: [i64; 3],
    same: bool,
}

const fn image(input: [usize; 4], window: i64, stride: i64, same: bool) -> Case {
    let [outer, rows, columns, inner] = input;
    let (window, strides) = ([window, 1, window], [stride, 1, stride]);
    Case { outer, input: [rows, 1, columns], inner, window, stride: strides, same }
}

/// Overlapping windows, and such that touch or leave gaps; channels in whole blocks, in parts of one, and alone.
const CASES: [Case; 18] = [
    image([2, 7, 6, 70], 3, 1, true),
    image([2, 7, 6, 5], 3, 1, false),
    image([2, 9, 8, 64], 3, 2, true),
    image([2, 9, 8, 3], 3, 2, false),
    image([3, 8, 8, 33], 2, 2, true),
    image([1, 7, 9, 4], 2, 1, true),
    image([1, 11, 12, 2], 5, 1, true),
    image([1, 11, 12, 2], 5, 3, false),
    image([2, 5, 7, 6], 2, 3, true),
    image([2, 7, 7, 40], 7, 1, false),
    image([1, 4, 3, 2], 9, 1, true),
    image([1, 4, 3, 2], i64::MAX, i64::MAX, true),
    image([2, 90, 20, 24], 3, 1, true),
    image([37, 6, 5, 1], 3, 2, true),
    image([1, 6, 5, 1], 3, 1, true),
    Case { outer: 2, input: [5, 4, 6], inner: 3, window: [3, 2, 3], stride: [2, 1, 1], same: true },
    Case { outer: 1, input: [6, 5, 7], inner: 20, window: [2, 3, 2], stride: [1, 2, 2], same: false },
    Case { outer: 20, input: [1, 1, 12], inner: 1, window: [1, 1, 3], stride: [1, 1, 3], same: false },
];

impl Case {
    fn windows(&self) -> Windows {
        let axes: Vec<Axis> =
            (0..3).map(|d| Axis::new(self.input[d], self.window[d], self.stride[d], self.same).unwrap()).collect();
        let [planes, rows, columns] = [0, 1, 2].map(|d| axes[d].output);
        let pooled = Shape::new(&[self.outer, planes, rows, columns, self.inner]);
        Windows::new(self.outer, [axes[0], axes[1], axes[2]], self.inner, pooled).unwrap()
    }

    fn elements(&self) -> usize {
        self.outer * self.input.iter().product::<usize>() * self.inner
    }

    /// Returns the elements of each window, straight from the definition, in the order of the results.
    fn members(&self) -> Vec<Vec<usize>> {
        let reach = |d: usize, o: i64| {
            let (n, k, s) = (self.input[d] as i128, i128::from(self.window[d]), i128::from(self.stride[d]));
            let outputs = if self.same { (n + s - 1) / s } else { (n - k) / s + 1 };
            let before = if self.same { ((outputs - 1) * s + k - n).max(0) / 2 } else { 0 };
            let start = i128::from(o) * s - before;
            (0..self.input[d]).filter(move |&i| (start..start + k).contains(&(i as i128)))
        };
        let w = self.windows();
        let [planes, rows, columns] = w.axes.map(|a| a.output as i64);
        let mut all = Vec::new();
        for part in 0..self.outer {
            for (p, r, c) in positions(planes, rows, columns) {
                for channel in 0..self.inner {
                    let mut members = Vec::new();
                    for plane in reach(0, p) {
                        for row in reach(1, r) {
                            let line = (part * self.input[0] + plane) * self.input[1] + row;
                            members.extend(reach(2, c).map(|c| (line * self.input[2] + c) * self.inner + channel));
                        }
                    }
                    all.push(members);
                }
            }
        }
        all
    }
}

fn positions(a: i64, b: i64, c: i64) -> impl Iterator<Item = (i64, i64, i64)> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}

/// Returns small whole numbers, with equals among them; now and then a NaN.
fn values(n: usize, k: usize, nans: bool) -> Vec<f32> {
    let value = |i: usize| if nans && i % 17 == 3 { f32::NAN } else { (i * k % 23) as f32 - 11.0 };
    (0..n).map(value).collect()
}

/// Returns the first largest; a NaN where it comes first.
fn first_largest(x: &[f32], members: &[usize]) -> usize {
    members.iter().skip(1).fold(members[0], |best, &i| if x[best] < x[i] { i } else { best })
}

/// Returns the output of `f`, after checking that 1, 2 and 4 threads give equal bits.
fn at_any_number_of_threads(len: usize, f: impl Fn(Threads, &mut [f32]) -> Result<(), Interrupted>) -> Vec<f32> {
    let run = |threads| {
        let mut out = vec![f32::from_bits(0x7fc1_2345); len];
        f(Threads::new(threads), &mut out).unwrap();
        out
    };
    let out = run(1);
    for threads in [2, 4] {
        assert!(run(threads).iter().zip(&out).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
    out
}

fn assert_same(got: &[f32], expected: &[f32], case: &Case) {
    let Case { outer, input, inner, window, stride, same } = case;
    assert_eq!(got.len(), expected.len());
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert!(
            a == b || a.is_nan() && b.is_nan(),
            "{outer} {input:?} {inner}, {window:?}/{stride:?} {same}: {a} is not {b} at {i}"
        );
    }
}

#[test]
fn the_largest_of_each_window_and_its_first_place_are_those_of_the_definition() {
    for case in CASES {
        for nans in [false, true] {
            let (w, x, members) = (case.windows(), values(case.elements(), 31, nans), case.members());
            let y = at_any_number_of_threads(members.len(), |threads, out| max(&w, threads, &x, out));
            let largest = |m: &Vec<usize>| m.iter().map(|&i| x[i]).fold(f32::MIN, f32::max);
            assert_same(&y, &members.iter().map(largest).collect::<Vec<_>>(), &case);
            let firsts = at_any_number_of_threads(members.len(), |threads, out| {
                at_first_max(&w, threads, &x, out, |part, place| (part + place) as f32)
            });
            let wanted: Vec<f32> = members.iter().map(|m| first_largest(&x, m) as f32).collect();
            assert_same(&firsts, &wanted, &case);
        }
    }
}

#[test]
fn the_gradient_of_the_largest_goes_to_its_first_place() {
    for case in CASES {
        for nans in [false, true] {
            let (w, x, members) = (case.windows(), values(case.elements(), 31, nans), case.members());
            let g = values(members.len(), 7, false);
            let mut wanted = vec![0.0; x.len()];
            for (m, g) in members.iter().zip(&g) {
                wanted[first_largest(&x, m)] += g;
            }
            let gx = at_any_number_of_threads(x.len(), |threads, gx| max_gradient(&w, threads, &x, &g, gx));
            assert_same(&gx, &wanted, &case);
        }
    }
}

#[test]
fn in_volumes_the_gradient_goes_to_every_largest() {
    for case in CASES {
        let (w, x, members) = (case.windows(), values(case.elements(), 31, false), case.members());
        let (mut y, g) = (vec![0.0; members.len()], values(members.len(), 7, false));
        max(&w, Threads::single(), &x, &mut y).unwrap();
        let mut wanted = vec![0.0; x.len()];
        for ((m, g), y) in members.iter().zip(&g).zip(&y) {
            m.iter().filter(|&&i| x[i] == *y).for_each(|&i| wanted[i] += g);
        }
        let gx = at_any_number_of_threads(x.len(), |threads, gx| every_max_gradient(&w, threads, &x, &y, &g, gx));
        assert_same(&gx, &wanted, &case);
    }
}

#[test]
fn the_mean_is_that_of_the_elements_without_padding() {
    for case in CASES {
        let (w, x, members) = (case.windows(), values(case.elements(), 31, false), case.members());
        let y = at_any_number_of_threads(members.len(), |threads, out| mean(&w, threads, &x, out));
        // Sums of small whole numbers are exact.
        let mean = |m: &Vec<usize>| m.iter().map(|&i| x[i]).sum::<f32>() / m.len() as f32;
        assert_same(&y, &members.iter().map(mean).collect::<Vec<_>>(), &case);
    }
}

#[test]
fn the_gradient_of_the_mean_goes_to_all_elements_in_equal_parts() {
    for case in CASES {
        let (w, members) = (case.windows(), case.members());
        let g = values(members.len(), 7, false);
        let mut wanted = vec![0.0f64; case.elements()];
        for (m, g) in members.iter().zip(&g) {
            m.iter().for_each(|&i| wanted[i] += f64::from(*g) / m.len() as f64);
        }
        let gx = at_any_number_of_threads(wanted.len(), |threads, gx| mean_gradient(&w, threads, &g, gx));
        assert!(gx.iter().zip(&wanted).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5));
    }
}

#[test]
fn every_instruction_set_gives_the_same() {
    let x = values(400, 31, true);
    let members = [0, 7, 100, 107, 200, 207].map(|at| Member { at, beside: at, place: at as u32 });
    super::patches::assert_alike_everywhere(&x, Patches::one(&members, 77));
}

#[test]
fn windows_with_more_places_than_are_counted_are_refused() {
    let axis = Axis::new(1 << 16, 1 << 17, 1, true).unwrap();
    let error = Windows::new(1, [axis, Axis::UNIT, axis], 1, Shape::new(&[])).unwrap_err();
    assert_eq!(error.code(), crate::Code::ResourceExhausted);
}
