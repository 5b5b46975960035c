//! Convolutions of images of up to three dimensions, channels last, with their gradients: products with matrices of windows.
//!
//! | | product |
//! |---|---|
//! | forward | windows of the input by the filter |
//! | gradient of the input | windows of the output's gradient by the filter transposed round, once for each phase of the strides |
//! | gradient of the filter | windows of the input, transposed, by the output's gradient |
//!
//! Work is cut from shapes alone: the bits of a result are the same at any number of threads.

mod backward_filter;
mod backward_input;
mod depthwise;
mod forward;
mod padding;
mod scratch;
mod winograd;

pub use backward_filter::backward_filter;
pub use backward_input::backward_input;
pub use depthwise::{depthwise_backward_filter, depthwise_backward_input, depthwise_forward};
pub use forward::{forward, forward_wrapping};

use padding::Image;

use crate::gemm::{Epilogue, MatRef, PatchAxis, PatchFloat, Patches};
use crate::shape::product;
use crate::status::Result;
use crate::threads::Threads;

/// One dimension of space of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Points of the input.
    pub input: usize,
    /// Points of the filter.
    pub filter: usize,
    /// Points of the output.
    pub output: usize,
    /// Distance of windows, in points of the input.
    pub stride: usize,
    /// Distance of a window's points.
    pub dilation: usize,
    /// Zeros before the input.
    pub before: usize,
}

impl Window {
    /// A dimension without extent, for fewer than three dimensions of space.
    pub const FLAT: Window = Window { input: 1, filter: 1, output: 1, stride: 1, dilation: 1, before: 0 };

    fn is_point(&self) -> bool {
        self.filter == 1 && self.stride == 1 && self.before == 0 && self.input == self.output
    }

    /// Returns the windows that have a point of the filter inside the input: the first, and how many.
    fn inside(&self, tap: usize) -> (usize, usize) {
        let first = self.before.saturating_sub(tap * self.dilation).div_ceil(self.stride);
        let end = (self.input + self.before).saturating_sub(tap * self.dilation).div_ceil(self.stride);
        (first, end.min(self.output).saturating_sub(first))
    }

    fn axis(&self) -> PatchAxis {
        PatchAxis {
            size: self.input,
            count: self.output,
            first: -(self.before as isize),
            step: self.stride,
            taps: self.filter,
            tap_step: self.dilation,
        }
    }
}

/// Sizes of a convolution: input `[batch, space.., inputs]`, filter `[space.., inputs, outputs]`, output
/// `[batch, space.., outputs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Images.
    pub batch: usize,
    /// Channels of the input.
    pub inputs: usize,
    /// Channels of the output.
    pub outputs: usize,
    /// The dimensions of space, outermost first.
    pub space: [Window; 3],
}

impl Geometry {
    /// Returns true if it is a product of matrices: every window is one point.
    fn is_product(&self) -> bool {
        self.space.iter().all(Window::is_point)
    }

    /// Returns the convolution of the output's gradient that gives the input's, where the strides are one. A window
    /// that would begin after the gradient's first point, which takes more zeros than a filter reaches, has no points
    /// at all.
    fn transposed(&self) -> Geometry {
        let space = self.space.map(|w| Window {
            input: w.output,
            output: w.input,
            before: w.filter.saturating_sub(1).saturating_mul(w.dilation).saturating_sub(w.before),
            filter: if w.filter.saturating_sub(1).saturating_mul(w.dilation) < w.before { 0 } else { w.filter },
            ..w
        });
        Geometry { batch: self.batch, inputs: self.outputs, outputs: self.inputs, space }
    }

    /// Returns the number of points of a filter.
    fn taps(&self) -> usize {
        product(self.space.iter().map(|w| w.filter))
    }

    fn windows<'a, T>(&self, input: &'a [T]) -> Result<Patches<'a, T>> {
        Patches::new(input, self.batch, self.axes(), self.inputs)
    }

    fn axes(&self) -> [PatchAxis; 3] {
        self.space.map(|w| w.axis())
    }

    /// Returns the input, for products of its windows or their transpose with matrices of as many columns as there are
    /// outputs.
    fn image<'a, T: ConvFloat>(&self, threads: Threads, input: &'a [T], transposed: bool) -> Result<Image<'a, T>> {
        let axes = self.axes();
        let axes = axes.each_ref().map(std::slice::from_ref);
        Image::new(threads, input, self.batch, axes, self.inputs, self.outputs, transposed)
    }

    /// Returns the filter as a matrix `[space.. inputs, outputs]`.
    fn filter<'a, T>(&self, filter: &'a [T]) -> Result<MatRef<'a, T>> {
        MatRef::row_major(filter, self.taps().saturating_mul(self.inputs), self.outputs)
    }
}

/// A float of which there are convolutions; in some types some of them have a shorter way, which is tried first.
pub trait ConvFloat: PatchFloat {
    /// Returns the convolution, or false where there is no shorter way, or it gave a value that is not finite.
    ///
    /// # Errors
    /// As for [`forward`].
    fn forward_shorter(
        threads: Threads,
        geometry: &Geometry,
        input: &[Self],
        filter: &[Self],
        output: &mut [Self],
        epilogue: Option<&Epilogue<'_, Self>>,
    ) -> Result<bool> {
        let _ = (threads, geometry, input, filter, output, epilogue);
        Ok(false)
    }

    /// Returns the gradient of the filter, likewise.
    ///
    /// # Errors
    /// As for [`backward_filter`].
    fn backward_filter_shorter(
        threads: Threads,
        geometry: &Geometry,
        input: &[Self],
        output: &[Self],
        gradient: &mut [Self],
    ) -> Result<bool> {
        let _ = (threads, geometry, input, output, gradient);
        Ok(false)
    }
}

impl ConvFloat for f64 {}

impl ConvFloat for f32 {
    fn forward_shorter(
        threads: Threads,
        geometry: &Geometry,
        input: &[f32],
        filter: &[f32],
        output: &mut [f32],
        epilogue: Option<&Epilogue<'_, f32>>,
    ) -> Result<bool> {
        winograd::forward(threads, geometry, input, filter, output, epilogue)
    }

    fn backward_filter_shorter(
        threads: Threads,
        geometry: &Geometry,
        input: &[f32],
        output: &[f32],
        gradient: &mut [f32],
    ) -> Result<bool> {
        winograd::backward_filter(threads, geometry, input, output, gradient)
    }
}

#[cfg(test)]
mod tests;
