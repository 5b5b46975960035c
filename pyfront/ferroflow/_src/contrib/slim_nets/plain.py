"""AlexNet, OverFeat and the VGG networks: convolutions and pooling layers in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import Collections, Initializer, ScopeLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import arg_scope
from ferroflow._src.contrib.layers.model_layers import conv2d, dropout, fully_connected, max_pool2d, repeat
from ferroflow._src.contrib.layers.model_utils import convert_collection_to_dict
from ferroflow._src.contrib.layers.regularizers import l2_regularizer
from ferroflow._src.contrib.slim_nets.image_sizes import set_image_size
from ferroflow._src.ops.array.shaping import squeeze
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.initializers import Constant, TruncatedNormal, Zeros
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "alexnet_v2",
    "alexnet_v2_arg_scope",
    "overfeat",
    "overfeat_arg_scope",
    "vgg_16",
    "vgg_19",
    "vgg_a",
    "vgg_arg_scope",
    "vgg_d",
    "vgg_e",
]


def _classes(net: Any, kernel: int, depths: tuple[int, int, int], training: tuple[bool, float], last: Any) -> Any:
    """Adds three convolutions in place of fully connected layers, the last without an activation."""
    is_training, keep_prob = training
    net = conv2d(net, depths[0], [kernel, kernel], padding="VALID", scope="fc6")
    net = dropout(net, keep_prob, is_training=is_training, scope="dropout6")
    net = conv2d(net, depths[1], [1, 1], scope="fc7")
    net = dropout(net, keep_prob, is_training=is_training, scope="dropout7")
    return conv2d(net, depths[2], [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8", **last)


def _finished(net: Any, scope: Any, collection: Collections, is_squeezed: bool) -> tuple[Any, dict[str, Any]]:
    end_points = convert_collection_to_dict(collection)
    if is_squeezed:
        net = squeeze(net, [1, 2], name="fc8/squeezed")
        end_points[f"{scope.name}/fc8"] = net
    return net, end_points


def alexnet_v2(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "alexnet_v2",
) -> tuple[Any, dict[str, Any]]:
    """Adds the second version of AlexNet, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops elements.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.
    """
    with variable_scope(scope, "alexnet_v2", [inputs]) as inner:
        collection = f"{inner.original_name_scope}_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=[collection]):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [3, 3], 2, scope="pool1")
            net = conv2d(net, 192, [5, 5], scope="conv2")
            net = max_pool2d(net, [3, 3], 2, scope="pool2")
            net = conv2d(net, 384, [3, 3], scope="conv3")
            net = conv2d(net, 384, [3, 3], scope="conv4")
            net = conv2d(net, 256, [3, 3], scope="conv5")
            net = max_pool2d(net, [3, 3], 2, scope="pool5")
            with _wide_layers():
                depths = (4096, 4096, num_classes)
                net = _classes(net, 5, depths, (is_training, dropout_keep_prob), {"biases_initializer": Zeros()})
        return _finished(net, inner, collection, spatial_squeeze)


def overfeat(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "overfeat",
) -> tuple[Any, dict[str, Any]]:
    """Adds the OverFeat network, made for images of 231 x 231.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops elements.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.
    """
    with variable_scope(scope, "overfeat", [inputs]) as inner:
        collection = f"{inner.name}_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=collection):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [2, 2], scope="pool1")
            net = conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
            net = max_pool2d(net, [2, 2], scope="pool2")
            net = conv2d(net, 512, [3, 3], scope="conv3")
            net = conv2d(net, 1024, [3, 3], scope="conv4")
            net = conv2d(net, 1024, [3, 3], scope="conv5")
            net = max_pool2d(net, [2, 2], scope="pool5")
            with _wide_layers():
                depths = (3072, 4096, num_classes)
                net = _classes(net, 6, depths, (is_training, dropout_keep_prob), {"biases_initializer": Zeros()})
        return _finished(net, inner, collection, spatial_squeeze)


def _wide_layers() -> Any:
    return arg_scope([conv2d], weights_initializer=TruncatedNormal(0.0, 0.005), biases_initializer=Constant(0.1))


def _vgg(
    inputs: TensorLike,
    repeats: Sequence[int],
    num_classes: int,
    training: tuple[bool, float],
    spatial_squeeze: bool,
    scopes: tuple[ScopeLike, str],
) -> tuple[Any, dict[str, Any]]:
    with variable_scope(*scopes, [inputs]) as inner:
        collection = f"{inner.original_name_scope}_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=collection):
            net: Any = inputs
            for i, (times, depth) in enumerate(zip(repeats, (64, 128, 256, 512, 512), strict=True), 1):
                net = repeat(net, times, conv2d, depth, [3, 3], scope=f"conv{i}")
                net = max_pool2d(net, [2, 2], scope=f"pool{i}")
            net = _classes(net, 7, (4096, 4096, num_classes), training, {})
        return _finished(net, inner, collection, spatial_squeeze)


def vgg_a(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "vgg_a",
) -> tuple[Any, dict[str, Any]]:
    """Adds the VGG network of 11 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops elements.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.
    """
    training, scopes = (is_training, dropout_keep_prob), (scope, "vgg_a")
    return _vgg(inputs, (1, 1, 2, 2, 2), num_classes, training, spatial_squeeze, scopes)


def vgg_16(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "vgg_16",
) -> tuple[Any, dict[str, Any]]:
    """Adds the VGG network of 16 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops elements.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.
    """
    training, scopes = (is_training, dropout_keep_prob), (scope, "vgg_16")
    return _vgg(inputs, (2, 2, 3, 3, 3), num_classes, training, spatial_squeeze, scopes)


def vgg_19(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "vgg_19",
) -> tuple[Any, dict[str, Any]]:
    """Adds the VGG network of 19 layers, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops elements.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.
    """
    training, scopes = (is_training, dropout_keep_prob), (scope, "vgg_19")
    return _vgg(inputs, (2, 2, 4, 4, 4), num_classes, training, spatial_squeeze, scopes)


vgg_d, vgg_e = vgg_16, vgg_19
set_image_size(224, alexnet_v2, vgg_a, vgg_16, vgg_19)
set_image_size(231, overfeat)


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Returns the arg scope of AlexNet, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.

    Returns:
        dict of default arguments by layer.
    """
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=relu,
            biases_initializer=Constant(0.1),
            weights_regularizer=l2_regularizer(weight_decay),
        ),
        arg_scope([conv2d], padding="SAME"),
        arg_scope([max_pool2d], padding="VALID") as scope,
    ):
        return scope


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Returns the arg scope of the VGG networks, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.

    Returns:
        dict of default arguments by layer.
    """
    return _same_padding(weight_decay, Zeros())


def overfeat_arg_scope(weight_decay: float = 0.0005) -> Any:
    """Returns the arg scope of OverFeat, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.

    Returns:
        dict of default arguments by layer.
    """
    with arg_scope([max_pool2d], padding="VALID"):
        return _same_padding(weight_decay, Zeros())


def _same_padding(weight_decay: float, biases: Initializer) -> Any:
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=biases,
        ),
        arg_scope([conv2d], padding="SAME") as scope,
    ):
        return scope
