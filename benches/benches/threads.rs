//! The cost of moving work to a second thread: the pool of `threads` and rayon on the same loops.
//!
//! `gap_us` is the time that the caller works alone between two loops, as between the kernels of a step. `task_us` is
//! the work of one of the two tasks. An ideal pool takes `task_us`, a single thread twice that.

use std::hint::black_box;
use std::time::{Duration, Instant};

use divan::Bencher;
use ferroflow_tensor::threads::Threads;
use rayon::prelude::*;

fn main() {
    divan::main();
}

const CASES: [(u64, u64); 6] = [(0, 0), (0, 20), (20, 20), (50, 20), (50, 100), (1000, 100)];

fn work(micros: u64) {
    let (start, length) = (Instant::now(), Duration::from_micros(micros));
    while start.elapsed() < length {
        black_box(());
    }
}

fn bench(bencher: Bencher<'_, '_>, gap_us: u64, run: impl Fn() + Sync) {
    run();
    bencher.with_inputs(|| work(gap_us)).bench_local_values(|()| run());
}

#[divan::bench(args = CASES)]
fn pool(bencher: Bencher<'_, '_>, (gap_us, task_us): (u64, u64)) {
    bench(bencher, gap_us, || Threads::new(2).run(2, &|_| work(task_us)));
}

#[divan::bench(args = CASES)]
fn rayon(bencher: Bencher<'_, '_>, (gap_us, task_us): (u64, u64)) {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(2).build() else { return };
    bench(bencher, gap_us, || pool.install(|| (0..2).into_par_iter().with_max_len(1).for_each(|_| work(task_us))));
}

#[divan::bench(args = CASES)]
fn one_thread(bencher: Bencher<'_, '_>, (gap_us, task_us): (u64, u64)) {
    bench(bencher, gap_us, || Threads::single().run(2, &|_| work(task_us)));
}
