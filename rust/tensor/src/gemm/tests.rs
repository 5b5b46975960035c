//! Laws of the matrix products, against a naive reference in f64, over random shapes and layouts.

use half::{bf16, f16};
use num_complex::Complex;

use super::*;

/// A small generator of test inputs (splitmix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
    fn size(&mut self) -> usize {
        match self.below(6) {
            0 => 1 + self.below(3),
            1 | 2 => 1 + self.below(40),
            3 => [12, 13, 16, 24, 31, 32, 33, 48, 49, 64][self.below(10)],
            4 => 1 + self.below(150),
            _ => 200 + self.below(350),
        }
    }
}

/// A matrix with a layout of its own, as owned data.
#[derive(Clone, Debug)]
struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<T: Copy> Matrix<T> {
    /// Returns a random layout: row-major or transposed, dense or with gaps, or no unit stride at all, sometimes one
    /// row for all rows.
    fn random(draw: &mut Draw, rows: usize, cols: usize, mut value: impl FnMut(&mut Draw) -> T) -> Matrix<T> {
        let gap = if draw.below(2) == 0 { 0 } else { draw.below(20) };
        let (row_stride, col_stride) = match draw.below(7) {
            0..=2 => (cols + gap, 1),
            3 | 4 => (1, rows + gap),
            5 => (cols * 3 + gap, 3),
            _ => (0, 1),
        };
        let len = (rows - 1) * row_stride + (cols - 1) * col_stride + 1;
        Matrix { data: (0..len).map(|_| value(draw)).collect(), rows, cols, row_stride, col_stride }
    }
    fn view(&self) -> MatRef<'_, T> {
        MatRef::new(&self.data, self.rows, self.cols, self.row_stride, self.col_stride).unwrap()
    }
}

trait Float: PackedFloat + Default + PartialEq + std::fmt::Debug + Sync {
    const EPSILON: f64;
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    fn bits(self) -> u64;
    fn run(
        isa: Isa,
        threads: Threads,
        a: MatRef<'_, Self>,
        b: MatRef<'_, Self>,
        c: &mut [Self],
        accumulate: bool,
        epilogue: Option<&Epilogue<'_, Self>>,
    ) -> Result<()>;
}

