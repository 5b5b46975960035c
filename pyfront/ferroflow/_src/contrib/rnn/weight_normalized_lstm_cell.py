"""`WeightNormLSTMCell`: an LSTM whose weights are directions times lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Initializer
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.normalization import l2_normalize
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.projection import whole_bias
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope


class WeightNormLSTMCell(RNNCell):
    """A long short-term memory with normalized weights.

    Args:
        num_units: int, the number of units.
        norm: bool. If True, the weights are normalized.
        use_peepholes: bool. If True, the gates use the cell state.
        cell_clip: float, the bound of cell states, or None.
        initializer: initializer of the variables; None for the scope's.
        num_proj: int, the size of a projection of the output, or None.
        proj_clip: float, the bound of projected outputs, or None.
        forget_bias: float, added to the forget gate.
        activation: callable, of the new values and of the cell state; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Salimans, Kingma, Weight Normalization: A Simple Reparameterization to Accelerate Training of Deep Neural
    Networks, 2016.
    """

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._norm = norm
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or tanh

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """int, the size of the projection, or the number of units."""
        return self._num_proj or self._num_units

    def _product(self, parts: list[Any], size: int) -> Any:
        """Returns the parts side by side times the kernel, of which the rows of each part are normalized by
        themselves.
        """
        sizes = [part.get_shape()[1].value for part in parts]
        dtype = parts[0].dtype
        weights = get_variable("kernel", [sum(sizes), size], dtype=dtype)
        if self._norm:
            normalized = []
            with control_dependencies(None):
                for number, rows in enumerate(sizes):
                    first = sum(sizes[:number])
                    length = get_variable(f"norm_{number}", [size], dtype=dtype)
                    normalized.append(l2_normalize(weights[first : first + rows, :], axis=0) * length)
                weights = concat(normalized, axis=0)
        return matmul(parts[0] if len(parts) == 1 else concat(parts, 1), weights)

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
        with variable_scope("wn_lstm_cell", initializer=self._initializer):
            total = self._product([inputs, h_before], 4 * units)
            bias = whole_bias(4 * units, dtype)
            i, j, f, o = split(value=bias_add(total, bias), num_or_size_splits=4, axis=1)
            f = f + self._forget_bias
            w_o = None
            if self._use_peepholes:
                w_f, w_i, w_o = (get_variable(f"w_{gate}_diag", shape=[units], dtype=dtype) for gate in "fio")
                f, i = f + w_f * c_before, i + w_i * c_before
            c = c_before * sigmoid(f) + sigmoid(i) * self._activation(j)
            if self._cell_clip is not None:
                c = clip_by_value(c, -self._cell_clip, self._cell_clip)
            h = sigmoid(o if w_o is None else o + w_o * c) * self._activation(c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    h = self._product([h], self._num_proj)
                if self._proj_clip is not None:
                    h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h)
