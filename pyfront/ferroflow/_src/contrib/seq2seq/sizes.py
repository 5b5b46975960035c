"""The sizes of decoders' outputs."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape, as_shape


def output_size_of(cell: Any, output_layer: Any) -> Any:
    """Returns the sizes of a cell's outputs after a layer.

    Args:
        cell: RNNCell.
        output_layer: Layer, or None.

    Returns:
        int or TensorShape, without the batch, or a structure of them.
    """
    sizes = cell.output_size
    if output_layer is None:
        return sizes
    given = nest.map_structure(lambda size: TensorShape([None]).concatenate(as_shape(size)), sizes)
    return nest.map_structure(lambda shape: shape[1:], output_layer.compute_output_shape(given))
