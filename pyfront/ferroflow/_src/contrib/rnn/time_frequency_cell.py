"""`TimeFreqLSTMCell`: an LSTM over overlapping blocks of the inputs of a step, and over time."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Initializer, TensorLike
from ferroflow._src.contrib.rnn.sharded_weights import peepholes, sharded_weights
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.sizes import size_of
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros


class TimeFreqLSTMCell(RNNCell):
    """A long short-term memory over blocks of frequencies: each block also gets the output of the block below.

    A state has cell state and output of each block, side by side: [batch, 2 * units * blocks].

    Args:
        num_units: int, the number of units.
        use_peepholes: bool. If True, the gates use the cell state.
        cell_clip: float, the bound of cell states, or None.
        initializer: accepted and not used, as in TF 1.x.
        num_unit_shards: int, the number of variables that the weights are made of.
        forget_bias: float, added to the forget gate.
        feature_size: int, the number of frequencies of a block.
        frequency_skip: int, how far the blocks are apart.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Source: Li et al., LSTM Time and Frequency Recurrence for Automatic Speech Recognition, 2015.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int = 1,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip

    @property
    def state_size(self) -> Any:
        """int, the size of the state of one block."""
        return 2 * self._num_units

    @property
    def output_size(self) -> Any:
        """int, the size of the output of one block."""
        return self._num_units

    def _blocks(self, inputs: Any) -> list[Any]:
        size = inputs.get_shape().with_rank(2)[-1].value
        if size is None:
            raise ValueError("Cannot infer input_size from static shape inference.")
        width = size if self._feature_size is None else self._feature_size
        count = (size - width) // self._frequency_skip + 1
        return [slice_of(inputs, [0, number * self._frequency_skip], [-1, width]) for number in range(count)]

    def call(self, inputs: Any, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, frequencies].
            state: Tensor of the dtype of `inputs`, of shape [batch, 2 * units * blocks].

        Returns:
            The output, of shape [batch, units * blocks], and the next state.

        Raises:
            ValueError: if the number of frequencies is unknown.
        """
        units, dtype, blocks = self._num_units, inputs.dtype, self._blocks(inputs)
        depth = blocks[0].get_shape().as_list()[1]
        weights = sharded_weights("W", [depth + 2 * units, 4 * units], dtype, self._num_unit_shards)
        bias = get_variable("B", shape=[4 * units], initializer=Zeros(), dtype=dtype)
        w_f, w_i, w_o = peepholes("FIO", units, dtype) if self._use_peepholes else (None, None, None)
        below = zeros([size_of(inputs, 0), units], dtype)
        outputs, states = [], []
        for number, block in enumerate(blocks):
            c_before, h_before = (slice_of(state, [0, (2 * number + half) * units], [-1, units]) for half in (0, 1))
            total = bias_add(matmul(concat([block, h_before, below], 1), weights), bias)
            i, j, f, o = split(value=total, num_or_size_splits=4, axis=1)
            f = f + self._forget_bias
            if w_f is not None and w_i is not None:
                f, i = f + w_f * c_before, i + w_i * c_before
            c = sigmoid(f) * c_before + sigmoid(i) * tanh(j)
            if self._cell_clip is not None:
                c = clip_by_value(c, -self._cell_clip, self._cell_clip)
            below = sigmoid(o if w_o is None else o + w_o * c) * tanh(c)
            outputs.append(below)
            states += [c, below]
        return concat(outputs, 1), concat(states, 1)
