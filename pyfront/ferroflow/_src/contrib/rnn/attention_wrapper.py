"""`AttentionCellWrapper`: a cell that attends to its last outputs."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest, tf_logging
from ferroflow._src.base.typing import ListLike
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.shaping import expand_dims, reshape
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.elementwise import tanh
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.conv import conv2d
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.rnn.cell import RNNCell, assert_like_rnn_cell
from ferroflow._src.rnn.projection import Projection
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope


class AttentionCellWrapper(RNNCell):
    """A cell whose inputs are joined with the attention to its last outputs.

    Args:
        cell: RNNCell, the wrapped one.
        attn_length: int, the number of last outputs.
        attn_size: int, the size of the outputs; None for that of the wrapped cell.
        attn_vec_size: int, the size of the vectors that scores are computed from; None for `attn_size`.
        input_size: int, the size of the wrapped cell's inputs; None for that of the inputs.
        state_is_tuple: bool. If True, a state is a tuple; if not, one tensor of its parts.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        TypeError: if `cell` is not an RNNCell.
        ValueError: if `attn_length` is not positive, or the wrapped cell's state is a structure while `state_is_tuple`
            is False.

    Source: Bahdanau et al., Neural Machine Translation by Jointly Learning to Align and Translate, 2014.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        assert_like_rnn_cell("cell", cell)
        if nest.is_sequence(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size is: "
                f"{cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            tf_logging.warn(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", self
            )
        self._cell = cell
        self._attn_length = attn_length
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._state_is_tuple = state_is_tuple
        self._input_projection: Projection | None = None
        self._query_projection: Projection | None = None
        self._output_projection: Projection | None = None

    def _sizes(self) -> tuple[Any, int, int]:
        return self._cell.state_size, self._attn_size, self._attn_size * self._attn_length

    @property
    def state_size(self) -> Any:
        """Tuple of the sizes of the wrapped cell's state, the attention and the last outputs; or their sum."""
        return self._sizes() if self._state_is_tuple else sum(self._sizes())

    @property
    def output_size(self) -> Any:
        """int, the size of the outputs."""
        return self._attn_size

    def _taken_apart(self, state: Any) -> list[Any]:
        if self._state_is_tuple:
            return list(state)
        parts, position = [], 0
        for size in self._sizes():
            parts.append(slice_of(state, [0, position], [-1, size]))
            position += size
        return parts

    def call(self, inputs: Any, state: ListLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of float32, of shape [batch, size].
            state: tuple of the three parts of the state, or Tensor of float32 of all of them, of shape [batch, state
                size].

        Returns:
            The output, of shape [batch, output size], and the next state, as `state`.
        """
        inner, attended, kept = self._taken_apart(state)
        kept = reshape(kept, [-1, self._attn_length, self._attn_size])
        if self._input_projection is None:
            size = inputs.get_shape().as_list()[1] if self._input_size is None else self._input_size
            self._input_projection = Projection([inputs, attended], size)
        cell_output, new_inner = self._cell(self._input_projection([inputs, attended]), inner)
        query = concat(nest.flatten(new_inner), 1) if self._state_is_tuple else new_inner
        new_attended, recent = self._attend(query, kept)
        with variable_scope("attn_output_projection"):
            if self._output_projection is None:
                self._output_projection = Projection([cell_output, new_attended], self._attn_size)
            output = self._output_projection([cell_output, new_attended])
        new_kept = reshape(concat([recent, expand_dims(output, 1)], 1), [-1, self._attn_length * self._attn_size])
        new_state = (new_inner, new_attended, new_kept)
        return output, new_state if self._state_is_tuple else concat(list(new_state), 1)

    def _attend(self, query: Any, kept: Any) -> tuple[Any, Any]:
        """Returns the weighted sum of the last outputs, and all of them but the oldest."""
        with variable_scope("attention"):
            k = get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            v = get_variable("attn_v", [self._attn_vec_size])
            hidden = reshape(kept, [-1, self._attn_length, 1, self._attn_size])
            features = conv2d(hidden, k, [1, 1, 1, 1], "SAME")
            if self._query_projection is None:
                self._query_projection = Projection([query], self._attn_vec_size)
            y = reshape(self._query_projection([query]), [-1, 1, 1, self._attn_vec_size])
            weights = softmax(reduce_sum(v * tanh(features + y), [2, 3]))
            total = reduce_sum(reshape(weights, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return reshape(total, [-1, self._attn_size]), slice_of(kept, [0, 1, 0], [-1, -1, -1])
