//! AdjustHue, AdjustSaturation: a turn of the hue of RGB images, a factor of their saturation.

use super::pixels::{PixelFunction, for_pixels};
use super::shapes::{scalar_f32, unchanged_image};
use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{DType, Result, dispatch, ensure};

/// Returns `a` if the condition holds, else `b`: unlike `if` around tables, it becomes a selection of vectors.
#[inline(always)]
fn select<T>(condition: bool, a: T, b: T) -> T {
    if condition { a } else { b }
}

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
    while x >= period {
        x -= period;
    }
    x
}

/// Returns `wrapped` for numbers from `-period` to four periods, without a branch.
#[inline(always)]
fn wrapped_near(x: f32, period: f32) -> f32 {
    let mut x = select(x < 0.0, x + period, x);
    for _ in 0..4 {
        x = select(x >= period, x - period, x);
    }
    x
}

/// Returns the edge of the colour hexagon on which a hue lies; for NaN one that no hue has.
#[inline(always)]
fn edge_of(hue: f32) -> i32 {
    select(hue.is_nan(), i32::MIN, hue as i32)
}

/// Returns the larger of two numbers; the first one if either is NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    select(a < b, b, a)
}

/// Returns the smaller of two numbers; the first one if either is NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    select(b < a, b, a)
}

/// Returns the largest, the middle and the least channel of a pixel on an edge of the colour hexagon, 0 to 5.
#[inline(always)]
fn sorted(edge: i32, [r, g, b]: [f32; 3]) -> [f32; 3] {
    [
        select((edge == 0) | (edge == 5), r, select(edge <= 2, g, b)),
        select((edge == 0) | (edge == 3), g, select((edge == 1) | (edge == 4), r, b)),
        select(edge <= 1, b, select(edge <= 3, r, g)),
    ]
}

/// Returns the pixel on an edge, 0 to 4 or else the last, whose largest, middle and least channel are given.
#[inline(always)]
fn pixel_of(edge: i32, [max, mid, min]: [f32; 3]) -> [f32; 3] {
    let is_last = !(0..=4).contains(&edge);
    [
        select((edge == 0) | is_last, max, select((edge == 1) | (edge == 4), mid, min)),
        select((edge == 1) | (edge == 2), max, select((edge == 0) | (edge == 3), mid, min)),
        select((edge == 3) | (edge == 4), max, select((edge == 2) | is_last, mid, min)),
    ]
}

/// Returns `part` on even edges, and `1 - part` on odd ones, where the middle channel falls.
#[inline(always)]
fn along(edge: i32, part: f32) -> f32 {
    let odd = (edge & 1) as f32;
    odd + (1.0 - 2.0 * odd) * part
}

/// Returns the hue as a place on the six edges of the colour hexagon, and the least and largest channel.
#[inline(always)]
fn hue_and_range(pixel: [f32; 3]) -> (f32, f32, f32) {
    let [r, g, b] = pixel;
    let of_less_red = select(b < r, 1, select(b > g, 3, 2));
    let of_more_red = select(b < g, 0, select(b > r, 4, 5));
    let edge: i32 = select(r < g, of_less_red, of_more_red);
    let [max, mid, min] = sorted(edge, pixel);
    let hue = edge as f32 + along(edge, (mid - min) / (max - min));
    (select(max == min, 0.0, hue), min, max)
}

#[inline(always)]
fn of_hue_and_range(hue: f32, min: f32, max: f32) -> [f32; 3] {
    let edge = edge_of(hue);
    let mid = min + along(edge, hue - edge as f32) * (max - min);
    pixel_of(edge, [max, mid, min])
}

/// Turns the hue.
#[derive(Clone, Copy)]
struct Turn(f32);

impl PixelFunction<f32> for Turn {
    fn exact(self, pixel: [f32; 3]) -> [f32; 3] {
        let (hue, min, max) = hue_and_range(pixel);
        of_hue_and_range(wrapped(hue + self.0 * 6.0, 6.0), min, max)
    }

