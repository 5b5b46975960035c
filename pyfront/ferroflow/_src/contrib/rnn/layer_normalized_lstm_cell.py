"""`LayerNormLSTMCell`: an LSTM with peepholes and projection, and optionally normalized gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Initializer
from ferroflow._src.contrib.layers.model_layers import layer_norm as normalize
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.projection import whole_bias
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


class LayerNormLSTMCell(RNNCell):
    """A long short-term memory whose gates and cell state may be normalized over the units.

    Args:
        num_units: int, the number of units.
        use_peepholes: bool. If True, the gates use the cell state.
        cell_clip: float, the bound of cell states, or None.
        initializer: initializer of the weights and peepholes; None for the scope's.
        num_proj: int, the size of a projection of the output, or None.
        proj_clip: float, the bound of projected outputs, or None.
        forget_bias: float, added to the forget gate.
        activation: callable, of the new values and of the cell state; None for `tanh`.
        layer_norm: bool. If True, there is normalization.
        norm_gain: float, the first value of the gains of the normalization.
        norm_shift: float, the first value of its shifts.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Ba et al., Layer Normalization, 2016; Sak et al., Long Short-Term Memory Recurrent Neural Network
    Architectures for Large Scale Acoustic Modeling, 2014.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1.0,
        activation: Callable[..., Any] | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or tanh
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """int, the size of the projection, or the number of units."""
        return self._num_proj or self._num_units

    def _normalized(self, x: Any, scope: str) -> Any:
        if not self._layer_norm:
            return x
        shape = x.get_shape()[-1:]
        with variable_scope(scope):
            get_variable("gamma", shape=shape, initializer=Constant(self._norm_gain))
            get_variable("beta", shape=shape, initializer=Constant(self._norm_shift))
        return normalize(x, reuse=True, scope=scope)

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
        c_before, h_before = state
        units, dtype = self._num_units, inputs.dtype
        if inputs.get_shape().with_rank(2)[1].value is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            x = concat([inputs, h_before], 1)
            total = matmul(x, get_variable("kernel", [x.get_shape()[1], 4 * units], dtype=dtype))
            bias = whole_bias(4 * units, dtype)
            if not self._layer_norm:
                # TF 1.x: with normalization there is a bias, and it is not used.
                total = bias_add(total, bias)
            i, j, f, o = split(value=total, num_or_size_splits=4, axis=1)
            i, j = self._normalized(i, "input"), self._normalized(j, "transform")
            f, o = self._normalized(f, "forget"), self._normalized(o, "output")
            f = f + self._forget_bias
            w_o = None
            if self._use_peepholes:
                w_f, w_i, w_o = (get_variable(f"w_{gate}_diag", shape=[units], dtype=dtype) for gate in "fio")
                f, i = f + w_f * c_before, i + w_i * c_before
            c = self._normalized(sigmoid(f) * c_before + sigmoid(i) * self._activation(j), "state")
            if self._cell_clip is not None:
                c = clip_by_value(c, -self._cell_clip, self._cell_clip)
            h = sigmoid(o if w_o is None else o + w_o * c) * self._activation(c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    h = matmul(h, get_variable("kernel", [units, self._num_proj], dtype=dtype))
                if self._proj_clip is not None:
                    h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h)
