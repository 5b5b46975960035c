//! Laws of convolutions, against sums written out, over random geometries.

use super::*;
use crate::gemm::{Activation, Epilogue};
use crate::threads::Threads;
use proptest::prelude::*;

/// Returns small integers, so that sums are exact.
fn numbers(len: usize, seed: usize) -> Vec<f64> {
    (0..len).map(|i| ((i * 7 + seed * 3 + i / 11) % 9) as f64 - 4.0).collect()
}

struct Naive {
    output: Vec<f64>,
    input_gradient: Vec<f64>,
    filter_gradient: Vec<f64>,
}

fn points(g: &Geometry, of: fn(&Window) -> usize) -> usize {
    g.space.iter().map(of).product()
}

fn naive(g: &Geometry, x: &[f64], f: &[f64], dy: &[f64]) -> Naive {
    let [d, h, w] = g.space;
    let mut out =
        Naive { output: vec![0.0; dy.len()], input_gradient: vec![0.0; x.len()], filter_gradient: vec![0.0; f.len()] };
    let split = |i: usize, a: usize, b: usize| [i / a / b, i / b % a, i % b];
    for n in 0..g.batch {
        for at in 0..points(g, |w| w.output) {
            let o = split(at, h.output, w.output);
            for tap in 0..points(g, |w| w.filter) {
                let k = split(tap, h.filter, w.filter);
                let coordinate = |i: usize, w: &Window| {
                    (o[i] * w.stride + k[i] * w.dilation).checked_sub(w.before).filter(|&c| c < w.input)
                };
                let (Some(z), Some(y), Some(x_at)) = (coordinate(0, &d), coordinate(1, &h), coordinate(2, &w)) else {
                    continue;
                };
                let point = ((n * d.input + z) * h.input + y) * w.input + x_at;
                for c in 0..g.inputs {
                    for q in 0..g.outputs {
                        let i = point * g.inputs + c;
                        let j = (tap * g.inputs + c) * g.outputs + q;
                        let k = (n * points(g, |w| w.output) + at) * g.outputs + q;
                        out.output[k] += x[i] * f[j];
                        out.input_gradient[i] += dy[k] * f[j];
                        out.filter_gradient[j] += dy[k] * x[i];
                    }
                }
            }
        }
    }
    out
}

/// Returns a dimension of fewer points than `most`; lines of many windows are read where they lie.
fn window(most: usize) -> impl Strategy<Value = Window> {
    (0..most, 1usize..5, 1usize..4, 1usize..4, 0usize..4, 0usize..3).prop_map(
        |(input, filter, stride, dilation, before, after)| {
            let reach = (filter - 1) * dilation + 1;
            let output = (input + before + after + stride).saturating_sub(reach) / stride;
            Window { input, filter, output, stride, dilation, before }
        },
    )
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let flat = prop_oneof![2 => Just(Window::FLAT), 1 => window(9)];
    (0usize..4, 1usize..20, 1usize..35, flat, window(9), prop_oneof![window(9), window(40)])
        .prop_map(|(batch, inputs, outputs, d, h, w)| Geometry { batch, inputs, outputs, space: [d, h, w] })
}

fn all<T: ConvFloat>(g: &Geometry, x: &[T], f: &[T], dy: &[T], threads: usize) -> [Vec<T>; 3] {
    let threads = Threads::new(threads);
    let filled = |len: usize| vec![T::default(); len];
    let (mut y, mut dx, mut df) = (filled(dy.len()), filled(x.len()), filled(f.len()));
    forward(threads, g, x, f, &mut y, None).unwrap();
    backward_input(threads, g, f, dy, &mut dx).unwrap();
    backward_filter(threads, g, x, dy, &mut df).unwrap();
    [y, dx, df]
}

