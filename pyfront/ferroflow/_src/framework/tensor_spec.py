"""`TensorSpec`: the known properties of a tensor that does not exist yet."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.type_spec import TypeSpec


class TensorSpec(TypeSpec):
    """Shape, element type and name of a tensor.

    Args:
        shape: anything a `TensorShape` is made of.
        dtype: the element type.
        name: str, or None.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """Returns a copy of a spec.

        Args:
            spec: TensorSpec.
            name: str, the name of the copy; None for that of `spec`.

        Returns:
            TensorSpec.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Returns the specification of a tensor: its dtype, shape and name.

        Args:
            tensor: Tensor of any dtype and shape.
            name: str; None for the name of the operation.

        Returns:
            TensorSpec.
        """
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Returns True if types and shapes agree as far as both are known.

        Args:
            spec_or_tensor: TensorSpec or Tensor of any dtype and shape.

        Returns:
            bool.
        """
        return (
            isinstance(spec_or_tensor, (TensorSpec, Tensor))
            and self._dtype.is_compatible_with(spec_or_tensor.dtype)
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    @property
    def value_type(self) -> type[Any]:
        """The Python type of the values."""
        return Tensor

    def most_specific_compatible_type(self, other: Any) -> TensorSpec:
        """Returns the narrowest specification that two specifications are compatible with.

        Args:
            other: TensorSpec.

        Returns:
            TensorSpec; its name is None if the names differ.

        Raises:
            ValueError: if the types differ.
        """
        if type(self) is not type(other) or self._dtype != other.dtype:
            raise ValueError(f"Types are not compatible: {self!r} vs {other!r}")
        name = self._name if self._name == other.name else None
        return TensorSpec(self._shape.most_specific_compatible_shape(other.shape), self._dtype, name)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
