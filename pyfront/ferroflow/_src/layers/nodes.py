"""Calls of layers that made tensors, and the tensors' masks: models are found by following them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np

from ferroflow._src.base import nest
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor

_SYMBOLIC = (Tensor, SparseTensor)
# Graphs with inputs of models.
_graphs: WeakSet[Any] = WeakSet()
_makers: list[Callable[[list[Tensor]], None]] = []


class KerasHistory(NamedTuple):
    """The place where a tensor was made.

    Attributes:
        layer: the layer or model that was called.
        node_index: int, the number of the call.
        tensor_index: int, the number of the output.
    """

    layer: Any
    node_index: int
    tensor_index: int


class Call(NamedTuple):
    """One call of a layer, or of a model as a layer.

    Attributes:
        layer: the layer or model that was called.
        inputs: Tensor, or list of them.
        arguments: the other arguments.
        outputs: list of Tensors and SparseTensors.
        result: the outputs as the layer returned them.
    """

    layer: Any
    inputs: Any
    arguments: dict[str, Any]
    outputs: list[Any]
    result: Any

    @property
    def sources(self) -> list[Any]:
        """The inputs as a list; of an `InputLayer`, its placeholder."""
        return nest.flatten(self.inputs) or self.outputs

    # Keras's names. Several tensors have the structure of the layer's argument or result.

    @property
    def outbound_layer(self) -> Any:
        """The layer that was called."""
        return self.layer

    def _of_inputs(self, field: str) -> Any:
        def found(tensor: Any) -> Any:
            return getattr(getattr(tensor, "_keras_history", None), field, None)

        return nest.map_structure(found, self.inputs)

    @property
    def inbound_layers(self) -> Any:
        """The layers that the inputs came from."""
        return self._of_inputs("layer")

    @property
    def node_indices(self) -> Any:
        """The numbers of the calls that the inputs came from."""
        return self._of_inputs("node_index")

    @property
    def tensor_indices(self) -> Any:
        """The inputs' numbers among the outputs of their calls."""
        return self._of_inputs("tensor_index")

    @property
    def input_tensors(self) -> Any:
        """The inputs; of an `InputLayer`, a list of its placeholder."""
        return self.inputs if nest.flatten(self.inputs) else self.outputs

    @property
    def output_tensors(self) -> Any:
        """The outputs; of an `InputLayer`, a list of its placeholder."""
        return self.result if nest.flatten(self.inputs) else self.outputs

    @property
    def input_shapes(self) -> Any:
        """The shapes of the inputs, tuples."""
        return nest.map_structure(_shape, self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the outputs, tuples."""
        return nest.map_structure(_shape, self.output_tensors)


def one_or_list(x: list[Any]) -> Any:
    """Returns the only element of a list with one element, else the list."""
    return x[0] if len(x) == 1 else x


def call_of(tensor: TensorLike) -> Call | None:
    """Returns the call that a tensor came from; None if it came from no layer of a model."""
    return getattr(tensor, "_keras_call", None)


def note_call(outputs: Any, layer: Any, inputs: TensorLike, arguments: dict[str, Any]) -> Call:
    """Keeps the call that made tensors."""
    call = Call(layer, inputs, arguments, [t for t in nest.flatten(outputs) if isinstance(t, _SYMBOLIC)], outputs)
    if not nest.flatten(inputs):
        _graphs.update(output.graph for output in call.outputs)
    number = len(layer.inbound_nodes)
    for i, output in enumerate(call.outputs):
        vars(output).update(_keras_call=call, _keras_history=KerasHistory(layer, number, i))
    return call


def set_layer_maker(make: Callable[[list[Tensor]], None]) -> None:
    """Sets the function that makes layers of a program's operations.

    Args:
        make: callable of tensors that come from no layer.
    """
    _makers[:] = [make]


def calls_of(tensors: list[Any]) -> list[Call | None]:
    """Returns the calls that tensors came from, of which some are made for a program's own operations on models."""
    found = [call_of(tensor) for tensor in tensors]
    own = [t for t, call in zip(tensors, found, strict=True) if call is None and isinstance(t, Tensor)]
    own = [tensor for tensor in own if tensor.graph in _graphs]
    if own and _makers:
        _makers[0](own)
        found = [call_of(tensor) for tensor in tensors]
    return found


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
