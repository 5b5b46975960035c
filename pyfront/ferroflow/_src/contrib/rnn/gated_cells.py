"""`UGRNNCell` and `IntersectionRNNCell`, whose gates are all one product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Initializer, TensorLike
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.projection import Projection
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


class _GatedCell(RNNCell):
    """A cell with one vector of `num_units` as its state and its output."""

    def __init__(self, num_units: int, initializer: Any, forget_bias: float, reuse: Any) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._projection: Projection | None = None

    @property
    def state_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def _gates(self, inputs: Any, state: Any, count: int) -> list[Any]:
        joined = concat([inputs, state], 1)
        if self._projection is None:
            self._projection = Projection([joined], count * self._num_units)
        return split(value=self._projection([joined]), num_or_size_splits=count, axis=1)


def _depth(inputs: Any) -> int:
    depth: int | None = inputs.get_shape().with_rank(2)[1].value
    if depth is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return depth


class UGRNNCell(_GatedCell):
    """A cell with one gate, the update gate, between its state and a new one.

    Args:
        num_units: int, the number of units.
        initializer: initializer of the kernel; None for the scope's.
        forget_bias: float, added to the gate's inputs.
        activation: callable, of the new state.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Collins et al., Capacity and Trainability in Recurrent Neural Networks, 2016.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Initializer | None = None,
        forget_bias: float = 1.0,
        activation: Callable[..., Any] = tanh,
        reuse: object = None,
    ) -> None:
        super().__init__(num_units, initializer, forget_bias, reuse)
        self._activation = activation

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output and the next state: one Tensor of shape [batch, units], returned twice.

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        _depth(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            gate, candidate = self._gates(inputs, state, 2)
            candidate = self._activation(candidate)
            gate = sigmoid(gate + self._forget_bias)
            output = gate * state + (1.0 - gate) * candidate
        return output, output


class IntersectionRNNCell(_GatedCell):
    """A cell with a gate along time, for its state, and one along depth, between its inputs and its outputs.

    Args:
        num_units: int, the number of units.
        num_in_proj: int, the number of units if inputs of another size are projected; None if they are refused.
        initializer: initializer of the kernels; None for the scope's.
        forget_bias: float, added to the gates' inputs.
        y_activation: callable, of the new outputs.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Collins et al., Capacity and Trainability in Recurrent Neural Networks, 2016.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: Initializer | None = None,
        forget_bias: float = 1.0,
        y_activation: Callable[..., Any] = relu,
        reuse: object = None,
    ) -> None:
        super().__init__(num_units, initializer, forget_bias, reuse)
        self._num_in_proj = num_in_proj
        self._y_activation = y_activation
        self._input_projection: Projection | None = None

    def _projected(self, inputs: Any) -> Any:
        if not self._num_in_proj:
            raise ValueError(
                "Must have input size == output size for Intersection RNN. To fix, num_in_proj should be set to "
                "num_units at cell init."
            )
        with variable_scope("in_projection"):
            if self._input_projection is None:
                self._input_projection = Projection([inputs], self._num_units)
            return self._input_projection([inputs])

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output and the next state, both of shape [batch, units].

        Raises:
            ValueError: if the last dimension of the inputs is unknown, or is not the number of units while there is no
                projection.
        """
        depth = _depth(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            if depth != self._num_units:
                inputs = self._projected(inputs)
            state_gate, new_state, output_gate, new_output = self._gates(inputs, state, 4)
            new_state, new_output = tanh(new_state), self._y_activation(new_output)
            state_gate = sigmoid(state_gate + self._forget_bias)
            output_gate = sigmoid(output_gate + self._forget_bias)
            after = state_gate * state + (1.0 - state_gate) * new_state
            output = output_gate * inputs + (1.0 - output_gate) * new_output
        return output, after
