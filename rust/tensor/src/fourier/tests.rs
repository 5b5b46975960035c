//! Laws of transforms in lanes: they give what the definition gives, and each as if it were alone.

use super::kept::Kept;
use super::*;
use crate::vector::Isa;
use proptest::prelude::*;

fn numbers(n: usize) -> Vec<Complex<f64>> {
    (0..n).map(|i| Complex::new((i as f64 * 0.7).sin(), (i as f64 * 1.3).cos())).collect()
}

fn narrow(x: &[Complex<f64>]) -> Vec<Complex<f32>> {
    x.iter().map(|x| Complex::new(x.re as f32, x.im as f32)).collect()
}

/// Returns the definition.
fn slow(x: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
    let n = x.len();
    let term = |k: usize, j: usize| Complex::cis(sign * std::f64::consts::TAU * (k * j % n) as f64 / n as f64);
    (0..n).map(|k| (0..n).map(|j| x[j] * term(k, j)).sum()).collect()
}

fn column(x: &[Complex<f64>], columns: usize, number: usize) -> Vec<Complex<f64>> {
    x.iter().skip(number).step_by(columns).copied().collect()
}

/// Returns the largest difference to `expected`, as a share of the largest number there.
fn difference(x: &[Complex<f64>], expected: &[Complex<f64>]) -> f64 {
    assert_eq!(x.len(), expected.len());
    let largest = expected.iter().map(|x| x.norm()).fold(1.0, f64::max);
    x.iter().zip(expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

/// Returns the bits; all NaNs are equal.
fn bits<T: Float>(x: &[Complex<T>]) -> Vec<Option<(u64, i16, i8)>> {
    x.iter().flat_map(|x| [x.re, x.im]).map(|x| (!x.is_nan()).then(|| x.integer_decode())).collect()
}

fn run<T: Real>(
    threads: usize,
    x: &mut [Complex<T>],
    n: usize,
    columns: usize,
    direction: Direction,
    factor: Option<T>,
) {
    let transform = ColumnTransform { plan: T::plan(n, direction).unwrap() };
    transform.run(Threads::new(threads), None, x, columns, factor).unwrap();
}

const DIRECTIONS: [(Direction, f64); 2] = [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)];

#[test]
fn columns_of_every_length_without_large_primes_are_transformed_as_defined() {
    for n in (1..=130).chain([197, 199, 211, 591, 360, 1000, 1024, 2048, 61 * 61, 4096]) {
        for (direction, sign) in DIRECTIONS {
            let Some(transform) = ColumnTransform::new(n, 8, direction) else {
                assert!((200..=n).any(|p| n % p == 0 && (2..p).all(|d| p % d != 0)), "{n}");
                continue;
            };
            let (x, columns) = (numbers(2 * n * 3), 3);
            let mut got = x.clone();
            transform.run(Threads::single(), None, &mut got, columns, None).unwrap();
            let (last, got) = (column(&x[3 * n..], columns, 2), column(&got[3 * n..], columns, 2));
            assert!(difference(&got, &slow(&last, sign)) < 1e-14, "{n}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_column_is_transformed_as_if_alone(
        n in 1..62usize, second in 1..8usize, columns in 1..50usize, matrices in 1..3usize, threads in 1..4usize,
        inverse in any::<bool>(), scaled in any::<bool>(), in_place in any::<bool>(),
    ) {
        let (n, factor) = (n * second, scaled.then_some(0.3));
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let x = numbers(matrices * n * columns);
        let mut got = x.clone();
        if in_place {
            run(threads, &mut got, n, columns, direction, factor);
        } else {
            got.fill(Complex::new(f64::NAN, 7.0));
            let transform = ColumnTransform { plan: f64::plan(n, direction).unwrap() };
            transform.run(Threads::new(threads), Some(&x), &mut got, columns, factor).unwrap();
        }
        for (x, got) in x.chunks(n * columns).zip(got.chunks(n * columns)) {
            for number in [0, columns / 2, columns - 1] {
                let mut alone = column(x, columns, number);
                run(1, &mut alone, n, 1, direction, factor);
                prop_assert_eq!(bits(&column(got, columns, number)), bits(&alone));
            }
        }
    }

    #[test]
    fn bits_are_the_same_on_every_instruction_set(
        n in 1..62usize, second in 1..12usize, columns in 1..40usize, inverse in any::<bool>(),
    ) {
        let n = n * second;
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        fn on<T: Real>(isa: Isa, x: &mut [Complex<T>], n: usize, columns: usize, direction: Direction, factor: T) {
            let plan = T::plan(n, direction).unwrap();
            let groups = Columns::new(T::parts_mut(x), (n, 2 * columns), 2 * T::LANES);
            try_for_rows_mut(Threads::single(), groups.count(), usize::MAX, groups, |numbers, pieces| {
                let (plan, factor) = (&*plan, Some(factor));
                T::run_on(isa, ColumnPieces { plan, from: None, numbers, pieces, stride: 2 * columns, factor });
            }).unwrap();
        }
        let wide = numbers(n * columns);
        let mut expected = (narrow(&wide), wide.clone());
        run(1, &mut expected.0, n, columns, direction, Some(0.7));
        run(1, &mut expected.1, n, columns, direction, Some(0.7));
        for isa in Isa::available() {
            let mut got = (narrow(&wide), wide.clone());
            on(isa, &mut got.0, n, columns, direction, 0.7);
            on(isa, &mut got.1, n, columns, direction, 0.7);
            prop_assert_eq!((bits(&got.0), bits(&got.1)), (bits(&expected.0), bits(&expected.1)));
        }
    }

    #[test]
    fn many_rows_are_transformed_as_the_columns_of_the_transposed_matrix(
        n in 1..62usize, second in 1..12usize, count in 8..50usize, threads in 1..4usize, inverse in any::<bool>(),
        in_place in any::<bool>(),
    ) {
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let (n, x) = (n * second, numbers(n * second * count));
        let transform = RowTransform { plan: f64::plan(n, direction).unwrap() };
        let mut got = x.clone();
        let from = if in_place { None } else { got.fill(Complex::new(f64::NAN, 3.0)); Some(&x[..]) };
        transform.run(Threads::new(threads), from, &mut got, Some(0.3)).unwrap();
        let mut columns: Vec<_> = (0..n).flat_map(|i| column(&x, n, i)).collect();
        run(1, &mut columns, n, count, direction, Some(0.3));
        let expected: Vec<_> = (0..count).flat_map(|i| column(&columns, count, i)).collect();
        prop_assert_eq!(bits(&got), bits(&expected));
    }

    #[test]
    fn many_real_rows_are_complex_ones_and_come_back(
        half in 2..62usize, second in 1..30usize, count in 8..40usize, more in 0..3usize, threads in 1..4usize,
    ) {
        let half = half * second;
        let (n, stride) = (2 * half, 2 * half + more);
        let x: Vec<f64> = (0..count * stride).map(|i| (i as f64 * 0.3).sin()).collect();
        let Some(transform) = RealRowTransform::new(n, count) else {
            prop_assert!(half > 2048);
            return Ok(());
        };
        let mut got = vec![Complex::default(); count * (half + 1)];
        transform.run(Threads::new(threads), &x, stride, &mut got).unwrap();
        for (x, got) in x.chunks(stride).zip(got.chunks(half + 1)) {
            let mut expected: Vec<Complex<f64>> = x[..n].iter().map(Complex::from).collect();
            run(1, &mut expected, n, 1, Direction::Forward, None);
            prop_assert!(difference(got, &expected[..=half]) < 1e-14);
        }
        let back = |from: &[Complex<f64>]| {
            let mut back = vec![f64::NAN; count * n];
            let inverse = RealInverseRowTransform::new(n, count).unwrap();
            inverse.run(Threads::new(threads), from, &mut back, 1.0 / n as f64).unwrap();
            back
        };
        let expected = back(&got);
        for (x, got) in x.chunks(stride).zip(expected.chunks(n)) {
            prop_assert!(x.iter().zip(got).all(|(a, b)| (a - b).abs() < 1e-13));
        }
        // Imaginary parts of numbers that must be real do not count.
        for row in got.chunks_mut(half + 1) {
            (row[0].im, row[half].im) = (5.0, -7.0);
        }
        prop_assert_eq!(back(&got), expected);
    }

    #[test]
    fn single_precision_is_near_double_precision(n in 1..62usize, second in 1..62usize) {
        let mut wide = numbers(n * second);
        let mut x = narrow(&wide);
        run(1, &mut wide, n * second, 1, Direction::Forward, None);
        run(1, &mut x, n * second, 1, Direction::Forward, None);
        let x: Vec<_> = x.iter().map(|x| Complex::new(f64::from(x.re), f64::from(x.im))).collect();
        prop_assert!(difference(&x, &wide) < 2e-6);
    }
}

#[test]
fn what_is_not_finite_stays_in_its_column() {
    for n in [1, 2, 4, 37, 60] {
        let mut x = numbers(3 * n);
        let mut expected = x.clone();
        run(1, &mut expected, n, 3, Direction::Inverse, Some(0.5));
        x[1].re = f64::INFINITY;
        run(1, &mut x, n, 3, Direction::Inverse, Some(0.5));
        for number in [0, 2] {
            assert_eq!(column(&x, 3, number), column(&expected, 3, number));
        }
        assert!(column(&x, 3, 1).iter().all(|x| !(x.re.is_finite() && x.im.is_finite())));
    }
}

#[test]
fn few_rows_or_columns_long_ones_and_large_primes_are_left_to_others() {
    let forward = Direction::Forward;
    assert!(
        ColumnTransform::<f32>::new(200, 8, forward).is_some()
            && ColumnTransform::<f32>::new(200, 7, forward).is_none()
    );
    assert!(
        ColumnTransform::<f64>::new(128, 1, forward).is_some()
            && ColumnTransform::<f64>::new(8200, 99, forward).is_none()
    );
    assert!(ColumnTransform::<f64>::new(211, 99, forward).is_none());
    assert!(RowTransform::<f32>::new(70, 15, forward).is_none() && RowTransform::<f32>::new(70, 16, forward).is_some());
    assert!(
        RowTransform::<f64>::new(211, 99, forward).is_none() && RowTransform::<f64>::new(3003, 99, forward).is_none()
    );
    for n in [1, 2, 42, 64, 96, 224, 360, 1024] {
        assert!(RowTransform::<f32>::new(n, 99, forward).is_none(), "{n}");
    }
    assert!(RealRowTransform::<f32>::new(15, 99).is_none() && RealInverseRowTransform::<f32>::new(422, 99).is_none());
    assert!(RealRowTransform::<f32>::new(16, 99).is_some() && RealInverseRowTransform::<f32>::new(16, 15).is_none());
}

#[test]
fn a_column_of_one_number_keeps_its_bits() {
    for number in [Complex::new(-0.0, -0.0), Complex::new(f32::from_bits(0x7fc1_2345), 1.0)] {
        let mut x = [number; 17];
        run(2, &mut x, 1, 17, Direction::Forward, None);
        assert!(x.iter().all(|x| x.re.to_bits() == number.re.to_bits() && x.im.to_bits() == number.im.to_bits()));
    }
}

#[test]
fn tables_are_dropped_when_there_are_too_many() {
    let mut kept = None;
    let plan = Arc::new(Plan::new(4, Direction::Forward).unwrap());
    Tables::<f32>::with_room(&mut kept, KEPT - 1).plans.insert((4, Direction::Forward), plan);
    assert_eq!(Tables::with_room(&mut kept, 1).plans.len(), 1);
    let tables = Tables::with_room(&mut kept, 1);
    assert_eq!((tables.plans.len(), tables.size), (0, 1));
}
