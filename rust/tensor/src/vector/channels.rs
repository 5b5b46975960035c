//! Loops over rows of channels: the sums that batch normalization takes over the rows, and what it makes of each element.
//!
//! `x` and `g` are whole rows; what goes by channel is one row long.

use super::isa::{Isa, for_each_isa};

/// Adds the squared deviations of the rows from `center` to `sums`.
pub fn add_squared_deviations(x: &[f32], center: &[f32], sums: &mut [f32]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_deviations(Isa::current())(x, center, sums) }
}

/// Adds the rows of `g` to `sums`, and their products with the deviations of `x` from `center` to `products`.
pub fn add_products(x: &[f32], center: &[f32], g: &[f32], sums: &mut [f32], products: &mut [f32]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_products(Isa::current())(x, center, g, sums, products) }
}

/// Computes `(x - center) * scale + offset`.
pub fn normalize_rows(x: &[f32], center: &[f32], scale: &[f32], offset: &[f32], out: &mut [f32]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_normalize(Isa::current())(x, center, scale, offset, out) }
}

/// Computes `scale * (g - mean_g - (x - center) * slope)`.
pub fn unnormalize_rows(x: &[f32], g: &[f32], by_channel: [&[f32]; 4], out: &mut [f32]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_unnormalize(Isa::current())(x, g, by_channel, out) }
}

#[inline(always)]
fn deviations_loop(x: &[f32], center: &[f32], sums: &mut [f32]) {
    for row in x.chunks_exact(center.len().max(1)) {
        for ((s, &v), &m) in sums.iter_mut().zip(row).zip(center) {
            let d = v - m;
            *s += d * d;
        }
    }
}

#[inline(always)]
fn products_loop(x: &[f32], center: &[f32], g: &[f32], sums: &mut [f32], products: &mut [f32]) {
    let width = center.len().max(1);
    for (row, g) in x.chunks_exact(width).zip(g.chunks_exact(width)) {
        for ((((s, p), &v), &m), &g) in sums.iter_mut().zip(products.iter_mut()).zip(row).zip(center).zip(g) {
            *s += g;
            *p += g * (v - m);
        }
    }
}

#[inline(always)]
fn normalize_loop(x: &[f32], center: &[f32], scale: &[f32], offset: &[f32], out: &mut [f32]) {
    let width = center.len().max(1);
    for (row, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        for ((((o, &v), &m), &a), &b) in out.iter_mut().zip(row).zip(center).zip(scale).zip(offset) {
            *o = (v - m) * a + b;
        }
    }
}

#[inline(always)]
fn unnormalize_loop(x: &[f32], g: &[f32], by_channel: [&[f32]; 4], out: &mut [f32]) {
    let [center, mean_g, slope, scale] = by_channel;
    let width = center.len().max(1);
    for ((row, g), out) in x.chunks_exact(width).zip(g.chunks_exact(width)).zip(out.chunks_exact_mut(width)) {
        let values = out.iter_mut().zip(row).zip(g);
        for ((((((o, &v), &g), &m), &mg), &k), &a) in values.zip(center).zip(mean_g).zip(slope).zip(scale) {
            *o = ((g - mg) - (v - m) * k) * a;
        }
    }
}

for_each_isa!(pick_deviations = deviations_loop<>(x: &[f32], center: &[f32], sums: &mut [f32]));
for_each_isa!(pick_products = products_loop<>(x: &[f32], center: &[f32], g: &[f32], sums: &mut [f32],
    products: &mut [f32]));
for_each_isa!(pick_normalize = normalize_loop<>(x: &[f32], center: &[f32], scale: &[f32], offset: &[f32],
    out: &mut [f32]));
for_each_isa!(pick_unnormalize = unnormalize_loop<>(x: &[f32], g: &[f32], by_channel: [&[f32]; 4], out: &mut [f32]));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let x: Vec<f32> = (0..3 * 37).map(|i| (i * 29 % 17) as f32 / 3.0).collect();
        let row = |k: usize| (0..37).map(|i| (i * k % 7) as f32 / 5.0 + 0.1).collect::<Vec<_>>();
        let (m, a, b, k) = (row(1), row(2), row(3), row(4));
        let mut all = Vec::new();
        for isa in Isa::available() {
            let (mut sums, mut products) = (vec![0.0; 37], vec![0.0; 37]);
            let (mut y, mut z) = (vec![0.0; x.len()], vec![0.0; x.len()]);
            // SAFETY: only sets that this machine has are listed.
            unsafe {
                pick_deviations(isa)(&x, &m, &mut sums);
                pick_products(isa)(&x, &m, &x, &mut sums, &mut products);
                pick_normalize(isa)(&x, &m, &a, &b, &mut y);
                pick_unnormalize(isa)(&x, &y, [&m, &b, &k, &a], &mut z);
            }
            assert_eq!(y[40], (x[40] - m[3]) * a[3] + b[3]);
            all.push([sums, products, y, z]);
        }
        assert!(all.windows(2).all(|w| w[0] == w[1]));
    }
}
