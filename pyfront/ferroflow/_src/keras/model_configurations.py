"""Configurations of models as dicts and JSON, and models made from configurations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.configurations import LAYERS_INSIDE, register_layer_maker, yaml
from ferroflow._src.keras.custom_objects import CustomObjectScope, arguments_in, get_custom_objects
from ferroflow._src.keras.input_layer import InputLayer
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.network import Network
from ferroflow._src.keras.sequential import Sequential


def _class(name: str, custom_objects: Mapping[str, Any]) -> Any:
    if name in custom_objects:
        return custom_objects[name]
    found = {"Model": Model, "Sequential": Sequential}.get(name) or KerasLayer._known.get(name)
    if found is None:
        raise ValueError(f"Unknown layer: {name}. Give a class of the program in `custom_objects`.")
    return found


def layer_of(described: Mapping[str, Any], custom_objects: Mapping[str, Any]) -> Any:
    """Returns a layer or model of a dict of its class and its arguments.

    Raises:
        KeyError: if the dict has no class.
        TypeError: if the arguments of a layer are not a dict.
        ValueError: if it has no arguments, or the class is unknown.
    """
    custom_objects = {**get_custom_objects(), **custom_objects}
    cls = _class(described["class_name"], custom_objects)
    if "config" not in described:
        raise ValueError(f"Improper config format: {described}")
    if isinstance(cls, type) and issubclass(cls, Model):
        return _model(described, custom_objects)
    # Layers among the arguments stay dicts, as in TensorFlow: a program's own `from_config` makes them.
    config = {
        key: _tuples(value) if isinstance(value, list) and key not in LAYERS_INSIDE else value
        for key, value in arguments_in(described).items()
    }
    # A layer finds functions of the program by their names.
    with CustomObjectScope(custom_objects):
        return cls.from_config(config)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(x) for x in value) if isinstance(value, list) else value


def _model(described: Mapping[str, Any], custom_objects: Mapping[str, Any]) -> Any:
    config = described["config"]
    if described["class_name"] == "Sequential":
        # Older files have the list of the layers alone.
        is_list = isinstance(config, list | tuple)
        whole: Any = {"name": described.get("name"), "layers": config} if is_list else config
        if not isinstance(whole, Mapping):
            raise TypeError(f"The configuration of a Sequential is a dict, or a list of its layers', not {config!r}.")
        model = Sequential([layer_of(one, custom_objects) for one in whole.get("layers", ())], name=whole.get("name"))
        if whole.get("build_input_shape") and not model.inputs:
            model.build(tuple(whole["build_input_shape"]))
        return model
    made: dict[str, Any] = {}
    outputs: dict[tuple[str, int], list[Any]] = {}
    waiting = []
    for one in config["layers"]:
        layer = made[one["name"]] = layer_of(one, custom_objects)
        if isinstance(layer, InputLayer):
            outputs[one["name"], 0] = [layer.output]
        waiting += [(one["name"], i, node) for i, node in enumerate(one["inbound_nodes"])]
    while waiting:
        left = []
        for name, i, node in waiting:
            ready = all((source, int(place)) in outputs for source, place, *_ in node)
            if not ready or (i and (name, i - 1) not in outputs):
                left.append((name, i, node))
                continue
            inputs = [outputs[source, int(place)][int(which)] for source, place, which, *_ in node]
            arguments = node[0][3] if len(node[0]) > 3 else {}
            result = made[name](inputs[0] if len(inputs) == 1 else inputs, **arguments)
            outputs[name, i] = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(left) == len(waiting):
            raise ValueError(f"The configuration's layers do not follow from its inputs: {[name for name, *_ in left]}")
        waiting = left
    starts, ends = (
        [outputs[name, int(place)][int(which)] for name, place, which in config[key]]
        for key in ("input_layers", "output_layers")
    )
    return Model(starts, ends, name=config.get("name"))


Network._of_description = staticmethod(_model)
register_layer_maker(layer_of)


def model_from_config(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model of its description, with new variables.

    Args:
        config: dict of `class_name`, "Model" or "Sequential", and `config`, the result of `get_config`.
        custom_objects: dict of classes and functions of the program by the names they have in the description, or
            None.

    Returns:
        Model or Sequential.

    Raises:
        ValueError: if a class or function is unknown, there are no arguments, or the layers do not follow from the
            inputs.
        TypeError: if `config` is only a list of layers.
    """
    if isinstance(config, list):
        raise TypeError("`model_from_config` expects a dictionary, not a list. Give `class_name` and `config`.")
    if "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    return _model(config, {**get_custom_objects(), **(custom_objects or {})})


def model_from_json(json_string: str, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model of its description in JSON, which `to_json` gives, with new variables.

    Args:
        json_string: str.
        custom_objects: dict of classes and functions of the program by the names they have in the description, or
            None.

    Returns:
        Model or Sequential.

    Raises:
        ValueError: on the same conditions as `model_from_config`, or if the string is not JSON.
        TypeError: on the same conditions as `model_from_config`.
    """
    return model_from_config(json.loads(json_string), custom_objects)


def model_from_yaml(yaml_string: str, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model of its description in YAML, which `to_yaml` gives, with new variables.

    Args:
        yaml_string: str.
        custom_objects: dict of classes and functions of the program by the names they have in the description, or
            None.

    Returns:
        Model or Sequential.

    Raises:
        ImportError: if PyYAML is not installed.
        ValueError: on the same conditions as `model_from_config`.
        TypeError: on the same conditions as `model_from_config`.
    """
    return model_from_config(yaml().safe_load(yaml_string), custom_objects)
