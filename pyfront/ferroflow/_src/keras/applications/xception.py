"""`Xception`: separable convolutions with shortcuts."""

from __future__ import annotations

from typing import Any

from ferroflow._src.keras.applications.building import (
    Network,
    Weights,
    application,
    batch_normalized,
    dense_head,
    relu,
    unbiased,
)
from ferroflow._src.keras.applications.chosen_layers import layers

_URL = "https://github.com/fchollet/deep-learning-models/releases/download/v0.4/"
_FILE = "xception_weights_tf_dim_ordering_tf_kernels"


def _separable(x: Any, filters: int, name: str) -> Any:
    x = layers.SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name)(x)
    return batch_normalized(x, f"{name}_bn")


def _shrinking(x: Any, filters: tuple[int, int], block: int) -> Any:
    """Returns the output of a block that halves height and width."""
    shortcut = batch_normalized(unbiased(x, filters[1], 1, strides=2, padding="same"))
    for i, count in enumerate(filters, 1):
        # The first block with a shortcut reads what is activated already.
        if block > 2 or i > 1:
            x = relu(x, f"block{block}_sepconv{i}_act")
        x = _separable(x, count, f"block{block}_sepconv{i}")
    x = layers.MaxPooling2D(3, strides=2, padding="same", name=f"block{block}_pool")(x)
    return layers.add([x, shortcut])


def _body(x: Any) -> Any:
    x = unbiased(x, 32, 3, "block1_conv1", strides=2)
    x = relu(batch_normalized(x, "block1_conv1_bn"), "block1_conv1_act")
    x = unbiased(x, 64, 3, "block1_conv2")
    x = relu(batch_normalized(x, "block1_conv2_bn"), "block1_conv2_act")
    for block, filters in enumerate((128, 256, 728), 2):
        x = _shrinking(x, (filters, filters), block)
    for block in range(5, 13):
        shortcut = x
        for i in range(1, 4):
            x = relu(x, f"block{block}_sepconv{i}_act")
            x = _separable(x, 728, f"block{block}_sepconv{i}")
        x = layers.add([x, shortcut])
    x = _shrinking(x, (728, 1024), 13)
    for i, filters in enumerate((1536, 2048), 1):
        x = relu(_separable(x, filters, f"block14_sepconv{i}"), f"block14_sepconv{i}_act")
    return x


_HASHES = ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")
_XCEPTION = Network(
    "xception", _body, dense_head("predictions"), 299, 71, Weights(_URL, f"{_FILE}.h5", f"{_FILE}_notop.h5", _HASHES)
)
Xception = application(
    "Xception", _XCEPTION, source="Chollet, Xception: Deep Learning with Depthwise Separable Convolutions, 2017"
)
