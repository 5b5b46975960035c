"""Residual networks: `ResNet50`, `ResNet101`, `ResNet152`, and their second versions."""

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

_URL = "https://github.com/keras-team/keras-applications/releases/download/resnet/"
_EPSILON = 1.001e-5
_FILTERS = (64, 128, 256, 512)


def _normalized(x: Any, name: str) -> Any:
    return batch_normalized(x, name, epsilon=_EPSILON)


def _block(x: Any, filters: int, stride: int, is_first: bool, name: str) -> Any:
    shortcut = x
    if is_first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x)
        shortcut = _normalized(shortcut, f"{name}_0_bn")
    x = layers.Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x)
    x = relu(_normalized(x, f"{name}_1_bn"), f"{name}_1_relu")
    x = layers.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x)
    x = relu(_normalized(x, f"{name}_2_bn"), f"{name}_2_relu")
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    x = _normalized(x, f"{name}_3_bn")
    x = layers.Add(name=f"{name}_add")([shortcut, x])
    return relu(x, f"{name}_out")


def _block_v2(x: Any, filters: int, stride: int, is_first: bool, name: str) -> Any:
    activated = relu(_normalized(x, f"{name}_preact_bn"), f"{name}_preact_relu")
    if is_first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(activated)
    else:
        shortcut = layers.MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = unbiased(activated, filters, 1, f"{name}_1_conv")
    x = relu(_normalized(x, f"{name}_1_bn"), f"{name}_1_relu")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name=f"{name}_2_pad")(x)
    x = unbiased(x, filters, 3, f"{name}_2_conv", strides=stride)
    x = relu(_normalized(x, f"{name}_2_bn"), f"{name}_2_relu")
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return layers.Add(name=f"{name}_out")([shortcut, x])


def _start(x: Any, is_second: bool) -> Any:
    x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)), name="conv1_pad")(x)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not is_second:
        x = relu(_normalized(x, "conv1_bn"), "conv1_relu")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name="pool1_pad")(x)
    return layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)


def _body(depths: tuple[int, ...], is_second: bool) -> Any:
    def first_version(x: Any) -> Any:
        x = _start(x, is_second)
        for stage, (filters, depth) in enumerate(zip(_FILTERS, depths, strict=True), 2):
            for i in range(1, depth + 1):
                stride = 2 if i == 1 and stage > 2 else 1
                x = _block(x, filters, stride, i == 1, f"conv{stage}_block{i}")
        return x

    def second_version(x: Any) -> Any:
        x = _start(x, is_second)
        for stage, (filters, depth) in enumerate(zip(_FILTERS, depths, strict=True), 2):
            for i in range(1, depth + 1):
                # The last block of a stage makes the pictures smaller.
                stride = 2 if i == depth and stage < 5 else 1
                x = _block_v2(x, filters, stride, i == 1, f"conv{stage}_block{i}")
        return relu(_normalized(x, "post_bn"), "post_relu")

    return second_version if is_second else first_version


def _resnet(name: str, depths: tuple[int, ...], is_second: bool, hashes: tuple[str, str]) -> Network:
    file = f"{name}_weights_tf_dim_ordering_tf_kernels"
    weights = Weights(_URL, f"{file}.h5", f"{file}_notop.h5", hashes)
    return Network(name, _body(depths, is_second), dense_head("probs"), 224, 32, weights, named_pools=True)


_DEPTHS_50, _DEPTHS_101, _DEPTHS_152 = (3, 4, 6, 3), (3, 4, 23, 3), (3, 8, 36, 3)
_RESNET50 = _resnet(
    "resnet50", _DEPTHS_50, False, ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626")
)
_RESNET101 = _resnet(
    "resnet101", _DEPTHS_101, False, ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21")
)
_RESNET152 = _resnet(
    "resnet152", _DEPTHS_152, False, ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c")
)
_RESNET50_V2 = _resnet(
    "resnet50v2", _DEPTHS_50, True, ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917")
)
_RESNET101_V2 = _resnet(
    "resnet101v2", _DEPTHS_101, True, ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5")
)
_RESNET152_V2 = _resnet(
    "resnet152v2", _DEPTHS_152, True, ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33")
)
ResNet50 = application("ResNet50", _RESNET50, source="He et al., Deep Residual Learning for Image Recognition, 2015")
ResNet101 = application("ResNet101", _RESNET101, source="He et al., Deep Residual Learning for Image Recognition, 2015")
ResNet152 = application("ResNet152", _RESNET152, source="He et al., Deep Residual Learning for Image Recognition, 2015")
ResNet50V2 = application(
    "ResNet50V2", _RESNET50_V2, source="He et al., Identity Mappings in Deep Residual Networks, 2016"
)
ResNet101V2 = application(
    "ResNet101V2", _RESNET101_V2, source="He et al., Identity Mappings in Deep Residual Networks, 2016"
)
ResNet152V2 = application(
    "ResNet152V2", _RESNET152_V2, source="He et al., Identity Mappings in Deep Residual Networks, 2016"
)
