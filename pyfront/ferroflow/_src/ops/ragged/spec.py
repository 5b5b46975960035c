"""`RaggedTensorSpec`: the known properties of a ragged tensor that does not exist yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.composite_parts import register_composite
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.type_spec import BatchableTypeSpec, TypeSpec
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged
from ferroflow._src.ops.ragged.value import RaggedTensorValue


class RaggedTensorSpec(BatchableTypeSpec):
    """Shape and element type of a RaggedTensor.

    Args:
        shape: TensorShape, or a value that one is made of; None for ragged and unknown dimensions.
        dtype: DType of the values.
        ragged_rank: int, the number of ragged dimensions; None for all but the first one.
        row_splits_dtype: DType of the splits, int32 or int64.

    Raises:
        TypeError: if `ragged_rank` is not an int.
        ValueError: if `ragged_rank` is not below the rank, or is None for an unknown rank.
    """

    __slots__ = ("_dtype", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError("ragged_rank must be an int")
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")
        self._ragged_rank = ragged_rank

    @property
    def value_type(self) -> type[Any]:
        """The Python type of the values."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        """The specs of the values, and of the splits from the outermost ones."""
        if self._ragged_rank == 0:
            return [TensorSpec(self._shape, self._dtype)]
        inner = TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
        rows = None if self._shape.ndims is None else self._shape.as_list()[0]
        sizes = [None if rows is None else rows + 1] + [None] * (self._ragged_rank - 1)
        return [TensorSpec(inner, self._dtype), *(TensorSpec([n], self._row_splits_dtype) for n in sizes)]

    def _to_components(self, value: Any) -> list[Any]:
        """Returns the values and splits of a ragged tensor."""
        return [value.flat_values, *value.nested_row_splits] if is_ragged(value) else [value]

    def _from_components(self, tensor_list: Any) -> Any:
        """Returns the ragged tensor of values and splits; of arrays, its value."""
        are_arrays = all(isinstance(part, np.ndarray) for part in tensor_list)
        made = tensor_list[0]
        for splits in reversed(tensor_list[1:]):
            made = RaggedTensorValue(made, splits) if are_arrays else RaggedTensor(made, splits, internal=True)
        return made

    @classmethod
    def _of_value(cls, value: Any) -> TypeSpec:
        return cls.from_value(value) if is_ragged(value) else super()._of_value(value)

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Returns the description of a ragged tensor or its value.

        Args:
            value: RaggedTensor or RaggedTensorValue of any dtype and shape.

        Returns:
            RaggedTensorSpec.
        """
        return cls(value.shape, value.values.dtype, value.ragged_rank, value.row_splits.dtype)

    def _batch(self, batch_size: int | None) -> TypeSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1)

    def _unbatch(self) -> TypeSpec:
        return RaggedTensorSpec(self._shape[1:], self._dtype, self._ragged_rank - 1)


register_composite(
    RaggedTensorSpec, lambda spec: spec._component_specs, lambda spec, parts: spec._from_components(parts)
)
