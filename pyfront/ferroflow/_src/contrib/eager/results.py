"""Results of functions: the tensors in a structure, and the structure with other tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.tensor_array import TensorArray


def _parts(leaf: Any) -> list[Tensor]:
    """Returns the tensors that a result consists of."""
    if leaf is None or isinstance(leaf, Operation):
        return []
    if isinstance(leaf, SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape]
    if isinstance(leaf, IndexedSlices):
        parts = [leaf.values, leaf.indices]
        return parts if leaf.dense_shape is None else [*parts, leaf.dense_shape]
    if isinstance(leaf, TensorArray):
        return [leaf.flow]
    return [convert_to_tensor(leaf)]


def flat_results(results: Any) -> list[Tensor]:
    """Returns the tensors of a structure of results, in the order of `nest.flatten`.

    Args:
        results: Tensors, values that convert to Tensors, SparseTensors, IndexedSlices, TensorArrays, None, or a
            structure of these.

    Raises:
        TypeError: if a result does not convert to a Tensor.
    """
    tensors: list[Tensor] = []
    for leaf in nest.flatten(results):
        try:
            tensors += _parts(leaf)
        except (TypeError, ValueError):
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more Tensors; found return "
                f"value of type {type(leaf)}, which is not a Tensor."
            ) from None
    return tensors


def packed_results(results: Any, tensors: Sequence[Tensor]) -> Any:
    """Returns a structure of results with other tensors.

    Args:
        results: the structure.
        tensors: as many Tensors as `flat_results` returns for it, of their dtypes and shapes.
    """
    remaining = iter(tensors)

    def replaced(leaf: Any) -> Any:
        if leaf is None or isinstance(leaf, Operation):
            return leaf
        if isinstance(leaf, SparseTensor):
            return SparseTensor(next(remaining), next(remaining), next(remaining))
        if isinstance(leaf, IndexedSlices):
            values, indices = next(remaining), next(remaining)
            return IndexedSlices(values, indices, None if leaf.dense_shape is None else next(remaining))
        if isinstance(leaf, TensorArray):
            return leaf.with_flow(next(remaining))
        return next(remaining)

    return nest.pack_sequence_as(results, [replaced(leaf) for leaf in nest.flatten(results)])
