"""`RNN`, the layer that runs a cell over the steps of sequences."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import Dimension, TensorShape, as_shape
from ferroflow._src.base.typing import BoolLike, NestedTensors
from ferroflow._src.keras.configurations import MadeOfLayers
from ferroflow._src.keras.recurrent_base import Running
from ferroflow._src.keras.recurrent_cells import (
    StackedRNNCells,
    check_cell,
    output_size,
    reset_masks,
    run_cell,
    takes,
)
from ferroflow._src.layers.layer import Layer, settle_inner
from ferroflow._src.layers.sessions import track_variable
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.rnn.cell import LayerRNNCell, RNNCell, getter_of
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import VariableScope, get_variable_scope


def _is_one_shape(shape: Any) -> bool:
    return isinstance(shape, TensorShape) or all(x is None or isinstance(x, (int, Dimension)) for x in shape)


def _mapped(function: Any, shapes: Any) -> Any:
    """Maps over the shapes in a structure; a tuple of ints is one shape."""
    if isinstance(shapes, dict):
        return {name: _mapped(function, shape) for name, shape in shapes.items()}
    if _is_one_shape(shapes):
        return function(TensorShape(shapes))
    inner = [_mapped(function, shape) for shape in shapes]
    return type(shapes)(*inner) if hasattr(shapes, "_fields") else type(shapes)(inner)


class RNN(MadeOfLayers, Running):
    """Layer that runs a cell over the steps of sequences.

    Args:
        cell: layer whose `call` takes inputs and the list of states, and returns an output and the list of new states;
            or list of such cells. Its `state_size` is an int or TensorShape, or structure of them, as the states are.
            Its `output_size` is the same for the outputs; if it has none, a step outside of the loop gives the
            outputs' sizes. Cells of `tf.nn.rnn_cell` get a single state without a list.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool. If True, each step has operations of its own; the number of steps must be known.
        time_major: bool. If True, inputs and outputs have the shape [steps, batch, size].
        **kwargs: `zero_output_for_mask`, bool, if True, the output is 0 at steps that do not count; the arguments of
            `KerasLayer`.

    Raises:
        ValueError: if `cell` is not a cell.
    """

    _LISTS = (list,)
    _WITH_LAYERS = ("cell",)
    # The variable scope around the first call, which has the variables of cells of `tf.nn.rnn_cell`.
    _outer_scope: VariableScope | None = None
    # If True, a step has made the variables that such a cell makes in its `call`.
    _has_stepped = False

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        self._num_constants = kwargs.pop("num_constants", None) or 0
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        super().__init__(**kwargs)
        self.cell: Any = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self._given["cell"] = self.cell
        check_cell(self.cell)
        self._set_running(return_sequences, return_state, go_backwards, stateful, unroll, time_major)

    @property
    def _sizes(self) -> tuple[Any, ...]:
        return tuple(nest.flatten(self.cell.state_size))

    @property
    def _output_size(self) -> Any:
        return output_size(self.cell)

    @property
    def _state_size(self) -> Any:
        return self.cell.state_size

    def get_initial_state(self, inputs: NestedTensors) -> list[Any]:
        """Returns the first states: the cell's own if it has `get_initial_state`, else zeros.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or structure of them.

        Returns:
            list of Tensors of the dtype of `inputs`, of shape [batch, state size], in the structure of the states.
        """
        given: Any = nest.flatten(inputs)[0]
        of_cell = getattr(self.cell, "get_initial_state", None)
        if of_cell is None:
            return super().get_initial_state(given)
        batch = shaping.shape(given)[self._batch_axis]
        return self._structured(nest.flatten(of_cell(inputs=None, batch_size=batch, dtype=given.dtype)))

    def _keep_outer_scope(self) -> None:
        """Keeps the variable scope around the layer, and lets the cells of `tf.nn.rnn_cell` open theirs in it."""
        self._outer_scope = get_variable_scope()
        for cell in getattr(self.cell, "cells", [self.cell]):
            if isinstance(cell, LayerRNNCell):
                cell._set_scope()

    def _outside(self, **options: Any) -> Any:
        """Opens the variable scope around the layer, in which cells of `tf.nn.rnn_cell` open theirs."""
        return variable_scope(self._outer_scope or get_variable_scope(), auxiliary_name_scope=False, **options)

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the cell.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or structure of them, or list of it and those
                of states.
        """
        is_listed = isinstance(input_shape, list) and not _is_one_shape(input_shape)
        shape = input_shape[0] if is_listed else input_shape
        axis = self._batch_axis

        def of_step(one: TensorShape) -> TensorShape:
            return TensorShape([one[axis], *one[2:]])

        if self.stateful:
            self._keep_states(nest.flatten(_mapped(lambda one: one[axis].value, shape))[0])
        cell = self.cell
        if self._outer_scope is None:
            self._keep_outer_scope()
        if isinstance(cell, Layer) and not cell.built:
            settle_inner(cell, self._dtype or dtypes.float32.name)
            steps = _mapped(of_step, shape)
            constants = input_shape[-self._num_constants :] if is_listed and self._num_constants else []
            with self._outside():
                cell.build([steps, *constants] if constants else steps)
            cell.built = True
        self.built = True

    def _taken_apart(self, inputs: Any, initial_state: Any, constants: Any) -> tuple[Any, Any, list[Any]]:
        """Returns the inputs, the first states or None, and the constants of a call."""
        if not isinstance(inputs, list):
            return inputs, initial_state, list(constants or ())
        inputs, *rest = inputs
        count = len(rest) - self._num_constants
        return inputs, rest[:count] or initial_state, rest[count:] or list(constants or ())

    def _first_states(self, inputs: Any, given: Any) -> list[Any]:
        """Returns the states before the first step, in one list.

        Raises:
            ValueError: if the given ones do not have the cell's sizes.
        """
        if given is None:
            if not self.stateful:
                return list(nest.flatten(self.get_initial_state(inputs)))
            batch = nest.flatten(inputs)[0].get_shape()[self._batch_axis].value
            return [identity(v) for v in self._keep_states(batch)]
        flat, sizes = nest.flatten(given), self._sizes
        number = len(given) if isinstance(given, (list, tuple)) else 1
        if len(flat) != len(sizes):
            raise ValueError(f"Layer has {len(self.states)} states but was passed {number} initial states.")
        shapes = [state.get_shape() for state in flat]
        known = [as_shape(size) for size in sizes]
        if not all(a.ndims is None or a[1:].is_compatible_with(b) for a, b in zip(shapes, known, strict=True)):
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. Received shapes "
                f"{shapes}; however `cell.state_size` is {self.cell.state_size}"
            )
        return list(flat)

    def call(
        self,
        inputs: NestedTensors,
        mask: NestedTensors | None = None,
        training: BoolLike | None = None,
        initial_state: NestedTensors | None = None,
        constants: NestedTensors | None = None,
    ) -> Any:
        """Runs the cell over the steps.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or tuple or dict of them, or list of it and
                the first states.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all. At the others states
                stay.
            training: bool, or Tensor of bool of shape [], for cells that take it.
            initial_state: list of Tensors of the dtype of `inputs`, of shape [batch, state size], in the structure of
                the states; None for those of `get_initial_state`.
            constants: list of Tensors, given to each step of the cell, or None.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, size], or [batch, steps, size], or structure of them;
            with `return_state` a list of it and the states.

        Raises:
            ValueError: if the cell takes no constants, the first states do not have its sizes, or `unroll` is True and
                the number of steps is unknown.
        """
        inputs, initial_state, extra = self._taken_apart(inputs, initial_state, constants)
        mask = None if mask is None else nest.flatten(mask)[0]
        if extra and not takes(self.cell, "constants"):
            raise ValueError("RNN cell does not support constants")
        options: dict[str, Any] = {} if training is None else {"training": training}
        if extra:
            options["constants"] = extra

        def step(x: Any, states: Any) -> Any:
            given = nest.pack_sequence_as(self.cell.state_size, list(states)[: len(self._sizes)])
            output, new = self._stepped(x, given, options)
            return output, tuple(nest.flatten(new))

        reset_masks(self.cell)
        start = self._first_states(inputs, initial_state)
        result = self._over_steps(step, inputs, start, mask, **self._options_of_steps())
        if isinstance(self.cell, Layer):
            for variable in self.cell.weights:
                track_variable(variable)
        return result

    def _stepped(self, x: Any, states: Any, options: dict[str, Any]) -> Any:
        if not isinstance(self.cell, RNNCell):
            with self._outside():
                return run_cell(self.cell, x, states, options)
        with self._outside(custom_getter=getter_of(self.cell), reuse=self._has_stepped or None):
            result = run_cell(self.cell, x, states, options)
        self._has_stepped = True
        return result

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal layer.

        Returns:
            dict, whose values JSON can hold.
        """
        found = super().get_config()
        return {**found, "num_constants": self._num_constants} if self._num_constants else found
