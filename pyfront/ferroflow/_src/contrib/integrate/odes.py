"""Ordinary differential equations: the adaptive method of Dormand and Prince, and methods of fixed steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DictLike, FloatLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.elementwise import is_finite, sqrt, square
from ferroflow._src.ops.math.reduction import reduce_all, reduce_mean
from ferroflow._src.ops.tensor_array import TensorArray

__all__ = ["odeint", "odeint_fixed"]

# The tableau of Dormand and Prince: times, weights of earlier slopes, and the weights of the error and the midpoint.
_ALPHA: Final = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_BETA: Final = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR: Final = (
    35 / 384 - 1951 / 21600,
    0.0,
    500 / 1113 - 22642 / 50085,
    125 / 192 - 451 / 720,
    -2187 / 6784 - -12231 / 42400,
    11 / 84 - 649 / 6300,
    -1 / 60,
)
_MIDDLE: Final = (
    6025192743 / 30085553152 / 2,
    0.0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)


def _combined(weights: Sequence[float], slopes: Sequence[Any], dt: Any) -> Any:
    total = None
    for weight, slope in zip(weights, slopes, strict=True):
        if weight:
            part = cast(dt * weight, slope.dtype) * slope
            total = part if total is None else total + part
    return total


def _dormand_prince(func: Callable[..., Any], y: Any, slope: Any, t: Any, dt: Any) -> tuple[Any, Any, Any, Any]:
    """Returns the value and the slope after a step, the estimate of the error, and the value in the middle."""
    slopes, reached = [slope], y
    for alpha, beta in zip(_ALPHA, _BETA, strict=True):
        reached = y + _combined(beta, slopes, dt)
        slopes.append(func(reached, t + alpha * dt))
    return reached, slopes[-1], _combined(_ERROR, slopes, dt), y + _combined(_MIDDLE, slopes, dt)


def _interp_fit(y0: Any, y1: Any, y_mid: Any, f0: Any, f1: Any, dt: Any) -> list[Any]:
    """Returns the coefficients of the polynomial of degree 4 through two values, a middle one, and two slopes."""
    y0, y1, y_mid, f0, f1 = map(convert_to_tensor, (y0, y1, y_mid, f0, f1))
    step = cast(dt, y0.dtype)
    a = 2 * step * (f1 - f0) - 8 * (y1 + y0) + 16 * y_mid
    b = step * (5 * f0 - 3 * f1) + 18 * y0 + 14 * y1 - 32 * y_mid
    c = step * (f1 - 4 * f0) - 11 * y0 - 5 * y1 + 16 * y_mid
    return [a, b, c, step * f0, y0]


def _interp_evaluate(coefficients: Sequence[Any], t0: Any, t1: Any, t: Any) -> Any:
    """Returns the value of the polynomial between two times; the step fails at a time outside."""
    before, after, now = (convert_to_tensor(time) for time in (t0, t1, t))
    inside = logical_and(before <= now, now <= after)
    with control_dependencies([Assert(inside, ["invalid interpolation, fails `t0 <= t <= t1`:", t0, t, t1])]):
        share = cast((now - before) / (after - before), coefficients[0].dtype)
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * share + coefficient
    return value


def odeint(
    func: Callable[[Any, Any], Any],
    y0: TensorLike,
    t: TensorLike,
    rtol: FloatLike = 1e-6,
    atol: FloatLike = 1e-12,
    method: str | None = None,
    options: DictLike | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """Solves `dy/dt = func(y, t)` from a start on, with steps that follow the tolerances.

    Args:
        func: function of a Tensor of the dtype and shape of `y0` and a scalar Tensor, which returns the slope.
        y0: Tensor of a float or complex dtype, of any shape: the value at `t[0]`.
        t: Tensor of a float dtype, of shape [times], in increasing order.
        rtol: float, the error that a step may have, relative to the value.
        atol: float, the error that a step may have besides.
        method: str, "dopri5", the only one.
        options: dict, with any of "first_step", "safety", "ifactor", "dfactor" and "max_num_steps".
        full_output: bool. If True, a dict of what the steps were is returned, too.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `y0`, of shape [times, ...]; and the dict.

    Raises:
        ValueError: if `method` or an option is not known, or `options` are given without `method`.
        TypeError: if `y0` is neither float nor complex, or `t` is no float.
    """
    if method is not None and method != "dopri5":
        raise ValueError(f"invalid value for `method`: {method!r}")
    if options and method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    settings = {"first_step": 1.0, "safety": 0.9, "ifactor": 10.0, "dfactor": 0.2, "max_num_steps": 1000}
    unknown = set(options or {}) - set(settings)
    if unknown:
        raise ValueError(f"odeint has no option {', '.join(sorted(map(str, unknown)))}")
    settings.update(dict(options or {}))
    with name_scope(name, "odeint", [y0, t, rtol, atol]) as scope:
        times, start = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t"), convert_to_tensor(y0, name="y0")
        if not (start.dtype.is_floating or start.dtype.is_complex):
            raise TypeError(f"`y0` must have a floating point or complex floating point dtype, got {start.dtype}")
        if not times.dtype.is_floating:
            raise TypeError(f"`t` must have a floating point dtype, got {times.dtype}")
        tolerances = [convert_to_tensor(one, dtype=start.dtype.real_dtype) for one in (rtol, atol)]
        solved, history = _solve(func, start, times, tolerances, settings)
        result = identity(solved, name=scope)
        points, ratios = history.points.stack(), history.ratios.stack()
    steps = history.steps
    evaluations = {"num_func_evals": 6 * steps + 1, "num_steps": steps}
    return (result, {**evaluations, "integrate_points": points, "error_ratio": ratios}) if full_output else result


def _solve(
    func: Callable[..., Any], start: Any, times: Any, tolerances: Sequence[Any], settings: dict[str, Any]
) -> tuple[Any, _State]:
    """Returns the values at all times, and the last state, which has the history of the steps."""

    def slope_of(y: Any, now: Any) -> Any:
        slope = convert_to_tensor(func(y, now), dtype=start.dtype)
        slope.set_shape(start.shape)
        return slope

    def one_step(state: _State) -> list[Any]:
        y, slope, now, dt = state.ends[1], state.ends[4], state.after, state.dt
        checks = [
            Assert(now + dt > now, ["underflow in dt", dt]),
            Assert(state.steps < settings["max_num_steps"], ["max_num_steps exceeded"]),
            Assert(reduce_all(is_finite(abs(y))), ["non-finite values in state `y`", y]),
        ]
        with control_dependencies(checks):
            dt = identity(dt)
        reached, after, error, middle = _dormand_prince(slope_of, y, slope, now, dt)
        ratio = _error_ratio(error, y, reached, tolerances)
        moved = [y, reached, middle, slope, after, now, now + dt]
        kept = [*state.ends, state.before, state.after]
        chosen = cond(ratio <= 1, lambda: list(map(identity, moved)), lambda: list(map(identity, kept)))
        for value, other in zip(chosen, kept, strict=True):
            value.set_shape(other.shape)
        following = _optimal_step_size(
            dt, cast(ratio, dt.dtype), settings["safety"], settings["ifactor"], settings["dfactor"]
        )
        points, ratios = state.points.write(state.steps, now + dt), state.ratios.write(state.steps, ratio)
        return [*chosen, following, state.steps + 1, points, ratios]

    def one_time(i: Any, values: Any, *variables: Any) -> tuple[Any, ...]:
        target = times[i]
        state = _State.of(
            while_loop(
                lambda *now: now[6] < target,
                lambda *now: one_step(_State.of(now)),
                variables,
            )
        )
        y0, y1, middle, f0, f1 = state.ends
        coefficients = _interp_fit(y0, y1, middle, f0, f1, state.after - state.before)
        values = values.write(i, _interp_evaluate(coefficients, state.before, state.after, target))
        return (i + 1, values, *state.ends, *state[1:])

    times = _increasing(times)
    count = shaping.shape(times)[0]
    values = TensorArray(start.dtype, count, element_shape=start.shape).write(0, start)
    slope = slope_of(start, times[0])
    first = convert_to_tensor(settings["first_step"], dtype=times.dtype)
    points = TensorArray(times.dtype, 0, dynamic_size=True, element_shape=[])
    ratios = TensorArray(start.dtype.real_dtype, 0, dynamic_size=True, element_shape=[])
    begin = [start, start, start, slope, slope, times[0], times[0], first, convert_to_tensor(0), points, ratios]
    found = while_loop(lambda i, *_: i < count, one_time, (convert_to_tensor(1), values, *begin))
    solved = found[1].stack()
    solved.set_shape(times.shape.concatenate(start.shape))
    return solved, _State.of(found[2:])


class _State(NamedTuple):
    """The last step: values and slopes at its ends and in its middle, its times, the next step's size.

    Also the number of steps so far, and of each its end and the ratio of its error.
    """

    ends: tuple[Any, Any, Any, Any, Any]
    before: Any
    after: Any
    dt: Any
    steps: Any
    points: Any
    ratios: Any

    @staticmethod
    def of(variables: Sequence[Any]) -> _State:
        ends = (variables[0], variables[1], variables[2], variables[3], variables[4])
        return _State(ends, *variables[5:11])


def _error_ratio(error: Any, before: Any, after: Any, tolerances: Sequence[Any]) -> Any:
    """Returns the root mean square of the error in units of the tolerance."""
    rtol, atol = tolerances
    scale = atol + rtol * maximum(abs(before), abs(after))
    return sqrt(reduce_mean(square(abs(error) / scale)))


def _optimal_step_size(
    last_step: Any, error_ratio: Any, safety: float = 0.9, ifactor: float = 10.0, dfactor: float = 0.2
) -> Any:
    """Returns the size of the step after one with an error; it is between `dfactor` and `ifactor` times that step's."""
    # The ratio is in the numerator, because it may be 0.
    return last_step / maximum(minimum(error_ratio**0.2 / safety, 1 / dfactor), 1 / ifactor)


