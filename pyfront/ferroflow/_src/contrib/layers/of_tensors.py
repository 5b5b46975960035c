"""Summaries of tensors by their kind: numbers, activations, tensors of a collection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater, less
from ferroflow._src.ops.math.reduction import reduce_mean
from ferroflow._src.summary.values import histogram, scalar

_Summarizer = Callable[[Any], Any]


def summarize_activation(op: Tensor) -> Tensor:
    """Returns a summary of an activation: its values, and the fraction at an end of its range.

    Args:
        op: Tensor of a real number dtype, of any shape; for Relu, Relu6 and Softplus, also the fractions at the
            limits.

    Returns:
        Tensor of string, of shape []: the summary of the values.
    """
    kind, title = op.op.type, op.op.name
    if kind in ("Relu", "Softplus", "Relu6"):
        before = op.op.inputs[0]
        below = cast(less(before, cast(0.0, before.dtype)), dtypes.float32)
        scalar(f"{title}/zeros", reduce_mean(below))
        if kind == "Relu6":
            above = cast(greater(before, cast(6.0, before.dtype)), dtypes.float32)
            scalar(f"{title}/sixes", reduce_mean(above))
    return histogram(f"{title}/activation", op)


def summarize_tensor(tensor: Any, tag: str | None = None) -> Tensor | None:
    """Returns a summary of a tensor: a number as a scalar, others as a histogram.

    Args:
        tensor: Tensor or Variable of any dtype and shape.
        tag: str, the tag; None for the name of the operation with "_summary".

    Returns:
        Tensor of string, of shape []; None for strings and bools.
    """
    if tensor.dtype.base_dtype in (dtypes.string, dtypes.bool):
        return None
    tag = tag or f"{tensor.op.name}_summary"
    value = convert_to_tensor(tensor)
    return scalar(tag, value) if tensor.get_shape().ndims == 0 else histogram(tag, value)


def summarize_tensors(tensors: Iterable[Any], summarizer: _Summarizer = summarize_tensor) -> list[Any]:
    """Returns summaries of tensors.

    Args:
        tensors: iterable of Tensors of any dtype and shape.
        summarizer: callable of a Tensor to its summary.

    Returns:
        list of the summarizer's results.
    """
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: _Summarizer = summarize_tensor
) -> list[Any]:
    """Returns summaries of the tensors of a collection.

    Args:
        collection: str, the collection's key.
        name_filter: str, a regular expression that the names of tensors match from their start; None for all.
        summarizer: callable of a Tensor to its summary.

    Returns:
        list of the summarizer's results.
    """
    found = [x for x in get_collection(collection) if name_filter is None or re.match(name_filter, x.op.name)]
    return summarize_tensors(found, summarizer)


def summarize_variables(name_filter: str | None = None, summarizer: _Summarizer = summarize_tensor) -> list[Any]:
    """Returns summaries of the variables.

    Args:
        name_filter: str, as `summarize_collection`.
        summarizer: callable, as `summarize_collection`.

    Returns:
        list of the summarizer's results.
    """
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(name_filter: str | None = None, summarizer: _Summarizer = summarize_tensor) -> list[Any]:
    """Returns summaries of the tensors of `GraphKeys.WEIGHTS`.

    Args:
        name_filter: str, as `summarize_collection`.
        summarizer: callable, as `summarize_collection`.

    Returns:
        list of the summarizer's results.
    """
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(name_filter: str | None = None, summarizer: _Summarizer = summarize_tensor) -> list[Any]:
    """Returns summaries of the tensors of `GraphKeys.BIASES`.

    Args:
        name_filter: str, as `summarize_collection`.
        summarizer: callable, as `summarize_collection`.

    Returns:
        list of the summarizer's results.
    """
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)


def summarize_activations(name_filter: str | None = None, summarizer: _Summarizer = summarize_activation) -> list[Any]:
    """Returns summaries of the tensors of `GraphKeys.ACTIVATIONS`.

    Args:
        name_filter: str, as `summarize_collection`.
        summarizer: callable, as `summarize_collection`.

    Returns:
        list of the summarizer's results.
    """
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