    #[inline(always)]
    fn quick(self, pixel: [f32; 3]) -> ([f32; 3], bool) {
        let (hue, min, max) = hue_and_range(pixel);
        let hue = wrapped_near(hue + self.0 * 6.0, 6.0);
        (of_hue_and_range(hue, min, max), !(0.0..6.0).contains(&hue))
    }
}

/// Returns the value, the saturation and the hue of a pixel; the hue as a place on the six edges of the colour hexagon.
#[inline(always)]
fn value_saturation_hue([r, g, b]: [f32; 3]) -> (f32, f32, f32) {
    // TF 1.x: whether a NaN counts depends on its channel.
    let v = larger(r, larger(g, b));
    let range = v - smaller(r, smaller(g, b));
    let s = select(v > 0.0, range / v, 0.0);
    let norm = 1.0 / (6.0 * range);
    let (difference, start) = (select(g == v, b - r, r - g), select(g == v, 2.0 / 6.0, 4.0 / 6.0));
    let (difference, start) = (select(r == v, g - b, difference), select(r == v, 0.0, start));
    let h = (f64::from(norm * difference) + start) as f32;
    let h = select(range <= 0.0, 0.0, h);
    (v, s, select(h < 0.0, h + 1.0, h) * 6.0)
}

/// Returns the pixel whose hue is `around` after the last even edge.
#[inline(always)]
fn of_value_saturation_hue(v: f32, s: f32, hue: f32, around: f32) -> [f32; 3] {
    let c = s.min(1.0) * v;
    let m = v - c;
    let x = c * (1.0 - (around - 1.0).abs());
    // No hue beyond the last edge has a colour.
    let edge = edge_of(hue);
    let is_colour = (0..6).contains(&edge);
    let parts = [select(is_colour, c, 0.0), select(is_colour, x, 0.0), 0.0];
    pixel_of(edge, parts).map(|part| part + m)
}

/// Multiplies the saturation.
#[derive(Clone, Copy)]
struct Saturate(f32);

impl PixelFunction<f32> for Saturate {
    fn exact(self, pixel: [f32; 3]) -> [f32; 3] {
        let (v, s, hue) = value_saturation_hue(pixel);
        // TF 1.x: a multiple of the period stays the period where it is not positive.
        let around = if hue <= 0.0 { 0.0 } else { wrapped(hue, 2.0) };
        // NaN becomes 0, as in TF.
        of_value_saturation_hue(v, (s * self.0).max(0.0), hue, around)
    }

    #[inline(always)]
    fn quick(self, pixel: [f32; 3]) -> ([f32; 3], bool) {
        let (v, s, hue) = value_saturation_hue(pixel);
        let around = select(hue <= 0.0, 0.0, wrapped_near(hue, 2.0));
        let pixel = of_value_saturation_hue(v, (s * self.0).max(0.0), hue, around);
        (pixel, !(0.0..2.0).contains(&around))
    }
}

fn adjust<T: Wide<In = f32>, P: PixelFunction<f32>>(
    ctx: &mut KernelContext<'_>,
    name: &str,
    by: impl Fn(f32) -> P,
) -> Result<()> {
    let x = ctx.input(0)?;
    ensure!(x.rank() >= 3, InvalidArgument, "input must be at least 3-D, got shape{}", x.shape());
    let function = by(scalar_f32(ctx.input(1)?, name)?);
    let channels = x.shape()[x.rank() - 1];
    ensure!(channels == 3, InvalidArgument, "input must have 3 channels but instead has {channels} channels.");
    let out = for_pixels::<T>(ctx.threads(), x, function)?;
    ctx.set_output(0, out);
    Ok(())
}

