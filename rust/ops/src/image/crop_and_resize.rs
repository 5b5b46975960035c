//! CropAndResize and its gradients: boxes of images, each resized to one size.

use super::pixel::{Pixel, Sum};
use super::sampling::for_rows;
use super::shapes::{dimension_is, same_length, sized_images};
use crate::room::room;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, dispatch, ensure, f16};

/// The pixels between which a crop samples along one dimension, and how far it is from the first to the second.
#[derive(Clone, Copy)]
struct Place {
    low: usize,
    high: usize,
    lerp: f32,
    nearest: usize,
}

/// Returns the place of pixel `i` of `count` over [from, to] in an image of `size` pixels; `None` outside the image.
fn place(i: usize, count: usize, from: f32, to: f32, size: usize) -> Option<Place> {
    let last = (size as i64 - 1) as f32;
    let at = if count > 1 {
        let scale = (to - from) * last / (count - 1) as f32;
        from * last + i as f32 * scale
    } else {
        (0.5 * f64::from(from + to) * f64::from(last)) as f32
    };
    // Negated, so that NaN counts as outside.
    if !(at >= 0.0 && at <= last) {
        return None;
    }
    let low = at.floor();
    Some(Place { low: low as usize, high: at.ceil() as usize, lerp: at - low, nearest: at.round() as usize })
}

/// The boxes [y1, x1, y2, x2] and the image that each is of.
struct Boxes<'a> {
    corners: &'a [[f32; 4]],
    images: Vec<usize>,
}

impl Boxes<'_> {
    fn of<'a>(boxes: &'a Tensor, indices: &Tensor, batch: usize) -> Result<Boxes<'a>> {
        if boxes.elements() == 0 && indices.elements() == 0 {
            return Ok(Boxes { corners: &[], images: Vec::new() });
        }
        ensure!(boxes.rank() == 2, InvalidArgument, "boxes must be 2-D{}", boxes.shape());
        ensure!(boxes.shape()[1] == 4, InvalidArgument, "boxes must have 4 columns");
        ensure!(indices.rank() == 1, InvalidArgument, "box_index must be 1-D{}", indices.shape());
        ensure!(indices.shape()[0] == boxes.shape()[0], InvalidArgument, "box_index has incompatible shape");
        let (corners, _) = boxes.slice::<f32>()?.as_chunks::<4>();
        let mut images = Vec::with_capacity(corners.len());
        for i in indices.to_i64s()? {
            match usize::try_from(i) {
                Ok(i) if i < batch => images.push(i),
                _ => bail!(OutOfRange, "box_index has values outside [0, batch_size)"),
            }
        }
        Ok(Boxes { corners, images })
    }

    fn rows(&self, b: usize, y: usize, count: usize, height: usize) -> Option<Place> {
        let [y1, _, y2, _] = self.corners[b];
        place(y, count, y1, y2, height)
    }

    /// Returns the places of the columns of each box, which are those of each of its rows.
    fn columns(&self, count: usize, width: usize) -> Result<Columns> {
        let mut places = room(self.corners.len().saturating_mul(count), "pixels")?;
        for &[_, x1, _, x2] in self.corners {
            places.extend((0..count).map(|x| place(x, count, x1, x2, width)));
        }
        Ok(Columns { places, count })
    }
}

struct Columns {
    places: Vec<Option<Place>>,
    count: usize,
}

impl Columns {
    fn of(&self, b: usize) -> &[Option<Place>] {
        &self.places[b * self.count..][..self.count]
    }
}

fn checked_images(image: &Tensor) -> Result<&Shape> {
    ensure!(image.rank() == 4, InvalidArgument, "input image must be 4-D{}", image.shape());
    let s = image.shape();
    ensure!(s[1] > 0 && s[2] > 0, InvalidArgument, "image dimensions must be positive");
    Ok(s)
}

fn checked_grads(grads: &Tensor) -> Result<&Shape> {
    ensure!(grads.rank() == 4, InvalidArgument, "grads image must be 4-D{}", grads.shape());
    let s = grads.shape();
    ensure!(s[1] > 0 && s[2] > 0, InvalidArgument, "grads dimensions must be positive");
    Ok(s)
}

