"""`GridRNNCell`: a cell whose state has several dimensions, each with a recurrent cell of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import tf_logging
from ferroflow._src.contrib.layers.fan_initializers import xavier_initializer
from ferroflow._src.contrib.layers.model_layers import fully_connected
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMCell
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope

__all__ = ["GridRNNCell"]


class _Grid(NamedTuple):
    """The dimensions of a grid by their roles."""

    inputs: list[int]
    outputs: list[int]
    priority: list[int]
    non_priority: list[int]
    recurrents: list[int]
    non_recurrents: list[int]


def _dimensions(given: Any, count: int) -> list[int]:
    listed = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    found = sorted(set(listed))
    if any(i < 0 or i >= count for i in found):
        raise ValueError(f"Invalid dims: {found}. Must be in [0, {count})")
    return found


class _Step:
    """The memories, outputs and states of one step, by dimension."""

    def __init__(self, count: int) -> None:
        self.c: list[Any] = [None] * count
        self.m: list[Any] = [None] * count
        self.outputs: list[Any] = [None] * count
        self.states: list[Any] = [None] * count

    def latest(self, i: int) -> Any:
        """Returns a dimension's output of this step, or else that of the last one."""
        return self.m[i] if self.outputs[i] is None else self.outputs[i]


class GridRNNCell(RNNCell):
    """A cell of a grid: the dimensions read each other's outputs, and each has its own state.

    Args:
        num_units: int, the size of each dimension's state.
        num_dims: int, the number of dimensions.
        input_dims: int or list of int, the dimensions that read the inputs.
        output_dims: int or list of int, the dimensions whose outputs are returned.
        priority_dims: int or list of int, the dimensions that are computed last and read the others' new outputs.
        non_recurrent_dims: int or list of int, the dimensions without a state.
        tied: bool. If True, all dimensions share their weights.
        cell_fn: callable of a size that makes a dimension's cell; None for LSTMCell.
        non_recurrent_fn: function of a Tensor, the activation of dimensions without a state; None for `tf.nn.relu`.
        state_is_tuple: bool. If True, the state is a tuple of each dimension's state, and otherwise one Tensor.
        output_is_tuple: bool. If True, outputs are a tuple, and otherwise one Tensor.

    Raises:
        ValueError: if there is no dimension, or a dimension does not exist.
        TypeError: if `cell_fn` makes no RNNCell.

    Source: Kalchbrenner, Danihelka and Graves, Grid Long Short-Term Memory; arXiv:1507.01526.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: Any = None,
        output_dims: Any = None,
        priority_dims: Any = None,
        non_recurrent_dims: Any = None,
        tied: bool = False,
        cell_fn: Callable[..., Any] | None = None,
        non_recurrent_fn: Callable[..., Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__()
        for name, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                tf_logging.warning("%s: a concatenated %s is slower; use %s_is_tuple=True.", self, name, name)
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        priority, plain = _dimensions(priority_dims, num_dims), _dimensions(non_recurrent_dims, num_dims)
        self._grid = _Grid(
            inputs=_dimensions(input_dims, num_dims),
            outputs=_dimensions(output_dims, num_dims),
            priority=priority,
            non_priority=[i for i in range(num_dims) if i not in priority],
            recurrents=[i for i in range(num_dims) if i not in plain],
            non_recurrents=plain,
        )
        self._num_units, self._num_dims, self._tied = num_units, num_dims, tied
        self._state_is_tuple, self._output_is_tuple = state_is_tuple, output_is_tuple
        self._activation = non_recurrent_fn or relu

        def make() -> Any:
            if cell_fn is None:
                return LSTMCell(num_units=num_units, state_is_tuple=state_is_tuple)
            return cell_fn(num_units)

        self._cells: list[Any] = [make()] * num_dims if tied else [make() for _ in range(num_dims)]
        if not isinstance(self._cells[0], RNNCell):
            raise TypeError(f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}")
        sizes = self._cells[0].state_size
        self._whole_state = sum(sizes) if isinstance(sizes, tuple) else sizes

    @property
    def output_size(self) -> Any:
        """The sizes of the outputs: tuple of int, or their sum."""
        size, count = self._cells[0].output_size, len(self._grid.outputs)
        return (size,) * count if self._output_is_tuple else size * count

    @property
    def state_size(self) -> Any:
        """The sizes of the dimensions' states: tuple, or an int, their sum."""
        count = len(self._grid.recurrents)
        return (self._cells[0].state_size,) * count if self._state_is_tuple else self._whole_state * count

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """Returns the outputs and the state of one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size], divided over the dimensions that read it.
            state: tuple of each dimension's state, or one Tensor.
            scope: str or VariableScope; None for the name of the class.

        Returns:
            (tuple of outputs, or one Tensor; state of the kind of `state`).

        Raises:
            ValueError: if the state has a wrong number of parts.
        """
        dtype = inputs.dtype
        step = self._begin(state)
        with variable_scope(scope or type(self).__name__):
            self._project(inputs, step)
            self._propagate(self._grid.non_priority, step, True)
            self._propagate(self._grid.priority, step, False)
            outputs = [step.outputs[i] for i in self._grid.outputs]
            states = [step.states[i] for i in self._grid.recurrents]
            parts = states if self._state_is_tuple else [part for whole in states for part in whole]
            return (
                _joined(outputs, self._output_is_tuple, dtype),
                _joined(parts, self._state_is_tuple, dtype),
            )

    def _begin(self, state: Any) -> _Step:
        """Returns a step with the memories that are in the state."""
        step, recurrents = _Step(self._num_dims), self._grid.recurrents
        has_memory = self._whole_state > self._num_units
        if self._state_is_tuple:
            if len(recurrents) != len(state):
                raise ValueError(f"Expected state as a tuple of {len(recurrents)} element")
            for i, own in zip(recurrents, state, strict=True):
                if has_memory:
                    step.c[i], step.m[i] = own
                else:
                    step.m[i] = own
            return step
        for place, i in enumerate(recurrents):
            start = place * self._whole_state
            if has_memory:
                step.c[i] = slice_of(state, [0, start], [-1, self._num_units])
                rest = self._whole_state - self._num_units
                step.m[i] = slice_of(state, [0, start + self._num_units], [-1, rest])
            else:
                step.m[i] = slice_of(state, [0, start], [-1, self._num_units])
        return step

    def _project(self, inputs: Any, step: _Step) -> None:
        """Replaces the memories of the dimensions that read the inputs."""
        readers = self._grid.inputs
        if inputs is None or not readers or inputs.shape.with_rank(2)[1].value == 0:
            return
        parts = split(value=inputs, num_or_size_splits=len(readers), axis=1)
        shape = [parts[0].shape.with_rank(2)[1].value, self._num_units]
        for part, i in zip(parts, readers, strict=True):
            step.m[i] = matmul(part, get_variable(f"project_m_{i}", shape, dtype=inputs.dtype))
            if self._whole_state > self._num_units:
                step.c[i] = matmul(part, get_variable(f"project_c_{i}", shape, dtype=inputs.dtype))

    def _propagate(self, dimensions: Sequence[int], step: _Step, is_first: bool) -> None:
        """Computes the outputs of dimensions, from the latest ones of all dimensions."""
        if not dimensions:
            return
        if self._num_dims > 1:
            others = concat([step.latest(i) for i in range(self._num_dims - 1)], 1)
        else:
            others = making.zeros([step.m[0].get_shape().as_list()[0], 0], step.m[0].dtype)
        last = step.latest(self._num_dims - 1)
        for i in dimensions:
            kind = "non_recurrent" if i in self._grid.non_recurrents else "recurrent"
            with variable_scope(kind if self._tied else f"{kind}/cell_{i}") as scope:
                if self._tied and not (is_first and i == dimensions[0]):
                    scope.reuse_variables()
                if kind == "recurrent":
                    state = last if step.c[i] is None else (step.c[i], last)
                    step.outputs[i], step.states[i] = self._cells[i](others, state)
                    continue
                own = get_variable_scope()
                step.outputs[i] = fully_connected(
                    concat([others, last], 1) if self._num_dims > 1 else last,
                    num_outputs=self._num_units,
                    activation_fn=self._activation,
                    weights_initializer=own.initializer or xavier_initializer(),
                    weights_regularizer=own.regularizer,
                )


def _joined(parts: list[Any], is_tuple: bool, dtype: Any) -> Any:
    if is_tuple:
        return tuple(parts)
    return concat(parts, 1) if parts else making.zeros([0, 0], dtype)
