"""Calls of layers that made tensors, and the tensors' masks: models are found by following them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.tensor import Tensor


class Call(NamedTuple):
    """One call of a layer, or of a model as a layer.

    Attributes:
        layer: the layer or model that was called.
        inputs: Tensor, or list of them.
        arguments: the other arguments.
        outputs: list of Tensor.
    """

    layer: Any
    inputs: Any
    arguments: dict[str, Any]
    outputs: list[Tensor]

    @property
    def outbound_layer(self) -> Any:
        """The layer that was called, under Keras's name."""
        return self.layer

    @property
    def inbound_layers(self) -> list[Any]:
        """The layers that the inputs came from."""
        return [made.layer for made in map(call_of, self.input_tensors) if made]

    @property
    def input_tensors(self) -> list[Any]:
        """The inputs as a list; of an `InputLayer`, its placeholder."""
        return nest.flatten(self.inputs) or self.outputs

    @property
    def output_tensors(self) -> list[Any]:
        """The outputs."""
        return self.outputs

    @property
    def input_shapes(self) -> list[tuple[int | None, ...]]:
        """The shapes of the inputs."""
        return [_shape(t) for t in self.input_tensors]

    @property
    def output_shapes(self) -> list[tuple[int | None, ...]]:
        """The shapes of the outputs."""
        return [_shape(t) for t in self.outputs]


def one_or_list(x: list[Any]) -> Any:
    """Returns the only element of a list with one element, else the list."""
    return x[0] if len(x) == 1 else x


def call_of(tensor: TensorLike) -> Call | None:
    """Returns the call that a tensor came from; None if it came from no layer of a model."""
    return getattr(tensor, "_keras_history", None)


def note_call(outputs: Any, layer: Any, inputs: TensorLike, arguments: dict[str, Any]) -> Call:
    """Keeps the call that made tensors."""
    call = Call(layer, inputs, arguments, [t for t in nest.flatten(outputs) if isinstance(t, Tensor)])
    for output in call.outputs:
        vars(output)["_keras_history"] = call
    return call


def mask_of(tensor: TensorLike) -> Tensor | None:
    """Returns the mask of a layer's output: Tensor of bool, of shape [batch, steps]; None if all steps count."""
    return getattr(tensor, "_keras_mask", None)


def masks_of(tensors: TensorLike) -> Any:
    """Returns the mask of a tensor, or the list of those of several."""
    return [mask_of(t) for t in tensors] if isinstance(tensors, (list, tuple)) else mask_of(tensors)


def note_masks(outputs: Any, masks: Any) -> None:
    """Keeps the masks of outputs; None for no masks."""
    given = list(masks) if isinstance(masks, (list, tuple)) else [masks]
    for output, mask in zip(nest.flatten(outputs), given, strict=False):
        if mask is not None and isinstance(output, Tensor):
            vars(output)["_keras_mask"] = mask


def _shape(tensor: Any) -> Any:
    if not hasattr(tensor, "get_shape"):
        return np.shape(tensor)
    shape = tensor.get_shape()
    return None if shape.ndims is None else tuple(shape.as_list())


def shape_of(tensors: TensorLike) -> Any:
    """Returns the shape of a tensor as a tuple, or the list of those of several."""
    return one_or_list([_shape(t) for t in nest.flatten(tensors)])
