"""The gradients of patches: each pixel's gradient is the sum over its positions in patches."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import densified
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math import segment


def _extract_image_patches(op: Operation, g: Any) -> tuple[Tensor]:
    attrs = {name: op.get_attr(name) for name in ("ksizes", "strides", "rates", "padding")}
    _, rows, columns, _ = attrs["ksizes"]
    image = shaping.shape(op.inputs[0])
    batch, height, width, channels = (image[i] for i in range(4))
    # The number of each pixel where it lies in patches; 0 is the padding.
    numbers = shaping.reshape(making.range(1, height * width + 1), [1, height, width, 1])
    places = shaping.reshape(tensor_op("ExtractImagePatches", [numbers], attrs), [-1])
    patches = shaping.shape(op.outputs[0])
    g = shaping.reshape(densified(g), [batch, patches[1], patches[2], rows * columns, channels])
    g = shaping.reshape(shaping.transpose(g, [1, 2, 3, 0, 4]), [-1, batch * channels])
    sums = segment.unsorted_segment_sum(g, places, height * width + 1)[1:]
    sums = shaping.reshape(sums, [height, width, batch, channels])
    result = shaping.transpose(sums, [2, 0, 1, 3])
    result.set_shape(op.inputs[0].get_shape())
    return (result,)


def _extract_volume_patches(op: Operation, g: Any) -> tuple[Tensor]:
    attrs = {name: op.get_attr(name) for name in ("ksizes", "strides", "padding")}
    size = math.prod(attrs["ksizes"])
    volume = shaping.shape(op.inputs[0])
    batch, planes, rows, columns, channels = (volume[i] for i in range(5))
    count = planes * rows * columns
    # The number of each place of the volume where it lies in patches; 0 is the padding.
    numbers = shaping.reshape(making.range(1, count + 1), [1, planes, rows, columns, 1])
    places = shaping.reshape(tensor_op("ExtractVolumePatches", [numbers], attrs), [-1])
    patches = shaping.shape(op.outputs[0])
    patch_count = patches[1] * patches[2] * patches[3]
    g = shaping.reshape(densified(g), [batch, patch_count, size, channels])
    g = shaping.reshape(shaping.transpose(g, [1, 2, 0, 3]), [patch_count * size, batch * channels])
    sums = segment.unsorted_segment_sum(g, places, count + 1)[1:]
    sums = shaping.reshape(sums, [planes, rows, columns, batch, channels])
    result = shaping.transpose(sums, [3, 0, 1, 2, 4])
    result.set_shape(op.inputs[0].get_shape())
    return (result,)


register({"ExtractImagePatches": _extract_image_patches, "ExtractVolumePatches": _extract_volume_patches})
