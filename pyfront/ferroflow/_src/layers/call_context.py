"""The calls of layers that are open: their inputs, and their `training`, which layers called inside take."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.layers.training_mode import training_mode

_around: contextvars.ContextVar[Any] = contextvars.ContextVar("training of the call around", default=None)


_is_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("a call of a layer is open", default=False)
_inputs: contextvars.ContextVar[Any] = contextvars.ContextVar("inputs of the innermost call", default=None)


def is_inside_call() -> bool:
    """Returns True in the call of a layer or model."""
    return _is_inside.get()


def inputs_of_call() -> Any:
    """Returns the inputs of the innermost open call, in their structure; None outside of calls."""
    return _inputs.get()


@contextlib.contextmanager
def called_with(inputs: Any, training: Any) -> Iterator[None]:
    """Opens a call: layers inside that are given no `training` take this one.

    Args:
        inputs: structure of Tensors of any dtype and shape, the call's inputs.
        training: bool, or Tensor of bool of shape []; None without it.
    """
    token, inside, given = _around.set(training), _is_inside.set(True), _inputs.set(inputs)
    try:
        yield
    finally:
        _around.reset(token)
        _is_inside.reset(inside)
        _inputs.reset(given)


def with_training(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], Any]:
    """Returns the arguments by name for a layer's `call`, and the argument `training` for layers inside.

    Args:
        call: the layer's function.
        args: its arguments after the inputs.
        kwargs: its arguments given by name.
    """
    parameters = inspect.signature(call).parameters
    takes = "training" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if "training" in kwargs:
        if takes:
            return kwargs, kwargs["training"]
        # TF 1.x: a layer without this argument passes it to the layers inside.
        return {name: value for name, value in kwargs.items() if name != "training"}, kwargs["training"]
    given = dict(zip(list(parameters)[1:], args, strict=False))
    if "training" in given:
        return kwargs, given["training"]
    around = _around.get()
    if around is None or not takes:
        return kwargs, around
    return {**kwargs, "training": _as_bool(around)}, around


def _as_bool(training: Any) -> Any:
    return training_mode(training) if is_tensor(training) or isinstance(training, (int, np.bool_)) else bool(training)
