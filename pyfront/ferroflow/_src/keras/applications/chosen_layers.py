"""The layers that the networks for images are made of: those of `tf.keras`, or of a program's own namespace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

from ferroflow._src.keras.activation_layers import ReLU
from ferroflow._src.keras.batch_normalization_layer import BatchNormalization
from ferroflow._src.keras.convolution_layers import Conv2D, DepthwiseConv2D, SeparableConv2D
from ferroflow._src.keras.core_layers import Activation, Dense, Dropout, Flatten, Lambda, Reshape
from ferroflow._src.keras.input_layer import Input
from ferroflow._src.keras.merging_layers import Add, Concatenate, add, concatenate
from ferroflow._src.keras.pooling_layers import (
    AveragePooling2D,
    GlobalAveragePooling2D,
    GlobalMaxPooling2D,
    MaxPooling2D,
)
from ferroflow._src.keras.spatial_layers import Cropping2D, ZeroPadding2D

_KERAS: Final = SimpleNamespace(
    Activation=Activation,
    Add=Add,
    AveragePooling2D=AveragePooling2D,
    BatchNormalization=BatchNormalization,
    Concatenate=Concatenate,
    Conv2D=Conv2D,
    Cropping2D=Cropping2D,
    Dense=Dense,
    DepthwiseConv2D=DepthwiseConv2D,
    Dropout=Dropout,
    Flatten=Flatten,
    GlobalAveragePooling2D=GlobalAveragePooling2D,
    GlobalMaxPooling2D=GlobalMaxPooling2D,
    Input=Input,
    Lambda=Lambda,
    MaxPooling2D=MaxPooling2D,
    ReLU=ReLU,
    Reshape=Reshape,
    SeparableConv2D=SeparableConv2D,
    ZeroPadding2D=ZeroPadding2D,
    add=add,
    concatenate=concatenate,
)
_chosen: ContextVar[Any] = ContextVar("chosen_layers", default=_KERAS)


class _Layers:
    """The layers of the network that is being built, by their names."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_chosen.get(), name)


layers: Final = _Layers()


@contextmanager
def chosen(namespace: Any) -> Iterator[None]:
    """Makes `layers` have the names of a namespace, while a network is built.

    Args:
        namespace: module or object with layers as attributes; None for the layers of `tf.keras`.
    """
    token = _chosen.set(_KERAS if namespace is None else namespace)
    try:
        yield
    finally:
        _chosen.reset(token)
