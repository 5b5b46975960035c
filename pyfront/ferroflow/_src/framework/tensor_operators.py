"""`TensorOperators`: the names and types of the operators on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ferroflow._src.base.typing import TensorLike

_Tensor = TypeVar("_Tensor", bound="TensorOperators")


class TensorOperators:
    """Base class of `Tensor`: its operators, whose functions the ops layer installs."""

    __slots__ = ()

    # NumPy must leave binary operators with a Tensor on the right to the Tensor.
    __array_priority__ = 100

    # The ops layer installs their functions with `_override_operator`.
    OVERLOADABLE_OPERATORS: ClassVar[set[str]] = set(
        f"__{name}__"
        for name in [
            "add",
            "radd",
            "sub",
            "rsub",
            "mul",
            "rmul",
            "div",
            "rdiv",
            "truediv",
            "rtruediv",
            "floordiv",
            "rfloordiv",
            "mod",
            "rmod",
            "lt",
            "le",
            "gt",
            "ge",
            "and",
            "rand",
            "or",
            "ror",
            "xor",
            "rxor",
            "getitem",
            "pow",
            "rpow",
            "invert",
            "neg",
            "abs",
            "matmul",
            "rmatmul",
        ]
    )

    if TYPE_CHECKING:

        def __add__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __radd__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __sub__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rsub__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __mul__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rmul__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __truediv__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rtruediv__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __floordiv__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rfloordiv__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __mod__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rmod__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __pow__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rpow__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __matmul__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rmatmul__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __and__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rand__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __or__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __ror__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __xor__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __rxor__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __lt__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __le__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __gt__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __ge__(self: _Tensor, other: TensorLike) -> _Tensor: ...
        def __neg__(self: _Tensor) -> _Tensor: ...
        def __invert__(self: _Tensor) -> _Tensor: ...
        def __abs__(self: _Tensor) -> _Tensor: ...
        def __getitem__(self: _Tensor, key: Any) -> _Tensor: ...

    @classmethod
    def _override_operator(cls, operator: str, function: Callable[..., Any]) -> None:
        """Installs an operator's function.

        Raises:
            ValueError: if the operator is installed already or may not be.
        """
        if operator not in cls.OVERLOADABLE_OPERATORS:
            raise ValueError(f"Overriding {operator} is disallowed")
        if operator in cls.__dict__:
            raise ValueError(f"operator {operator} cannot be overwritten again on class {cls}.")
        setattr(cls, operator, function)
