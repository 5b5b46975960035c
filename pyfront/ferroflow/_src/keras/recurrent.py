"""Recurrent layers of models with steps of their own: `SimpleRNN`, `GRU` and `LSTM`."""

from __future__ import annotations

from typing import Any, ClassVar

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Identifier
from ferroflow._src.keras import named
from ferroflow._src.keras.configurations import defaults_of
from ferroflow._src.keras.recurrent_base import Running
from ferroflow._src.keras.recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell
from ferroflow._src.keras.recurrent_steps import GatedSteps, MemorySteps, SimpleSteps, Steps
from ferroflow._src.layers.input_spec import InputSpec


def _share(source: Any, target: Any) -> None:
    """Gives a layer the weights of another one of the same steps."""
    target.kernel, target.recurrent_kernel, target.bias = source.kernel, source.recurrent_kernel, source.bias
    for name in ("_trainable_weights", "_non_trainable_weights"):
        setattr(target, name, list(getattr(source, name)))
    target.built = True


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
        **kwargs: `zero_output_for_mask`, bool: if True, the output is 0 at steps that do not count; the arguments of
            `KerasLayer`.
    """

    _CELL: ClassVar[Any]

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
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        kwargs.setdefault("dtype", "float32")
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self._set_running(return_sequences, return_state, go_backwards, stateful, unroll, time_major)
        self.input_spec = [InputSpec(ndim=3)]
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
    def cell(self) -> Any:
        """The cell that computes one step; it has this layer's options and weights."""
        cell: Any = self.__dict__.get("_shared_cell")
        if cell is None:
            names = [name for name in defaults_of(self._CELL) if hasattr(self, name)]
            cell = self._CELL(self.units, dtype=self._dtype, **{name: getattr(self, name) for name in names})
            # An attribute of a usual kind would be an inner layer, whose weights come twice.
            self.__dict__["_shared_cell"] = cell
        if self.built and not cell.built:
            _share(self, cell)
        return cell

    @property
    def _sizes(self) -> tuple[int, ...]:
        return (self.units,) * self._STATES

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.
        """
        shape = TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        cell = self.__dict__.get("_shared_cell")
        if cell is not None and cell.built:
            _share(cell, self)
        else:
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
        self.reset_dropout_mask()
        self.reset_recurrent_dropout_mask()

        def step(x: Any, states: Any) -> Any:
            self._make_masks(x, states[0], training)
            return self._step(x, states)

        return self._run(step, inputs, initial_state, mask)


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

    _CELL = SimpleRNNCell


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
        implementation: 1 for a dropout mask for each gate, 2 for one mask for all.
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

    _CELL = GRUCell

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
        implementation: 1 for a dropout mask for each gate, 2 for one mask for all.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        unroll: bool, accepted.
        **kwargs: `input_shape`, the shape of an example; `time_major`, bool, if True, inputs and outputs have the
            shape [steps, batch, size]; the other arguments of a layer.

    Source: Hochreiter, Schmidhuber, Long Short-Term Memory, 1997.
    """

    _CELL = LSTMCell

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
