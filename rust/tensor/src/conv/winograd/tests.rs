//! Laws of the shorter way: it gives what the sums written out give, as near as rounding allows, and refuses what it would spoil.

use super::*;
use crate::conv::{Geometry, Window};
use proptest::prelude::*;

fn window() -> impl Strategy<Value = Window> {
    (1usize..10, 1usize..4, 5usize..20, 0usize..9, 0usize..9).prop_map(|(filter, stride, input, before, after)| {
        let (before, after) = (before.min(filter - 1), after.min(filter - 1));
        let input = input.max(filter);
        let output = (input + before + after - filter) / stride + 1;
        Window { input, filter, output, stride, dilation: 1, before }
    })
}

/// Returns a window of at most so many points, and its input cut to a few windows.
fn shortened(w: Window, most: usize) -> Window {
    let filter = w.filter.min(most);
    let before = w.before.min(filter - 1);
    let input = w.input.min(filter + 2);
    Window { filter, before, input, output: (input + before - filter) / w.stride + 1, ..w }
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let deep = prop_oneof![3 => Just(Window::FLAT), 1 => window().prop_map(|w| shortened(w, 5))];
    (3usize..6, 16usize..70, 16usize..70, deep, window(), window()).prop_map(|(batch, inputs, outputs, d, h, w)| {
        let batch = if d == Window::FLAT { batch } else { 1 };
        Geometry { batch, inputs, outputs, space: [d, h, w] }
    })
}

