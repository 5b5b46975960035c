"""Grid cells of one to three dimensions, each of a kind of cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.grid_rnn.grid_cell import GridRNNCell
from ferroflow._src.rnn.basic_cells import BasicRNNCell, GRUCell
from ferroflow._src.rnn.lstm_cells import BasicLSTMCell, LSTMCell

__all__ = [
    "Grid1BasicLSTMCell",
    "Grid1BasicRNNCell",
    "Grid1LSTMCell",
    "Grid2BasicLSTMCell",
    "Grid2BasicRNNCell",
    "Grid2GRUCell",
    "Grid2LSTMCell",
    "Grid3LSTMCell",
    "GridRNNCell",
]


class _EvenGrid(GridRNNCell):
    """A grid whose dimensions have one kind of cell; the first one reads the inputs and gives the output."""

    def __init__(
        self,
        num_units: int,
        num_dims: int,
        cell_fn: Callable[[int], Any],
        state_is_tuple: bool,
        output_is_tuple: bool,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(
            num_units=num_units,
            num_dims=num_dims,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            tied=tied,
            cell_fn=cell_fn,
            non_recurrent_fn=non_recurrent_fn,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


class Grid1BasicRNNCell(_EvenGrid):
    """A grid cell of one dimension, a BasicRNNCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            lambda size: BasicRNNCell(num_units=size),
            state_is_tuple,
            output_is_tuple,
        )


class Grid2BasicRNNCell(_EvenGrid):
    """A grid cell of two dimensions, each a BasicRNNCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        tied: bool. If True, all dimensions share their weights.
        non_recurrent_fn: function of a Tensor; if it is given, the first dimension has no state, and this activation.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            lambda size: BasicRNNCell(num_units=size),
            state_is_tuple,
            output_is_tuple,
            tied,
            non_recurrent_fn,
        )


class Grid1BasicLSTMCell(_EvenGrid):
    """A grid cell of one dimension, a BasicLSTMCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        forget_bias: float, added to the forget gate.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            lambda size: BasicLSTMCell(num_units=size, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
        )


class Grid2BasicLSTMCell(_EvenGrid):
    """A grid cell of two dimensions, each a BasicLSTMCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        tied: bool. If True, all dimensions share their weights.
        non_recurrent_fn: function of a Tensor; if it is given, the first dimension has no state, and this activation.
        forget_bias: float, added to the forget gate.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            lambda size: BasicLSTMCell(num_units=size, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
            tied,
            non_recurrent_fn,
        )


class Grid1LSTMCell(_EvenGrid):
    """A grid cell of one dimension, an LSTMCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        use_peepholes: bool. If True, the gates read the memory.
        forget_bias: float, added to the forget gate.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            1,
            lambda size: LSTMCell(num_units=size, forget_bias=forget_bias, use_peepholes=use_peepholes),
            state_is_tuple,
            output_is_tuple,
        )


class Grid2LSTMCell(_EvenGrid):
    """A grid cell of two dimensions, each an LSTMCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        tied: bool. If True, all dimensions share their weights.
        non_recurrent_fn: function of a Tensor; if it is given, the first dimension has no state, and this activation.
        use_peepholes: bool. If True, the gates read the memory.
        forget_bias: float, added to the forget gate.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            lambda size: LSTMCell(num_units=size, forget_bias=forget_bias, use_peepholes=use_peepholes),
            state_is_tuple,
            output_is_tuple,
            tied,
            non_recurrent_fn,
        )


class Grid3LSTMCell(_EvenGrid):
    """A grid cell of three dimensions, each an LSTMCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        tied: bool. If True, all dimensions share their weights.
        non_recurrent_fn: function of a Tensor; if it is given, the first dimension has no state, and this activation.
        use_peepholes: bool. If True, the gates read the memory.
        forget_bias: float, added to the forget gate.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            3,
            lambda size: LSTMCell(num_units=size, forget_bias=forget_bias, use_peepholes=use_peepholes),
            state_is_tuple,
            output_is_tuple,
            tied,
            non_recurrent_fn,
        )


class Grid2GRUCell(_EvenGrid):
    """A grid cell of two dimensions, each a GRUCell.

    The first dimension reads the inputs, gives the output, and is computed last.

    Args:
        num_units: int, the size of each dimension's state.
        tied: bool. If True, all dimensions share their weights.
        non_recurrent_fn: function of a Tensor; if it is given, the first dimension has no state, and this activation.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.
    """

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[..., Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            2,
            lambda size: GRUCell(num_units=size),
            state_is_tuple,
            output_is_tuple,
            tied,
            non_recurrent_fn,
        )
