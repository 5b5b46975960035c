"""Specifications of elements, as TF 1.15 shows the structure of a dataset."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.structure import NestedDataset, Structure, dataset_class
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.composite_specs import SparseTensorSpec
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.type_spec import TypeSpec


class DatasetSpec(TypeSpec):
    """Structure of a dataset's elements.

    Args:
        element_spec: TypeSpecs of an element, nested as elements are.
        dataset_shape: TensorShape, or a value that one is made of: the shape of a tensor of datasets.
    """

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: Any, dataset_shape: ShapeLike = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def value_type(self) -> type[Any]:
        """The Python type of the values."""
        return dataset_class()

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @classmethod
    def _of_value(cls, value: Any) -> TypeSpec:
        return cls.from_value(value) if isinstance(value, dataset_class()) else super()._of_value(value)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """Returns the specification of a dataset.

        Args:
            value: Dataset.

        Returns:
            DatasetSpec.
        """
        return DatasetSpec(value.element_spec)


def specifications(structure: Structure) -> Any:
    """Returns the TypeSpecs of the components, nested as elements are."""
    leaves = zip(*(nest.flatten(part) for part in structure), strict=True)
    return nest.pack_sequence_as(structure.types, [_specification(*leaf) for leaf in leaves])


def _specification(dtype: Any, shape: TensorShape, kind: Any) -> TypeSpec:
    if isinstance(kind, NestedDataset):
        return DatasetSpec(specifications(kind.structure))
    return SparseTensorSpec(shape, dtype) if kind is SparseTensor else TensorSpec(shape, dtype)


def structure_of_specifications(specs: Any) -> Structure:
    """Returns the structure of elements with these TypeSpecs.

    Raises:
        TypeError: if a component is not a TensorSpec, SparseTensorSpec or DatasetSpec.
    """
    flat = [_leaf(s) for s in nest.flatten(specs)]
    return Structure(*(nest.pack_sequence_as(specs, [leaf[i] for leaf in flat]) for i in range(3)))


def _leaf(spec: Any) -> tuple[Any, TensorShape, Any]:
    if isinstance(spec, DatasetSpec):
        return dtypes.variant, TensorShape([]), NestedDataset(structure_of_specifications(spec._element_spec))
    if not isinstance(spec, (TensorSpec, SparseTensorSpec)):
        raise TypeError(f"Elements have tf.TensorSpec, tf.SparseTensorSpec or tf.data.DatasetSpec; found {spec!r}.")
    return spec.dtype, spec.shape, SparseTensor if isinstance(spec, SparseTensorSpec) else Tensor


def TensorStructure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:  # noqa: N802  # TF1's spelling
    """Returns the specification of a tensor.

    Args:
        dtype: DType of the elements.
        shape: TensorShape, or a value that one is made of.

    Returns:
        TensorSpec.
    """
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:  # noqa: N802  # TF1's spelling
    """Returns the specification of a sparse tensor.

    Args:
        dtype: DType of the elements.
        shape: TensorShape, or a value that one is made of: the dense shape.

    Returns:
        SparseTensorSpec.
    """
    return SparseTensorSpec(shape, dtype)
