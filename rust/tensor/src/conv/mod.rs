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

use crate::gemm::{Epilogue, MatRef, PatchAxis, PatchFloat, Patches, Spread};
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

    /// Returns the number of points of a filter.
    fn taps(&self) -> usize {
        product(self.space.iter().map(|w| w.filter))
    }

    /// Returns the windows that the convolution and the gradient of its filter are made of.
    fn pass(&self) -> Windows {
        Windows { batch: self.batch, axes: self.axes(), inputs: self.inputs, outputs: self.outputs }
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

/// Windows of images, each multiplied by a filter `[taps.., inputs, outputs]`.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// Images.
    pub batch: usize,
    /// The dimensions of space, outermost first.
    pub axes: [PatchAxis; 3],
    /// Channels of the images.
    pub inputs: usize,
    /// Sums of each window.
    pub outputs: usize,
}

impl Windows {
    fn len(&self, of: impl Fn(&PatchAxis) -> usize, rest: [usize; 2]) -> Option<usize> {
        self.axes.iter().map(of).chain(rest).try_fold(1, usize::checked_mul)
    }

    fn input_len(&self) -> Option<usize> {
        self.len(|a| a.size, [self.batch, self.inputs])
    }

    fn filter_len(&self) -> Option<usize> {
        self.len(|a| a.taps, [self.inputs, self.outputs])
    }

    fn output_len(&self) -> Option<usize> {
        self.len(|a| a.count, [self.batch, self.outputs])
    }

    /// Returns true if the slices have these sizes.
    fn fits<T>(&self, input: &[T], filter: &[T], result: &Placed<'_, T>) -> bool {
        self.input_len() == Some(input.len())
            && self.filter_len() == Some(filter.len())
            && self.len(|a| a.count, [self.batch, 1]) == Some(result.places.rows())
            && result.places.are_in(self.outputs, result.values.len())
    }

    /// Returns the places of the sums one after the other.
    ///
    /// # Errors
    /// As for [`Spread::new`].
    fn in_order(&self, len: usize) -> Result<Spread> {
        let [d, h, w] = self.axes.map(|a| a.count);
        let counts = [w, h, d, self.batch];
        let mut steps = [self.outputs; 4];
        for i in 1..4 {
            steps[i] = steps[i - 1].saturating_mul(counts[i - 1]);
        }
        Spread::new(0, counts, steps, self.outputs, len)
    }
}

/// The tensor that takes the sums of windows, and their places.
pub struct Placed<'a, T> {
    /// The tensor that they are a part of.
    pub values: &'a mut [T],
    /// Their places in it.
    pub places: &'a Spread,
}

/// A float of which there are convolutions; in some types some of them have a shorter way, which is tried first.
pub trait ConvFloat: PatchFloat {
    /// Computes the sums of windows, or returns false where there is no shorter way, or it gave a value that is not finite.
    ///
    /// # Errors
    /// As for [`forward`].
    fn forward_shorter(
        threads: Threads,
        windows: &Windows,
        input: &[Self],
        filter: &[Self],
        result: Placed<'_, Self>,
        epilogue: Option<&Epilogue<'_, Self>>,
    ) -> Result<bool> {
        let _ = (threads, windows, input, filter, result, epilogue);
        Ok(false)
    }

    /// Computes the gradient of the filter from that of the sums, which follow each other, likewise.
    ///
    /// # Errors
    /// As for [`backward_filter`].
    fn backward_filter_shorter(
        threads: Threads,
        windows: &Windows,
        input: &[Self],
        output: &[Self],
        gradient: &mut [Self],
    ) -> Result<bool> {
        let _ = (threads, windows, input, output, gradient);
        Ok(false)
    }
}

impl ConvFloat for f64 {}

impl ConvFloat for f32 {
    fn forward_shorter(
        threads: Threads,
        windows: &Windows,
        input: &[f32],
        filter: &[f32],
        result: Placed<'_, f32>,
        epilogue: Option<&Epilogue<'_, f32>>,
    ) -> Result<bool> {
        winograd::forward(threads, windows, input, filter, result, epilogue)
    }

    fn backward_filter_shorter(
        threads: Threads,
        windows: &Windows,
        input: &[f32],
        output: &[f32],
        gradient: &mut [f32],
    ) -> Result<bool> {
        winograd::backward_filter(threads, windows, input, output, gradient)
    }
}

#[cfg(test)]
mod tests;
