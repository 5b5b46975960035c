//! Doubles drawn a block at a time and handed out last first, as the gamma and Poisson samplers use them.

use super::convert::{normals_f64, unit_f64};
use super::generator::Philox;

/// Uniforms and normals of one sample: two of a kind per block, both kinds from the one stream, the second of a pair first.
pub(super) struct Pairs {
    source: Philox,
    uniforms: Stock,
    normals: Stock,
}

#[derive(Default)]
struct Stock {
    pair: [f64; 2],
    left: usize,
}

impl Stock {
    #[inline]
    fn pop(&mut self, draw: impl FnOnce() -> [f64; 2]) -> f64 {
        if self.left == 0 {
            self.pair = draw();
            self.left = 2;
        }
        self.left -= 1;
        self.pair[self.left]
    }
}

impl Pairs {
    pub(super) fn new(source: Philox) -> Self {
        Self { source, uniforms: Stock::default(), normals: Stock::default() }
    }

    /// Returns a double in [0, 1).
    #[inline]
    pub(super) fn uniform(&mut self) -> f64 {
        self.uniforms.pop(|| {
            let [a, b, c, d] = self.source.next_block();
            [unit_f64(a, b), unit_f64(c, d)]
        })
    }

    /// Returns a double of mean 0 and standard deviation 1.
    #[inline]
    pub(super) fn normal(&mut self) -> f64 {
        self.normals.pop(|| normals_f64(self.source.next_block()))
    }
}