/// Returns the number between four pixels: `across` from the left ones to the right ones, `down` from top to bottom.
#[inline(always)]
fn between<T: Pixel>([top_left, top_right, bottom_left, bottom_right]: [T; 4], across: f32, down: f32) -> f32 {
    let lerp = |from: f32, to: f32, by: f32| from + (to - from) * by;
    let top = lerp(top_left.to_f32(), top_right.to_f32(), across);
    lerp(top, lerp(bottom_left.to_f32(), bottom_right.to_f32(), across), down)
}

/// Returns pixel `x` of a line.
#[inline(always)]
fn pixel<T>(line: &[T], x: usize, depth: usize) -> &[T] {
    &line[x * depth..][..depth]
}

/// Samples a line between two lines of an image whose pixels have `DEPTH` channels.
#[inline(always)]
fn crop_line<T: Pixel, const DEPTH: usize>(
    [top, bottom]: [&[T]; 2],
    down: f32,
    columns: &[Option<Place>],
    outside: f32,
    line: &mut [f32],
) {
    let (top, bottom) = (top.as_chunks::<DEPTH>().0, bottom.as_chunks::<DEPTH>().0);
    for (to, column) in line.as_chunks_mut::<DEPTH>().0.iter_mut().zip(columns) {
        *to = match *column {
            None => [outside; DEPTH],
            Some(Place { low, high, lerp, .. }) => {
                let [a, b, c, d] = [top[low], top[high], bottom[low], bottom[high]];
                std::array::from_fn(|i| between([a[i], b[i], c[i], d[i]], lerp, down))
            }
        };
    }
}

/// Samples a line as `crop_line` does, of pixels with any number of channels.
#[inline(always)]
fn crop_deep_line<T: Pixel>(
    [top, bottom]: [&[T]; 2],
    down: f32,
    columns: &[Option<Place>],
    depth: usize,
    outside: f32,
    line: &mut [f32],
) {
    for (to, column) in line.chunks_exact_mut(depth).zip(columns) {
        let Some(Place { low, high, lerp, .. }) = *column else {
            to.fill(outside);
            continue;
        };
        let left = pixel(top, low, depth).iter().zip(pixel(bottom, low, depth));
        let right = pixel(top, high, depth).iter().zip(pixel(bottom, high, depth));
        for ((to, (&a, &c)), (&b, &d)) in to.iter_mut().zip(left).zip(right) {
            *to = between([a, b, c, d], lerp, down);
        }
    }
}

/// Takes the nearest pixel of each column from a line of an image.
fn crop_nearest<T: Pixel>(from: &[T], columns: &[Option<Place>], depth: usize, outside: f32, line: &mut [f32]) {
    for (to, column) in line.chunks_exact_mut(depth).zip(columns) {
        match column {
            None => to.fill(outside),
            Some(column) => {
                to.iter_mut().zip(pixel(from, column.nearest, depth)).for_each(|(to, from)| *to = from.to_f32());
            }
        }
    }
}

fn crop<T: Pixel>(ctx: &mut KernelContext<'_>, nearest: bool, outside: f32) -> Result<()> {
    let image = ctx.input(0)?;
    let from = checked_images(image)?;
    let size = ctx.input(3)?;
    ensure!(size.rank() == 1, InvalidArgument, "crop_size must be 1-D{}", size.shape());
    let [h, w] = match size.to_i64s()?[..] {
        [h, w] => [h, w],
        _ => bail!(InvalidArgument, "crop_size must have two elements{}", size.shape()),
    };
    ensure!(h > 0 && w > 0, InvalidArgument, "crop dimensions must be positive");
    let boxes = Boxes::of(ctx.input(1)?, ctx.input(2)?, from[0])?;
    let to = Shape::checked(&[boxes.corners.len() as i64, h, w, from[3] as i64])?;
    let mut out = Tensor::new(DType::F32, to.clone())?;
    let pixels = image.slice::<T>()?;
    let depth = from[3];
    if out.elements() == 0 {
        ctx.set_output(0, out);
        return Ok(());
    }
    let columns = boxes.columns(to[2], from[2])?;
    for_rows(
        ctx.threads(),
        &to,
        out.slice_mut::<f32>()?,
        || (),
        |(), b, y, line| {
            let Some(row) = boxes.rows(b, y, to[1], from[1]) else {
                line.fill(outside);
                return;
            };
            let width = from[2] * depth;
            let line_of = |y: usize| &pixels[(boxes.images[b] * from[1] + y) * width..][..width];
            let columns = columns.of(b);
            if nearest {
                crop_nearest(line_of(row.nearest), columns, depth, outside, line);
                return;
            }
            let lines = [line_of(row.low), line_of(row.high)];
            on_best_isa(|| match depth {
                1 => crop_line::<T, 1>(lines, row.lerp, columns, outside, line),
                3 => crop_line::<T, 3>(lines, row.lerp, columns, outside, line),
                4 => crop_line::<T, 4>(lines, row.lerp, columns, outside, line),
                _ => crop_deep_line(lines, row.lerp, columns, depth, outside, line),
            });
        },
    )?;
    ctx.set_output(0, out);
    Ok(())
}

