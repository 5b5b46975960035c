"""Conditionals that are decided while the graph is built, if their predicates are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.control_flow.choice import chosen
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.handles import Tensor, known_value


def smart_constant_value(pred: Any) -> bool | None:
    """Returns the value of a predicate where the graph alone decides it, else None.

    Args:
        pred: bool scalar tensor, Python bool, 0 or 1.

    Returns:
        bool, or None if only a step can compute it.

    Raises:
        TypeError: if `pred` is neither a Tensor nor a bool, 0 or 1.
    """
    if isinstance(pred, Tensor):
        # TF 1.15: the engine evaluates what `constant_value` does not.
        known = constant_value(pred)
        known = known_value(pred) if known is None else known
        return None if known is None else bool(known)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {pred}")


def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the result of `true_fn` or `false_fn`; makes a conditional only if `pred` is unknown when the graph is
    built.

    Args:
        pred: bool scalar tensor, Python bool, 0 or 1.
        true_fn: makes the value, a nest of tensors, for a true `pred`.
        false_fn: as `true_fn`, for a false one.
        name: name scope of the operations of a conditional.

    Returns:
        The result of the function called; for a conditional, the nest of tensors of the dtypes that both return.

    Raises:
        TypeError: if a function is not callable, or `pred` is neither a Tensor nor a bool, 0 or 1.
    """
    if not callable(true_fn):
        raise TypeError("`true_fn` must be callable.")
    if not callable(false_fn):
        raise TypeError("`false_fn` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()


def smart_case(
    pred_fn_pairs: ListLike, default: Callable[[], Any] | None = None, exclusive: bool = False, name: str = "smart_case"
) -> Any:
    """Returns the result of the first True predicate's function; makes conditionals only for predicates that are
    unknown.

    Args:
        pred_fn_pairs: list of pairs, or dict, of predicates (bool scalar tensors or Python bools) and functions that
            return nests of tensors, all of one structure.
        default: the function for no predicate that holds; without it, one must hold.
        exclusive: If True, it is an error that several hold.
        name: name scope of the operations.

    Returns:
        The result of the function called; for conditionals, the nest of tensors of the dtypes that all return.

    Raises:
        TypeError: if an element is not a pair of a predicate and a callable.
    """
    return chosen(smart_cond, pred_fn_pairs, default, exclusive, name, allow_python_preds=True)
