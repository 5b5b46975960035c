"""Functions of `Lambda` layers in configurations: their compiled code as text, and functions made of it."""

from __future__ import annotations

import base64
import importlib.util
import marshal
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.keras import backend
from ferroflow._src.keras.configurations import serialized


def func_dump(func: types.FunctionType) -> tuple[str, Any, Any]:
    """Returns a function as JSON can hold it.

    Args:
        func: function that is defined in Python.

    Returns:
        (code in base64, for this version of Python; list of the arguments' defaults, or None; list of the values that
        the function takes from around it, or None).

    Raises:
        ValueError: if a default, or a value from around the function, cannot be serialized.
    """
    code = base64.encodebytes(importlib.util.MAGIC_NUMBER + marshal.dumps(func.__code__)).decode("ascii")
    closure: Any = [cell.cell_contents for cell in func.__closure__] if func.__closure__ else None
    defaults: Any = func.__defaults__
    return code, serialized(defaults), serialized(closure)


def func_load(
    code: Any, defaults: Any = None, closure: Any = None, globs: dict[str, Any] | None = None
) -> types.FunctionType:
    """Returns the function that `func_dump` described; its code runs when it is called.

    Args:
        code: str, the code in base64; or the whole result of `func_dump`.
        defaults: list of the arguments' defaults, or None.
        closure: list of the values that the function takes from around it, or None.
        globs: dict of the function's global names; None for those of the caller's module.

    Returns:
        Function.

    Raises:
        ValueError: if another version of Python, or TensorFlow, wrote the code.
    """
    if isinstance(code, (tuple, list)):
        code, defaults, closure = code
    content = base64.decodebytes(code.encode("ascii"))
    magic = importlib.util.MAGIC_NUMBER
    if not content.startswith(magic):
        raise ValueError(
            "The function of a Lambda layer was saved as code of another version of Python, or by TensorFlow. Make the "
            "model with its program, and read its variables with `load_weights`."
        )
    cells = None if closure is None else tuple(types.CellType(value) for value in closure)
    made = types.FunctionType(
        marshal.loads(content[len(magic) :]),
        vars(sys.modules[func_load.__module__]) if globs is None else globs,
        argdefs=None if defaults is None else tuple(defaults),
        closure=cells,
    )
    return made


def described(function: Any) -> tuple[Any, str, str | None]:
    """Returns an argument of `Lambda` as JSON can hold it: (value, kind, name of the module that defines it)."""
    if isinstance(function, types.FunctionType):
        return func_dump(function), "lambda", function.__module__
    if callable(function):
        return serialized(function), "function", function.__module__
    return serialized(function), "raw", None


def from_description(value: Any, kind: str | None, module: str | None, known: Mapping[str, Any]) -> Any:
    """Returns the argument that `described` described.

    Args:
        value: its value in the configuration.
        kind: "lambda", "function" or "raw"; None in configurations that have names of functions.
        module: str, the name of the module that defines the function, or None.
        known: dict of functions of the program by name, which are also global names of the function.

    Returns:
        Function, tuple or None.

    Raises:
        ValueError: if a function is unknown, or another version of Python wrote its code.
    """
    if kind == "lambda":
        if module is not None and module not in sys.modules:
            tf_logging.warning("%s is not loaded, but a Lambda layer uses it. It may cause errors.", module)
        names = vars(sys.modules[module]) if module in sys.modules else {}
        return func_load(value, globs={"K": backend, "np": np, **names, **known})
    if isinstance(value, str) and value in known:
        return known[value]
    if kind == "function":
        raise ValueError(f"Unknown function: {value}. Give it in `custom_objects`.")
    return value
