"""`conv_transpose`: the transpose of a convolution along one to three dimensions."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.nn.conv import conv1d_transpose, conv2d_transpose, conv3d_transpose

_BY_DIMENSIONS: tuple[tuple[Any, str], ...] = (
    (conv1d_transpose, "NWC"),
    (conv2d_transpose, "NHWC"),
    (conv3d_transpose, "NDHWC"),
)


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: IntsLike,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of a convolution along one, two or three dimensions.

    Args:
        input: Tensor of a float dtype, of shape [batch, ..., channels], or as `data_format` says.
        filters: Tensor of that dtype, of shape [..., output channels, input channels].
        output_shape: Tensor of int32, of shape [n], or list of ints: the shape of the result, with n from 3 to 5.
        strides: int, or list of ints: the distances between windows.
        padding: str, "SAME" or "VALID".
        data_format: str, the order of dimensions; None for channels last.
        dilations: int, or list of ints: the distances between the elements of filters; None for 1.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `input`, of shape `output_shape`.

    Raises:
        ValueError: if `output_shape` is neither a Tensor nor sized, or not of 3 to 5 elements; also on the same
            conditions as `conv2d_transpose`.
    """
    with name_scope(name, "conv_transpose", [input, filters, output_shape]) as scope:
        if isinstance(output_shape, Tensor):
            rank = output_shape.shape.as_list()[0] or 0
        elif isinstance(output_shape, Sized):
            rank = len(output_shape)
        else:
            raise ValueError("output_shape must be a tensor or sized collection.")
        if not 3 <= rank <= 5:
            raise ValueError(f"output_shape must be of length 3, 4 or 5 but was {rank}.")
        transpose, order = _BY_DIMENSIONS[rank - 3]
        result: Tensor = transpose(
            input=input,
            filters=filters,
            output_shape=output_shape,
            strides=strides,
            padding=padding,
            data_format=data_format or order,
            dilations=dilations,
            name=scope,
        )
        return result
