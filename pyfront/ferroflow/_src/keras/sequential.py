"""`Sequential`: layers one after the other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.trackable import TrackableReference
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.described_network import described
from ferroflow._src.keras.input_layer import Input, InputLayer
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.network import Network, as_list
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.nodes import call_of


class Sequential(Model):
    """Model of layers that run one after the other.

    Args:
        layers: list of layers. Where the first one is not an `InputLayer` and has no `input_shape`, the model is built
            when it is first fitted. None yet.
        name: str, its name; made by default.

    Example:
        >>> model = tf.keras.models.Sequential([tf.keras.layers.Dense(8, input_shape=[4]), tf.keras.layers.Dense(1)])
        >>> model.compile(optimizer="adam", loss="mse")
        >>> print(model.output_shape, model.count_params())
        (None, 1) 49
        >>> print(model.predict(np.zeros([3, 4])).shape)
        (3, 1)
    """

    _kind = "Sequential"

    def __init__(self, layers: Iterable[Any] | None = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._is_graph_network = True
        # The layers of a model whose input is not known yet.
        self._waiting: list[Any] = []
        self._is_built_later = False
        for layer in (layers,) if isinstance(layers, (Layer, Network)) else layers or ():
            self.add(layer)

    @property
    def layers(self) -> list[Any]:
        """The layers that were added, without the one of the input."""
        return self._waiting or [one for one in self._connected if not isinstance(one, InputLayer)]

    def _tracked_layers(self) -> list[Any]:
        return self._connected

    def _layer_edges(self) -> list[TrackableReference]:
        # TF 1.x: a model that is built when it is fitted has edges to its own layers alone.
        if self._is_built_later:
            return [TrackableReference(f"layer-{i}", layer) for i, layer in enumerate(self.layers)]
        return super()._layer_edges()

    def add(self, layer: Any) -> None:
        """Adds a layer. If the first one has no input shape, the model is built when it is first fitted.

        Args:
            layer: a layer, a Model, or a Tensor of `Input`, of any dtype and shape.

        Raises:
            TypeError: if `layer` is not a layer, or has several outputs.
        """
        self._append(layer)
        self._restore_layers()

    def _append(self, layer: Any) -> None:
        maker = getattr(getattr(layer, "_keras_history", None), "layer", None)
        if isinstance(maker, InputLayer):
            layer = maker
        if not isinstance(layer, (Layer, Network)):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        if self._waiting:
            self._waiting.append(layer)
            return
        if not self.outputs:
            if isinstance(layer, InputLayer):
                self._set_ends([layer.output], [layer.output])
                return
            shape = getattr(layer, "batch_input_shape", None)
            if isinstance(layer, Network) and layer.inputs:
                shape = tuple(layer.inputs[0].get_shape().as_list())
            if shape is None:
                self._waiting = [layer]
                self._is_built_later = True
                return
            start = Input(batch_shape=shape, dtype=getattr(layer, "_input_dtype", None), name=f"{layer.name}_input")
            self._set_ends([start], [start])
        outputs = as_list(layer(self.outputs[0] if len(self.outputs) == 1 else list(self.outputs)))
        if len(outputs) != 1 and not self._is_built_later:
            raise TypeError(
                "All layers in a Sequential model should have a single output tensor. For multi-output layers, use the "
                "functional API."
            )
        self._connect(self.inputs, outputs)

    def _build_for(self, shapes: Sequence[Any], dtypes: Sequence[Any], scope: str | None = None) -> None:
        if len(shapes) != 1:
            raise ValueError(f"A Sequential model has one input, but {len(shapes)} were given.")
        waiting, self._waiting = self._waiting, []
        dtype = dtypes[0] or getattr(waiting[0], "_input_dtype", None) if waiting else dtypes[0]
        start = Input(batch_shape=tuple(shapes[0]), dtype=dtype, name="input_1")
        self._set_ends([start], [start])
        if scope:
            # TF 1.x: the model is called with the learning phase, which is made before the variables.
            learning_phase()
        with name_scope(scope) if scope else contextlib.nullcontext():
            for layer in waiting:
                self._append(layer)
        self._load_waiting()

    def get_config(self) -> Any:
        """Returns the model's configuration: its name, its layers and their arguments.

        Returns:
            dict of `name`; `layers`, a list of dicts of `class_name` and `config`; and `build_input_shape`, if the
            model was built for its first inputs. JSON can hold its values.

        Raises:
            ValueError: if an argument is an object without `get_config` and without a name.
        """
        found = [described(layer) for layer in self.layers]
        config: dict[str, Any] = {"name": self.name, "layers": found}
        if self._is_built_later:
            return {**config, "build_input_shape": tuple(self._input_sizes())} if self.inputs else config
        if found and self.inputs and "batch_input_shape" not in found[0]["config"]:
            found[0]["config"] = {**found[0]["config"], "batch_input_shape": self._input_sizes()}
            found[0]["config"].pop("input_shape", None)
        return config

    @property
    def input_names(self) -> list[str]:
        """The name of the input; "input_1" if the model got it when it was fitted."""
        return ["input_1"] * len(self.inputs) if self._is_built_later else super().input_names

    @property
    def output_names(self) -> list[str]:
        """The name of the output; "output_1" if the model got its input when it was fitted."""
        if self._is_built_later:
            return [f"output_{i}" for i in range(1, len(self.outputs) + 1)]
        return super().output_names

    def _input_sizes(self) -> list[int | None]:
        sizes: list[int | None] = self.inputs[0].get_shape().as_list()
        return sizes

    def pop(self) -> None:
        """Removes the last layer.

        Raises:
            TypeError: if there are no layers.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        if self._waiting:
            self._waiting.pop()
            return
        made = call_of(self.outputs[0])
        assert made is not None  # a layer gave it
        if len(self.layers) == 1:
            # TF 1.x: without layers there is no input either. The next layer is built when the model is fitted.
            self.inputs = self.outputs = None  # type: ignore[assignment]
            self._connected, self._calls = [], []
            return
        self._connect(self.inputs, as_list(made.inputs))

    def predict_classes(self, x: NestedTensors, batch_size: int = 32, verbose: int = 0) -> Any:
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

    def predict_proba(self, x: NestedTensors, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the predictions for all examples, as `predict` does.

        Args:
            x: array, list of them, or dict by the inputs' names.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...].
        """
        return self.predict(x, batch_size)


def added_layers(model: Sequential) -> list[Any]:
    """Returns the layers that a copy of a model has: the input's too, unless the model got it when it was fitted."""
    return model.layers if model._is_built_later else model._tracked_layers() or model.layers