fn lengths(g: &Geometry) -> [usize; 3] {
    [
        g.batch * points(g, |w| w.input) * g.inputs,
        g.taps() * g.inputs * g.outputs,
        g.batch * points(g, |w| w.output) * g.outputs,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_three_are_the_sums_written_out(g in geometry()) {
        let [x, f, dy] = lengths(&g);
        let (x, f, dy) = (numbers(x, 1), numbers(f, 2), numbers(dy, 3));
        let expected = naive(&g, &x, &f, &dy);
        let expected = [expected.output, expected.input_gradient, expected.filter_gradient];
        prop_assert_eq!(&all(&g, &x, &f, &dy, 2), &expected);
        let single = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<_>>();
        let got = all(&g, &single(&x), &single(&f), &single(&dy), 2);
        for (got, expected) in got.iter().zip(&expected) {
            prop_assert_eq!(got, &single(expected));
        }
        let whole = |v: &[f64]| v.iter().map(|&v| v as i32).collect::<Vec<_>>();
        let mut y = vec![0; expected[0].len()];
        forward_wrapping(Threads::new(2), &g, &whole(&x), &whole(&f), &mut y).unwrap();
        prop_assert_eq!(y, whole(&expected[0]));
    }
}

/// Returns geometries big enough for several tasks in each of the three.
fn large() -> Vec<Geometry> {
    let window = |input, filter, stride| Window {
        input,
        filter,
        output: usize::div_ceil(input, stride),
        stride,
        dilation: 1,
        before: (filter - 1) / 2,
    };
    let of = |batch, inputs, outputs, h, w| Geometry { batch, inputs, outputs, space: [Window::FLAT, h, w] };
    vec![
        of(4, 64, 64, window(28, 3, 1), window(28, 3, 1)),
        of(8, 1, 32, window(28, 5, 1), window(28, 5, 1)),
        of(3, 96, 40, window(25, 3, 2), window(31, 3, 2)),
        of(3, 40, 200, window(17, 1, 1), window(19, 1, 1)),
        of(2, 300, 150, window(9, 3, 1), window(9, 3, 1)),
    ]
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for g in large() {
        let fraction = |n: usize, seed| -> Vec<f32> { numbers(n, seed).iter().map(|&v| v as f32 / 3.0).collect() };
        let [x, f, dy] = lengths(&g);
        let (x, f, dy) = (fraction(x, 1), fraction(f, 2), fraction(dy, 3));
        let bits = |threads| all(&g, &x, &f, &dy, threads).map(|v| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
        let one = bits(1);
        assert!(bits(2) == one && bits(4) == one, "{g:?}");
    }
}

#[test]
fn large_ones_are_the_sums_written_out() {
    for g in large() {
        let [x, f, dy] = lengths(&g);
        let (x, f, dy) = (numbers(x, 1), numbers(f, 2), numbers(dy, 3));
        let single = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<_>>();
        let expected = naive(&g, &x, &f, &dy);
        let [y, dx, df] = all(&g, &single(&x), &single(&f), &single(&dy), 2);
        assert!(
            y == single(&expected.output)
                && dx == single(&expected.input_gradient)
                && df == single(&expected.filter_gradient),
            "{g:?}"
        );
    }
}

#[test]
fn bias_and_activation_follow_the_convolution() {
    for g in large() {
        let single = |n: usize, seed| numbers(n, seed).iter().map(|&v| v as f32).collect::<Vec<_>>();
        let [x, f, y] = lengths(&g);
        let (x, f, bias) = (single(x, 1), single(f, 2), single(g.outputs, 5));
        let (mut plain, mut fused) = (vec![0.0; y], vec![0.0; y]);
        forward(Threads::new(2), &g, &x, &f, &mut plain, None).unwrap();
        let epilogue = Epilogue { bias: Some(&bias), activation: Activation::Relu };
        forward(Threads::new(2), &g, &x, &f, &mut fused, Some(&epilogue)).unwrap();
        let expected: Vec<f32> = plain.iter().enumerate().map(|(i, v)| (v + bias[i % g.outputs]).max(0.0)).collect();
        assert!(fused == expected);
    }
}

#[test]
fn slices_of_other_sizes_are_refused() {
    let g = large().remove(0);
    let [x, f, y] = lengths(&g);
    let (x, f, mut y) = (vec![0.0f32; x], vec![0.0; f], vec![0.0; y]);
    assert!(forward(Threads::single(), &g, &x[1..], &f, &mut y, None).is_err());
    assert!(forward(Threads::single(), &g, &x, &f[1..], &mut y, None).is_err());
    assert!(forward(Threads::single(), &g, &x, &f, &mut y[1..], None).is_err());
    let (mut dx, mut df) = (x.clone(), f.clone());
    assert!(backward_input(Threads::single(), &g, &f, &y[1..], &mut dx).is_err());
    assert!(backward_input(Threads::single(), &g, &f, &y, &mut dx[1..]).is_err());
    assert!(backward_filter(Threads::single(), &g, &x, &y[1..], &mut df).is_err());
    assert!(backward_filter(Threads::single(), &g, &x, &y, &mut df[1..]).is_err());
}

/// Returns the filter of a full convolution that does what a depthwise one does.
fn full_filter(g: &Geometry, filter: &[f64]) -> (Geometry, Vec<f64>) {
    let outputs = g.inputs * g.outputs;
    let mut full = vec![0.0; g.taps() * g.inputs * outputs];
    for (i, &value) in filter.iter().enumerate() {
        let (point, q) = (i / g.outputs, i % g.outputs);
        full[point * outputs + point % g.inputs * g.outputs + q] = value;
    }
    (Geometry { outputs, ..*g }, full)
}

proptest! {
    #[test]
    fn depthwise_ones_are_full_ones_with_a_filter_of_blocks(
        batch in 0usize..4, inputs in 1usize..70, outputs in prop::sample::select(&[1usize, 2, 3, 8, 17][..]), h in window(9), w in window(9)
    ) {
        let g = Geometry { batch, inputs, outputs, space: [Window::FLAT, h, w] };
        let f = numbers(g.taps() * inputs * outputs, 2);
        let (full, full_f) = full_filter(&g, &f);
        let [x, _, dy] = lengths(&full);
        let (x, dy) = (numbers(x, 1), numbers(dy, 3));
        let expected = naive(&full, &x, &full_f, &dy);
        let run = |threads: usize| {
            let threads = Threads::new(threads);
            let (mut y, mut dx, mut df) = (vec![9.0; dy.len()], vec![9.0; x.len()], vec![9.0; f.len()]);
            depthwise_forward(threads, &g, &x, &f, &mut y).unwrap();
            depthwise_backward_input(threads, &g, &f, &dy, &mut dx).unwrap();
            depthwise_backward_filter(threads, &g, &x, &dy, &mut df).unwrap();
            (y, dx, df)
        };
        let (y, dx, df) = run(2);
        prop_assert_eq!(&y, &expected.output);
        prop_assert_eq!(&dx, &expected.input_gradient);
        let (_, mask) = full_filter(&g, &vec![1.0; f.len()]);
        let chosen = expected.filter_gradient.iter().zip(mask).filter(|(_, m)| *m == 1.0).map(|(v, _)| *v);
        prop_assert_eq!(df, chosen.collect::<Vec<_>>());
    }
}

#[test]
fn depthwise_bits_do_not_depend_on_threads() {
    let window = Window { input: 40, filter: 3, output: 40, stride: 1, dilation: 1, before: 1 };
    let g = Geometry { batch: 3, inputs: 50, outputs: 2, space: [Window::FLAT, window, window] };
    let fraction = |n: usize, seed| -> Vec<f32> { numbers(n, seed).iter().map(|&v| v as f32 / 3.0).collect() };
    let (x, f, dy) = (fraction(3 * 1600 * 50, 1), fraction(9 * 100, 2), fraction(3 * 1600 * 100, 3));
    let bits = |threads: usize| {
        let threads = Threads::new(threads);
        let (mut y, mut dx, mut df) = (vec![0.0; dy.len()], vec![0.0; x.len()], vec![0.0; f.len()]);
        depthwise_forward(threads, &g, &x, &f, &mut y).unwrap();
        depthwise_backward_input(threads, &g, &f, &dy, &mut dx).unwrap();
        depthwise_backward_filter(threads, &g, &x, &dy, &mut df).unwrap();
        [y, dx, df].map(|v| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>())
    };
    let one = bits(1);
    assert!(bits(2) == one && bits(4) == one);
}

#[test]
fn windows_read_where_they_lie_are_those_that_are_copied() {
    let window = |input, filter, stride, dilation, before| {
        let reach = (filter - 1) * dilation + 1;
        Window { input, filter, output: (input + 2 * before - reach) / stride + 1, stride, dilation, before }
    };
    let plane = [window(3, 1, 1, 1, 0), window(2, 1, 2, 1, 0)];
    let cases = [
        // One channel: lines that end between two tiles, zeros around.
        (2, 1, 32, [Window::FLAT, window(28, 5, 1, 1, 2), window(28, 5, 1, 1, 2)]),
        (3, 1, 7, [Window::FLAT, window(9, 3, 1, 1, 0), window(27, 4, 1, 1, 0)]),
        // Strides, lines of the window further apart, more channels and columns than a tile has.
        (2, 3, 70, [Window::FLAT, window(21, 3, 2, 2, 0), window(41, 4, 2, 1, 0)]),
        (1, 20, 33, [plane[0], window(5, 2, 1, 1, 0), window(19, 2, 1, 1, 0)]),
        (2, 5, 3, [plane[1], window(4, 1, 1, 1, 0), window(40, 1, 3, 1, 0)]),
    ];
    for (batch, inputs, outputs, space) in cases {
        let g = Geometry { batch, inputs, outputs, space };
        let [x, f, dy] = lengths(&g);
        let (x, f) = (numbers(x, 1), numbers(f, 2));
        let expected = naive(&g, &x, &f, &vec![0.0; dy]).output;
        for threads in [1, 2, 4] {
            let mut y = vec![1.0; dy];
            forward(Threads::new(threads), &g, &x, &f, &mut y, None).unwrap();
            assert_eq!(y, expected, "{g:?}");
            let single = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<_>>();
            let mut y = vec![1.0f32; dy];
            forward(Threads::new(threads), &g, &single(&x), &single(&f), &mut y, None).unwrap();
            assert_eq!(y, single(&expected), "{g:?}");
        }
    }
}