fn is_nearest(init: &KernelInit<'_>) -> Result<bool> {
    Ok(init.str("method")? == "nearest")
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (nearest, outside) = (is_nearest(init)?, init.float("extrapolation_value")?);
    dispatch!(init.input_type(0)?, T in [U8, U16, I8, I16, I32, I64, F16, F32, F64], {
        kernel(move |ctx| crop::<T>(ctx, nearest, outside))
    }, else Err(init.unsupported()))
}

/// Computes the gradient by the images: each image collects from its boxes in their order.
fn by_image<T: Sum>(ctx: &mut KernelContext<'_>, nearest: bool) -> Result<()> {
    let grads = ctx.input(0)?;
    let from = checked_grads(grads)?.clone();
    let size = ctx.input(3)?;
    ensure!(size.rank() == 1, InvalidArgument, "image_size must be 1-D{}", size.shape());
    let size = size.to_i64s()?;
    ensure!(size.len() == 4, InvalidArgument, "image_size must have 4 elements[{}]", size.len());
    ensure!(size[1] > 0 && size[2] > 0, InvalidArgument, "image dimensions must be positive");
    let to = Shape::checked(&size)?;
    ensure!(from[3] == to[3], InvalidArgument, "image_size and grads are incompatible");
    let boxes = Boxes::of(ctx.input(1)?, ctx.input(2)?, to[0])?;
    ensure!(from[0] == boxes.corners.len(), InvalidArgument, "boxes and grads have incompatible shape");
    let mut out = Tensor::new(T::DTYPE, to.clone())?;
    let grads = grads.slice::<f32>()?;
    let columns = if grads.is_empty() { boxes.columns(0, 1)? } else { boxes.columns(from[2], to[2])? };
    let depth = to[3];
    let plane = to[1] * to[2] * depth;
    // Reserved here, because this function can return a lack of memory as an error.
    let mut totals = room::<T::Total>(out.elements(), "pixels")?;
    totals.resize(out.elements(), T::Total::default());
    try_for_chunks_mut(ctx.threads(), &mut totals, plane, |start, totals| {
        let image = start / plane;
        for b in (0..boxes.images.len()).filter(|&b| boxes.images[b] == image) {
            for y in 0..from[1] {
                let Some(row) = boxes.rows(b, y, from[1], to[1]) else { continue };
                for (x, column) in columns.of(b).iter().enumerate() {
                    let Some(column) = column else { continue };
                    let at = ((b * from[1] + y) * from[2] + x) * depth;
                    let grads = &grads[at..at + depth];
                    let mut add = |y: usize, x: usize, down: f32, across: f32| {
                        let at = (y * to[2] + x) * depth;
                        for (total, g) in totals[at..at + depth].iter_mut().zip(grads) {
                            *total += T::of_product(across * (down * g));
                        }
                    };
                    if nearest {
                        add(row.nearest, column.nearest, 1.0, 1.0);
                        continue;
                    }
                    add(row.low, column.low, 1.0 - row.lerp, 1.0 - column.lerp);
                    add(row.low, column.high, 1.0 - row.lerp, column.lerp);
                    add(row.high, column.low, row.lerp, 1.0 - column.lerp);
                    add(row.high, column.high, row.lerp, column.lerp);
                }
            }
        }
    })?;
    for (to, &total) in out.slice_mut::<T>()?.iter_mut().zip(&totals) {
        *to = T::narrow(total);
    }
    ctx.set_output(0, out);
    Ok(())
}

fn backward_image(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let nearest = is_nearest(init)?;
    match init.output_type(0)? {
        DType::F32 => kernel(move |ctx| by_image::<f32>(ctx, nearest)),
        DType::F64 => kernel(move |ctx| by_image::<f64>(ctx, nearest)),
        DType::F16 => kernel(move |ctx| by_image::<f16>(ctx, nearest)),
        _ => Err(init.unsupported()),
    }
}

