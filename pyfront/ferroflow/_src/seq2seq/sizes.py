"""Sizes of dimensions: ints where the graph tells them, else tensors."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape, as_shape
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping

__all__ = ["output_size_of", "size_of"]


def size_of(x: Tensor, axis: int) -> Any:
    """The size of a dimension: an int if the graph tells it, else a Tensor of int32 of shape []."""
    known = x.shape[axis].value if x.shape.ndims is not None else None
    return shaping.shape(x)[axis] if known is None else known


def output_size_of(cell: Any, output_layer: Any) -> Any:
    """The sizes of a cell's outputs after a layer.

    Args:
        cell: RNNCell.
        output_layer: Layer, or None for none.

    Returns:
        int or TensorShape, without the batch, or a structure of them.
    """
    sizes = cell.output_size
    if output_layer is None:
        return sizes
    given = nest.map_structure(lambda size: TensorShape([None]).concatenate(as_shape(size)), sizes)
    return nest.map_structure(lambda shape: shape[1:], output_layer.compute_output_shape(given))
