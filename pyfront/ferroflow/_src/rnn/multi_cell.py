"""`MultiRNNCell`: cells one after the other, as one cell."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import DTypeLike, IntLike, ListLike, TensorLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.variables.scope import variable_scope


class MultiRNNCell(RNNCell):
    """Stack of cells: each cell's outputs are the next cell's inputs.

    Args:
        cells: list of RNNCells, the first one gets the inputs.
        state_is_tuple: bool. If True, a state is the tuple of the states of the cells; if not, one tensor of all.

    Raises:
        ValueError: if there are no cells, or the state of one is a structure while `state_is_tuple` is False.
        TypeError: if `cells` is not a list or tuple.

    Example:
        >>> cells = [tf.nn.rnn_cell.GRUCell(size) for size in (8, 4)]
        >>> stack = tf.nn.rnn_cell.MultiRNNCell(cells)
        >>> outputs, states = tf.nn.dynamic_rnn(stack, tf.ones([2, 5, 3]), dtype=tf.float32)
        >>> print(outputs.shape, [state.shape.as_list() for state in states])
        (2, 5, 4) [[2, 8], [2, 4]]
    """

    def __init__(self, cells: ListLike, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_sequence(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells = cells
        for i, cell in enumerate(cells):
            if isinstance(cell, Trackable):
                self._track_trackable(cell, f"cell-{i}")
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_sequence(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: "
                f"{[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> Any:
        """Tuple of the cells' sizes, or their sum if the state is one tensor."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The output size of the last cell."""
        return self._cells[-1].output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of the cells that are trained."""
        return [w for cell in self._inner_layers() for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of the cells that are not trained."""
        fixed = [w for cell in self._inner_layers() for w in cell.non_trainable_weights]
        return fixed if self.trainable else [w for cell in self._inner_layers() for w in cell.trainable_weights] + fixed

    def _inner_layers(self) -> list[Layer]:
        return [cell for cell in self._cells if isinstance(cell, Layer)]

    def zero_state(self, batch_size: IntLike, dtype: DTypeLike) -> Any:
        """Returns a state of zeros.

        Args:
            batch_size: int, or Tensor of int32 of shape [].
            dtype: DType of the state.

        Returns:
            Tuple of the cells' states, or Tensor of shape [batch_size, sum of the sizes].
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: TensorLike, state: ListLike) -> Any:
        """Computes one step of all cells.

        Args:
            inputs: Tensor of shape [batch, size], or the input of the first cell.
            state: tuple of the states of the cells, or Tensor of shape [batch, sum of the sizes].

        Returns:
            The outputs of the last cell, and the next state, as `state`.

        Raises:
            ValueError: if the state is not a tuple where it should be one.
        """
        position = 0
        states = []
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    if not nest.is_sequence(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}"
                        )
                    before = state[number]
                else:
                    before = slice_of(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                inputs, after = cell(inputs, before)
                states.append(after)
        return inputs, tuple(states) if self._state_is_tuple else concat(states, 1)