/// Returns numbers spread over [-1, 1].
fn numbers(len: usize, seed: usize) -> Vec<f64> {
    (0..len).map(|i| f64::from(((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.0 - 1.0)).collect()
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

fn sizes(g: &Geometry) -> [usize; 3] {
    let all = |of: fn(&Window) -> usize| g.space.iter().map(of).product::<usize>();
    let [input, filter, output] = [all(|w| w.input), all(|w| w.filter), all(|w| w.output)];
    [g.batch * input * g.inputs, filter * g.inputs * g.outputs, g.batch * output * g.outputs]
}

/// Returns the largest difference, as a part of the largest value. Sums of few elements may all be small by chance: then as a
/// part of the size that sums of so many terms have.
fn error(got: &[f32], expected: &[f64], terms: usize) -> f64 {
    let largest = expected.iter().fold((terms as f64).sqrt(), |m, v| m.max(v.abs()));
    got.iter().zip(expected).fold(0.0f64, |m, (&g, w)| m.max((f64::from(g) - w).abs())) / largest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn results_are_within_a_few_roundings_of_those_in_double(g in geometry()) {
        let pass = g.pass();
        prop_assume!(Tiles::of(&pass).is_some());
        let [x, f, dy] = sizes(&g);
        let (x, f, dy) = (numbers(x, 1), numbers(f, 2), numbers(dy, 3));
        let threads = Threads::new(2);
        let points = f.len() / (g.inputs * g.outputs);
        let [of_y, of_dx, of_df] = [g.inputs * points, g.outputs * points, dy.len() / g.outputs];
        let [mut y, mut dx, mut df] = [&dy, &x, &f].map(|like| vec![0.0; like.len()]);
        crate::conv::forward(threads, &g, &x, &f, &mut y, None).unwrap();
        crate::conv::backward_input(threads, &g, &f, &dy, &mut dx).unwrap();
        crate::conv::backward_filter(threads, &g, &x, &dy, &mut df).unwrap();
        let [single_x, single_f, single_dy] = [&x, &f, &dy].map(|values| single(values));
        let mut got = vec![7.0f32; dx.len()];
        crate::conv::backward_input(threads, &g, &single_f, &single_dy, &mut got).unwrap();
        prop_assert!(error(&got, &dx, of_dx) < 3e-6, "{}", error(&got, &dx, of_dx));
        let mut bits = None;
        for isa in Isa::available() {
            let (mut got_y, mut got_df) = (vec![7.0f32; dy.len()], vec![7.0f32; f.len()]);
            let places = pass.in_order(got_y.len()).unwrap();
            let placed = Placed { values: &mut got_y, places: &places };
            prop_assert!(forward_on(isa, threads, &pass, &single_x, &single_f, placed, None).unwrap());
            prop_assert!(backward_filter_on(isa, threads, &pass, &single_x, &single_dy, &mut got_df).unwrap());
            prop_assert!(error(&got_y, &y, of_y) < 3e-6, "{}", error(&got_y, &y, of_y));
            prop_assert!(error(&got_df, &df, of_df) < 3e-6, "{}", error(&got_df, &df, of_df));
            let got = [got_y, got_df].map(|v| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
            prop_assert!(bits.get_or_insert_with(|| got.clone()) == &got, "{:?} gives other bits", isa);
        }
    }

    #[test]
    fn the_parts_of_a_window_are_its_points(g in geometry()) {
        let pass = g.pass();
        prop_assume!(Tiles::of(&pass).is_some());
        let [d, h, w] = pass.axes;
        let mut found = vec![0; d.taps * h.taps * w.taps];
        let tiles = Tiles::of(&pass).unwrap();
        for part in &tiles.parts {
            for i in 0..part.down.taps {
                for j in 0..part.across.taps {
                    let (i, j) = (i * part.down.step, j * part.across.step);
                    found[tiles.first_point(part) + i * w.taps + j] += 1;
                }
            }
        }
        prop_assert!(found.iter().all(|&count| count == 1));
    }
}

fn of_window(window: Window) -> (Geometry, [Vec<f32>; 3]) {
    let g = Geometry { batch: 8, inputs: 48, outputs: 40, space: [Window::FLAT, window, window] };
    let [x, f, dy] = sizes(&g);
    (g, [single(&numbers(x, 1)), single(&numbers(f, 2)), single(&numbers(dy, 3))])
}

fn large() -> (Geometry, [Vec<f32>; 3]) {
    of_window(Window { input: 14, filter: 3, output: 14, stride: 1, dilation: 1, before: 1 })
}

fn strided() -> (Geometry, [Vec<f32>; 3]) {
    of_window(Window { input: 28, filter: 5, output: 14, stride: 2, dilation: 1, before: 1 })
}

#[test]
fn an_infinity_reaches_only_what_it_should() {
    let (g, [mut x, f, mut dy]) = large();
    let at = (5 * 14 + 7) * 48 + 3;
    x[at] = f32::INFINITY;
    let mut y = vec![0.0; dy.len()];
    crate::conv::forward(Threads::new(2), &g, &x, &f, &mut y, None).unwrap();
    for (i, value) in y.iter().enumerate() {
        let (point, image) = (i / 40 % 196, i / 40 / 196);
        let near = image == 0 && (point / 14).abs_diff(5) <= 1 && (point % 14).abs_diff(7) <= 1;
        assert_eq!(value.is_finite(), !near, "point {point} of image {image}");
    }
    x[at] = 0.0;
    dy[(5 * 14 + 7) * 40 + 3] = f32::NAN;
    let mut df = vec![0.0; f.len()];
    crate::conv::backward_filter(Threads::new(2), &g, &x, &dy, &mut df).unwrap();
    assert!(df.iter().enumerate().all(|(i, v)| v.is_finite() == (i % 40 != 3)));
}

#[test]
fn an_infinity_reaches_only_what_it_should_with_strides() {
    let (g, [x, f, mut dy]) = strided();
    dy[(5 * 14 + 7) * 40 + 3] = f32::INFINITY;
    let mut dx = vec![0.0; x.len()];
    crate::conv::backward_input(Threads::new(2), &g, &f, &dy, &mut dx).unwrap();
    for (i, value) in dx.iter().enumerate() {
        let (point, image) = (i / 48 % 784, i / 48 / 784);
        let [y, x] = [point / 28 + 1, point % 28 + 1];
        let near = image == 0 && (10..15).contains(&y) && (14..19).contains(&x);
        assert!(value.is_finite() || near, "point {point} of image {image}");
        assert!(!value.is_finite() || !near || f[((y - 10) * 5 + x - 14) * 48 * 40 + i % 48 * 40 + 3] == 0.0);
    }
}

/// Returns a convolution whose filter is so large that its gradient has two shares, each with inputs of several groups.
fn of_many_channels() -> (Geometry, [Vec<f32>; 3]) {
    let window = Window { input: 12, filter: 3, output: 12, stride: 1, dilation: 1, before: 1 };
    let g = Geometry { batch: 2, inputs: 333, outputs: 400, space: [Window::FLAT, window, window] };
    let [x, f, dy] = sizes(&g);
    (g, [single(&numbers(x, 1)), single(&numbers(f, 2)), single(&numbers(dy, 3))])
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (g, [x, f, dy]) in [large(), strided(), of_many_channels()] {
        let run = |threads: usize| {
            let threads = Threads::new(threads);
            let [mut y, mut dx, mut df] = [&dy, &x, &f].map(|like| vec![0.0; like.len()]);
            crate::conv::forward(threads, &g, &x, &f, &mut y, None).unwrap();
            crate::conv::backward_input(threads, &g, &f, &dy, &mut dx).unwrap();
            crate::conv::backward_filter(threads, &g, &x, &dy, &mut df).unwrap();
            [y, dx, df].map(|v| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>())
        };
        let one = run(1);
        assert!([2, 4, 7, 16].into_iter().all(|threads| run(threads) == one));
    }
}

#[test]
fn slices_of_other_sizes_are_refused() {
    let (g, [x, f, mut y]) = large();
    let (pass, gradient) = (g.pass(), &mut vec![0.0; f.len()]);
    let places = pass.in_order(y.len()).unwrap();
    let refused = |x: &[f32], f: &[f32], y: &mut [f32]| {
        forward(Threads::single(), &pass, x, f, Placed { values: y, places: &places }, None).is_err()
    };
    assert!(refused(&x[1..], &f, &mut y));
    assert!(refused(&x, &f[1..], &mut y));
    assert!(refused(&x, &f, &mut y[1..]));
    assert!(!refused(&x, &f, &mut y));
    assert!(backward_filter(Threads::single(), &pass, &x, &y[1..], gradient).is_err());
    assert!(backward_filter(Threads::single(), &pass, &x, &y, gradient).is_ok());
}
