//! Throughput of matrix products, counted as two floating-point operations per multiplication.
//!
//! Shapes are named by the step they come from. `softmax` and `mlp` are the layers of a digit classifier (batch 100 and
//! 128) with their gradients (`_dw` by the weights, `_dx` by the input). Squares show the distance from the machine's
//! peak.

use divan::Bencher;
use divan::counter::ItemsCount;
use ferroflow_tensor::gemm::{MatRef, matmul_f32, matmul_f64};
use ferroflow_tensor::threads::Threads;

fn main() {
    divan::main();
}

/// A product of `rows x depth` by `depth x cols`; a flag says that the operand is stored transposed.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    rows: usize,
    depth: usize,
    cols: usize,
    a_transposed: bool,
    b_transposed: bool,
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}x{}x{}", self.name, self.rows, self.depth, self.cols)
    }
}

const fn shape(name: &'static str, size: [usize; 3], a_transposed: bool, b_transposed: bool) -> Shape {
    Shape { name, rows: size[0], depth: size[1], cols: size[2], a_transposed, b_transposed }
}

const SHAPES: [Shape; 22] = [
    shape("square", [64, 64, 64], false, false),
    shape("square", [256, 256, 256], false, false),
    shape("square", [1024, 1024, 1024], false, false),
    shape("square_ta", [1024, 1024, 1024], true, false),
    shape("square_tb", [1024, 1024, 1024], false, true),
    shape("square_tab", [1024, 1024, 1024], true, true),
    shape("square", [2048, 2048, 2048], false, false),
    shape("softmax", [100, 784, 10], false, false),
    shape("softmax_dw", [784, 100, 10], true, false),
    shape("mlp1", [128, 784, 256], false, false),
    shape("mlp1_dw", [784, 128, 256], true, false),
    shape("mlp1_dx", [128, 256, 784], false, true),
    shape("mlp2", [128, 256, 256], false, false),
    shape("mlp2_dw", [256, 128, 256], true, false),
    shape("mlp2_dx", [128, 256, 256], false, true),
    shape("mlp3", [128, 256, 10], false, false),
    shape("mlp3_dw", [256, 128, 10], true, false),
    shape("mlp3_dx", [128, 10, 256], false, true),
    shape("vector_matrix", [1, 784, 256], false, false),
    shape("vector_matrix_tb", [1, 784, 256], false, true),
    shape("matrix_vector", [784, 256, 1], false, false),
    shape("matrix_vector_ta", [2048, 2048, 1], true, false),
];

/// Elements of a type aligned like a tensor's buffer.
struct Aligned<T> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy> Aligned<T> {
    fn new(len: usize, value: impl Fn(usize) -> T) -> Aligned<T> {
        let data: Vec<T> = (0..len + 64).map(value).collect();
        let start = data.as_ptr().align_offset(64);
        Aligned { data, start, len }
    }
    fn get(&self) -> &[T] {
        &self.data[self.start..self.start + self.len]
    }
    fn get_mut(&mut self) -> &mut [T] {
        &mut self.data[self.start..self.start + self.len]
    }
}

macro_rules! product_bench {
    ($name:ident, $float:ty, $matmul:ident, $threads:expr) => {
        #[divan::bench(args = SHAPES)]
        fn $name(bencher: Bencher<'_, '_>, shape: Shape) {
            let Shape { rows, depth, cols, .. } = shape;
            let number = |i: usize| (i * 7919 % 1000) as $float / 1000.0 - 0.5;
            let (a, b) = (Aligned::new(rows * depth, number), Aligned::new(depth * cols, number));
            let mut c = Aligned::new(rows * cols, |_| 0.0);
            let view = |data, rows, cols, transposed| {
                if transposed {
                    MatRef::row_major(data, cols, rows).map(MatRef::transposed)
                } else {
                    MatRef::row_major(data, rows, cols)
                }
            };
            let (Ok(a), Ok(b)) =
                (view(a.get(), rows, depth, shape.a_transposed), view(b.get(), depth, cols, shape.b_transposed))
            else {
                unreachable!("the operands were made for the shape")
            };
            bencher
                .counter(ItemsCount::new(2 * rows * depth * cols))
                .bench_local(|| $matmul(Threads::new($threads), a, b, c.get_mut(), false, None).is_ok());
        }
    };
}

product_bench!(f32_1_thread, f32, matmul_f32, 1);
product_bench!(f32_2_threads, f32, matmul_f32, 2);
product_bench!(f64_1_thread, f64, matmul_f64, 1);
product_bench!(f64_2_threads, f64, matmul_f64, 2);
