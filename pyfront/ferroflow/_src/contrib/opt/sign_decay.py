"""Functions of the global step that reduce the weight of the signs in `AddSignOptimizer` and `PowerSignOptimizer`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.math.arithmetic import floormod, maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal
from ferroflow._src.ops.math.elementwise import cos

Decay = Callable[[Any], Tensor]


def _required(global_step: Any, name: str) -> Any:
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")
    return global_step


def _cosine(fraction: Tensor) -> Tensor:
    half: Tensor = 0.5 * (1.0 + cos(math.pi * fraction))
    return half


def _ended(is_over: Tensor, decayed: Tensor) -> Tensor:
    return where(is_over, zeros_like(decayed), decayed)


def get_linear_decay_fn(decay_steps: int) -> Decay:
    """Returns a function that falls from 1 to 0 in a straight line.

    Args:
        decay_steps: int, the step at which it is 0.

    Returns:
        callable of the global step that returns a Tensor of float32, of shape []; it raises ValueError for None.
    """

    def linear_decay_fn(global_step: Any) -> Tensor:
        step = minimum(_required(global_step, "linear_decay"), decay_steps)
        return maximum(0.0, cast(decay_steps - cast(step, "int32"), "float32") / float(decay_steps))

    return linear_decay_fn


def get_cosine_decay_fn(decay_steps: int, num_periods: float = 0.5, zero_after: float | None = None) -> Decay:
    """Returns a function that falls from 1 to 0 and rises again, as a cosine does.

    Args:
        decay_steps: int, the step after which it stays.
        num_periods: float, the number of waves until then.
        zero_after: float, the number of waves after which it is 0; None for all.

    Returns:
        callable of the global step that returns a Tensor of float32, of shape []; it raises ValueError for None.
    """

    def cosine_decay_fn(global_step: Any) -> Tensor:
        step = minimum(_required(global_step, "cosine_decay"), decay_steps)
        fraction = 2.0 * num_periods * (cast(step, "float32") / float(decay_steps))
        decayed = _cosine(fraction)
        return decayed if zero_after is None else _ended(greater_equal(fraction, 2 * zero_after), decayed)

    return cosine_decay_fn


def get_restart_decay_fn(decay_steps: int, num_periods: float = 1, zero_after: float | None = None) -> Decay:
    """Returns a function that falls from 1 to 0 as half a cosine does, and starts again.

    Args:
        decay_steps: int, the number of steps of all falls.
        num_periods: float, the number of falls.
        zero_after: float, the number of falls after which it is 0; None for all.

    Returns:
        callable of the global step that returns a Tensor of float32, of shape []; it raises ValueError for None.

    Source: Loshchilov, Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.
    """

    def restart_decay_fn(global_step: Any) -> Tensor:
        step = cast(_required(global_step, "restart_decay"), "float32")
        decayed = _cosine(floormod(num_periods * step, float(decay_steps)) / float(decay_steps))
        if zero_after is None:
            return decayed
        return _ended(greater_equal(num_periods * step / float(decay_steps), float(zero_after)), decayed)

    return restart_decay_fn
