"""`MobileNet` and `MobileNetV2`: depthwise convolutions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ferroflow._src.keras.applications.building import (
    Network,
    Weights,
    batch_normalized,
    channel_axis,
    channels_of,
    correct_pad,
    dense_head,
    input_shape_of,
    network,
    relu6,
    unbiased,
)
from ferroflow._src.keras.applications.chosen_layers import layers
from ferroflow._src.keras.model import Model
from ferroflow._src.layers.nodes import call_of

_URL = "https://github.com/fchollet/deep-learning-models/releases/download/v0.6/"
_URL_V2 = "https://github.com/JonathanCMitchell/mobilenet_v2_keras/releases/download/v1.1/"
_SIZES, _SIZES_V2 = (128, 160, 192, 224), (96, 128, 160, 192, 224)
_ALPHAS = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}
_ALPHAS_V2 = (0.35, 0.5, 0.75, 1.0, 1.3, 1.4)
# Filters of the separable convolutions of MobileNet, and their strides.
_BLOCKS = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1)),
)
# Filters of the blocks of MobileNetV2, their strides, and the factor by which they widen.
_BLOCKS_V2 = (
    *((16, 1, 1), (24, 2, 6), (24, 1, 6), (32, 2, 6), (32, 1, 6), (32, 1, 6), (64, 2, 6), (64, 1, 6), (64, 1, 6)),
    *((64, 1, 6), (96, 1, 6), (96, 1, 6), (96, 1, 6), (160, 2, 6), (160, 1, 6), (160, 1, 6), (320, 1, 6)),
)


def _body(alpha: float, depth_multiplier: int) -> Callable[[Any], Any]:
    def body(x: Any) -> Any:
        x = layers.ZeroPadding2D(padding=((0, 1), (0, 1)), name="conv1_pad")(x)
        x = unbiased(x, int(32 * alpha), 3, "conv1", strides=2)
        x = relu6(batch_normalized(x, "conv1_bn"), "conv1_relu")
        for block, (filters, stride) in enumerate(_BLOCKS, 1):
            if stride > 1:
                x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{block}")(x)
            x = layers.DepthwiseConv2D(
                3,
                padding="same" if stride == 1 else "valid",
                depth_multiplier=depth_multiplier,
                strides=stride,
                use_bias=False,
                name=f"conv_dw_{block}",
            )(x)
            x = relu6(batch_normalized(x, f"conv_dw_{block}_bn"), f"conv_dw_{block}_relu")
            x = unbiased(x, int(filters * alpha), 1, f"conv_pw_{block}", padding="same")
            x = relu6(batch_normalized(x, f"conv_pw_{block}_bn"), f"conv_pw_{block}_relu")
        return x

    return body


def _head(alpha: float, dropout: float) -> Callable[[Any, int], Any]:
    def head(x: Any, classes: int) -> Any:
        width = int(1024 * alpha)
        x = layers.GlobalAveragePooling2D()(x)
        x = layers.Reshape((width, 1, 1) if channel_axis() == 1 else (1, 1, width), name="reshape_1")(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = layers.Conv2D(classes, 1, padding="same", name="conv_preds")(x)
        x = layers.Reshape((classes,), name="reshape_2")(x)
        return layers.Activation("softmax", name="act_softmax")(x)

    return head


def _rows(shape: Any) -> tuple[int | None, int | None]:
    sizes = [size for i, size in enumerate(shape) if i != channel_axis() - 1]
    return sizes[0], sizes[1]


def _default_size(shape: Any, sizes: tuple[int, ...]) -> int:
    """Returns the size of images whose weights fit: a square of a known size, else 224."""
    if shape is None or len(shape) != 3:
        return 224
    height, width = _rows(shape)
    return height if height is not None and height == width and height in sizes else 224


def _trained_rows(shape: Any, default_size: int, is_fixed: bool, weights: Any, sizes: tuple[int, ...]) -> Any:
    """Returns the height in the model's name, which is that of the weights' images if ImageNet's are requested."""
    height, width = _rows(input_shape_of(shape, default_size, 32, is_fixed, weights))
    if weights == "imagenet" and (height != width or height not in sizes):
        warnings.warn(
            f"`input_shape` is undefined or non-square, or `rows` is not in {list(sizes)}. Weights for input shape "
            "(224, 224) will be loaded as the default.",
            stacklevel=3,
        )
        return 224
    return height


def MobileNet(  # noqa: N802  # Keras's spelling
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 1e-3,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    layers: Any = None,
    backend: Any = None,
    models: Any = None,
    utils: Any = None,
) -> Model:
    """Returns the network MobileNet.

    Args:
        input_shape: tuple of int, the shape of an image; None for (224, 224, 3).
        alpha: float, a factor for the number of all filters.
        depth_multiplier: int, the number of filters for each channel in depthwise convolutions.
        dropout: float, the part of the last features that is left out in training.
        include_top: bool. If True, the model ends with the predictions of classes.
        weights: "imagenet", str or None, as for `network`.
        input_tensor: Tensor of float32, of shape [batch, height, width, channels], the input; None for a new one.
        pooling: "avg", "max" or None, as for `network`.
        classes: int, the number of classes.
        layers: module or object whose layers the network has, as for `network`.
        backend: accepted; the network uses that of `tf.keras`.
        models: accepted, as `backend`.
        utils: accepted, as `backend`.

    Returns:
        Model.

    Raises:
        ValueError: if ImageNet's weights are requested for another `alpha` or `depth_multiplier` than theirs; also on
            the same conditions as `network`.

    Source: Howard et al., MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications, 2017.
    """
    if weights == "imagenet":
        if depth_multiplier != 1:
            raise ValueError("If imagenet weights are being loaded, depth multiplier must be 1")
        if alpha not in _ALPHAS:
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of`0.25`, `0.50`, `0.75` or `1.0` only."
            )
    size = _default_size(input_shape, _SIZES)
    rows = _trained_rows(input_shape, size, include_top, weights, _SIZES)
    file = f"mobilenet_{_ALPHAS.get(alpha, '1_0')}_{rows}_tf"
    made = Network(
        f"mobilenet_{alpha:0.2f}_{rows}",
        _body(alpha, depth_multiplier),
        _head(alpha, dropout),
        size,
        32,
        Weights(_URL, f"{file}.h5", f"{file}_no_top.h5"),
    )
    return network(made, include_top, weights, input_tensor, input_shape, pooling, classes, layers)


