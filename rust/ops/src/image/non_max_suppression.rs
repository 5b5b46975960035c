//! NonMaxSuppression, V2 to V5 and WithOverlaps: the best boxes that do not overlap better ones.

use super::shapes::{dimension_is, same_length};
use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure, f16};

/// A box that may still be selected.
#[derive(Clone, Copy)]
struct Candidate {
    score: f32,
    index: usize,
    /// The selected boxes that it was compared with already.
    compared: usize,
}

/// A heap with the best candidate first. The order of equal scores depends on each step of the heap.
///
/// TF 1.x: it takes equal scores in the order of C++'s `std::priority_queue`, whose steps these are.
#[derive(Default)]
struct Queue(Vec<Candidate>);

impl Queue {
    /// Moves a candidate up from a free place.
    fn rise(&mut self, mut free: usize, candidate: Candidate) {
        while free > 0 {
            let parent = (free - 1) / 2;
            if self.0[parent].score >= candidate.score {
                break;
            }
            self.0[free] = self.0[parent];
            free = parent;
        }
        self.0[free] = candidate;
    }

    fn push(&mut self, candidate: Candidate) {
        self.0.push(candidate);
        self.rise(self.0.len() - 1, candidate);
    }

    fn pop(&mut self) -> Option<Candidate> {
        let last = self.0.pop()?;
        let Some(&first) = self.0.first() else { return Some(last) };
        // The free place at the top sinks to a leaf, always to the better child, of equal ones to the second.
        let mut free = 0;
        while 2 * free + 1 < self.0.len() {
            let mut child = 2 * free + 2;
            if child == self.0.len() || self.0[child].score < self.0[child - 1].score {
                child -= 1;
            }
            self.0[free] = self.0[child];
            free = child;
        }
        self.rise(free, last);
        Some(first)
    }
}

#[derive(Clone, Copy)]
struct Thresholds {
    overlap: f32,
    score: f32,
    /// Width of the Gaussian by which scores of overlapping boxes fall; 0 drops them.
    sigma: f32,
}

/// Returns boxes in the order they are selected, with their scores, each box once.
///
/// TF 1.x: a selected box goes back into the queue, where it overlaps itself; this changes the order of equal scores.
///
/// Source: Bodla et al., Soft-NMS, 2017, where `sigma` is not 0.
fn select(
    scores: &[f32],
    limit: usize,
    thresholds: Thresholds,
    overlap: impl Fn(usize, usize) -> f32,
) -> Vec<(usize, f32)> {
    let soft = thresholds.sigma > 0.0;
    let scale = if soft { -0.5 / thresholds.sigma } else { 0.0 };
    let mut queue = Queue::default();
    for (index, &score) in scores.iter().enumerate() {
        if score > thresholds.score {
            queue.push(Candidate { score, index, compared: 0 });
        }
    }
    let mut is_selected = vec![false; scores.len()];
    let mut selected: Vec<(usize, f32)> = Vec::new();
    while selected.len() < limit {
        let Some(mut next) = queue.pop() else { break };
        let before = next.score;
        let mut dropped = false;
        for &(other, _) in selected[next.compared..].iter().rev() {
            let similarity = overlap(next.index, other);
            // TF 1.15: a box is dropped at the threshold, too.
            if similarity >= thresholds.overlap {
                dropped = true;
                break;
            }
            // A similarity that is NaN takes a box its whole score, also without a Gaussian.
            next.score *= match (similarity.is_nan(), soft) {
                (true, _) => 0.0,
                (false, true) => scalar::exp(scale * similarity * similarity),
                (false, false) => 1.0,
            };
            if next.score <= thresholds.score {
                break;
            }
        }
        next.compared = selected.len();
        if dropped {
            continue;
        }
        if next.score == before {
            // A box that does not overlap itself, as it has no area, would come back for ever.
            if std::mem::replace(&mut is_selected[next.index], true) {
                continue;
            }
            selected.push((next.index, next.score));
        }
        if next.score > thresholds.score {
            queue.push(next);
        }
    }
    selected
}

