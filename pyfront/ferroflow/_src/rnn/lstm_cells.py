"""Cells of long short-term memory."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.typing import DTypeLike, Initializer, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.arithmetic import add, multiply
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import LayerRNNCell, known_depth
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.partitioners import fixed_size_partitioner

_LSTMStateTuple = collections.namedtuple("_LSTMStateTuple", ("c", "h"))


class LSTMStateTuple(_LSTMStateTuple):
    """The state of an LSTM cell: the memory and the output, in this order.

    Args:
        c: Tensor of a float dtype, of shape [batch, units]: the memory.
        h: Tensor of the dtype of `c`, of shape [batch, units], or of the projection: the output.
    """

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The DType of both.

        Raises:
            TypeError: if the dtypes differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def _warn_of_concatenated_state(cell: Any, state_is_tuple: bool) -> None:
    if not state_is_tuple:
        tf_logging.warn(
            "%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", cell
        )


class BasicLSTMCell(LayerRNNCell):
    """An LSTM cell without peepholes, projection or clipping.

    Args:
        num_units: int, the number of units.
        forget_bias: float, added to the forget gates' inputs. A checkpoint of CudnnLSTM needs 0.
        state_is_tuple: bool. If True, a state is an `LSTMStateTuple`; if not, one tensor [batch, 2 units] of c and h.
        activation: callable, of the new inputs and of the memory; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer; None for "basic_lstm_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Source: Zaremba et al., Recurrent Neural Network Regularization, 2014.

    Example:
        >>> cell = tf.nn.rnn_cell.BasicLSTMCell(num_units=4)
        >>> state = cell.zero_state(batch_size=2, dtype=tf.float32)
        >>> output, (c, h) = cell(tf.ones([2, 3]), state)
        >>> print(output.shape, c.shape)
        (2, 4) (2, 4)
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        _warn_of_concatenated_state(self, state_is_tuple)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation or tanh
        self._kernel: Any = None
        self._bias: Any = None

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int, or int if the state is one tensor."""
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of shape [inputs + units, 4 units], and the bias, of the gates i, j, f and o.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        depth = known_depth(inputs_shape)
        self._kernel = self.add_weight("kernel", shape=[depth + self._num_units, 4 * self._num_units])
        self._bias = self.add_weight("bias", shape=[4 * self._num_units], initializer=Zeros())
        self.built = True

    def _gate_kernel(self) -> Any:
        """Returns the weights of the gates; a subclass may change them before each step."""
        return self._kernel

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: LSTMStateTuple of Tensors of the dtype of `inputs`, of shape [batch, units], or both as one tensor.

        Returns:
            The output, of shape [batch, units], and the next state, as `state`.
        """
        one = constant(1, dtype=dtypes.int32)
        c, h = state if self._state_is_tuple else split(value=state, num_or_size_splits=2, axis=one)
        total = bias_add(matmul(concat([inputs, h], 1), self._gate_kernel()), self._bias)
        i, j, f, o = split(value=total, num_or_size_splits=4, axis=one)
        forget_bias = constant(self._forget_bias, dtype=f.dtype)
        kept = multiply(c, sigmoid(add(f, forget_bias)))
        new_c = add(kept, multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """An LSTM cell with optional peepholes, output projection and clipping.

    Args:
        num_units: int, the number of units.
        use_peepholes: bool. If True, the gates also use the memory, through diagonal weights.
        cell_clip: float, the bound of the memory's absolute values, or None.
        initializer: initializer of the kernels and the peepholes' weights; None for the scope's.
        num_proj: int, the size of the projected output; None for no projection.
        proj_clip: float, the bound of the projected output's absolute values, or None.
        num_unit_shards: int, the number of slices that the kernel is kept in (deprecated: use a partitioner).
        num_proj_shards: int, the number of slices that the projection's kernel is kept in (deprecated).
        forget_bias: float, added to the forget gates' inputs.
        state_is_tuple: bool. If True, a state is an `LSTMStateTuple`; if not, one tensor of c and h.
        activation: callable, of the new inputs and of the memory; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer; None for "lstm_cell".
        dtype: DType of the variables; None for that of the first inputs.

    Source: Sak et al., Long Short-Term Memory Recurrent Neural Network Architectures for Large Scale Acoustic Modeling,
        2014.

    Example:
        >>> cell = tf.nn.rnn_cell.LSTMCell(num_units=8, num_proj=4)
        >>> output, (c, h) = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
        >>> print(output.shape, c.shape, h.shape)
        (2, 4) (2, 8) (2, 4)
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        _warn_of_concatenated_state(self, state_is_tuple)
        if num_unit_shards is not None or num_proj_shards is not None:
            tf_logging.warn(
                "%s: The num_unit_shards and proj_unit_shards parameters are deprecated and will be removed in Jan "
                "2017.  Use a variable scope with a partitioner instead.",
                self,
            )
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation or tanh
        self._output_size = num_proj or num_units
        self._kernel: Any = None
        self._bias: Any = None
        self._w_f_diag: Any = None
        self._w_i_diag: Any = None
        self._w_o_diag: Any = None
        self._proj_kernel: Any = None

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int, or int if the state is one tensor."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._output_size)
        return self._num_units + self._output_size

    @property
    def output_size(self) -> Any:
        """int, the size of the projection, or the number of units."""
        return self._output_size

    def _sharded(self, name: str, shape: list[int], shards: int | None) -> Any:
        partitioner = None if shards is None else fixed_size_partitioner(shards)
        return self.add_weight(name, shape=shape, initializer=self._initializer, partitioner=partitioner)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of shape [inputs + outputs, 4 units], the bias, the peepholes' and projection's weights.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        units = self._num_units
        rows = known_depth(inputs_shape) + (units if self._num_proj is None else self._num_proj)
        self._kernel = self._sharded("kernel", [rows, 4 * units], self._num_unit_shards)
        self._bias = self.add_weight("bias", shape=[4 * units], initializer=Zeros())
        if self._use_peepholes:
            self._w_f_diag = self.add_weight("w_f_diag", shape=[units], initializer=self._initializer)
            self._w_i_diag = self.add_weight("w_i_diag", shape=[units], initializer=self._initializer)
            self._w_o_diag = self.add_weight("w_o_diag", shape=[units], initializer=self._initializer)
        if self._num_proj is not None:
            self._proj_kernel = self._sharded("projection/kernel", [units, self._num_proj], self._num_proj_shards)
        self.built = True

    def _gate_kernel(self) -> Any:
        """Returns the weights of the gates; a subclass may change them before each step."""
        return self._kernel

    def _taken_apart(self, state: Any) -> Any:
        if self._state_is_tuple:
            return state
        output_size = self._num_units if self._num_proj is None else self._num_proj
        c = slice_of(state, [0, 0], [-1, self._num_units])
        return c, slice_of(state, [0, self._num_units], [-1, output_size])

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: LSTMStateTuple of Tensors of the dtype of `inputs`, of shapes [batch, units] and [batch, outputs], or
                both as one tensor.

        Returns:
            The output, of shape [batch, outputs], and the next state, as `state`.

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        c_before, h_before = self._taken_apart(state)
        if inputs.get_shape().with_rank(2)[1].value is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        total = bias_add(matmul(concat([inputs, h_before], 1), self._gate_kernel()), self._bias)
        i, j, f, o = split(value=total, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            kept = sigmoid(f + self._forget_bias + self._w_f_diag * c_before) * c_before
            c = kept + sigmoid(i + self._w_i_diag * c_before) * self._activation(j)
        else:
            c = sigmoid(f + self._forget_bias) * c_before + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        gate = sigmoid(o + self._w_o_diag * c) if self._use_peepholes else sigmoid(o)
        h = gate * self._activation(c)
        if self._num_proj is not None:
            h = matmul(h, self._proj_kernel)
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)
