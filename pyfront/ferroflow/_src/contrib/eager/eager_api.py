"""`tf.contrib.eager` of a program that builds graphs: what works in a graph does, the rest says what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.base.behavior import enable_eager_execution, executing_eagerly
from ferroflow._src.base.docstrings import document
from ferroflow._src.contrib.eager.function import defun, function
from ferroflow._src.internals.eager_context import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    in_eager_mode,
    list_devices,
    num_gpus,
)
from ferroflow._src.internals.gradient_tape import GradientTape
from ferroflow._src.ops.script.py_func import py_func
from ferroflow._src.variables.resource_variable import ResourceVariable as Variable
from ferroflow._src.variables.template import make_template

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "GradientTape",
    "Variable",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "function",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "make_template",
    "num_gpus",
    "py_func",
    "value_and_gradients_function",
]


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"tf.contrib.eager.{name} needs eager execution, which ferroflow does not offer. Build a graph, and use "
            "tf.gradients or tf.GradientTape in it."
        )

    raises = "Raises:\n    NotImplementedError: on every call."
    document(refuse, f"Fails: `{name}` needs eager execution.", raises, name=name)
    return refuse


gradients_function = _refusing("gradients_function")
value_and_gradients_function = _refusing("value_and_gradients_function")
implicit_gradients = _refusing("implicit_gradients")
implicit_value_and_gradients = _refusing("implicit_value_and_gradients")
