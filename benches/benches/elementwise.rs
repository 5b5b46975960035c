//! Throughput of elementwise functions of tensors: broadcasting, programs, and what scalars cost.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use ferroflow_tensor::elementwise::{Instruction, Program, binary, unary};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{Binary, Unary};
use ferroflow_tensor::{DType, Shape, Tensor};

fn main() {
    divan::main();
}

fn ramp(shape: &[usize]) -> Tensor {
    let n: usize = shape.iter().product();
    let values: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 0.01 - 5.0).collect();
    Tensor::from_slice(Shape::new(shape), &values).unwrap_or_else(|e| panic!("{e}"))
}

/// (name, left, right)
const PAIRS: [(&str, &[usize], &[usize]); 6] = [
    ("equal shapes, memory", &[10_000_000], &[10_000_000]),
    ("scalar, memory", &[10_000_000], &[]),
    ("bias of an MLP layer", &[128, 256], &[256]),
    ("bias of ten classes", &[100_000, 10], &[10]),
    ("column of a softmax", &[100_000, 10], &[100_000, 1]),
    ("image batch and channel means", &[32, 64, 64, 3], &[3]),
];

#[divan::bench(args = PAIRS.iter().map(|p| p.0), consts = [1, 2])]
fn subtract<const THREADS: usize>(bencher: Bencher, name: &str) {
    let Some((_, x, y)) = PAIRS.iter().find(|p| p.0 == name) else { return };
    let (x, y) = (ramp(x), ramp(y));
    bencher
        .counter(ItemsCount::new(x.elements()))
        .bench_local(|| binary(Binary::Sub, x.clone(), y.clone(), Threads::new(THREADS)));
}

#[divan::bench(args = [Unary::Neg, Unary::Exp], consts = [1, 2])]
fn in_place<const THREADS: usize>(bencher: Bencher, f: Unary) {
    let mut x = Some(ramp(&[10_000_000]));
    bencher.counter(ItemsCount::new(10_000_000usize)).bench_local(|| {
        x = x.take().and_then(|x| unary(f, x, Threads::new(THREADS)).ok());
    });
}

/// Returns eight functions in a row, as a user would write them: `y = tanh(relu((x * a + b) * x - c) + x) * d`.
fn chain() -> Vec<Instruction> {
    use Instruction::{Binary as B, Unary as U};
    vec![
        B(Binary::Mul, 0, 1),
        B(Binary::Add, 5, 2),
        B(Binary::Mul, 6, 0),
        B(Binary::Sub, 7, 3),
        U(Unary::Relu, 8),
        B(Binary::Add, 9, 0),
        U(Unary::Tanh, 10),
        B(Binary::Mul, 11, 4),
    ]
}

const LENGTHS: [usize; 3] = [100, 10_000, 10_000_000];

#[divan::bench(args = LENGTHS, consts = [1, 2])]
fn chain_of_eight_as_program<const THREADS: usize>(bencher: Bencher, length: usize) {
    let Ok(program) = Program::new(DType::F32, 5, chain(), vec![12]) else { return };
    let (x, s) = (ramp(&[length]), Tensor::scalar(1.5f32));
    bencher.counter(BytesCount::new(8 * length)).bench_local(|| {
        let mut inputs = [x.clone(), s.clone(), s.clone(), s.clone(), s.clone()];
        program.run(&mut inputs, Threads::new(THREADS))
    });
}

#[divan::bench(args = LENGTHS)]
fn chain_of_eight_as_steps(bencher: Bencher, length: usize) {
    let (x, s) = (ramp(&[length]), Tensor::scalar(1.5f32));
    bencher.counter(BytesCount::new(8 * length)).bench_local(|| {
        let mut values = vec![x.clone(), s.clone(), s.clone(), s.clone(), s.clone()];
        for instruction in chain() {
            let value = match instruction {
                Instruction::Unary(f, a) => unary(f, values[a as usize].clone(), Threads::single()),
                Instruction::Binary(f, a, b) => {
                    binary(f, values[a as usize].clone(), values[b as usize].clone(), Threads::single())
                }
            };
            values.extend(value);
        }
        values.pop()
    });
}

#[divan::bench]
fn thousand_scalar_adds_as_program(bencher: Bencher) {
    let adds = (0..1000).map(|i| Instruction::Binary(Binary::Add, i + 1, 0)).collect();
    let Ok(program) = Program::new(DType::F32, 2, adds, vec![1001]) else { return };
    bencher
        .counter(ItemsCount::new(1000usize))
        .bench_local(|| program.run(&mut [Tensor::scalar(1.0f32), Tensor::scalar(2.0f32)], Threads::single()));
}

#[divan::bench]
fn thousand_scalar_adds_as_steps(bencher: Bencher) {
    bencher.counter(ItemsCount::new(1000usize)).bench_local(|| {
        let one = Tensor::scalar(1.0f32);
        (0..1000).try_fold(one.clone(), |sum, _| binary(Binary::Add, sum, one.clone(), Threads::single()))
    });
}
