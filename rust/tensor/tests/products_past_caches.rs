//! The law of products that do not fit the caches: their rows are those of smaller products.

use ferroflow_tensor::gemm::{Activation, Epilogue, MatRef, matmul_f32, matmul_f64};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Scalar, Tensor};

/// Columns of c.
const COLS: usize = 2048;

fn values(n: usize, seed: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| ((i.wrapping_mul(7919) + seed) % 1009) as f64 / 500.0 - 1.0)
}

macro_rules! law {
    ($name:ident, $float:ty, $multiply:ident, $rows:expr) => {
        #[test]
        fn $name() {
            // Also columns that are no whole lines, and rows that are added to c.
            for (cols, depth, accumulate) in [(COLS, 1, false), (COLS, 5, false), (COLS - 3, 2, false), (COLS, 3, true)]
            {
                let a: Vec<$float> = values($rows * depth, 1).map(|x| x as $float).collect();
                let b: Vec<$float> = values(depth * cols, 2).map(|x| x as $float).collect();
                let bias: Vec<$float> = values(cols, 3).map(|x| x as $float).collect();
                let epilogue = Epilogue { bias: Some(&bias), ..Epilogue::default() };
                let mut expected = vec![0.5; $rows * cols];
                let half = $rows / 2;
                for part in 0..2 {
                    // Columns of the transposed factor, as in the gradient of a layer's weights.
                    let rows = MatRef::new(&a[part * half..], half, depth, 1, $rows).unwrap();
                    let c = &mut expected[part * half * cols..][..half * cols];
                    let right = MatRef::new(&b, depth, cols, cols, 1).unwrap();
                    $multiply(Threads::single(), rows, right, c, accumulate, Some(&epilogue)).unwrap();
                }
                for threads in [1, 3] {
                    // The memory of tensors begins with a cache line.
                    let mut c = Tensor::new(<$float as Scalar>::DTYPE, [$rows * cols]).unwrap();
                    let c = c.slice_mut::<$float>().unwrap();
                    c.fill(0.5);
                    let all = MatRef::new(&a, $rows, depth, 1, $rows).unwrap();
                    let right = MatRef::new(&b, depth, cols, cols, 1).unwrap();
                    $multiply(Threads::new(threads), all, right, c, accumulate, Some(&epilogue)).unwrap();
                    assert!(c[..] == expected, "{cols} columns, depth {depth}, {threads} threads");
                }
            }
        }
    };
}

law!(rows_of_large_f32_products_are_those_of_small_ones, f32, matmul_f32, 5000);
law!(rows_of_large_f64_products_are_those_of_small_ones, f64, matmul_f64, 2600);

macro_rules! law_of_one_row {
    ($name:ident, $float:ty, $multiply:ident) => {
        #[test]
        fn $name() {
            for (cols, depth, accumulate, activation) in [
                (COLS, 1100, false, Activation::None),
                (COLS + 13, 1030, true, Activation::Relu),
                (COLS + 1, 1027, false, Activation::Relu),
            ] {
                let a: Vec<$float> = values(2 * depth, 4).map(|x| x as $float).collect();
                let b: Vec<$float> = values(depth * cols, 5).map(|x| x as $float).collect();
                let bias: Vec<$float> = values(cols, 6).map(|x| x as $float).collect();
                let epilogue = Epilogue { bias: Some(&bias), activation };
                let right = MatRef::new(&b, depth, cols, cols, 1).unwrap();
                // The elements of a row lie side by side, or those of a column do.
                for (row, col) in [(depth, 1), (1, 2)] {
                    let two = MatRef::new(&a, 2, depth, row, col).unwrap();
                    let mut expected = vec![0.25; 2 * cols];
                    $multiply(Threads::single(), two, right, &mut expected, accumulate, Some(&epilogue)).unwrap();
                    for threads in [1, 3] {
                        let one = MatRef::new(&a[row..], 1, depth, row, col).unwrap();
                        let mut c = vec![0.25; cols];
                        $multiply(Threads::new(threads), one, right, &mut c, accumulate, Some(&epilogue)).unwrap();
                        assert!(c[..] == expected[cols..], "{cols} columns, depth {depth}, {threads} threads");
                    }
                }
            }
        }
    };
}

law_of_one_row!(one_row_times_a_large_f32_matrix_has_the_bits_of_a_row_among_others, f32, matmul_f32);
law_of_one_row!(one_row_times_a_large_f64_matrix_has_the_bits_of_a_row_among_others, f64, matmul_f64);
