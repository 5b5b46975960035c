"""Conversions of convolutions, pooling, normalization and the resizing of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ferroflow.command_line.onnx_export.calls import Call, Conversion


def _is_channels_first(call: Call) -> bool:
    form = call.attr("data_format", b"NHWC")
    return (form.decode() if isinstance(form, bytes) else form).startswith("NC")


def _channels_first(call: Call, name: str, rank: int) -> str:
    if _is_channels_first(call):
        return name
    return call.transposed(name, [0, rank - 1, *range(1, rank - 1)])


def _as_before(call: Call, name: str, rank: int) -> str:
    if _is_channels_first(call):
        return name
    return call.transposed(name, [0, *range(2, rank), 1])


def _spatial(call: Call, sizes: Sequence[int]) -> list[int]:
    return [int(size) for size in (sizes[2:] if _is_channels_first(call) else sizes[1:-1])]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _window(call: Call, rank: int) -> dict[str, Any]:
    """Returns the strides, dilations and paddings of a convolution or pooling."""
    found: dict[str, Any] = {"strides": _spatial(call, call.attr("strides"))}
    dilations = call.attr("dilations")
    if dilations and any(size != 1 for size in _spatial(call, dilations)):
        found["dilations"] = _spatial(call, dilations)
    padding = _text(call.attr("padding"))
    if padding == "EXPLICIT":
        pads = np.reshape(call.attr("explicit_paddings"), [rank, 2])
        inner = pads[2:] if _is_channels_first(call) else pads[1:-1]
        found["pads"] = [int(pad) for pad in np.transpose(inner).ravel()]
    else:
        found["auto_pad"] = {"SAME": "SAME_UPPER", "VALID": "VALID"}[padding]
    return found


def _kernel_first(call: Call, name: str, rank: int) -> str:
    """Returns a kernel [..., inputs, outputs] as [outputs, inputs, ...]."""
    return call.transposed(name, [rank - 1, rank - 2, *range(rank - 2)])


def _convolution(rank: int) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        kernel = _kernel_first(call, call.inputs[1], rank)
        sizes = call.shape(1)
        where = _window(call, rank)
        if "dilations" in where and where.get("auto_pad") == "SAME_UPPER":
            where = _explicit(call, where, sizes)
        images = _channels_first(call, call.inputs[0], rank)
        return _as_before(call, call.node("Conv", images, kernel, **where), rank)

    return convert


def _explicit(call: Call, where: dict[str, Any], kernel: Sequence[int | None]) -> dict[str, Any]:
    """Returns the paddings of a dilated window as numbers, which do not depend on the image at strides of 1."""
    if any(stride != 1 for stride in where["strides"]):
        raise call.fail("dilations together with strides and SAME padding")
    totals = []
    for size, dilation in zip(kernel, where["dilations"], strict=False):
        if size is None:
            raise call.fail("a kernel whose size is not known")
        totals.append((size - 1) * dilation)
    pads = [total // 2 for total in totals] + [total - total // 2 for total in totals]
    return {"strides": where["strides"], "dilations": where["dilations"], "pads": pads}


def _depthwise(call: Call) -> str:
    height, width, inputs, multiplier = call.shape(1)
    if inputs is None or multiplier is None:
        raise call.fail("a kernel whose size is not known")
    where = _window(call, 4)
    if "dilations" in where and where.get("auto_pad") == "SAME_UPPER":
        where = _explicit(call, where, [height, width])
    kernel = call.transposed(call.inputs[1], [2, 3, 0, 1])
    kernel = call.node("Reshape", kernel, call.ints(inputs * multiplier, 1, height or -1, width or -1))
    images = _channels_first(call, call.inputs[0], 4)
    return _as_before(call, call.node("Conv", images, kernel, group=inputs, **where), 4)


def _transposed_convolution(call: Call) -> str:
    sizes = _spatial(call, [int(size) for size in call.value(0, "the output's shape")])
    where = _window(call, 4)
    if "pads" in where or "dilations" in where:
        raise call.fail("dilations or explicit paddings")
    kernel = call.transposed(call.inputs[1], [3, 2, 0, 1])
    images = _channels_first(call, call.inputs[2], 4)
    height, width = call.shape(1)[:2]
    if height is None or width is None:
        raise call.fail("a kernel whose size is not known")
    del where["auto_pad"]
    given = _spatial(call, [size or -1 for size in call.shape(2)])
    if min(given) < 0:
        raise call.fail("an input whose height or width is not known")
    totals = [
        stride * (size - 1) + window - out
        for stride, size, window, out in zip(where["strides"], given, (height, width), sizes, strict=True)
    ]
    # The end of an image that no window reaches is zero.
    begins = [max(total, 0) // 2 for total in totals]
    pads = begins + [total - begin for total, begin in zip(totals, begins, strict=True)]
    extra = [max(-pad, 0) for pad in pads[2:]]
    pads = [max(pad, 0) for pad in pads]
    found = call.node("ConvTranspose", images, kernel, pads=pads, output_padding=extra, **where)
    return _as_before(call, found, 4)


def _pooling(operator: str, rank: int) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        sizes = call.attr("ksize")
        outer = (sizes[0], sizes[1] if _is_channels_first(call) else sizes[-1])
        if outer != (1, 1):
            raise call.fail("windows over the batch or the channels")
        images = _channels_first(call, call.inputs[0], rank)
        where = _window(call, rank)
        return _as_before(call, call.node(operator, images, kernel_shape=_spatial(call, sizes), **where), rank)

    return convert


def _batch_norm(call: Call) -> list[str]:
    if call.attr("is_training"):
        raise call.fail("is_training=True; freeze the graph that predicts")
    images = _channels_first(call, call.inputs[0], 4)
    found = call.node("BatchNormalization", images, *call.inputs[1:5], epsilon=float(call.attr("epsilon")))
    result = _as_before(call, found, 4)
    # The other outputs serve gradients; the first two are those that were given.
    return [result, *call.inputs[3:5], *call.inputs[3:5], call.scalar(0)][: len(call.op.outputs)]


def _lrn(call: Call) -> str:
    size = 2 * int(call.attr("depth_radius")) + 1
    attrs = {
        "alpha": float(call.attr("alpha")) * size,
        "beta": float(call.attr("beta")),
        "bias": float(call.attr("bias")),
    }
    images = call.transposed(call.inputs[0], [0, 3, 1, 2])
    return call.transposed(call.node("LRN", images, size=size, **attrs), [0, 2, 3, 1])


def _resize(mode: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        how = "asymmetric"
        if call.attr("align_corners"):
            how = "align_corners"
        elif call.attr("half_pixel_centers", False):
            how = "half_pixel" if mode == "linear" else "tf_half_pixel_for_nn"
        if mode == "nearest" and how != "asymmetric":
            raise call.fail(f"{how} of nearest neighbours")
        images = call.transposed(call.inputs[0], [0, 3, 1, 2])
        outer = call.node("Slice", call.node("Shape", images), call.ints(0), call.ints(2))
        sizes = call.node("Concat", outer, call.node("Reshape", call.int64(1), call.ints(2)), axis=0)
        if mode == "linear" and call.dtype().name != "float32":
            images = call.cast(images, np.float32)
        attrs = {"mode": mode, "coordinate_transformation_mode": how, "nearest_mode": "floor"}
        found = call.node("Resize", images, "", "", sizes, **attrs)
        return call.transposed(found, [0, 2, 3, 1])

    return convert


def _blocks(operator: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        images = _channels_first(call, call.inputs[0], 4)
        size = int(call.attr("block_size"))
        if operator == "DepthToSpace":
            return _as_before(call, call.node(operator, images, blocksize=size, mode="DCR"), 4)
        # ONNX puts the places in a block before the channels, as here.
        return _as_before(call, call.node(operator, images, blocksize=size), 4)

    return convert


_DILATED: Final = "no strides together with dilations and SAME padding"
_CHANNELS: Final = "windows within a channel"

IMAGES: Final[dict[str, Conversion]] = {
    "AvgPool": Conversion("AveragePool, Transpose", _pooling("AveragePool", 4), _CHANNELS),
    "AvgPool3D": Conversion("AveragePool, Transpose", _pooling("AveragePool", 5), _CHANNELS),
    "Conv2D": Conversion("Conv, Transpose", _convolution(4), _DILATED),
    "Conv2DBackpropInput": Conversion(
        "ConvTranspose, Transpose", _transposed_convolution, "sizes that no feed changes, without dilations"
    ),
    "Conv3D": Conversion("Conv, Transpose", _convolution(5), _DILATED),
    "DepthToSpace": Conversion("DepthToSpace, Transpose", _blocks("DepthToSpace")),
    "DepthwiseConv2dNative": Conversion("Conv, Reshape, Transpose", _depthwise, _DILATED),
    "FusedBatchNorm": Conversion("BatchNormalization, Transpose", _batch_norm, "is_training=False"),
    "FusedBatchNormV2": Conversion("BatchNormalization, Transpose", _batch_norm, "is_training=False"),
    "FusedBatchNormV3": Conversion("BatchNormalization, Transpose", _batch_norm, "is_training=False"),
    "LRN": Conversion("LRN, Transpose", _lrn),
    "MaxPool": Conversion("MaxPool, Transpose", _pooling("MaxPool", 4), _CHANNELS),
    "MaxPool3D": Conversion("MaxPool, Transpose", _pooling("MaxPool", 5), _CHANNELS),
    "ResizeBilinear": Conversion("Resize, Transpose", _resize("linear")),
    "ResizeNearestNeighbor": Conversion(
        "Resize, Transpose", _resize("nearest"), "neither align_corners nor half_pixel_centers"
    ),
    "SpaceToDepth": Conversion("SpaceToDepth, Transpose", _blocks("SpaceToDepth")),
}
