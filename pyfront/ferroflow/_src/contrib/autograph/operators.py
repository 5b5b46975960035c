"""Replacements of Python's operators, statements and functions in converted functions."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.autograph.control_flow import (
    Undefined as Undefined,
    for_stmt as for_stmt,
    if_exp as if_exp,
    if_stmt as if_stmt,
    while_stmt as while_stmt,
)
from ferroflow._src.contrib.autograph.side_effects import after as after, is_tensor
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.ops.array.making import range as range_in_graph
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.printing import print as print_in_graph
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, not_equal
from ferroflow._src.ops.math.elementwise import logical_not


def _boolean(value: Any) -> Any:
    return convert_to_tensor(value, dtype=dtypes.bool)


def returned(value: Any) -> Any:
    """Returns the result of a function, None if it ended without one."""
    return None if isinstance(value, Undefined) else value


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Returns `a and b`; in the graph, `b` is computed only if `a` is true."""
    first = a()
    return cond(first, lambda: _boolean(b()), lambda: _boolean(False)) if is_tensor(first) else first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Returns `a or b`; in the graph, `b` is computed only if `a` is false."""
    first = a()
    return cond(first, lambda: _boolean(True), lambda: _boolean(b())) if is_tensor(first) else first or b()


def not_(a: Any) -> Any:
    """Returns `not a`."""
    return logical_not(a) if is_tensor(a) else not a


def eq(a: Any, b: Any) -> Any:
    """Returns `a == b`; of tensors, whether the elements are equal."""
    return equal(a, b) if is_tensor(a) or is_tensor(b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """Returns `a != b`; of tensors, whether the elements differ."""
    return not_equal(a, b) if is_tensor(a) or is_tensor(b) else a != b


def assert_(condition: Any, message: Callable[[], Any]) -> None:
    """Asserts a condition: at once, or in the steps that compute the function's results."""
    if is_tensor(condition):
        after(lambda: Assert(condition, [message()]))
    elif not condition:
        raise AssertionError(message())


def _print(*values: Any, **options: Any) -> Any:
    return (print_in_graph if any(is_tensor(v) for v in values) else builtins.print)(*values, **options)


def _len(value: Any) -> Any:
    if not is_tensor(value):
        return builtins.len(value)
    static = value.shape[0].value if value.shape.ndims else None
    return shape_of(value)[0] if static is None else static


def _range(*bounds: Any) -> Any:
    if not any(is_tensor(b) for b in bounds):
        return builtins.range(*bounds)
    # As Python's, without elements if the end is below the start.
    if len(bounds) < 3:
        start, stop = bounds if len(bounds) == 2 else (0, *bounds)
        bounds = start, maximum(start, stop)
    return range_in_graph(*bounds)


def _int(*arguments: Any) -> Any:
    return cast(arguments[0], dtypes.int32) if arguments and is_tensor(arguments[0]) else int(*arguments)


def _float(*arguments: Any) -> Any:
    return cast(arguments[0], dtypes.float32) if arguments and is_tensor(arguments[0]) else float(*arguments)


# Python's functions that also take tensors in converted code.
BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.print: _print,
    builtins.len: _len,
    builtins.range: _range,
    builtins.int: _int,
    builtins.float: _float,
}
