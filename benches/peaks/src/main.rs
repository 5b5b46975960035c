//! Prints what the machine does at most, as JSON: fused multiply-adds and copied bytes per second.
//!
//! `cargo run --release --package ferroflow-peaks -- THREADS` measures with this number of threads.
//!
//! The numbers are of all threads together. A fused multiply-add is two operations. Copies read and write arrays that no
//! cache holds.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const ROUNDS: usize = 8;
/// Bytes of the arrays that all threads copy.
const BYTES: usize = 256 << 20;
/// Products between two readings of the clock.
const PRODUCTS: usize = 20_000;

#[cfg(target_arch = "x86_64")]
mod products {
    use super::PRODUCTS;
    use std::arch::x86_64::{
        __m256, __m256d, __m512, __m512d, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_set1_pd, _mm256_set1_ps,
        _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_set1_pd, _mm512_set1_ps,
    };
    use std::hint::black_box;

    /// Registers that do not depend on each other: more than the latency of a product times the products of a cycle.
    const SUMS: usize = 12;

    macro_rules! products {
        ($($name:ident, $feature:literal, $register:ty, $element:ty, $spread:ident, $product:ident;)*) => {$(
            /// Runs products in registers; returns the number of operations.
            #[target_feature(enable = $feature)]
            pub fn $name() -> f64 {
                let mut sums: [$register; SUMS] = std::array::from_fn(|i| $spread(i as $element));
                let (factor, term) = ($spread(black_box(0.999_999)), $spread(black_box(1e-7)));
                for _ in 0..PRODUCTS {
                    for sum in &mut sums {
                        *sum = $product(*sum, factor, term);
                    }
                }
                black_box(sums);
                (PRODUCTS * SUMS * 2 * size_of::<$register>() / size_of::<$element>()) as f64
            }
        )*};
    }
    products! {
        wide_single, "avx512f", __m512, f32, _mm512_set1_ps, _mm512_fmadd_ps;
        wide_double, "avx512f", __m512d, f64, _mm512_set1_pd, _mm512_fmadd_pd;
        single, "avx2,fma", __m256, f32, _mm256_set1_ps, _mm256_fmadd_ps;
        double, "avx2,fma", __m256d, f64, _mm256_set1_pd, _mm256_fmadd_pd;
    }
}

/// Returns the best sum of the threads' rates. All threads begin each round together, and each keeps what `start` makes.
fn best<S>(threads: usize, start: impl Fn() -> S + Sync, work: impl Fn(&mut S) -> f64 + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let (barrier, start, work) = (&barrier, &start, &work);
    let rates: Vec<[f64; ROUNDS]> = std::thread::scope(|scope| {
        let run = |_| {
            scope.spawn(move || {
                let mut own = start();
                [(); ROUNDS].map(|()| {
                    barrier.wait();
                    work(&mut own)
                })
            })
        };
        let running: Vec<_> = (0..threads).map(run).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    (0..ROUNDS).map(|round| rates.iter().map(|of| of[round]).sum()).fold(0.0, f64::max)
}

/// Returns the operations per second of all threads, each of which does `products` for a tenth of a second.
fn operations(threads: usize, products: impl Fn() -> f64 + Sync) -> f64 {
    let rate = |(): &mut ()| {
        let (start, mut done) = (Instant::now(), 0.0);
        while start.elapsed() < Duration::from_millis(100) {
            done += products();
        }
        done / start.elapsed().as_secs_f64()
    };
    best(threads, || (), rate)
}

/// Returns operations per second on float32 and on float64; None on a processor for which there is no such loop. With
/// `FERROFLOW_CPU=avx2`, they are those without AVX-512.
#[cfg(target_arch = "x86_64")]
fn products(threads: usize) -> Option<(f64, f64)> {
    let is_limited = std::env::var_os("FERROFLOW_CPU").is_some_and(|name| name == "avx2");
    if !is_limited && is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has what the functions are compiled for.
        let (single, double) = (|| unsafe { products::wide_single() }, || unsafe { products::wide_double() });
        return Some((operations(threads, single), operations(threads, double)));
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has what the functions are compiled for.
        let (single, double) = (|| unsafe { products::single() }, || unsafe { products::double() });
        return Some((operations(threads, single), operations(threads, double)));
    }
    None
}

#[cfg(not(target_arch = "x86_64"))]
fn products(_: usize) -> Option<(f64, f64)> {
    None
}

/// Returns the bytes per second, read and written, of copies by all threads.
fn copies(threads: usize) -> f64 {
    let bytes = BYTES / threads;
    let arrays = || (vec![1u8; bytes], vec![2u8; bytes]);
    best(threads, arrays, |(from, to)| {
        let start = Instant::now();
        to.copy_from_slice(black_box(from));
        black_box(to);
        (2 * bytes) as f64 / start.elapsed().as_secs_f64()
    })
}

fn main() {
    let threads = std::env::args().filter_map(|a| a.parse().ok()).find(|n| *n > 0).unwrap_or(1);
    let (single, double) = products(threads).unwrap_or_default();
    println!(
        "{{\"threads\": {threads}, \"float32\": {single:.4e}, \"float64\": {double:.4e}, \"copy\": {:.4e}}}",
        copies(threads)
    );
}
