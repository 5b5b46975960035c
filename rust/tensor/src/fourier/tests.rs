use super::kept::Kept;
use super::*;
use crate::vector::Isa;
use proptest::prelude::*;

fn numbers(n: usize) -> Vec<Complex<f64>> {
    (0..n).map(|i| Complex::new((i as f64 * 0.7).sin(), (i as f64 * 1.3).cos())).collect()
}

/// Returns the definition.
fn slow(x: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
    let n = x.len();
    let term = |k: usize, j: usize| Complex::cis(sign * std::f64::consts::TAU * (k * j % n) as f64 / n as f64);
    (0..n).map(|k| (0..n).map(|j| x[j] * term(k, j)).sum()).collect()
}

fn assert_close(a: &[Complex<f64>], b: &[Complex<f64>], bound: f64) {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().map(|x| x.norm()).fold(1.0, f64::max);
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(worst <= bound * largest, "{worst} of {largest}");
}

const DIRECTIONS: [(Direction, f64); 2] = [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)];

#[test]
fn rows_of_any_length_are_transformed_as_defined() {
    for n in (1..70).chain([97, 121, 128, 140, 191, 360, 509, 1000, 1024, 1025, 1536, 2039, 2048, 4001]) {
        rows_of_any_length(n);
    }
}

fn rows_of_any_length(n: usize) {
    for rows in [1, 9, 17] {
        let x = numbers(n * rows);
        for (direction, sign) in DIRECTIONS {
            let mut got = x.clone();
            rows_of(&mut got, n, direction);
            let one = slow(&x[(rows - 1) * n..], sign);
            assert_close(&got[(rows - 1) * n..], &one, 1e-14);
            let mut last = x[(rows - 1) * n..].to_vec();
            rows_of(&mut last, n, direction);
            assert_eq!(last, got[(rows - 1) * n..], "{n}: a row is transformed as if alone");
        }
    }
}

fn rows_of<T: Real>(x: &mut [Complex<T>], n: usize, direction: Direction) {
    rows(Threads::single(), None, x, n, direction, Scale::None).unwrap();
}

fn transposed(x: &[Complex<f64>], (rows, columns): (usize, usize)) -> Vec<Complex<f64>> {
    (0..columns).flat_map(|c| (0..rows).map(move |r| x[r * columns + c])).collect()
}

