//! DrawBoundingBoxes, DrawBoundingBoxesV2: the outlines of boxes drawn over images.

use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{Result, Shape, Tensor, bail, dispatch, ensure};

/// TF 1.x: the colours, in RGBA, that boxes take in turn.
const COLORS: [[f32; 4]; 10] = [
    [1.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.5, 0.0, 0.5, 1.0],
    [0.5, 0.5, 0.0, 1.0],
    [0.5, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.5, 1.0],
    [0.0, 1.0, 1.0, 1.0],
    [1.0, 0.0, 1.0, 1.0],
];

/// Returns the colours in turn: those of the input, or TF's.
fn palette(colors: Option<&Tensor>, depth: usize) -> Result<Vec<Vec<f32>>> {
    if let Some(colors) = colors {
        ensure!(colors.rank() == 2, InvalidArgument, "colors must be a 2-D matrix{}", colors.shape());
        let width = colors.shape()[1];
        ensure!(
            width >= depth,
            InvalidArgument,
            "colors must have equal or more channels than the image provided: {}",
            colors.shape()
        );
        if colors.elements() > 0 {
            return Ok(colors.slice::<f32>()?.chunks_exact(width).map(<[f32]>::to_vec).collect());
        }
    }
    let mut all = COLORS;
    if depth == 1 {
        // TF 1.x: boxes are white where there is only brightness.
        all.iter_mut().for_each(|color| color[0] = 1.0);
    }
    Ok(all.iter().map(|color| color.to_vec()).collect())
}

/// One image and what is drawn on it.
struct Canvas<'a, T> {
    pixels: &'a mut [T],
    width: i64,
    color: Vec<T>,
}

impl<T: Copy> Canvas<'_, T> {
    fn paint(&mut self, y: i64, x: i64) {
        let depth = self.color.len();
        let at = (y * self.width + x) as usize * depth;
        self.pixels[at..at + depth].copy_from_slice(&self.color);
    }
}

/// Returns a number without its fraction.
///
/// TF 1.x: NaN and numbers that are too large become the least one, as x86 converts them.
fn whole(x: f32) -> i64 {
    if x < i64::MAX as f32 { x as i64 } else { i64::MIN }
}

fn draw<T: Wide<In = f32>>(canvas: &mut Canvas<'_, T>, [y1, x1, y2, x2]: [f32; 4], height: i64) {
    let width = canvas.width;
    let row = |y: f32| whole(y * (height - 1) as f32);
    let column = |x: f32| whole(x * (width - 1) as f32);
    let (top, bottom, left, right) = (row(y1), row(y2), column(x1), column(x2));
    let outside = top >= height || bottom < 0 || left >= width || right < 0;
    if top > bottom || left > right || outside {
        return;
    }
    let rows = top.max(0)..=bottom.min(height - 1);
    let columns = left.max(0)..=right.min(width - 1);
    for y in [top, bottom] {
        if (0..height).contains(&y) {
            columns.clone().for_each(|x| canvas.paint(y, x));
        }
    }
    for x in [left, right] {
        if (0..width).contains(&x) {
            rows.clone().for_each(|y| canvas.paint(y, x));
        }
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let images = c.input(0)?.with_rank(4)?;
    ensure!(
        images.dim(3).is_none_or(|depth| matches!(depth, 1 | 3 | 4)),
        InvalidArgument,
        "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"
    );
    if let Some(width) = c.input(1)?.with_rank(3)?.dim(2)
        && width != 4
    {
        bail!(InvalidArgument, "Dimension must be 4 but is {width}");
    }
    let known = c.input(0)?.clone();
    c.set_output(0, known);
    Ok(())
}

fn checked<'a>(images: &'a Tensor, boxes: &Tensor) -> Result<&'a Shape> {
    ensure!(images.rank() == 4, InvalidArgument, "The rank of the images should be 4");
    ensure!(boxes.rank() == 3, InvalidArgument, "The rank of the boxes tensor should be 3");
    let s = images.shape();
    ensure!(s[0] == boxes.shape()[0], InvalidArgument, "The batch sizes should be the same");
    ensure!(matches!(s[3], 1 | 3 | 4), InvalidArgument, "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
    ensure!(boxes.shape()[2] == 4, InvalidArgument, "The size of the third dimension of the box must be 4");
    Ok(s)
}

