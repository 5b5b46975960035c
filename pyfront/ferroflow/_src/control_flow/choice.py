"""`case`: of several branches the first whose predicate holds."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less_equal
from ferroflow._src.ops.math.reduction import reduce_sum

Function = Callable[[], Any]


def case(
    pred_fn_pairs: Any,
    default: Function | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first predicate that holds returns.

    Args:
      pred_fn_pairs: list of pairs, or dict, of bool scalar tensors and functions that return nests of tensors, all of
        one structure.
      default: the function for no predicate that holds; without it, one must hold.
      exclusive: whether it is an error that several hold.
      strict: whether a list of one tensor stays a list.
      name: name scope of the operations.

    Raises:
      TypeError: something is no pair, no bool tensor or not callable.
      tf.errors.InvalidArgumentError: in the step, for predicates that must not hold or hold together.
    """
    predicates, functions = _checked(pred_fn_pairs, exclusive, name)
    if default is not None and not callable(default):
        raise TypeError("default must be callable.")
    with name_scope(name, "case", list(predicates)):
        function = default
        pairs = list(zip(predicates, functions, strict=True))
        if function is None:
            function = functools.partial(_last, list(predicates), functions[-1])
            pairs.pop()
        for predicate, action in reversed(pairs):
            function = functools.partial(cond, predicate, true_fn=action, false_fn=function, strict=strict)
        if not exclusive:
            return function()
        with control_dependencies([_assert_at_most(list(predicates), 1, "Input error: exclusive=True")]):
            return function()


def _checked(pred_fn_pairs: Any, exclusive: bool, name: str) -> tuple[Sequence[Tensor], Sequence[Function]]:
    if not isinstance(pred_fn_pairs, list | tuple | dict):
        raise TypeError("fns must be a list, tuple, or dict")
    if isinstance(pred_fn_pairs, collections.OrderedDict):
        pred_fn_pairs = list(pred_fn_pairs.items())
    elif isinstance(pred_fn_pairs, dict):
        pred_fn_pairs = sorted(pred_fn_pairs.items(), key=lambda pair: str(pair[0].name))
        if not exclusive:
            tf_logging.warning(
                "%s: An unordered dictionary of predicate/fn pairs was provided, but exclusive=False. The order of "
                "conditional tests is deterministic but not guaranteed.",
                name,
            )
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype.base_dtype.name != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate.name} must be callable.")
    predicates, functions = zip(*pred_fn_pairs, strict=True)
    return predicates, functions


def _assert_at_most(predicates: list[Tensor], count: int, message: str) -> Any:
    """An operation that fails where more than `count` predicates hold."""
    values = stack(predicates, name="preds_c")
    holding = reduce_sum(cast(values, "int32"), name="num_true_conds")
    names = ", ".join(p.name for p in predicates)
    data = [f"{message}: more than {count} conditions ({names}) evaluated as True:", values]
    return Assert(less_equal(holding, constant(count, name="n_true_conds")), data, summarize=len(predicates))


def _last(predicates: list[Tensor], function: Function) -> Any:
    """The branch of the last predicate, which must hold where no other one does."""
    others = predicates[:-1]
    message = "Implementation error: the last action was called, but some of the other predicates are True"
    needs_one = ["Input error: None of conditions evaluated as True:", stack(predicates, name="preds_c")]
    checks = [Assert(predicates[-1], needs_one)]
    if others:
        checks.append(_assert_at_most(others, 0, message))
    with control_dependencies(checks):
        return function()
