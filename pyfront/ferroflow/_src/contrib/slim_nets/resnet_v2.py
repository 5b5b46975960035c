"""Residual networks of the second version: normalization and activation before each convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import Collections, DictLike, ScopeLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope, arg_scope
from ferroflow._src.contrib.layers.model_layers import batch_norm, conv2d, max_pool2d
from ferroflow._src.contrib.layers.model_utils import collect_named_outputs, last_dimension
from ferroflow._src.contrib.slim_nets.image_sizes import set_image_size
from ferroflow._src.contrib.slim_nets.residual import (
    Block,
    add_head,
    block_of,
    conv2d_same,
    resnet_arg_scope,
    root_stride,
    stack_blocks_dense,
    subsample,
)
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "bottleneck",
    "resnet_arg_scope",
    "resnet_v2",
    "resnet_v2_50",
    "resnet_v2_101",
    "resnet_v2_152",
    "resnet_v2_200",
    "resnet_v2_block",
]


@add_arg_scope
def bottleneck(
    inputs: TensorLike,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Collections | DictLike | None = None,
    scope: ScopeLike | None = None,
) -> Any:
    """Adds a residual unit of three convolutions, of which the middle one is less deep.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        depth: int, the depth of the output.
        depth_bottleneck: int, the depth of the first two convolutions.
        stride: int.
        rate: int, the distance of the middle kernel's elements.
        outputs_collections: str or list of str, keys of collections of the output, or None.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth].
    """
    with variable_scope(scope, "bottleneck_v2", [inputs]) as inner:
        is_as_deep = depth == last_dimension(convert_to_tensor(inputs).shape, min_rank=4)
        active = batch_norm(inputs, activation_fn=relu, scope="preact")
        plain: dict[str, Any] = {"normalizer_fn": None, "activation_fn": None}
        if is_as_deep:
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(active, depth, [1, 1], stride=stride, scope="shortcut", **plain)
        net = conv2d(active, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        net = conv2d_same(net, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        net = conv2d(net, depth, [1, 1], stride=1, scope="conv3", **plain)
        return collect_named_outputs(outputs_collections, inner.name, shortcut + net)


def resnet_v2(
    inputs: TensorLike,
    blocks: Sequence[Block],
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: float | None = None,
    include_root_block: bool = True,
    reuse: object = None,
    scope: ScopeLike | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Adds a residual network of the given blocks.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        blocks: list of `Block`.
        num_classes: int; None to end before the logits.
        is_training: bool. If True, batch normalization uses the batch's mean and variance.
        global_pool: bool. If True, the blocks' outputs are averaged over each image.
        output_stride: int, how many pixels of the images one of the outputs stands for; None for the network's own.
        include_root_block: bool. If True, a convolution and a pooling layer, each of stride 2, come first.
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `output_stride` cannot be reached.
    """
    with variable_scope(scope, "resnet_v2", [inputs], reuse=reuse) as inner:
        collection = f"{inner.original_name_scope}_end_points"
        with (
            arg_scope([conv2d, bottleneck, stack_blocks_dense], outputs_collections=collection),
            arg_scope([batch_norm], is_training=is_training),
        ):
            net: Any = inputs
            if include_root_block:
                output_stride = root_stride(output_stride)
                with arg_scope([conv2d], activation_fn=None, normalizer_fn=None):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, output_stride)
            net = batch_norm(net, activation_fn=relu, scope="postnorm")
            return add_head(net, num_classes, global_pool, collection)


def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """Returns a block of bottleneck units, whose last one has the stride.

    Args:
        scope: str.
        base_depth: int, the depth of the bottleneck; the units' outputs are 4 times as deep.
        num_units: int.
        stride: int.

    Returns:
        Block.
    """
    return block_of(bottleneck, scope, base_depth, num_units, stride)


def _blocks(units: tuple[int, int, int, int]) -> list[Block]:
    sizes = zip(units, (64, 128, 256, 512), (2, 2, 2, 1), strict=True)
    return [resnet_v2_block(f"block{i}", depth, num, stride) for i, (num, depth, stride) in enumerate(sizes, 1)]


def resnet_v2_50(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: float | None = None,
    reuse: object = None,
    scope: ScopeLike = "resnet_v2_50",
) -> tuple[Any, dict[str, Any]]:
    """Adds the residual network of 50 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int; None to end before the logits.
        is_training: bool. If True, batch normalization uses the batch's mean and variance.
        global_pool: bool. If True, the blocks' outputs are averaged over each image.
        output_stride: int, how many pixels of the images one of the outputs stands for; None for the network's own.
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `output_stride` cannot be reached.
    """
    blocks = _blocks((3, 4, 6, 3))
    return resnet_v2(inputs, blocks, num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope)


def resnet_v2_101(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: float | None = None,
    reuse: object = None,
    scope: ScopeLike = "resnet_v2_101",
) -> tuple[Any, dict[str, Any]]:
    """Adds the residual network of 101 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int; None to end before the logits.
        is_training: bool. If True, batch normalization uses the batch's mean and variance.
        global_pool: bool. If True, the blocks' outputs are averaged over each image.
        output_stride: int, how many pixels of the images one of the outputs stands for; None for the network's own.
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `output_stride` cannot be reached.
    """
    blocks = _blocks((3, 4, 23, 3))
    return resnet_v2(inputs, blocks, num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope)


def resnet_v2_152(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: float | None = None,
    reuse: object = None,
    scope: ScopeLike = "resnet_v2_152",
) -> tuple[Any, dict[str, Any]]:
    """Adds the residual network of 152 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int; None to end before the logits.
        is_training: bool. If True, batch normalization uses the batch's mean and variance.
        global_pool: bool. If True, the blocks' outputs are averaged over each image.
        output_stride: int, how many pixels of the images one of the outputs stands for; None for the network's own.
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `output_stride` cannot be reached.
    """
    blocks = _blocks((3, 8, 36, 3))
    return resnet_v2(inputs, blocks, num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope)


def resnet_v2_200(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: float | None = None,
    reuse: object = None,
    scope: ScopeLike = "resnet_v2_200",
) -> tuple[Any, dict[str, Any]]:
    """Adds the residual network of 200 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int; None to end before the logits.
        is_training: bool. If True, batch normalization uses the batch's mean and variance.
        global_pool: bool. If True, the blocks' outputs are averaged over each image.
        output_stride: int, how many pixels of the images one of the outputs stands for; None for the network's own.
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `output_stride` cannot be reached.
    """
    blocks = _blocks((3, 24, 36, 3))
    return resnet_v2(inputs, blocks, num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope)


set_image_size(224, resnet_v2)
