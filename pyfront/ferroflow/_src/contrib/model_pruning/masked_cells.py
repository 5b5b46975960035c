"""LSTM cells whose kernels are multiplied by masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Initializer
from ferroflow._src.contrib.model_pruning.masks import MASKED_WEIGHT_NAME, collect_masked_once
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.rnn.cell import LayerRNNCell
from ferroflow._src.rnn.lstm_cells import BasicLSTMCell, LSTMCell
from ferroflow._src.variables.initializers import Ones, Zeros


class _MaskedCell(LayerRNNCell):
    _kernel: Any
    _mask: Any = None
    _threshold: Any = None
    _masked_kernel: Any = None

    def _gate_kernel(self) -> Any:
        """Returns the masked weights of the gates."""
        return self._masked_kernel

    def _add_mask(self) -> None:
        # Variables are made in the layer's scope only before the layer is built.
        self.built = False
        shape = self._kernel.get_shape()
        self._mask = self.add_weight("mask", shape=shape, initializer=Ones(), trainable=False, dtype=self.dtype)
        self._threshold = self.add_weight("threshold", shape=[], initializer=Zeros(), trainable=False, dtype=self.dtype)
        self._masked_kernel = multiply(self._mask, self._kernel, MASKED_WEIGHT_NAME)
        collect_masked_once(self._kernel, self._mask, self._threshold, self._masked_kernel)
        self.built = True


class MaskedBasicLSTMCell(_MaskedCell, BasicLSTMCell):
    """`tf.nn.rnn_cell.BasicLSTMCell` with a masked kernel.

    Args:
        num_units: int, the number of units.
        forget_bias: float, added to the forget gates' inputs.
        state_is_tuple: bool. If True, a state is an `LSTMStateTuple`; if not, one tensor [batch, 2 units] of c and h.
        activation: callable, of the new inputs and of the memory; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer; None for "masked_basic_lstm_cell".

    Example:
        >>> cell = tf.contrib.model_pruning.MaskedBasicLSTMCell(4)
        >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
        >>> print([v.op.name for v in tf.contrib.model_pruning.get_masks()])
        ['masked_basic_lstm_cell/mask']
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        name: str | None = None,
    ) -> None:
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, name)

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, the mask and the threshold.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        super().build(inputs_shape)
        self._add_mask()


class MaskedLSTMCell(_MaskedCell, LSTMCell):
    """`tf.nn.rnn_cell.LSTMCell` with a masked kernel; the projection has no mask.

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
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes=use_peepholes,
            cell_clip=cell_clip,
            initializer=initializer,
            num_proj=num_proj,
            proj_clip=proj_clip,
            num_unit_shards=num_unit_shards,
            num_proj_shards=num_proj_shards,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the weights of the cell, the mask and the threshold.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        super().build(inputs_shape)
        self._add_mask()