def _divisible(count: float, divisor: int = 8) -> int:
    """Returns the nearest multiple of the divisor that is not below nine tenths of a count."""
    near = max(divisor, int(count + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * count else near


def _unbiased_v2(x: Any, filters: int, size: int, name: str, **options: Any) -> Any:
    # Programs that replace this network's layers expect the filters' size as an argument with its name.
    return layers.Conv2D(filters, kernel_size=size, use_bias=False, name=name, **options)(x)


def _normalized_v2(x: Any, name: str) -> Any:
    return batch_normalized(x, name, epsilon=1e-3, momentum=0.999)


def _block_v2(x: Any, filters: int, stride: int, expansion: int, alpha: float, block: int) -> Any:
    inputs, channels = x, channels_of(x)
    width = _divisible(int(filters * alpha))
    name = f"block_{block}_" if block else "expanded_conv_"
    if block:
        x = _unbiased_v2(x, expansion * channels, 1, f"{name}expand", padding="same")
        x = relu6(_normalized_v2(x, f"{name}expand_BN"), f"{name}expand_relu")
    if stride == 2:
        x = layers.ZeroPadding2D(padding=correct_pad(x, 3), name=f"{name}pad")(x)
    padding = "same" if stride == 1 else "valid"
    x = layers.DepthwiseConv2D(kernel_size=3, strides=stride, use_bias=False, padding=padding, name=f"{name}depthwise")(
        x
    )
    x = relu6(_normalized_v2(x, f"{name}depthwise_BN"), f"{name}depthwise_relu")
    x = _unbiased_v2(x, width, 1, f"{name}project", padding="same")
    x = _normalized_v2(x, f"{name}project_BN")
    return layers.Add(name=f"{name}add")([inputs, x]) if channels == width and stride == 1 else x


def _body_v2(alpha: float) -> Callable[[Any], Any]:
    def body(x: Any) -> Any:
        x = layers.ZeroPadding2D(padding=correct_pad(x, 3), name="Conv1_pad")(x)
        x = _unbiased_v2(x, _divisible(32 * alpha), 3, "Conv1", strides=2, padding="valid")
        x = relu6(_normalized_v2(x, "bn_Conv1"), "Conv1_relu")
        for block, (filters, stride, expansion) in enumerate(_BLOCKS_V2):
            x = _block_v2(x, filters, stride, expansion, alpha, block)
        x = _unbiased_v2(x, _divisible(1280 * alpha) if alpha > 1 else 1280, 1, "Conv_1")
        return relu6(_normalized_v2(x, "Conv_1_bn"), "out_relu")

    return body


def MobileNetV2(  # noqa: N802  # Keras's spelling
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    layers: Any = None,
    backend: Any = None,
    models: Any = None,
    utils: Any = None,
) -> Model:
    """Returns the network MobileNetV2.

    Args:
        input_shape: tuple of int, the shape of an image; None for (224, 224, 3), or that of `input_tensor`.
        alpha: float, a factor for the number of all filters.
        include_top: bool. If True, the model ends with the predictions of classes.
        weights: "imagenet", str or None, as for `network`.
        input_tensor: Tensor of float32, of shape [batch, height, width, channels], the input; None for a new one.
        pooling: "avg", "max" or None, as for `network`.
        classes: int, the number of classes.
        layers: module or object whose layers the network has, as for `network`.
        backend: accepted; the network uses that of `tf.keras`.
        models: accepted, as `backend`.
        utils: accepted, as `backend`.

    Returns:
        Model.

    Raises:
        ValueError: if ImageNet's weights are requested for another `alpha` than theirs, or `input_shape` is not that of
            `input_tensor`; also on the same conditions as `network`.

    Source: Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, 2018.
    """
    given = input_shape
    if input_tensor is not None and call_of(input_tensor):
        of_tensor = tuple(input_tensor.get_shape().as_list()[1:])
        if input_shape is not None and _rows(of_tensor)[1] != _rows(input_shape)[1]:
            raise ValueError(
                f"input_shape: {input_shape} and input_tensor: {input_tensor} do not meet the same shape requirements"
            )
        given = input_shape or of_tensor
    if weights == "imagenet" and alpha not in _ALPHAS_V2:
        raise ValueError(
            "If imagenet weights are being loaded, alpha can be one of `0.35`, `0.50`, `0.75`, `1.0`, `1.3` or `1.4` "
            "only."
        )
    size = _default_size(given, _SIZES_V2)
    rows = _trained_rows(input_shape, size, include_top, weights, _SIZES_V2)
    file = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{alpha}_{rows}"
    made = Network(
        f"mobilenetv2_{alpha:0.2f}_{rows}",
        _body_v2(alpha),
        dense_head("Logits", None),
        size,
        32,
        Weights(_URL_V2, f"{file}.h5", f"{file}_no_top.h5"),
    )
    return network(made, include_top, weights, input_tensor, input_shape, pooling, classes, layers)
