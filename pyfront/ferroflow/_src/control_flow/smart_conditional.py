"""`smart_cond`: a conditional that builds only one branch if its condition is known when the graph is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base.typing import BoolLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.tensor import Tensor


def smart_cond(pred: BoolLike, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """Calls one of two functions where the condition is known, else makes a `tf.cond` of both.

    Args:
        pred: bool, 0 or 1, or Tensor or Variable of bool of shape [].
        true_fn: callable without arguments, for a true condition.
        false_fn: callable without arguments, for a false one.
        name: str, the name of the conditional.

    Returns:
        The result of the function called, or of `tf.cond`.

    Raises:
        TypeError: if a function is not callable, or the condition is neither a Tensor nor a bool, 0 or 1.
    """
    if not callable(true_fn):
        raise TypeError("`true_fn` must be callable.")
    if not callable(false_fn):
        raise TypeError("`false_fn` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def smart_constant_value(pred: Any) -> bool | None:
    """Returns the value of a condition; None if only the step can compute it.

    Raises:
        TypeError: on the same conditions as `smart_cond`.
    """
    if isinstance(pred, (bool, np.bool_)) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    if isinstance(pred, Tensor):
        known = constant_value(pred)
        return None if known is None else bool(known)
    if hasattr(pred, "initializer"):  # a variable has no value before the step
        return None
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {pred}")
