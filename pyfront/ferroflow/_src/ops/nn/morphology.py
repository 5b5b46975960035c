"""Grayscale morphology: dilation and erosion of images by a structuring function."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import reverse
from ferroflow._src.ops.math.elementwise import negative


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Finds the largest sum of image and filter in each window: `max(image[y + dy, x + dx] + filter[dy, dx])`.

    Args:
        input: Tensor of a real number dtype, of shape [batch, height, width, channels].
        filter: Tensor of the dtype of `input`, of shape [rows, columns, channels].
        strides: list of 4 ints, how far windows lie apart in each dimension; 1 for batch and channels.
        rates: list of 4 ints, how far elements of a window lie apart in each dimension; 1 for batch and channels.
        padding: "SAME" or "VALID".
        name: str, name of the operation.
        filters: the newer name of `filter`.
        dilations: the newer name of `rates`.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, out_height, out_width, channels].

    Raises:
        ValueError: if the channels differ, sizes are not positive, or a window does not fit.
    """
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    rates = deprecated_argument_lookup("dilations", dilations, "rates", rates)
    attrs = {"strides": strides, "rates": rates, "padding": padding}
    return tensor_op("Dilation2D", [input, filter], attrs, name=name)


def erosion2d(
    value: TensorLike, kernel: TensorLike, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """Finds the smallest difference of image and kernel in each window, the dual of `dilation2d`.

    Args:
        value: Tensor of a real number dtype, of shape [batch, height, width, channels].
        kernel: Tensor of the dtype of `value`, of shape [rows, columns, channels].
        strides: list of 4 ints, how far windows lie apart in each dimension; 1 for batch and channels.
        rates: list of 4 ints, how far elements of a window lie apart in each dimension; 1 for batch and channels.
        padding: "SAME" or "VALID".
        name: str, name of the dilation that it is made of.

    Returns:
        Tensor of the dtype of `value`, of shape [batch, out_height, out_width, channels].

    Raises:
        ValueError: if the channels differ, sizes are not positive, or a window does not fit.
    """
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        turned = negative(value)
        reflected = reverse(kernel, [0, 1])
        attrs = {"strides": strides, "rates": rates, "padding": padding}
        result: Tensor = negative(tensor_op("Dilation2D", [turned, reflected], attrs, name=scope))
        return result
