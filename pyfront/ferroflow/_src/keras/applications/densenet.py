"""`DenseNet121`, `DenseNet169` and `DenseNet201`: every layer of a block reads all layers before it."""

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

_URL = "https://github.com/keras-team/keras-applications/releases/download/densenet/"
_EPSILON = 1.001e-5
_GROWTH = 32  # channels that each layer adds


def _activated(x: Any, name: str) -> Any:
    return relu(batch_normalized(x, f"{name}bn", epsilon=_EPSILON), f"{name}relu")


def _dense_block(x: Any, depth: int, name: str) -> Any:
    for i in range(1, depth + 1):
        inner = f"{name}_block{i}"
        added = unbiased(_activated(x, f"{inner}_0_"), 4 * _GROWTH, 1, f"{inner}_1_conv")
        added = unbiased(_activated(added, f"{inner}_1_"), _GROWTH, 3, f"{inner}_2_conv", padding="same")
        x = layers.Concatenate(axis=channel_axis(), name=f"{inner}_concat")([x, added])
    return x


def _body(depths: tuple[int, ...]) -> Any:
    def body(x: Any) -> Any:
        x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)))(x)
        x = unbiased(x, 64, 7, "conv1/conv", strides=2)
        x = _activated(x, "conv1/")
        x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)))(x)
        x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
        for stage, depth in enumerate(depths, 2):
            x = _dense_block(x, depth, f"conv{stage}")
            if stage < 5:
                x = _activated(x, f"pool{stage}_")
                x = unbiased(x, channels_of(x) // 2, 1, f"pool{stage}_conv")
                x = layers.AveragePooling2D(2, strides=2, name=f"pool{stage}_pool")(x)
        return _activated(x, "")

    return body


def _densenet(name: str, depths: tuple[int, ...], hashes: tuple[str, str]) -> Network:
    file = f"{name}_weights_tf_dim_ordering_tf_kernels"
    weights = Weights(_URL, f"{file}.h5", f"{file}_notop.h5", hashes)
    return Network(name, _body(depths), dense_head("fc1000"), 224, 32, weights, named_pools=True)


_DENSENET121 = _densenet(
    "densenet121", (6, 12, 24, 16), ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738")
)
_DENSENET169 = _densenet(
    "densenet169", (6, 12, 32, 32), ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b")
)
_DENSENET201 = _densenet(
    "densenet201", (6, 12, 48, 32), ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1")
)
DenseNet121 = application(
    "DenseNet121", _DENSENET121, source="Huang et al., Densely Connected Convolutional Networks, 2017"
)
DenseNet169 = application(
    "DenseNet169", _DENSENET169, source="Huang et al., Densely Connected Convolutional Networks, 2017"
)
DenseNet201 = application(
    "DenseNet201", _DENSENET201, source="Huang et al., Densely Connected Convolutional Networks, 2017"
)
