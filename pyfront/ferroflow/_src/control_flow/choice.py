"""`case` and `switch_case`: of several branches the first whose predicate holds, or one by its number."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import ListLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less_equal, logical_or
from ferroflow._src.ops.math.reduction import reduce_sum

Function = Callable[[], Any]


def case(
    pred_fn_pairs: ListLike,
    default: Function | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Returns the result of the function of the first True predicate.

    Args:
        pred_fn_pairs: list of pairs, or dict, of bool scalar tensors and functions that return nests of tensors, all of
            one structure.
        default: the function for no predicate that holds; without it, one must hold.
        exclusive: If True, it is an error that several hold.
        strict: If True, a list of one tensor stays a list.
        name: name scope of the operations.

    Returns:
        The nest of tensors of the function that is taken: of the dtypes, and what the functions have in common of the
        shapes, that all of them give.

    Raises:
        TypeError: if an element is not a pair, a predicate is not a bool tensor, or a function is not callable.
        tf.errors.InvalidArgumentError: when the step runs, if no predicate holds without a default, or several hold
            with `exclusive`.
    """
    return chosen(functools.partial(cond, strict=strict), pred_fn_pairs, default, exclusive, name)


def chosen(
    choose: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Function | None,
    exclusive: bool,
    name: str,
    allow_python_preds: bool = False,
) -> Any:
    """Returns `case` made of conditionals that `choose(predicate, true_fn=..., false_fn=...)` makes."""
    predicates, functions = _checked(pred_fn_pairs, exclusive, name, allow_python_preds)
    if default is not None and not callable(default):
        raise TypeError("default must be callable.")
    with name_scope(name, "case", [p for p in predicates if isinstance(p, Tensor)]):
        function = default
        pairs = list(zip(predicates, functions, strict=True))
        if function is None:
            function = functools.partial(_last, list(predicates), functions[-1])
            pairs.pop()
        for predicate, action in reversed(pairs):
            function = functools.partial(choose, predicate, true_fn=action, false_fn=function)
        if not exclusive:
            return function()
        with control_dependencies([_assert_at_most(list(predicates), 1, "Input error: exclusive=True")]):
            return function()


def switch_case(
    branch_index: Any, branch_fns: ListLike, default: Function | None = None, name: str = "switch_case"
) -> Any:
    """Returns the result of the branch with a given number.

    Args:
        branch_index: int scalar tensor.
        branch_fns: list of functions that return nests of tensors with one structure; or pairs of a number and a
            function, or a dict of them. The numbers are 0 to n - 1.
        default: the function for a number that no branch has; without it, the branch of the greatest number.
        name: name scope of the operations.

    Returns:
        The nest of tensors that the branch taken returns, of the dtypes that all branches have. Static shapes are the
        parts that all branches have in common.

    Raises:
        TypeError: if the index is not an int tensor, an element is not a pair, a key is not an int, or a function is
            not callable.
        ValueError: if there are no branches, or their numbers leave some out.
    """
    functions = _checked_branches(branch_index, branch_fns)
    if default is not None:
        if not callable(default):
            raise TypeError("default must be callable.")
        functions.append(default)
    last = len(functions) - 1
    with name_scope(name, "switch_case", [branch_index]):
        outside = logical_or(branch_index < 0, branch_index > last)
        index = where(outside, constant(last, dtype=branch_index.dtype.base_dtype), branch_index)
        return _by_number(index, functions, 0)


def _by_number(index: Tensor, functions: Sequence[Function], first: int) -> Any:
    """Returns the branch of number `index` of those from `first` on, found by halves."""
    if len(functions) == 1:
        return functions[0]()
    half = len(functions) // 2
    return cond(
        index < first + half,
        lambda: _by_number(index, functions[:half], first),
        lambda: _by_number(index, functions[half:], first + half),
        strict=True,
    )


def _checked_branches(branch_index: Any, branch_fns: Any) -> list[Function]:
    """Returns the functions by number."""
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"branch_index must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"branch_index must be an integer Tensor, got {branch_index.dtype}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in branch_fns")
    if not isinstance(branch_fns, list | tuple | dict):
        raise TypeError("branch_fns must be a list, tuple, or dict")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if all(callable(function) for function in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in branch_fns must be a 2-tuple")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    by_number = dict(pairs)
    if len(by_number) < len(pairs) or by_number.keys() != set(range(len(pairs))):
        found = ",".join(str(key) for key in sorted(key for key, _ in pairs))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found {{{found}}}"
        )
    return [by_number[i] for i in range(len(pairs))]


def _checked(
    pred_fn_pairs: Any, exclusive: bool, name: str, allow_python_preds: bool
) -> tuple[Sequence[Tensor], Sequence[Function]]:
    if not isinstance(pred_fn_pairs, list | tuple | dict):
        raise TypeError("fns must be a list, tuple, or dict")
    if isinstance(pred_fn_pairs, collections.OrderedDict):
        pred_fn_pairs = list(pred_fn_pairs.items())
    elif isinstance(pred_fn_pairs, dict):
        if all(isinstance(predicate, Tensor) for predicate in pred_fn_pairs):
            pred_fn_pairs = sorted(pred_fn_pairs.items(), key=lambda pair: str(pair[0].name))
        else:
            # TF 1.x: predicates of Python come as they stand.
            pred_fn_pairs = list(pred_fn_pairs.items())
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
        if allow_python_preds and isinstance(predicate, bool):
            pass
        elif not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        elif predicate.dtype.base_dtype.name != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate.name} must be callable.")
    predicates, functions = zip(*pred_fn_pairs, strict=True)
    return predicates, functions


def _assert_at_most(predicates: list[Tensor], count: int, message: str) -> Any:
    """Returns an operation that fails where more than `count` predicates hold."""
    values = stack(predicates, name="preds_c")
    holding = reduce_sum(cast(values, "int32"), name="num_true_conds")
    names = ", ".join(p.name if isinstance(p, Tensor) else str(p) for p in predicates)
    data = [f"{message}: more than {count} conditions ({names}) evaluated as True:", values]
    return Assert(less_equal(holding, constant(count, name="n_true_conds")), data, summarize=len(predicates))


def _last(predicates: list[Tensor], function: Function) -> Any:
    """Returns the branch of the last predicate, which must hold if no other one does."""
    others = predicates[:-1]
    message = "Implementation error: the last action was called, but some of the other predicates are True"
    needs_one = ["Input error: None of conditions evaluated as True:", stack(predicates, name="preds_c")]
    checks = [Assert(predicates[-1], needs_one)]
    if others:
        checks.append(_assert_at_most(others, 0, message))
    with control_dependencies(checks):
        return function()
