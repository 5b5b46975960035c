//! One component of a JPEG image: its coefficients, where they come in several scans, and its samples.

use super::Options;
use super::header::{Component, Frame};
use super::inverse_dct::Inverse;
use super::zeros;
use ferroflow_tensor::threads::{Threads, for_chunks_mut};
use std::sync::Arc;

pub(super) struct Plane {
    /// Samples of a side of a block.
    pub side: usize,
    /// Blocks of a row, with those that fill up units.
    pub blocks_across: usize,
    /// Samples that are of the image.
    pub width: usize,
    pub height: usize,
    /// Repetitions of a sample in the image, across and down.
    pub expand: [usize; 2],
    pub samples: Vec<u8>,
    /// All coefficients in natural order, for images in several scans.
    pub coefficients: Vec<i16>,
    /// The inverse transform with the quantization table as it was at the component's first scan.
    pub inverse: Option<Arc<Inverse>>,
    /// True after a scan had this component.
    pub seen: bool,
}

impl Plane {
    /// Returns an empty plane; `None` for sampling factors that are no whole parts, or for lack of memory.
    pub(super) fn new(frame: &Frame, component: &Component, options: Options) -> Option<Plane> {
        let least = 8 / options.ratio;
        let [h, v] = component.sampling;
        let [most_h, most_v] = frame.most;
        // A component with fewer samples is reduced less, if that avoids its upsampling.
        let mut side = least;
        while side < 8 && (most_h * least).is_multiple_of(h * side * 2) && (most_v * least).is_multiple_of(v * side * 2)
        {
            side *= 2;
        }
        let expand = [most_h * least, most_v * least];
        let part = [h * side, v * side];
        if !expand[0].is_multiple_of(part[0]) || !expand[1].is_multiple_of(part[1]) {
            return None;
        }
        let [across, down] = component.padded;
        let mut coefficients = Vec::new();
        if frame.progressive {
            coefficients.try_reserve_exact(across * down * 64).ok()?;
            coefficients.resize(across * down * 64, 0);
        }
        let samples = zeros(across * down * side * side)?;
        let length = |size: usize, i: usize| (size * part[i]).div_ceil(frame.most[i] * 8);
        Some(Plane {
            side,
            blocks_across: across,
            width: length(frame.width, 0),
            height: length(frame.height, 1),
            expand: [expand[0] / part[0], expand[1] / part[1]],
            samples,
            coefficients,
            inverse: None,
            seen: false,
        })
    }

    /// Returns the number of samples of a row.
    pub(super) fn stride(&self) -> usize {
        self.blocks_across * self.side
    }

    /// Returns the samples of a row of the plane; beyond the last there is the last.
    pub(super) fn row(&self, y: usize) -> &[u8] {
        let at = y.min(self.height - 1) * self.stride();
        &self.samples[at..at + self.width]
    }

    /// Transforms a block, of which it is given whether it is constant, to samples.
    pub(super) fn put(&mut self, row: usize, column: usize, block: &[i16; 64], is_constant: bool) {
        let stride = self.stride();
        let at = row * self.side * stride + column * self.side;
        if let Some(inverse) = &self.inverse {
            inverse.run(self.side, block, is_constant, &mut self.samples[at..], stride);
        }
    }

    /// Transforms all blocks, where their coefficients came in several scans; samples that never came are gray.
    pub(super) fn finish(&mut self, threads: Threads, options: Options) {
        if self.inverse.is_none() {
            self.inverse = Some(Arc::new(Inverse::new(&[1; 64], options.accurate)));
        }
        if !self.seen {
            self.samples.fill(128);
        }
        let (Some(inverse), false) = (self.inverse.clone(), self.coefficients.is_empty()) else { return };
        let (side, stride, across) = (self.side, self.stride(), self.blocks_across);
        let coefficients = &self.coefficients;
        for_chunks_mut(threads, &mut self.samples, stride * side, |start, rows| {
            let first = start / (stride * side) * across * 64;
            let (blocks, _) = coefficients[first..first + across * 64].as_chunks::<64>();
            for (column, block) in blocks.iter().enumerate() {
                inverse.run(side, block, block[1..] == [0; 63], &mut rows[column * side..], stride);
            }
        });
    }
}
