"""`LayerNormBasicLSTMCell`: an LSTM cell with normalized gates and dropout of its new memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import FloatLike, TensorLike
from ferroflow._src.contrib.layers.model_layers import layer_norm as normalize
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.normalization import dropout
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM cell with gates and memory normalized over the units, and dropout of the memory's new values.

    Args:
        num_units: int, the number of units.
        forget_bias: float, added to the forget gates' inputs.
        input_size: accepted and ignored (deprecated).
        activation: callable, of the new inputs and of the memory.
        layer_norm: bool. If True, there is normalization; if not, there is a bias.
        norm_gain: float, the first value of the normalizations' gamma.
        norm_shift: float, the first value of the normalizations' beta.
        dropout_keep_prob: float, or Tensor of a float dtype of shape []: the probability that an element stays.
        dropout_prob_seed: int, the dropout's seed; None to derive it from the graph's.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Ba et al., Layer Normalization, 2016; Semeniuta et al., Recurrent Dropout without Memory Loss, 2016.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: object = None,
        activation: Callable[..., Any] = tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: FloatLike = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if input_size is not None:
            tf_logging.warn("%s: The input_size parameter is deprecated.", self)
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def _normalized(self, x: Any, scope: str) -> Any:
        if not self._layer_norm:
            return x
        shape = x.get_shape()[-1:]
        with variable_scope(scope):
            get_variable("gamma", shape=shape, initializer=Constant(self._norm_gain), dtype=x.dtype)
            get_variable("beta", shape=shape, initializer=Constant(self._norm_shift), dtype=x.dtype)
        return normalize(x, reuse=True, scope=scope)

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: LSTMStateTuple of Tensors of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output, of shape [batch, units], and the next state, as `state`.
        """
        c, h = state
        x = concat([inputs, h], 1)
        kernel = get_variable("kernel", [x.get_shape()[-1], 4 * self._num_units], dtype=x.dtype)
        total = matmul(x, kernel)
        if not self._layer_norm:
            total = bias_add(total, get_variable("bias", [4 * self._num_units], dtype=x.dtype))
        i, j, f, o = split(value=total, num_or_size_splits=4, axis=1)
        i, j = self._normalized(i, "input"), self._normalized(j, "transform")
        f, o = self._normalized(f, "forget"), self._normalized(o, "output")
        new = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = dropout(new, self._keep_prob, seed=self._seed)
        new_c = self._normalized(c * sigmoid(f + self._forget_bias) + sigmoid(i) * new, "state")
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)
