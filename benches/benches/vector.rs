//! Throughput of elementwise loops and reductions on one core, on slices in L1 (4,096 floats) and in memory.

use divan::Bencher;
use divan::counter::ItemsCount;
use ferroflow_tensor::vector::{
    Binary, Compare, Operand, Reduce, Unary, arg_max, binary, cast, compare, reduce_rows_into, reduce_slice,
    softmax_rows, unary,
};
use half::{bf16, f16};

/// L1 (16 KiB of f32) and memory (64 MiB).
const LENGTHS: [usize; 2] = [4096, 1 << 24];

fn main() {
    divan::main();
}

fn ramp(length: usize) -> Vec<f32> {
    (0..length).map(|i| (i % 1000) as f32 * 0.01 - 5.0).collect()
}

fn unary_bench(bencher: Bencher, f: Unary, length: usize) {
    let x = ramp(length);
    let mut out = vec![0.0f32; length];
    bencher.counter(ItemsCount::new(length)).bench_local(|| unary(f, divan::black_box(&x), &mut out));
}

#[divan::bench(args = [Unary::Relu, Unary::Exp, Unary::Tanh, Unary::Sigmoid, Unary::Log, Unary::Log1p, Unary::Expm1,
    Unary::Erf, Unary::Softplus, Unary::Sin, Unary::Atan, Unary::Sqrt])]
fn unary_f32_in_l1(bencher: Bencher, f: Unary) {
    unary_bench(bencher, f, LENGTHS[0]);
}

#[divan::bench(args = [Unary::Relu, Unary::Exp, Unary::Tanh])]
fn unary_f32_in_memory(bencher: Bencher, f: Unary) {
    unary_bench(bencher, f, LENGTHS[1]);
}

#[divan::bench(args = [Unary::Exp, Unary::Tanh, Unary::Sigmoid, Unary::Log, Unary::Sin])]
fn unary_f64_in_l1(bencher: Bencher, f: Unary) {
    let x: Vec<f64> = ramp(4096).into_iter().map(f64::from).collect();
    let mut out = vec![0.0f64; 4096];
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| unary(f, divan::black_box(&x), &mut out));
}

#[divan::bench(args = [Binary::Add, Binary::Mul, Binary::Div, Binary::Maximum, Binary::TanhGrad, Binary::Pow])]
fn binary_f32_in_l1(bencher: Bencher, f: Binary) {
    let (a, b) = (ramp(4096), ramp(4096));
    let mut out = vec![0.0f32; 4096];
    bencher
        .counter(ItemsCount::new(4096usize))
        .bench_local(|| binary(f, Operand::Slice(divan::black_box(&a)), Operand::Slice(&b), &mut out));
}

#[divan::bench]
fn add_scalar_f32_in_l1(bencher: Bencher) {
    let a = ramp(4096);
    let mut out = vec![0.0f32; 4096];
    bencher
        .counter(ItemsCount::new(4096usize))
        .bench_local(|| binary(Binary::Add, Operand::Slice(divan::black_box(&a)), Operand::Scalar(2.0), &mut out));
}

/// Measures the cost of dispatch, which a scalar graph pays for each node, over 1,000 calls.
#[divan::bench(args = [1, 8, 15])]
fn add_short_slices(bencher: Bencher, length: usize) {
    let (a, b) = (ramp(length), ramp(length));
    let mut out = vec![0.0f32; length];
    bencher.counter(ItemsCount::new(1000usize)).bench_local(|| {
        for _ in 0..1000 {
            binary(Binary::Add, Operand::Slice(divan::black_box(&a)), Operand::Slice(&b), divan::black_box(&mut out));
        }
    });
}

#[divan::bench(args = [1, 8, 15])]
fn tanh_short_slices(bencher: Bencher, length: usize) {
    let a = ramp(length);
    let mut out = vec![0.0f32; length];
    bencher.counter(ItemsCount::new(1000usize)).bench_local(|| {
        for _ in 0..1000 {
            unary(Unary::Tanh, divan::black_box(&a), divan::black_box(&mut out));
        }
    });
}

#[divan::bench(args = [Reduce::Sum, Reduce::Max])]
fn reduce_f32_in_l1(bencher: Bencher, f: Reduce) {
    let x = ramp(4096);
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| reduce_slice(f, divan::black_box(&x)));
}

#[divan::bench(args = [Reduce::Sum, Reduce::Max])]
fn reduce_f32_in_memory(bencher: Bencher, f: Reduce) {
    let x = ramp(LENGTHS[1]);
    bencher.counter(ItemsCount::new(LENGTHS[1])).bench_local(|| reduce_slice(f, divan::black_box(&x)));
}

#[divan::bench]
fn sum_f64_in_l1(bencher: Bencher) {
    let x = vec![1.5f64; 4096];
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| reduce_slice(Reduce::Sum, divan::black_box(&x)));
}

#[divan::bench]
fn arg_max_f32_in_l1(bencher: Bencher) {
    let x = ramp(4096);
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| arg_max(divan::black_box(&x)));
}

/// Measures the gradient of a bias: batch 128 over 10 classes and over 256 units.
#[divan::bench(args = [10, 256])]
fn sum_of_128_rows(bencher: Bencher, columns: usize) {
    let x = ramp(128 * columns);
    let mut acc = vec![0.0f32; columns];
    bencher
        .counter(ItemsCount::new(128 * columns))
        .bench_local(|| reduce_rows_into(Reduce::Sum, &mut acc, divan::black_box(&x)));
}

/// Measures 100 rows of 10 classes (a digit classifier's batch) and of 1,000 (ImageNet's).
#[divan::bench(args = [10, 1000])]
fn softmax_of_100_rows(bencher: Bencher, classes: usize) {
    let x = ramp(100 * classes);
    let mut out = vec![0.0f32; 100 * classes];
    bencher
        .counter(ItemsCount::new(100 * classes))
        .bench_local(|| softmax_rows(divan::black_box(&x), classes, &mut out));
}

#[divan::bench]
fn less_f32_in_l1(bencher: Bencher) {
    let (a, b) = (ramp(4096), vec![0.0f32; 4096]);
    let mut out = vec![false; 4096];
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| {
        compare(Compare::Less, Operand::Slice(divan::black_box(&a)), Operand::Slice(&b), &mut out);
    });
}

#[divan::bench]
fn cast_f32_to_f16_in_l1(bencher: Bencher) {
    let x = ramp(4096);
    let mut out = vec![f16::ZERO; 4096];
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| cast(divan::black_box(&x), &mut out));
}

#[divan::bench]
fn cast_f32_to_i32_in_l1(bencher: Bencher) {
    let x = ramp(4096);
    let mut out = vec![0i32; 4096];
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| cast(divan::black_box(&x), &mut out));
}

#[divan::bench]
fn tanh_bf16_in_l1(bencher: Bencher) {
    let x: Vec<bf16> = ramp(4096).into_iter().map(bf16::from_f32).collect();
    let mut out = vec![bf16::ZERO; 4096];
    bencher.counter(ItemsCount::new(4096usize)).bench_local(|| unary(Unary::Tanh, divan::black_box(&x), &mut out));
}