macro_rules! float {
    ($float:ty, $on:ident) => {
        impl Float for $float {
            const EPSILON: f64 = <$float>::EPSILON as f64;
            fn of(value: f64) -> Self {
                value as $float
            }
            fn wide(self) -> f64 {
                f64::from(self)
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn run(
                isa: Isa,
                threads: Threads,
                a: MatRef<'_, Self>,
                b: MatRef<'_, Self>,
                c: &mut [Self],
                accumulate: bool,
                epilogue: Option<&Epilogue<'_, Self>>,
            ) -> Result<()> {
                $on(isa, threads, a, b, c, accumulate, epilogue)
            }
        }
    };
}
float!(f32, matmul_f32_on);
float!(f64, matmul_f64_on);

/// Returns every instruction set of this machine, the best one first. All versions must give the same bits.
fn isas() -> Vec<Isa> {
    Isa::available().into_iter().rev().collect()
}

fn bits<T: Float>(c: &[T]) -> Vec<u64> {
    c.iter().map(|value| value.bits()).collect()
}

fn random_pair<T: Float>(draw: &mut Draw) -> (Matrix<T>, Matrix<T>) {
    let (mut m, mut n, mut k) = (draw.size(), draw.size(), draw.size());
    match draw.below(12) {
        0 => m = 1,
        1 => n = 1,
        2 => k = 1,
        3 => k += 1100,
        4 => m += 2100,
        5 => n += 2100,
        6 => (m, n, k) = (1, n + 2100, k + 1000),
        _ => {}
    }
    while m * n * k > 30_000_000 {
        k = k.div_ceil(2);
    }
    let number = |draw: &mut Draw| T::of(draw.unit());
    (Matrix::random(draw, m, k, number), Matrix::random(draw, k, n, number))
}

fn matches_reference<T: Float>(seed: u64, rounds: usize) {
    let mut draw = Draw(seed);
    for round in 0..rounds {
        let (a, b) = random_pair::<T>(&mut draw);
        let (m, n, k) = (a.rows, b.cols, a.cols);
        let start: Vec<T> = (0..m * n).map(|_| T::of(draw.unit())).collect();
        let accumulate = draw.below(2) == 0;
        let (av, bv) = (a.view(), b.view());
        for isa in isas() {
            let mut c = start.clone();
            T::run(isa, Threads::new(2), av, bv, &mut c, accumulate, None).unwrap();
            // Every element of small products, a sample of large ones.
            let checks = if m * n * k < 400_000 { m * n } else { 300 };
            for check in 0..checks {
                let index = if checks == m * n { check } else { draw.below(m * n) };
                let (i, j) = (index / n, index % n);
                let (mut sum, mut size) = if accumulate { (start[index].wide(), 1.0) } else { (0.0, 0.0) };
                for p in 0..k {
                    let term = av.at(i, p).wide() * bv.at(p, j).wide();
                    sum += term;
                    size += term.abs();
                }
                let bound = T::EPSILON * (size + 1e-3) * 2.0 * (k as f64).sqrt().max(2.0);
                let error = (c[index].wide() - sum).abs();
                assert!(error <= bound, "{isa:?} round {round}: {m}x{k}x{n} element {i},{j}: {error} > {bound}");
            }
        }
    }
}

#[test]
fn f32_products_match_the_naive_reference() {
    matches_reference::<f32>(1, 120);
}

#[test]
fn f64_products_match_the_naive_reference() {
    matches_reference::<f64>(2, 120);
}

fn bits_do_not_depend_on_threads<T: Float>(seed: u64) {
    let mut draw = Draw(seed);
    for _ in 0..60 {
        let (a, b) = random_pair::<T>(&mut draw);
        for isa in isas() {
            let mut one = vec![T::default(); a.rows * b.cols];
            T::run(isa, Threads::single(), a.view(), b.view(), &mut one, false, None).unwrap();
            for count in [2, 4] {
                let mut many = vec![T::default(); one.len()];
                T::run(isa, Threads::new(count), a.view(), b.view(), &mut many, false, None).unwrap();
                assert_eq!(bits(&one), bits(&many), "{isa:?} {count} threads {}x{}x{}", a.rows, a.cols, b.cols);
            }
        }
    }
}

#[test]
fn f32_bits_do_not_depend_on_threads() {
    bits_do_not_depend_on_threads::<f32>(3);
}

#[test]
fn f64_bits_do_not_depend_on_threads() {
    bits_do_not_depend_on_threads::<f64>(4);
}

/// Checks that bits do not depend on other rows and columns. A single column has a kernel of its own, so a part of a
/// wider product keeps at least two. So do the rows of one column, where they become columns.
fn bits_do_not_depend_on_the_other_rows_and_columns<T: Float>(seed: u64) {
    let mut draw = Draw(seed);
    for _ in 0..80 {
        let (a, b) = random_pair::<T>(&mut draw);
        let (m, n, k) = (a.rows, b.cols, a.cols);
        let mut whole = vec![T::default(); m * n];
        T::run(Isa::current(), Threads::new(2), a.view(), b.view(), &mut whole, false, None).unwrap();
        let (top, left) = (draw.below(m), draw.below(n));
        let (rows, cols) = (1 + draw.below(m - top), 1 + draw.below(n - left));
        let (left, cols) = if n == 1 { (0, 1) } else { (left.min(n - 2), cols.max(2)) };
        let turns = n == 1 && m > 1 && a.col_stride != 1;
        let (top, rows) = if turns { (top.min(m - 2), rows.max(2)) } else { (top, rows) };
        let part_a = MatRef::new(&a.data[top * a.row_stride..], rows, k, a.row_stride, a.col_stride).unwrap();
        // The same columns, copied row by row.
        let copy: Vec<T> =
            (0..k).flat_map(|p| (left..left + cols).map(move |j| (p, j))).map(|(p, j)| b.view().at(p, j)).collect();
        let part_b = MatRef::row_major(&copy, k, cols).unwrap();
        let mut part = vec![T::default(); rows * cols];
        T::run(Isa::current(), Threads::single(), part_a, part_b, &mut part, false, None).unwrap();
        for i in 0..rows {
            let from = (top + i) * n + left;
            assert_eq!(
                bits(&part[i * cols..(i + 1) * cols]),
                bits(&whole[from..from + cols]),
                "{rows}x{cols} of {m}x{k}x{n}"
            );
        }
    }
}

fn bits_do_not_depend_on_the_instruction_set<T: Float>(seed: u64) {
    let mut draw = Draw(seed);
    for _ in 0..60 {
        let (a, b) = random_pair::<T>(&mut draw);
        let start: Vec<T> = (0..a.rows * b.cols).map(|_| T::of(draw.unit())).collect();
        let accumulate = draw.below(2) == 0;
        let mut results = isas().into_iter().map(|isa| {
            let mut c = start.clone();
            T::run(isa, Threads::new(2), a.view(), b.view(), &mut c, accumulate, None).unwrap();
            (isa, bits(&c))
        });
        let (first, expected) = results.next().unwrap();
        for (isa, got) in results {
            assert_eq!(got, expected, "{isa:?} and {first:?}, {}x{}x{}", a.rows, a.cols, b.cols);
        }
    }
}

#[test]
fn f32_bits_do_not_depend_on_the_instruction_set() {
    bits_do_not_depend_on_the_instruction_set::<f32>(9);
}

#[test]
fn f64_bits_do_not_depend_on_the_instruction_set() {
    bits_do_not_depend_on_the_instruction_set::<f64>(10);
}

#[test]
fn f32_bits_do_not_depend_on_the_other_rows_and_columns() {
    bits_do_not_depend_on_the_other_rows_and_columns::<f32>(5);
}

#[test]
fn f64_bits_do_not_depend_on_the_other_rows_and_columns() {
    bits_do_not_depend_on_the_other_rows_and_columns::<f64>(6);
}

fn tiny_products_have_the_bits_of_wider_ones<T: Float>(seed: u64) {
    let mut draw = Draw(seed);
    for cols in 2..=8 {
        for depth in 1..=16 {
            let rows = 1 + draw.below(30);
            let a = Matrix::random(&mut draw, rows, depth, |d| T::of(d.unit()));
            let b = Matrix::random(&mut draw, depth, 40, |d| T::of(d.unit()));
            let start: Vec<T> = (0..rows * 40).map(|_| T::of(draw.unit())).collect();
            for isa in isas() {
                for accumulate in [false, true] {
                    let mut wide = start.clone();
                    T::run(isa, Threads::single(), a.view(), b.view(), &mut wide, accumulate, None).unwrap();
                    let narrow = |c: &[T]| c.chunks(40).flat_map(|row| row[..cols].to_vec()).collect::<Vec<T>>();
                    let mut tiny = narrow(&start);
                    let few = b.view().column_range(0, cols).unwrap();
                    T::run(isa, Threads::new(2), a.view(), few, &mut tiny, accumulate, None).unwrap();
                    assert_eq!(bits(&tiny), bits(&narrow(&wide)), "{isa:?} {rows}x{depth}x{cols}");
                }
            }
        }
    }
}

#[test]
fn f32_tiny_products_have_the_bits_of_wider_ones() {
    tiny_products_have_the_bits_of_wider_ones::<f32>(21);
}

#[test]
fn f64_tiny_products_have_the_bits_of_wider_ones() {
    tiny_products_have_the_bits_of_wider_ones::<f64>(22);
}

/// Returns windows of random sizes with padding, strides and dilations: data, batch, axes, channels.
fn random_windows(draw: &mut Draw) -> (Vec<f32>, usize, [PatchAxis; 3], usize) {
    let (batch, channels) = (1 + draw.below(3), [1, 3, 8, 17, 40][draw.below(5)]);
    let axis = |draw: &mut Draw| {
        let (taps, tap_step, step) = (1 + draw.below(4), 1 + draw.below(2), 1 + draw.below(3));
        let (count, before) = (1 + draw.below(11), if draw.below(2) == 0 { 0 } else { draw.below(taps) });
        let reach = (count - 1) * step + (taps - 1) * tap_step + 1;
        let size = (reach + draw.below(3)).saturating_sub(before + draw.below(2)).max(1);
        PatchAxis { size, count, first: -(before as isize), step, taps, tap_step }
    };
    let axes = [if draw.below(4) == 0 { axis(draw) } else { PatchAxis::FLAT }, axis(draw), axis(draw)];
    let len = batch * channels * axes.iter().map(|a| a.size).product::<usize>();
    ((0..len).map(|_| draw.unit() as f32).collect(), batch, axes, channels)
}

#[test]
fn products_with_windows_have_the_bits_of_products_with_their_copies() {
    let mut draw = Draw(77);
    for _ in 0..200 {
        let (data, batch, axes, channels) = random_windows(&mut draw);
        let windows = Patches::new(&data, batch, axes, channels).unwrap();
        let (rows, cols, outputs) = (windows.rows(), windows.cols(), 1 + draw.below(70));
        let mut copy = vec![0.0; rows * cols];
        windows.copy(0..rows, 0..cols, &mut copy);
        let first = draw.below(rows);
        let mut values = |len: usize| (0..len).map(|_| draw.unit() as f32).collect::<Vec<_>>();
        let (filter, gradient) = (values(cols * outputs), values((rows - first) * outputs));
        let filter = MatRef::row_major(&filter, cols, outputs).unwrap();
        let gradient = MatRef::row_major(&gradient, rows - first, outputs).unwrap();
        let whole = MatRef::row_major(&copy, rows, cols).unwrap();
        let rest = MatRef::row_major(&copy[first * cols..], rows - first, cols).unwrap();
        // The columns of a product with one column would take another path.
        if outputs == 1 {
            continue;
        }
        let (mut forward, mut backward) = (vec![0.0; rows * outputs], vec![0.0; cols * outputs]);
        matmul_f32(Threads::single(), whole, filter, &mut forward, false, None).unwrap();
        matmul_f32(Threads::single(), rest.transposed(), gradient, &mut backward, false, None).unwrap();
        for isa in isas() {
            let mut c = vec![f32::NAN; forward.len()];
            patches_by_matrix_f32_on(isa, Threads::single(), &windows, filter, &mut c, None).unwrap();
            assert_eq!(bits(&c), bits(&forward), "{isa:?} {axes:?} {channels} {outputs}");
            let mut c = vec![f32::NAN; backward.len()];
            transposed_patches_by_matrix_f32_on(isa, Threads::single(), &windows, first, gradient, &mut c).unwrap();
            assert_eq!(bits(&c), bits(&backward), "{isa:?} {axes:?} {channels} {outputs} from {first}");
        }
    }
}

fn an_epilogue_gives_the_bits_of_the_separate_steps<T: Float + PartialOrd + num_traits::Zero>(seed: u64) {
    let mut draw = Draw(seed);
    for round in 0..60 {
        let (mut a, b) = random_pair::<T>(&mut draw);
        let n = b.cols;
        if round % 3 == 0 {
            a.data[0] = T::of(f64::NAN);
        }
        let bias: Vec<T> = (0..n).map(|_| T::of(draw.unit())).collect();
        let epilogue = Epilogue {
            bias: (draw.below(3) > 0).then_some(&bias[..]),
            activation: if draw.below(3) > 0 { Activation::Relu } else { Activation::None },
        };
        let start: Vec<T> = (0..a.rows * n).map(|_| T::of(draw.unit())).collect();
        for isa in isas() {
            for accumulate in [false, true] {
                let (mut fused, mut apart) = (start.clone(), start.clone());
                T::run(isa, Threads::new(2), a.view(), b.view(), &mut fused, accumulate, Some(&epilogue)).unwrap();
                T::run(isa, Threads::new(2), a.view(), b.view(), &mut apart, accumulate, None).unwrap();
                for (index, value) in apart.iter_mut().enumerate() {
                    if let Some(bias) = epilogue.bias {
                        *value = T::of(value.wide()).plus(bias[index % n]);
                    }
                    *value = epilogue.activation.apply(*value);
                }
                assert_eq!(bits(&fused), bits(&apart), "{isa:?} {}x{}x{n}", a.rows, a.cols);
            }
        }
    }
}

fn packed_matrices_give_the_bits_of_the_matrices<T: Float>(seed: u64) {
    let mut draw = Draw(seed);
    for _ in 0..60 {
        let (a, b) = random_pair::<T>(&mut draw);
        let n = b.cols;
        let bias: Vec<T> = (0..n).map(|_| T::of(draw.unit())).collect();
        let epilogue = Epilogue { bias: Some(&bias[..]), activation: Activation::Relu };
        let epilogue = (draw.below(2) > 0).then_some(&epilogue);
        let mut expected = vec![T::default(); a.rows * n];
        T::run(Isa::current(), Threads::single(), a.view(), b.view(), &mut expected, false, epilogue).unwrap();
        for (isa, threads) in isas().into_iter().flat_map(|isa| [1, 3].map(|n| (isa, Threads::new(n)))) {
            let Ok(packed) = T::packed_for(isa, threads, b.view()) else {
                assert_eq!(n, 1);
                continue;
            };
            // A packed matrix serves products of any number of rows.
            for rows in [a.rows, 1 + draw.below(a.rows)] {
                let mut c = vec![T::of(f64::NAN); rows * n];
                T::by_packed(threads, a.view().row_range(0, rows).unwrap(), &packed, &mut c, epilogue).unwrap();
                assert_eq!(bits(&c), bits(&expected[..rows * n]), "{isa:?} {rows}x{}x{n}", a.cols);
            }
        }
    }
}

#[test]
fn packed_matrices_give_the_bits_of_the_matrices_in_f32() {
    packed_matrices_give_the_bits_of_the_matrices::<f32>(17);
}

#[test]
fn packed_matrices_give_the_bits_of_the_matrices_in_f64() {
    packed_matrices_give_the_bits_of_the_matrices::<f64>(18);
}

trait Plus {
    fn plus(self, other: Self) -> Self;
}
impl<T: std::ops::Add<Output = T>> Plus for T {
    fn plus(self, other: T) -> T {
        self + other
    }
}

#[test]
fn an_epilogue_gives_the_bits_of_the_separate_steps_in_f32() {
    an_epilogue_gives_the_bits_of_the_separate_steps::<f32>(7);
}

#[test]
fn an_epilogue_gives_the_bits_of_the_separate_steps_in_f64() {
    an_epilogue_gives_the_bits_of_the_separate_steps::<f64>(8);
}

#[test]
fn relu_keeps_nan_and_the_sign_of_zero() {
    let relu = Epilogue::<f32> { bias: None, activation: Activation::Relu };
    for isa in isas() {
        // The product of the second element underflows to -0.0, which the sum must keep.
        let a = [f32::NAN, -1e-30, 4.0, -3.0, f32::INFINITY, f32::NEG_INFINITY];
        let small = [1e-30f32, 1e-30];
        let mut c = [0.0f32; 12];
        let av = MatRef::row_major(&a, 6, 1).unwrap();
        let bv = MatRef::row_major(&small, 1, 2).unwrap();
        matmul_f32_on(isa, Threads::single(), av, bv, &mut c, false, Some(&relu)).unwrap();
        let column: Vec<f32> = c.iter().copied().step_by(2).collect();
        assert!(column[0].is_nan());
        assert_eq!(column[1].to_bits(), (-0.0f32).to_bits());
        assert_eq!(&column[2..], &[4e-30, 0.0, f32::INFINITY, 0.0]);
    }
}

#[test]
fn nan_and_infinity_of_either_operand_reach_the_product_through_zeros() {
    for isa in isas() {
        for (m, n, k) in [(1, 1, 1), (1, 40, 9), (40, 1, 9), (5, 10, 300), (70, 70, 70), (200, 33, 20)] {
            for special in [f32::NAN, f32::INFINITY] {
                let (row, step, col) = (m / 2, k / 2, n / 3);
                let mut a = vec![0f32; m * k];
                let b = vec![0f32; k * n];
                let mut c = vec![7f32; m * n];
                a[row * k + step] = special;
                let (av, bv) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
                matmul_f32_on(isa, Threads::new(2), av, bv, &mut c, false, None).unwrap();
                for (index, value) in c.iter().enumerate() {
                    assert_eq!(value.is_nan(), index / n == row, "{isa:?} {m}x{k}x{n} at {index}");
                }
                let a = vec![0f32; m * k];
                let mut b = vec![0f32; k * n];
                b[step * n + col] = special;
                let (av, bv) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
                matmul_f32_on(isa, Threads::new(2), av, bv, &mut c, false, None).unwrap();
                for (index, value) in c.iter().enumerate() {
                    assert_eq!(value.is_nan(), index % n == col, "{isa:?} {m}x{k}x{n} at {index}");
                }
            }
        }
    }
}

#[test]
fn an_empty_inner_dimension_gives_zeros_and_the_epilogue() {
    let bias = [1.0f32, -2.0, 3.0];
    let relu = Epilogue { bias: Some(&bias), activation: Activation::Relu };
    for isa in isas() {
        let empty = [0f32; 0];
        let (a, b) = (MatRef::row_major(&empty, 2, 0).unwrap(), MatRef::row_major(&empty, 0, 3).unwrap());
        let mut c = [9f32; 6];
        matmul_f32_on(isa, Threads::new(2), a, b, &mut c, true, None).unwrap();
        assert_eq!(c, [9.0; 6]);
        matmul_f32_on(isa, Threads::new(2), a, b, &mut c, false, None).unwrap();
        assert_eq!(c, [0.0; 6]);
        matmul_f32_on(isa, Threads::new(2), a, b, &mut c, false, Some(&relu)).unwrap();
        assert_eq!(c, [1.0, 0.0, 3.0, 1.0, 0.0, 3.0]);
    }
    let empty: [Complex<f32>; 0] = [];
    let (a, b) = (MatRef::row_major(&empty, 1, 0).unwrap(), MatRef::row_major(&empty, 0, 2).unwrap());
    let mut c = [Complex::new(5f32, 5.0); 2];
    matmul_c32(Threads::single(), a, b, &mut c, false).unwrap();
    assert_eq!(c, [Complex::new(0.0, 0.0); 2]);
}

#[test]
fn empty_products_do_nothing() {
    let some = [1f32; 12];
    for (m, n) in [(0, 3), (3, 0), (0, 0)] {
        let a = MatRef::row_major(&some[..m * 4], m, 4).unwrap();
        let b = MatRef::row_major(&some[..n * 4], 4, n).unwrap();
        for isa in isas() {
            matmul_f32_on(isa, Threads::new(2), a, b, &mut [], false, None).unwrap();
        }
    }
}

#[test]
fn sizes_that_do_not_agree_are_refused() {
    let data = [0f32; 24];
    let threads = Threads::single();
    let a = MatRef::row_major(&data[..6], 2, 3).unwrap();
    let b = MatRef::row_major(&data[..12], 3, 4).unwrap();
    let mut c = [0f32; 8];
    assert!(matmul_f32(threads, a, b, &mut c, false, None).is_ok());
    assert!(matmul_f32(threads, b, a, &mut c, false, None).is_err());
    assert!(matmul_f32(threads, a, b, &mut c[..7], false, None).is_err());
    let epilogue = Epilogue { bias: Some(&data[..3]), activation: Activation::None };
    assert!(matmul_f32(threads, a, b, &mut c, false, Some(&epilogue)).is_err());
    assert!(MatRef::row_major(&data, 5, 5).is_err());
    assert!(MatRef::new(&data, 2, 2, usize::MAX, 1).is_err());
    assert!(MatRef::new(&data, usize::MAX, 2, 2, 1).is_err());
    assert!(MatRef::new(&data, 24, 1, 1, 1000).is_ok());
    assert!(MatRef::new(&data[..0], 0, 7, 7, 1).is_ok());
}

/// Operands that end where the process has no memory: a kernel that reads past an operand's end dies here.
#[cfg(unix)]
#[test]
fn no_element_past_an_operand_is_read_or_written() {
    const PAGE: usize = 4096;
    struct Fenced {
        base: *mut u8,
        pages: usize,
    }
    impl Fenced {
        fn new(bytes: usize) -> Fenced {
            let pages = bytes.div_ceil(PAGE).max(1);
            // SAFETY: a fresh private mapping, whose last page is then closed.
            let base = unsafe {
                let base = libc::mmap(
                    std::ptr::null_mut(),
                    (pages + 1) * PAGE,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                );
                assert_ne!(base, libc::MAP_FAILED);
                assert_eq!(libc::mprotect(base.cast::<u8>().add(pages * PAGE).cast(), PAGE, libc::PROT_NONE), 0);
                base.cast()
            };
            Fenced { base, pages }
        }
        fn floats(&mut self, len: usize) -> &mut [f32] {
            // SAFETY: the last `len` floats before the closed page, inside the mapping and aligned, since a page is.
            unsafe { std::slice::from_raw_parts_mut(self.base.add(self.pages * PAGE - len * 4).cast(), len) }
        }
    }
    impl Drop for Fenced {
        fn drop(&mut self) {
            // SAFETY: the mapping made in `new`.
            unsafe { libc::munmap(self.base.cast(), (self.pages + 1) * PAGE) };
        }
    }
    let mut draw = Draw(9);
    for _ in 0..80 {
        let (m, n, k) = (draw.size(), draw.size(), draw.size());
        let (mut a, mut b, mut c) = (Fenced::new(m * k * 4), Fenced::new(k * n * 4), Fenced::new(m * n * 4));
        let (a, b) = (&*a.floats(m * k), &*b.floats(k * n));
        for transposed in 0..4 {
            let av = if transposed & 1 == 0 { MatRef::row_major(a, m, k) } else { MatRef::new(a, m, k, 1, m) }.unwrap();
            let bv = if transposed & 2 == 0 { MatRef::row_major(b, k, n) } else { MatRef::new(b, k, n, 1, k) }.unwrap();
            for isa in isas() {
                matmul_f32_on(isa, Threads::single(), av, bv, c.floats(m * n), false, None).unwrap();
            }
        }
    }
}

#[test]
fn integer_products_wrap_around() {
    let mut draw = Draw(10);
    for _ in 0..40 {
        let (m, n, k) = (1 + draw.below(20), 1 + draw.below(20), 1 + draw.below(90));
        let a = Matrix::random(&mut draw, m, k, |draw| draw.next() as i32);
        let b = Matrix::random(&mut draw, k, n, |draw| draw.next() as i32);
        let mut c = vec![3i32; m * n];
        matmul_wrapping(Threads::new(2), a.view(), b.view(), &mut c, true).unwrap();
        for (index, &value) in c.iter().enumerate() {
            let sum = (0..k).fold(3i32, |sum, p| {
                sum.wrapping_add(a.view().at(index / n, p).wrapping_mul(b.view().at(p, index % n)))
            });
            assert_eq!(value, sum);
        }
    }
    let (a, b) = ([200u8, 100], [2u8, 1]);
    let mut c = [9u8];
    let (a, b) = (MatRef::row_major(&a, 1, 2).unwrap(), MatRef::row_major(&b, 2, 1).unwrap());
    matmul_wrapping(Threads::single(), a, b, &mut c, false).unwrap();
    assert_eq!(c, [244]);
}

#[test]
fn half_products_sum_in_f32_and_round_once() {
    let mut draw = Draw(11);
    for _ in 0..30 {
        let (m, n, k) = (1 + draw.below(40), 1 + draw.below(40), 1 + draw.below(400));
        let a = Matrix::random(&mut draw, m, k, |draw| f16::from_f64(draw.unit()));
        let b = Matrix::random(&mut draw, k, n, |draw| f16::from_f64(draw.unit()));
        let mut c = vec![f16::ONE; m * n];
        matmul_half(Threads::new(2), a.view(), b.view(), &mut c, true, None).unwrap();
        for (index, value) in c.iter().enumerate() {
            let terms = (0..k).map(|p| a.view().at(index / n, p).to_f64() * b.view().at(p, index % n).to_f64());
            let sum = terms.fold(1.0, |sum, term| sum + term);
            assert!((value.to_f64() - sum).abs() <= sum.abs() / 2040.0 + 1e-4, "{value} {sum}");
        }
    }
    // 300 ones: a bf16 sum would stop at 256.
    let ones = [bf16::ONE; 300];
    let mut c = [bf16::ZERO];
    let (a, b) = (MatRef::row_major(&ones, 1, 300).unwrap(), MatRef::row_major(&ones, 300, 1).unwrap());
    matmul_half(Threads::single(), a, b, &mut c, false, None).unwrap();
    assert_eq!(c[0].to_f32(), 300.0);
}

#[test]
fn complex_products_match_the_naive_reference_at_any_number_of_threads() {
    let mut draw = Draw(12);
    for _ in 0..30 {
        let (m, n, k) = (draw.size(), draw.size(), 1 + draw.below(100));
        let number = |draw: &mut Draw| Complex::new(draw.unit(), draw.unit());
        let a = Matrix::random(&mut draw, m, k, number);
        let b = Matrix::random(&mut draw, k, n, number);
        let mut c = vec![Complex::new(1.0, 2.0); m * n];
        matmul_c64(Threads::single(), a.view(), b.view(), &mut c, true).unwrap();
        for (index, value) in c.iter().enumerate() {
            let sum = (0..k)
                .fold(Complex::new(1.0, 2.0), |sum, p| sum + a.view().at(index / n, p) * b.view().at(p, index % n));
            assert!((value - sum).norm() < 1e-12 * k as f64, "{value} {sum}");
        }
        let mut again = vec![Complex::new(1.0, 2.0); m * n];
        matmul_c64(Threads::new(4), a.view(), b.view(), &mut again, true).unwrap();
        assert_eq!(c, again);
    }
}

#[test]
fn rows_that_would_overlap_or_leave_c_have_no_places() {
    let spread = |first, counts, steps, len| Spread::new(first, counts, steps, 3, len);
    assert!(spread(1, [2, 2, 1, 1], [4, 10, 1, 1], 18).is_ok());
    assert!(spread(2, [2, 2, 1, 1], [4, 10, 1, 1], 18).is_err());
    assert!(spread(1, [2, 2, 1, 1], [2, 10, 1, 1], 18).is_err());
    assert!(spread(1, [2, 2, 1, 1], [4, 6, 1, 1], 18).is_err());
    assert!(spread(1, [usize::MAX, 2, 1, 1], [4, 10, 1, 1], 18).is_err());
}

#[test]
fn a_product_is_spread_over_lines_as_long_as_those_of_its_windows() {
    let axis = |count| PatchAxis { size: count, count, ..PatchAxis::FLAT };
    let data: Vec<f32> = (0..24u8).map(f32::from).collect();
    let patches = Patches::new(&data, 1, [PatchAxis::FLAT, axis(2), axis(12)], 1).unwrap();
    let b = MatRef::row_major(&[2.0, 3.0], 1, 2).unwrap();
    let write = |counts, steps| {
        let mut c = vec![-1.0; 100];
        let spread = Spread::new(1, counts, steps, 2, c.len()).unwrap();
        f32::patches_by_matrix_spread(Threads::single(), &patches, b, &mut c, &spread).map(|()| c)
    };
    let c = write([12, 2, 1, 1], [4, 50, 1, 1]).unwrap();
    for (i, &value) in c.iter().enumerate() {
        let (line, at) = (i / 50, (i % 50).wrapping_sub(1));
        let window = (line * 12 + at / 4) as f32;
        let expected = match (at < 48, at % 4) {
            (true, 0) => window * 2.0,
            (true, 1) => window * 3.0,
            _ => -1.0,
        };
        assert_eq!(value, expected, "{i}");
    }
    assert!(write([6, 4, 1, 1], [2, 20, 1, 1]).is_err());
    assert!(write([12, 1, 1, 1], [4, 50, 1, 1]).is_err());
}
