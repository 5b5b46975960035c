"""Keras's `serialize` and `deserialize`: objects as their names or as dicts, and made of these again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.keras import named
from ferroflow._src.keras.by_name import get_loss, get_metric
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.keras.custom_objects import arguments_in, custom_object_scope, get_custom_objects
from ferroflow._src.keras.model_configurations import layer_of


def serialize_keras_object(instance: Any) -> Any:
    """Returns an object as JSON can hold it.

    Args:
        instance: object with `get_config`, named function, or None.

    Returns:
        dict of "class_name" and "config"; the name of a function; or None.

    Raises:
        ValueError: if `instance` has neither `get_config` nor a name.
    """
    if instance is not None and not hasattr(instance, "get_config") and not hasattr(instance, "__name__"):
        raise ValueError(f"Cannot serialize {instance!r}: it has neither get_config nor a name.")
    return serialized(instance)


def serialize_layer(layer: Any) -> Any:
    """Returns a layer as JSON can hold it.

    Args:
        layer: KerasLayer or Model.

    Returns:
        dict of "class_name" and "config".

    Raises:
        ValueError: if it has neither `get_config` nor a name.
    """
    return serialize_keras_object(layer)


def serialize_constraint(constraint: Any) -> Any:
    """Returns a constraint as JSON can hold it.

    Args:
        constraint: object with `get_config`, named function, or None.

    Returns:
        dict of "class_name" and "config"; the name of a function; or None.

    Raises:
        ValueError: if it has neither `get_config` nor a name.
    """
    return serialize_keras_object(constraint)


def serialize_initializer(initializer: Any) -> Any:
    """Returns an initializer as JSON can hold it.

    Args:
        initializer: object with `get_config`, named function, or None.

    Returns:
        dict of "class_name" and "config"; the name of a function; or None.

    Raises:
        ValueError: if it has neither `get_config` nor a name.
    """
    return serialize_keras_object(initializer)


def serialize_loss(loss: Any) -> Any:
    """Returns a loss as JSON can hold it.

    Args:
        loss: object with `get_config`, named function, or None.

    Returns:
        dict of "class_name" and "config"; the name of a function; or None.

    Raises:
        ValueError: if it has neither `get_config` nor a name.
    """
    return serialize_keras_object(loss)


def serialize_metric(metric: Any) -> Any:
    """Returns a metric as JSON can hold it.

    Args:
        metric: object with `get_config`, named function, or None.

    Returns:
        dict of "class_name" and "config"; the name of a function; or None.

    Raises:
        ValueError: if it has neither `get_config` nor a name.
    """
    return serialize_keras_object(metric)


def serialize_regularizer(regularizer: Any) -> Any:
    """Returns a regularizer as JSON can hold it.

    Args:
        regularizer: object with `get_config`, named function, or None.

    Returns:
        dict of "class_name" and "config"; the name of a function; or None.

    Raises:
        ValueError: if it has neither `get_config` nor a name.
    """
    return serialize_keras_object(regularizer)


def deserialize_keras_object(
    identifier: Any,
    module_objects: Mapping[str, Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """Returns the object that a name or a dict stands for.

    Args:
        identifier: str, dict of "class_name" and "config", function, or None.
        module_objects: dict of classes and functions by name.
        custom_objects: dict of objects that take precedence.
        printable_module_name: str, the module's name in error messages.

    Returns:
        The object: of a dict a new one, of a name the function, and of a class's name a new one.

    Raises:
        TypeError: if the configuration is not a dict.
        ValueError: if the name is not known, or `identifier` is something else.
    """
    if identifier is None or callable(identifier):
        return identifier
    known = {**(module_objects or {}), **get_custom_objects(), **(custom_objects or {})}
    is_described = isinstance(identifier, Mapping)
    if is_described and not {"class_name", "config"} <= set(identifier):
        raise ValueError(f"Improper config format: {identifier}")
    if not is_described and not isinstance(identifier, str):
        raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")
    name = identifier["class_name"] if is_described else identifier
    found = known.get(name)
    if found is None:
        raise ValueError(f"Unknown {printable_module_name}: {name}")
    if is_described:
        config = arguments_in(identifier)
        with custom_object_scope(custom_objects or {}):
            return found.from_config(config) if hasattr(found, "from_config") else found(**config)
    return found() if isinstance(found, type) else found


def deserialize_loss(name: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Returns the loss that a name or a dict stands for.

    Args:
        name: str, dict of "class_name" and "config", callable, or None.
        custom_objects: dict of further objects by name.

    Returns:
        callable, or None.

    Raises:
        ValueError: if the loss is not known.
    """
    with custom_object_scope(custom_objects or {}):
        return get_loss(name)


def _by(find: Callable[[Any], Any], what: str) -> Callable[..., Any]:
    """`deserialize` of a module whose `get` is `find`."""

    def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
        with custom_object_scope(custom_objects or {}):
            return find(config)

    document(
        deserialize,
        (
            f"Returns the {what} that a name or a dict stands for.\n\n"
            'Args:\n    config: str, dict of "class_name" and "config", callable, or None.\n'
            "    custom_objects: dict of further objects by name.\n\n"
            f"Returns:\n    callable, or None.\n\nRaises:\n    ValueError: if the {what} is not known."
        ),
    )
    return deserialize


deserialize_constraint = _by(named.constraint, "constraint")
deserialize_initializer = _by(named.initializer, "initializer")
deserialize_regularizer = _by(named.regularizer, "regularizer")
deserialize_metric = _by(get_metric, "metric")


def deserialize_layer(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Returns the layer or model that a dict describes.

    Args:
        config: dict of "class_name" and "config".
        custom_objects: dict of further classes by name.

    Returns:
        Layer or Model, with new weights.

    Raises:
        ValueError: if its class is not known.
    """
    return layer_of(config, {**get_custom_objects(), **(custom_objects or {})})