fn adjusting<P: PixelFunction<f32>>(
    init: &KernelInit<'_>,
    name: &'static str,
    by: fn(f32) -> P,
) -> Result<Box<dyn Kernel>> {
    let dtype: DType = init.input_type(0)?;
    dispatch!(dtype, T in [F32, F16], kernel(move |ctx| adjust::<T, P>(ctx, name, by)), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, by: &str| {
        let op = Op::new(name).input("images: T").input(&format!("{by}: float")).output("output: T");
        op.attr("T: {half, float} = DT_FLOAT").shape(unchanged_image)
    };
    r.add(
        op("AdjustHue", "delta")
            .doc("Turns the hue of RGB images by `delta` turns.")
            .kernel(|init| adjusting(init, "delta", Turn)),
    );
    r.add(
        op("AdjustSaturation", "scale")
            .doc("Multiplies the saturation of RGB images by `scale`.")
            .kernel(|init| adjusting(init, "scale", Saturate)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_tensor::{Tensor, with_denormals_flushed};
    use proptest::prelude::*;

    #[test]
    fn a_whole_turn_and_a_factor_of_one_change_nothing() {
        for p in [[0.2f32, 0.5, 0.9], [0.9, 0.1, 0.3], [0.4, 0.4, 0.4], [0.3, 0.8, 0.1], [0.5, 0.2, 0.5]] {
            for q in [Turn(0.0).exact(p), Turn(1.0).exact(p), Turn(-1.0).exact(p), Saturate(1.0).exact(p)] {
                assert!(p.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-6), "{p:?} {q:?}");
            }
        }
    }

    #[test]
    fn wild_numbers_end() {
        for x in [f32::INFINITY, f32::NAN, f32::MAX, -1e20] {
            Turn(0.3).exact([x, 0.5, 0.2]);
            Turn(x).exact([0.1, 0.5, 0.2]);
            Saturate(0.3).exact([x, 0.5, 0.2]);
            Saturate(x).exact([0.1, 0.5, 0.2]);
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

    fn channel() -> impl Strategy<Value = f32> {
        prop_oneof![
            8 => 0.0f32..1.0,
            2 => prop::sample::select(vec![0.0, -0.0, 0.5, 1.0, 2.0, -1.0, f32::MAX, f32::MIN_POSITIVE]),
            1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -3e38]),
            1 => any::<f32>(),
        ]
    }

    /// Returns the bits of each channel; 0 for any NaN.
    fn bits(pixel: [f32; 3]) -> [u32; 3] {
        pixel.map(|x| if x.is_nan() { 0 } else { x.to_bits() })
    }

    fn agree(function: impl PixelFunction<f32>, pixel: [f32; 3]) -> Result<(), TestCaseError> {
        let (quick, is_other) = function.quick(pixel);
        if !is_other {
            prop_assert_eq!(bits(quick), bits(function.exact(pixel)));
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn without_branches_the_bits_are_the_same(
            pixel in [channel(), channel(), channel()], near in -1.0f32..3.0, any in channel(),
        ) {
            for by in [near, any] {
                agree(Turn(by), pixel)?;
                agree(Saturate(by), pixel)?;
            }
        }
    }

    proptest! {
        #[test]
        fn pixels_side_by_side_are_those_one_by_one(
            pixels in prop::collection::vec([channel(), channel(), channel()], 150), by in -1.0f32..1.0,
        ) {
            let x = Tensor::from_slice([1, pixels.len(), 3], pixels.as_flattened()).unwrap();
            let turned = run("AdjustHue", &[x.clone(), Tensor::scalar(by)], &[]).unwrap();
            let saturated = run("AdjustSaturation", &[x, Tensor::scalar(by)], &[]).unwrap();
            let (turned, _) = turned[0].slice::<f32>().unwrap().as_chunks::<3>();
            let (saturated, _) = saturated[0].slice::<f32>().unwrap().as_chunks::<3>();
            for (i, pixel) in pixels.iter().enumerate() {
                let expected = with_denormals_flushed(|| [Turn(by).exact(*pixel), Saturate(by).exact(*pixel)]);
                prop_assert_eq!([turned[i], saturated[i]].map(bits), expected.map(bits));
            }
        }
    }
}
