"""Summaries of tensors under names with prefixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.default_graph import add_to_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.flow.printing import Print
from ferroflow._src.ops.nn.normalization import zero_fraction
from ferroflow._src.summary.values import histogram, image, scalar


def _summary_name(tensor: Any, name: str | None, prefix: str | None, postfix: str | None = None) -> str:
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _each(
    tensors: Iterable[Any], prefix: str | None, add: Callable[[Any, str | None, str | None], Tensor]
) -> list[Tensor]:
    return [add(tensor, None, prefix) for tensor in tensors]


def add_histogram_summary(tensor: TensorLike, name: str | None = None, prefix: str | None = None) -> Tensor:
    """Adds a histogram of a tensor to the summaries.

    Args:
        tensor: Tensor of a real dtype, of any shape.
        name: str; None for the name of the tensor's operation.
        prefix: str before the name, joined by a slash.

    Returns:
        Tensor of string, of shape [].
    """
    return histogram(_summary_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """Adds images to the summaries.

    Args:
        tensor: Tensor of uint8 or float32, [batch, height, width, 1, 3 or 4].
        name: str; None for the name of the tensor's operation.
        prefix: str before the name, joined by a slash.
        print_summary: bool. If True, steps that compute the summary print the tensor.

    Returns:
        Tensor of string, of shape [].
    """
    return _printed(image, tensor, _summary_name(tensor, name, prefix), print_summary)


def add_scalar_summary(
    tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """Adds a number to the summaries.

    Args:
        tensor: Tensor of a real dtype, of shape [].
        name: str; None for the name of the tensor's operation.
        prefix: str before the name, joined by a slash.
        print_summary: bool. If True, steps that compute the summary print the number.

    Returns:
        Tensor of string, of shape [].
    """
    return _printed(scalar, tensor, _summary_name(tensor, name, prefix), print_summary)


def _printed(add: Callable[..., Tensor], tensor: Any, name: str, print_summary: bool) -> Tensor:
    if not print_summary:
        return add(name, tensor)
    printed = Print(add(name, tensor, collections=[]), [tensor], name)
    add_to_collection(GraphKeys.SUMMARIES, printed)
    return printed


def add_zero_fraction_summary(
    tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """Adds the share of zeros among the elements of a tensor to the summaries.

    Args:
        tensor: Tensor of a numeric dtype, of any shape.
        name: str; None for the name of the tensor's operation. The postfix "Fraction of Zero Values" follows.
        prefix: str before the name, joined by a slash.
        print_summary: bool. If True, steps that compute the summary print the share.

    Returns:
        Tensor of string, of shape [].
    """
    full_name = _summary_name(tensor, name, prefix, "Fraction of Zero Values")
    return add_scalar_summary(zero_fraction(tensor), full_name, print_summary=print_summary)


def add_histogram_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Tensor]:
    """Adds histograms of tensors to the summaries.

    Args:
        tensors: iterable of Tensors of real dtypes, of any shapes.
        prefix: str before their names, joined by a slash.

    Returns:
        list of Tensors of string, of shape [].
    """
    return _each(tensors, prefix, add_histogram_summary)


def add_image_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Tensor]:
    """Adds batches of images to the summaries.

    Args:
        tensors: iterable of Tensors of uint8 or float32, [batch, height, width, 1, 3 or 4].
        prefix: str before their names, joined by a slash.

    Returns:
        list of Tensors of string, of shape [].
    """
    return _each(tensors, prefix, add_image_summary)


def add_scalar_summaries(
    tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Tensor]:
    """Adds numbers to the summaries.

    Args:
        tensors: iterable of Tensors of real dtypes, of shape [].
        prefix: str before their names, joined by a slash.
        print_summary: bool. If True, steps that compute the summaries print the numbers.

    Returns:
        list of Tensors of string, of shape [].
    """
    return _each(tensors, prefix, lambda t, name, before: add_scalar_summary(t, name, before, print_summary))


def add_zero_fraction_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Tensor]:
    """Adds the shares of zeros among the elements of tensors to the summaries.

    Args:
        tensors: iterable of Tensors of numeric dtypes, of any shapes.
        prefix: str before their names, joined by a slash.

    Returns:
        list of Tensors of string, of shape [].
    """
    return _each(tensors, prefix, add_zero_fraction_summary)