/// Returns the lesser of two numbers, and the first if one is NaN.
fn least(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// Returns the greater of two numbers, and the first if one is NaN.
fn greatest(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

/// Returns a box as (top, left, bottom, right), whichever corners were given.
pub(super) fn ordered([y1, x1, y2, x2]: [f32; 4]) -> [f32; 4] {
    [least(y1, y2), least(x1, x2), greatest(y1, y2), greatest(x1, x2)]
}

/// Returns intersection over union; 0 where a box has no area.
pub(super) fn intersection_over_union(a: [f32; 4], b: [f32; 4]) -> f32 {
    let area = |r: [f32; 4]| (r[2] - r[0]) * (r[3] - r[1]);
    let (area_a, area_b) = (area(a), area(b));
    if area_a <= 0.0 || area_b <= 0.0 {
        return 0.0;
    }
    let height = greatest(least(a[2], b[2]) - greatest(a[0], b[0]), 0.0);
    let width = greatest(least(a[3], b[3]) - greatest(a[1], b[1]), 0.0);
    let common = height * width;
    common / (area_a + area_b - common)
}

/// Returns the value of a scalar float16 or float32 input.
pub(super) fn scalar(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<f32> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be 0-D, got shape {}", t.shape());
    if t.dtype() == DType::F16 { Ok(t.to_scalar::<f16>()?.to_f32()) } else { t.to_scalar() }
}

/// Returns how many boxes can be selected at most, and `max_output_size`. TF 1.x: a negative one limits nothing.
fn limit_of(ctx: &KernelContext<'_>, boxes: usize) -> Result<(usize, i32)> {
    let t = ctx.input(2)?;
    ensure!(t.rank() == 0, InvalidArgument, "max_output_size must be 0-D, got shape {}", t.shape());
    let requested = t.to_scalar::<i32>()?;
    Ok((usize::try_from(requested).map_or(boxes, |n| n.min(boxes)), requested))
}

fn floats<T: Wide<In = f32>>(t: &Tensor) -> Result<Vec<f32>> {
    Ok(t.slice::<T>()?.iter().map(|x| x.widen()).collect())
}

fn wide(t: &Tensor) -> Result<Vec<f32>> {
    if t.dtype() == DType::F16 { floats::<f16>(t) } else { floats::<f32>(t) }
}

fn checked_scores(ctx: &KernelContext<'_>, boxes: usize) -> Result<Vec<f32>> {
    let scores = ctx.input(1)?;
    ensure!(scores.rank() == 1, InvalidArgument, "scores must be 1-D{}", scores.shape());
    ensure!(scores.shape()[0] == boxes, InvalidArgument, "scores has incompatible shape");
    wide(scores)
}

/// Returns the boxes that the inputs select.
fn selected(ctx: &KernelContext<'_>, thresholds: Thresholds) -> Result<(Vec<(usize, f32)>, i32)> {
    ensure!((0.0..=1.0).contains(&thresholds.overlap), InvalidArgument, "iou_threshold must be in [0, 1]");
    ensure!(thresholds.sigma >= 0.0, InvalidArgument, "soft_nms_sigma_val must be >= 0");
    let boxes = ctx.input(0)?;
    ensure!(boxes.rank() == 2, InvalidArgument, "boxes must be 2-D{}", boxes.shape());
    ensure!(boxes.shape()[1] == 4, InvalidArgument, "boxes must have 4 columns");
    let scores = checked_scores(ctx, boxes.shape()[0])?;
    let (limit, requested) = limit_of(ctx, scores.len())?;
    let corners = wide(boxes)?;
    let corners: Vec<_> = corners.as_chunks::<4>().0.iter().map(|&c| ordered(c)).collect();
    let found = select(&scores, limit, thresholds, |i, j| intersection_over_union(corners[i], corners[j]));
    Ok((found, requested))
}

fn indices(found: &[(usize, f32)], length: usize) -> Result<Tensor> {
    let mut out = Tensor::zeros(DType::I32, [length])?;
    for (to, &(index, _)) in out.slice_mut::<i32>()?.iter_mut().zip(found) {
        *to = index as i32;
    }
    Ok(out)
}

fn plain(ctx: &mut KernelContext<'_>, overlap: f32, score: f32) -> Result<()> {
    let (found, _) = selected(ctx, Thresholds { overlap, score, sigma: 0.0 })?;
    ctx.set_output(0, indices(&found, found.len())?);
    Ok(())
}

fn with_attr(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let threshold = init.float("iou_threshold")?;
    kernel(move |ctx| plain(ctx, threshold, f32::MIN))
}

fn padded(init: &KernelInit<'_>, soft: bool) -> Result<Box<dyn Kernel>> {
    let pad = init.bool("pad_to_max_output_size")?;
    kernel(move |ctx| {
        let thresholds = Thresholds {
            overlap: scalar(ctx, 3, "iou_threshold")?,
            score: scalar(ctx, 4, "score_threshold")?,
            sigma: if soft { scalar(ctx, 5, "soft_nms_sigma")? } else { 0.0 },
        };
        let (found, requested) = selected(ctx, thresholds)?;
        let length = if pad {
            let Ok(length) = usize::try_from(requested) else {
                bail!(InvalidArgument, "max_output_size must be non-negative, got {requested}")
            };
            length
        } else {
            found.len()
        };
        ctx.set_output(0, indices(&found, length)?);
        if soft {
            let dtype = ctx.input(1)?.dtype();
            let mut scores = Tensor::zeros(dtype, [length])?;
            if dtype == DType::F16 {
                for (to, &(_, score)) in scores.slice_mut::<f16>()?.iter_mut().zip(&found) {
                    *to = f16::from_f32(score);
                }
            } else {
                for (to, &(_, score)) in scores.slice_mut::<f32>()?.iter_mut().zip(&found) {
                    *to = score;
                }
            }
            ctx.set_output(1, scores);
        }
        ctx.set_output(if soft { 2 } else { 1 }, Tensor::scalar(found.len() as i32));
        Ok(())
    })
}

fn with_overlaps(ctx: &mut KernelContext<'_>) -> Result<()> {
    let overlaps = ctx.input(0)?;
    ensure!(overlaps.rank() == 2, InvalidArgument, "overlaps must be 2-D{}", overlaps.shape());
    let n = overlaps.shape()[0];
    ensure!(overlaps.shape()[1] == n, InvalidArgument, "overlaps must be square{}", overlaps.shape());
    let scores = checked_scores(ctx, n)?;
    let (limit, _) = limit_of(ctx, n)?;
    let thresholds = Thresholds {
        overlap: scalar(ctx, 3, "overlap_threshold")?,
        score: scalar(ctx, 4, "score_threshold")?,
        sigma: 0.0,
    };
    let values = overlaps.slice::<f32>()?;
    let found = select(&scores, limit, thresholds, |i, j| values[i * n + j]);
    ctx.set_output(0, indices(&found, found.len())?);
    Ok(())
}

fn check_inputs(c: &ShapeContext<'_>, columns: usize) -> Result<()> {
    let boxes = c.input(0)?.with_rank(2)?;
    let scores = c.input(1)?.with_rank(1)?;
    for i in 2..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    same_length(&boxes, &scores)?;
    if columns > 0 {
        dimension_is(&boxes, 1, columns)?;
    }
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_inputs(c, 4)?;
    c.set_output(0, PartialShape::vector(None));
    Ok(())
}

fn padded_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_inputs(c, 4)?;
    let requested = if c.bool("pad_to_max_output_size")? { c.input_i64(2)? } else { None };
    let length = match requested.map(|n| (n, usize::try_from(n))) {
        None => None,
        Some((_, Ok(length))) => Some(length),
        Some((n, Err(_))) => {
            bail!(InvalidArgument, "Dimension size, given by scalar input 2, must be non-negative but is {n}")
        }
    };
    let last = c.num_outputs() - 1;
    for i in 0..last {
        c.set_output(i, PartialShape::vector(length));
    }
    c.set_output(last, PartialShape::scalar());
    Ok(())
}

fn overlaps_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_inputs(c, 0)?;
    if let Some(&[Some(rows), Some(columns)]) = c.input(0)?.dims().as_deref() {
        ensure!(rows == columns, InvalidArgument, "Dimensions must be equal, but are {rows} and {columns}");
    }
    c.set_output(0, PartialShape::vector(None));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let typed = |name: &str, extra: &[&str]| {
        let op = Op::new(name).input("boxes: T").input("scores: T").input("max_output_size: int32");
        extra.iter().fold(op, |op, input| op.input(input))
    };
    r.add(
        Op::new("NonMaxSuppression")
            .input("boxes: float")
            .input("scores: float")
            .input("max_output_size: int32")
            .output("selected_indices: int32")
            .attr("iou_threshold: float = 0.5")
            .doc("Selects boxes by falling score that do not overlap a selected one by more than `iou_threshold`.")
            .shape(shape)
            .kernel(with_attr),
    );
    r.add(
        typed("NonMaxSuppressionV2", &["iou_threshold: T_threshold"])
            .output("selected_indices: int32")
            .attr("T: {half, float} = DT_FLOAT")
            .attr("T_threshold: {half, float} = DT_FLOAT")
            .doc("Computes `NonMaxSuppression` with a threshold that may change.")
            .shape(shape)
            .kernel(|_| kernel(|ctx| plain(ctx, scalar(ctx, 3, "iou_threshold")?, f32::MIN))),
    );
    r.add(
        typed("NonMaxSuppressionV3", &["iou_threshold: T_threshold", "score_threshold: T_threshold"])
            .output("selected_indices: int32")
            .attr("T: {half, float} = DT_FLOAT")
            .attr("T_threshold: {half, float} = DT_FLOAT")
            .doc("Computes `NonMaxSuppressionV2` among the boxes with scores above `score_threshold`.")
            .shape(shape)
            .kernel(|_| kernel(|ctx| plain(ctx, scalar(ctx, 3, "iou_threshold")?, scalar(ctx, 4, "score_threshold")?))),
    );
    r.add(
        typed("NonMaxSuppressionV4", &["iou_threshold: T_threshold", "score_threshold: T_threshold"])
            .output("selected_indices: int32")
            .output("valid_outputs: int32")
            .attr("T: {half, float} = DT_FLOAT")
            .attr("T_threshold: {half, float} = DT_FLOAT")
            .attr("pad_to_max_output_size: bool = false")
            .doc("Computes `NonMaxSuppressionV3` that can fill its result up with zeros, and counts what is valid.")
            .shape(padded_shape)
            .kernel(|init| padded(init, false)),
    );
    r.add(
        typed("NonMaxSuppressionV5", &["iou_threshold: T", "score_threshold: T", "soft_nms_sigma: T"])
            .output("selected_indices: int32")
            .output("selected_scores: T")
            .output("valid_outputs: int32")
            .attr("T: {half, float} = DT_FLOAT")
            .attr("pad_to_max_output_size: bool = false")
            .doc(
                "Computes `NonMaxSuppressionV4` that can lower the scores of overlapping boxes in place of dropping \
                 them.",
            )
            .shape(padded_shape)
            .kernel(|init| padded(init, true)),
    );
    r.add(
        Op::new("NonMaxSuppressionWithOverlaps")
            .input("overlaps: float")
            .input("scores: float")
            .input("max_output_size: int32")
            .input("overlap_threshold: float")
            .input("score_threshold: float")
            .output("selected_indices: int32")
            .doc("Computes `NonMaxSuppressionV3` for overlaps that are given.")
            .shape(overlaps_shape)
            .kernel(|_| kernel(with_overlaps)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;

    const BOXES: [f32; 24] =
        [0., 0., 1., 1., 0., 0.1, 1., 1.1, 0., -0.1, 1., 0.9, 0., 10., 1., 11., 0., 10.1, 1., 11.1, 0., 100., 1., 101.];
    const SCORES: [f32; 6] = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3];

    fn inputs(limit: i32) -> Vec<Tensor> {
        let boxes = Tensor::from_slice([6, 4], &BOXES).unwrap();
        let scores = Tensor::from_slice([6], &SCORES).unwrap();
        vec![boxes, scores, Tensor::scalar(limit)]
    }

    #[test]
    fn the_best_of_each_cluster_is_selected() {
        let y = run("NonMaxSuppression", &inputs(30), &[]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [3, 0, 5]);
        let y = run("NonMaxSuppression", &inputs(2), &[]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [3, 0]);
        // TensorFlow 1.15.5 takes a negative number for no limit.
        let y = run("NonMaxSuppression", &inputs(-1), &[]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [3, 0, 5]);
    }

    #[test]
    fn equal_scores_have_the_order_of_a_heap() {
        // By TensorFlow 1.15.5.
        let scores = Tensor::from_slice([8], &[0.5f32, 0.9, 0.9, 0.5, 0.9, 0.2, 0.5, 0.9]).unwrap();
        for (each, expected) in [(1, &[1, 2, 4, 7, 6, 0, 3, 5][..]), (2, &[1, 2, 4, 7])] {
            let boxes: Vec<f32> =
                (0..8).flat_map(|i| [2 * (i / each), 0, 2 * (i / each) + 1, 1]).map(|x| x as f32).collect();
            let inputs = [Tensor::from_slice([8, 4], &boxes).unwrap(), scores.clone(), Tensor::scalar(9i32)];
            let y = run("NonMaxSuppression", &inputs, &[]).unwrap();
            assert_eq!(y[0].slice::<i32>().unwrap(), expected);
        }
    }

    #[test]
    fn a_box_at_the_threshold_is_dropped() {
        let boxes = Tensor::from_slice([3, 4], &[0f32, 0., 1., 1., 2., 2., 3., 3., 0., 0., 1., 2.]).unwrap();
        let scores = Tensor::from_slice([3], &[0.5f32, 0.6, 0.7]).unwrap();
        for (threshold, expected) in [(0f32, &[2][..]), (0.5, &[2, 1]), (0.50001, &[2, 1, 0])] {
            let inputs = [boxes.clone(), scores.clone(), Tensor::scalar(9i32), Tensor::scalar(threshold)];
            let y = run("NonMaxSuppressionV2", &inputs, &[]).unwrap();
            assert_eq!(y[0].slice::<i32>().unwrap(), expected, "{threshold}");
        }
    }

    #[test]
    fn a_box_without_an_area_is_selected_once_and_one_with_nan_last() {
        let scores = Tensor::from_slice([4], &[0.7f32, 0.8, 0.5, 0.6]).unwrap();
        for (side, expected) in [(f32::NAN, &[1, 2, 0]), (1.0, &[1, 0, 2])] {
            let boxes = [side, 0., 1., 1., 0., 0., 1., 1., 5., 5., 6., 6., 0., 0., 1., 1.5];
            let inputs = [Tensor::from_slice([4, 4], &boxes).unwrap(), scores.clone(), Tensor::scalar(4i32)];
            let y = run("NonMaxSuppression", &inputs, &[]).unwrap();
            assert_eq!(y[0].slice::<i32>().unwrap(), expected, "{side}");
        }
    }

    #[test]
    fn scores_below_the_threshold_are_left_out_and_results_padded() {
        let mut args = inputs(5);
        args.extend([Tensor::scalar(0.5f32), Tensor::scalar(0.4f32)]);
        let pad = [("pad_to_max_output_size", ferroflow_graph::AttrValue::Bool(true))];
        let y = run("NonMaxSuppressionV4", &args, &pad).unwrap();
        assert_eq!((y[0].slice::<i32>().unwrap(), y[1].to_scalar::<i32>().unwrap()), (&[3, 0, 0, 0, 0][..], 2));
    }

    #[test]
    fn soft_suppression_lowers_scores() {
        let mut args = inputs(6);
        args.extend([Tensor::scalar(1f32), Tensor::scalar(0f32), Tensor::scalar(0.5f32)]);
        let y = run("NonMaxSuppressionV5", &args, &[]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [3, 0, 1, 5, 4, 2]);
        let expected = [0.95f32, 0.9, 0.384, 0.3, 0.256, 0.197];
        for (got, expected) in y[1].slice::<f32>().unwrap().iter().zip(expected) {
            assert!((got - expected).abs() < 1e-2);
        }
    }

    #[test]
    fn thresholds_outside_zero_to_one_are_refused() {
        let attr = [("iou_threshold", ferroflow_graph::AttrValue::Float(1.5))];
        let error = run("NonMaxSuppression", &inputs(3), &attr).unwrap_err();
        assert!(error.message().contains("iou_threshold must be in [0, 1]"));
    }
}
