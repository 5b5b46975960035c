"""`PhasedLSTMCell`: each unit opens for a part of a period of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import split
from ferroflow._src.ops.array.making import stop_gradient
from ferroflow._src.ops.math.arithmetic import floormod
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import exp, log, sigmoid, tanh
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.projection import Projection
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant, RandomUniform
from ferroflow._src.variables.scope import variable_scope


def _of_uniform_logarithm(low: float, high: float) -> Callable[..., Any]:
    def initializer(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, partition_info: Any = None) -> Any:
        return exp(random_uniform(shape, log(low), log(high), dtype))

    return initializer


class PhasedLSTMCell(RNNCell):
    """A phased LSTM: each unit updates in the open phase of its period, and leaks in the rest.

    Args:
        num_units: int, the number of units.
        use_peepholes: bool. If True, the gates use the cell state.
        leak: float, how much units change while they are closed.
        ratio_on: float, the first value of the part of a period in which a unit is open.
        trainable_ratio_on: bool. If True, that part is trained.
        period_init_min: float, the shortest first period, in the unit of the inputs' times.
        period_init_max: float, the longest first period.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Neil et al., Phased LSTM: Accelerating Recurrent Network Training for Long or Event-based Sequences, 2016.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_init_min = period_init_min
        self._period_init_max = period_init_max
        self._projections: dict[str, Projection] = {}

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int, the number of units."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def _projected(self, scope: str, inputs: list[Any], size: int) -> Any:
        with variable_scope(scope):
            if scope not in self._projections:
                self._projections[scope] = Projection(inputs, size)
            return self._projections[scope](inputs)

    def _cycle_ratio(self, time: Any, phase: Any, period: Any) -> Any:
        """Returns each unit's position in its period, from 0 to 1."""
        period = cast(period, time.dtype)
        shifted = time - cast(phase, time.dtype)
        # TF 1.x: the remainder has the derivative of the time, and none of the period.
        remainder = stop_gradient(floormod(shifted, period) - shifted) + shifted
        return cast(remainder / period, dtypes.float32)

    def _openness(self, time: Any) -> Any:
        """Returns how much each unit changes, from 0 to 1."""
        longest = _of_uniform_logarithm(self._period_init_min, self._period_init_max)
        period = get_variable("period", [self._num_units], initializer=longest)
        phase = get_variable("phase", [self._num_units], initializer=RandomUniform(0.0, period.initial_value))
        ratio_on = get_variable(
            "ratio_on",
            [self._num_units],
            initializer=Constant(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        ratio = self._cycle_ratio(time, phase, period)
        rising = 2 * ratio / ratio_on
        openness = where(ratio < ratio_on, 2 - rising, self._leak * ratio)
        return where(ratio < 0.5 * ratio_on, rising, openness)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: pair of the times, Tensor of float32 or float64 of shape [batch, 1], and the values, Tensor of
                float32 of shape [batch, size].
            state: LSTMStateTuple of Tensors of float32, of shape [batch, units].

        Returns:
            The output, of shape [batch, units], and the next LSTMStateTuple.
        """
        c_before, h_before = state
        time, x = inputs
        seen = [x, h_before]
        gates = sigmoid(
            self._projected("mask_gates", [*seen, c_before] if self._use_peepholes else seen, 2 * self._num_units)
        )
        input_gate, forget_gate = split(axis=1, num_or_size_splits=2, value=gates)
        c = c_before * forget_gate + input_gate * tanh(self._projected("new_input", seen, self._num_units))
        output_gate = sigmoid(
            self._projected("output_gate", [*seen, c] if self._use_peepholes else seen, self._num_units)
        )
        h = tanh(c) * output_gate
        k = self._openness(time)
        c, h = k * c + (1 - k) * c_before, k * h + (1 - k) * h_before
        return h, LSTMStateTuple(c, h)
