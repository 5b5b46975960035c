"""`TypeSpec`: the base of descriptions of values, such as `TensorSpec`."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape


class TypeSpec(abc.ABC):
    """Description of a kind of values; a subclass defines `value_type` and `_serialize`."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def value_type(self) -> type[Any]:
        """The Python type of the values."""

    @abc.abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """Returns the arguments of the constructor."""

    @property
    def _component_specs(self) -> list[Any]:
        """The descriptions of the tensors that a value consists of; only kinds that loops carry have them."""
        raise NotImplementedError(f"{type(self).__name__} has no description of the tensors of its values")

    @classmethod
    def _of_value(cls, value: Any) -> TypeSpec:
        """Returns the description of a value; a subclass overrides it for its values.

        Raises:
            TypeError: if `value` has no description of this class.
        """
        raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns True if a value can be of this kind.

        Args:
            spec_or_value: TypeSpec, or a value of any dtype and shape.

        Returns:
            bool.

        Raises:
            TypeError: if a value has no description.
        """
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else self._of_value(spec_or_value)
        return type(self) is type(other) and _compatible(self._serialize(), other._serialize())

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Returns the narrowest description that two descriptions are compatible with.

        Args:
            other: TypeSpec.

        Returns:
            TypeSpec of this class.

        Raises:
            ValueError: if the descriptions differ in more than shapes.
        """
        if type(self) is not type(other):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return type(self)(*_common(self._serialize(), other._serialize()))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _key(self._serialize()) == _key(other._serialize())

    def __hash__(self) -> int:
        return hash((type(self), _key(self._serialize())))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def state_of(spec: TypeSpec) -> tuple[Any, ...]:
    """Returns the arguments that make a description anew.

    Args:
        spec: TypeSpec.
    """
    return spec._serialize()


class BatchableTypeSpec(TypeSpec):
    """Description of a kind of values that can be batched; a subclass also defines `_batch` and `_unbatch`."""

    __slots__ = ()

    @abc.abstractmethod
    def _batch(self, batch_size: int | None) -> TypeSpec:
        """Returns the description of a batch; `batch_size` is None for batches of any size."""

    @abc.abstractmethod
    def _unbatch(self) -> TypeSpec:
        """Returns the description of an element of a batch."""


def component_shapes(spec: TypeSpec) -> list[TensorShape]:
    """Returns the shapes of the tensors that a value consists of.

    Args:
        spec: TypeSpec of the value.

    Returns:
        list of TensorShapes, in the order of the value's tensors.
    """
    return [each.shape for each in spec._component_specs]


def _key(part: Any) -> Any:
    """Returns a hashable object that is equal for equal parts."""
    if isinstance(part, TensorShape):
        return TensorShape, None if part.ndims is None else tuple(part.as_list())
    if isinstance(part, dict):
        return tuple((name, _key(part[name])) for name in sorted(part))
    return tuple(_key(p) for p in part) if isinstance(part, tuple) else part


def _compatible(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(_compatible(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_compatible(a[name], b[name]) for name in a)
    if isinstance(a, (TypeSpec, TensorShape, dtypes.DType)):
        return bool(a.is_compatible_with(b))
    return bool(a == b)


def _common(a: Any, b: Any) -> Any:
    if type(a) is type(b):
        if isinstance(a, tuple) and len(a) == len(b):
            return tuple(_common(x, y) for x, y in zip(a, b, strict=True))
        if isinstance(a, dict) and a.keys() == b.keys():
            return {name: _common(a[name], b[name]) for name in a}
        if isinstance(a, TensorShape):
            return a.most_specific_compatible_shape(b)
        if isinstance(a, TypeSpec):
            return a.most_specific_compatible_type(b)
        if not isinstance(a, (tuple, dict)) and a == b:
            return a
    raise ValueError(f"Types are not compatible: {a!r} vs {b!r}")
