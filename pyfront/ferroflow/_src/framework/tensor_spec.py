"""`TensorSpec`: the known properties of a tensor that does not exist yet."""

from __future__ import annotations

from typing import Any

import numpy as np

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

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> None:
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

    @property
    def _component_specs(self) -> list[Any]:
        return [self]

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


class BoundedTensorSpec(TensorSpec):
    """Shape, element type, name and bounds of a tensor.

    Args:
        shape: anything a `TensorShape` is made of.
        dtype: the element type.
        minimum: number, or array that broadcasts to the shape: the least value of each element.
        maximum: number, or array that broadcasts to the shape: the greatest value of each element.
        name: str, or None.

    Raises:
        ValueError: if a bound is None, or does not broadcast to the shape.

    Example:
        >>> spec = tf.contrib.framework.BoundedTensorSpec([2], tf.int32, 0, [3, 5])
        >>> print(spec.minimum, spec.maximum)
        0 [3 5]
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(self, shape: ShapeLike, dtype: DTypeLike, minimum: Any, maximum: Any, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError(f"minimum and maximum must be provided; but saw '{minimum}' and '{maximum}'")
        self._minimum, self._maximum = self._bound("minimum", minimum), self._bound("maximum", maximum)

    def _bound(self, name: str, value: Any) -> Any:
        try:
            sizes = [1 if size is None else size for size in self.shape.as_list()] if self.shape.ndims else []
            if self.shape.ndims is not None:
                np.broadcast_shapes(np.shape(value), tuple(sizes))
        except ValueError as error:
            raise ValueError(f"{name} is not compatible with shape. Message: {error!r}.") from error
        array = np.array(value, dtype=self.dtype.as_numpy_dtype)
        array.setflags(write=False)
        return array

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> BoundedTensorSpec:
        """Returns a copy of a spec; one without bounds gets those of its dtype.

        Args:
            spec: TensorSpec.
            name: str, the name of the copy; None for that of `spec`.

        Returns:
            BoundedTensorSpec.
        """
        least = getattr(spec, "minimum", spec.dtype.min)
        greatest = getattr(spec, "maximum", spec.dtype.max)
        return BoundedTensorSpec(spec.shape, spec.dtype, least, greatest, name or spec.name)

    @property
    def minimum(self) -> Any:
        """The least values, an array that cannot be written."""
        return self._minimum

    @property
    def maximum(self) -> Any:
        """The greatest values, an array that cannot be written."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self.minimum!r}, maximum={self.maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundedTensorSpec):
            return False
        return (
            bool(super().__eq__(other))
            and np.allclose(self.minimum, other.minimum)
            and np.allclose(self.maximum, other.maximum)
        )

    __hash__ = TensorSpec.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundedTensorSpec, (self._shape, self._dtype, self._minimum, self._maximum, self._name)