/// Returns the gradient by the corners of one box.
fn by_box<T: Pixel>(
    (image, size): (&[T], &Shape),
    (grads, from): (&[f32], &Shape),
    boxes: &Boxes<'_>,
    columns: &[Option<Place>],
    b: usize,
) -> [f32; 4] {
    let depth = size[3];
    let mut total = [0f32; 4];
    let ratio = |size: usize, count: usize| {
        if count > 1 { (size as i64 - 1) as f32 / (count - 1) as f32 } else { 0.0 }
    };
    let ratios = [ratio(size[1], from[1]), ratio(size[2], from[2])];
    // The derivative of pixel `i` of `count` by the first and by the second corner.
    let share = |i: usize, count: usize, size: usize, ratio: f32| {
        let last = (size as i64 - 1) as f32;
        if count > 1 { [last - i as f32 * ratio, i as f32 * ratio] } else { [0.5 * last, 0.5 * last] }
    };
    let at = |y: usize, x: usize| {
        let at = ((boxes.images[b] * size[1] + y) * size[2] + x) * depth;
        &image[at..at + depth]
    };
    for y in 0..from[1] {
        let Some(row) = boxes.rows(b, y, from[1], size[1]) else { continue };
        let down = share(y, from[1], size[1], ratios[0]);
        for (x, column) in columns.iter().enumerate() {
            let Some(column) = column else { continue };
            let across = share(x, from[2], size[2], ratios[1]);
            let (tl, tr) = (at(row.low, column.low), at(row.low, column.high));
            let (bl, br) = (at(row.high, column.low), at(row.high, column.high));
            let first = ((b * from[1] + y) * from[2] + x) * depth;
            for (d, &g) in grads[first..first + depth].iter().enumerate() {
                let [tl, tr, bl, br] = [tl[d], tr[d], bl[d], br[d]].map(T::to_f32);
                let gy = ((1.0 - column.lerp) * (bl - tl) + column.lerp * (br - tr)) * g;
                let gx = ((1.0 - row.lerp) * (tr - tl) + row.lerp * (br - bl)) * g;
                total[0] += gy * down[0];
                total[1] += gx * across[0];
                total[2] += gy * down[1];
                total[3] += gx * across[1];
            }
        }
    }
    total
}

