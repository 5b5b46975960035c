"""Inception v1, v2 and v3 as tables of branches, with their arg scopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base.typing import Collections, ScopeLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import arg_scope
from ferroflow._src.contrib.layers.fan_initializers import variance_scaling_initializer
from ferroflow._src.contrib.layers.model_convolutions import separable_conv2d
from ferroflow._src.contrib.layers.model_layers import avg_pool2d, batch_norm, conv2d, dropout, fully_connected
from ferroflow._src.contrib.layers.model_units import softmax
from ferroflow._src.contrib.layers.regularizers import l2_regularizer
from ferroflow._src.contrib.slim_nets.image_sizes import set_image_size
from ferroflow._src.contrib.slim_nets.rows import (
    TRAINED_LAYERS,
    Mixed,
    Networks,
    Step,
    add_rows,
    batch_norm_params,
    classify,
    kernel_within,
    scaled_depth,
)
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.shaping import squeeze
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.initializers import TruncatedNormal
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "inception_v1",
    "inception_v1_arg_scope",
    "inception_v1_base",
    "inception_v2",
    "inception_v2_arg_scope",
    "inception_v2_base",
    "inception_v3",
    "inception_v3_arg_scope",
    "inception_v3_base",
]


def _v1(scope: str, direct: int, middle: tuple[int, int], wide: tuple[int, int], pooled: int) -> Mixed:
    # Published checkpoints have this scope twice in Mixed_5b.
    last = "Conv2d_0a_3x3" if scope == "Mixed_5b" else "Conv2d_0b_3x3"
    return Mixed(
        scope,
        (
            (Step("Conv2d_0a_1x1", direct),),
            (Step("Conv2d_0a_1x1", middle[0]), Step("Conv2d_0b_3x3", middle[1])),
            (Step("Conv2d_0a_1x1", wide[0]), Step(last, wide[1])),
            (Step("MaxPool_0a_3x3"), Step("Conv2d_0b_1x1", pooled)),
        ),
    )


_V1: Final[Networks] = (
    Step("Conv2d_1a_7x7", 64, 2),
    Step("MaxPool_2a_3x3", stride=2),
    Step("Conv2d_2b_1x1", 64),
    Step("Conv2d_2c_3x3", 192),
    Step("MaxPool_3a_3x3", stride=2),
    _v1("Mixed_3b", 64, (96, 128), (16, 32), 32),
    _v1("Mixed_3c", 128, (128, 192), (32, 96), 64),
    Step("MaxPool_4a_3x3", stride=2),
    _v1("Mixed_4b", 192, (96, 208), (16, 48), 64),
    _v1("Mixed_4c", 160, (112, 224), (24, 64), 64),
    _v1("Mixed_4d", 128, (128, 256), (24, 64), 64),
    _v1("Mixed_4e", 112, (144, 288), (32, 64), 64),
    _v1("Mixed_4f", 256, (160, 320), (32, 128), 128),
    Step("MaxPool_5a_2x2", stride=2),
    _v1("Mixed_5b", 256, (160, 320), (32, 128), 128),
    _v1("Mixed_5c", 384, (192, 384), (48, 128), 128),
)


def _v2(
    scope: str, direct: int, middle: tuple[int, int], wide: tuple[int, int], pooled: int, pool: str = "AvgPool"
) -> Mixed:
    return Mixed(
        scope,
        (
            (Step("Conv2d_0a_1x1", direct),),
            (Step("Conv2d_0a_1x1", middle[0], stddev=0.09), Step("Conv2d_0b_3x3", middle[1])),
            (
                Step("Conv2d_0a_1x1", wide[0], stddev=0.09),
                Step("Conv2d_0b_3x3", wide[1]),
                Step("Conv2d_0c_3x3", wide[1]),
            ),
            (Step(f"{pool}_0a_3x3"), Step("Conv2d_0b_1x1", pooled, stddev=0.1)),
        ),
    )


def _v2_smaller(scope: str, middle: tuple[int, int], wide: tuple[int, int]) -> Mixed:
    return Mixed(
        scope,
        (
            (Step("Conv2d_0a_1x1", middle[0], stddev=0.09), Step("Conv2d_1a_3x3", middle[1], 2)),
            (
                Step("Conv2d_0a_1x1", wide[0], stddev=0.09),
                Step("Conv2d_0b_3x3", wide[1]),
                Step("Conv2d_1a_3x3", wide[1], 2),
            ),
            (Step("MaxPool_1a_3x3", stride=2),),
        ),
    )


_V2: Final[Networks] = (
    Step("MaxPool_2a_3x3", stride=2),
    Step("Conv2d_2b_1x1", 64, stddev=0.1),
    Step("Conv2d_2c_3x3", 192),
    Step("MaxPool_3a_3x3", stride=2),
    _v2("Mixed_3b", 64, (64, 64), (64, 96), 32),
    _v2("Mixed_3c", 64, (64, 96), (64, 96), 64),
    _v2_smaller("Mixed_4a", (128, 160), (64, 96)),
    _v2("Mixed_4b", 224, (64, 96), (96, 128), 128),
    _v2("Mixed_4c", 192, (96, 128), (96, 128), 128),
    _v2("Mixed_4d", 160, (128, 160), (128, 160), 96),
    _v2("Mixed_4e", 96, (128, 192), (160, 192), 96),
    _v2_smaller("Mixed_5a", (128, 192), (192, 256)),
    _v2("Mixed_5b", 352, (192, 320), (160, 224), 128),
    _v2("Mixed_5c", 352, (192, 320), (192, 224), 128, "MaxPool"),
)


def _v3_large(scope: str, pooled: int, middle: tuple[str, str] = ("Conv2d_0a_1x1", "Conv2d_0b_5x5")) -> Mixed:
    return Mixed(
        scope,
        (
            (Step("Conv2d_0a_1x1", 64),),
            (Step(middle[0], 48), Step(middle[1], 64)),
            (Step("Conv2d_0a_1x1", 64), Step("Conv2d_0b_3x3", 96), Step("Conv2d_0c_3x3", 96)),
            (Step("AvgPool_0a_3x3"), Step("Conv2d_0b_1x1", pooled)),
        ),
    )


def _v3_middle(scope: str, depth: int) -> Mixed:
    return Mixed(
        scope,
        (
            (Step("Conv2d_0a_1x1", 192),),
            (Step("Conv2d_0a_1x1", depth), Step("Conv2d_0b_1x7", depth), Step("Conv2d_0c_7x1", 192)),
            (
                Step("Conv2d_0a_1x1", depth),
                Step("Conv2d_0b_7x1", depth),
                Step("Conv2d_0c_1x7", depth),
                Step("Conv2d_0d_7x1", depth),
                Step("Conv2d_0e_1x7", 192),
            ),
            (Step("AvgPool_0a_3x3"), Step("Conv2d_0b_1x1", 192)),
        ),
    )


def _v3_small(scope: str, second: str) -> Mixed:
    return Mixed(
        scope,
        (
            (Step("Conv2d_0a_1x1", 320),),
            (Step("Conv2d_0a_1x1", 384), (Step("Conv2d_0b_1x3", 384), Step(second, 384))),
            (
                Step("Conv2d_0a_1x1", 448),
                Step("Conv2d_0b_3x3", 384),
                (Step("Conv2d_0c_1x3", 384), Step("Conv2d_0d_3x1", 384)),
            ),
            (Step("AvgPool_0a_3x3"), Step("Conv2d_0b_1x1", 192)),
        ),
    )


_V3: Final[Networks] = (
    Step("Conv2d_1a_3x3", 32, 2),
    Step("Conv2d_2a_3x3", 32),
    Step("Conv2d_2b_3x3", 64, padding="SAME"),
    Step("MaxPool_3a_3x3", stride=2),
    Step("Conv2d_3b_1x1", 80),
    Step("Conv2d_4a_3x3", 192),
    Step("MaxPool_5a_3x3", stride=2),
    _v3_large("Mixed_5b", 32),
    _v3_large("Mixed_5c", 64, ("Conv2d_0b_1x1", "Conv_1_0c_5x5")),
    _v3_large("Mixed_5d", 64),
    Mixed(
        "Mixed_6a",
        (
            # The scopes say 1x1, and so do checkpoints; the kernels are larger.
            (Step("Conv2d_1a_1x1", 384, 2, (3, 3), "VALID"),),
            (
                Step("Conv2d_0a_1x1", 64),
                Step("Conv2d_0b_3x3", 96),
                Step("Conv2d_1a_1x1", 96, 2, (3, 3), "VALID"),
            ),
            (Step("MaxPool_1a_3x3", stride=2, padding="VALID"),),
        ),
    ),
    _v3_middle("Mixed_6b", 128),
    _v3_middle("Mixed_6c", 160),
    _v3_middle("Mixed_6d", 160),
    _v3_middle("Mixed_6e", 192),
    Mixed(
        "Mixed_7a",
        (
            (Step("Conv2d_0a_1x1", 192), Step("Conv2d_1a_3x3", 320, 2, padding="VALID")),
            (
                Step("Conv2d_0a_1x1", 192),
                Step("Conv2d_0b_1x7", 192),
                Step("Conv2d_0c_7x1", 192),
                Step("Conv2d_1a_3x3", 192, 2, padding="VALID"),
            ),
            (Step("MaxPool_1a_3x3", stride=2, padding="VALID"),),
        ),
    ),
    _v3_small("Mixed_7b", "Conv2d_0b_3x1"),
    _v3_small("Mixed_7c", "Conv2d_0c_3x1"),
)


def inception_v1_base(
    inputs: TensorLike, final_endpoint: str = "Mixed_5c", scope: ScopeLike = "InceptionV1"
) -> tuple[Any, dict[str, Any]]:
    """Adds the Inception v1 network up to an end point.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        final_endpoint: str, name of the last layer, such as "Mixed_4c".
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `final_endpoint` names no layer.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope([conv2d, fully_connected], weights_initializer=TruncatedNormal(0.0, 0.01)),
    ):
        return add_rows(inputs, _V1, final_endpoint, {}, int, "SAME")


