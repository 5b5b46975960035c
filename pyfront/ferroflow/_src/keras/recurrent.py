"""Recurrent layers of models, which run steps or cells over sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, Identifier, NestedTensors
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import dropout as left_out, in_train_phase
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.configurations import with_layers
from ferroflow._src.keras.recurrent_base import Running
from ferroflow._src.keras.recurrent_cells import (
    StackedRNNCells,
    check_cell,
    output_size,
    state_sizes,
    variables_not_trained,
)
from ferroflow._src.keras.recurrent_steps import GatedSteps, MemorySteps, SimpleSteps, Steps
from ferroflow._src.ops.array import joining, making, shaping


class Recurrent(Running, Steps):
    """Base of the recurrent layers of one kind of steps.

    Args:
        units: int, the size of the outputs.
        *args: further options of the steps.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool, accepted.
        **kwargs: arguments of `KerasLayer`.
    """

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        time_major = kwargs.pop("time_major", False)
        self.implementation = kwargs.pop("implementation", 1)
        kwargs.setdefault("dtype", "float32")
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self._set_running(return_sequences, return_state, go_backwards, stateful, unroll, time_major)
        self._set_options(
            units,
            activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            kernel_regularizer,
            recurrent_regularizer,
            bias_regularizer,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        return (self.units,) * self._STATES

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.
        """
        shape = TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        super().build(shape)
        if self.stateful:
            self._keep_states(shape[self._batch_axis].value)

    def call(self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None) -> Any:
        """Runs over the steps.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and the first states.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all. At the others states
                stay.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.
            initial_state: list of Tensors of the dtype of `inputs`, of shape [batch, units]; None for zeros.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, units], or [batch, steps, units]; with `return_state` a
            list of it and the states.
        """
        sequence = inputs[0] if isinstance(inputs, (list, tuple)) else inputs

        def kept(rate: float, size: int) -> list[Tensor] | None:
            if not rate:
                return None
            ones = making.ones(joining.stack([shaping.shape(sequence)[self._batch_axis], size]), sequence.dtype)
            return [in_train_phase(lambda: left_out(ones, rate), ones, training) for _ in range(self._GATES)]

        self._kept_of_inputs = kept(self.dropout, int(sequence.get_shape()[-1]))
        self._kept_of_state = kept(self.recurrent_dropout, self.units)
        return self._run(self._step, inputs, initial_state, mask)


class SimpleRNN(Recurrent, SimpleSteps):
    """Recurrent layer: `activation(inputs @ kernel + output @ recurrent_kernel + bias)`.

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
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool, accepted.
        **kwargs: `input_shape`, the shape of an example; `time_major`, bool, if True, inputs and outputs have the
            shape [steps, batch, size]; the other arguments of a layer.
    """


class GRU(Recurrent, GatedSteps):
    """Layer of gated recurrent units.

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
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        implementation: int, accepted.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool, accepted.
        reset_after: bool. If True, the reset gate multiplies the product of the state and the weights, as cuDNN does,
            and the bias has the shape [2, 3 * units].
        **kwargs: `input_shape`, the shape of an example; `time_major`, bool, if True, inputs and outputs have the
            shape [steps, batch, size]; the other arguments of a layer.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.
    """

    def __init__(
        self,
        units: int,
        activation: Identifier | None = "tanh",
        recurrent_activation: Identifier = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
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
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            **kwargs,
        )
        self.recurrent_activation = named.activation(recurrent_activation)


class LSTM(Recurrent, MemorySteps):
    """Layer of long short-term memory.

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
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' weights after each update, or its name, or None.
        recurrent_constraint: callable of the states' weights after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        implementation: int, accepted.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool, accepted.
        **kwargs: `input_shape`, the shape of an example; `time_major`, bool, if True, inputs and outputs have the
            shape [steps, batch, size]; the other arguments of a layer.

    Source: Hochreiter, Schmidhuber, Long Short-Term Memory, 1997.
    """

    def __init__(
        self,
        units: int,
        activation: Identifier | None = "tanh",
        recurrent_activation: Identifier = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
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
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            **kwargs,
        )
        self.recurrent_activation = named.activation(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias


class RNN(Running):
    """Layer that runs a cell over the steps of sequences.

    Args:
        cell: layer whose `call` takes inputs and the list of states, and returns an output and the list of new states;
            or list of such cells. Its `state_size` is an int, or structure of ints, as the states are. Its
            `output_size` is an int; if it has none, the size of the first state is that of the output.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool, accepted.
        time_major: bool. If True, inputs and outputs have the shape [steps, batch, size].
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `cell` is not a cell.
    """

    _has_own_output = True

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
        super().__init__(**kwargs)
        self.cell: Any = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self._given["cell"] = self.cell
        check_cell(self.cell)
        self._set_running(return_sequences, return_state, go_backwards, stateful, unroll, time_major)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return state_sizes(self.cell)

    @property
    def _output_size(self) -> int:
        return output_size(self.cell)

    @property
    def _state_size(self) -> Any:
        return self.cell.state_size

    def get_initial_state(self, inputs: NestedTensors) -> list[Any]:
        """Returns the first states: the cell's own if it has `get_initial_state`, else zeros.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size].

        Returns:
            list of Tensors of the dtype of `inputs`, of shape [batch, state size], in the structure of the states.
        """
        of_cell = getattr(self.cell, "get_initial_state", None)
        if of_cell is None:
            return super().get_initial_state(inputs)
        given: Any = inputs
        batch = shaping.shape(given)[self._batch_axis]
        return self._structured(nest.flatten(of_cell(inputs=None, batch_size=batch, dtype=given.dtype)))

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Returns a layer from the result of `get_config`.

        Args:
            config: dict of arguments.
            custom_objects: dict of further classes by name.

        Returns:
            RNN of this class.
        """
        return cls(**with_layers(config, custom_objects))

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the cell.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.
        """
        shapes = input_shape if isinstance(input_shape, list) else [input_shape]
        shape = TensorShape(shapes[0])
        if self.stateful:
            self._keep_states(shape[self._batch_axis].value)
        if isinstance(self.cell, KerasLayer) and not self.cell.built:
            if self.cell._dtype is None:
                self.cell._dtype = self._dtype or dtypes.float32.name
            if not isinstance(self.cell, StackedRNNCells):
                # TF 1.x: the variables of the cell have the names of this layer.
                self.cell._scope = self._scope
            of_step = TensorShape([shape[self._batch_axis], *shape[2:]])
            self.cell.build([of_step, *shapes[-self._num_constants :]] if self._num_constants else of_step)
            self.cell.built = True
        self.built = True

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
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and the first states.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all. At the others states
                stay.
            training: bool, or Tensor of bool of shape [], for cells that take it.
            initial_state: list of Tensors of the dtype of `inputs`, of shape [batch, state size], in the structure of
                the states; None for those of `get_initial_state`.
            constants: list of Tensors, given to each step of the cell, or None.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, size], or [batch, steps, size]; with `return_state` a
            list of it and the states.
        """
        given = inputs[-self._num_constants :] if isinstance(inputs, list) and self._num_constants else constants
        extra: dict[str, Any] = {} if training is None else {"training": training}
        if given:
            extra["constants"] = list(cast("list[Any]", given))

        def step(x: NestedTensors, states: Any) -> Any:
            output, new = self.cell.call(x, self._structured(states), **extra)
            return output, tuple(nest.flatten(new))

        return self._run(step, inputs, initial_state, mask)

    @property
    def trainable_weights(self) -> list[Any]:
        """The weights of the cell that are trained."""
        return list(getattr(self.cell, "trainable_weights", [])) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The weights of the cell that are not trained."""
        return variables_not_trained(self, [self.cell]) if isinstance(self.cell, KerasLayer) else []

    @property
    def losses(self) -> list[Any]:
        """The losses of the cell's weights and of the outputs."""
        return [*super().losses, *getattr(self.cell, "losses", [])]
