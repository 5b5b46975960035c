"""`DescribedNetwork`: the configuration of a network, from which an equal one is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, ClassVar

from ferroflow._src.base import nest
from ferroflow._src.base.typing import DictLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.configurations import serialized, yaml
from ferroflow._src.layers.nodes import Call, call_of

_VERSION = "2.2.4-tf"


class DescribedNetwork:
    """Base of networks: their configurations."""

    inputs: list[Any]
    outputs: list[Any]
    _is_graph_network: bool
    _calls: list[Any]

    @property
    def _described(self) -> Any:
        """The network, whose class defines its name and layers."""
        return self

    def get_config(self) -> Any:
        """Returns the model's configuration: its layers, their arguments and their connections.

        Returns:
            dict of `name`, `layers`, `input_layers` and `output_layers`, whose values JSON can hold.

        Raises:
            NotImplementedError: if the model is a subclass's.
            ValueError: if an argument is an object without `get_config` and without a name.
        """
        if not self._is_graph_network:
            raise NotImplementedError(
                f"{type(self).__name__} is defined only by its Python class. Save its variables with `save_weights`, "
                "and make the model with its class."
            )
        calls: dict[int, list[Call]] = {id(layer): [] for layer in self._described.layers}
        of_tensor: dict[Tensor, list[Any]] = {}
        for tensor in self.inputs:
            made = call_of(tensor)
            assert made is not None  # checked when the model was made
            of_tensor[tensor] = [made.layer.name, 0, 0]
        for tensor, made in self._calls:
            known = calls[id(made.layer)]
            if made not in known:
                known.append(made)
            of_tensor[tensor] = [made.layer.name, known.index(made), made.outputs.index(tensor)]
        layers = []
        for layer in self._described.layers:
            nodes = [
                [[*of_tensor[t], serialized(made.arguments)] for t in nest.flatten(made.inputs)]
                for made in calls[id(layer)]
            ]
            layers.append({"name": layer.name, **described(layer), "inbound_nodes": nodes})
        return {
            "name": self._described.name,
            "layers": layers,
            "input_layers": [of_tensor[t] for t in self.inputs],
            "output_layers": [of_tensor[t] for t in self.outputs],
        }

    # Function that makes a model from its configuration; set by `model_configurations`, which imports all layers.
    _of_description: Callable[[dict[str, Any], Any], Any]
    # The class that its description names.
    _kind: ClassVar[str] = "Model"

    @classmethod
    def from_config(cls, config: DictLike, custom_objects: DictLike | None = None) -> Any:
        """Creates a model from the result of `get_config`, with new variables.

        Args:
            config: dict, or list of a Sequential's layers.
            custom_objects: dict of classes and functions of the program by the names they have in the description, or
                None.

        Returns:
            Model, or Sequential if the class is one.

        Raises:
            ValueError: if a class or function is unknown, or the layers do not follow from the inputs.
        """
        return cls._of_description({"class_name": cls._kind, "config": config}, dict(custom_objects or {}))

    def to_json(self, **kwargs: Any) -> str:
        """Returns the model's configuration in JSON, for `model_from_json`; without the variables' values.

        Args:
            **kwargs: arguments of `json.dumps`.

        Returns:
            str.

        Raises:
            NotImplementedError: on the same conditions as `get_config`.
        """
        return json.dumps({**described(self), "keras_version": _VERSION, "backend": "tensorflow"}, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """Returns the model's configuration in YAML, for `model_from_yaml`; without the variables' values.

        Args:
            **kwargs: arguments of `yaml.dump`.

        Returns:
            str.

        Raises:
            ImportError: if PyYAML is not installed.
            NotImplementedError: on the same conditions as `get_config`.
        """
        found = {**described(self), "keras_version": _VERSION, "backend": "tensorflow"}
        # PyYAML writes tuples with a tag that its safe loader refuses.
        return str(yaml().dump(json.loads(json.dumps(found)), **kwargs))


def described(layer: Any) -> dict[str, Any]:
    """Returns the class of a layer or model and what it is made of."""
    return {"class_name": type(layer).__name__, "config": layer.get_config()}
