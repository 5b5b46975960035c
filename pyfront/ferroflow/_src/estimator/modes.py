"""The modes that a model function is called in, and the arguments that functions take."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final


class ModeKeys:
    """Modes in which a model function is called.

    Example:
        >>> def is_training(mode):
        ...     return mode == tf.estimator.ModeKeys.TRAIN
        >>> print(is_training(tf.estimator.ModeKeys.TRAIN), is_training(tf.estimator.ModeKeys.PREDICT))
        True False
    """

    TRAIN: Final = "train"
    EVAL: Final = "eval"
    PREDICT: Final = "infer"


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the arguments that a function, method, callable object or partial function still takes."""
    bound: set[str] = set()
    inner = function
    while isinstance(inner, functools.partial):
        bound |= set(inner.keywords)
        inner = inner.func
    return tuple(name for name in inspect.signature(function).parameters if name not in bound)
