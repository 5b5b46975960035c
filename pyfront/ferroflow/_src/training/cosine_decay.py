"""Learning rates that fall along a cosine."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.arithmetic import minimum, multiply, pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.elementwise import cos, floor, log, sqrt
from ferroflow._src.ops.random.sampling import random_normal


def _cosine(fraction: Tensor) -> Tensor:
    raised: Tensor = 1.0 + cos(constant(math.pi, dtype=fraction.dtype.base_dtype) * fraction)
    return raised


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Tensor:
    """Returns half a cosine from `learning_rate` to `alpha * learning_rate`, where the rate stays.

    Source: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR 2017.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64.
        decay_steps: as `global_step`: the steps after which the end is reached.
        alpha: as `learning_rate`: the part of the rate that is left in the end.
        name: name scope of the operations.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("cosine decay requires global_step")
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        steps, step = cast(decay_steps, rate.dtype), cast(global_step, rate.dtype)
        step = minimum(step, steps)
        decayed = (1 - alpha) * (0.5 * _cosine(step / steps)) + alpha
        return multiply(rate, decayed)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Computes `cosine_decay`, restarted each time it ends.

    Source: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR 2017.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64.
        first_decay_steps: as `global_step`: the steps of the first period.
        t_mul: as `learning_rate`: how much longer each period is than the last.
        m_mul: as `learning_rate`: the factor between the first rates of two periods.
        alpha: as `learning_rate`: the part of the rate that is left in the end.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("cosine decay restarts requires global_step")
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype
        numbers = (first_decay_steps, alpha, t_mul, m_mul, global_step)
        first_steps, alpha, t_mul, m_mul, step = (cast(x, dtype) for x in numbers)
        completed = step / first_steps

        def geometric() -> tuple[Tensor, Tensor]:
            restarts = floor(log(1.0 - completed * (1.0 - t_mul)) / log(t_mul))
            before = (1.0 - t_mul**restarts) / (1.0 - t_mul)
            return restarts, (completed - before) / t_mul**restarts

        def even() -> tuple[Tensor, Tensor]:
            restarts = floor(completed)
            return restarts, completed - restarts

        restarts, fraction = cond(equal(t_mul, 1.0), even, geometric)
        cosine = 0.5 * m_mul**restarts * _cosine(fraction)
        return multiply(rate, (1 - alpha) * cosine + alpha, name=scope)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """Returns `learning_rate * ((alpha + linear) * cosine + beta)`: a cosine under a line that falls from 1 to 0.

    Source: Bello et al., "Neural optimizer search with reinforcement learning", ICML 2017.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64.
        decay_steps: as `global_step`: the steps after which the end is reached.
        num_periods: as `learning_rate`: the periods of the cosine in these steps.
        alpha: as `learning_rate`.
        beta: as `learning_rate`.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("linear cosine decay requires global_step")
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype
        numbers = (decay_steps, num_periods, alpha, beta, global_step)
        steps, periods, alpha, beta, step = (cast(x, dtype) for x in numbers)
        step = minimum(step, steps)
        linear = (steps - step) / steps
        completed = step / steps
        cosine = 0.5 * _cosine(2.0 * periods * completed)
        return multiply(rate, (alpha + linear) * cosine + beta, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """Computes `linear_cosine_decay` with noise on the line, of variance `initial_variance / (1 + step) **
    variance_decay`.

    Source: Bello et al., "Neural optimizer search with reinforcement learning", ICML 2017.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64.
        decay_steps: as `global_step`: the steps after which the end is reached.
        initial_variance: as `learning_rate`.
        variance_decay: as `learning_rate`.
        num_periods: as `learning_rate`: the periods of the cosine in these steps.
        alpha: as `learning_rate`.
        beta: as `learning_rate`.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("noisy linear cosine decay requires global_step")
    with name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        numbers = (decay_steps, initial_variance, variance_decay, num_periods, alpha, beta, global_step)
        steps, variance, falling, periods, alpha, beta, step = (cast(x, dtype) for x in numbers)
        step = minimum(step, steps)
        linear = (steps - step) / steps
        deviation = sqrt(variance / pow(1.0 + step, falling))
        noisy = linear + random_normal(linear.shape, stddev=deviation, dtype=dtype)
        completed = step / steps
        cosine = 0.5 * _cosine(2.0 * periods * completed)
        return multiply(rate, (alpha + noisy) * cosine + beta, name=scope)
