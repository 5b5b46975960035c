//! AudioSpectrogram: the strengths of frequencies in windows of samples.

use ferroflow_fourier::RealRows;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail};
use num_complex::Complex;

/// Windows of one parallel block.
const WINDOWS: usize = 8;

/// The windows of a spectrogram.
#[derive(Clone, Copy)]
struct Windows {
    size: usize,
    stride: usize,
    squared: bool,
}

impl Windows {
    fn new(size: i64, stride: i64, squared: bool) -> Result<Windows> {
        match (usize::try_from(size), usize::try_from(stride)) {
            (Ok(size @ 2..=0x4000_0000), Ok(stride @ 1..)) => Ok(Windows { size, stride, squared }),
            _ => bail!(InvalidArgument, "Spectrogram initialization failed for window size {size} and stride {stride}"),
        }
    }

    /// Returns the number of samples of a transform: the window's, and zeros up to a power of two.
    fn transformed(&self) -> usize {
        self.size.next_power_of_two()
    }

    fn frequencies(&self) -> usize {
        1 + self.transformed() / 2
    }

    fn count(&self, samples: usize) -> usize {
        samples.checked_sub(self.size).map_or(0, |rest| 1 + rest / self.stride)
    }
}

fn compute(ctx: &mut KernelContext<'_>, windows: Windows) -> Result<()> {
    let input = ctx.input(0)?;
    let [samples, channels] = *input.shape().dims() else {
        bail!(InvalidArgument, "input must be 2-dimensional, got shape {}", input.shape())
    };
    let (count, frequencies) = (windows.count(samples), windows.frequencies());
    let shape = Shape::checked(&[channels as i64, count as i64, frequencies as i64])?;
    let mut out = Tensor::zeros(DType::F32, shape)?;
    let x = input.slice::<f32>()?;
    let period = 2.0 * std::f64::consts::PI / windows.size as f64;
    let hann: Vec<f64> = (0..windows.size).map(|i| 0.5 - 0.5 * scalar::cos(period * i as f64)).collect();
    let length = windows.transformed();
    let transform = RealRows::<f64>::new(length);
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<f32>()?, WINDOWS * frequencies, |start, lines| {
        let first = start / frequencies;
        let mut row = vec![0.0f64; length];
        let mut spectrum = vec![Complex::<f64>::default(); frequencies];
        for (k, to) in lines.chunks_exact_mut(frequencies).enumerate() {
            let (channel, window) = ((first + k) / count, (first + k) % count);
            for (i, (to, factor)) in row.iter_mut().zip(&hann).enumerate() {
                *to = f64::from(x[(window * windows.stride + i) * channels + channel]) * factor;
            }
            transform.run(&row, length, &mut spectrum);
            for (to, z) in to.iter_mut().zip(&spectrum) {
                let square = (z.re * z.re + z.im * z.im) as f32;
                *to = if windows.squared { square } else { square.sqrt() };
            }
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let windows = Windows::new(init.int32("window_size")?, init.int32("stride")?, init.bool("magnitude_squared")?)?;
    kernel(move |ctx| compute(ctx, windows))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank(2)?;
    let windows = Windows::new(c.int32("window_size")?, c.int32("stride")?, false)?;
    let count = input.dim(0).map(|samples| windows.count(samples));
    c.set_output(0, PartialShape::from_dims(&[input.dim(1), count, Some(windows.frequencies())]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("AudioSpectrogram")
            .input("input: float")
            .output("spectrogram: float")
            .attr("window_size: int")
            .attr("stride: int")
            .attr("magnitude_squared: bool = false")
            .doc("Returns the magnitudes of the frequencies in Hann windows of each channel's samples.")
            .shape(shape)
            .kernel(kernel_of),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn known_values() {
        let x = Tensor::from_slice([8, 1], &[-1.0f32, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0]).unwrap();
        let attrs = [
            ("window_size", AttrValue::Int(8)),
            ("stride", AttrValue::Int(1)),
            ("magnitude_squared", AttrValue::Bool(true)),
        ];
        let out = run("AudioSpectrogram", std::slice::from_ref(&x), &attrs).unwrap();
        assert_eq!(out[0].shape().dims(), [1, 1, 5]);
        for (got, want) in out[0].slice::<f32>().unwrap().iter().zip([0.0, 1.0, 4.0, 1.0, 0.0]) {
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
        let long = [("window_size", AttrValue::Int(9)), ("stride", AttrValue::Int(2))];
        assert_eq!(run("AudioSpectrogram", std::slice::from_ref(&x), &long).unwrap()[0].shape().dims(), [1, 0, 9]);
        for wrong in [(1, 1), (8, 0), (i64::MAX, 1)] {
            let attrs = [("window_size", AttrValue::Int(wrong.0)), ("stride", AttrValue::Int(wrong.1))];
            assert!(run("AudioSpectrogram", std::slice::from_ref(&x), &attrs).is_err());
        }
    }
}
