"""Learning rates that fall with the global step."""

from __future__ import annotations

import functools
import itertools
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.control_flow.choice import case
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_n_to_tensor, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.arithmetic import add, div, minimum, multiply, pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.elementwise import ceil, exp, floor, negative


def _given(value: Tensor) -> Tensor:
    return value


def _periods(step: Tensor, steps: Tensor, staircase: bool) -> Tensor:
    periods: Tensor = step / steps
    return floor(periods) if staircase else periods


def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the decayed learning rate `learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64, not negative.
        decay_steps: as `global_step`, above zero: the steps after which the rate is multiplied by `decay_rate`.
        decay_rate: as `learning_rate`.
        staircase: If True, the rate falls after each `decay_steps` only.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.

    Example:
        >>> step = tf.placeholder(tf.int32, [])
        >>> rate = tf.train.exponential_decay(0.1, step, decay_steps=100, decay_rate=0.5, staircase=True)
        >>> for n in (0, 99, 100, 250):
        ...     print(n, sess.run(rate, {step: n}))
        0 0.1
        99 0.1
        100 0.05
        250 0.025
    """
    if global_step is None:
        raise ValueError("global_step is required for exponential_decay.")
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        steps, base, step = (cast(x, rate.dtype) for x in (decay_steps, decay_rate, global_step))
        return multiply(rate, pow(base, _periods(step, steps, staircase)), name=scope)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `learning_rate * exp(-decay_rate) ** (global_step / decay_steps)`.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64, not negative.
        decay_steps: as `global_step`, above zero.
        decay_rate: as `learning_rate`.
        staircase: If True, the rate falls after each `decay_steps` only.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("global_step is required for natural_exp_decay.")
    return exponential_decay(learning_rate, global_step, decay_steps, exp(negative(decay_rate)), staircase, name)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64, not negative.
        decay_steps: as `global_step`, above zero.
        decay_rate: as `learning_rate`.
        staircase: If True, the rate falls after each `decay_steps` only.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("global_step is required for inverse_time_decay.")
    with name_scope(name, "InverseTimeDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        steps, slope, step = (cast(x, rate.dtype) for x in (decay_steps, decay_rate, global_step))
        periods = _periods(step, steps, staircase)
        return div(rate, add(cast(constant(1), rate.dtype), multiply(slope, periods)), name=scope)


def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `(learning_rate - end_learning_rate) * (1 - global_step / decay_steps) ** power + end_learning_rate`.

    Args:
        learning_rate: float, or scalar tensor of float32 or float64: the rate at step 0.
        global_step: number, or scalar tensor of int32 or int64, not negative.
        decay_steps: as `global_step`, above zero: the steps after which `end_learning_rate` is reached.
        end_learning_rate: as `learning_rate`.
        power: as `learning_rate`.
        cycle: If True, `decay_steps` grows to its next multiple each time it is passed, so that the rate rises again;
            otherwise the rate stays at its end.
        name: name of the operation.

    Returns:
        Scalar tensor of the dtype of `learning_rate`.

    Raises:
        ValueError: if `global_step` is None.
    """
    if global_step is None:
        raise ValueError("global_step is required for polynomial_decay.")
    inputs = [learning_rate, global_step, decay_steps, end_learning_rate, power]
    with name_scope(name, "PolynomialDecay", inputs) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        end, exponent, step, steps = (cast(x, dtype) for x in (end_learning_rate, power, global_step, decay_steps))
        given = steps if isinstance(decay_steps, Tensor) else decay_steps
        if cycle:
            # At step 0 no multiple of the steps is passed, and one of none would divide by zero.
            multiple = cond(equal(step, 0), lambda: constant(1.0, dtype=dtype), lambda: ceil(step / given))
            steps = multiply(steps, multiple)
        else:
            step = minimum(step, given)
        left = step / steps
        return add(multiply(rate - end, pow(1 - left, exponent)), end, name=scope)


def value_of_interval(x: Tensor, bounds: list[Any], results: list[Any]) -> Tensor:
    """Returns the value for the interval that contains `x`.

    Args:
        x: Tensor of a real number dtype, of shape [].
        bounds: list of n Tensors of the dtype of `x`, of shape [], growing; each belongs to the interval below it.
        results: list of n + 1 Tensors of one dtype, of shape [].

    Returns:
        Tensor of the dtype of `results`, of shape [].
    """
    if not bounds:
        first: Tensor = results[0]
        return first
    within = [x <= bounds[0], x > bounds[-1]]
    within += [(x > low) & (x <= high) for low, high in itertools.pairwise(bounds)]
    ordered = [results[0], results[-1], *results[1:-1]]
    pairs = [(here, functools.partial(_given, result)) for here, result in zip(within, ordered, strict=True)]
    chosen: Tensor = case(pairs, default=functools.partial(_given, results[0]), exclusive=True)
    return chosen


def piecewise_constant(x: Any, boundaries: ListLike, values: ListLike, name: str | None = None) -> Tensor:
    """Returns the value for the interval that contains `x`.

    Args:
        x: scalar tensor or variable of a real number dtype, mostly the global step.
        boundaries: list of n growing numbers or scalar tensors of the dtype of `x` (int32 for int64 will do). Each
            belongs to the interval below it.
        values: list of n + 1 numbers or scalar tensors of one dtype.
        name: name scope of the operations.

    Returns:
        Scalar tensor of the dtype of `values`.

    Raises:
        ValueError: if dtypes are incompatible, or there is not one value more than there are boundaries.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    bounds, results, x = convert_n_to_tensor(boundaries), convert_n_to_tensor(values), convert_to_tensor(x)
    dtype = x.dtype.base_dtype
    # A conversion to the dtype of x could move a boundary: of int32 it cannot.
    bounds = [cast(b, dtype) if (b.dtype.base_dtype, dtype) == (dtypes.int32, dtypes.int64) else b for b in bounds]
    for bound in bounds:
        if bound.dtype.base_dtype != dtype:
            raise ValueError(f"Boundaries ({bound.dtype.base_dtype}) must have the same dtype as x ({dtype}).")
    first = results[0].dtype.base_dtype
    for result in results[1:]:
        if result.dtype.base_dtype != first:
            raise ValueError(
                f"Values must have elements all with the same dtype ({first} vs {result.dtype.base_dtype})."
            )
    with name_scope(name, "PiecewiseConstant", [x, boundaries, values, name]):
        return value_of_interval(x, bounds, results)
