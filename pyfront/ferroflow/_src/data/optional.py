"""`tf.data.experimental.Optional`: a value, or the absence of one, known when the step runs."""

from __future__ import annotations

from typing import Any

from ferroflow._src.data.element_specs import specifications, structure_of_specifications
from ferroflow._src.data.iterator import Iterator, next_optional
from ferroflow._src.data.structure import Structure, converted, serialized
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.type_spec import TypeSpec


class Optional:
    """A structure of tensors that may be absent; made by `from_value`, `none_from_structure` or `get_next_as_optional`.

    Args:
        variant_tensor: Tensor of variant, of shape [].
        structure: the structure of the value.
    """

    def __init__(self, variant_tensor: Tensor, structure: Structure) -> None:
        self._variant_tensor = variant_tensor
        self._structure = structure

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Returns an optional that has a value.

        Args:
            value: structure of Tensors of any dtype and shape, SparseTensors and values that convert to Tensors.

        Returns:
            Optional.
        """
        with name_scope("optional") as scope:
            with name_scope("value"):
                element = converted(value)
                flat = serialized(element)
            return Optional(tensor_op("OptionalFromValue", [flat], name=scope), Structure.of(element))

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """Returns an optional without a value.

        Args:
            value_structure: structure of TypeSpecs: of the value that it could have.

        Returns:
            Optional.
        """
        return Optional(tensor_op("OptionalNone", []), structure_of_specifications(value_structure))

    def has_value(self, name: str | None = None) -> Tensor:
        """Returns a bool scalar: True if there is a value.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of bool, of shape [].
        """
        return tensor_op("OptionalHasValue", [self._variant_tensor], name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Returns the value.

        Args:
            name: str, name scope of the operations.

        Returns:
            Structure of Tensors and SparseTensors, of the dtypes and shapes of the value.
            A run raises InvalidArgumentError without a value.
        """
        with name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope:
            op = apply_op("OptionalGetValue", [self._variant_tensor], self._structure.attrs(), name=scope)
            return self._structure.element(op.outputs)

    @property
    def value_structure(self) -> Any:
        """The specifications of the value: TypeSpecs, nested as the value is."""
        return specifications(self._structure)


class OptionalSpec(TypeSpec):
    """Specification of an optional.

    Args:
        value_structure: structure of TypeSpecs: of the value.
    """

    __slots__ = ("_value_structure",)

    def __init__(self, value_structure: Any) -> None:
        self._value_structure = value_structure

    @property
    def value_type(self) -> type[Any]:
        """The Python type of the values."""
        return Optional

    def _serialize(self) -> tuple[Any, ...]:
        return (self._value_structure,)

    @classmethod
    def _of_value(cls, value: Any) -> TypeSpec:
        return cls.from_value(value) if isinstance(value, Optional) else super()._of_value(value)

    @staticmethod
    def from_value(value: Optional) -> OptionalSpec:
        """Returns the specification of an optional.

        Args:
            value: Optional.

        Returns:
            OptionalSpec.
        """
        return OptionalSpec(value.value_structure)


def get_next_as_optional(iterator: Iterator) -> Optional:
    """Returns the next element of an iterator, or the absence of one at its end.

    Args:
        iterator: Iterator.

    Returns:
        Optional.
    """
    return Optional(*next_optional(iterator))
