"""Layers around a layer: one for each step, one in both directions."""

from __future__ import annotations

import copy
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, ListLike, NestedTensors
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import joining, shaping


class Wrapper(KerasLayer):
    """A layer around another layer, whose variables and losses it has.

    Args:
        layer: KerasLayer.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer

    def _inner(self) -> list[Any]:
        return [self.layer]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of the layer that are trained."""
        return [w for one in self._inner() for w in one.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of the layer that are not trained."""
        fixed = [w for one in self._inner() for w in one.non_trainable_weights]
        return fixed if self.trainable else [w for one in self._inner() for w in one.trainable_weights] + fixed

    @property
    def updates(self) -> list[Any]:
        """The operations to run with each training step."""
        return [x for one in self._inner() for x in one.updates]

    @property
    def losses(self) -> list[Any]:
        """The losses of the layer's variables and outputs."""
        return [*super().losses, *(x for one in self._inner() for x in one.losses)]


class TimeDistributed(Wrapper):
    """A layer that applies another layer to each step of sequences.

    Args:
        layer: KerasLayer.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Builds the layer for the inputs of a step.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, ...].
        """
        if isinstance(self.layer, Layer) and not self.layer.built and self._scope is None:
            shape = TensorShape(input_shape).as_list()
            self.layer.build(TensorShape([shape[0], *shape[2:]]))
            self.layer.built = True
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Tensor:
        """Calls the layer for all steps at once, as examples of one batch.

        Args:
            inputs: Tensor of any dtype, of shape [batch, steps, ...].
            **kwargs: further arguments of the layer.

        Returns:
            Tensor of the dtype that the layer gives, of shape [batch, steps, ...].
        """
        if isinstance(self.layer, Layer) and not self.layer.built:
            # TF 1.x: the variables of the layer have the names of this one.
            self.layer._scope = self._scope
        shape = inputs.get_shape()
        sizes = shaping.shape(inputs)
        steps = shaping.reshape(inputs, joining.concat([[-1], sizes[2:]], 0))
        steps.set_shape([None, *shape[2:]])
        outputs = self.layer(steps, **kwargs)
        inner = outputs.get_shape()[1:]
        result: Tensor = shaping.reshape(outputs, joining.concat([sizes[:2], shaping.shape(outputs)[1:]], 0))
        result.set_shape(TensorShape([shape[0], shape[1], *inner]))
        return result


class Bidirectional(Wrapper):
    """A layer that runs a recurrent layer in both directions.

    Args:
        layer: KerasLayer, such as LSTM.
        merge_mode: str, how the outputs of both become one: "concat", "sum", "mul" or "ave"; None for the list of both.
        weights: list of arrays, the values that the variables start from; None for those of the layers.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `mode` is not one of the listed values.
    """

    def __init__(
        self, layer: Any, merge_mode: str | None = "concat", weights: ListLike | None = None, **kwargs: Any
    ) -> None:
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        shape = kwargs.pop("input_shape", None)
        if shape is None and layer.batch_input_shape is not None and "batch_input_shape" not in kwargs:
            kwargs["batch_input_shape"] = layer.batch_input_shape
        elif shape is not None:
            kwargs["input_shape"] = shape
        if weights is not None:
            kwargs["weights"] = weights
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        self.forward_layer = _copied(layer, "forward")
        self.backward_layer = _copied(layer, "backward")
        self.backward_layer.go_backwards = not layer.go_backwards
        self.merge_mode = merge_mode
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state

    def _inner(self) -> list[Any]:
        return [self.forward_layer, self.backward_layer]

    def build(self, input_shape: Any) -> None:
        """Builds the layers of both directions.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size].
        """
        if self._scope is None:
            for layer in self._inner():
                with name_scope(layer.name):
                    layer.build(input_shape)
                    layer.built = True
        self.built = True

    def compute_mask(self, inputs: NestedTensors, mask: NestedTensors | None = None) -> Any:
        """Returns the mask of the outputs: the inputs' mask if all outputs are returned.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size].
            mask: Tensor of bool, of shape [batch, steps]; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps], or list of two; None for all.
        """
        if not self.return_sequences:
            return None
        return [mask, mask] if self.merge_mode is None else mask

    def call(self, inputs: NestedTensors, training: BoolLike | None = None, mask: NestedTensors | None = None) -> Any:
        """Runs over the steps in both directions.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size].
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, size] or [batch, steps, size], or list of two. If the
            layer returns states, a list of it and the states of both.
        """
        options = {"training": training, **({} if mask is None else {"mask": mask})}
        forward, backward = (one(inputs, **options) for one in self._inner())
        states: list[Any] = []
        if self.return_state:
            states = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            backward = shaping.reverse(backward, [1])
        if self.merge_mode == "concat":
            outputs: Any = joining.concat([forward, backward], -1)
        elif self.merge_mode == "sum":
            outputs = forward + backward
        elif self.merge_mode == "ave":
            outputs = (forward + backward) / 2
        elif self.merge_mode == "mul":
            outputs = forward * backward
        else:
            outputs = [forward, backward]
        if not self.return_state:
            return outputs
        return [*outputs, *states] if isinstance(outputs, list) else [outputs, *states]


def _copied(layer: Any, direction: str) -> Any:
    """Returns a layer of the same options, without variables."""
    if layer.built:
        raise ValueError(f"Bidirectional takes a layer that has not been called: {layer.name}")
    made = copy.copy(layer)
    made._base_name = made._name = f"{direction}_{layer.name}"
    made._trainable_weights, made._non_trainable_weights = [], []
    made._updates, made._losses = [], []
    made._inbound_nodes, made._outbound_nodes = [], []
    if getattr(made, "cell", None) is not None:
        made.cell = _copied_cell(made.cell)
    return made


def _copied_cell(cell: Any) -> Any:
    made = copy.copy(cell)
    if isinstance(made, KerasLayer):
        made._trainable_weights, made._non_trainable_weights = [], []
        made._updates, made._losses = [], []
    if getattr(made, "cells", None) is not None:
        made.cells = [_copied_cell(one) for one in made.cells]
    return made
