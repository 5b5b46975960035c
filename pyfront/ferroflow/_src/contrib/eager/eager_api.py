"""`tf.contrib.eager` of a program that builds graphs: its functions, which build graphs."""

from __future__ import annotations

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.base.behavior import enable_eager_execution, executing_eagerly
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
from ferroflow._src.internals.gradient_functions import (
    gradients_function,
    implicit_grad as implicit_gradients,
    implicit_val_and_grad as implicit_value_and_gradients,
    val_and_grad_function as value_and_gradients_function,
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
