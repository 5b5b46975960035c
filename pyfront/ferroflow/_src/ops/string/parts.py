"""Strings taken apart and put together."""

from __future__ import annotations

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_args, deprecated_argument_lookup
from ferroflow._src.base.typing import IntsLike, TensorLike, TensorLikes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping


@add_dispatch_support
def string_join(inputs: TensorLikes, separator: str = "", name: str | None = None) -> Tensor:
    """Joins the strings at equal places of several tensors.

    Args:
        inputs: list of Tensors of string, of one shape or of shape [].
        separator: str, the separator.
        name: str, name of the operation.

    Returns:
        Tensor of string.
    """
    return tensor_op("StringJoin", [inputs], {"separator": separator}, name=name)


@add_dispatch_support
@deprecated_args(reduction_indices="axis", keep_dims="keepdims")
def reduce_join(
    inputs: TensorLike,
    axis: IntsLike | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: IntsLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Joins the strings along dimensions.

    Args:
        inputs: Tensor of string.
        axis: Tensor of int32: the dimensions, joined in this order; None for all, last one first.
        keep_dims: the older name of `keepdims`.
        separator: str, the separator.
        name: str, name of the operation.
        reduction_indices: the older name of `axis`.
        keepdims: bool. If True, joined dimensions are kept, with size 1.

    Returns:
        Tensor of string, without the dimensions `axis`.

    Raises:
        ValueError: if an argument is given under both names.
    """
    if axis is not None and reduction_indices is not None:
        raise ValueError("Can't specify both 'axis' and 'reduction_indices'.")
    axis = deprecated_argument_lookup("axis", axis, "reduction_indices", reduction_indices)
    keep = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    with name_scope(name, "ReduceJoin", [inputs, axis]):
        inputs = convert_to_tensor(inputs)
        if axis is None:
            ndims = inputs.get_shape().ndims
            if ndims is not None:
                axis = constant(np.arange(ndims - 1, -1, -1), dtype=dtypes.int32)
            else:
                axis = making.range(shaping.rank(inputs) - 1, -1, -1)
        return tensor_op("ReduceJoin", [inputs, axis], {"keep_dims": keep, "separator": separator})


@add_dispatch_support
def substr(input: TensorLike, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Extracts a part of each string.

    Args:
        input: Tensor of string.
        pos: Tensor of int32 or int64: where the part begins; negative to count from the end.
        len: Tensor of the dtype and shape of `pos`: the most units of the part.
        name: str, name of the operation.
        unit: str, "BYTE" or "UTF8_CHAR".

    Returns:
        Tensor of string, of the shape that `input` and `pos` broadcast to.
    """
    return tensor_op("Substr", [input, pos, len], {"unit": unit}, name=name)


@add_dispatch_support
def string_strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Removes spaces, tabs and line ends at both ends of each string.

    Args:
        input: Tensor of string.
        name: str, name of the operation.

    Returns:
        Tensor of string.
    """
    return tensor_op("StringStrip", [input], name=name)


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Joins the strings of each segment.

    Args:
        inputs: Tensor of string, of shape [..., ...].
        segment_ids: Tensor of int32 or int64, whose shape is a prefix of that of `inputs`: the segment of each string
            or row; negative ones are left out.
        num_segments: Tensor of int32 or int64, of shape []: the number of segments.
        separator: str, between the strings of a segment.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [num_segments, ...].
    """
    return tensor_op("UnsortedSegmentJoin", [inputs, segment_ids, num_segments], {"separator": separator}, name=name)
