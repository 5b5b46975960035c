"""Optimizers by their names, and those of `tf.train` as Keras's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.keras.custom_objects import arguments_in, get_custom_objects
from ferroflow._src.keras.descent_optimizers import SGD, Adadelta, Adagrad, Ftrl, RMSprop
from ferroflow._src.keras.moment_optimizers import Adam, Adamax, Nadam
from ferroflow._src.keras.named import find
from ferroflow._src.keras.optimizer_base import Optimizer
from ferroflow._src.training import optimizer as graph_optimizer


class GraphOptimizer(Optimizer):
    """An optimizer of `tf.train` with the interface of Keras's optimizers."""

    def __init__(self, optimizer: graph_optimizer.Optimizer) -> None:
        super().__init__()
        self.optimizer = self._track_trackable(optimizer, "optimizer")

    def get_updates(self, loss: Any, params: list[Any]) -> list[Any]:
        """Returns the operations of one step."""
        # A model without weights is trained without effect.
        self.updates = [self.optimizer.minimize(loss, var_list=params)] if params else []
        return self.updates

    def get_config(self) -> dict[str, Any]:
        """Raises an error: optimizers of `tf.train` do not keep their arguments."""
        raise NotImplementedError(
            f"{type(self.optimizer).__name__} does not keep its arguments; use an optimizer of Keras."
        )


_CLASSES = {c.__name__.lower(): c for c in (SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam, Ftrl)}


def serialize(optimizer: Any) -> dict[str, Any]:
    """Returns the class of an optimizer and its arguments as they are now.

    Args:
        optimizer: Optimizer of Keras's.

    Returns:
        dict of `class_name` and `config`.

    Raises:
        NotImplementedError: if the optimizer is one of `tf.train`.
    """
    return {"class_name": type(optimizer).__name__, "config": get(optimizer).get_config()}


def deserialize(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Creates an optimizer from the result of `serialize`.

    Args:
        config: dict of `class_name`, in any case of letters, and `config`, dict of the arguments.
        custom_objects: dict of the program's classes by name, or None.

    Returns:
        Optimizer.

    Raises:
        KeyError: if `config` has no `class_name`.
        ValueError: if the name is unknown, or there are no arguments.
    """
    name = config["class_name"]
    known = {**_CLASSES, **get_custom_objects(), **(custom_objects or {})}
    cls = find("optimizer", name if name in known else name.lower(), known)
    if "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    return cls.from_config(arguments_in(config))


def get(identifier: str) -> Any:
    """Finds an optimizer by its name, in any case of letters.

    Args:
        identifier: str, the name; dict, as `deserialize` takes it; an optimizer of Keras's or `tf.train`'s stands for
            itself.

    Returns:
        Optimizer.

    Raises:
        ValueError: if the name is unknown, or the value is neither a name nor an optimizer.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, graph_optimizer.Optimizer):
        return GraphOptimizer(identifier)
    if isinstance(identifier, Mapping):
        return deserialize(identifier)
    if not isinstance(identifier, str):
        raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
    own = get_custom_objects().get(identifier)
    if isinstance(own, type) and not hasattr(own, "from_config"):
        return own()
    return deserialize({"class_name": identifier, "config": {}})
