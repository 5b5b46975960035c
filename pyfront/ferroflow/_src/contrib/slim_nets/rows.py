"""Networks as rows of steps: convolutions and pooling layers whose kinds and kernels stand in their scopes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.contrib.layers.model_layers import avg_pool2d, batch_norm, conv2d, dropout, max_pool2d
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.shaping import squeeze
from ferroflow._src.variables.initializers import TruncatedNormal
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "TRAINED_LAYERS",
    "Mixed",
    "Networks",
    "Step",
    "add_rows",
    "batch_norm_params",
    "classify",
    "kernel_within",
    "scaled_depth",
]


class Step(NamedTuple):
    """A layer: its scope, such as "Conv2d_0b_3x3", then depth and stride; the kernel is the scope's end by default."""

    scope: str
    depth: int = 0
    stride: int = 1
    kernel: tuple[int, int] | None = None
    padding: str | None = None
    stddev: float | None = None


class Mixed(NamedTuple):
    """Branches side by side; within a branch, a tuple of steps is applied to one input and concatenated."""

    scope: str
    branches: tuple[tuple[Any, ...], ...]


Networks = Sequence[Step | Mixed]


def scaled_depth(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """Returns the function that scales depths; raises ValueError if `depth_multiplier` is not positive."""
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def add_rows(
    net: Any,
    rows: Networks,
    final_endpoint: str,
    end_points: dict[str, Any],
    depth: Callable[[int], int],
    padding: str,
) -> tuple[Any, dict[str, Any]]:
    """Adds rows to a network up to an end point.

    Args:
        net: Tensor of a float dtype, of shape [batch, height, width, channels].
        rows: list of `Step` and `Mixed`.
        final_endpoint: str, scope of the last row to add.
        end_points: dict from scopes to Tensors, to which the rows' outputs are added.
        depth: function that scales depths.
        padding: str, "SAME" or "VALID", of the steps outside branches that have none of their own.

    Returns:
        Tensor, the output of the last row, and `end_points`.

    Raises:
        ValueError: if no row has the scope `final_endpoint`.
    """
    for row in rows:
        net = _mixed(net, row, depth) if isinstance(row, Mixed) else _layer(net, row, depth, padding)
        end_points[row.scope] = net
        if row.scope == final_endpoint:
            return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def _mixed(net: Any, row: Mixed, depth: Callable[[int], int]) -> Any:
    with variable_scope(row.scope):
        found = []
        for i, branch in enumerate(row.branches):
            with variable_scope(f"Branch_{i}"):
                found.append(_chain(net, branch, depth))
        return concat(found, 3)


def _chain(net: Any, steps: Iterable[Any], depth: Callable[[int], int]) -> Any:
    for step in steps:
        if isinstance(step, Step):
            net = _layer(net, step, depth, "SAME")
        else:
            net = concat([_layer(net, one, depth, "SAME") for one in step], 3)
    return net


def _layer(net: Any, step: Step, depth: Callable[[int], int], padding: str) -> Any:
    height, _, width = step.scope.rpartition("_")[2].partition("x")
    kernel = step.kernel or (int(height), int(width))
    where: dict[str, Any] = {"stride": step.stride, "padding": step.padding or padding, "scope": step.scope}
    if step.scope.startswith("MaxPool"):
        return max_pool2d(net, kernel, **where)
    if step.scope.startswith("AvgPool"):
        return avg_pool2d(net, kernel, **where)
    if step.stddev is not None:
        where["weights_initializer"] = TruncatedNormal(0.0, step.stddev)
    return conv2d(net, depth(step.depth), kernel, **where)


def kernel_within(net: Tensor, kernel: tuple[int, int]) -> tuple[int, int]:
    """Returns the kernel, or the size of the image where that is known and smaller."""
    height, width = net.shape.as_list()[1:3]
    if height is None or width is None:
        return kernel
    return min(height, kernel[0]), min(width, kernel[1])


def classify(net: Any, num_classes: int, scope: str, is_squeezed: bool) -> Any:
    """Adds a convolution of kernel 1 without activation, the logits.

    Args:
        net: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        scope: str.
        is_squeezed: bool. If True, dimensions 1 and 2 are removed, which must be 1.

    Returns:
        Tensor of the dtype of `net`, of shape [batch, num_classes] or [batch, height, width, num_classes].
    """
    net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope)
    return squeeze(net, [1, 2], name="SpatialSqueeze") if is_squeezed else net


def batch_norm_params(collection: str, **others: Any) -> dict[str, Any]:
    """Returns the arguments that the Inception networks give `batch_norm`: moving values are in a collection."""
    return {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [collection],
            "moving_variance": [collection],
        },
        **others,
    }


# Layers whose behaviour depends on `is_training`.
TRAINED_LAYERS = (batch_norm, dropout)
