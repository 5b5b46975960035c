"""`BasicRNNCell` and `GRUCell`, whose state is their output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import DTypeLike, Initializer, TensorLike
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import LayerRNNCell, known_depth
from ferroflow._src.variables.initializers import Constant, Zeros


class _UnitsCell(LayerRNNCell):
    """A cell with one vector of `num_units` as its state and its output."""

    def __init__(self, num_units: int, activation: Callable[..., Any] | None, reuse: Any, name: Any, dtype: Any):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or tanh

    @property
    def state_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units


class BasicRNNCell(_UnitsCell):
    """The basic recurrent cell: `activation([inputs, state] @ kernel + bias)` is its output and its next state.

    Args:
        num_units: int, the number of units.
        activation: callable; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer; None for "basic_rnn_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Example:
        >>> cell = tf.nn.rnn_cell.BasicRNNCell(num_units=4)
        >>> outputs, state = tf.nn.static_rnn(cell, [tf.ones([2, 3])] * 5, dtype=tf.float32)
        >>> print(len(outputs), outputs[0].shape, state.shape)
        5 (2, 4) (2, 4)
    """

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel: Any = None
        self._bias: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of shape [inputs + units, units], and the bias.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        depth = known_depth(inputs_shape)
        self._kernel = self.add_weight("kernel", shape=[depth + self._num_units, self._num_units])
        self._bias = self.add_weight("bias", shape=[self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output and the next state: one Tensor of shape [batch, units], returned twice.
        """
        total = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(total)
        return output, output


class GRUCell(_UnitsCell):
    """A gated recurrent unit: reset and update gates combine the state and a candidate.

    Args:
        num_units: int, the number of units.
        activation: callable, of the candidate; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        kernel_initializer: initializer of both kernels; None for the scope's.
        bias_initializer: initializer of both biases; None for 1 at the gates and 0 at the candidate.
        name: str, name of the layer; None for "gru_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.

    Example:
        >>> cell = tf.nn.rnn_cell.GRUCell(num_units=4)
        >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
        >>> print(output.shape, cell.state_size)
        (2, 4) 4
        >>> print([(v.name, v.shape.as_list()) for v in cell.weights[:2]])
        [('gru_cell/gates/kernel:0', [7, 8]), ('gru_cell/gates/bias:0', [8])]
    """

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer
        self._gate_kernel: Any = None
        self._gate_bias: Any = None
        self._candidate_kernel: Any = None
        self._candidate_bias: Any = None

    def _bias(self, name: str, size: int, default: Any) -> Any:
        given = self._bias_initializer
        return self.add_weight(name, shape=[size], initializer=default if given is None else given)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels, of shapes [inputs + units, 2 units] and [inputs + units, units], and the biases.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        rows, units = known_depth(inputs_shape) + self._num_units, self._num_units
        kernel_initializer = self._kernel_initializer
        self._gate_kernel = self.add_weight("gates/kernel", shape=[rows, 2 * units], initializer=kernel_initializer)
        self._gate_bias = self._bias("gates/bias", 2 * units, Constant(1.0))
        self._candidate_kernel = self.add_weight(
            "candidate/kernel", shape=[rows, units], initializer=kernel_initializer
        )
        self._candidate_bias = self._bias("candidate/bias", units, Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output and the next state: one Tensor of shape [batch, units], returned twice.
        """
        gates = sigmoid(bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias))
        reset, update = split(value=gates, num_or_size_splits=2, axis=1)
        rest = reset * state
        total = bias_add(matmul(concat([inputs, rest], 1), self._candidate_kernel), self._candidate_bias)
        candidate = self._activation(total)
        output = update * state + (1 - update) * candidate
        return output, output
