//! QuantizedInstanceNorm, QuantizedBatchNormWithGlobalNormalization: levels moved and scaled by channel.

use super::levels::{Range, integers, narrowed, scalar_bounds, scalar_inputs, set_outputs};
use super::range::bound;
use crate::room::filled;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, bail, ensure};

/// Moves the channels of each image to mean 0 and scales them to variance 1, in place.
fn normalize(image: &mut [f32], channels: usize, scale: f32, epsilon: f32) -> Result<()> {
    let count = (image.len() / channels) as f32;
    let mut means = filled(channels, 0.0f32, "means")?;
    for pixel in image.chunks_exact(channels) {
        means.iter_mut().zip(pixel).for_each(|(sum, x)| *sum += x);
    }
    means.iter_mut().for_each(|sum| *sum /= count);
    let mut factors = filled(channels, 0.0f32, "variances")?;
    for pixel in image.chunks_exact_mut(channels) {
        for ((x, mean), sum) in pixel.iter_mut().zip(&means).zip(&mut factors) {
            *x = scale * (*x - mean);
            *sum += *x * *x;
        }
    }
    factors.iter_mut().for_each(|sum| *sum = 1.0 / (*sum / count + epsilon).sqrt());
    for pixel in image.chunks_exact_mut(channels) {
        pixel.iter_mut().zip(&factors).for_each(|(x, factor)| *x *= factor);
    }
    Ok(())
}

fn instance_norm(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if init.input_type(0)? != DType::QU8 {
        return Err(init.unsupported());
    }
    let given = match init.bool("output_range_given")? {
        true => Some((init.float("given_y_min")?, init.float("given_y_max")?)),
        false => None,
    };
    if let Some((min, max)) = given {
        ensure!(min < max, InvalidArgument, "given_y_min must be less than given_y_max : {min} >= {max}");
    }
    let (epsilon, separation) = (init.float("variance_epsilon")?, init.float("min_separation")?);
    kernel(move |ctx| {
        let (x_min, x_max) = (bound(ctx.input(1)?, "x_min")?, bound(ctx.input(2)?, "x_max")?);
        ensure!(x_min < x_max, InvalidArgument, "input_min must be less than input_max : {x_min} >= {x_max}");
        let x = ctx.take(0)?;
        let shape = x.shape().clone();
        let [_, height, width, channels] = *shape.dims() else {
            bail!(InvalidArgument, "input must be 4-dimensional{shape}")
        };
        let levels = integers(ctx, x)?;
        let mut numbers = filled(levels.elements(), 0.0f32, "numbers")?;
        numbers.iter_mut().zip(levels.slice::<i32>()?).for_each(|(to, &q)| *to = q as f32);
        for image in numbers.chunks_exact_mut((height * width * channels).max(1)) {
            normalize(image, channels, (x_max - x_min) / 255.0, epsilon)?;
        }
        let (min, mut max) = given.unwrap_or_else(|| {
            let least = numbers.iter().copied().fold(f32::INFINITY, f32::min);
            (least, numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max))
        });
        if max - min < separation {
            max = min + separation;
        }
        let to_levels = Range::new(DType::QU8, min, max)?.levels();
        let mut out = filled(numbers.len(), 0i32, "levels")?;
        out.iter_mut().zip(&numbers).for_each(|(to, x)| *to = to_levels(*x));
        set_outputs(ctx, narrowed(&out, &shape, DType::QU8)?, min, max);
        Ok(())
    })
}

fn instance_norm_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 1)?;
    let shape = c.input(0)?.with_rank(4)?;
    c.set_output(0, shape);
    scalar_bounds(c);
    Ok(())
}

/// TF 1.x: the range of results, which are 32-bit levels.
const LIMIT: f32 = (1 << 20) as f32;

