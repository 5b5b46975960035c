"""`Sequential`: layers one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.keras.base_layer import Input, InputLayer, call_of
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.network import as_list, described
from ferroflow._src.layers.naming import to_snake_case, unique_layer_name

__all__ = ["Sequential"]


class Sequential(Model):
    """Layers one after the other.

    Args:
        layers: list of layers, the first of which is an `InputLayer` or has an `input_shape`; None for none yet.
        name: str, its name; made by default.
    """

    _kind = "Sequential"

    def __init__(self, layers: Iterable[Any] | None = None, name: str | None = None) -> None:
        self.name = name or unique_layer_name(to_snake_case(type(self).__name__), zero_based=True)
        self.stop_training = False
        self.optimizer = None
        self._added_losses = []
        self.layers = []
        self.inputs, self.outputs = [], []
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Adds a layer.

        Args:
            layer: a layer, or a Model.

        Raises:
            ValueError: the first layer has no input shape.
            ValueError: the layer has several outputs.
        """
        if not self.outputs:
            if isinstance(layer, InputLayer):
                self.inputs = self.outputs = [layer.output]
                return
            shape = getattr(layer, "batch_input_shape", None)
            if isinstance(layer, Model):
                shape = tuple(layer.inputs[0].get_shape().as_list())
            if shape is None:
                raise ValueError(
                    "The first layer in a Sequential model must get an `input_shape` or `batch_input_shape` argument."
                )
            start = Input(batch_shape=shape, dtype=getattr(layer, "_input_dtype", None), name=f"{layer.name}_input")
            self.inputs = self.outputs = [start]
        outputs = as_list(layer(self.outputs[0]))
        if len(outputs) != 1:
            raise ValueError("All layers in a Sequential model should have a single output tensor.")
        self._connect(self.inputs, outputs)
        self.layers = [one for one in self.layers if not isinstance(one, InputLayer)]

    def get_config(self) -> Any:
        """What the model is made of: its layers and their arguments.

        Returns:
            list of dicts of `class_name` and `config`, whose values JSON can hold.

        Raises:
            NotImplementedError: an argument is a function without a name.
        """
        found = [described(layer) for layer in self.layers]
        if found and self.inputs and "batch_input_shape" not in found[0]["config"]:
            start = self.inputs[0]
            found[0]["config"] = {**found[0]["config"], "batch_input_shape": start.get_shape().as_list()}
            found[0]["config"].pop("input_shape", None)
        return found

    def pop(self) -> None:
        """Removes the last layer.

        Raises:
            TypeError: there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        made = call_of(self.outputs[0])
        assert made is not None  # a layer gave it
        self._connect(self.inputs, as_list(made.inputs))
        self.layers = [one for one in self.layers if not isinstance(one, InputLayer)]

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the number of each example's class: of the largest prediction, or whether the one prediction is
        above 0.5.

        Args:
            x: array, list of them, or dict by the inputs' names.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of integers, of shape [examples], or [examples, 1] of int32.
        """
        found = self.predict(x, batch_size)
        return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    def predict_proba(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the predictions for all examples, as `predict` does.

        Args:
            x: array, list of them, or dict by the inputs' names.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...].
        """
        return self.predict(x, batch_size)
