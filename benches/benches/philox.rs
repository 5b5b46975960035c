//! Throughput of the random streams on one thread and on two.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use ferroflow_tensor::philox::{Philox, fill, gamma};
use ferroflow_tensor::threads::{Interrupted, Threads};

/// A million values: a 1024 x 1024 weight matrix is made once, a dropout mask of a batch of 1024 x 1024 every step.
const VALUES: usize = 1 << 20;
const THREADS: [usize; 2] = [1, 2];

fn main() {
    divan::main();
}

type Fill<T> = fn(&Philox, Threads, &mut [T]) -> Result<(), Interrupted>;

fn bench_fill<T: Copy + Default>(bencher: Bencher, threads: usize, fill: Fill<T>) {
    let mut values = vec![T::default(); VALUES];
    let (base, threads) = (Philox::new(1, 2), Threads::new(threads));
    bencher.counter(ItemsCount::new(VALUES)).bench_local(|| fill(black_box(&base), threads, black_box(&mut values)));
}

#[divan::bench(args = THREADS)]
fn uniform_f32(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, fill::fill_uniform_f32);
}

#[divan::bench(args = THREADS)]
fn uniform_f64(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, fill::fill_uniform_f64);
}

#[divan::bench(args = THREADS)]
fn uniform_i32(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, |base, threads, out| fill::fill_uniform_i32(base, threads, 0, 1000, out));
}

#[divan::bench(args = THREADS)]
fn normal_f32(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, fill::fill_normal_f32);
}

#[divan::bench(args = THREADS)]
fn normal_f64(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, fill::fill_normal_f64);
}

#[divan::bench(args = THREADS)]
fn truncated_f32(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, fill::fill_truncated_f32);
}

#[divan::bench(args = THREADS)]
fn gamma_f32(bencher: Bencher, threads: usize) {
    bench_fill(bencher, threads, |base, threads, out| gamma::fill_gamma(base, threads, &[2.5], out));
}
