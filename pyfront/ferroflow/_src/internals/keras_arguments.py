"""Small functions of Keras that libraries call: arguments of callables, lists, and tables of models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np


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
