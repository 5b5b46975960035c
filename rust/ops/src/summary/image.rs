//! ImageSummary: the first images of a batch as PNG files.

use super::{Tagged, numbered, scalar_shape, set_summary, tag_in};
use crate::image::png;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel};
use ferroflow_proto::tensorflow::summary::{Image, value};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bail, ensure, f16};

/// Below this, an image counts as black.
const ZERO: f32 = 1e-6;

/// The numbers of images, whose arithmetic rounds as TF's does.
trait Sample: Scalar {
    fn wide(self) -> f32;
    fn is_finite(self) -> bool;
    /// Returns `self * scale + offset`, cut to a byte.
    fn byte(self, scale: f32, offset: f32) -> u8;
}

impl Sample for f32 {
    fn wide(self) -> f32 {
        self
    }
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    fn byte(self, scale: f32, offset: f32) -> u8 {
        (self * scale + offset) as u8
    }
}

impl Sample for f64 {
    fn wide(self) -> f32 {
        self as f32
    }
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    fn byte(self, scale: f32, offset: f32) -> u8 {
        (self * f64::from(scale) + f64::from(offset)) as u8
    }
}

impl Sample for f16 {
    fn wide(self) -> f32 {
        self.to_f32()
    }
    fn is_finite(self) -> bool {
        f16::is_finite(self)
    }
    fn byte(self, scale: f32, offset: f32) -> u8 {
        let product = f16::from_f32(self.to_f32() * f16::from_f32(scale).to_f32());
        f16::from_f32(product.to_f32() + offset).to_f32() as u8
    }
}

/// Returns the bytes of one image, scaled to use their range; a pixel with a part that is not finite gets `bad_color`.
fn bytes<T: Sample>(samples: &[T], channels: usize, bad_color: &[u8]) -> Vec<u8> {
    let pixels = || samples.chunks_exact(channels);
    let is_finite = |pixel: &[T]| pixel.iter().all(|&x| x.is_finite());
    let (mut min, mut max) = (f32::INFINITY, f32::NEG_INFINITY);
    for &x in pixels().filter(|p| is_finite(p)).flatten() {
        min = min.min(x.wide());
        max = max.max(x.wide());
    }
    let (most, top, offset) = if min < 0.0 { (min.abs().max(max.abs()), 127.0, 128.0) } else { (max, 255.0, 0.0) };
    let scale = if most < ZERO { 0.0 } else { top / most };
    let mut out = Vec::with_capacity(samples.len());
    for pixel in pixels() {
        match is_finite(pixel) {
            true => out.extend(pixel.iter().map(|x| x.byte(scale, offset))),
            false => out.extend_from_slice(bad_color),
        }
    }
    out
}

fn image(tensor: &Tensor, i: usize, size: usize, channels: usize, bad_color: &[u8]) -> Result<Vec<u8>> {
    fn one<T: Scalar>(tensor: &Tensor, i: usize, size: usize) -> Result<&[T]> {
        match tensor.slice::<T>()?.get(i * size..(i + 1) * size) {
            Some(samples) => Ok(samples),
            None => bail!(Internal, "image {i} is outside of its batch"),
        }
    }
    if tensor.dtype() == DType::U8 {
        return Ok(one::<u8>(tensor, i, size)?.to_vec());
    }
    let Some(bad) = bad_color.get(..channels) else {
        bail!(
            InvalidArgument,
            "expected depth <= bad_color.size, got depth = {channels}, bad_color.size = {}",
            bad_color.len()
        )
    };
    Ok(match tensor.dtype() {
        DType::F16 => bytes(one::<f16>(tensor, i, size)?, channels, bad),
        DType::F32 => bytes(one::<f32>(tensor, i, size)?, channels, bad),
        _ => bytes(one::<f64>(tensor, i, size)?, channels, bad),
    })
}

fn compute(ctx: &mut KernelContext<'_>, most: i64, bad_color: &[u8]) -> Result<()> {
    let tag = tag_in(ctx, 0, "Tags")?;
    let values = values_of(&tag, ctx.input(1)?, most, bad_color)?;
    set_summary(ctx, &values)
}

/// Returns the first `most` images of a batch.
pub(super) fn values_of(tag: &[u8], tensor: &Tensor, most: i64, bad_color: &[u8]) -> Result<Vec<Tagged>> {
    let &[batch, height, width, channels] = tensor.shape().dims() else {
        bail!(InvalidArgument, "Tensor must be 4-D with last dim 1, 3, or 4, not {}", tensor.shape())
    };
    ensure!(
        matches!(channels, 1 | 3 | 4),
        InvalidArgument,
        "Tensor must be 4-D with last dim 1, 3, or 4, not {}",
        tensor.shape()
    );
    let limit = 1usize << 29;
    ensure!(
        height.checked_mul(width).is_some_and(|pixels| pixels < limit) && height.max(width) < limit,
        InvalidArgument,
        "Tensor too large for summary {}",
        tensor.shape()
    );
    let mut values = Vec::new();
    for i in 0..batch.min(usize::try_from(most).unwrap_or(0)) {
        ensure!(
            height > 0 && width > 0,
            InvalidArgument,
            "input tensor must have non-zero dims. Found: {}.",
            tensor.shape()
        );
        let pixels = image(tensor, i, height * width * channels, channels, bad_color)?;
        let Some(encoded_image_string) = png::encode(&pixels, [height, width, channels], false, -1) else {
            bail!(Internal, "PNG encoding failed")
        };
        let image =
            Image { height: height as i32, width: width as i32, colorspace: channels as i32, encoded_image_string };
        let tag = numbered(tag, "image", most, i);
        values.push(Tagged::new(tag, value::Value::Image(image)));
    }
    Ok(values)
}

fn make(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let most = init.int("max_images")?;
    ensure!(most < 1 << 31, InvalidArgument, "max_images must be < 2^31");
    let bad_color = init.tensor("bad_color")?;
    ensure!(
        bad_color.dtype() == DType::U8,
        InvalidArgument,
        "bad_color must be uint8, got {}",
        bad_color.dtype().schema_name()
    );
    ensure!(bad_color.rank() == 1, InvalidArgument, "bad_color must be a vector, got shape {}", bad_color.shape());
    let bad_color = bad_color.slice::<u8>()?.to_vec();
    kernel(move |ctx| compute(ctx, most, &bad_color))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ImageSummary")
            .input("tag: string")
            .input("tensor: T")
            .output("summary: string")
            .attr("max_images: int >= 1 = 3")
            .attr("T: {uint8, float, half, double} = DT_FLOAT")
            .attr(
                "bad_color: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 4 } } \
                 int_val: 255 int_val: 0 int_val: 0 int_val: 255 }",
            )
            .doc(
                "Returns a Summary message with the first images of a batch [batch, height, width, channels] as PNG \
                 files.",
            )
            .shape(scalar_shape)
            .kernel(make),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_use_the_range_of_a_byte() {
        assert_eq!(bytes(&[0f32, 1.0, 2.0], 1, &[9]), [0, 127, 255]);
        assert_eq!(bytes(&[-2f64, 0.0, 1.0], 1, &[9]), [1, 128, 191]);
        assert_eq!(bytes(&[f16::ZERO, f16::from_f32(1e-7)], 1, &[9]), [0, 0]);
        assert_eq!(bytes(&[1f32, f32::NAN, 1.0, 0.5], 2, &[7, 8]), [7, 8, 255, 127]);
    }
}
