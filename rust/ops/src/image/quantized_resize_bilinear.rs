//! QuantizedResizeBilinear: quantized images resized between the four pixels around, in integers.

use super::sampling::{Alignment, Sizes, Taps, aligned, for_rows, linear_taps, resize_shape};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, ensure};

/// A neighbour pair: their first elements in a row, or rows, and the weight of the second.
struct Pair<W> {
    at: [usize; 2],
    weight: W,
}

/// Numbers that are interpolated: the weights and the formula of one element.
trait Interpolated: Scalar {
    type Weight: Copy + Sync;
    fn weight(lerp: f32) -> Self::Weight;
    fn between(top: [Self; 2], bottom: [Self; 2], x: Self::Weight, y: Self::Weight) -> Self;
}

impl Interpolated for f32 {
    type Weight = f32;

    fn weight(lerp: f32) -> f32 {
        lerp
    }

    fn between(top: [f32; 2], bottom: [f32; 2], x: f32, y: f32) -> f32 {
        let (top, bottom) = (top[0] + (top[1] - top[0]) * x, bottom[0] + (bottom[1] - bottom[0]) * x);
        top + (bottom - top) * y
    }
}

/// TF 1.x: numbers are rounded to f32, and weights are in 1 / 2^bits. Quotients are rounded to zero between the two
/// steps and to the nearest at the end.
macro_rules! in_integers {
    ($t:ty, $bits:literal) => {
        impl Interpolated for $t {
            type Weight = i64;

            fn weight(lerp: f32) -> i64 {
                (lerp * (1i64 << $bits) as f32) as i64
            }

            fn between(top: [$t; 2], bottom: [$t; 2], x: i64, y: i64) -> $t {
                const ONE: i64 = 1 << $bits;
                let whole = |v: $t| (v as f32) as i64;
                let along = |[l, r]: [$t; 2]| whole(l) * ONE + (whole(r) - whole(l)) * x;
                let (top, bottom) = (along(top), along(bottom));
                ((top + (bottom - top) / ONE * y + ONE / 2) / ONE) as $t
            }
        }
    };
}
in_integers!(u8, 7);
in_integers!(i32, 30);

fn pairs<T: Interpolated>(taps: Vec<Taps<2>>, step: usize) -> Vec<Pair<T::Weight>> {
    taps.into_iter()
        .map(|[(low, _), (high, lerp)]| Pair { at: [low * step, high * step], weight: T::weight(lerp) })
        .collect()
}

fn resize<T: Interpolated>(ctx: &KernelContext<'_>, images: &Tensor, alignment: Alignment) -> Result<Tensor> {
    let sizes = Sizes::of(images, ctx.input(1)?)?;
    let (from, to) = (&sizes.from, &sizes.to);
    let channels = from[3];
    let rows = pairs::<T>(linear_taps(alignment, from[1], to[1])?, 1);
    let columns = pairs::<T>(linear_taps(alignment, from[2], to[2])?, channels);
    let mut out = Tensor::new(T::DTYPE, to.clone())?;
    let pixels = images.slice::<T>()?;
    for_rows(
        ctx.threads(),
        to,
        out.slice_mut::<T>()?,
        || (),
        |(), image, y, line| {
            let row = &rows[y];
            let [top, bottom] = row.at.map(|r| &pixels[sizes.row_at(image, r)..][..sizes.row()]);
            for (to, column) in line.chunks_exact_mut(channels).zip(&columns) {
                for (c, to) in to.iter_mut().enumerate() {
                    let both = |line: &[T]| column.at.map(|at| line[at + c]);
                    *to = T::between(both(top), both(bottom), column.weight, row.weight);
                }
            }
        },
    )?;
    Ok(out)
}

fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // TF 1.x: quantized images alone may have both alignments, the scale of one and the places of the other.
    let alignment = Alignment::stated(init)?;
    let dtype = init.input_type(0)?;
    let resize = match dtype {
        DType::F32 => resize::<f32>,
        DType::QU8 => resize::<u8>,
        DType::QI32 => resize::<i32>,
        _ => return Err(init.unsupported()),
    };
    let plain = match dtype {
        DType::QU8 => DType::U8,
        DType::QI32 => DType::I32,
        _ => dtype,
    };
    kernel(move |ctx| {
        let images = ctx.input(0)?.clone().bitcast_same_size(plain)?;
        for i in [2, 3] {
            ensure!(ctx.input(i)?.elements() == 1, InvalidArgument, "min and max must be scalars");
        }
        let out = resize(ctx, &images, alignment)?;
        let (min, max) = (ctx.input(2)?.to_scalar::<f32>()?, ctx.input(3)?.to_scalar::<f32>()?);
        ctx.set_output(0, out.bitcast_same_size(dtype)?);
        ctx.set_output(1, Tensor::scalar(min));
        ctx.set_output(2, Tensor::scalar(max));
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    resize_shape(c)?;
    c.input(2)?.with_rank(0)?;
    c.input(3)?.with_rank(0)?;
    c.set_output(1, PartialShape::scalar());
    c.set_output(2, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        aligned(
            Op::new("QuantizedResizeBilinear")
                .input("images: T")
                .input("size: int32")
                .input("min: float")
                .input("max: float")
                .output("resized_images: T")
                .output("out_min: float")
                .output("out_max: float")
                .attr("T: {quint8, qint32, float}"),
        )
        .doc("Resizes quantized images as `ResizeBilinear` does others; the bounds stay.")
        .shape(shape)
        .kernel(kernel_of),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn resized(images: Tensor, size: [i32; 2], corners: bool) -> Tensor {
        aligned(images, size, corners, false)
    }

    fn aligned(images: Tensor, size: [i32; 2], corners: bool, half_pixel: bool) -> Tensor {
        let size = Tensor::from_slice([2], &size).unwrap();
        let args = [images, size, Tensor::scalar(0f32), Tensor::scalar(1f32)].map(Arg::One).into();
        let attrs = [("align_corners", AttrValue::Bool(corners)), ("half_pixel_centers", AttrValue::Bool(half_pixel))];
        run_args("QuantizedResizeBilinear", args, &attrs, 2).unwrap().values[0].clone()
    }

    fn numbers() -> impl Iterator<Item = i32> {
        (0..18).map(|i| i * 37 % 251)
    }

    #[test]
    fn bytes_are_tensorflows() {
        let bytes: Vec<u8> = numbers().map(|v| v as u8).collect();
        let images = Tensor::from_slice([1, 3, 3, 2], &bytes).unwrap().bitcast_same_size(DType::QU8).unwrap();
        let plain = |t: Tensor| t.bitcast_same_size(DType::U8).unwrap().slice::<u8>().unwrap().to_vec();
        assert_eq!(
            plain(resized(images.clone(), [4, 5], false)),
            [
                0, 37, 44, 81, 88, 125, 133, 170, 148, 185, 167, 15, 98, 59, 67, 104, 111, 148, 126, 163, 208, 119,
                102, 88, 45, 82, 89, 126, 105, 142, 193, 230, 88, 125, 30, 67, 75, 112, 90, 127
            ]
        );
        assert_eq!(
            plain(resized(images, [5, 4], true)),
            [
                0, 37, 49, 86, 98, 135, 148, 185, 111, 23, 77, 72, 84, 121, 134, 171, 222, 8, 104, 57, 69, 106, 119,
                156, 208, 119, 90, 85, 55, 92, 105, 142, 193, 230, 75, 112, 40, 77, 90, 127
            ]
        );
    }

    #[test]
    fn words_are_tensorflows() {
        let words: Vec<i32> = numbers().map(|v| (v - 100) * 12_345_679).collect();
        let images = Tensor::from_slice([1, 3, 3, 2], &words).unwrap().bitcast_same_size(DType::QI32).unwrap();
        let plain = |t: Tensor| t.bitcast_same_size(DType::I32).unwrap().slice::<i32>().unwrap()[..12].to_vec();
        assert_eq!(
            plain(resized(images.clone(), [4, 5], false)),
            [
                -1_234_567_935,
                -777_777_791,
                -686_419_740,
                -229_629_616,
                -138_271_559,
                318_518_559,
                409_876_597,
                866_666_734,
                592_592_576,
                1_049_382_720,
                820_987_616,
                -1_046_296_319
            ]
        );
        assert_eq!(
            plain(resized(images, [5, 4], true)),
            [
                -1_234_567_935,
                -777_777_791,
                -625_514_392,
                -168_724_269,
                -16_460_869,
                440_329_252,
                592_592_576,
                1_049_382_720,
                135_802_432,
                -956_790_143,
                -288_065_868,
                -347_736_615
            ]
        );
    }

    #[test]
    fn corners_and_half_pixels_may_be_aligned_together() {
        let images = Tensor::from_slice([1, 2, 3, 1], &[0f32, 10.0, 20.0, 30.0, 40.0, 50.0]).unwrap();
        assert_eq!(aligned(images.clone(), [1, 2], true, true).slice::<f32>().unwrap(), [20.0, 35.0]);
        let bytes = Tensor::from_slice([1, 2, 3, 1], &[132u8, 174, 142, 121, 233, 240]).unwrap();
        let out = aligned(bytes.bitcast_same_size(DType::QU8).unwrap(), [3, 4], true, true);
        let plain = out.bitcast_same_size(DType::U8).unwrap();
        assert_eq!(plain.slice::<u8>().unwrap(), [132, 153, 169, 148, 129, 159, 185, 170, 124, 171, 218, 216]);
    }

    #[test]
    fn floats_are_resized_as_elsewhere() {
        let images = Tensor::from_slice([1, 2, 2, 1], &[0f32, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(
            resized(images, [3, 3], true).slice::<f32>().unwrap(),
            [0.0, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 2.5, 3.0]
        );
    }
}
