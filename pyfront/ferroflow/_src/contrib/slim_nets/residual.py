"""Parts of residual networks: blocks of units, and a convolution whose padding does not depend on the image."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base.typing import Collections, DictLike, ScopeLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope, arg_scope
from ferroflow._src.contrib.layers.fan_initializers import variance_scaling_initializer
from ferroflow._src.contrib.layers.model_layers import batch_norm, conv2d, max_pool2d
from ferroflow._src.contrib.layers.model_units import softmax
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, convert_collection_to_dict
from ferroflow._src.contrib.layers.regularizers import l2_regularizer
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.shaping import pad
from ferroflow._src.ops.math.reduction import reduce_mean
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "Block",
    "add_head",
    "block_of",
    "conv2d_same",
    "resnet_arg_scope",
    "root_stride",
    "stack_blocks_dense",
    "subsample",
]


class Block(NamedTuple):
    """A block of a residual network.

    Args:
        scope: str.
        unit_fn: function that adds a unit: of a Tensor, and of the keyword arguments `args` and `rate`.
        args: list of dicts, the arguments of each unit.
    """

    scope: str
    unit_fn: Callable[..., Any]
    args: Sequence[Mapping[str, Any]]


def block_of(unit_fn: Callable[..., Any], scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """Returns a block of bottleneck units, whose last one has the stride.

    Args:
        unit_fn: function that adds a unit.
        scope: str.
        base_depth: int, the depth of the bottleneck; the units' outputs are 4 times as deep.
        num_units: int.
        stride: int.

    Returns:
        Block.
    """
    sizes = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    return Block(scope, unit_fn, [*([{**sizes, "stride": 1}] * (num_units - 1)), {**sizes, "stride": stride}])


def subsample(inputs: TensorLike, factor: int, scope: str | None = None) -> Any:
    """Returns every `factor`th row and column of images.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        factor: int; 1 for `inputs` themselves.
        scope: str.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, channels].
    """
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: TensorLike, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: ScopeLike | None = None
) -> Any:
    """Adds a convolution that gives what one of stride 1 gives, at every `stride`th place.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_outputs: int, the depth of the outputs.
        kernel_size: int, height and width of the kernel.
        stride: int.
        rate: int, the distance of the kernel's elements.
        scope: str.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, num_outputs].
    """
    if stride == 1:
        return conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    total = (kernel_size - 1) * rate
    before = total // 2
    border = [before, total - before]
    padded = pad(inputs, [[0, 0], border, border, [0, 0]])
    return conv2d(padded, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(
    net: TensorLike,
    blocks: Sequence[Block],
    output_stride: float | None = None,
    outputs_collections: Collections | DictLike | None = None,
) -> Any:
    """Adds blocks; where `output_stride` is reached, units have stride 1 and convolutions of a larger rate.

    Args:
        net: Tensor of a float dtype, of shape [batch, height, width, channels].
        blocks: list of `Block`.
        output_stride: int, the product of the units' strides that is not exceeded; None for no bound.
        outputs_collections: str or list of str, keys of collections of the blocks' outputs, or None.

    Returns:
        Tensor of the dtype of `net`, of shape [batch, rows, columns, depth].

    Raises:
        ValueError: if the strides of the units do not multiply to `output_stride`.
    """
    reached, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as scope:
            for i, unit in enumerate(block.args):
                if output_stride is not None and reached > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                stride = unit.get("stride", 1)
                with variable_scope(f"unit_{i + 1}", values=[net]):
                    if reached == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= stride
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        reached *= stride
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and reached != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """Returns the arg scope of residual networks, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.
        batch_norm_decay: float, decay of moving means and variances.
        batch_norm_epsilon: float, added to variances.
        batch_norm_scale: bool. If True, batch normalization has a factor, "gamma".

    Returns:
        dict of default arguments by layer.
    """
    params = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    with (
        arg_scope(
            [conv2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm,
            normalizer_params=params,
        ),
        arg_scope([batch_norm], **params),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope


def root_stride(output_stride: float | None) -> float | None:
    """Returns the stride that is left to the blocks behind a root of stride 4; raises ValueError if 4 is no factor."""
    if output_stride is None:
        return None
    if output_stride % 4 != 0:
        raise ValueError("The output_stride needs to be a multiple of 4.")
    return output_stride / 4


def add_head(net: Any, num_classes: int | None, global_pool: bool, collection: str) -> tuple[Any, dict[str, Any]]:
    """Adds the mean of each image and the logits; returns the network's output and the dict of outputs by name."""
    if global_pool:
        net = reduce_mean(net, [1, 2], name="pool5", keepdims=True)
    if num_classes is not None:
        net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
    end_points = convert_collection_to_dict(collection)
    if num_classes is not None:
        end_points["predictions"] = softmax(net, scope="predictions")
    return net, end_points
