//! CombinedNonMaxSuppression: the best boxes of all classes, each class selected by itself.

use super::non_max_suppression::{intersection_over_union, ordered, scalar};
use super::shapes::{dimension_is, same_length};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};
use std::cmp::Ordering;

/// A selected box of an image.
struct Detection {
    score: f32,
    class: usize,
    corners: [f32; 4],
}

/// The sizes of the inputs.
struct Sizes {
    boxes: usize,
    /// Classes with boxes of their own; 1 where all classes share the boxes.
    box_classes: usize,
    classes: usize,
}

#[derive(Clone, Copy)]
struct Thresholds {
    overlap: f32,
    score: f32,
}

/// Returns the places of the best boxes of a class that do not overlap better ones; of equal scores the first is better.
fn select(scores: &[f32], limit: usize, thresholds: Thresholds, overlap: impl Fn(usize, usize) -> f32) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).filter(|&i| scores[i] > thresholds.score).collect();
    places.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(Ordering::Equal));
    let mut selected: Vec<usize> = Vec::new();
    for place in places {
        if selected.len() == limit {
            break;
        }
        if !selected.iter().any(|&other| overlap(place, other) > thresholds.overlap) {
            selected.push(place);
        }
    }
    selected
}

/// Returns the boxes that an image's classes select, the best first; of equal scores the first class and box.
fn detect(boxes: &[f32], scores: &[f32], sizes: &Sizes, limit: usize, thresholds: Thresholds) -> Vec<Detection> {
    let mut found = Vec::new();
    for class in 0..sizes.classes {
        let own = if sizes.box_classes == 1 { 0 } else { class };
        let corners: Vec<[f32; 4]> =
            boxes.as_chunks::<4>().0.iter().skip(own).step_by(sizes.box_classes).copied().collect();
        let ordered: Vec<[f32; 4]> = corners.iter().map(|&c| ordered(c)).collect();
        let own_scores: Vec<f32> = scores.iter().skip(class).step_by(sizes.classes).copied().collect();
        let overlap = |i: usize, j: usize| intersection_over_union(ordered[i], ordered[j]);
        let selected = select(&own_scores, limit.min(sizes.boxes), thresholds, overlap);
        found.extend(selected.into_iter().map(|i| Detection { score: own_scores[i], class, corners: corners[i] }));
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// Returns the value of a scalar input, a limit that must be at least `least`.
fn limit(ctx: &KernelContext<'_>, i: usize, name: &str, least: i32) -> Result<usize> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be 0-D, got shape {}", t.shape());
    let value = t.to_scalar::<i32>()?;
    match usize::try_from(value) {
        Ok(limit) if value >= least => Ok(limit),
        _ => bail!(InvalidArgument, "{name} must be {}, got {value}", if least > 0 { "> 0" } else { ">= 0" }),
    }
}

fn suppress(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (pad, clip) = (init.bool("pad_per_class")?, init.bool("clip_boxes")?);
    kernel(move |ctx| {
        let (boxes, scores) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(boxes.rank() == 4, InvalidArgument, "boxes must be 4-D{}", boxes.shape());
        ensure!(scores.rank() == 3, InvalidArgument, "scores must be 3-D{}", scores.shape());
        let (b, s) = (boxes.shape(), scores.shape());
        ensure!(b[0] == s[0], InvalidArgument, "boxes and scores must have same batch size");
        ensure!(b[1] == s[1], InvalidArgument, "scores has incompatible shape");
        ensure!(b[3] == 4, InvalidArgument, "boxes must have 4 columns");
        ensure!(
            b[2] == 1 || b[2] == s[2],
            InvalidArgument,
            "third dimension of boxes must be either 1 or equal to the third dimension of scores"
        );
        let sizes = Sizes { boxes: b[1], box_classes: b[2], classes: s[2] };
        let per_class = limit(ctx, 2, "max_size_per_class", 0)?;
        let in_all = limit(ctx, 3, "max_total_size", 1)?;
        let thresholds =
            Thresholds { overlap: scalar(ctx, 4, "iou_threshold")?, score: scalar(ctx, 5, "score_threshold")? };
        ensure!((0.0..=1.0).contains(&thresholds.overlap), InvalidArgument, "iou_threshold must be in [0, 1]");
        let length = if pad { in_all.min(per_class.saturating_mul(sizes.classes)) } else { in_all };
        let sized = |dims: &[usize]| Shape::checked(&dims.iter().map(|&d| d as i64).collect::<Vec<_>>());
        let mut to_boxes = Tensor::zeros(DType::F32, sized(&[b[0], length, 4])?)?;
        let mut to_scores = Tensor::zeros(DType::F32, sized(&[b[0], length])?)?;
        let mut to_classes = Tensor::zeros(DType::F32, sized(&[b[0], length])?)?;
        let mut to_counts = Tensor::zeros(DType::I32, [b[0]])?;
        let (from_boxes, from_scores) = (boxes.slice::<f32>()?, scores.slice::<f32>()?);
        let (box_size, score_size) = (b[1] * b[2] * 4, s[1] * s[2]);
        for image in 0..b[0] {
            ctx.check_cancelled()?;
            let boxes = &from_boxes[image * box_size..(image + 1) * box_size];
            let scores = &from_scores[image * score_size..(image + 1) * score_size];
            let mut found = detect(boxes, scores, &sizes, per_class, thresholds);
            found.truncate(length);
            to_counts.slice_mut::<i32>()?[image] = found.len() as i32;
            for (i, detection) in found.iter().enumerate() {
                let at = image * length + i;
                let corners = detection.corners.map(|c| if clip { c.clamp(0.0, 1.0) } else { c });
                to_boxes.slice_mut::<f32>()?[4 * at..4 * at + 4].copy_from_slice(&corners);
                to_scores.slice_mut::<f32>()?[at] = detection.score;
                to_classes.slice_mut::<f32>()?[at] = detection.class as f32;
            }
        }
        for (i, t) in [to_boxes, to_scores, to_classes, to_counts].into_iter().enumerate() {
            ctx.set_output(i, t);
        }
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (boxes, scores) = (c.input(0)?.with_rank(4)?, c.input(1)?.with_rank(3)?);
    for i in 2..6 {
        c.input(i)?.with_rank(0)?;
    }
    let batch = same_length(&boxes, &scores)?;
    if let Some(n) = boxes.dim(1)
        && let Some(m) = scores.dim(1)
    {
        ensure!(n == m, InvalidArgument, "Dimensions must be equal, but are {n} and {m}");
    }
    if let Some(n) = boxes.dim(2)
        && let Some(m) = scores.dim(2)
    {
        ensure!(
            n == 1 || n == m,
            InvalidArgument,
            "third dimension of boxes must be either 1 or equal to the third dimension of scores"
        );
    }
    dimension_is(&boxes, 3, 4)?;
    let (per_class, in_all) = (c.input_i64(2)?, c.input_i64(3)?);
    ensure!(in_all.is_none_or(|n| n > 0), InvalidArgument, "max_total_size should be > 0 ");
    let in_all = in_all.and_then(|n| usize::try_from(n).ok());
    ensure!(
        per_class.is_none_or(|n| n >= 0),
        InvalidArgument,
        "Dimension size, given by scalar input 2, must be non-negative but is {}",
        per_class.unwrap_or_default()
    );
    let length = if c.bool("pad_per_class")? {
        ensure!(
            per_class != Some(0),
            InvalidArgument,
            "max_output_size_per_class must be > 0 if pad_per_class is set to true "
        );
        let classes = per_class.and_then(|n| usize::try_from(n).ok()).zip(scores.dim(2));
        in_all.zip(classes).map(|(n, (each, classes))| n.min(each.saturating_mul(classes)))
    } else {
        in_all
    };
    c.set_output(0, PartialShape::from_dims(&[batch, length, Some(4)]));
    c.set_output(1, PartialShape::from_dims(&[batch, length]));
    c.set_output(2, PartialShape::from_dims(&[batch, length]));
    c.set_output(3, PartialShape::vector(batch));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CombinedNonMaxSuppression")
            .input("boxes: float")
            .input("scores: float")
            .input("max_output_size_per_class: int32")
            .input("max_total_size: int32")
            .input("iou_threshold: float")
            .input("score_threshold: float")
            .output("nmsed_boxes: float")
            .output("nmsed_scores: float")
            .output("nmsed_classes: float")
            .output("valid_detections: int32")
            .attr("pad_per_class: bool = false")
            .attr("clip_boxes: bool = true")
            .doc("Selects boxes of each class that do not overlap better ones, and returns the best of all classes.")
            .shape(shape)
            .kernel(suppress),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn call(per_class: i32, in_all: i32, pad: bool) -> Result<Vec<Tensor>> {
        let boxes = [0.0f32, 0., 1., 1., 0., 0.1, 1., 1.1, 0., 10., 1., 11.];
        let scores = [0.9f32, 0.3, 0.8, 0.7, 0.7, 0.2];
        let inputs = [
            Tensor::from_slice([1, 3, 1, 4], &boxes)?,
            Tensor::from_slice([1, 3, 2], &scores)?,
            Tensor::scalar(per_class),
            Tensor::scalar(in_all),
            Tensor::scalar(0.5f32),
            Tensor::scalar(f32::MIN),
        ];
        run("CombinedNonMaxSuppression", &inputs, &[("pad_per_class", AttrValue::Bool(pad))])
    }

    #[test]
    fn the_best_boxes_of_all_classes_come_first() {
        let out = call(2, 3, false).unwrap();
        assert_eq!(out[1].slice::<f32>().unwrap(), [0.9, 0.7, 0.7]);
        assert_eq!(out[2].slice::<f32>().unwrap(), [0.0, 0.0, 1.0]);
        assert_eq!(out[0].slice::<f32>().unwrap()[4..8], [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(out[3].slice::<i32>().unwrap(), [3]);
    }

    #[test]
    fn the_length_is_the_limit_of_all_or_of_the_classes() {
        let out = call(1, 5, false).unwrap();
        assert_eq!((out[1].shape().dims(), out[3].slice::<i32>().unwrap()), (&[1, 5][..], &[2][..]));
        assert_eq!(call(1, 5, true).unwrap()[1].shape().dims(), [1, 2]);
        assert!(call(1, 0, true).is_err() && call(-1, 2, true).is_err());
    }
}
