"""Functions of `Lambda` layers in configurations: their compiled code as text, and functions made of it.

Code that this process wrote is found again without being read. Code from elsewhere could do anything, and damaged code
could end the process, so it is read only if `FERROFLOW_LAMBDA_CODE=1` says that its source can be trusted.
"""

from __future__ import annotations

import base64
import importlib.util
import marshal
import os
import sys
import types
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.keras import backend
from ferroflow._src.keras.configurations import serialized

_ALLOWING: Final = "FERROFLOW_LAMBDA_CODE"

# The code of functions by the text that describes it.
_written: dict[str, types.CodeType] = {}


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
    _written[code] = func.__code__
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
        ValueError: if another version of Python, or TensorFlow, wrote the code; or if another process wrote it, and
            `FERROFLOW_LAMBDA_CODE=1` does not allow it.
    """
    if isinstance(code, (tuple, list)):
        code, defaults, closure = code
    cells = None if closure is None else tuple(types.CellType(value) for value in closure)
    made = types.FunctionType(
        _code_of(code),
        vars(sys.modules[func_load.__module__]) if globs is None else globs,
        argdefs=None if defaults is None else tuple(defaults),
        closure=cells,
    )
    return made


def _code_of(text: str) -> types.CodeType:
    """Returns the code that a text describes; see `func_load`."""
    if text in _written:
        return _written[text]
    content, magic = base64.decodebytes(text.encode("ascii")), importlib.util.MAGIC_NUMBER
    if not content.startswith(magic):
        raise ValueError(
            "The function of a Lambda layer was saved as code of another version of Python, or by TensorFlow. Make the "
            "model with its program, and read its variables with `load_weights`."
        )
    if os.environ.get(_ALLOWING) != "1":
        raise ValueError(
            "The function of a Lambda layer was saved as code, which could do anything. If its source can be trusted, "
            f"set the environment variable {_ALLOWING}=1; or make the model with its program, and read its variables "
            "with `load_weights`."
        )
    code: types.CodeType = marshal.loads(content[len(magic) :])
    return code


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
        ValueError: if a function is unknown, or its code cannot be read; see `func_load`.
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
