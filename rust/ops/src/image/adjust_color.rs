//! AdjustHue, AdjustSaturation: a turn of the hue of RGB images, a factor of their saturation.

use super::pixels::for_pixels;
use super::shapes::{scalar_f32, unchanged_image};
use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{DType, Result, dispatch, ensure};

/// Beyond this, steps of a period would not change a number.
const FAR: f32 = 1024.0;

/// Returns `x` less the multiple of `period` that brings it into [0, period).
fn wrapped(mut x: f32, period: f32) -> f32 {
    if x.abs() > FAR {
        x = x.rem_euclid(period);
    }
    // TF 1.x: steps of one period, with the rounding of each step.
    while x < 0.0 {
        x += period;
    }
    // The first steps are selections, not branches: how many there are varies from pixel to pixel.
    for _ in 0..2 {
        let less = x - period;
        x = if x >= period { less } else { x };
    }
    while x >= period {
        x -= period;
    }
    x
}

/// Returns the edge of the colour hexagon on which a hue lies; for NaN one that no hue has.
fn edge_of(hue: f32) -> i32 {
    if hue.is_nan() { i32::MIN } else { hue as i32 }
}

/// Returns the larger of two numbers; the first one if either is NaN.
fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

/// Returns the smaller of two numbers; the first one if either is NaN.
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// For each edge of the colour hexagon, the channels with the largest, the middle and the least value. Which edge it is
/// varies from pixel to pixel: tables cost less than branches that the processor cannot foresee.
const CHANNELS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [0, 2, 1]];

/// For each edge, the place in `CHANNELS` of each channel.
const RANKS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0], [1, 2, 0], [0, 2, 1]];

/// Returns `part` on even edges, and `1 - part` on odd ones, where the middle channel falls.
fn along(edge: i32, part: f32) -> f32 {
    let odd = (edge & 1) as f32;
    odd + (1.0 - 2.0 * odd) * part
}

/// Returns the hue as a place on the six edges of the colour hexagon, and the least and largest channel.
fn hue_and_range(pixel: [f32; 3]) -> (f32, f32, f32) {
    let [r, g, b] = pixel;
    let of_less_red = if b > g { 3 } else { 2 };
    let of_less_red = if b < r { 1 } else { of_less_red };
    let of_more_red = if b > r { 4 } else { 5 };
    let of_more_red = if b < g { 0 } else { of_more_red };
    let edge: i32 = if r < g { of_less_red } else { of_more_red };
    let [max, mid, min] = CHANNELS[edge as usize].map(|channel| pixel[channel]);
    if max == min {
        return (0.0, min, max);
    }
    (edge as f32 + along(edge, (mid - min) / (max - min)), min, max)
}

fn of_hue_and_range(h: f32, min: f32, max: f32) -> [f32; 3] {
    let edge = edge_of(h);
    let mid = min + along(edge, h - edge as f32) * (max - min);
    let last = RANKS.len() - 1;
    RANKS[usize::try_from(edge).map_or(last, |edge| edge.min(last))].map(|rank| [max, mid, min][rank])
}

#[inline]
fn with_hue(pixel: [f32; 3], delta: f32) -> [f32; 3] {
    let (h, min, max) = hue_and_range(pixel);
    of_hue_and_range(wrapped(h + delta * 6.0, 6.0), min, max)
}

#[inline]
fn saturated([r, g, b]: [f32; 3], scale: f32) -> [f32; 3] {
    // TF 1.x: whether a NaN counts depends on its channel.
    let v = larger(r, larger(g, b));
    let range = v - smaller(r, smaller(g, b));
    let s = if v > 0.0 { range / v } else { 0.0 };
    let norm = 1.0 / (6.0 * range);
    let (difference, start) = if g == v { (b - r, 2.0 / 6.0) } else { (r - g, 4.0 / 6.0) };
    let (difference, start) = if r == v { (g - b, 0.0) } else { (difference, start) };
    let h = (f64::from(norm * difference) + start) as f32;
    let h = if range <= 0.0 { 0.0 } else { h };
    let h = if h < 0.0 { h + 1.0 } else { h };
    // NaN becomes 0, as in TF.
    let s = (s * scale).max(0.0);
    let c = s.min(1.0) * v;
    let m = v - c;
    let h = h * 6.0;
    // TF 1.x: a multiple of the period stays the period where it is not positive.
    let around = if h <= 0.0 { 0.0 } else { wrapped(h, 2.0) };
    let x = c * (1.0 - (around - 1.0).abs());
    // No hue beyond the last edge has a colour.
    let edge = usize::try_from(edge_of(h)).unwrap_or(RANKS.len()).min(RANKS.len());
    let (ranks, is_colour) = (RANKS[edge.min(RANKS.len() - 1)], edge < RANKS.len());
    let parts = if is_colour { [c, x, 0.0] } else { [0.0; 3] };
    ranks.map(|rank| parts[rank] + m)
}

