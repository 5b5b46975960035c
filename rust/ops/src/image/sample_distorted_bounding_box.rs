//! SampleDistortedBoundingBox, SampleDistortedBoundingBoxV2: a random crop that covers enough of an object.

use super::shapes::dimension_is;
use crate::random::stream::{Stream, seeded};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::philox::{Words, convert::unit_f32};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, dispatch, ensure};
use num_traits::ToPrimitive;

/// A rectangle of pixels; the ends are excluded.
#[derive(Clone, Copy)]
struct Rectangle {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Rectangle {
    /// Returns its area; TF 1.x: in 32 bits, which wrap.
    fn area(self) -> f32 {
        self.right.wrapping_sub(self.left).wrapping_mul(self.bottom.wrapping_sub(self.top)) as f32
    }

    fn common(self, other: Rectangle) -> f32 {
        let both = Rectangle {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        if both.left > both.right || both.top > both.bottom { 0.0 } else { both.area() }
    }
}

fn covers_an_object(crop: Rectangle, least: f32, objects: &[Rectangle]) -> bool {
    crop.area() >= 1.0 && objects.iter().any(|&o| o.area() >= 1.0 && crop.common(o) / o.area() >= least)
}

/// Returns a number in [0, n) without bias.
fn below(words: &mut Words, n: i32) -> i32 {
    let n = n.max(1) as u32;
    if n.is_power_of_two() {
        return (words.next_u32() & (n - 1)) as i32;
    }
    let rejected = u32::MAX % n + 1;
    loop {
        let bits = words.next_u32();
        if bits >= rejected {
            return (bits % n) as i32;
        }
    }
}

/// Returns the nearest integer, half to even, as C's lrintf.
fn nearest(x: f32) -> i32 {
    x.round_ties_even() as i32
}

/// Returns a random crop of about that aspect ratio with an area between two shares of the image; `None` where there is
/// none.
fn random_crop(width: i32, height: i32, [least, most]: [f32; 2], aspect: f32, words: &mut Words) -> Option<Rectangle> {
    if most <= 0.0 || aspect <= 0.0 || width <= 0 || height <= 0 || least > most {
        return None;
    }
    let (min_area, max_area) = (least * width as f32 * height as f32, most * width as f32 * height as f32);
    let mut h = nearest((min_area / aspect).sqrt());
    let mut max_h = nearest((max_area / aspect).sqrt());
    if nearest(max_h as f32 * aspect) > width {
        max_h = ((f64::from(width) + 0.5 - f64::from(1e-7f32)) / f64::from(aspect)) as i32;
        // Rounding can give an integer that is one too high.
        if nearest(max_h as f32 * aspect) > width {
            max_h -= 1;
        }
    }
    max_h = max_h.min(height);
    if h >= max_h {
        h = max_h;
    } else {
        h = h.saturating_add(below(words, (max_h - h).saturating_add(1)));
    }
    let across = |h: i32| nearest(h as f32 * aspect);
    let area = |h: i32| across(h).wrapping_mul(h) as f32;
    if area(h) < min_area {
        h += 1;
    }
    if area(h) > max_area {
        h -= 1;
    }
    let w = across(h);
    if area(h) < min_area || area(h) > max_area || w > width || h > height || w <= 0 || h <= 0 {
        return None;
    }
    let top = if h < height { below(words, height - h) } else { 0 };
    let left = if w < width { below(words, width - w) } else { 0 };
    Some(Rectangle { left, top, right: left + w, bottom: top + h })
}

struct Limits {
    /// Least share of an object; `None` where it is the third input.
    covered: Option<f32>,
    aspect: [f32; 2],
    area: [f32; 2],
    attempts: i64,
    whole_without_boxes: bool,
}

fn range(init: &KernelInit<'_>, attr: &str, name: &str) -> Result<[f32; 2]> {
    match init.floats(attr)?[..] {
        [a, b] => {
            let positive = a > 0.0 && b > 0.0;
            ensure!(positive, InvalidArgument, "{name} range must be non-negative: [{a}, {b}]");
            Ok([a, b])
        }
        _ => ferroflow_tensor::bail!(InvalidArgument, "{name} range field must specify 2 dimensions"),
    }
}

impl Limits {
    fn of(init: &KernelInit<'_>, inputs: usize) -> Result<Limits> {
        let covered = if inputs == 2 { Some(init.float("min_object_covered")?) } else { None };
        if let Some(covered) = covered {
            check_covered(covered)?;
        }
        let (aspect, area) = (range(init, "aspect_ratio_range", "Aspect ratio")?, range(init, "area_range", "Area")?);
        ensure!(
            area[0] <= 1.0 && area[1] <= 1.0,
            InvalidArgument,
            "Area range must be less then or equal to 1.0: [{}, {}]",
            area[0],
            area[1]
        );
        let attempts = init.int32("max_attempts")?;
        ensure!(attempts > 0, InvalidArgument, "Max attempts must be non-negative: {attempts}");
        let whole_without_boxes = init.bool("use_image_if_no_bounding_boxes")?;
        Ok(Limits { covered, aspect, area, attempts, whole_without_boxes })
    }
}

fn check_covered(covered: f32) -> Result<()> {
    ensure!(covered >= 0.0, InvalidArgument, "Min object covered must be non-negative: {covered}");
    Ok(())
}

fn image_size(t: &Tensor) -> Result<[i32; 2]> {
    ensure!(t.rank() == 1, InvalidArgument, "image_size must be 1-dimensional{}", t.shape());
    ensure!(t.shape()[0] == 3, InvalidArgument, "image_size must contain 3 elements{}", t.shape());
    let size: Vec<i64> = dispatch!(t.dtype(), T in [U8, I8, I16, I32, I64], {
        t.slice::<T>()?.iter().map(|x| x.to_i64().unwrap_or(-1)).collect()
    }, else Vec::new());
    let checked = |x: i64, name: &str| {
        ensure!((0..i64::from(i32::MAX)).contains(&x), InvalidArgument, "image {name} cannot be >= int32 max");
        Ok(x as i32)
    };
    Ok([checked(size[0], "height")?, checked(size[1], "width")?])
}

fn objects(boxes: &Tensor, [height, width]: [i32; 2]) -> Result<Vec<Rectangle>> {
    ensure!(
        boxes.rank() == 3,
        InvalidArgument,
        "input boxes must be 3-dimensional [batch, num_boxes, coords]: {}",
        boxes.shape()
    );
    ensure!(
        boxes.shape()[2] == 4,
        InvalidArgument,
        "bounding boxes must have shape [4] or [*, 4], got {}",
        boxes.shape()
    );
    let values = boxes.slice::<f32>()?;
    for &x in values {
        let inside = (0.0..=1.0).contains(&x);
        ensure!(inside, InvalidArgument, "All bounding box coordinates must be in [0.0, 1.0]: {x}");
    }
    let (corners, _) = values.as_chunks::<4>();
    let across = |x: f32| (x * width as f32) as i32;
    let down = |y: f32| (y * height as f32) as i32;
    Ok(corners
        .iter()
        .map(|&[y1, x1, y2, x2]| Rectangle { left: across(x1), top: down(y1), right: across(x2), bottom: down(y2) })
        .collect())
}

fn sample(ctx: &mut KernelContext<'_>, limits: &Limits, stream: &Stream) -> Result<()> {
    let size = image_size(ctx.input(0)?)?;
    let [height, width] = size;
    let covered = match limits.covered {
        Some(covered) => covered,
        None => {
            let t = ctx.input(2)?;
            ensure!(t.rank() == 0, InvalidArgument, "min_object_covered must be 0-D, got shape {}", t.shape());
            let covered = t.to_scalar()?;
            check_covered(covered)?;
            covered
        }
    };
    let mut objects = objects(ctx.input(1)?, size)?;
    let image = Rectangle { left: 0, top: 0, right: width, bottom: height };
    if objects.is_empty() {
        ensure!(
            limits.whole_without_boxes,
            InvalidArgument,
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not \
             provide any bounding boxes."
        );
        objects.push(image);
    }
    let mut words = Words::new(stream.reserve(limits.attempts as u64));
    let mut crop = image;
    for attempt in 0..limits.attempts {
        if attempt % 1024 == 1023 {
            ctx.check_cancelled()?;
        }
        let [low, high] = limits.aspect;
        let aspect = unit_f32(words.next_u32()) * (high - low) + low;
        if let Some(found) = random_crop(width, height, limits.area, aspect, &mut words)
            && covers_an_object(found, covered, &objects)
        {
            crop = found;
            break;
        }
    }
    let dtype = ctx.input(0)?.dtype();
    let vector = |values: [i32; 3]| -> Result<Tensor> {
        dispatch!(dtype, T in [U8, I8, I16, I32, I64], {
            Tensor::from_slice([3], &values.map(|x| x as T))
        }, else Tensor::from_slice([3], &values))
    };
    ctx.set_output(0, vector([crop.top, crop.left, 0])?);
    ctx.set_output(1, vector([crop.bottom - crop.top, crop.right - crop.left, -1])?);
    let share = |x: i32, of: i32| x as f32 / of as f32;
    let corners =
        [share(crop.top, height), share(crop.left, width), share(crop.bottom, height), share(crop.right, width)];
    ctx.set_output(2, Tensor::from_slice([1, 1, 4], &corners)?);
    Ok(())
}

fn sampling(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let limits = Limits::of(init, init.input_types.len())?;
    let stream = Stream::new(init)?;
    match init.input_type(0)? {
        DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            kernel(move |ctx| sample(ctx, &limits, &stream))
        }
        _ => Err(init.unsupported()),
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let size = c.input(0)?.with_rank(1)?;
    let boxes = c.input(1)?.with_rank(3)?;
    if c.num_inputs() > 2 {
        c.input(2)?.with_rank(0)?;
    }
    dimension_is(&size, 0, 3)?;
    dimension_is(&boxes, 2, 4)?;
    c.set_output(0, PartialShape::vector(Some(3)));
    c.set_output(1, PartialShape::vector(Some(3)));
    c.set_output(2, PartialShape::from_dims(&[Some(1), Some(1), Some(4)]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let finished = |op: Op, covered: bool| {
        let op = seeded(
            op.output("begin: T")
                .output("size: T")
                .output("bboxes: float")
                .attr("T: {uint8, int8, int16, int32, int64}"),
        );
        let op = if covered { op.attr("min_object_covered: float = 0.1") } else { op };
        op.attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
            .attr("area_range: list(float) = [0.05, 1.0]")
            .attr("max_attempts: int = 100")
            .attr("use_image_if_no_bounding_boxes: bool = false")
            .shape(shape)
            .kernel(sampling)
    };
    let op = |name: &str| Op::new(name).input("image_size: T").input("bounding_boxes: float");
    r.add(finished(
        op("SampleDistortedBoundingBox")
            .doc("Returns a random crop of an image that covers enough of one of its objects."),
        true,
    ));
    r.add(finished(
        op("SampleDistortedBoundingBoxV2")
            .input("min_object_covered: float")
            .doc("Computes `SampleDistortedBoundingBox` with a least cover that may change."),
        false,
    ));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn call(size: [i32; 3], boxes: &[f32], whole: bool) -> Result<Vec<Tensor>> {
        let size = Tensor::from_slice([3], &size).unwrap();
        let boxes = Tensor::from_slice([1, boxes.len() / 4, 4], boxes).unwrap();
        let attrs = [
            ("seed", AttrValue::Int(1)),
            ("seed2", AttrValue::Int(2)),
            ("use_image_if_no_bounding_boxes", AttrValue::Bool(whole)),
        ];
        run("SampleDistortedBoundingBox", &[size, boxes], &attrs)
    }

    #[test]
    fn a_crop_lies_in_its_image() {
        for (h, w) in [(40, 50), (1, 1), (300, 7), (1, 4000), (i32::MAX - 1, i32::MAX - 1)] {
            let y = call([h, w, 3], &[0.1, 0.1, 0.9, 0.9], false).unwrap();
            let (begin, size) = (y[0].slice::<i32>().unwrap(), y[1].slice::<i32>().unwrap());
            assert!(begin[0] >= 0 && size[0] > 0 && begin[0] + size[0] <= h);
            assert!(begin[1] >= 0 && size[1] > 0 && begin[1] + size[1] <= w);
            assert_eq!((begin[2], size[2]), (0, -1));
        }
    }

    #[test]
    fn boxes_are_needed_and_checked() {
        assert!(call([4, 4, 3], &[], false).unwrap_err().message().contains("No bounding boxes provided as input."));
        assert!(call([4, 4, 3], &[], true).is_ok());
        assert!(call([4, 4, 3], &[0., 0., 2., 1.], true).unwrap_err().message().contains("[0.0, 1.0]: 2"));
        assert!(call([-4, 4, 3], &[0., 0., 1., 1.], true).is_err());
    }
}
