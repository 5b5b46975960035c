//! Mfcc: coefficients of the logarithms of a spectrogram's strengths on the mel scale.

use super::wav::rate_in;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// The least strength of a band: its logarithm is finite.
const FLOOR: f64 = 1e-12;

/// Windows of one parallel block.
const WINDOWS: usize = 16;

#[derive(Clone, Copy)]
struct Settings {
    lower: f64,
    upper: f64,
    bands: usize,
    coefficients: usize,
}

/// Triangles over the frequencies of a spectrogram, whose tops are equally far apart in mel.
struct Bands {
    /// The frequencies that count.
    used: std::ops::Range<usize>,
    /// By frequency: the band that falls there, as its number and one more; 0 before the first top.
    falling: Vec<usize>,
    /// By frequency: the part of the falling band.
    weights: Vec<f64>,
}

fn mel(frequency: f64) -> f64 {
    1127.0 * scalar::log(1.0 + frequency / 700.0)
}

impl Bands {
    fn new(settings: &Settings, frequencies: usize, sample_rate: f64) -> Bands {
        let (low, high) = (mel(settings.lower), mel(settings.upper));
        let spacing = (high - low) / (settings.bands + 1) as f64;
        let tops: Vec<f64> = (0..=settings.bands).map(|i| low + spacing * (i + 1) as f64).collect();
        let step = 0.5 * sample_rate / (frequencies - 1) as f64;
        let first = (1.5 + settings.lower / step) as usize;
        let end = ((settings.upper / step) as usize).saturating_add(1).min(frequencies);
        let (mut falling, mut weights) = (vec![0; frequencies], vec![0.0; frequencies]);
        let mut band = 0;
        for i in first..end {
            let at = mel(i as f64 * step);
            while band < settings.bands && tops[band] < at {
                band += 1;
            }
            falling[i] = band;
            let before = if band == 0 { low } else { tops[band - 1] };
            weights[i] = (tops[band] - at) / (tops[band] - before);
        }
        Bands { used: first.min(end)..end, falling, weights }
    }

    /// Adds the strengths of frequencies to the bands.
    fn fill(&self, spectrum: &[f32], bands: &mut [f64]) {
        bands.fill(0.0);
        for i in self.used.clone() {
            let strength = f64::from(spectrum[i]).sqrt();
            let weighted = strength * self.weights[i];
            if let Some(band) = self.falling[i].checked_sub(1).and_then(|band| bands.get_mut(band)) {
                *band += weighted;
            }
            if let Some(band) = bands.get_mut(self.falling[i]) {
                *band += strength - weighted;
            }
        }
    }
}

/// Returns the rows of a cosine transform.
fn cosines(settings: &Settings) -> Vec<f64> {
    let n = settings.bands as f64;
    let factor = (2.0 / n).sqrt();
    let angle = std::f64::consts::PI / n;
    (0..settings.coefficients)
        .flat_map(|i| (0..settings.bands).map(move |j| factor * scalar::cos(i as f64 * angle * (j as f64 + 0.5))))
        .collect()
}

