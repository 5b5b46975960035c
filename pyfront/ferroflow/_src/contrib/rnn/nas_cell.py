"""`NASCell`: the cell that a search over architectures found."""

from __future__ import annotations

from typing import Any

from ferroflow._src.ops.array.joining import split
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add, relu
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros


class NASCell(RNNCell):
    """A cell with eight gates that are joined in a tree.

    Args:
        num_units: int, the number of units.
        num_proj: int, the size of the projected output; None for no projection.
        use_biases: bool. If True, a bias is added to the state's part.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Zoph and Le, Neural Architecture Search with Reinforcement Learning, 2016.
    """

    def __init__(
        self, num_units: int, num_proj: int | None = None, use_biases: bool = False, reuse: object = None
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_biases = use_biases

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """int, the size of the projection, or the number of units."""
        return self._num_units if self._num_proj is None else self._num_proj

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: LSTMStateTuple of Tensors of the dtype of `inputs`, of shapes [batch, units] and [batch, outputs].

        Returns:
            The output, of shape [batch, outputs], and the next state, as `state`.

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        c, h = state
        dtype = inputs.dtype
        depth = inputs.get_shape().with_rank(2)[1].value
        if depth is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        columns = 8 * self._num_units
        recurrent_kernel = get_variable("recurrent_kernel", [self.output_size, columns], dtype)
        kernel = get_variable("kernel", [depth, columns], dtype)
        of_state, of_inputs = matmul(h, recurrent_kernel), matmul(inputs, kernel)
        if self._use_biases:
            of_state = bias_add(of_state, get_variable("bias", [columns], initializer=Zeros(), dtype=dtype))
        m = split(value=of_state, num_or_size_splits=8, axis=1)
        x = split(value=of_inputs, num_or_size_splits=8, axis=1)
        leaves = [
            *(sigmoid(x[0] + m[0]), relu(x[1] + m[1]), sigmoid(x[2] + m[2]), relu(x[3] * m[3])),
            *(tanh(x[4] + m[4]), sigmoid(x[5] + m[5]), tanh(x[6] + m[6]), sigmoid(x[7] + m[7])),
        ]
        left, right = tanh(leaves[0] * leaves[1]), tanh(leaves[2] + leaves[3])
        product, total = tanh(leaves[4] * leaves[5]), sigmoid(leaves[6] + leaves[7])
        new_c = tanh(left + c) * right
        new_h = tanh(new_c * tanh(product + total))
        if self._num_proj is not None:
            new_h = matmul(new_h, get_variable("projection_weights", [self._num_units, self._num_proj], dtype))
        return new_h, LSTMStateTuple(new_c, new_h)
