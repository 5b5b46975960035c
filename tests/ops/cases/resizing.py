"""Records of the functions that resize images and sample boxes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import Given, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.image import cropping, resizing

_PIXELS = ("float32", "float64", "float16", "uint8", "int8", "uint16", "int16", "int32", "int64")
# Sizes that shrink and grow, keep, and go to one pixel.
_SIZES = ([7, 3], [3, 9], [5, 4], [1, 1])


def _scale(original: int, result: int, corners: bool) -> np.float32:
    if corners and result > 1:
        return np.float32(original - 1) / np.float32(result - 1)
    return np.float32(original) / np.float32(result)


def _places(original: int, result: int, corners: bool, half: bool) -> Any:
    scale = _scale(original, result, corners)
    i = np.arange(result, dtype=np.float32)
    # In float32, as the kernels have it: places decide which pixels are met.
    return (i + np.float32(0.5)) * scale - np.float32(0.5) if half else i * scale


def _linear(original: int, result: int, corners: bool, half: bool) -> Any:
    weights = np.zeros((result, original))
    for i, at in enumerate(_places(original, result, corners, half)):
        low = np.floor(at)
        part = float(at - low)
        weights[i, int(np.clip(low, 0, original - 1))] += 1 - part
        weights[i, int(np.clip(np.ceil(at), 0, original - 1))] += part
    return weights


def _nearest(original: int, result: int, corners: bool, half: bool) -> Any:
    at = _places(original, result, corners, half) + (0.5 if half else 0)
    chosen = np.floor(at + 0.5) if corners else np.floor(at)
    return np.eye(original)[np.clip(chosen, 0, original - 1).astype(int)]


def _cubic(original: int, result: int, corners: bool, half: bool) -> Any:
    a = -0.5 if half else -0.75
    weights = np.zeros((result, original))
    for i, at in enumerate(_places(original, result, corners, half)):
        low = int(np.floor(at))
        part = np.round(float(at - np.float32(low)) * 1024) / 1024
        row = np.zeros(original)
        for k in range(-1, 3):
            d = abs(k - part)
            near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
            inside = 0 <= low + k < original
            if inside or not half:
                row[np.clip(low + k, 0, original - 1)] += near if d <= 1 else far
        weights[i] = row / row.sum() if half else row
    return weights


def _area(original: int, result: int, corners: bool, half: bool) -> Any:
    del half
    scale = _scale(original, result, corners)
    weights = np.zeros((result, original))
    for i in range(result):
        begin, end = np.float32(i) * scale, np.float32(i + 1) * scale
        for v in range(int(np.floor(begin)), int(np.ceil(end))):
            part = min(v + 1, end) - max(v, begin)
            weights[i, min(v, original - 1)] += part / scale
    return weights


def _resized(weights: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
        rows = weights(x.shape[1], size[0], align_corners, half_pixel_centers)
        columns = weights(x.shape[2], size[1], align_corners, half_pixel_centers)
        return np.einsum("yh,bhwc,xw->byxc", rows, x, columns)

    return reference


def _resize(name: str, weights: Callable[..., Any], returns: str | None, half: bool) -> Record:
    function = getattr(resizing, name)
    alignments: list[dict[str, bool]] = [{}, {"align_corners": True}]
    if half:
        alignments.append({"half_pixel_centers": True})
    variants = [
        call(Values((2, 5, 4, channels), 0, 100), size=size, **alignment)
        for size in _SIZES
        for channels, alignment in zip((3, 1, 5), alignments, strict=False)
    ]
    return Record(
        name=name,
        function=function,
        reference=_resized(weights),
        variants=tuple(variants),
        dtypes=_PIXELS,
        returns=returns,
        lossy=True,
        refused=(
            Refused(lambda: function(placeholder("float32", [3, 3, 1]), [2, 2]), ValueError, "must be rank 4"),
            Refused(lambda: function(placeholder("float32", [1, 3, 3, 1]), [2]), ValueError, "must be 2 but is 1"),
            Refused(lambda: function(placeholder("float32", [1, 3, 3, 1]), 2), ValueError, "must be rank 1"),
        ),
    )


def _crop_and_resize(
    x: Any, boxes: Any, indices: Any, crop_size: Any, method: str = "bilinear", extrapolation_value: float = 0
) -> Any:
    out = np.full((len(boxes), *crop_size, x.shape[3]), extrapolation_value, np.float64)
    for b, (y1, x1, y2, x2) in enumerate(boxes):
        for i in range(crop_size[0]):
            for j in range(crop_size[1]):
                at = []
                for k, n, first, last, side in (
                    (i, crop_size[0], y1, y2, x.shape[1]),
                    (j, crop_size[1], x1, x2, x.shape[2]),
                ):
                    share = k / (n - 1) if n > 1 else 0.5
                    at.append((first + (last - first) * share) * (side - 1))
                if not all(-1e-5 <= p <= side - 1 + 1e-5 for p, side in zip(at, x.shape[1:3], strict=True)):
                    continue
                image = x[indices[b]]
                if method == "nearest":
                    out[b, i, j] = image[int(np.floor(at[0] + 0.5)), int(np.floor(at[1] + 0.5))]
                    continue
                (y, v), (z, w) = (divmod(max(p, 0), 1) for p in at)
                rows = [min(int(y) + d, x.shape[1] - 1) for d in (0, 1)]
                columns = [min(int(z) + d, x.shape[2] - 1) for d in (0, 1)]
                corners = image[np.ix_(rows, columns)]
                out[b, i, j] = np.einsum("y,x,yxc->c", [1 - v, v], [1 - w, w], corners)
    return out


_BOXES = Given([[0.0, 0.0, 1.0, 1.0], [0.8, 0.1, 0.2, 0.9], [-0.3, 0.5, 0.7, 1.4]], "float32")

RECORDS = [
    _resize("resize_bilinear", _linear, "float32", True),
    _resize("resize_nearest_neighbor", _nearest, None, True),
    _resize("resize_bicubic", _cubic, "float32", True),
    _resize("resize_area", _area, "float32", False),
    Record(
        name="resize_images",
        function=resizing.resize_images,
        reference=lambda x, size, **_: _resized(_linear)(x[None] if x.ndim == 3 else x, size)[
            0 if x.ndim == 3 else slice(None)
        ],
        variants=(
            call(Values((4, 6, 3), 0, 100), size=[3, 9]),
            call(Values((2, 4, 6, 1), 0, 100), size=[8, 5]),
        ),
        dtypes=("float32", "uint8"),
        returns="float32",
        lossy=True,
        needs="rank",
        refused=(
            Refused(lambda: resizing.resize_images(placeholder("float32"), [2, 2]), ValueError, "contains no shape"),
            Refused(lambda: resizing.resize_images(constant([1.0]), [2, 2]), ValueError, "either 3 or 4 dimensions"),
            Refused(lambda: resizing.resize_images(constant([[[1.0]]]), [2]), ValueError, "1-D Tensor of 2 elements"),
            Refused(lambda: resizing.resize_images(constant([[[1.0]]]), [2.5, 3]), ValueError, "1-D int32 Tensor"),
            Refused(lambda: resizing.resize_images(constant([[[1.0]]]), [2, 2], 17), ValueError, "not implemented"),
        ),
    ),
    Record(
        name="crop_and_resize",
        function=lambda x, boxes, indices, crop_size, **kwargs: cropping.crop_and_resize(
            x, boxes, crop_size=crop_size, box_indices=indices, **kwargs
        ),
        reference=_crop_and_resize,
        variants=(
            call(Values((2, 5, 7, 3), 0, 100), _BOXES, Given([0, 1, 1]), crop_size=[3, 4]),
            call(Values((2, 5, 7, 3), 0, 100), _BOXES, Given([0, 1, 1]), crop_size=[3, 4], method="nearest"),
            call(Values((2, 5, 7, 1), 0, 100), _BOXES, Given([1, 0, 1]), crop_size=[1, 1], extrapolation_value=-2.0),
        ),
        dtypes=_PIXELS,
        returns="float32",
        lossy=True,
        refused=(
            Refused(
                lambda: cropping.crop_and_resize(
                    placeholder("float32", [1, 2, 2, 1]), placeholder("float32", [3, 5]), [0, 0, 0], [2, 2]
                ),
                ValueError,
                "must be 4 but is 5",
            ),
        ),
    ),
]
