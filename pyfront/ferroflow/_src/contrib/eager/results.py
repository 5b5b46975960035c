"""Results of functions: the tensors in a structure, and the structure with other tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.control_flow.structures import rebuilt_all, tensors_of
from ferroflow._src.framework.handles import Tensor


def flat_results(results: Any) -> list[Tensor]:
    """Returns the tensors of a structure of results, in the order of `nest.flatten`.

    Args:
        results: Tensors, values that convert to Tensors, SparseTensors, IndexedSlices, RaggedTensors, TensorArrays,
            None, or a structure of these.

    Raises:
        TypeError: if a result does not convert to a Tensor.
    """
    tensors: list[Tensor] = []
    for leaf in nest.flatten(results):
        try:
            tensors += [] if leaf is None else tensors_of(leaf)
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
    leaves = nest.flatten(results)
    remaining = iter(rebuilt_all([leaf for leaf in leaves if leaf is not None], tensors))
    return nest.pack_sequence_as(results, [None if leaf is None else next(remaining) for leaf in leaves])