fn batch_norm(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if (init.input_type(0)?, init.output_type(0)?) != (DType::QU8, DType::QI32) {
        return Err(init.unsupported());
    }
    let (epsilon, scales) = (init.float("variance_epsilon")?, init.bool("scale_after_normalization")?);
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let shape = x.shape().clone();
        ensure!(shape.rank() == 4, InvalidArgument, "input must be 4-dimensional{shape}");
        let channels = shape[3];
        let range = |first: usize| Range::of_inputs(ctx, DType::QU8, first);
        let ranges = [range(1)?, range(4)?, range(7)?, range(10)?, range(13)?];
        let mut vectors = Vec::with_capacity(4);
        for (i, name) in [(3, "mean"), (6, "var"), (9, "beta"), (12, "gamma")] {
            let vector = ctx.input(i)?;
            ensure!(vector.rank() == 1, InvalidArgument, "{name} must be 1-dimensional{}", vector.shape());
            ensure!(
                vector.elements() == channels,
                InvalidArgument,
                "{name} must have an element for each of {channels} channels: {}",
                vector.shape()
            );
            vectors.push(integers(ctx, vector.clone())?);
        }
        let number = |i: usize, channel: usize| -> Result<f32> {
            Ok(ranges[i + 1].number(i64::from(vectors[i].slice::<i32>()?[channel])))
        };
        let total = Range::new(DType::QI32, -LIMIT, LIMIT)?;
        let mut factors = filled(channels, (0i32, 0i32), "channels")?;
        for (channel, to) in factors.iter_mut().enumerate() {
            let (mean, variance) = (number(0, channel)?, number(1, channel)?);
            let inverse = 1.0 / (variance + epsilon).sqrt();
            let scale = if scales { inverse * number(3, channel)? } else { inverse };
            let offset = -mean * scale + number(2, channel)?;
            *to = (total.level(scale) as i32, total.level(offset) as i32);
        }
        let one = total.level(1.0) as i32;
        ensure!(one != 0, Internal, "the level of one is zero");
        let x = ctx.take(0)?;
        let mut out = integers(ctx, x)?;
        for pixel in out.slice_mut::<i32>()?.chunks_exact_mut(channels.max(1)) {
            for (q, &(scale, offset)) in pixel.iter_mut().zip(&factors) {
                let level = total.level(ranges[0].number(i64::from(*q))) as i32;
                *q = (level.wrapping_mul(scale) / one).wrapping_add(offset);
            }
        }
        set_outputs(ctx, out.bitcast_same_size(DType::QI32)?, total.min, total.max);
        Ok(())
    })
}

