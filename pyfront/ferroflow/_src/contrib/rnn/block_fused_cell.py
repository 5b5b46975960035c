"""`LSTMBlockFusedCell`: an LSTM over all steps in one call; `LSTMBlockWrapper`, the base of such layers."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ListLike, TensorLike
from ferroflow._src.contrib.rnn.block_cells import LSTMWeights
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd
from ferroflow._src.ops.array.joining import concat, stack, unstack
from ferroflow._src.ops.array.making import range as int_range, sequence_mask, zeros
from ferroflow._src.ops.array.shaping import expand_dims
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.sizes import size_of


class LSTMBlockWrapper(Layer):
    """Base of the layers that compute all steps of an LSTM in one call; a subclass defines `_call_cell`.

    `_call_cell(inputs, initial_cell_state, initial_output, dtype, sequence_length)` gives the cell states and the
    outputs of all steps, of shape [time, batch, units].

    Args:
        trainable: bool. If True, its variables are put into `GraphKeys.TRAINABLE_VARIABLES`.
        name: str, its variable scope, made unique; None for the name of the class in snake case.
        dtype: DType of its variables; None for that of its first input.
        **kwargs: further arguments of `tf.layers.Layer`.
    """

    @property
    @abc.abstractmethod
    def num_units(self) -> int:
        """int, the number of units."""

    @abc.abstractmethod
    def _call_cell(
        self, inputs: Any, initial_cell_state: Any, initial_output: Any, dtype: Any, sequence_length: Any
    ) -> Any:
        """Returns the cell states and the outputs of all steps; what is past the end of a sequence may be anything."""

    def call(
        self,
        inputs: Any,
        initial_state: ListLike | None = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
    ) -> Any:
        """Computes all steps.

        Args:
            inputs: Tensor of float16 or float32, of shape [time, batch, size], or list of Tensors of shape
                [batch, size].
            initial_state: pair of Tensors of shape [batch, units]: cell state and output before; None for zeros.
            dtype: DType of the first state; needed if there is no `initial_state`.
            sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence, after
                which outputs are zeros and the state stays; None for all.

        Returns:
            The outputs, Tensor of shape [time, batch, units] or a list as the inputs, and the last LSTMStateTuple.

        Raises:
            ValueError: if the size of inputs is unknown, the state is not a pair, or neither it nor `dtype` is given.
        """
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = stack(inputs)
        shape = inputs.get_shape().with_rank(3)
        if not shape[2].value:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {shape}")
        time, batch = size_of(inputs, 0), size_of(inputs, 1)
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            zero = zeros(stack([batch, self.num_units]), dtype=dtype)
            initial_state = (zero, zero)
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        if dtype is None:
            dtype = initial_state[0].dtype
        cell_state, output = initial_state
        last: tuple[Any, ...]
        if sequence_length is None:
            states, outputs = self._call_cell(inputs, cell_state, output, dtype, None)
            last = states[-1], outputs[-1]
        else:
            lengths = convert_to_tensor(sequence_length)
            states, outputs = self._call_cell(inputs, cell_state, output, dtype, lengths)
            mask = shaping.transpose(sequence_mask(lengths, time, dtype=dtype), [1, 0])
            outputs = outputs * expand_dims(mask, -1)
            rows = stack([lengths, int_range(batch, dtype=lengths.dtype)], axis=1)
            pairs = zip(initial_state, (states, outputs), strict=True)
            last = tuple(gather_nd(concat([expand_dims(first, 0), rest], 0), rows) for first, rest in pairs)
        return unstack(outputs) if is_list else outputs, LSTMStateTuple(*last)


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """A long short-term memory whose steps in time are one operation.

    Args:
        num_units: int, the number of units.
        forget_bias: float, added to the forget gate.
        cell_clip: float, the bound of cell states; None, or not positive, for none.
        use_peephole: bool. If True, the gates use the cell state.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        dtype: DType of the variables, float16 or float32; None for that of the inputs.
        name: str, name of the layer.

    Source: Gers et al., Learning to Forget: Continual Prediction with LSTM, 1999.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: object = None,
        dtype: DTypeLike | None = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip
        self._use_peephole = use_peephole
        self._weights: Any = None

    @property
    def num_units(self) -> int:
        """int, the number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the variables.

        Args:
            input_shape: TensorShape of the inputs, [time, batch, inputs], or list of TensorShapes, of which that is the
                first.
        """
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        self._weights = LSTMWeights(
            self,
            shape[-1].value,
            self._num_units,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        self.built = True

    def _call_cell(
        self, inputs: Any, initial_cell_state: Any, initial_output: Any, dtype: Any, sequence_length: Any
    ) -> Any:
        steps = size_of(inputs, 0) if sequence_length is None else reduce_max(sequence_length)
        return self._weights.steps(cast(steps, dtypes.int64), inputs, initial_cell_state, initial_output, dtype)
