"""Records of the functions that crop, turn, colour and compare images."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import Given, Record, Refused, Values, call

from ferroflow._src.base import dtypes
from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.image import boxes, coloring, comparing, cropping, turning

_MOVED = ("float32", "float64", "uint8", "int32", "int64", "bool")
_UNIT = ((4, 5, 3), 0.05, 0.95)


def _with_middle(x: Any, share: float) -> Any:
    starts = [int((n - n * share) / 2) for n in x.shape[-3:-1]]
    return x[..., starts[0] : x.shape[-3] - starts[0], starts[1] : x.shape[-2] - starts[1], :]


def _pad_to(x: Any, offset_height: int, offset_width: int, target_height: int, target_width: int) -> Any:
    below = target_height - offset_height - x.shape[-3]
    right = target_width - offset_width - x.shape[-2]
    return np.pad(x, [(0, 0)] * (x.ndim - 3) + [(offset_height, below), (offset_width, right), (0, 0)])


def _crop_or_pad(x: Any, target_height: int, target_width: int) -> Any:
    for axis, size in ((-3, target_height), (-2, target_width)):
        more = size - x.shape[axis]
        if more < 0:
            start = -more // 2
            x = np.take(x, range(start, start + size), axis)
        else:
            amounts = [(0, 0)] * x.ndim
            amounts[axis] = (more // 2, more - more // 2)
            x = np.pad(x, amounts)
    return x


def _by_pixel(f: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Any, **arguments: Any) -> Any:
        pixels = x.reshape(-1, 3)
        return np.array([f(*p, **arguments) for p in pixels]).reshape(x.shape)

    return reference


def _turned_hue(r: float, g: float, b: float, delta: float) -> Any:
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb((h + delta) % 1, s, v)


def _saturated(r: float, g: float, b: float, saturation_factor: float) -> Any:
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb(h, min(max(s * saturation_factor, 0), 1), v)


def _contrast(x: Any, contrast_factor: float) -> Any:
    mean = x.mean((-3, -2), keepdims=True)
    return (x - mean) * contrast_factor + mean


def _standardized(x: Any) -> Any:
    return (x - x.mean()) / max(x.std(), 1 / np.sqrt(x.size))


def _patches(images: Any, ksizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    (_, kh, kw, _), (_, sh, sw, _), (_, rh, rw, _) = ksizes, strides, rates
    eh, ew = (kh - 1) * rh + 1, (kw - 1) * rw + 1
    if padding == "SAME":
        amounts = []
        for n, e, s in ((images.shape[1], eh, sh), (images.shape[2], ew, sw)):
            more = max((-(-n // s) - 1) * s + e - n, 0)
            amounts.append((more // 2, more - more // 2))
        images = np.pad(images, [(0, 0), *amounts, (0, 0)])
    rows = range(0, images.shape[1] - eh + 1, sh)
    columns = range(0, images.shape[2] - ew + 1, sw)
    out = [[images[:, y : y + eh : rh, x : x + ew : rw].reshape(len(images), -1) for x in columns] for y in rows]
    return np.array(out).transpose(2, 0, 1, 3)


def _sobel(x: Any) -> Any:
    p = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="reflect")
    h, w = x.shape[1:3]
    kernel = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    both = [sum(k[i, j] * p[:, i : i + h, j : j + w] for i in range(3) for j in range(3)) for k in (kernel, kernel.T)]
    return np.stack(both, -1)


def _ssim(a: Any, b: Any, max_val: float, size: int = 11) -> Any:
    places = np.arange(size) - (size - 1) / 2
    g = np.exp(-0.5 * (places / 1.5) ** 2)
    window = np.outer(g, g) / g.sum() ** 2

    def mean(x: Any) -> Any:
        views = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(-3, -2))
        return np.einsum("...yx,yx->...", views, window)

    c1, c2 = (0.01 * max_val) ** 2, (0.03 * max_val) ** 2
    ma, mb = mean(a), mean(b)
    cross, power = mean(a * b) - ma * mb, mean(a * a + b * b) - ma**2 - mb**2
    index = (2 * ma * mb + c1) / (ma**2 + mb**2 + c1) * (2 * cross + c2) / (power + c2)
    return index.mean((-3, -2, -1))


def _suppressed(corners: Any, scores: Any, max_output_size: int, iou_threshold: float) -> Any:
    def overlap(a: Any, b: Any) -> float:
        sides = [max(min(a[k + 2], b[k + 2]) - max(a[k], b[k]), 0) for k in (0, 1)]
        common = sides[0] * sides[1]
        areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
        return common / (sum(areas) - common)

    chosen: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if len(chosen) < max_output_size and all(overlap(corners[i], corners[j]) <= iou_threshold for j in chosen):
            chosen.append(int(i))
    return np.array(chosen, np.int32)


def _outlined(x: Any, corners: Any) -> Any:
    out = np.array(x)
    colors = ([1, 1, 0], [0, 0, 1], [1, 0, 0])
    h, w = x.shape[1:3]
    for image, of_image in zip(out, corners, strict=True):
        for color, (y1, x1, y2, x2) in zip(colors, of_image, strict=False):
            top, bottom, left, right = (int(v) for v in (y1 * (h - 1), y2 * (h - 1), x1 * (w - 1), x2 * (w - 1)))
            image[[top, bottom], left : right + 1] = color
            image[top : bottom + 1, [left, right]] = color
    return out


def _moving(name: str, module: Any, reference: Callable[..., Any], variants: Any, refused: Any = ()) -> Record:
    return Record(
        name=name,
        function=getattr(module, name),
        reference=reference,
        variants=variants,
        dtypes=_MOVED,
        differentiable=(0,),
        refused=refused,
        needs="rank",
    )


_IMAGE, _BATCH = Values((4, 5, 3)), Values((2, 4, 5, 3))
_NMS = Given(
    [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], "float32"
)
_FLOATS = ("float32", "float64")

RECORDS = [
    _moving(
        "central_crop",
        cropping,
        lambda x, central_fraction: _with_middle(x, central_fraction),
        (call(_IMAGE, central_fraction=0.5), call(_BATCH, central_fraction=0.34), call(_IMAGE, central_fraction=1.0)),
        (
            Refused(lambda: cropping.central_crop(constant([[[1.0]]]), 0.0), ValueError, r"within \(0, 1\]"),
            Refused(lambda: cropping.central_crop(constant([1.0]), 0.5), ValueError, "at least three-dimensional"),
        ),
    ),
    _moving(
        "crop_to_bounding_box",
        cropping,
        lambda x, offset_height, offset_width, target_height, target_width: x[
            ..., offset_height : offset_height + target_height, offset_width : offset_width + target_width, :
        ],
        (
            call(_IMAGE, offset_height=1, offset_width=2, target_height=3, target_width=1),
            call(_BATCH, offset_height=0, offset_width=0, target_height=4, target_width=5),
        ),
        (
            Refused(
                lambda: cropping.crop_to_bounding_box(constant([[[1.0]]]), 1, 0, 1, 1),
                ValueError,
                "height must be >= target",
            ),
            Refused(
                lambda: cropping.crop_to_bounding_box(constant([[[1.0]]]), 0, -1, 1, 1), ValueError, "offset_width"
            ),
            Refused(lambda: cropping.crop_to_bounding_box(constant([1.0]), 0, 0, 1, 1), ValueError, "3 or 4 dim"),
        ),
    ),
    Record(
        name="pad_to_bounding_box",
        function=cropping.pad_to_bounding_box,
        reference=_pad_to,
        variants=(
            call(_IMAGE, offset_height=1, offset_width=2, target_height=6, target_width=9),
            call(_BATCH, offset_height=0, offset_width=0, target_height=4, target_width=5),
        ),
        dtypes=("float32", "float64", "uint8", "int32"),
        differentiable=(0,),
        needs="rank",
        refused=(
            Refused(
                lambda: cropping.pad_to_bounding_box(constant([[[1.0]]]), 1, 0, 1, 1), ValueError, "height must be <="
            ),
        ),
    ),
    Record(
        name="resize_image_with_crop_or_pad",
        function=cropping.resize_image_with_crop_or_pad,
        reference=_crop_or_pad,
        variants=(
            call(_IMAGE, target_height=2, target_width=8),
            call(_BATCH, target_height=7, target_width=2),
            call(_IMAGE, target_height=4, target_width=5),
        ),
        dtypes=("float32", "float64", "uint8", "int32"),
        differentiable=(0,),
        needs="rank",
        refused=(
            Refused(
                lambda: cropping.resize_image_with_crop_or_pad(constant([[[1.0]]]), 0, 1),
                ValueError,
                "target_height must be > 0",
            ),
        ),
    ),
    _moving("flip_left_right", turning, lambda x: x[..., ::-1, :], (call(_IMAGE), call(_BATCH))),
    _moving("flip_up_down", turning, lambda x: x[..., ::-1, :, :], (call(_IMAGE), call(_BATCH))),
    _moving("transpose_image", turning, lambda x: np.swapaxes(x, -3, -2), (call(_IMAGE), call(_BATCH))),
    _moving(
        "rot90",
        turning,
        lambda x, k: np.rot90(x, k, axes=(-3, -2)),
        tuple(call(image, k=k) for k in (0, 1, 2, 3, 7) for image in (_IMAGE, _BATCH)),
    ),
    Record(
        name="rot90 by a tensor",
        function=turning.rot90,
        reference=lambda x, k: np.rot90(x, int(k), axes=(-3, -2)),
        variants=tuple(call(_BATCH, Given(k)) for k in (0, 1, 2, 3, -1)),
        dtypes=_MOVED,
        value_decides_shape=True,
        needs="rank",
    ),
    Record(
        name="extract_image_patches",
        function=cropping.extract_image_patches,
        reference=_patches,
        variants=tuple(
            call(Values((2, 6, 7, 2)), ksizes=[1, *k, 1], strides=[1, *s, 1], rates=[1, *r, 1], padding=padding)
            for k, s, r, padding in (
                ((2, 3), (1, 2), (1, 1), "VALID"),
                ((3, 2), (2, 3), (2, 1), "SAME"),
                ((2, 2), (3, 3), (3, 4), "SAME"),
                ((1, 1), (5, 1), (1, 1), "VALID"),
            )
        ),
        dtypes=("float32", "float64", "int32", "uint8"),
        differentiable=(0,),
        refused=(
            Refused(
                lambda: cropping.extract_image_patches(
                    placeholder("float32", [1, 4, 4, 1]), [1, -1, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"
                ),
                ValueError,
                "Negative dimension size",
            ),
        ),
    ),
    Record(
        name="rgb_to_hsv",
        function=coloring.rgb_to_hsv,
        reference=_by_pixel(colorsys.rgb_to_hsv),
        variants=(call(Values(*_UNIT)), call(Values((3,), 0.1, 0.9))),
        dtypes=_FLOATS,
        lossy=True,
        refused=(Refused(lambda: coloring.rgb_to_hsv(constant([1.0, 2.0])), ValueError, "must be 3 but is 2"),),
    ),
    Record(
        name="hsv_to_rgb",
        function=coloring.hsv_to_rgb,
        reference=_by_pixel(colorsys.hsv_to_rgb),
        variants=(call(Values(*_UNIT)), call(Values((3,), 0.1, 0.9))),
        dtypes=_FLOATS,
        lossy=True,
    ),
    Record(
        name="adjust_hue",
        function=coloring.adjust_hue,
        reference=_by_pixel(_turned_hue),
        variants=(call(Values(*_UNIT), delta=0.3), call(Values((2, *_UNIT[0]), 0.1, 0.9), delta=-0.8)),
        dtypes=("float32",),
        lossy=True,
        refused=(Refused(lambda: coloring.adjust_hue(constant([1.0]), 0.1), ValueError, "at least rank 3"),),
    ),
    Record(
        name="adjust_saturation",
        function=coloring.adjust_saturation,
        reference=_by_pixel(_saturated),
        variants=(call(Values(*_UNIT), saturation_factor=0.3), call(Values(*_UNIT), saturation_factor=1.8)),
        dtypes=("float32",),
        lossy=True,
    ),
    Record(
        name="adjust_contrast",
        function=coloring.adjust_contrast,
        reference=_contrast,
        variants=(call(Values((2, 5, 3, 3)), contrast_factor=0.3), call(Values((7, 4, 1)), contrast_factor=-2.0)),
        dtypes=("float32", "float16"),
        lossy=True,
    ),
    Record(
        name="adjust_brightness",
        function=coloring.adjust_brightness,
        reference=lambda x, delta: (
            x + delta
            if x.dtype.kind == "f"
            else np.clip((x * np.float32(1 / 255) + np.float32(delta)) * 255.5, 0, 255).astype(np.uint8)
        ),
        variants=(call(Values((2, 5, 3, 3), 0, 255), delta=0.3), call(Values((7,), 0, 255), delta=-0.4)),
        dtypes=("float32", "uint8"),
    ),
    Record(
        name="adjust_gamma",
        function=coloring.adjust_gamma,
        reference=lambda x, gamma, gain: gain * x**gamma,
        variants=(call(Values((4, 5, 3), 0, 1), gamma=2.2, gain=1.5),),
        dtypes=("float32",),
        differentiable=(0,),
        lossy=True,
        refused=(Refused(lambda: coloring.adjust_gamma(constant([1.0]), -1), ValueError, "non-negative real number"),),
    ),
    Record(
        name="convert_image_dtype",
        function=coloring.convert_image_dtype,
        reference=lambda x, dtype: (x * (2.0**-8)).astype(np.uint8) if x.dtype == np.uint16 else x.astype(np.uint8) * 2,
        variants=(call(Values((3, 4), 0, 127), dtype=dtypes.uint8),),
        dtypes=("uint16", "int8"),
        returns="uint8",
    ),
    Record(
        name="per_image_standardization",
        function=coloring.per_image_standardization,
        reference=_standardized,
        variants=(call(Values((4, 5, 3))),),
        dtypes=("float32", "int32"),
        returns="float32",
        lossy=True,
        refused=(
            Refused(
                lambda: coloring.per_image_standardization(constant([1.0])), ValueError, "at least three-dimensional"
            ),
        ),
    ),
    Record(
        name="rgb_to_grayscale",
        function=coloring.rgb_to_grayscale,
        reference=lambda x: x @ np.array([[0.2989], [0.5870], [0.1140]]),
        variants=(call(Values(*_UNIT)), call(Values((2, 3, 2, 3)))),
        dtypes=("float32",),
        lossy=True,
        needs="rank",
    ),
    Record(
        name="grayscale_to_rgb",
        function=coloring.grayscale_to_rgb,
        reference=lambda x: np.repeat(x, 3, -1),
        variants=(call(Values((4, 5, 1))), call(Values((2, 4, 5, 1)))),
        dtypes=("float32", "float64", "uint8"),
        differentiable=(0,),
        needs="rank",
    ),
    Record(
        name="rgb_to_yuv",
        function=coloring.rgb_to_yuv,
        reference=lambda x: (
            x
            @ np.array(
                [
                    [0.299, -0.14714119, 0.61497538],
                    [0.587, -0.28886916, -0.51496512],
                    [0.114, 0.43601035, -0.10001026],
                ]
            )
        ),
        variants=(call(Values(*_UNIT)),),
        dtypes=_FLOATS,
        differentiable=(0,),
        lossy=True,
        needs="rank",
    ),
    Record(
        name="yiq_to_rgb",
        function=coloring.yiq_to_rgb,
        reference=lambda x: (
            x
            @ np.array(
                [
                    [1, 1, 1],
                    [0.95598634, -0.27201283, -1.10674021],
                    [0.6208248, -0.64720424, 1.70423049],
                ]
            )
        ),
        variants=(call(Values(*_UNIT)),),
        dtypes=_FLOATS,
        differentiable=(0,),
        lossy=True,
        needs="rank",
    ),
    Record(
        name="total_variation",
        function=comparing.total_variation,
        reference=lambda x: (
            np.abs(np.diff(x, axis=-3)).sum((-3, -2, -1)) + np.abs(np.diff(x, axis=-2)).sum((-3, -2, -1))
        ),
        variants=(call(Values((4, 5, 3))), call(Values((2, 4, 5, 3)))),
        dtypes=_FLOATS,
        differentiable=(0,),
        lossy=True,
        needs="rank",
        refused=(Refused(lambda: comparing.total_variation(constant([1.0])), ValueError, "either 3 or 4-dimensional"),),
    ),
    Record(
        name="image_gradients",
        function=comparing.image_gradients,
        reference=lambda x: [
            np.diff(x, axis=1, append=x[:, -1:]),
            np.diff(x, axis=2, append=x[:, :, -1:]),
        ],
        variants=(call(Values((2, 4, 5, 3))),),
        dtypes=("float32", "float64", "int32"),
        differentiable=(0,),
        needs="rank",
    ),
    Record(
        name="sobel_edges",
        function=comparing.sobel_edges,
        reference=_sobel,
        variants=(call(Values((2, 4, 5, 3))), call(Values((1, 2, 2, 1)))),
        dtypes=_FLOATS,
        differentiable=(0,),
        lossy=True,
        needs="rank",
    ),
    Record(
        name="psnr",
        function=comparing.psnr,
        reference=lambda a, b, max_val: 20 * np.log10(max_val) - 10 * np.log10(((a - b) ** 2).mean((-3, -2, -1))),
        variants=(call(Values((2, 4, 5, 3)), Values((2, 4, 5, 3)), max_val=2.0),),
        dtypes=("float32",),
        lossy=True,
    ),
    Record(
        name="ssim",
        function=comparing.ssim,
        reference=_ssim,
        variants=(call(Values((2, 14, 13, 3), 0, 1), Values((2, 14, 13, 3), 0, 1), max_val=1.0),),
        dtypes=("float32",),
        lossy=True,
        needs="rank",
    ),
    Record(
        name="draw_bounding_boxes",
        function=boxes.draw_bounding_boxes,
        reference=_outlined,
        variants=(
            call(
                Values((2, 6, 8, 3), 0, 1),
                Given([[[0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1]], [[0.5, 0.5, 0.5, 0.5], [0, 0.2, 0.3, 0.4]]], "float32"),
            ),
        ),
        dtypes=("float32", "float16"),
    ),
    Record(
        name="non_max_suppression",
        function=boxes.non_max_suppression,
        reference=_suppressed,
        variants=(
            call(_NMS, Values((6,), 0, 1, "float32"), max_output_size=30, iou_threshold=0.5),
            call(_NMS, Values((6,), 0, 1, "float32"), max_output_size=2, iou_threshold=0.5),
            call(_NMS, Values((6,), 0, 1, "float32"), max_output_size=30, iou_threshold=0.95),
        ),
        dtypes=("float32",),
        returns="int32",
        value_decides_shape=True,
    ),
]
