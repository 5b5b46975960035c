"""`tensorflow.python.util.serialization`: objects of programs as values that JSON has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ferroflow._src.base.tensor_shape import Dimension, TensorShape

__all__ = ["get_json_type"]


def get_json_type(obj: Any) -> Any:
    """Returns an object as values that JSON has.

    Args:
        obj: an object with `get_config`, NumPy array or number, function, class, Dimension, TensorShape, or mapping.

    Returns:
        dict, list, number or str; None for an unknown dimension.

    Raises:
        TypeError: if `obj` is no such object.
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, (np.ndarray, np.generic)):
        return obj.tolist()
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, Mapping):
        return dict(obj)
    raise TypeError("Not JSON Serializable:", obj)
