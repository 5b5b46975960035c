"""Arguments and documentation for the functions of `tf.layers`, which make a layer and apply it."""

from __future__ import annotations

from typing import Any

from ferroflow._src.layers.layer import Layer

# Arguments of the functions alone.
_OWN = ("inputs", "layer", "reuse", "training")
DIMENSIONS = {1: "one dimension", 2: "two dimensions", 3: "three dimensions"}


def layer_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments for a new layer from those of a function of `tf.layers`.

    Args:
        arguments: dict, the function's `locals()` before it sets variables of its own. The layer gets the dtype of
            `inputs`, a Tensor, and a variable scope for `name` and `reuse`; it does not get `layer` and `training`.

    Returns:
        Dict from str to arguments by name.
    """
    own = {name: value for name, value in arguments.items() if name not in _OWN}
    dtype = arguments["inputs"].dtype.base_dtype
    return {**own, "dtype": dtype, "_scope": arguments["name"], "_reuse": arguments["reuse"]}


def described_arguments(layer: type[Layer]) -> str:
    """Returns the lines of a layer's docstring about the arguments that its function also has, up to `name`."""
    arguments = (layer.__doc__ or "").partition("Args:\n")[2]
    return arguments.partition("name: str")[0].strip()


def add_arguments(layer: type[Layer]) -> None:
    """Adds the base's arguments to the docstring of a layer with a rank."""
    if layer.__doc__ is None:
        return  # under -OO
    _, args, arguments = (layer.__bases__[0].__doc__ or "").partition("\n\n")
    layer.__doc__ = f"{layer.__doc__}{args}{arguments}"
