"""Cells whose units see only their own state: `IndRNNCell`, `IndyGRUCell` and `IndyLSTMCell`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, Initializer, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array.joining import split
from ferroflow._src.ops.array.shaping import tile
from ferroflow._src.ops.math.arithmetic import add, multiply
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import LayerRNNCell, known_depth
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.initializers import Constant, RandomUniform, Zeros


class _IndependentCell(LayerRNNCell):
    """A cell with a row of weights where others have a matrix of the state."""

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None,
        reuse: object,
        kernel_initializer: Initializer | None,
        bias_initializer: Initializer | None,
        name: str | None,
        dtype: DTypeLike | None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or tanh
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def _weights(self, scope: str, kernel: str, depth: int, columns: int, bias: Initializer) -> tuple[Any, Any, Any]:
        """Makes the kernel of the inputs, the row of the state and the bias."""
        return (
            self.add_variable(f"{scope}{kernel}", shape=[depth, columns], initializer=self._kernel_initializer),
            self.add_variable(f"{scope}kernel_u", shape=[1, columns], initializer=RandomUniform(-1.0, 1.0)),
            self.add_variable(f"{scope}bias", shape=[columns], initializer=self._bias_initializer or bias),
        )


class IndRNNCell(_IndependentCell):
    """A basic recurrent cell of independent units: `activation(inputs @ kernel + state * row + bias)`.

    Args:
        num_units: int, the number of units.
        activation: callable; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer; None for "ind_rnn_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Source: Li et al., Independently Recurrent Neural Network (IndRNN), 2018.
    """

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, None, None, name, dtype)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of shape [inputs, units], the row, of shape [1, units], and the bias.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        depth = known_depth(inputs_shape)
        self._kernel, self._row, self._bias = self._weights("", "kernel_w", depth, self._num_units, Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            Twice the output, of shape [batch, units].
        """
        output = self._activation(bias_add(matmul(inputs, self._kernel) + state * self._row, self._bias))
        return output, output


class IndyGRUCell(_IndependentCell):
    """A gated recurrent unit whose gates and candidates see their own unit's state alone.

    Args:
        num_units: int, the number of units.
        activation: callable, of the candidate; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        kernel_initializer: initializer of both kernels; None for the scope's. Rows start uniform in [-1, 1).
        bias_initializer: initializer of both biases; None for 1 at the gates and 0 at the candidate.
        name: str, name of the layer; None for "indy_gru_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Source: Gonnet and Deselaers, IndyLSTMs: Independently Recurrent LSTMs, 2019.
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
        super().__init__(num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels, of shapes [inputs, 2 units] and [inputs, units], their rows and biases.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        depth, units = known_depth(inputs_shape), self._num_units
        self._gates = self._weights("gates/", "kernel_w", depth, 2 * units, Constant(1.0))
        self._candidate = self._weights("candidate/", "kernel", depth, units, Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            Twice the output, of shape [batch, units].
        """
        kernel, row, bias = self._gates
        gates = sigmoid(bias_add(matmul(inputs, kernel) + tile(state, [1, 2]) * row, bias))
        reset, update = split(value=gates, num_or_size_splits=2, axis=1)
        rest = reset * state
        kernel, row, bias = self._candidate
        candidate = self._activation(bias_add(matmul(inputs, kernel) + rest * row, bias))
        output = update * state + (1 - update) * candidate
        return output, output


class IndyLSTMCell(_IndependentCell):
    """An LSTM cell whose gates see their own unit's state alone.

    Args:
        num_units: int, the number of units.
        forget_bias: float, added to the forget gate.
        activation: callable, of the candidate and the output; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        kernel_initializer: initializer of the kernel; None for the scope's. The row starts uniform in [-1, 1).
        bias_initializer: initializer of the bias; None for zeros.
        name: str, name of the layer; None for "indy_lstm_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Source: Gonnet and Deselaers, IndyLSTMs: Independently Recurrent LSTMs, 2019.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype)
        self._forget_bias = forget_bias

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of shape [inputs, 4 units], the row, of shape [1, 4 units], and the bias.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        depth = known_depth(inputs_shape)
        self._kernel, self._row, self._bias = self._weights("", "kernel_w", depth, 4 * self._num_units, Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: LSTMStateTuple of Tensors of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output, of shape [batch, units], and the next state, as `state`.
        """
        one = constant(1, dtype=dtypes.int32)
        c, h = state
        total = bias_add(matmul(inputs, self._kernel) + tile(h, [1, 4]) * self._row, self._bias)
        i, j, f, o = split(value=total, num_or_size_splits=4, axis=one)
        kept = multiply(c, sigmoid(add(f, constant(self._forget_bias, dtype=f.dtype))))
        new_c = add(kept, multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h)
