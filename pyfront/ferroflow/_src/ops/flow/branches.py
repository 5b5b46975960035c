"""Conditionals for operations that are built below the layer of control flow, which provides them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.framework.tensor import Tensor

_providers: list[Callable[..., Any]] = []


def register_cond(function: Callable[..., Any]) -> None:
    """Sets the function that builds conditionals.

    Args:
        function: `tf.cond`.
    """
    _providers[:] = [function]


def cond(pred: Tensor, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """Returns the result of `true_fn()` if `pred` is True, else the result of `false_fn()`.

    Args:
        pred: Tensor of bool, of shape [].
        true_fn: makes the value, a nest of Tensors or an Operation, for a true `pred`.
        false_fn: as `true_fn`, for a false one: the same structure, with the same dtypes.
        name: str, name scope of the operations.

    Returns:
        The nest of Tensors that the branch taken returns; for Operations, the Tensor made of them.
    """
    return _providers[0](pred, true_fn, false_fn, name=name)
