"""Configurations of layers for JSON, and layers made from configurations."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import NestedTensors

# Classes whose names differ from those that files have.
_NAMES = {
    "KerasRandomNormal": "RandomNormal",
    "KerasRandomUniform": "RandomUniform",
    "KerasTruncatedNormal": "TruncatedNormal",
}

# Arguments of layers that are layers.
LAYERS_INSIDE = ("layer", "backward_layer", "cell", "cells")

# The function that makes a layer of its description; `model_configurations`, which imports all layers, adds it.
_makers: list[Callable[[Mapping[str, Any], Any], Any]] = []


def register_layer_maker(make: Callable[[Mapping[str, Any], Any], Any]) -> None:
    """Sets the function that makes layers of dicts.

    Args:
        make: callable of a dict of "class_name" and "config", and of a dict of a program's classes by name.
    """
    _makers[:] = [make]


def with_layers(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns arguments with layers in the place of the dicts that describe them.

    Args:
        config: dict of arguments, of which "layer", "backward_layer", "cell" and "cells" are layers.
        custom_objects: dict of a program's classes by name, or None.

    Returns:
        dict of arguments.
    """

    def made(value: Any) -> Any:
        if isinstance(value, Mapping) and "class_name" in value:
            return _makers[0](value, dict(custom_objects or {}))
        return [made(one) for one in value] if isinstance(value, list) else value

    return {name: made(value) if name in LAYERS_INSIDE else value for name, value in config.items()}


class MadeOfLayers:
    """Base of layers that have other layers among their arguments."""

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Returns a layer from the result of `get_config`.

        Args:
            config: dict of arguments.
            custom_objects: dict of further classes by name.

        Returns:
            layer of this class.
        """
        return cls(**with_layers(config, custom_objects))


def serialized(value: NestedTensors) -> Any:
    """Returns a value as JSON can hold it: names of functions, and dicts of the class and the arguments of objects.

    Args:
        value: number, str, bool, None, DType, array, function by its name, object with `get_config`, or list, tuple or
            dict of them.

    Returns:
        The same of numbers, str, bool, None, list, tuple and dict.

    Raises:
        ValueError: if the value is an object that has neither `get_config` nor a name.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dtypes.DType):
        return value.name
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list):
        return [serialized(x) for x in value]
    if isinstance(value, tuple):
        return tuple(serialized(x) for x in value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(k): serialized(x) for k, x in value.items()}
    if inspect.isclass(value):
        return value.__name__
    if hasattr(value, "get_config"):
        name = type(value).__name__
        return {"class_name": _NAMES.get(name, name), "config": serialized(value.get_config())}
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    raise ValueError(f"Cannot serialize {value!r}: it has neither get_config nor a name.")


def arguments_of(constructor: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call by their names.

    Args:
        constructor: callable, whose signature names them.
        args: tuple of the arguments without a name.
        kwargs: dict of those with one.

    Returns:
        dict of all arguments that are given.
    """
    bound = inspect.signature(constructor).bind_partial(*args, **kwargs)
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = inspect.signature(constructor).parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        elif kind is not inspect.Parameter.VAR_POSITIONAL:
            found[name] = value
    return found


@functools.cache
def defaults_of(cls: type) -> dict[str, Any]:
    """Returns the arguments of a class of this library that may be left out.

    Args:
        cls: type, whose constructor gives further arguments to that of the next class.

    Returns:
        dict of the defaults by the names of the arguments; empty for a class of a program.
    """
    found: dict[str, Any] = {}
    for one in cls.__mro__ if cls.__module__.startswith("ferroflow.") else ():
        constructor = one.__dict__.get("__init__")
        if constructor is None:
            continue
        parameters = inspect.signature(constructor).parameters.values()
        for given in parameters:
            if given.default is not given.empty and given.name not in ("trainable", "name", "dtype"):
                found.setdefault(given.name, given.default)
        if all(given.kind is not given.VAR_KEYWORD for given in parameters):
            break
    return found


@functools.cache
def required_of(cls: type) -> tuple[str, ...]:
    """Returns the names of the arguments of a class of this library that may not be left out.

    Args:
        cls: type.
    """
    constructor = next(one.__dict__["__init__"] for one in cls.__mro__ if "__init__" in one.__dict__)
    parameters = list(inspect.signature(constructor).parameters.values())[1:]
    return tuple(
        one.name
        for one in parameters
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    )


def yaml() -> Any:
    """Returns the package.

    Raises:
        ImportError: if PyYAML is not installed.
    """
    try:
        return importlib.import_module("yaml")
    except ModuleNotFoundError as missing:
        raise ImportError(
            "Requires yaml module installed: pip install pyyaml. to_json and model_from_json need no package."
        ) from missing
