"""Cells of models: one step of a recurrent layer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.trackable import track
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.configurations import MadeOfLayers
from ferroflow._src.keras.dropout_masks import DropoutMasks
from ferroflow._src.keras.recurrent_steps import GatedSteps, MemorySteps, SimpleSteps, Steps
from ferroflow._src.layers.layer import Layer, settle_inner
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.variables.tracked_lists import ListWrapper


def _zero_states(state_size: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    if inputs is not None:
        batch_size, dtype = shape_of(inputs)[0], inputs.dtype
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state: "
            f"batch_size={batch_size}, dtype={dtype}"
        )
    return nest.map_structure(lambda size: zeros([batch_size, *TensorShape(size).as_list()], dtype=dtype), state_size)


class _ZeroStates:
    """Base of cells whose first states are zeros."""

    state_size: Any

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """Returns states of zeros.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, ...]; None if `batch_size` and `dtype` are given.
            batch_size: int or Tensor of int32, of shape [].
            dtype: DType of the states.

        Returns:
            Tensor of shape [batch, state_size], or structure of them.

        Raises:
            ValueError: if neither `inputs` nor both other arguments are given.
        """
        return _zero_states(self.state_size, inputs, batch_size, dtype)


class AbstractRNNCell(_ZeroStates, KerasLayer):
    """Base of a program's cells: a subclass defines `call`, `state_size` and `output_size`.

    Args:
        *args: arguments of `KerasLayer`.
        **kwargs: arguments of `KerasLayer`.
    """

    def call(self, inputs: Any, states: Any) -> Any:
        """Computes one step; a subclass overrides it.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            states: list of Tensors of that dtype, of shape [batch, units].

        Returns:
            The output, Tensor of shape [batch, units], and the list of the new states.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        """The size of the state, or the tuple of those of the states; a subclass overrides it.

        Raises:
            NotImplementedError: if a subclass does not override this property.
        """
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output; a subclass overrides it.

        Raises:
            NotImplementedError: if a subclass does not override this property.
        """
        raise NotImplementedError("Abstract method")


class _Cell(_ZeroStates, Steps):
    """Base of the cells: one step, for a batch of inputs and states."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self.implementation = kwargs.pop("implementation", 1)
        kwargs.setdefault("dtype", "float32")
        super().__init__(**kwargs)
        self._set_options(
            units,
            activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
        )

    @property
    def state_size(self) -> Any:
        """The size of the state, or the list of those of the states."""
        return self.units if self._STATES == 1 else [self.units] * self._STATES

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self.units

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Tensor, list[Tensor]]:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            states: list of Tensors of that dtype, of shape [batch, units].
            training: bool, or Tensor of bool of shape []; None for the learning phase. Dropout is for training.

        Returns:
            The output, Tensor of the dtype of `inputs` and of shape [batch, units], and the list of the new states.
        """
        self._make_masks(inputs, states[0], training)
        output, new = self._step(inputs, tuple(states))
        return output, list(new)


class SimpleRNNCell(_Cell, SimpleSteps):
    """One step of `SimpleRNN`, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the outputs, or its name.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the bias, or its name.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        **kwargs: arguments of `KerasLayer`.
    """


class GRUCell(_Cell, GatedSteps):
    """One step of `GRU`, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the bias, or its name.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        implementation: 1 for a dropout mask for each gate, 2 for one mask for all.
        reset_after: bool, as that of `GRU`.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        self.reset_after = reset_after
        super().__init__(
            units,
            activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
            **kwargs,
        )
        self.recurrent_activation = named.activation(recurrent_activation)


class LSTMCell(_Cell, MemorySteps):
    """One step of `LSTM`, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the bias, or its name.
        unit_forget_bias: bool. If True, the forget gate's bias starts from 1.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        implementation: 1 for a dropout mask for each gate, 2 for one mask for all.
        **kwargs: arguments of `KerasLayer`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
            **kwargs,
        )
        self.recurrent_activation = named.activation(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias


class PeepholeLSTMCell(LSTMCell):
    """One step of an LSTM whose gates also read its memory, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the bias, or its name.
        unit_forget_bias: bool. If True, the forget gate's bias starts from 1.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        implementation: 1 for a dropout mask for each gate, 2 for one mask for all.
        **kwargs: arguments of `KerasLayer`.
    """

    kernel_initializer: Any

    def build(self, input_shape: Any) -> None:
        """Makes the variables, also the memory's weights for three gates.

        Args:
            input_shape: TensorShape of the inputs, [batch, features].
        """
        super().build(input_shape)
        self.input_gate_peephole_weights, self.forget_gate_peephole_weights, self.output_gate_peephole_weights = (
            self.add_weight(f"{gate}_gate_peephole_weights", (self.units,), initializer=self.kernel_initializer)
            for gate in ("input", "forget", "output")
        )

    def _next_memory(self, gate: Callable[[int], Any], memory: Any) -> tuple[Any, Any]:
        keep_new = self.recurrent_activation(gate(0) + self.input_gate_peephole_weights * memory)
        forget = self.recurrent_activation(gate(1) + self.forget_gate_peephole_weights * memory)
        memory = forget * memory + keep_new * self.activation(gate(2))
        return memory, self.recurrent_activation(gate(3) + self.output_gate_peephole_weights * memory)


def output_size(cell: Any) -> Any:
    """Returns the size of a cell's outputs; that of its first state if it has no `output_size`."""
    try:
        size = getattr(cell, "output_size", None)
    except NotImplementedError:
        size = None
    return nest.flatten(cell.state_size)[0] if size is None else size


