"""Python's operators on tensors: importing this module installs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.slicing import slice_tensor
from ferroflow._src.ops.math import arithmetic, elementwise, linalg
from ferroflow._src.ops.sparse.arithmetic import sparse_dense_cwise_div, sparse_dense_cwise_mul, sparse_truediv

__all__: list[str] = []


def _op(op_type: str) -> Callable[..., Any]:
    def function(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
        return tensor_op(op_type, [x, y], name=name)

    return function


def _logical_or_bitwise(logical: str, bitwise: str) -> Callable[..., Any]:
    def function(x: Any, y: Any, name: str | None = None) -> Any:
        if x.dtype.base_dtype.is_integer:
            return tensor_op(bitwise, [x, y], name=name)
        if logical == "LogicalXor":
            with name_scope(name, values=[x, y]) as scope:
                either = tensor_op("LogicalOr", [x, y])
                not_both = tensor_op("LogicalNot", [tensor_op("LogicalAnd", [x, y])])
                return tensor_op("LogicalAnd", [either, not_both], name=scope)
        return tensor_op(logical, [x, y], name=name)

    return function


def _install(kind: type[Tensor | SparseTensor], operator: str, function: Callable[..., Any]) -> None:
    """Installs the function of an operator, given Python's name of it, in a class."""
    kind._override_operator(f"__{operator}__", function)


def _install_binary(operator: str, function: Callable[..., Any], is_one_node: bool) -> None:
    """Installs an operator and its reflection.

    Args:
        operator: str, Python's name of it, which is that of the node too.
        function: of two operands and a name.
        is_one_node: bool; True if the function adds only a node of that name, and converts the second operand to the
            dtype of the first. The names are then the same without a scope around it.
    """

    def scoped(x: Any, y: Any) -> Any:
        with name_scope(None, operator, [x, y]) as scope:
            if not isinstance(y, Tensor):
                y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            return function(x, y, name=scope)

    def left(x: TensorLike, y: TensorLike) -> Any:
        if isinstance(y, Tensor):
            return function(x, y, name=operator)
        if operator == "mul" and isinstance(y, SparseTensor):
            return sparse_dense_cwise_mul(y, x)
        try:
            return function(x, y, name=operator) if is_one_node else scoped(x, y)
        except TypeError:
            # The other object may define how to combine with a tensor.
            if hasattr(type(y), f"__r{operator}__"):
                return NotImplemented
            raise

    def right(y: Any, x: Any) -> Any:
        with name_scope(None, operator, [x, y]) as scope:
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return function(x, y, name=scope)

    left.__name__ = f"__{operator}__"
    right.__name__ = f"__r{operator}__"
    _install(Tensor, operator, left)
    _install(Tensor, f"r{operator}", right)


def _comparison(op_type: str) -> Callable[..., Any]:
    def function(x: TensorLike, y: TensorLike) -> Any:
        return tensor_op(op_type, [x, y])

    return function


def _invert(x: Any) -> Any:
    if x.dtype.base_dtype.is_integer:
        return elementwise.invert(x)
    return elementwise.logical_not(x)


_ONE_NODE = frozenset({"add", "sub", "mul", "mod"})

_BINARY: dict[str, Callable[..., Any]] = {
    "add": _op("Add"),
    "sub": _op("Sub"),
    "mul": _op("Mul"),
    "div": arithmetic.div,
    "truediv": arithmetic.truediv,
    "floordiv": arithmetic.floordiv,
    "mod": _op("FloorMod"),
    "pow": arithmetic.pow,
    "and": _logical_or_bitwise("LogicalAnd", "BitwiseAnd"),
    "or": _logical_or_bitwise("LogicalOr", "BitwiseOr"),
    "xor": _logical_or_bitwise("LogicalXor", "BitwiseXor"),
    "matmul": linalg.matmul,
}
for _operator, _function in _BINARY.items():
    _install_binary(_operator, _function, is_one_node=_operator in _ONE_NODE)

_UNARY_AND_COMPARISONS: dict[str, Callable[..., Any]] = {
    "lt": _comparison("Less"),
    "le": _comparison("LessEqual"),
    "gt": _comparison("Greater"),
    "ge": _comparison("GreaterEqual"),
    "neg": lambda x: tensor_op("Neg", [x]),
    "abs": elementwise.abs,
    "invert": _invert,
    "getitem": slice_tensor,
}
for _operator, _function in _UNARY_AND_COMPARISONS.items():
    _install(Tensor, _operator, _function)

_OF_SPARSE: dict[str, Callable[..., Any]] = {
    "mul": sparse_dense_cwise_mul,
    "div": sparse_dense_cwise_div,
    "truediv": sparse_truediv,
}
for _operator, _function in _OF_SPARSE.items():
    _install(SparseTensor, _operator, _function)
