"""Gradient rules of resizing: each pixel of the original collects from those that sampled it."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import densified, shape
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _alignment(op: Operation) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in ("align_corners", "half_pixel_centers")}


def _bilinear(op: Operation, g: Any) -> tuple[Any, None]:
    if op.inputs[0].dtype not in _FLOATS:
        return None, None
    return tensor_op("ResizeBilinearGrad", [densified(g), op.inputs[0]], _alignment(op)), None


def _bicubic(op: Operation, g: Any) -> tuple[Any, None]:
    if op.inputs[0].dtype not in (dtypes.float32, dtypes.float64):
        return None, None
    return tensor_op("ResizeBicubicGrad", [densified(g), op.inputs[0]], _alignment(op)), None


def _nearest(op: Operation, g: Any) -> tuple[Tensor, None]:
    image = op.inputs[0]
    known = image.get_shape()[1:3]
    size = known.as_list() if known.is_fully_defined() else shape(image)[1:3]
    return tensor_op("ResizeNearestNeighborGrad", [densified(g), size], _alignment(op)), None


def _scale_and_translate(op: Operation, g: Any) -> tuple[Any, None, None, None]:
    image, _, scale, translation = op.inputs
    if image.dtype != dtypes.float32:
        return None, None, None, None
    attrs = {name: op.get_attr(name) for name in ("kernel_type", "antialias")}
    return tensor_op("ScaleAndTranslateGrad", [densified(g), image, scale, translation], attrs), None, None, None


def _crop_and_resize(op: Operation, g: Any) -> tuple[Any, Tensor, None, None]:
    image, boxes, indices, _ = op.inputs
    g = densified(g)
    by_image = None
    if image.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        known = image.get_shape()
        size = known.as_list() if known.is_fully_defined() else shape(image)
        attrs = {"T": image.dtype, "method": op.get_attr("method")}
        by_image = tensor_op("CropAndResizeGradImage", [g, boxes, indices, size], attrs)
    # TF 1.x: boxes have the bilinear gradient, whatever the method.
    return by_image, tensor_op("CropAndResizeGradBoxes", [g, image, boxes, indices]), None, None


register(
    {
        "ResizeBilinear": _bilinear,
        "ResizeBicubic": _bicubic,
        "ResizeNearestNeighbor": _nearest,
        "CropAndResize": _crop_and_resize,
        "ScaleAndTranslate": _scale_and_translate,
    }
)
register_none(
    [
        "DrawBoundingBoxes",
        "ExtractGlimpse",
        "HSVToRGB",
        "NonMaxSuppression",
        "NonMaxSuppressionV2",
        "NonMaxSuppressionWithOverlaps",
        "SampleDistortedBoundingBox",
        "SampleDistortedBoundingBoxV2",
    ]
)