def takes(cell: Any, argument: str) -> bool:
    """Returns True if a cell's `call` has an argument of that name."""
    return argument in inspect.signature(cell.call).parameters


def reset_masks(cell: Any) -> None:
    """Drops the dropout masks of a cell or of the cells of a stack, which belong to one batch."""
    for one in cell.cells if isinstance(cell, StackedRNNCells) else [cell]:
        if isinstance(one, DropoutMasks):
            one.reset_dropout_mask()
            one.reset_recurrent_dropout_mask()


def run_cell(cell: Any, inputs: Any, states: Any, options: Mapping[str, Any]) -> Any:
    """Computes one step.

    Args:
        cell: the cell.
        inputs: Tensor of a float dtype, of shape [batch, size], or structure of them.
        states: structure of Tensors of that dtype, of shape [batch, state size], as `state_size`.
        options: dict of arguments that are given to cells that take them.

    Returns:
        The output and the new states.
    """
    if isinstance(cell, RNNCell):
        # Wrappers of cells have no `call`: they compute when they are called.
        return (cell if type(cell).call is Layer.call else cell.call)(inputs, states)
    of_cell = list(states) if nest.is_nested(states) else [states]
    is_stack = isinstance(cell, StackedRNNCells)
    given = {name: value for name, value in options.items() if is_stack or takes(cell, name)}
    return cell.call(inputs, of_cell, **given)


class StackedRNNCells(MadeOfLayers, KerasLayer):
    """Stack of cells as one cell: its states are the tuple of those of each cell.

    Args:
        cells: list of cells, the lowest first.
        **kwargs: arguments of `KerasLayer`; `reverse_state_order`, bool: if True, the states of the highest cell are
            the first ones, not those of the lowest.

    Raises:
        ValueError: if an element is not a cell.
    """

    _WITH_LAYERS = ("cells",)

    def __init__(self, cells: Sequence[Any], **kwargs: Any) -> None:
        for cell in cells:
            check_cell(cell)
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        self.cells = list(cells)
        track_cells(self)

    @property
    def state_size(self) -> tuple[Any, ...]:
        """The sizes of the states of each cell."""
        return tuple(cell.state_size for cell in self._in_order())

    @property
    def output_size(self) -> Any:
        """The size of the output of the highest cell."""
        return output_size(self.cells[-1])

    def _in_order(self) -> list[Any]:
        return self.cells[::-1] if self.reverse_state_order else list(self.cells)

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """Returns the first states of the cells.

        Args:
            inputs: Tensor whose first dimension and dtype count, or None.
            batch_size: int, or scalar Tensor of an integer dtype, the number of states.
            dtype: float dtype.

        Returns:
            tuple of Tensors of shape [batch_size, state size], or structures of them, as `state_size`.
        """
        given = {"inputs": inputs, "batch_size": batch_size, "dtype": dtype}
        return tuple(
            cell.get_initial_state(**given)
            if hasattr(cell, "get_initial_state")
            else _zero_states(cell.state_size, **given)
            for cell in self._in_order()
        )

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the cells.

        Args:
            input_shape: TensorShape of the inputs, [batch, size], or list of it and those of constants.
        """
        is_listed = isinstance(input_shape, list) and any(isinstance(one, (TensorShape, tuple)) for one in input_shape)
        input_shape, *constants = input_shape if is_listed else [input_shape]
        batch = TensorShape(input_shape)[0]
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                if isinstance(cell, RNNCell):
                    settle_inner(cell, self._dtype)
                cell.build([input_shape, *constants] if constants and takes(cell, "constants") else input_shape)
                cell.built = True
            input_shape = TensorShape([batch]).concatenate(output_size(cell))
        self.built = True

    def call(self, inputs: NestedTensors, states: Any, constants: Any = None, **kwargs: Any) -> tuple[Any, list[Any]]:
        """Computes one step of all cells.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            states: structure of Tensors of that dtype, of shape [batch, state size], as `state_size`.
            constants: list of Tensors of any dtype and shape, which cells take, or None.
            **kwargs: further arguments of the cells.

        Returns:
            The output of the highest cell, Tensor of the dtype of `inputs`, and the tuple of the new states.
        """
        sizes = self.state_size
        options = kwargs if constants is None else {**kwargs, "constants": constants}
        given = nest.pack_sequence_as(sizes, nest.flatten(states))
        new = []
        for cell, state in zip(self.cells, given[::-1] if self.reverse_state_order else given, strict=True):
            inputs, made = run_cell(cell, inputs, state, options)
            new.append(made)
        return inputs, nest.pack_sequence_as(sizes, nest.flatten(new[::-1] if self.reverse_state_order else new))


def check_cell(cell: Any) -> None:
    if not hasattr(cell, "call"):
        raise ValueError("`cell` should have a `call` method. The RNN was passed:", cell)
    if not hasattr(cell, "state_size"):
        raise ValueError(
            "The RNN cell should have an attribute `state_size` (tuple of integers, one integer per state)."
        )


def track_cells(stack: StackedRNNCells) -> None:
    """Adds the edges of a stack to its cells."""
    cells = ListWrapper(stack.cells)
    track(stack, cells, "cells")
    # TF 1.x: the list of inner layers is an object of the checkpoint as well.
    track(stack, ListWrapper([cells]), "_layers")
