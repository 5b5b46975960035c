"""Cells that compute what cuDNN's layers compute, with the variables of these layers' checkpoints."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Initializer, TensorLike
from ferroflow._src.contrib.rnn.block_cells import LSTMBlockCell
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.elementwise import sigmoid
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.basic_cells import BasicRNNCell, GRUCell
from ferroflow._src.rnn.cell import known_depth
from ferroflow._src.variables.initializers import Constant, Zeros

__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell", "CudnnCompatibleRNNCell"]


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The cell of `CudnnLSTM`.

    Args:
        num_units: int, the number of units.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used.
    """

    def __init__(self, num_units: int, reuse: object = None) -> None:
        super().__init__(num_units, forget_bias=0.0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """The cell of `CudnnGRU`: the reset gate is applied behind the product with the state.

    Args:
        num_units: int, the number of units.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used.
        kernel_initializer: initializer of the kernels; None for the scope's.
        bias_initializer: initializer of the biases; None for 1 at the gates and 0 at the candidate.
    """

    def __init__(
        self,
        num_units: int,
        reuse: object = None,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
    ) -> None:
        super().__init__(
            num_units,
            reuse=reuse,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            name="cudnn_compatible_gru_cell",
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and biases of the gates, of the inputs, and of the state.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        depth, units, kernel = known_depth(inputs_shape), self._num_units, self._kernel_initializer
        self._gate_kernel = self.add_weight("gates/kernel", shape=[depth + units, 2 * units], initializer=kernel)
        self._gate_bias = self._bias("gates/bias", 2 * units, Constant(1.0, dtype=self.dtype))
        of_inputs, of_state = "candidate/input_projection", "candidate/hidden_projection"
        self._candidate_kernel = [
            self.add_weight(f"{of_inputs}/kernel", shape=[depth, units], initializer=kernel),
            self.add_weight(f"{of_state}/kernel", shape=[units, units], initializer=kernel),
        ]
        zeros = Zeros(dtype=self.dtype)
        self._candidate_bias = [self._bias(f"{where}/bias", units, zeros) for where in (of_inputs, of_state)]
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            Twice the output, of shape [batch, units].
        """
        gates = sigmoid(bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias))
        reset, update = split(value=gates, num_or_size_splits=2, axis=1)
        fresh, kept = (
            bias_add(matmul(values, kernel), bias)
            for values, kernel, bias in zip((inputs, state), self._candidate_kernel, self._candidate_bias, strict=True)
        )
        output = update * state + (1 - update) * self._activation(fresh + reset * kept)
        return output, output


class CudnnCompatibleRNNCell(BasicRNNCell):
    """The cell of `CudnnRNNTanh` and `CudnnRNNRelu`.

    Args:
        num_units: int, the number of units.
        activation: function of a Tensor.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used.
    """

    def __init__(self, num_units: int, activation: Any, reuse: object = None) -> None:
        super().__init__(num_units, activation=activation, reuse=reuse, name="cudnn_compatible_rnn_cell")
