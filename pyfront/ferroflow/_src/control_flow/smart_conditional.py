"""Conditionals whose condition may also be a variable, which has no value before a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import BoolLike
from ferroflow._src.control_flow import static_choice
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.handles import Tensor


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
    choose = cond if _is_variable(pred) else static_choice.smart_cond
    return choose(pred, true_fn, false_fn, name=name)


def smart_constant_value(pred: Any) -> bool | None:
    """Returns the value of a condition; None if only the step can compute it.

    Raises:
        TypeError: on the same conditions as `smart_cond`.
    """
    return None if _is_variable(pred) else static_choice.smart_constant_value(pred)


def _is_variable(pred: Any) -> bool:
    return not isinstance(pred, Tensor) and hasattr(pred, "initializer")