def inception_v2_base(
    inputs: TensorLike,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: ScopeLike | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Adds the Inception v2 network up to an end point.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        final_endpoint: str, name of the last layer, such as "Mixed_4c".
        min_depth: int, least depth of a layer.
        depth_multiplier: float, factor of all depths.
        scope: str or VariableScope; None for "InceptionV2".

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `final_endpoint` names no layer, or `depth_multiplier` is not positive.
    """
    depth = scaled_depth(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV2", [inputs]):
        first = "Conv2d_1a_7x7"
        net = separable_conv2d(
            inputs,
            depth(64),
            [7, 7],
            depth_multiplier=min(int(depth(64) / 3), 8),
            stride=2,
            padding="SAME",
            weights_initializer=TruncatedNormal(0.0, 1.0),
            scope=first,
        )
        end_points = {first: net}
        if final_endpoint == first:
            return net, end_points
        return add_rows(net, _V2, final_endpoint, end_points, depth, "SAME")


def inception_v3_base(
    inputs: TensorLike,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: ScopeLike | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Adds the Inception v3 network up to an end point.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        final_endpoint: str, name of the last layer, such as "Mixed_6e".
        min_depth: int, least depth of a layer.
        depth_multiplier: float, factor of all depths.
        scope: str or VariableScope; None for "InceptionV3".

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, rows, columns, depth], and a dict of the outputs by name.

    Raises:
        ValueError: if `final_endpoint` names no layer, or `depth_multiplier` is not positive.
    """
    depth = scaled_depth(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV3", [inputs]):
        return add_rows(inputs, _V3, final_endpoint, {}, depth, "VALID")


def inception_v1(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: object = None,
    scope: ScopeLike = "InceptionV1",
) -> tuple[Any, dict[str, Any]]:
    """Adds the Inception v1 network, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops and batch normalization uses the batch's mean and variance.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        prediction_fn: function of logits that gives predictions.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs], reuse=reuse) as inner,
        arg_scope(TRAINED_LAYERS, is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=inner)
        with variable_scope("Logits"):
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_0b")
            logits = classify(net, num_classes, "Conv2d_0c_1x1", spatial_squeeze)
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def inception_v2(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: object = None,
    scope: ScopeLike = "InceptionV2",
) -> tuple[Any, dict[str, Any]]:
    """Adds the Inception v2 network, made for images of 224 x 224.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops and batch normalization uses the batch's mean and variance.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        min_depth: int, least depth of a layer.
        depth_multiplier: float, factor of all depths.
        prediction_fn: function of logits that gives predictions.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name.

    Raises:
        ValueError: if `depth_multiplier` is not positive.
    """
    scaled_depth(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV2", [inputs], reuse=reuse) as inner,
        arg_scope(TRAINED_LAYERS, is_training=is_training),
    ):
        net, end_points = inception_v2_base(inputs, scope=inner, min_depth=min_depth, depth_multiplier=depth_multiplier)
        with variable_scope("Logits"):
            kernel = kernel_within(net, (7, 7))
            net = avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            logits = classify(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def inception_v3(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: object = None,
    scope: ScopeLike = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """Adds the Inception v3 network, made for images of 299 x 299.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        num_classes: int.
        is_training: bool. If True, dropout drops and batch normalization uses the batch's mean and variance.
        dropout_keep_prob: float, the share of elements that dropout keeps.
        min_depth: int, least depth of a layer.
        depth_multiplier: float, factor of all depths.
        prediction_fn: function of logits that gives predictions.
        spatial_squeeze: bool. If True, the logits have shape [batch, num_classes].
        reuse: bool. If True, variables that exist are used.
        scope: str or VariableScope.

    Returns:
        Tensor of the dtype of `inputs`, the logits, and a dict of the outputs by name, "AuxLogits" among them.

    Raises:
        ValueError: if `depth_multiplier` is not positive.
    """
    depth = scaled_depth(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV3", [inputs], reuse=reuse) as inner,
        arg_scope(TRAINED_LAYERS, is_training=is_training),
    ):
        net, end_points = inception_v3_base(inputs, scope=inner, min_depth=min_depth, depth_multiplier=depth_multiplier)
        with variable_scope("AuxLogits"):
            aux = avg_pool2d(end_points["Mixed_6e"], [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
            aux = conv2d(aux, depth(128), [1, 1], scope="Conv2d_1b_1x1")
            kernel = kernel_within(aux, (5, 5))
            aux = conv2d(
                aux,
                depth(768),
                kernel,
                padding="VALID",
                weights_initializer=TruncatedNormal(0.0, 0.01),
                scope="Conv2d_2a_{}x{}".format(*kernel),
            )
            aux = conv2d(
                aux,
                num_classes,
                [1, 1],
                activation_fn=None,
                normalizer_fn=None,
                weights_initializer=TruncatedNormal(0.0, 0.001),
                scope="Conv2d_2b_1x1",
            )
            end_points["AuxLogits"] = squeeze(aux, [1, 2], name="SpatialSqueeze") if spatial_squeeze else aux
        with variable_scope("Logits"):
            kernel = kernel_within(net, (8, 8))
            net = avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
            net = end_points["PreLogits"] = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            logits = classify(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


set_image_size(224, inception_v1, inception_v2)
set_image_size(299, inception_v3)


def inception_v1_arg_scope(
    weight_decay: float = 0.00004, use_batch_norm: bool = True, batch_norm_var_collection: str = "moving_vars"
) -> Any:
    """Returns the arg scope of the Inception v1 network, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.
        use_batch_norm: bool. If True, convolutions are normalized.
        batch_norm_var_collection: str, key of the collection of moving means and variances.

    Returns:
        dict of default arguments by layer.
    """
    params = batch_norm_params(batch_norm_var_collection)
    return _arg_scope(weight_decay, params if use_batch_norm else None)


def inception_v2_arg_scope(weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars") -> Any:
    """Returns the arg scope of the Inception v2 network, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.
        batch_norm_var_collection: str, key of the collection of moving means and variances.

    Returns:
        dict of default arguments by layer.
    """
    return _arg_scope(weight_decay, batch_norm_params(batch_norm_var_collection))


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Collections | None = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Any:
    """Returns the arg scope of the Inception v3 network, a dict for `arg_scope`.

    Args:
        weight_decay: float, factor of the L2 regularization.
        batch_norm_var_collection: str, key of the collection of moving means and variances.
        batch_norm_decay: float, decay of moving means and variances.
        batch_norm_epsilon: float, added to variances.
        updates_collections: str, key of the collection of updates; None to update at once.
        use_fused_batchnorm: bool. If True, one operation normalizes.

    Returns:
        dict of default arguments by layer.
    """
    others = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "updates_collections": updates_collections,
        "fused": use_fused_batchnorm,
    }
    return _arg_scope(weight_decay, batch_norm_params(batch_norm_var_collection, **others))


def _arg_scope(weight_decay: float, normalizer_params: dict[str, Any] | None) -> Any:
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [conv2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=None if normalizer_params is None else batch_norm,
            normalizer_params=normalizer_params or {},
        ) as scope,
    ):
        return scope