fn compute<T: Wide<In = f32>>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut out = ctx.take_unique(0)?;
    let boxes = ctx.input(1)?;
    let shape = checked(&out, boxes)?.clone();
    let (height, width, depth) = (shape[1], shape[2], shape[3]);
    let colors = palette(if ctx.num_inputs() > 2 { Some(ctx.input(2)?) } else { None }, depth)?;
    let per_image = boxes.shape()[1];
    let (boxes, _) = boxes.slice::<f32>()?.as_chunks::<4>();
    let plane = height * width * depth;
    let threads = ctx.threads();
    if plane > 0 {
        try_for_chunks_mut(threads, out.slice_mut::<T>()?, plane, |start, pixels| {
            let image = start / plane;
            let mut canvas = Canvas { pixels, width: width as i64, color: Vec::new() };
            for (k, &corners) in boxes[image * per_image..(image + 1) * per_image].iter().enumerate() {
                canvas.color = colors[k % colors.len()][..depth].iter().map(|&c| T::narrow(c)).collect();
                draw(&mut canvas, corners, height as i64);
            }
        })?;
    }
    ctx.set_output(0, out);
    Ok(())
}

fn drawing(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in [F32, F16], kernel(compute::<T>), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("images: T").input("boxes: float");
    r.add(
        op("DrawBoundingBoxes")
            .output("output: T")
            .attr("T: {float, half} = DT_FLOAT")
            .doc("Draws the outlines of boxes over images, in ten colours in turn.")
            .shape(shape)
            .kernel(drawing),
    );
    r.add(
        op("DrawBoundingBoxesV2")
            .input("colors: float")
            .output("output: T")
            .attr("T: {float, half} = DT_FLOAT")
            .doc("Draws the outlines of boxes over images, in the given colours in turn.")
            .shape(shape)
            .kernel(drawing),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    fn drawn(boxes: &[f32]) -> Vec<f32> {
        let image = Tensor::zeros(DType::F32, [1, 3, 4, 1]).unwrap();
        let boxes = Tensor::from_slice([1, boxes.len() / 4, 4], boxes).unwrap();
        run("DrawBoundingBoxes", &[image, boxes], &[]).unwrap()[0].slice::<f32>().unwrap().to_vec()
    }

    #[test]
    fn outlines_are_cut_at_the_edges() {
        assert_eq!(drawn(&[0., 0., 1., 1.]), [1., 1., 1., 1., 1., 0., 0., 1., 1., 1., 1., 1.]);
        assert_eq!(drawn(&[-1., -1., 0.5, 0.4]), [0., 1., 0., 0., 1., 1., 0., 0., 0., 0., 0., 0.]);
    }

    #[test]
    fn boxes_inside_out_or_outside_are_left_out() {
        let nothing = [0.0; 12];
        assert_eq!(drawn(&[0.9, 0., 0.1, 1.]), nothing);
        assert_eq!(drawn(&[2., 2., 3., 3.]), nothing);
        assert_eq!(drawn(&[f32::INFINITY, 0., f32::INFINITY, 1.]), nothing);
        assert_eq!(drawn(&[]), nothing);
    }

    #[test]
    fn colours_take_turns_and_fit_the_image() {
        let image = Tensor::zeros(DType::F32, [1, 1, 2, 3]).unwrap();
        let boxes = Tensor::from_slice([1, 2, 4], &[0f32, 0., 0., 0., 0., 1., 0., 1.]).unwrap();
        let colors = Tensor::from_slice([1, 3], &[0.1f32, 0.2, 0.3]).unwrap();
        let y = run("DrawBoundingBoxesV2", &[image.clone(), boxes.clone(), colors], &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]);
        let narrow = Tensor::from_slice([1, 2], &[0.1f32, 0.2]).unwrap();
        assert!(run("DrawBoundingBoxesV2", &[image, boxes, narrow], &[]).is_err());
    }
}
