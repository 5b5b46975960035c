"""Initializers of `tf.contrib.layers`, whose variance depends on the number of a unit's inputs or outputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.random.sampling import random_uniform, truncated_normal

_MODES = ("FAN_IN", "FAN_OUT", "FAN_AVG")


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: dtypes.DType = dtypes.float32,
) -> Callable[..., Tensor]:
    """Returns an initializer whose variance is about `factor` divided by a number of inputs or outputs.

    Args:
        factor: float; 2 for layers with relu.
        mode: "FAN_IN", "FAN_OUT" or "FAN_AVG": the number of inputs, of outputs or their mean.
        uniform: bool. If True, draws from a uniform distribution; otherwise from a truncated normal one.
        seed: int, the op's seed; None to derive it from the graph's.
        dtype: float DType where a call gives none.

    Returns:
        A callable of shape, dtype and partition info.

    Raises:
        TypeError: if `dtype` is not a float dtype, or `mode` is not one of these; also raised by the initializer.

    Source: He et al., Delving Deep into Rectifiers, 2015.
    """
    if not dtype.is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in _MODES:
        raise TypeError(f"Unknow mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: dtypes.DType = dtype, partition_info: Any = None) -> Tensor:
        if not dtype.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        sizes = [float(int(size)) for size in shape]
        field = math.prod(sizes[:-2])
        fan_out = sizes[-1] * field if sizes else 1.0
        fan_in = sizes[-2] * field if len(sizes) > 1 else fan_out
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        # TF 1.x: 1.3 makes up roughly for the variance that cutting takes away.
        return truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initializer


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: dtypes.DType = dtypes.float32
) -> Callable[..., Tensor]:
    """Returns Glorot's (Xavier's) initializer: the variance is 1 divided by the mean number of a unit's inputs and
    outputs.

    Args:
        uniform: bool. If True, draws from a uniform distribution; otherwise from a truncated normal one.
        seed: int, the op's seed; None to derive it from the graph's.
        dtype: float DType where a call gives none.

    Returns:
        A callable of shape, dtype and partition info.

    Raises:
        TypeError: if `dtype` is not a float dtype.

    Source: Glorot, Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.

    Example:
        >>> w = tf.get_variable("w", [300, 300], initializer=tf.contrib.layers.xavier_initializer(seed=1))
        >>> sess.run(w.initializer)
        >>> print(sess.run(w).var() * 300 < 1.01)
        True
    """
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer
