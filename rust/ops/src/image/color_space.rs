//! RGBToHSV, HSVToRGB: colours as red, green and blue, and as hue, saturation and value.

use super::pixels::{PixelFunction, for_pixels};
use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, bail, dispatch};
use num_traits::{Float, NumCast};

#[inline(always)]
fn number<F: Float>(x: f64) -> F {
    <F as NumCast>::from(x).unwrap_or_else(F::zero)
}

#[inline(always)]
fn hue_of<F: Float>([r, g, b]: [F; 3]) -> [F; 3] {
    let v = r.max(g).max(b);
    let range = v - r.min(g).min(b);
    let s = if v > F::zero() { range / v } else { F::zero() };
    let norm = range.recip() * (F::one() / number(6.0));
    let sixth = |n: f64| number::<F>(n) / number(6.0);
    let h = if r == v {
        norm * (g - b)
    } else if g == v {
        norm * (b - r) + sixth(2.0)
    } else {
        norm * (r - g) + sixth(4.0)
    };
    let h = if range > F::zero() { h } else { F::zero() };
    [if h < F::zero() { h + F::one() } else { h }, s, v]
}

#[inline(always)]
fn rgb_of<F: Float>([h, s, v]: [F; 3]) -> [F; 3] {
    let n = number::<F>;
    let unit = |x: F| x.max(F::zero()).min(F::one());
    let h = h * n(6.0);
    let r = unit((h - n(3.0)).abs() - F::one());
    let g = unit(n(2.0) - (h - n(2.0)).abs());
    let b = unit(n(2.0) - (h - n(4.0)).abs());
    let white = F::one() - s;
    [r, g, b].map(|x| (white + s * x) * v)
}

#[derive(Clone, Copy)]
struct ToHsv;

impl<F: Float + 'static> PixelFunction<F> for ToHsv {
    fn exact(self, pixel: [F; 3]) -> [F; 3] {
        hue_of(pixel)
    }

    #[inline(always)]
    fn quick(self, pixel: [F; 3]) -> ([F; 3], bool) {
        (hue_of(pixel), false)
    }
}

#[derive(Clone, Copy)]
struct ToRgb;

impl<F: Float + 'static> PixelFunction<F> for ToRgb {
    fn exact(self, pixel: [F; 3]) -> [F; 3] {
        rgb_of(pixel)
    }

    #[inline(always)]
    fn quick(self, pixel: [F; 3]) -> ([F; 3], bool) {
        (rgb_of(pixel), false)
    }
}

fn convert<T: Wide>(ctx: &mut KernelContext<'_>, function: impl PixelFunction<T::In>) -> Result<()> {
    let x = ctx.input(0)?;
    match x.shape().last() {
        None => bail!(InvalidArgument, "input must be at least 1D{}", x.shape()),
        Some(3) => {}
        Some(n) => bail!(FailedPrecondition, "input must have 3 channels but input only has {n} channels."),
    }
    let out = for_pixels::<T>(ctx.threads(), x, function)?;
    ctx.set_output(0, out);
    Ok(())
}

fn to_hsv(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in float, kernel(|ctx| convert::<T>(ctx, ToHsv)), else Err(init.unsupported()))
}

fn to_rgb(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in float, kernel(|ctx| convert::<T>(ctx, ToRgb)), else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut s = c.input(0)?.with_rank_at_least(1)?;
    if let Some(mut dims) = s.dims()
        && let Some(last) = dims.last_mut()
    {
        match last {
            Some(n) if *n != 3 => bail!(InvalidArgument, "Dimension must be 3 but is {n}"),
            _ => *last = Some(3),
        }
        s = PartialShape::from_dims(&dims);
    }
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("images: T").output("output: T");
        op.attr("T: {half, bfloat16, float, double} = DT_FLOAT").shape(shape)
    };
    r.add(op("RGBToHSV").doc("Converts colours in RGB to hue, saturation and value.").kernel(to_hsv));
    r.add(op("HSVToRGB").doc("Converts colours in hue, saturation and value to RGB.").kernel(to_rgb));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn colours_come_back() {
        for p in [[0.2f64, 0.5, 0.9], [0.9, 0.1, 0.3], [0.0, 0.0, 0.0], [0.4, 0.4, 0.4], [0.3, 0.8, 0.1]] {
            let back = rgb_of(hue_of(p));
            assert!(p.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-12), "{p:?} {back:?}");
        }
        assert_eq!(hue_of([1.0f32, 0.0, 0.0]), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn other_channels_are_refused() {
        let x = Tensor::from_slice([2], &[1f32, 2.]).unwrap();
        assert!(run("RGBToHSV", &[x], &[]).unwrap_err().message().contains("Dimension must be 3 but is 2"));
        assert!(run("HSVToRGB", &[Tensor::scalar(1f32)], &[]).is_err());
    }
}
