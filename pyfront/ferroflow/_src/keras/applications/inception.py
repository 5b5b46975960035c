"""`InceptionV3` and `InceptionResNetV2`: branches of convolutions side by side."""

from __future__ import annotations

from typing import Any

from ferroflow._src.keras.applications.building import (
    Network,
    Weights,
    application,
    batch_normalized,
    channel_axis,
    channels_of,
    dense_head,
    relu,
    unbiased,
)
from ferroflow._src.keras.applications.chosen_layers import layers

_RELEASES = "https://github.com/fchollet/deep-learning-models/releases/download/"
_FILE_V3 = "inception_v3_weights_tf_dim_ordering_tf_kernels"
_FILE_RESNET = "inception_resnet_v2_weights_tf_dim_ordering_tf_kernels"

# A convolution: its filters, and their height and width.
_Convolution = tuple[int, Any]


def _convolved(x: Any, filters: int, size: Any, name: str | None = None, **options: Any) -> Any:
    options.setdefault("padding", "same")
    x = unbiased(x, filters, size, name, **options)
    x = batch_normalized(x, None if name is None else f"{name}_bn", scale=False)
    return relu(x, None if name is None else f"{name}_ac")


def _chain(x: Any, *steps: _Convolution) -> Any:
    for filters, size in steps:
        x = _convolved(x, filters, size)
    return x


def _shrinking(x: Any, *steps: _Convolution) -> Any:
    """Returns the output of a chain whose last convolution halves height and width."""
    filters, size = steps[-1]
    return _convolved(_chain(x, *steps[:-1]), filters, size, strides=2, padding="valid")


def _joined(branches: list[Any], name: str | None = None) -> Any:
    return layers.Concatenate(axis=channel_axis(), name=name)(branches)


def _mean(x: Any, filters: int) -> Any:
    return _convolved(layers.AveragePooling2D(3, strides=1, padding="same")(x), filters, 1)


def _stem(x: Any) -> Any:
    x = _convolved(x, 32, 3, strides=2, padding="valid")
    x = _convolved(x, 32, 3, padding="valid")
    x = _convolved(x, 64, 3)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = _convolved(x, 80, 1, padding="valid")
    x = _convolved(x, 192, 3, padding="valid")
    return layers.MaxPooling2D(3, strides=2)(x)


def _body_v3(x: Any) -> Any:
    x = _stem(x)
    for i, filters in enumerate((32, 64, 64)):
        small = _chain(x, (64, 1))
        medium = _chain(x, (48, 1), (64, 5))
        double = _chain(x, (64, 1), (96, 3), (96, 3))
        x = _joined([small, medium, double, _mean(x, filters)], f"mixed{i}")
    medium = _shrinking(x, (384, 3))
    double = _shrinking(x, (64, 1), (96, 3), (96, 3))
    x = _joined([medium, double, layers.MaxPooling2D(3, strides=2)(x)], "mixed3")
    for i, n in enumerate((128, 160, 160, 192), 4):
        small = _chain(x, (192, 1))
        medium = _chain(x, (n, 1), (n, (1, 7)), (192, (7, 1)))
        double = _chain(x, (n, 1), (n, (7, 1)), (n, (1, 7)), (n, (7, 1)), (192, (1, 7)))
        x = _joined([small, medium, double, _mean(x, 192)], f"mixed{i}")
    medium = _shrinking(x, (192, 1), (320, 3))
    double = _shrinking(x, (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3))
    x = _joined([medium, double, layers.MaxPooling2D(3, strides=2)(x)], "mixed8")
    for i in range(2):
        small = _chain(x, (320, 1))
        medium = _chain(x, (384, 1))
        medium = _joined([_chain(medium, (384, (1, 3))), _chain(medium, (384, (3, 1)))], f"mixed9_{i}")
        double = _chain(x, (448, 1), (384, 3))
        double = _joined([_chain(double, (384, (1, 3))), _chain(double, (384, (3, 1)))])
        x = _joined([small, medium, double, _mean(x, 192)], f"mixed{9 + i}")
    return x


def _sum_of_scaled(inputs: Any, scale: float) -> Any:
    return inputs[0] + inputs[1] * scale


def _residual(x: Any, branches: list[Any], scale: float, name: str, is_activated: bool = True) -> Any:
    mixed = _joined(branches, f"{name}_mixed")
    change = layers.Conv2D(channels_of(x), 1, padding="same", name=f"{name}_conv")(mixed)
    shape = x.get_shape().as_list()[1:]
    x = layers.Lambda(_sum_of_scaled, output_shape=shape, arguments={"scale": scale}, name=name)([x, change])
    return relu(x, f"{name}_ac") if is_activated else x


def _body_resnet(x: Any) -> Any:
    x = _stem(x)
    small = _chain(x, (96, 1))
    medium = _chain(x, (48, 1), (64, 5))
    double = _chain(x, (64, 1), (96, 3), (96, 3))
    x = _joined([small, medium, double, _mean(x, 64)], "mixed_5b")
    for i in range(1, 11):
        branches = [_chain(x, (32, 1)), _chain(x, (32, 1), (32, 3)), _chain(x, (32, 1), (48, 3), (64, 3))]
        x = _residual(x, branches, 0.17, f"block35_{i}")
    branches = [_shrinking(x, (384, 3)), _shrinking(x, (256, 1), (256, 3), (384, 3))]
    x = _joined([*branches, layers.MaxPooling2D(3, strides=2, padding="valid")(x)], "mixed_6a")
    for i in range(1, 21):
        branches = [_chain(x, (192, 1)), _chain(x, (128, 1), (160, (1, 7)), (192, (7, 1)))]
        x = _residual(x, branches, 0.1, f"block17_{i}")
    branches = [
        _shrinking(x, (256, 1), (384, 3)),
        _shrinking(x, (256, 1), (288, 3)),
        _shrinking(x, (256, 1), (288, 3), (320, 3)),
    ]
    x = _joined([*branches, layers.MaxPooling2D(3, strides=2, padding="valid")(x)], "mixed_7a")
    for i in range(1, 11):
        branches = [_chain(x, (192, 1)), _chain(x, (192, 1), (224, (1, 3)), (256, (3, 1)))]
        is_last = i == 10
        x = _residual(x, branches, 1.0 if is_last else 0.2, f"block8_{i}", is_activated=not is_last)
    return _convolved(x, 1536, 1, "conv_7b")


_HASHES_V3 = ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63")
_HASHES_RESNET = ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4")
_INCEPTION_V3 = Network(
    "inception_v3",
    _body_v3,
    dense_head("predictions"),
    299,
    75,
    Weights(f"{_RELEASES}v0.5/", f"{_FILE_V3}.h5", f"{_FILE_V3}_notop.h5", _HASHES_V3),
)
_INCEPTION_RESNET_V2 = Network(
    "inception_resnet_v2",
    _body_resnet,
    dense_head("predictions"),
    299,
    75,
    Weights(f"{_RELEASES}v0.7/", f"{_FILE_RESNET}.h5", f"{_FILE_RESNET}_notop.h5", _HASHES_RESNET),
)
InceptionV3 = application(
    "InceptionV3",
    _INCEPTION_V3,
    source="Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2016",
)
InceptionResNetV2 = application(
    "InceptionResNetV2",
    _INCEPTION_RESNET_V2,
    source="Szegedy et al., Inception-v4, Inception-ResNet and the Impact of Residual Connections on Learning, 2017",
)