fn batch_norm_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank(4)?;
    let mut channels = PartialShape::vector(input.dim(3));
    for i in [3, 6, 9, 12] {
        channels = c.input(i)?.with_rank(1)?.merge(&channels)?;
    }
    for i in [1, 2, 4, 5, 7, 8, 10, 11, 13, 14] {
        c.input(i)?.with_rank(0)?;
    }
    c.set_output(0, PartialShape::from_dims(&[input.dim(0), input.dim(1), input.dim(2), channels.dim(0)]));
    scalar_bounds(c);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("QuantizedInstanceNorm")
            .input("x: T")
            .input("x_min: float")
            .input("x_max: float")
            .output("y: T")
            .output("y_min: float")
            .output("y_max: float")
            .attr("T: quantizedtype")
            .attr("output_range_given: bool = false")
            .attr("given_y_min: float = 0.0")
            .attr("given_y_max: float = 0.0")
            .attr("variance_epsilon: float = 0.00001")
            .attr("min_separation: float = 0.001")
            .doc("Returns levels of images whose channels have mean 0 and variance 1, and their range.")
            .shape(instance_norm_shape)
            .kernel(instance_norm),
    );
    let op = ["t", "m", "v", "beta", "gamma"].iter().fold(
        Op::new("QuantizedBatchNormWithGlobalNormalization"),
        |op, name| {
            let op = op.input(&format!("{name}: Tinput"));
            op.input(&format!("{name}_min: float")).input(&format!("{name}_max: float"))
        },
    );
    r.add(
        op.output("result: out_type")
            .output("result_min: float")
            .output("result_max: float")
            .attr("Tinput: quantizedtype")
            .attr("out_type: quantizedtype")
            .attr("variance_epsilon: float")
            .attr("scale_after_normalization: bool")
            .doc("Returns levels normalized by the given moments of their channels, as 32-bit levels, and their range.")
            .shape(batch_norm_shape)
            .kernel(batch_norm),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Shape, Tensor};

    fn levels(shape: &[usize], q: &[u8]) -> Tensor {
        Tensor::from_slice(Shape::new(shape), q).unwrap().bitcast_same_size(DType::QU8).unwrap()
    }

    #[test]
    fn channels_of_images_are_normalized() {
        let x = levels(&[1, 2, 1, 2], &[10, 7, 30, 7]);
        let inputs = [x, Tensor::scalar(0.0f32), Tensor::scalar(255.0f32)];
        let out = run("QuantizedInstanceNorm", &inputs, &[]).unwrap();
        let q = out[0].clone().bitcast_same_size(DType::U8).unwrap();
        // The first channel is -1 and 1, the second one 0.
        assert_eq!(q.slice::<u8>().unwrap(), [0, 128, 255, 128]);
        assert!((out[1].to_scalar::<f32>().unwrap() + 1.0).abs() < 1e-5);
        assert!((out[2].to_scalar::<f32>().unwrap() - 1.0).abs() < 1e-5);
        let swapped = [inputs[0].clone(), inputs[2].clone(), inputs[1].clone()];
        assert!(run("QuantizedInstanceNorm", &swapped, &[]).is_err());
    }

    #[test]
    fn pictures_without_elements_have_an_infinite_range_unless_one_is_given() {
        for shape in [[1, 0, 2, 2], [0, 2, 2, 2], [2, 2, 0, 3], [1, 2, 2, 0]] {
            let inputs = [levels(&shape, &[]), Tensor::scalar(-1.5f32), Tensor::scalar(2.0f32)];
            let range = |attrs: &[(&str, AttrValue)]| {
                let out = run("QuantizedInstanceNorm", &inputs, attrs).unwrap();
                assert_eq!(out[0].shape().dims(), shape);
                [out[1].to_scalar::<f32>().unwrap(), out[2].to_scalar::<f32>().unwrap()]
            };
            assert_eq!(range(&[]), [f32::INFINITY; 2]);
            let given = [("given_y_min", AttrValue::Float(-1.0)), ("given_y_max", AttrValue::Float(1.0))];
            assert_eq!(range(&[&given[..], &[("output_range_given", AttrValue::Bool(true))]].concat()), [-1.0, 1.0]);
        }
    }

    #[test]
    fn given_moments_move_and_scale() {
        let bounds = [Tensor::scalar(0.0f32), Tensor::scalar(255.0f32)];
        let mut inputs = Vec::new();
        for t in [
            levels(&[1, 1, 2, 1], &[10, 20]),
            levels(&[1], &[4]),
            levels(&[1], &[4]),
            levels(&[1], &[1]),
            levels(&[1], &[3]),
        ] {
            inputs.push(t);
            inputs.extend(bounds.clone());
        }
        let run = |scales| {
            let attrs = [
                ("out_type", AttrValue::Type(DType::QI32)),
                ("variance_epsilon", AttrValue::Float(0.0)),
                ("scale_after_normalization", AttrValue::Bool(scales)),
            ];
            let out = run("QuantizedBatchNormWithGlobalNormalization", &inputs, &attrs).unwrap();
            let step = 2.0f64.powi(-11);
            let q = out[0].clone().bitcast_same_size(DType::I32).unwrap();
            q.slice::<i32>().unwrap().iter().map(|&q| f64::from(q) * step).collect::<Vec<_>>()
        };
        for (scales, expected) in [(false, [4.0, 9.0]), (true, [10.0, 25.0])] {
            for (got, expected) in run(scales).iter().zip(expected) {
                assert!((got - expected).abs() < 0.02, "{got} and {expected}");
            }
        }
    }
}
