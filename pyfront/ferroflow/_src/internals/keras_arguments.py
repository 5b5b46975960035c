"""Small functions of Keras that libraries call: arguments of callables, lists, batches, sizes, tables of models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers.space import normalize_data_format, op_data_format, transposed_output_length


def has_arg(fn: Callable[..., Any], name: str, accept_all: bool = False) -> bool:
    """Returns True if a callable has an argument of a name.

    Args:
        fn: callable.
        name: str, the argument's name.
        accept_all: bool. If True, a callable with `**kwargs` has every argument.
    """
    parameters = inspect.signature(fn).parameters
    if accept_all and any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return True
    found = parameters.get(name)
    return found is not None and found.kind in (found.POSITIONAL_OR_KEYWORD, found.KEYWORD_ONLY)


def to_list(x: Any) -> list[Any]:
    """Returns a list itself, or a list of a single object."""
    return x if isinstance(x, list) else [x]


def count_params(weights: Iterable[Any]) -> int:
    """Returns the number of elements of variables, each counted once.

    Args:
        weights: iterable of Variables of known shapes.
    """
    different = {id(weight): weight for weight in weights}.values()
    return int(sum(np.prod(weight.get_shape().as_list()) for weight in different))


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
) -> None:
    """Prints a table of a model's layers; arguments and errors are those of `Model.summary`."""
    model.summary(line_length, positions, print_fn)


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """Returns the number of places of a convolution's output along a dimension.

    Args:
        input_length: int, the input's number of places, or None.
        filter_size: int, the filter's number of places.
        padding: "same", "valid", "full" or "causal".
        stride: int, places between two windows.
        dilation: int, places between two elements of the filter.

    Returns:
        int, or None if `input_length` is None.

    Raises:
        ValueError: if `padding` is unknown.
    """
    if padding not in ("same", "valid", "full", "causal"):
        raise ValueError(f"padding must be 'same', 'valid', 'full' or 'causal', found {padding!r}")
    if input_length is None:
        return None
    extent = (filter_size - 1) * dilation
    more = {"same": 0, "causal": 0, "valid": -extent, "full": extent}[padding]
    return (input_length + more + stride - 1) // stride


def convert_data_format(data_format: str, ndim: int) -> str:
    """Returns the data format of operations on tensors, such as "NHWC".

    Args:
        data_format: str, "channels_last" or "channels_first".
        ndim: int, the tensors' number of dimensions, from 3 to 5.

    Raises:
        ValueError: if an argument is not one of the listed values.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Invalid data_format:", data_format)
    if not 3 <= ndim <= 5:
        raise ValueError("Input rank not supported:", ndim)
    return op_data_format(data_format, ndim - 2)


def conv_input_length(output_length: int | None, filter_size: int, padding: str, stride: int) -> int | None:
    """Returns the number of places of a convolution's input along a dimension.

    Args:
        output_length: int, the output's number of places, or None.
        filter_size: int, the filter's number of places.
        padding: "same", "valid" or "full".
        stride: int, the distance between two places of the filter.

    Returns:
        int; None for None.
    """
    if output_length is None:
        return None
    added = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * added + filter_size


def deconv_output_length(input_length: int | None, filter_size: int, padding: str, stride: int) -> int | None:
    """Returns the number of places of a transposed convolution's output along a dimension.

    Args:
        input_length: int, the input's number of places, or None.
        filter_size: int, the filter's number of places.
        padding: "same", "valid" or "full".
        stride: int, the distance between two places of the filter.

    Returns:
        int; None for None.
    """
    if padding == "full" and input_length is not None:
        return input_length * stride - (stride + filter_size - 2)
    length: int | None = transposed_output_length(input_length, filter_size, padding, stride)
    return length


def static_shape(x: Any) -> tuple[int | None, ...] | None:
    """Returns the shape of a tensor as far as the graph determines it; None for None, or if its rank is unknown."""
    shape = None if x is None else x.get_shape()
    return None if shape is None or shape.ndims is None else tuple(shape.as_list())


def normalize_keras_data_format(value: str | None) -> str:
    """Returns "channels_last" or "channels_first", in lower case.

    Args:
        value: str; None for `tf.keras.backend.image_data_format()`.

    Raises:
        ValueError: if the value is not one of the listed values.
    """
    return normalize_data_format(image_data_format() if value is None else value)


def make_batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """Returns the first and last index of each batch, without the last one itself.

    Args:
        size: int, the number of examples.
        batch_size: int, that of a batch; the last batch may have fewer.
    """
    return [(start, min(size, start + batch_size)) for start in range(0, size, batch_size)]


def validate_kwargs(
    kwargs: Iterable[str], allowed_kwargs: Iterable[str], error_message: str = "Keyword argument not understood:"
) -> None:
    """Checks the names of arguments.

    Args:
        kwargs: iterable of str, the names.
        allowed_kwargs: container of str, those that are known.
        error_message: str, the error's message.

    Raises:
        TypeError: if a name is not known.
    """
    known = set(allowed_kwargs)
    for name in kwargs:
        if name not in known:
            raise TypeError(error_message, name)