fn compute(ctx: &mut KernelContext<'_>, settings: Settings) -> Result<()> {
    let spectrogram = ctx.input(0)?;
    let [channels, windows, frequencies] = *spectrogram.shape().dims() else {
        bail!(InvalidArgument, "spectrogram must be 3-dimensional, got shape {}", spectrogram.shape())
    };
    let rate = rate_in(ctx)?;
    ensure!(
        rate > 0 && frequencies >= 2,
        InvalidArgument,
        "Mfcc initialization failed for channel count {frequencies} and sample rate {rate}"
    );
    let bands = Bands::new(&settings, frequencies, f64::from(rate));
    ensure!(
        settings.upper / (0.5 * f64::from(rate) / (frequencies - 1) as f64) < frequencies as f64,
        InvalidArgument,
        "Mfcc: the spectrogram ends below upper_frequency_limit {}; its {frequencies} frequencies of sample rate {rate} \
         end at {}",
        settings.upper,
        0.5 * f64::from(rate)
    );
    let table = cosines(&settings);
    let count = settings.coefficients;
    let mut out = Tensor::zeros(DType::F32, Shape::checked(&[channels as i64, windows as i64, count as i64])?)?;
    let x = spectrogram.slice::<f32>()?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<f32>()?, WINDOWS * count, |start, lines| {
        let first = start / count;
        let mut strengths = vec![0.0; settings.bands];
        for (k, to) in lines.chunks_exact_mut(count).enumerate() {
            let from = (first + k) * frequencies;
            bands.fill(&x[from..from + frequencies], &mut strengths);
            strengths.iter_mut().for_each(|s| *s = scalar::log(if *s < FLOOR { FLOOR } else { *s }));
            for (to, row) in to.iter_mut().zip(table.chunks_exact(settings.bands)) {
                *to = row.iter().zip(&strengths).map(|(a, b)| a * b).sum::<f64>() as f32;
            }
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (lower, upper) = (init.float("lower_frequency_limit")?, init.float("upper_frequency_limit")?);
    let (bands, coefficients) = (init.int("filterbank_channel_count")?, init.int("dct_coefficient_count")?);
    ensure!(lower >= 0.0, InvalidArgument, "Mfcc: lower_frequency_limit must be nonnegative, got {lower}");
    ensure!(
        upper > lower,
        InvalidArgument,
        "Mfcc: upper_frequency_limit must be greater than lower_frequency_limit, got {upper} and {lower}"
    );
    ensure!(
        (1..=1 << 20).contains(&bands) && (1..=bands).contains(&coefficients),
        InvalidArgument,
        "Mfcc: dct_coefficient_count must be between 1 and filterbank_channel_count, got {coefficients} and {bands}"
    );
    let settings = Settings {
        lower: f64::from(lower),
        upper: f64::from(upper),
        bands: bands as usize,
        coefficients: coefficients as usize,
    };
    kernel(move |ctx| compute(ctx, settings))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank(3)?;
    c.input(1)?.with_rank(0)?;
    let coefficients = usize::try_from(c.int32("dct_coefficient_count")?).ok();
    c.set_output(0, PartialShape::from_dims(&[input.dim(0), input.dim(1), coefficients]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Mfcc")
            .input("spectrogram: float")
            .input("sample_rate: int32")
            .output("output: float")
            .attr("upper_frequency_limit: float = 4000")
            .attr("lower_frequency_limit: float = 20")
            .attr("filterbank_channel_count: int = 40")
            .attr("dct_coefficient_count: int = 13")
            .doc("Returns the cosine transforms of the logarithms of a squared spectrogram's bands on the mel scale.")
            .shape(shape)
            .kernel(kernel_of),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn known_values() {
        let x: Vec<f32> = (1..=513).map(|i| i as f32).collect();
        let inputs = [Tensor::from_slice([1, 1, 513], &x).unwrap(), Tensor::scalar(22050i32)];
        let attrs = [("filterbank_channel_count", AttrValue::Int(40)), ("dct_coefficient_count", AttrValue::Int(13))];
        let out = run("Mfcc", &inputs, &attrs).unwrap();
        let expected = [
            29.13970072,
            -6.41568601,
            -0.61903012,
            -0.96778652,
            -0.26819878,
            -0.40907028,
            -0.15614748,
            -0.23203119,
            -0.10481487,
            -0.1543029,
            -0.0769791,
            -0.10806114,
            -0.06047613,
        ];
        for (got, want) in out[0].slice::<f32>().unwrap().iter().zip(expected) {
            assert!((got - want as f32).abs() < 1e-4, "{got} {want}");
        }
        assert!(run("Mfcc", &[inputs[0].clone(), Tensor::scalar(0i32)], &attrs).is_err());
        assert!(run("Mfcc", &[inputs[0].clone(), Tensor::scalar(4000i32)], &attrs).is_err());
        for (name, value) in [("dct_coefficient_count", 41), ("filterbank_channel_count", 0)] {
            assert!(run("Mfcc", &inputs, &[(name, AttrValue::Int(value))]).is_err());
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..300 * 129).map(|i| (i as f32 * 0.37).sin().abs()).collect();
        let x = Tensor::from_slice([3, 100, 129], &x).unwrap();
        let by = |n| {
            let args = vec![Arg::One(x.clone()), Arg::One(Tensor::scalar(16000i32))];
            run_args("Mfcc", args, &[], n).unwrap().values
        };
        assert_eq!(by(4), by(1));
    }
}
