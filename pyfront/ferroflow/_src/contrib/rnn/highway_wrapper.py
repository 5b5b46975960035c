"""`HighwayWrapper`: a cell whose outputs are weighted against its inputs by a gate."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import ScopeLike, TensorLike
from ferroflow._src.ops.math.elementwise import sigmoid
from ferroflow._src.ops.nn.activation import xw_plus_b
from ferroflow._src.rnn.wrappers import CellWrapper
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant


class HighwayWrapper(CellWrapper):
    """A cell whose outputs are the inputs times a carry gate plus another cell's outputs times a transform gate.

    Args:
        cell: RNNCell to wrap, whose outputs have the shape of the inputs.
        couple_carry_transform_gates: bool. If True, the transform gate is 1 minus the carry gate.
        carry_bias_init: float, the first value of the carry gate's bias, and minus that of the transform gate's.

    Source: Srivastava et al., Highway Networks, 2015.
    """

    def __init__(self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__(cell)
        self._couples_gates = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def _gate(self, name: str, x: Any, bias: float) -> Any:
        size = x.get_shape().with_rank(2)[1].value
        weights = get_variable(f"{name}_w", [size, size])
        return sigmoid(xw_plus_b(x, weights, get_variable(f"{name}_b", [size], initializer=Constant(bias))))

    def _mixed(self, x: Any, output: Any) -> Any:
        x.get_shape().assert_is_compatible_with(output.get_shape())
        carry = self._gate("carry", x, self._carry_bias_init)
        transform = 1 - carry if self._couples_gates else self._gate("transform", x, -self._carry_bias_init)
        return x * carry + output * transform

    def __call__(self, inputs: TensorLike, state: Any, scope: ScopeLike | None = None) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of float32, of shape [batch, size], or structure of them.
            state: the wrapped cell's state.
            scope: str or VariableScope, the wrapped cell's.

        Returns:
            The outputs and the next state.

        Raises:
            TypeError: if inputs and outputs have structures of other types.
            ValueError: if inputs and outputs have other structures or shapes.
        """
        outputs, new_state = self._cell(inputs, state, scope=scope)
        return nest.map_structure(self._mixed, inputs, outputs), new_state
