"""Python's operators on ragged tensors: importing this module installs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.ops.math import arithmetic, comparison, elementwise
from ferroflow._src.ops.ragged.indexing import ragged_getitem
from ferroflow._src.ops.ragged.tensor import RaggedTensor

__all__: list[str] = []


def _reflected(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda y, x: op(x, y)


_REFLECTED: Final[dict[str, Callable[..., Any]]] = {
    "add": arithmetic.add,
    "and": comparison.logical_and,
    "div": arithmetic.div,
    "floordiv": arithmetic.floordiv,
    "mod": arithmetic.floormod,
    "mul": arithmetic.multiply,
    "or": comparison.logical_or,
    "pow": arithmetic.pow,
    "sub": arithmetic.subtract,
    "truediv": arithmetic.truediv,
    "xor": comparison.logical_xor,
}
_OTHERS: Final[dict[str, Callable[..., Any]]] = {
    "abs": elementwise.abs,
    "ge": comparison.greater_equal,
    "getitem": ragged_getitem,
    "gt": comparison.greater,
    "invert": elementwise.logical_not,
    "le": comparison.less_equal,
    "lt": comparison.less,
    "neg": elementwise.negative,
}


def _refuse_bool(ragged: RaggedTensor) -> bool:
    raise TypeError("RaggedTensor may not be used as a boolean.")


for _name, _op in _REFLECTED.items():
    setattr(RaggedTensor, f"__{_name}__", _op)
    setattr(RaggedTensor, f"__r{_name}__", _reflected(_op))
for _name, _op in _OTHERS.items():
    setattr(RaggedTensor, f"__{_name}__", _op)
setattr(RaggedTensor, "__bool__", _refuse_bool)  # noqa: B010 - mypy refuses the assignment
