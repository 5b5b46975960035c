"""Windows of layers: the kernel, stride and padding of a node along the height and the width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ferroflow._src.base import tf_logging
from ferroflow._src.base.tensor_content import make_ndarray

__all__ = ["get_layer_params"]

_POINTWISE: Final = frozenset(
    (
        *("Add", "AddV2", "BiasAdd", "Cast", "Ceil", "ConcatV2", "Const", "Floor", "FusedBatchNorm"),
        *("FusedBatchNormV2", "FusedBatchNormV3", "GreaterEqual", "Identity", "LRN", "Log", "Mul", "Pow", "RealDiv"),
        *("Relu", "Relu6", "Round", "Rsqrt", "Softplus", "Sub", "VariableV2"),
    )
)
_CONVOLUTIONS: Final = ("Conv2D", "DepthwiseConv2dNative")
_POOLINGS: Final = ("AvgPool", "MaxPool", "MaxPoolV2")
_READS: Final = ("Identity", "ReadVariableOp")
_ROWS, _COLUMNS = 1, 2  # axes of an image batch


class Window(NamedTuple):
    """A layer's window along an axis; None where it depends on an unknown size, or the operation is unknown."""

    kernel: int | None
    stride: int | None
    padding: int | None
    total_padding: int | None


_POINT: Final = Window(1, 1, 0, 0)
_UNKNOWN: Final = Window(None, None, None, None)


def _constant(node: Any, position: int, ending: str, nodes: Mapping[str, Any]) -> Any:
    """Returns the array of a node's constant input."""
    name = node.input[position]
    if not name.endswith(ending):
        raise ValueError(f"{node.name}: the name of input {position} does not end with '{ending}': {name}")
    if nodes[name].op != "Const":
        raise ValueError(f"{node.name}: {name} is not a Const but a {nodes[name].op}")
    return make_ndarray(nodes[name].attr["value"].tensor)


def _filter_sizes(node: Any, nodes: Mapping[str, Any]) -> list[int]:
    """Returns the sizes of a convolution's filter."""
    weights = nodes[node.input[1]]
    while weights.op in _READS:
        weights = nodes[weights.input[0]]
    if weights.op in ("VariableV2", "VarHandleOp"):
        dims = weights.attr["shape"].shape.dim
    elif weights.op == "Const":
        dims = weights.attr["value"].tensor.tensor_shape.dim
    else:
        raise ValueError(f"Weight layer {weights.name} is not of type VariableV2 or Const: {weights.op}")
    if len(dims) != 4:
        raise ValueError(f"Weight layer {weights.name} does not have rank 4. Instead, it has: {len(dims)}")
    return [dim.size for dim in dims]


def _pool_sizes(node: Any, nodes: Mapping[str, Any]) -> list[int]:
    """Returns the sizes of a pooling's window along all axes."""
    is_input = node.op == "MaxPoolV2"
    sizes = [int(n) for n in (_constant(node, 1, "/ksize", nodes) if is_input else node.attr["ksize"].list.i)]
    for axis, name in (0, "first"), (3, "last"):
        if sizes[axis] != 1:
            raise ValueError(f"pool ksize for {name} dim is not 1")
    return sizes


def _same_padding(kernel: int, stride: int, size: int | None) -> tuple[int | None, int | None]:
    """Returns the padding before and in total; None where it depends on an unknown size."""
    if size is not None:
        total = max(kernel - (size % stride or stride), 0)
        return total // 2, total
    if kernel == 1:
        return 0, 0
    if stride == 1:
        return (kernel - 1) // 2, kernel - 1
    if stride == 2 and kernel % 2 == 0:
        return (kernel - 1) // 2, None
    tf_logging.warning(
        "The padding depends on the size of the input, which is unknown. The alignment is not checked. Set the input "
        "resolution if you know it."
    )
    return None, None


def _window(node: Any, kernel: int, stride: int, size: int | None) -> Window:
    padding = node.attr["padding"].s
    if padding == b"VALID":
        return Window(kernel, stride, 0, 0)
    if padding != b"SAME":
        raise ValueError(f"Invalid padding operation {padding}")
    return Window(kernel, stride, *_same_padding(kernel, stride, size))


def _padding_windows(node: Any, nodes: Mapping[str, Any]) -> tuple[Window, Window]:
    amounts = _constant(node, 1, "/paddings", nodes)
    for axis, name in (0, "first"), (3, "last"):
        if amounts[axis].any():
            raise ValueError(f"padding is not zero for {name} tensor dim")
    rows, columns = (Window(1, 1, int(amounts[axis][0]), int(amounts[axis].sum())) for axis in (_ROWS, _COLUMNS))
    return rows, columns


def layer_windows(
    node: Any, nodes: Mapping[str, Any], input_resolution: Sequence[int | None] | None, force: bool = False
) -> tuple[Window, Window]:
    """Returns a node's windows along the height and the width.

    Args:
        node: NodeDef.
        nodes: mapping from names to the NodeDefs of the graph.
        input_resolution: list of 2 ints, the height and width of the node's input, or None.
        force: bool. If True, unknown operations have unknown windows.

    Returns:
        (Window along the height, Window along the width).

    Raises:
        ValueError: if the operation is unknown and `force` is False, or its windows cannot be found.
    """
    if node.op in _POINTWISE:
        return _POINT, _POINT
    if node.op == "Pad":
        return _padding_windows(node, nodes)
    if node.op not in _CONVOLUTIONS + _POOLINGS:
        if force:
            return _UNKNOWN, _UNKNOWN
        raise ValueError(f"Unknown layer for operation '{node.name}': {node.op}")
    if node.op == "MaxPoolV2":
        strides = [int(n) for n in _constant(node, 2, "/strides", nodes)]
    else:
        strides = list(node.attr["strides"].list.i)
    if node.op in _POOLINGS:
        rows, columns = _pool_sizes(node, nodes)[_ROWS : _COLUMNS + 1]
    else:
        dilations = list(node.attr["dilations"].list.i) or [1] * 4
        filters = _filter_sizes(node, nodes)[:2]
        rows, columns = (
            1 + (size - 1) * dilations[axis] for axis, size in zip((_ROWS, _COLUMNS), filters, strict=True)
        )
    height, width = input_resolution or (None, None)
    return _window(node, rows, strides[_ROWS], height), _window(node, columns, strides[_COLUMNS], width)


def get_layer_params(
    node: Any,
    name_to_node: Mapping[str, Any],
    input_resolution: Sequence[int | None] | None = None,
    force: bool = False,
) -> tuple[int | None, ...]:
    """Returns the kernel sizes, strides and paddings of a node.

    A dilated convolution has the kernel size of its holes and weights together.

    Args:
        node: NodeDef.
        name_to_node: mapping from names to the NodeDefs of the graph.
        input_resolution: list of 2 ints, the height and width of the node's input; None if they are unknown.
        force: bool. If True, all results for an unknown operation are None.

    Returns:
        8 ints: the kernel sizes, the strides, the paddings at the left and the top, and the total paddings. Each pair
        is along the width and then the height. A padding is None if it depends on an unknown size.

    Raises:
        ValueError: if the operation is unknown and `force` is False, or its parameters cannot be found.
    """
    y, x = layer_windows(node, name_to_node, input_resolution, force)
    return x.kernel, y.kernel, x.stride, y.stride, x.padding, y.padding, x.total_padding, y.total_padding
