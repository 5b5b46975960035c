"""`SparseTensorSpec` and `IndexedSlicesSpec`: descriptions of values made of several tensors."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.composite_parts import register_composite
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor, SparseTensorValue
from ferroflow._src.framework.constant import constant_value_as_shape
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.type_spec import TypeSpec


class SparseTensorSpec(TypeSpec):
    """Shape and element type of a SparseTensor.

    Args:
        shape: TensorShape, or a value that one is made of; None if nothing is known.
        dtype: the element type.
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def value_type(self) -> type[Any]:
        """The Python type of the values."""
        return SparseTensor

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The dense shape."""
        return self._shape

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[Any]:
        rank = self._shape.ndims
        sizes = TensorSpec([rank], dtypes.int64)
        return [TensorSpec([None, rank], dtypes.int64), TensorSpec([None], self._dtype), sizes]

    @classmethod
    def _of_value(cls, value: Any) -> TypeSpec:
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            return super()._of_value(value)
        tensor = SparseTensor.from_value(value)
        return cls(tensor.get_shape(), tensor.dtype)


register_composite(
    SparseTensorSpec, lambda spec: spec._component_specs, lambda _, parts: SparseTensor(*parts), lambda spec: spec.dtype
)


class IndexedSlicesSpec(TypeSpec):
    """Shape and element types of an IndexedSlices.

    Args:
        shape: TensorShape, or a value that one is made of: the dense shape; None if nothing is known.
        dtype: the element type of the values.
        indices_dtype: the element type of the indices: int32 or int64.
        dense_shape_dtype: the element type of the dense shape: int32 or int64; None if it is absent.
        indices_shape: TensorShape, or a value that one is made of, of the indices; None if their number is unknown.
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        indices_dtype: DTypeLike = dtypes.int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type[Any]:
        """The Python type of the values."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self) -> list[Any]:
        values = TensorSpec(self._indices_shape.concatenate(self._shape[1:]), self._dtype)
        specs = [values, TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.ndims], self._dense_shape_dtype))
        return specs

    @classmethod
    def _of_value(cls, value: Any) -> TypeSpec:
        if not isinstance(value, IndexedSlices):
            return super()._of_value(value)
        dense = value.dense_shape
        rows = value.indices.shape.merge_with(value.values.shape[:1])
        shape = TensorShape([None]).concatenate(value.values.shape[1:])
        if dense is None:
            return cls(shape, value.values.dtype, value.indices.dtype, None, rows)
        shape = shape.merge_with(constant_value_as_shape(dense))
        return cls(shape, value.values.dtype, value.indices.dtype, dense.dtype, rows)


register_composite(IndexedSlicesSpec, lambda spec: spec._component_specs, lambda _, parts: IndexedSlices(*parts))
