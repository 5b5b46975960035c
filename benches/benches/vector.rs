//! Throughput of elementwise loops and reductions on one core, on slices in L1 (4,096 floats) and in memory.

use divan::Bencher;
use divan::counter::ItemsCount;
use ferroflow_tensor::vector::{Binary, Operand, Unary, binary, unary};

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

/// The cost of dispatch: what a scalar graph pays for each node.
#[divan::bench]
fn add_one_element(bencher: Bencher) {
    let (a, b) = ([1.0f32], [2.0f32]);
    let mut out = [0.0f32];
    bencher.bench_local(|| {
        binary(Binary::Add, Operand::Slice(divan::black_box(&a)), Operand::Slice(divan::black_box(&b)), &mut out);
        divan::black_box(out[0])
    });
}

#[divan::bench]
fn tanh_one_element(bencher: Bencher) {
    let a = [1.0f32];
    let mut out = [0.0f32];
    bencher.bench_local(|| {
        unary(Unary::Tanh, divan::black_box(&a), &mut out);
        divan::black_box(out[0])
    });
}