/// Returns the bits; all NaNs are equal.
fn bits<T: Float>(x: &[Complex<T>]) -> Vec<Option<(u64, i16, i8)>> {
    x.iter().flat_map(|x| [x.re, x.im]).map(|x| (!x.is_nan()).then(|| x.integer_decode())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn columns_are_the_rows_of_the_transposed_matrix(
        n in 1..300usize, count in 1..40usize, matrices in 1..3usize, threads in 1..4usize, inverse in any::<bool>(),
    ) {
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let x = numbers(matrices * n * count);
        let mut got = vec![Complex::default(); x.len()];
        columns(Threads::new(threads), Some(&x), &mut got, (n, count), direction, Scale::Complex(0.3)).unwrap();
        let mut in_place = x.clone();
        columns(Threads::single(), None, &mut in_place, (n, count), direction, Scale::Complex(0.3)).unwrap();
        prop_assert_eq!(bits(&got), bits(&in_place));
        for (x, got) in x.chunks(n * count).zip(got.chunks(n * count)) {
            let mut expected = transposed(x, (n, count));
            rows(Threads::single(), None, &mut expected, n, direction, Scale::Complex(0.3)).unwrap();
            prop_assert_eq!(bits(&transposed(got, (n, count))), bits(&expected));
        }
    }

    #[test]
    fn real_rows_are_complex_ones_and_come_back(n in 1..5000usize, count in 1..20usize, more in 0..3usize, threads in 1..4usize) {
        let (stride, half) = (n + more, n / 2 + 1);
        let x: Vec<f64> = (0..count * stride).map(|i| (i as f64 * 0.3).sin()).collect();
        let mut got = vec![Complex::default(); count * half];
        real_rows(Threads::new(threads), &x, stride, &mut got, n).unwrap();
        let mut back = vec![0.0; count * n];
        real_inverse_rows(Threads::new(threads), &got, &mut back, n, 1.0 / n as f64).unwrap();
        for (k, from) in x.chunks(stride).enumerate() {
            let mut expected: Vec<Complex<f64>> = from[..n].iter().map(Complex::from).collect();
            rows_of(&mut expected, n, Direction::Forward);
            assert_close(&got[k * half..(k + 1) * half], &expected[..half], 1e-14);
            let worst = from[..n].iter().zip(&back[k * n..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            prop_assert!(worst < 1e-13, "{}", worst);
        }
        let mut again = vec![Complex::default(); count * half];
        real_rows(Threads::single(), &x, stride, &mut again, n).unwrap();
        prop_assert_eq!(bits(&got), bits(&again));
    }

    #[test]
    fn imaginary_parts_of_real_numbers_do_not_count(n in 1..3000usize) {
        let half = n / 2 + 1;
        let mut x = numbers(half);
        let inverse = |x: &[Complex<f64>]| {
            let mut to = vec![0.0; n];
            real_inverse_rows(Threads::single(), x, &mut to, n, 0.5).unwrap();
            to
        };
        let expected = inverse(&x);
        x[0].im = 7.0;
        if n.is_multiple_of(2) {
            x[half - 1].im = -3.0;
        }
        let got = inverse(&x);
        prop_assert!(n <= 2 || got == expected);
    }

    #[test]
    fn bits_are_the_same_on_every_instruction_set(n in 1..700usize, count in 1..40usize, inverse in any::<bool>()) {
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let x: Vec<Complex<f32>> = numbers(n * count).iter().map(|x| Complex::new(x.re as f32, x.im as f32)).collect();
        let wide = numbers(n * count);
        for isa in Isa::available() {
            let (mut got, mut got_wide) = (x.clone(), wide.clone());
            let plan = f32::plan(n, direction).unwrap();
            f32::run_on(isa, Rows { plan: &plan, from: None, to: f32::parts_mut(&mut got), scale: Scale::Real(0.7) });
            let plan = f64::plan(n, direction).unwrap();
            let to = f64::parts_mut(&mut got_wide);
            f64::run_on(isa, Rows { plan: &plan, from: None, to, scale: Scale::Real(0.7) });
            let (mut expected, mut expected_wide) = (x.clone(), wide.clone());
            rows(Threads::single(), None, &mut expected, n, direction, Scale::Real(0.7)).unwrap();
            rows(Threads::single(), None, &mut expected_wide, n, direction, Scale::Real(0.7)).unwrap();
            prop_assert_eq!(bits(&got), bits(&expected));
            prop_assert_eq!(bits(&got_wide), bits(&expected_wide));
        }
    }

    #[test]
    fn single_precision_is_near_double_precision(n in 1..6000usize) {
        let mut wide = numbers(n);
        let mut x: Vec<Complex<f32>> = wide.iter().map(|x| Complex::new(x.re as f32, x.im as f32)).collect();
        rows_of(&mut wide, n, Direction::Forward);
        rows_of(&mut x, n, Direction::Forward);
        let x: Vec<_> = x.iter().map(|x| Complex::new(f64::from(x.re), f64::from(x.im))).collect();
        assert_close(&x, &wide, 2e-6);
    }
}

#[test]
fn what_is_not_finite_stays_in_its_row() {
    for n in [4, 37, 67, 2048, 2039] {
        let mut x = numbers(3 * n);
        let expected = {
            let mut x = x.clone();
            rows_of(&mut x, n, Direction::Forward);
            x
        };
        x[n + 1].re = f64::INFINITY;
        rows_of(&mut x, n, Direction::Forward);
        assert_eq!(x[..n], expected[..n]);
        assert_eq!(x[2 * n..], expected[2 * n..]);
        assert!(x[n..2 * n].iter().all(|x| !(x.re.is_finite() && x.im.is_finite())));
    }
}

#[test]
fn tables_are_dropped_when_there_are_too_many() {
    let mut kept = None;
    Tables::<f32>::with_room(&mut kept, KEPT - 1).turns.insert((4, Direction::Forward), Arc::new(Vec::new()));
    assert_eq!(Tables::with_room(&mut kept, 1).turns.len(), 1);
    let tables = Tables::with_room(&mut kept, 1);
    assert_eq!((tables.turns.len(), tables.size), (0, 1));
}

#[test]
fn a_step_that_stops_leaves_whole_tables() {
    let mut x = numbers(3 * 4099);
    let stopped = crate::threads::watched(&|| true, || {
        rows(Threads::new(2), None, &mut x, 4099, Direction::Forward, Scale::None)
    });
    assert!(stopped.is_err());
    rows_of_any_length(4099);
}