def _increasing(times: Any) -> Any:
    """Returns the times; the step fails if they do not increase."""
    with control_dependencies([Assert(reduce_all(times[1:] > times[:-1]), ["`t` must be monotonic increasing"])]):
        return identity(times)


def odeint_fixed(
    func: Callable[[Any, Any], Any],
    y0: TensorLike,
    t: TensorLike,
    dt: FloatLike | None = None,
    method: str = "rk4",
    name: str | None = None,
) -> Tensor:
    """Solves `dy/dt = func(y, t)` from a start on, with steps between the given times, or of one size.

    Args:
        func: function of a Tensor of the dtype and shape of `y0` and a scalar Tensor, which returns the slope.
        y0: Tensor of a float or complex dtype, of any shape: the value at `t[0]`.
        t: Tensor of a float dtype, of shape [times], in increasing order.
        dt: float, the size of the steps; None for one step between two times.
        method: str, "midpoint" or "rk4".
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `y0`, of shape [times, ...].

    Raises:
        ValueError: if `method` is something else.
    """
    if method not in ("midpoint", "rk4"):
        raise ValueError(f"method not supported: {method}")
    advance = _midpoint if method == "midpoint" else _runge_kutta
    with name_scope(name, "odeint_fixed", [y0, t, dt]) as scope:
        times, start = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t"), convert_to_tensor(y0, name="y0")
        times = _increasing(times)
        size = None if dt is None else convert_to_tensor(dt, dtype=times.dtype)
        count = shaping.shape(times)[0]

        def between(i: Any, y: Any, values: Any) -> tuple[Any, Any, Any]:
            begin, end = times[i - 1], times[i]
            if size is None:
                y = advance(func, y, begin, end - begin)
            else:
                _, y = while_loop(
                    lambda now, _: now < end,
                    lambda now, value: (
                        now + minimum(size, end - now),
                        advance(func, value, now, minimum(size, end - now)),
                    ),
                    (begin, y),
                )
            return i + 1, y, values.write(i, y)

        values = TensorArray(start.dtype, count, element_shape=start.shape).write(0, start)
        _, _, values = while_loop(lambda i, *_: i < count, between, (convert_to_tensor(1), start, values))
        solved = values.stack()
        solved.set_shape(times.shape.concatenate(start.shape))
        return identity(solved, name=scope)


def _midpoint(func: Callable[..., Any], y: Any, t: Any, dt: Any) -> Any:
    step = cast(dt, y.dtype)
    return y + step * func(y + step / 2 * func(y, t), t + dt / 2)


def _runge_kutta(func: Callable[..., Any], y: Any, t: Any, dt: Any) -> Any:
    step = cast(dt, y.dtype)
    k1 = func(y, t)
    k2 = func(y + step / 2 * k1, t + dt / 2)
    k3 = func(y + step / 2 * k2, t + dt / 2)
    k4 = func(y + step * k3, t + dt)
    return y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
