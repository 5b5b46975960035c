//! FusedPadConv2D, FusedResizeAndPadConv2D: convolutions of images that are framed by their reflection, and resized first.

use super::precision::{Precision, narrowed, widened};
use super::shape::points;
use super::spec::Spec;
use crate::array::mirror_pad::{edge, mirrored};
use crate::image::resized_linearly;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, conv, dispatch, ensure};

fn check_paddings(table: &Tensor) -> Result<()> {
    let numbers = table.to_i64s()?;
    for (dimension, what) in [(0, "batches"), (3, "channels")] {
        ensure!(
            numbers.get(2 * dimension..2 * dimension + 2).is_none_or(|pair| pair == [0, 0]),
            InvalidArgument,
            "Fused mirror padding only support spatial padding, not {what}: {numbers:?}"
        );
    }
    Ok(())
}

fn fused(init: &KernelInit<'_>, resizes: bool) -> Result<Box<dyn Kernel>> {
    let (spec, edge) = (Spec::of_last_channels(init)?, edge(init)?);
    let align_corners = resizes && init.bool("resize_align_corners")?;
    let paddings = 1 + usize::from(resizes);
    dispatch!(init.output_type(0)?, T in [F32, F64, F16], {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let x = ctx.take(0)?;
            ensure!(x.elements() > 0, InvalidArgument, "Input tensor can't be empty");
            ensure!(
                x.rank() == 4,
                InvalidArgument,
                "Fused mirror padding only supports four-dimensional inputs, but {} requested",
                x.rank()
            );
            check_paddings(ctx.input(paddings)?)?;
            let mut x = widened::<T>(threads, x)?;
            if resizes {
                x = resized_linearly::<<T as Precision>::Sum>(threads, &x, ctx.input(1)?, align_corners)?;
            }
            let x = mirrored(threads, &x, ctx.input(paddings)?, edge)?;
            let filter = widened::<T>(threads, ctx.take(paddings + 1)?)?;
            let sizes = spec.sizes("Conv2D", x.shape(), filter.shape())?;
            let mut y = Tensor::new(x.dtype(), sizes.output)?;
            let (x, filter) = (x.slice()?, filter.slice()?);
            conv::forward::<<T as Precision>::Sum>(threads, &sizes.geometry, x, filter, y.slice_mut()?, None)?;
            ctx.set_output(0, narrowed::<T>(threads, y)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>, resizes: bool) -> Result<()> {
    let input = c.input(0)?.with_rank(4)?;
    let table = 1 + usize::from(resizes);
    c.input(table)?.merge(&PartialShape::from_dims(&[Some(4), Some(2)]))?;
    let filter = c.input(table + 1)?.with_rank(4)?;
    let mut space = [input.dim(1), input.dim(2)];
    if resizes {
        c.input(1)?.merge(&PartialShape::vector(Some(2)))?;
        space = match c.input_i64s(1)?.as_deref() {
            Some(&[height, width]) => [height, width].map(|n| usize::try_from(n).ok()),
            _ => [None, None],
        };
    }
    let strides = c.int32s("strides")?;
    ensure!(
        strides.len() == 4,
        InvalidArgument,
        "Operation requires the stride attribute to contain 4 values, but got: {}",
        strides.len()
    );
    let paddings = c.input_i64s(table)?;
    let paddings = paddings.as_deref().filter(|numbers| numbers.len() == 8);
    ensure!(
        paddings.is_none_or(|numbers| numbers.iter().all(|&n| n >= 0)),
        InvalidArgument,
        "Paddings must be non-negative"
    );
    let padding = c.str("padding")?;
    let mut dims = [paddings.and(input.dim(0)), None, None, filter.dim(3)];
    for (i, size) in space.into_iter().enumerate() {
        let padded = size.zip(paddings).and_then(|(size, numbers)| {
            let around = numbers[2 * (i + 1)].checked_add(numbers[2 * (i + 1) + 1])?;
            size.checked_add(usize::try_from(around).ok()?)
        });
        dims[i + 1] = points(padded, filter.dim(i), strides[i + 1], 1, &padding, (0, 0))?;
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let rest = |op: Op| {
        op.attr("mode: {'REFLECT', 'SYMMETRIC'}").attr("strides: list(int)").attr("padding: {'SAME', 'VALID'}")
    };
    let convolution =
        |op: Op| op.input("paddings: int32").input("filter: T").output("output: T").attr("T: {half, float, double}");
    r.add(
        rest(convolution(Op::new("FusedPadConv2D").input("input: T")))
            .doc("Returns the convolution of images that are framed by their reflection.")
            .shape(|c| shape(c, false))
            .kernel(|init| fused(init, false)),
    );
    let op = Op::new("FusedResizeAndPadConv2D").input("input: T").input("size: int32");
    r.add(
        rest(convolution(op).attr("resize_align_corners: bool = false"))
            .doc("Returns the convolution of images that are resized, then framed by their reflection.")
            .shape(|c| shape(c, true))
            .kernel(|init| fused(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Shape, Tensor};

    fn numbers(shape: &[usize]) -> Tensor {
        let shape = Shape::new(shape);
        let values: Vec<f64> = (0..shape.elements()).map(|i| (i as f64 * 0.7).sin()).collect();
        Tensor::from_slice(shape, &values).unwrap()
    }

    fn ints(list: &[i64]) -> AttrValue {
        AttrValue::List(list.iter().map(|&n| AttrValue::Int(n)).collect())
    }

    fn one(op: &str, inputs: &[Tensor], attrs: &[(&str, AttrValue)]) -> Tensor {
        run(op, inputs, attrs).unwrap().remove(0)
    }

    #[test]
    fn the_steps_one_by_one_give_the_same() {
        let (x, filter) = (numbers(&[2, 4, 5, 3]), numbers(&[3, 2, 3, 2]));
        let paddings = Tensor::from_slice([4, 2], &[0i32, 0, 1, 2, 2, 0, 0, 0]).unwrap();
        let mode = ("mode", AttrValue::Str(b"REFLECT".to_vec()));
        let conv = [("strides", ints(&[1, 2, 1, 1])), ("padding", AttrValue::Str(b"VALID".to_vec()))];
        let fused = [&conv[..], std::slice::from_ref(&mode)].concat();
        let padded = one("MirrorPad", &[x.clone(), paddings.clone()], std::slice::from_ref(&mode));
        let expected = one("Conv2D", &[padded, filter.clone()], &conv);
        assert_eq!(one("FusedPadConv2D", &[x.clone(), paddings.clone(), filter.clone()], &fused), expected);

        // The float32 images of ResizeBilinear.
        let size = Tensor::from_slice([2], &[6i32, 7]).unwrap();
        let single = |t: &Tensor| {
            let values: Vec<f32> = t.slice::<f64>().unwrap().iter().map(|&x| x as f32).collect();
            Tensor::from_slice(t.shape().clone(), &values).unwrap()
        };
        let (x, filter) = (single(&x), single(&filter));
        let resized = one("ResizeBilinear", &[x.clone(), size.clone()], &[]);
        let padded = one("MirrorPad", &[resized, paddings.clone()], std::slice::from_ref(&mode));
        let expected = one("Conv2D", &[padded, filter.clone()], &conv);
        assert_eq!(one("FusedResizeAndPadConv2D", &[x, size, paddings, filter], &fused), expected);
    }

    #[test]
    fn batches_and_channels_are_not_padded() {
        let paddings = Tensor::from_slice([4, 2], &[1i32, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        let attrs = [
            ("strides", ints(&[1; 4])),
            ("padding", AttrValue::Str(b"SAME".to_vec())),
            ("mode", AttrValue::Str(b"SYMMETRIC".to_vec())),
        ];
        let inputs = [numbers(&[2, 2, 2, 1]), paddings, numbers(&[1, 1, 1, 1])];
        let e = run("FusedPadConv2D", &inputs, &attrs).unwrap_err();
        assert!(e.message().starts_with("Fused mirror padding only support spatial padding, not batches"), "{e}");
    }
}
