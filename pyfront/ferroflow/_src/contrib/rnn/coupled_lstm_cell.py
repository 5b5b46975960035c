"""`CoupledInputForgetGateLSTMCell`: an LSTM whose input gate is 1 minus its forget gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import Initializer
from ferroflow._src.contrib.layers.model_layers import layer_norm
from ferroflow._src.contrib.rnn.sharded_weights import peepholes, sharded_weights
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant, Zeros
from ferroflow._src.variables.scope import variable_scope


class CoupledInputForgetGateLSTMCell(RNNCell):
    """A long short-term memory whose input gate is 1 minus its forget gate.

    Args:
        num_units: int, the number of units.
        use_peepholes: bool. If True, the gates use the cell state.
        initializer: accepted and not used, as in TF 1.x.
        num_proj: int, the size of a projection of the output, or None.
        proj_clip: float, the bound of projected outputs, or None.
        num_unit_shards: int, the number of variables that the weights are made of.
        num_proj_shards: int, the number of variables that the projection is made of.
        forget_bias: float, added to the forget gate.
        state_is_tuple: bool. If True, a state is an LSTMStateTuple; if not, one tensor of both parts.
        activation: callable, of the new values and of the cell state.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        layer_norm: bool. If True, gates, new values and cell state are normalized.
        norm_gain: float, the first value of the gains of the normalization.
        norm_shift: float, the first value of its shifts.

    Source: Greff et al., LSTM: A Search Space Odyssey, 2015.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Initializer | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable[..., Any] = tanh,
        reuse: object = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(_reuse=reuse)
        if not state_is_tuple:
            tf_logging.warn(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", self
            )
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift
        self._output_size = num_proj or num_units

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

    def _normalized(self, x: Any, scope: str) -> Any:
        shape = x.get_shape()[-1:]
        with variable_scope(scope):
            get_variable("gamma", shape=shape, initializer=Constant(self._norm_gain))
            get_variable("beta", shape=shape, initializer=Constant(self._norm_shift))
        return layer_norm(x, reuse=True, scope=scope)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: LSTMStateTuple of Tensors of shapes [batch, units] and [batch, outputs], or both as one tensor.

        Returns:
            The output, of shape [batch, outputs], and the next state, as `state`.

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        units, dtype = self._num_units, inputs.dtype
        if self._state_is_tuple:
            c_before, h_before = state
        else:
            c_before = slice_of(state, [0, 0], [-1, units])
            h_before = slice_of(state, [0, units], [-1, self._output_size])
        depth = inputs.get_shape().with_rank(2)[1].value
        if depth is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        weights = sharded_weights("W", [depth + self._output_size, 3 * units], dtype, self._num_unit_shards)
        bias = get_variable("B", shape=[3 * units], initializer=Zeros(), dtype=dtype)
        total = matmul(concat([inputs, h_before], 1), weights)
        if not self._layer_norm:
            # TF 1.x: with normalization there is a bias, and it is not used.
            total = bias_add(total, bias)
        j, f, o = split(value=total, num_or_size_splits=3, axis=1)
        if self._layer_norm:
            j, f, o = (self._normalized(x, scope) for x, scope in ((j, "transform"), (f, "forget"), (o, "output")))
        w_f, w_o = peepholes("FO", units, dtype) if self._use_peepholes else (None, None)
        forget = f + self._forget_bias
        kept = sigmoid(forget if w_f is None else forget + w_f * c_before)
        c = kept * c_before + (1 - kept) * self._activation(j)
        if self._layer_norm:
            c = self._normalized(c, "state")
        h = sigmoid(o if w_o is None else o + w_o * c) * self._activation(c)
        if self._num_proj is not None:
            h = matmul(h, sharded_weights("W_P", [units, self._num_proj], dtype, self._num_proj_shards))
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)
