"""Receptive fields: their size, stride and padding in the input image."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.contrib.receptive_field.compute_order import get_compute_order
from ferroflow._src.contrib.receptive_field.layer_windows import Window, layer_windows
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor

__all__ = ["ReceptiveField", "compute_receptive_field_from_graph_def"]


class ReceptiveField:
    """The part of an image that a feature depends on.

    Iteration gives the 6 numbers: sizes, strides and paddings, each along the width and then the height.

    Args:
        size: 2 ints, the sizes in pixels.
        stride: 2 ints, the distances between the fields of neighbouring features.
        padding: 2 ints, how far the first field reaches beyond the image; None if it depends on an unknown size.
    """

    def __init__(self, size: Any, stride: Any, padding: Any) -> None:
        self.size = np.asarray(size)
        self.stride = np.asarray(stride)
        self.padding = np.asarray(padding)

    def __iter__(self) -> Iterator[Any]:
        return iter(np.concatenate([self.size, self.stride, self.padding]))

    def _axes(self, coordinates: Any, name: str, axis: Iterable[int] | None) -> list[int]:
        axes = list(range(self.size.size) if axis is None else axis)
        if coordinates.shape[-1] != len(axes):
            raise ValueError(
                f"Dimensionality of the {name} ({coordinates.shape[-1]}) does not match dimensionality of `axis` "
                f"({len(axes)})"
            )
        return axes

    def compute_input_center_coordinates(self, y: Any, axis: Iterable[int] | None = None) -> Any:
        """Returns the centers of the fields of features.

        Args:
            y: array of shape [..., axes], the places of features.
            axis: list of int, the axes of `y`; None for all.

        Returns:
            array of shape [..., axes], the centers in the image.

        Raises:
            ValueError: if `y` has another number of axes.
        """
        places = np.asarray(y)
        axes = self._axes(places, "feature coordinates `y`", axis)
        return places * self.stride[axes] - self.padding[axes] + (self.size[axes] - 1) / 2

    def compute_feature_coordinates(self, x: Any, axis: Iterable[int] | None = None) -> Any:
        """Returns the places of the features whose fields have given centers.

        Args:
            x: array of shape [..., axes], centers in the image.
            axis: list of int, the axes of `x`; None for all.

        Returns:
            array of shape [..., axes], the places of features.

        Raises:
            ValueError: if `x` has another number of axes.
        """
        centers = np.asarray(x)
        axes = self._axes(centers, "input center coordinates `x`", axis)
        return (centers + self.padding[axes] + (1 - self.size[axes]) / 2) / self.stride[axes]


class _Field(NamedTuple):
    """A field along an axis of a node's output."""

    size: int
    stride: int
    padding: int | None


def _before(window: Window, field: _Field, is_aligned: bool) -> _Field:
    """Returns the field in a layer's input for one in its output."""
    kernel, stride, padding, _ = window
    assert kernel is not None
    assert stride is not None
    shift = None
    if is_aligned and padding is not None and field.padding is not None:
        shift = stride * field.padding + padding
    return _Field(stride * field.size + kernel - stride, stride * field.stride, shift)


def _joined(one: _Field, other: _Field, direction: str, is_aligned: bool) -> _Field:
    """Returns the larger of the fields of two paths, which must have the same centers."""
    if is_aligned and one.padding is not None and other.padding is not None:
        cause = "effective stride" if one.stride != other.stride else "center shift"
        if one.stride != other.stride or (one.size - 1) / 2 - one.padding != (other.size - 1) / 2 - other.padding:
            raise ValueError(
                f"Graph is not aligned since {cause} from different paths is different in {direction} direction"
            )
    return other if one.size < other.size else one


def _name(node: Any) -> str:
    name: str = node.op.name if isinstance(node, Tensor) else node
    return name


def compute_receptive_field_from_graph_def(
    graph_def: Any,
    input_node: Any,
    output_node: Any,
    stop_propagation: Sequence[str] | None = None,
    input_resolution: Sequence[int] | None = None,
) -> ReceptiveField:
    """Computes the receptive field of a convolutional network.

    Args:
        graph_def: Graph or GraphDef of the network.
        input_node: str, the name of the input image's node; or its Tensor.
        output_node: str, the name of the features' node; or its Tensor.
        stop_propagation: list of str; nodes whose names begin with one of them are left out. None for no such node.
        input_resolution: list of 2 ints, the height and width of the image, on which paddings may depend; or None.

    Returns:
        ReceptiveField, whose numbers are along the width and then the height.

    Raises:
        ValueError: if a node is not found, its operation is unknown, or paths have different centers or strides.
    """
    message = graph_def.as_graph_def() if isinstance(graph_def, Graph) else graph_def
    source, target, stops = _name(input_node), _name(output_node), tuple(stop_propagation or ())
    infos, nodes = get_compute_order(message, source, input_resolution)
    if target not in infos:
        raise ValueError("Output node was not found")
    fields = {target: (_Field(1, 1, 0), _Field(1, 1, 0))}
    is_aligned = True  # until a padding is unknown
    for info in sorted(infos.values(), key=lambda info: -info.order):
        if info.node.name == source:
            break
        if info.node.name not in fields:
            continue
        windows = layer_windows(info.node, nodes, info.input_size)
        is_aligned = is_aligned and all(window.padding is not None for window in windows)
        rows, columns = (
            _before(window, field, is_aligned) for window, field in zip(windows, fields[info.node.name], strict=True)
        )
        for name in info.node.input:
            if name.startswith(("^", *stops)):
                continue
            name = name.partition(":")[0]
            if name in fields:
                earlier_rows, earlier_columns = fields[name]
                wide = _joined(earlier_columns, columns, "horizontal", is_aligned)
                fields[name] = _joined(earlier_rows, rows, "vertical", is_aligned), wide
            else:
                fields[name] = rows, columns
    if source not in fields:
        raise ValueError("Input node was not found")
    height, width = fields[source]
    return ReceptiveField(*zip(width, height, strict=True))
