"""Ranges of values: variables that follow the extrema of a tensor, between which it is quantized."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_per_channel,
)
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.training.moving_averages import assign_moving_average
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.synchronization import VariableAggregation

__all__ = ["FixedQuantize", "LastValueQuantize", "MovingAvgQuantize"]

# The axes over which the extrema of a channel are taken, by the rank of the tensor.
_REDUCED = {1: [], 2: [0], 4: [0, 1, 2]}


class _Steps(NamedTuple):
    """Options of a quantization, apart from its range."""

    per_channel: bool
    num_bits: int
    narrow_range: bool
    symmetric: bool


def _extrema(inputs: Tensor, per_channel: bool) -> tuple[Tensor, Tensor]:
    if not per_channel:
        return reduce_min(inputs, name="BatchMin"), reduce_max(inputs, name="BatchMax")
    axes = _REDUCED[len(inputs.shape)]
    if not axes:
        return inputs, inputs
    return reduce_min(inputs, axis=axes, name="BatchMin"), reduce_max(inputs, axis=axes, name="BatchMax")


def _range(inputs: Tensor, steps: _Steps) -> tuple[Tensor, Tensor]:
    """Returns the ends of the smallest range that holds all values and 0."""
    least, greatest = _extrema(inputs, steps.per_channel)
    if not steps.symmetric:
        return minimum(least, 0.0), maximum(greatest, 0.0)
    # Without `narrow_range`, there is one more step below 0 than above it.
    ratio = -1 if steps.narrow_range else -((1 << steps.num_bits) - 2) / (1 << steps.num_bits)
    return minimum(least, greatest / ratio), maximum(greatest, least * ratio)


def _fake_quantized(inputs: Tensor, low: TensorLike, high: TensorLike, steps: _Steps) -> Tensor:
    quantize = fake_quant_with_min_max_vars_per_channel if steps.per_channel else fake_quant_with_min_max_vars
    return quantize(inputs, low, high, num_bits=steps.num_bits, narrow_range=steps.narrow_range)


def _quantized(
    inputs: Tensor,
    steps: _Steps,
    update: Callable[[Any, Tensor, str], Tensor] | None,
    init_min: float,
    init_max: float,
    vars_collection: str | None,
    name_prefix: str,
    reuse: Any,
) -> Tensor:
    """Quantizes between two variables, which `update` moves to the new range; None leaves them as they are."""
    with variable_scope(None, default_name=name_prefix, values=[inputs], reuse=reuse) as scope:
        scope.set_partitioner(None)
        shape = inputs.get_shape()
        if steps.per_channel and shape.ndims not in _REDUCED:
            raise ValueError(f"Expected 1D, 2D or 4D input, was: {shape} in scope: {name_prefix}")

        def end(name: str, value: float) -> Any:
            return get_variable(
                name,
                shape=[shape[-1]] if steps.per_channel else [],
                initializer=Constant(value),
                collections=[*([vars_collection] if vars_collection else []), GraphKeys.GLOBAL_VARIABLES],
                trainable=False,
                aggregation=VariableAggregation.MEAN,
            )

        low, high = end("min", init_min), end("max", init_max)
        if update is not None:
            new_low, new_high = _range(inputs, steps)
            low, high = update(low, new_low, "AssignMin"), update(high, new_high, "AssignMax")
        return _fake_quantized(inputs, low, high, steps)


def FixedQuantize(  # noqa: N802 - TF 1.x's name
    inputs: TensorLike, init_min: float = -6.0, init_max: float = 6.0, scope: str | None = None
) -> Tensor:
    """Quantizes values between two constants.

    Args:
        inputs: Tensor of float32.
        init_min: float, the lower end of the range.
        init_max: float, the upper end.
        scope: str, the name scope.

    Returns:
        Tensor of float32, of the shape of `inputs`.
    """
    with name_scope(scope, "FixedQuantize", [inputs]):
        return fake_quant_with_min_max_args(inputs, min=init_min, max=init_max)


def LastValueQuantize(  # noqa: N802 - TF 1.x's name
    inputs: Tensor,
    per_channel: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    vars_collection: str | None = None,
    name_prefix: str = "LastValueQuant",
    reuse: Any = None,
    is_training: bool = True,
    num_bits: int = 8,
    narrow_range: bool = False,
    symmetric: bool = False,
) -> Tensor:
    """Quantizes values between two variables, `min` and `max`, which take the range of the last values.

    Args:
        inputs: Tensor of float32.
        per_channel: If True, each index of the last dimension has a range of its own; the rank must be 1, 2 or 4.
        init_min: float, the initial value of `min`.
        init_max: float, the initial value of `max`.
        vars_collection: str, a collection for the variables, in addition to the global variables.
        name_prefix: str, the variable scope.
        reuse: bool or `tf.AUTO_REUSE`, as in `tf.variable_scope`.
        is_training: If False, the variables do not change.
        num_bits: int from 2 to 16.
        narrow_range: If True, the lowest step is not used.
        symmetric: If True, the range reaches as far below 0 as above it.

    Returns:
        Tensor of float32, of the shape of `inputs`.

    Raises:
        ValueError: if the rank does not fit `per_channel`.
    """

    def update(variable: Any, value: Tensor, name: str) -> Tensor:
        return assign(variable, value, name=f"{name}Last")

    steps = _Steps(per_channel, num_bits, narrow_range, symmetric)
    last = update if is_training else None
    return _quantized(inputs, steps, last, init_min, init_max, vars_collection, name_prefix, reuse)


def MovingAvgQuantize(  # noqa: N802 - TF 1.x's name
    inputs: Tensor,
    per_channel: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    ema_decay: float = 0.999,
    vars_collection: str | None = GraphKeys.MOVING_AVERAGE_VARIABLES,
    name_prefix: str = "MovingAvgQuantize",
    reuse: Any = None,
    is_training: bool = True,
    num_bits: int = 8,
    narrow_range: bool = False,
    symmetric: bool = False,
) -> Tensor:
    """Quantizes values between two variables, `min` and `max`, which take moving averages of the values' range.

    Args:
        inputs: Tensor of float32.
        per_channel: If True, each index of the last dimension has a range of its own; the rank must be 1, 2 or 4.
        init_min: float, the initial value of `min`.
        init_max: float, the initial value of `max`.
        ema_decay: float, how much of an average stays in each step.
        vars_collection: str, a collection for the variables, in addition to the global variables.
        name_prefix: str, the variable scope.
        reuse: bool or `tf.AUTO_REUSE`, as in `tf.variable_scope`.
        is_training: If False, the variables do not change.
        num_bits: int from 2 to 16.
        narrow_range: If True, the lowest step is not used.
        symmetric: If True, the range reaches as far below 0 as above it.

    Returns:
        Tensor of float32, of the shape of `inputs`.

    Raises:
        ValueError: if the rank does not fit `per_channel`.
    """

    def update(variable: Any, value: Tensor, name: str) -> Tensor:
        return assign_moving_average(variable, value, ema_decay, name=f"{name}Ema")

    steps = _Steps(per_channel, num_bits, narrow_range, symmetric)
    moving = update if is_training else None
    return _quantized(inputs, steps, moving, init_min, init_max, vars_collection, name_prefix, reuse)
