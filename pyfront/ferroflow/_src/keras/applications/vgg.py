"""`VGG16` and `VGG19`."""

from __future__ import annotations

from typing import Any

from ferroflow._src.keras.applications.building import Network, Weights, application
from ferroflow._src.keras.applications.chosen_layers import layers

_URL = "https://github.com/fchollet/deep-learning-models/releases/download/v0.1/"
_FILTERS = (64, 128, 256, 512, 512)


def _head(x: Any, classes: int) -> Any:
    x = layers.Flatten(name="flatten")(x)
    x = layers.Dense(4096, activation="relu", name="fc1")(x)
    x = layers.Dense(4096, activation="relu", name="fc2")(x)
    return layers.Dense(classes, activation="softmax", name="predictions")(x)


def _vgg(name: str, depths: tuple[int, ...], hashes: tuple[str, str]) -> Network:
    def body(x: Any) -> Any:
        for block, (filters, depth) in enumerate(zip(_FILTERS, depths, strict=True), 1):
            for i in range(1, depth + 1):
                x = layers.Conv2D(filters, 3, activation="relu", padding="same", name=f"block{block}_conv{i}")(x)
            x = layers.MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)
        return x

    file = f"{name}_weights_tf_dim_ordering_tf_kernels"
    weights = Weights(_URL, f"{file}.h5", f"{file}_notop.h5", hashes)
    return Network(name, body, _head, 224, 32, weights)


_VGG16 = _vgg("vgg16", (2, 2, 3, 3, 3), ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc"))
_VGG19 = _vgg("vgg19", (2, 2, 4, 4, 4), ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6"))
VGG16 = application(
    "VGG16",
    _VGG16,
    source="Simonyan, Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, 2015",
)
VGG19 = application(
    "VGG19",
    _VGG19,
    source="Simonyan, Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, 2015",
)
