//! Throughput of pooling and its gradients, in elements of the image that is pooled.
//!
//! `large`, `middle` and `small` are images of a residual network's first stages (batch 32). Windows of 2 touch, those
//! of 3 overlap by one, or are at every place. `first` are channels-first images.

use divan::Bencher;
use divan::counter::ItemsCount;
use ferroflow_tensor::Shape;
use ferroflow_tensor::pooling::{Axis, Windows, max, max_gradient, mean, mean_gradient};
use ferroflow_tensor::threads::{Interrupted, Threads};

fn main() {
    divan::main();
}

#[derive(Clone, Copy)]
struct Pool {
    name: &'static str,
    side: usize,
    channels: usize,
    window: i64,
    stride: i64,
    channels_first: bool,
}

impl std::fmt::Display for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Pool { name, side, channels, window, stride, .. } = self;
        write!(f, "{name} {BATCH}x{side}x{side}x{channels} {window}x{window}/{stride}")
    }
}

const BATCH: usize = 32;

const fn pool(name: &'static str, [side, channels]: [usize; 2], [window, stride]: [i64; 2]) -> Pool {
    Pool { name, side, channels, window, stride, channels_first: false }
}

const POOLS: [Pool; 10] = [
    pool("large", [112, 64], [2, 2]),
    pool("large", [112, 64], [3, 2]),
    pool("large", [112, 64], [3, 1]),
    pool("middle", [56, 64], [2, 2]),
    pool("middle", [56, 64], [3, 2]),
    pool("middle", [56, 64], [3, 1]),
    pool("small", [28, 128], [2, 2]),
    pool("small", [28, 128], [3, 2]),
    pool("small", [28, 128], [3, 1]),
    Pool { channels_first: true, ..pool("first", [56, 64], [2, 2]) },
];

impl Pool {
    /// Returns the windows, padded as "SAME" does.
    fn windows(&self) -> Windows {
        let axis = Axis::new(self.side, self.window, self.stride, true).expect("a window that fits");
        let (outer, inner) = if self.channels_first { (BATCH * self.channels, 1) } else { (BATCH, self.channels) };
        let pooled = Shape::new(&[outer, axis.output, axis.output, inner]);
        Windows::new(outer, [axis, Axis::UNIT, axis], inner, pooled).expect("places that are counted")
    }

    fn elements(&self) -> usize {
        BATCH * self.side * self.side * self.channels
    }
}

/// Returns values without order.
fn values(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32).collect()
}

/// Runs `f(windows, threads, image, pooled)`.
fn each(
    bencher: Bencher<'_, '_>,
    pool: &Pool,
    f: impl Fn(&Windows, Threads, &mut [f32], &mut [f32]) -> Result<(), Interrupted> + Sync,
) {
    let windows = pool.windows();
    let (mut image, mut pooled) = (values(pool.elements()), values(windows.pooled.dims().iter().product()));
    bencher
        .counter(ItemsCount::new(pool.elements()))
        .bench_local(|| f(&windows, Threads::default(), &mut image, &mut pooled));
}

#[divan::bench(args = POOLS)]
fn largest(bencher: Bencher<'_, '_>, pool: &Pool) {
    each(bencher, pool, |windows, threads, image, pooled| max(windows, threads, image, pooled));
}

#[divan::bench(args = POOLS)]
fn average(bencher: Bencher<'_, '_>, pool: &Pool) {
    each(bencher, pool, |windows, threads, image, pooled| mean(windows, threads, image, pooled));
}

#[divan::bench(args = POOLS)]
fn gradient_of_largest(bencher: Bencher<'_, '_>, pool: &Pool) {
    let x = values(pool.elements());
    each(bencher, pool, |windows, threads, gx, g| max_gradient(windows, threads, &x, g, gx));
}

#[divan::bench(args = POOLS)]
fn gradient_of_average(bencher: Bencher<'_, '_>, pool: &Pool) {
    each(bencher, pool, |windows, threads, gx, g| mean_gradient(windows, threads, g, gx));
}
