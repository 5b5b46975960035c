"""`assert_shapes`: a check that tensors have shapes with common sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base.typing import TensorLikes
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow.checking import Assert, assert_rank, assert_rank_at_least, assert_rank_in
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.comparison import equal


class _Constraint(NamedTuple):
    """The sizes that a tensor must have; `leading` is True if more dimensions may come before them."""

    tensor: Tensor
    sizes: tuple[Any, ...]
    leading: bool


class _Specified(NamedTuple):
    """The size that a symbol stands for, and the tensor and dimension that it came from."""

    size: Any
    tensor: Tensor
    dimension: int


def assert_shapes(
    shapes: Any,
    data: TensorLikes | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an operation that fails unless tensors have shapes with common sizes.

    Args:
        shapes: dict from Tensors, of any dtype, to shapes, or list of such pairs. A size is an int, a symbol that
            stands for one size in all shapes, or None or "." for any. A first size of "..." or "*" stands for any
            number of dimensions. A shape of None is not checked.
        data: list of Tensors that the error shows; None for the symbol, the size and the shape.
        summarize: int, how many elements of each are shown; None for 3.
        message: str, the beginning of the error's text.
        name: str, name scope of the operations.

    Returns:
        Operation.

    Raises:
        ValueError: if a shape is not iterable, "..." is not the first size, or known sizes differ.
    """
    pairs = list(shapes.items() if isinstance(shapes, Mapping) else shapes)
    text = message or ""
    with name_scope(name, "assert_shapes", [pairs, data]):
        constraints = [_constraint(convert_to_tensor(x), shape, text) for x, shape in pairs if shape is not None]
        ranks = [c for c in (_rank_check(c, data, summarize, text) for c in constraints) if c is not None]
        checks: list[Operation] = []
        specified: dict[Any, _Specified] = {}
        for constraint in constraints:
            checks += _size_checks(constraint, specified, data, summarize, text)
        with control_dependencies(ranks):
            return group(checks)


def _constraint(tensor: Tensor, shape: Any, message: str) -> _Constraint:
    if not isinstance(shape, Iterable) and not hasattr(shape, "__getitem__"):
        raise ValueError(
            f"{message}.  Tensor {tensor.name}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {shape}"
        )
    sizes = tuple(shape)
    for i, size in enumerate(sizes):
        if i > 0 and _is_rest(size):
            raise ValueError(
                f"{message}.  Tensor {tensor.name} specified shape index {i}.  Symbol `...` or `*` for a variable "
                "number of unspecified dimensions is only allowed as the first entry"
            )
    leading = bool(sizes) and _is_rest(sizes[0])
    return _Constraint(tensor, sizes[1:] if leading else sizes, leading)


def _is_rest(size: Any) -> bool:
    return size is Ellipsis or (isinstance(size, str) and size == "*")


def _rank_check(constraint: _Constraint, data: Any, summarize: int | None, message: str) -> Operation | None:
    rank = len(constraint.sizes)
    if constraint.leading:
        if rank < 2:
            return None
        return assert_rank_at_least(constraint.tensor, rank, data, summarize, message)
    if rank < 2:
        # TF 1.x: a scalar may stand for a vector of one element.
        return assert_rank_in(constraint.tensor, [0, 1], data, summarize, message)
    return assert_rank(constraint.tensor, rank, data, summarize, message)


def _size_checks(
    constraint: _Constraint,
    specified: dict[Any, _Specified],
    data: Any,
    summarize: int | None,
    message: str,
) -> list[Operation]:
    tensor, sizes, leading = constraint
    checks = []
    for i, symbol in enumerate(sizes):
        if symbol is None or symbol == ".":
            continue
        dimension = i - len(sizes) if leading else i
        expected: Any = _as_int(symbol)
        known = specified.get(symbol)
        if expected is None and known is None:
            specified[symbol] = _Specified(_size(tensor, dimension), tensor, dimension)
            continue
        source = "Specified explicitly"
        if expected is None and known is not None:
            expected = known.size
            source = f"Specified by tensor {known.tensor.name} dimension {known.dimension}"
        actual = _size(tensor, dimension)
        if isinstance(actual, Tensor) or isinstance(expected, Tensor):
            shown = data
            if data is None:
                about = [message, source, f"Tensor {tensor.name} dimension", dimension, "must have size", expected]
                shown = [*about, "Received shape: ", shaping.shape(tensor)]
            condition = equal(convert_to_tensor(actual), convert_to_tensor(expected))
            check = Assert(condition, shown, summarize=summarize)
            checks.append(check if isinstance(check, Operation) else check.op)
        elif actual != expected:
            raise ValueError(
                f"{message}.  {source}.  Tensor {tensor.name} dimension {dimension} must have size {expected}.  "
                f"Received size {actual}, shape {tensor.get_shape()}"
            )
    return checks


def _as_int(symbol: Any) -> int | None:
    """Returns the size that an int or a text of digits is; None for a symbol."""
    try:
        return int(symbol)
    except (TypeError, ValueError):
        return None


def _size(tensor: Tensor, dimension: int) -> Any:
    """Returns the size of a dimension: an int if it is known, else a Tensor of int32; 1 of a scalar."""
    shape = tensor.get_shape()
    if shape.ndims == 0:
        return 1
    known = None if shape.ndims is None else shape.as_list()[dimension]
    return shaping.shape(tensor)[dimension] if known is None else known
