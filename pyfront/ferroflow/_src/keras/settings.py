"""Defaults of Keras's functions: the dtype of numbers, the order of dimensions, and a small number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.layers.naming import forget_numbers, next_number

_settings: dict[str, Any] = {"epsilon": 1e-7, "floatx": "float32", "image_data_format": "channels_last"}


def epsilon() -> float:
    """Returns the small number that keeps logarithms and quotients finite: 1e-7, or what `set_epsilon` has set."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Sets the small number that keeps logarithms and quotients finite.

    Args:
        value: float.
    """
    _settings["epsilon"] = value


def floatx() -> str:
    """Returns the name of the dtype of numbers: "float32", or what `set_floatx` has set."""
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Sets the dtype of numbers.

    Args:
        value: str, "float16", "float32" or "float64".

    Raises:
        ValueError: if the value is not one of the listed values.
    """
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {value}")
    _settings["floatx"] = value


def cast_to_floatx(x: NestedTensors) -> Any:
    """Returns an array of the dtype `floatx()`.

    Args:
        x: array of any number dtype, of any shape.

    Returns:
        numpy.ndarray of its shape.
    """
    return np.asarray(x, dtype=floatx())


def image_data_format() -> str:
    """Returns the default position of image channels: "channels_last", unless `set_image_data_format` has set
    another.
    """
    return str(_settings["image_data_format"])


def dtype_of(dtype: Any) -> DType:
    """Returns the DType that an argument of a function of the backend stands for; None is `floatx()`.

    Raises:
        TypeError: if it is no type.
    """
    return dtypes.as_dtype(floatx() if dtype is None else dtype)


def data_format_of(data_format: Any) -> str:
    """Returns the position of channels that an argument of a function of the backend stands for.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.

    Raises:
        ValueError: if it is something else.
    """
    if data_format is None:
        return image_data_format()
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return str(data_format)


def set_image_data_format(data_format: str) -> None:
    """Sets where images have their channels.

    Args:
        data_format: str, "channels_first" or "channels_last".

    Raises:
        ValueError: if the value is not one of the listed values.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    _settings["image_data_format"] = data_format


def get_uid(prefix: str = "") -> int:
    """Returns the next number for a name in the default graph.

    Args:
        prefix: str, the name.

    Returns:
        int, 1 for the first.
    """
    return next_number(prefix)


def reset_uids() -> None:
    """Restarts the numbers of all names, including those of layers and models."""
    forget_numbers()