fn by_boxes<T: Pixel>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (grads, image) = (ctx.input(0)?, ctx.input(1)?);
    let (from, size) = (checked_grads(grads)?, checked_images(image)?);
    ensure!(size[3] == from[3], InvalidArgument, "image, grads depth differ");
    let boxes = Boxes::of(ctx.input(2)?, ctx.input(3)?, size[0])?;
    ensure!(from[0] == boxes.corners.len(), InvalidArgument, "boxes and grads have incompatible shape");
    let mut out = Tensor::new(DType::F32, [boxes.corners.len(), 4])?;
    let (image, grads) = (image.slice::<T>()?, grads.slice::<f32>()?);
    let columns = if grads.is_empty() { boxes.columns(0, 1)? } else { boxes.columns(from[2], size[2])? };
    let (totals, _) = out.slice_mut::<f32>()?.as_chunks_mut::<4>();
    let threads: Threads = ctx.threads();
    try_for_chunks_mut(threads, totals, 1, |b, total| {
        if let [total] = total {
            *total = by_box((image, size), (grads, from), &boxes, columns.of(b), b);
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn backward_boxes(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(1)?, T in [U8, U16, I8, I16, I32, I64, F16, F32, F64], {
        kernel(by_boxes::<T>)
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let image = c.input(0)?.with_rank(4)?;
    let boxes = c.input(1)?.with_rank(2)?;
    let count = same_length(&boxes, &c.input(2)?.with_rank(1)?)?;
    dimension_is(&boxes, 1, 4)?;
    sized_images(c, count, 3, image.dim(3))
}

fn image_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input_as_shape(3)?.with_rank(4)?;
    c.set_output(0, s);
    Ok(())
}

fn boxes_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(2)?.clone();
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CropAndResize")
            .input("image: T")
            .input("boxes: float")
            .input("box_ind: int32")
            .input("crop_size: int32")
            .output("crops: float")
            .attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
            .attr("method: {'bilinear', 'nearest'} = 'bilinear'")
            .attr("extrapolation_value: float = 0")
            .doc("Cuts boxes out of images and resizes each to `crop_size`.")
            .shape(shape)
            .kernel(forward),
    );
    r.add(
        Op::new("CropAndResizeGradImage")
            .input("grads: float")
            .input("boxes: float")
            .input("box_ind: int32")
            .input("image_size: int32")
            .output("output: T")
            .attr("T: {float, half, double}")
            .attr("method: {'bilinear', 'nearest'} = 'bilinear'")
            .doc("Returns the gradient of `CropAndResize` by its images.")
            .shape(image_shape)
            .kernel(backward_image),
    );
    r.add(
        Op::new("CropAndResizeGradBoxes")
            .input("grads: float")
            .input("image: T")
            .input("boxes: float")
            .input("box_ind: int32")
            .output("output: float")
            .attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
            .attr("method: {'bilinear'} = 'bilinear'")
            .doc("Returns the gradient of `CropAndResize` by its boxes.")
            .shape(boxes_shape)
            .kernel(backward_boxes),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn call(boxes: &[f32], index: i32, size: [i32; 2], method: &str) -> Result<Tensor> {
        let image = Tensor::from_slice([1, 2, 2, 1], &[1f32, 2., 3., 4.]).unwrap();
        let boxes = Tensor::from_slice([1, 4], boxes).unwrap();
        let index = Tensor::from_slice([1], &[index]).unwrap();
        let size = Tensor::from_slice([2], &size).unwrap();
        let attrs = [("method", AttrValue::Str(method.into())), ("extrapolation_value", AttrValue::Float(-1.0))];
        Ok(run("CropAndResize", &[image, boxes, index, size], &attrs)?[0].clone())
    }

    #[test]
    fn boxes_are_sampled_between_pixels_and_filled_outside() {
        let y = call(&[0., 0., 1., 1.], 0, [3, 3], "bilinear").unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [1., 1.5, 2., 2., 2.5, 3., 3., 3.5, 4.]);
        let y = call(&[1., 1., 0., 0.], 0, [2, 2], "bilinear").unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [4., 3., 2., 1.]);
        let y = call(&[0., 0., 2., 2.], 0, [2, 2], "bilinear").unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [1., -1., -1., -1.]);
        let y = call(&[0., 0., 1., 1.], 0, [1, 1], "nearest").unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [4.]);
        let y = call(&[f32::NAN, 0., 1., f32::INFINITY], 0, [1, 2], "bilinear").unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [-1., -1.]);
    }

    #[test]
    fn every_number_of_channels_gives_the_bits_of_channels_apart() {
        let boxes = Tensor::from_slice([2, 4], &[0.1f32, 0.2, 0.9, 0.7, 0.8, 1.2, -0.1, 0.3]).unwrap();
        let index = Tensor::from_slice([2], &[0, 1]).unwrap();
        let size = Tensor::from_slice([2], &[7, 9]).unwrap();
        let crops = |image: &Tensor, method: &str| -> Vec<f32> {
            let attrs = [("method", AttrValue::Str(method.into())), ("extrapolation_value", AttrValue::Float(-1.0))];
            let inputs = [image.clone(), boxes.clone(), index.clone(), size.clone()];
            run("CropAndResize", &inputs, &attrs).unwrap()[0].slice::<f32>().unwrap().to_vec()
        };
        for depth in 1..=5 {
            let channel = |d: usize| (0..2 * 5 * 6).map(move |i| ((i * 29 + d * 53) % 97) as f32 / 7.0);
            let whole: Vec<f32> = (0..60).flat_map(|i| (0..depth).filter_map(move |d| channel(d).nth(i))).collect();
            let whole = Tensor::from_slice([2, 5, 6, depth], &whole).unwrap();
            for method in ["bilinear", "nearest"] {
                let all = crops(&whole, method);
                for d in 0..depth {
                    let alone = Tensor::from_slice([2, 5, 6, 1], &channel(d).collect::<Vec<_>>()).unwrap();
                    let of_all: Vec<f32> = all.iter().skip(d).step_by(depth).copied().collect();
                    assert_eq!(of_all, crops(&alone, method), "{method}, channel {d} of {depth}");
                }
            }
        }
    }

    #[test]
    fn indices_and_sizes_are_checked() {
        assert_eq!(call(&[0., 0., 1., 1.], 1, [2, 2], "bilinear").unwrap_err().code(), Code::OutOfRange);
        assert_eq!(call(&[0., 0., 1., 1.], -1, [2, 2], "bilinear").unwrap_err().code(), Code::OutOfRange);
        assert!(call(&[0., 0., 1., 1.], 0, [0, 2], "bilinear").is_err());
    }
}
