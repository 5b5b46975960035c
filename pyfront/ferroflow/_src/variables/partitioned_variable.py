"""`PartitionedVariable`: several variables that together are one tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.conversion import register_tensor_conversion_function
from ferroflow._src.framework.default_graph import (
    control_dependencies,
    name_scope,
)
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity
from ferroflow._src.variables.variable import Variable, save_slice_of


class PartitionedVariable:
    """Slices of one tensor, each a variable of its own; as a tensor, their concatenation.

    Args:
        name: str, the name of the whole.
        shape: `TensorShape` of the whole.
        dtype: its `DType`.
        variable_list: list or tuple of `Variable`, each with its `SaveSliceInfo`.
        partitions: list or tuple of int, the number of slices of each dimension.

    Raises:
        TypeError: if `variable_list` or `partitions` is neither list nor tuple.
        ValueError: if there are no slices; if a slice has no `SaveSliceInfo` or one of another variable; or if
            partitions and shape are incompatible.
    """

    def __init__(
        self, name: str, shape: TensorShape, dtype: Any, variable_list: Sequence[Variable], partitions: Sequence[int]
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        infos: list[Any] = [save_slice_of(v) for v in variable_list]
        if any(info is None for info in infos):
            names = [v.name for v in variable_list]
            raise ValueError(f"All variables must have a save_slice_info available: {names}")
        if len(shape) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        if any(TensorShape(info.full_shape) != TensorShape(shape) for info in infos):
            found = [info.full_shape for info in infos]
            raise ValueError(f"All variables' full shapes must match shape: {shape}; but full shapes were: {found}")
        pairs = sorted(zip(infos, variable_list, strict=True), key=lambda pair: pair[0].var_offset)
        self._variable_list = [variable for _, variable in pairs]
        self._name = name
        self._shape = shape
        self._dtype = dtype
        self._partitions = partitions

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f"Cannot get a length for {len(axes)} > 1 partition axes")
        return len(self._variable_list)

    def __repr__(self) -> str:
        return (
            f"<tf.PartitionedVariable '{self._name}' shape={self._shape} dtype={self._dtype.name} "
            f"partitions={list(self._partitions)}>"
        )

    def _partition_axes(self) -> list[int]:
        return [i for i, p in enumerate(self._partitions) if p > 1] or [0]

    def _concat(self) -> Tensor:
        if len(self._variable_list) == 1:
            with name_scope(None):
                return identity(self._variable_list[0], name=self._name)
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"Cannot concatenate along more than one dimension: {axes}.  "
                "Multi-axis partition concat is not supported"
            )
        with name_scope(self._name + "/ConcatPartitions/"):
            concatenated = concat(self._variable_list, axes[0])
        with name_scope(None):
            return identity(concatenated, name=self._name)

    def as_tensor(self) -> Tensor:
        """Returns the slices as one tensor; each call makes new ops, outside of all control dependencies.

        Raises:
            NotImplementedError: if more than one dimension is cut.
        """
        with control_dependencies(None):
            return self._concat()

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Returns the shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Returns the shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> Sequence[int]:
        return self._partitions

    def assign(self, value: Any, use_locking: bool = False) -> Any:
        """Raises an error: assign to the slices instead.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError("assign() has not been implemented for PartitionedVariable.")


def _convert(v: PartitionedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(v.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{v.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return v.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert)
