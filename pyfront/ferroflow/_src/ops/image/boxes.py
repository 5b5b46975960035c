"""Boxes of images: sampled at random, drawn, and thinned out."""

from __future__ import annotations

from typing import NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor


class SampleDistortedBoundingBox(NamedTuple):
    """Result of `sample_distorted_bounding_box`.

    Attributes:
        begin: Tensor of the dtype of the image's size, of shape [3]: what `tf.slice` takes as `begin`.
        size: Tensor of that dtype, of shape [3]: what `tf.slice` takes as `size`.
        bboxes: Tensor of float32, of shape [1, 1, 4]: what `draw_bounding_boxes` takes.
    """

    begin: Tensor
    size: Tensor
    bboxes: Tensor


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: ListLike | None = None,
    area_range: ListLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> SampleDistortedBoundingBox:
    """Draws a crop of an image that contains enough of at least one object.

    Args:
        image_size: Tensor of uint8, int8, int16, int32 or int64, of shape [3]: height, width, channels.
        bounding_boxes: Tensor of float32, of shape [batch, boxes, 4]: ymin, xmin, ymax, xmax, in [0, 1].
        seed: int; if this and `seed2` are 0 or None, runs differ.
        seed2: int, a second seed.
        min_object_covered: Tensor of float32, of shape []: the least share of an object that the crop covers.
        aspect_ratio_range: two floats, of width / height of the crop; None for [0.75, 1.33].
        area_range: two floats in (0, 1], the crop's share of the image; None for [0.05, 1].
        max_attempts: int, the number of failures after which the crop is the whole image; None for 100.
        use_image_if_no_bounding_boxes: bool. If True, no boxes stand for one of the whole image; otherwise they are an
            error.
        name: str, name scope of the operation.

    Returns:
        begin and size of the crop, and the crop as a box.
    """
    attrs = {
        "seed": seed or 0,
        "seed2": seed2 or 0,
        "aspect_ratio_range": [0.75, 1.33] if aspect_ratio_range is None else aspect_ratio_range,
        "area_range": [0.05, 1.0] if area_range is None else area_range,
        "max_attempts": 100 if max_attempts is None else max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    with name_scope(name, "sample_distorted_bounding_box"):
        inputs = [image_size, bounding_boxes, min_object_covered]
        op = apply_op("SampleDistortedBoundingBoxV2", inputs, attrs, name=name)
        return SampleDistortedBoundingBox(*op.outputs)


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike | None = None
) -> Tensor:
    """Draws the outlines of boxes over images.

    Args:
        images: Tensor of float16 or float32, of shape [batch, height, width, 1, 3 or 4].
        boxes: Tensor of float32, of shape [batch, boxes, 4]: ymin, xmin, ymax, xmax, 0 and 1 being the image's ends.
        name: str, name of the operation.
        colors: Tensor of float32, of shape [colours, channels or more], that boxes take in turn; None for ten colours.

    Returns:
        Tensor of the dtype and shape of `images`.
    """
    if colors is None:
        return tensor_op("DrawBoundingBoxes", [images, boxes], name=name)
    return tensor_op("DrawBoundingBoxesV2", [images, boxes, colors], name=name)


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Selects boxes by decreasing score, without those that overlap a selected box too much.

    Args:
        boxes: Tensor of float16 or float32, of shape [boxes, 4]: two opposite corners, y1, x1, y2, x2.
        scores: Tensor of their dtype, of shape [boxes].
        max_output_size: Tensor of int32, of shape []: the most boxes to select.
        iou_threshold: Tensor of float16 or float32, of shape [], in [0, 1]: the most that two may overlap, intersection
            over union.
        score_threshold: Tensor of the same dtype, of shape []: boxes with no higher score are left out.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of shape [selected]: their indices.
    """
    with name_scope(name, "non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        dtype = None if isinstance(score_threshold, Tensor) else iou_threshold.dtype
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold", dtype=dtype)
        inputs = [boxes, scores, max_output_size, iou_threshold, score_threshold]
        return tensor_op("NonMaxSuppressionV3", inputs)


class CombinedNonMaxSuppression(NamedTuple):
    """Result of `combined_non_max_suppression`.

    Attributes:
        nmsed_boxes: Tensor of float32, of shape [batch, boxes, 4].
        nmsed_scores: Tensor of float32, of shape [batch, boxes].
        nmsed_classes: Tensor of float32, of shape [batch, boxes].
        valid_detections: Tensor of int32, of shape [batch]: how many of the boxes are selected ones; the rest is zeros.
    """

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """Selects boxes of each class as `non_max_suppression` does, and returns the best of all classes for each image.

    Args:
        boxes: Tensor of float32, of shape [batch, boxes, classes or 1, 4]: two opposite corners, y1, x1, y2, x2.
        scores: Tensor of float32, of shape [batch, boxes, classes].
        max_output_size_per_class: Tensor of int32, of shape []: the most boxes of a class.
        max_total_size: Tensor of int32, of shape []: the most boxes of an image.
        iou_threshold: Tensor of float32, of shape [], in [0, 1]: the most that two boxes of a class may overlap.
        score_threshold: Tensor of float32, of shape []: boxes with no higher score are left out.
        pad_per_class: bool. If True, the results have no more boxes than all classes together may have.
        clip_boxes: bool. If True, corners of the results are limited to [0, 1].
        name: str, name scope of the operations.

    Returns:
        CombinedNonMaxSuppression, a named tuple of Tensors; the boxes are in the order of their scores.

    Raises:
        ValueError: if the shapes are incompatible, or a size that is known is not positive.
    """
    with name_scope(name, "combined_non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, dtype=dtypes.float32, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, dtype=dtypes.float32, name="score_threshold")
        inputs = [boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold]
        attrs = {"pad_per_class": pad_per_class, "clip_boxes": clip_boxes}
        return CombinedNonMaxSuppression(*apply_op("CombinedNonMaxSuppression", inputs, attrs).outputs)


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Selects boxes as `non_max_suppression` does, with their scores, and can lower scores instead of dropping boxes.

    Args:
        boxes: Tensor of float16 or float32, of shape [boxes, 4]: two opposite corners, y1, x1, y2, x2.
        scores: Tensor of their dtype, of shape [boxes].
        max_output_size: Tensor of int32, of shape []: the most boxes to select.
        iou_threshold: Tensor of the same dtype, of shape [], in [0, 1]: the most that two may overlap.
        score_threshold: Tensor of the same dtype, of shape []: boxes with no higher score are left out.
        soft_nms_sigma: Tensor of the same dtype, of shape []: the width of the Gaussian by which scores fall; 0 to
            leave boxes out instead.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of shape [selected]: the indices; and Tensor of float16 or float32: their scores.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        inputs = [boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma]
        op = apply_op("NonMaxSuppressionV5", inputs, {"pad_to_max_output_size": False})
        return op.outputs[0], op.outputs[1]


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Selects boxes as `non_max_suppression` does, and can pad the result to a fixed size.

    Args:
        boxes: Tensor of float16 or float32, of shape [boxes, 4]: two opposite corners, y1, x1, y2, x2.
        scores: Tensor of their dtype, of shape [boxes].
        max_output_size: Tensor of int32, of shape []: the most boxes to select.
        iou_threshold: Tensor of float16 or float32, of shape [], in [0, 1]: the most that two may overlap.
        score_threshold: Tensor of the same dtype, of shape []: boxes with no higher score are left out.
        pad_to_max_output_size: bool. If True, the result has `max_output_size` elements, zeros after those selected.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of shape [selected or max_output_size]: the indices; and Tensor of int32, of shape []: how many
        are selected.
    """
    with name_scope(name, "non_max_suppression_padded"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold", dtype=iou_threshold.dtype)
        inputs = [boxes, scores, max_output_size, iou_threshold, score_threshold]
        op = apply_op("NonMaxSuppressionV4", inputs, {"pad_to_max_output_size": pad_to_max_output_size})
        return op.outputs[0], op.outputs[1]


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Selects boxes as `non_max_suppression` does, from given overlaps.

    Args:
        overlaps: Tensor of float32, of shape [boxes, boxes].
        scores: Tensor of float32, of shape [boxes].
        max_output_size: Tensor of int32, of shape []: the most boxes to select.
        overlap_threshold: Tensor of float32, of shape []: the most that two may overlap.
        score_threshold: Tensor of float32, of shape []: boxes with no higher score are left out.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of shape [selected]: their indices.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        inputs = [overlaps, scores, max_output_size, overlap_threshold, score_threshold]
        return tensor_op("NonMaxSuppressionWithOverlaps", inputs)