/// A function of a pixel and a number.
trait Adjustment: Fn([f32; 3], f32) -> [f32; 3] + Copy + Send + Sync + 'static {}

impl<F: Fn([f32; 3], f32) -> [f32; 3] + Copy + Send + Sync + 'static> Adjustment for F {}

fn adjust<T: Wide<In = f32>>(ctx: &mut KernelContext<'_>, name: &str, f: impl Adjustment) -> Result<()> {
    let x = ctx.input(0)?;
    ensure!(x.rank() >= 3, InvalidArgument, "input must be at least 3-D, got shape{}", x.shape());
    let by = scalar_f32(ctx.input(1)?, name)?;
    let channels = x.shape()[x.rank() - 1];
    ensure!(channels == 3, InvalidArgument, "input must have 3 channels but instead has {channels} channels.");
    let out = for_pixels::<T>(ctx.threads(), x, |p| f(p.map(T::widen), by).map(T::narrow))?;
    ctx.set_output(0, out);
    Ok(())
}

fn adjusting(init: &KernelInit<'_>, name: &'static str, f: impl Adjustment) -> Result<Box<dyn Kernel>> {
    let dtype: DType = init.input_type(0)?;
    dispatch!(dtype, T in [F32, F16], kernel(move |ctx| adjust::<T>(ctx, name, f)), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, by: &str| {
        let op = Op::new(name).input("images: T").input(&format!("{by}: float")).output("output: T");
        op.attr("T: {half, float} = DT_FLOAT").shape(unchanged_image)
    };
    r.add(
        op("AdjustHue", "delta")
            .doc("Turns the hue of RGB images by `delta` turns.")
            .kernel(|init| adjusting(init, "delta", with_hue)),
    );
    r.add(
        op("AdjustSaturation", "scale")
            .doc("Multiplies the saturation of RGB images by `scale`.")
            .kernel(|init| adjusting(init, "scale", saturated)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn a_whole_turn_and_a_factor_of_one_change_nothing() {
        for p in [[0.2f32, 0.5, 0.9], [0.9, 0.1, 0.3], [0.4, 0.4, 0.4], [0.3, 0.8, 0.1], [0.5, 0.2, 0.5]] {
            for q in [with_hue(p, 0.0), with_hue(p, 1.0), with_hue(p, -1.0), saturated(p, 1.0)] {
                assert!(p.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-6), "{p:?} {q:?}");
            }
        }
    }

    #[test]
    fn wild_numbers_end() {
        for x in [f32::INFINITY, f32::NAN, f32::MAX, -1e20] {
            with_hue([x, 0.5, 0.2], 0.3);
            with_hue([0.1, 0.5, 0.2], x);
            saturated([x, 0.5, 0.2], 0.3);
            saturated([0.1, 0.5, 0.2], x);
        }
    }

    #[test]
    fn what_is_no_image_of_three_channels_is_refused() {
        let two = Tensor::from_slice([1, 1, 2], &[1f32, 2.]).unwrap();
        let message = run("AdjustHue", &[two, Tensor::scalar(0.5f32)], &[]).unwrap_err().message().to_owned();
        assert!(message.contains("input must have 3 channels but instead has 2 channels."));
        let flat = Tensor::from_slice([3], &[1f32, 2., 3.]).unwrap();
        assert!(run("AdjustSaturation", &[flat, Tensor::scalar(0.5f32)], &[]).is_err());
        let rgb = Tensor::from_slice([1, 1, 3], &[1f32, 2., 3.]).unwrap();
        let pair = Tensor::from_slice([2], &[1f32, 2.]).unwrap();
        assert!(run("AdjustHue", &[rgb, pair], &[]).unwrap_err().message().contains("delta must be scalar"));
    }
}
