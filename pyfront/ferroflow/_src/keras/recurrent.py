"""Recurrent layers of models: their kinds of steps, their cells, and the layers that run them over sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, Identifier, NestedTensors
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import dropout as left_out, in_train_phase
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.layers import resolved
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.shaping import reverse
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.variables.initializers import Ones

_CONSTRAINTS = {"kernel_constraint": None, "recurrent_constraint": None, "bias_constraint": None}


class _Steps(KerasLayer):
    """Base of the kinds of steps: the weights, which are divided equally among the gates."""

    _STATES = 1
    _GATES = 1

    units: int

    def _set_options(
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
    ) -> None:
        self.units = units
        self.activation = named.activation(activation)
        self.use_bias = use_bias
        options = {
            "kernel_initializer": kernel_initializer,
            "recurrent_initializer": recurrent_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "recurrent_regularizer": recurrent_regularizer,
            "bias_regularizer": bias_regularizer,
            "kernel_constraint": kernel_constraint,
            "recurrent_constraint": recurrent_constraint,
            "bias_constraint": bias_constraint,
        }
        for name, value in resolved(options).items():
            setattr(self, name, value)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        # Dropout masks of the inputs and of the state, for each gate; None for no dropout.
        self._kept_of_inputs: list[Tensor] | None = None
        self._kept_of_state: list[Tensor] | None = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size] or [batch, size].
        """
        made: Any = self  # the attributes that the constructor sets by name
        width, size = self._GATES * self.units, TensorShape(input_shape)[-1].value
        self.kernel = self.add_weight(
            "kernel",
            (size, width),
            initializer=made.kernel_initializer,
            regularizer=made.kernel_regularizer,
            constraint=made.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel",
            (self.units, width),
            initializer=made.recurrent_initializer,
            regularizer=made.recurrent_regularizer,
            constraint=made.recurrent_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                self._bias_shape(width),
                initializer=self._initial_bias(),
                regularizer=made.bias_regularizer,
                constraint=made.bias_constraint,
            )
        self.built = True

    def _initial_bias(self) -> Any:
        made: Any = self
        return made.bias_initializer

    def _bias_shape(self, width: int) -> tuple[int, ...]:
        return (width,)

    def _biases(self) -> tuple[Any, Any]:
        """Returns the biases of the inputs' products and of the state's; None for none."""
        return self.bias, None

    def _kernels(self) -> tuple[Any, Any]:
        """Returns the matrices that inputs and state are multiplied by."""
        return self.kernel, self.recurrent_kernel

    def _step(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the states after a step."""
        raise NotImplementedError

    def _gate(self, x: Any, i: int) -> Any:
        """Returns the columns of a gate."""
        return x[..., i * self.units : (i + 1) * self.units]

    def _of_inputs(self, inputs: Any) -> list[Tensor]:
        """Returns the products of the inputs and the weights, with the bias, for each gate."""
        products = self._products(inputs, self._kernels()[0], self._kept_of_inputs, range(self._GATES))
        bias = self._biases()[0]
        return products if bias is None else [x + self._gate(bias, i) for i, x in enumerate(products)]

    def _of_state(self, state: Any, gates: Sequence[int]) -> list[Tensor]:
        """Returns the products of the state and the weights, with the state's own bias, for some gates."""
        products = self._products(state, self._kernels()[1], self._kept_of_state, gates)
        bias = self._biases()[1]
        return products if bias is None else [x + self._gate(bias, i) for i, x in zip(gates, products, strict=True)]

    def _products(self, x: Any, weights: Any, kept: list[Tensor] | None, gates: Sequence[int]) -> list[Tensor]:
        if kept is not None:
            return [matmul(x * kept[i], self._gate(weights, i)) for i in gates]
        first, last = gates[0], gates[-1] + 1
        product = matmul(x, weights[:, first * self.units : last * self.units])
        return [self._gate(product, i - first) for i in gates]


class _SimpleSteps(_Steps):
    """Steps that get their last output as input."""

    def _step(self, inputs: Any, state: Any) -> Any:
        output = self.activation(self._of_inputs(inputs)[0] + self._of_state(state[0], [0])[0])
        return output, (output,)


class _GatedSteps(_Steps):
    """Steps with an update and a reset gate."""

    _GATES = 3

    recurrent_activation: Any
    # If True, the reset gate multiplies the product of the state and the weights, and not the state.
    reset_after = False

    def _bias_shape(self, width: int) -> tuple[int, ...]:
        return (2, width) if self.reset_after else (width,)

    def _biases(self) -> tuple[Any, Any]:
        if self.bias is None or not self.reset_after:
            return self.bias, None
        return self.bias[0], self.bias[1]

    def _step(self, inputs: Any, state: Any) -> Any:
        (last,) = state
        x_update, x_reset, x_new = self._of_inputs(inputs)
        h_update, h_reset, *h_new = self._of_state(last, [0, 1, 2] if self.reset_after else [0, 1])
        update = self.recurrent_activation(x_update + h_update)
        reset = self.recurrent_activation(x_reset + h_reset)
        of_state = reset * h_new[0] if self.reset_after else self._of_state(reset * last, [2])[0]
        new = self.activation(x_new + of_state)
        output = update * last + (1 - update) * new
        return output, (output,)


class _MemorySteps(_Steps):
    """Steps with a memory that gates fill and clear."""

    _STATES = 2
    _GATES = 4

    recurrent_activation: Any
    unit_forget_bias: bool

    def _initial_bias(self) -> Any:
        start = super()._initial_bias()
        if not self.unit_forget_bias:
            return start

        def initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            units = self.units
            return joining.concat([start([units], dtype), Ones()([units], dtype), start([2 * units], dtype)], 0)

        return initializer

    def _step(self, inputs: Any, state: Any) -> Any:
        last, memory = state
        gates = [x + h for x, h in zip(self._of_inputs(inputs), self._of_state(last, range(4)), strict=True)]
        keep_new, forget, output_gate = (self.recurrent_activation(gates[i]) for i in (0, 1, 3))
        memory = forget * memory + keep_new * self.activation(gates[2])
        output = output_gate * self.activation(memory)
        return output, (output, memory)


class _Run(RNNCell):
    """A layer's step as the cell that `tf.nn.dynamic_rnn` takes, with or without a mask among the inputs.

    Args:
        step: callable of inputs and a tuple of states to an output and a tuple of states.
        state_size: tuple of ints.
        output_size: int.
        is_masked: bool; True if the inputs are a pair of inputs and a mask.
    """

    def __init__(self, step: Any, state_size: tuple[int, ...], output_size: int, is_masked: bool, name: str) -> None:
        super().__init__(name=name)
        self._step = step
        self._sizes = (state_size, output_size)
        self._is_masked = is_masked

    @property
    def state_size(self) -> Any:
        """The sizes of the states."""
        return self._sizes[0]

    @property
    def output_size(self) -> int:
        """The size of the output."""
        return self._sizes[1]

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the states after a step; where the mask says no, those before."""
        if not self._is_masked:
            return self._step(inputs, state)
        inputs, counts = inputs
        output, states = self._step(inputs, state)
        counts = counts[:, 0]
        return where(counts, output, state[0]), tuple(
            where(counts, new, old) for new, old in zip(states, state, strict=True)
        )


class _Running(KerasLayer):
    """Base of the layers that run over sequences."""

    supports_masking = True

    return_sequences: bool
    return_state: bool
    go_backwards: bool

    def _set_running(self, return_sequences: bool, return_state: bool, go_backwards: bool, stateful: bool) -> None:
        if stateful:
            raise NotImplementedError(
                "stateful is not supported: pass the states of a batch to the next batch with `initial_state`"
            )
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards
        self.supports_masking = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the outputs: the inputs' mask if all outputs are returned.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and states.
            mask: Tensor of bool, of shape [batch, steps], or list of it and those of states; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps], or list of it and None for each state; None for all.
        """
        mask = mask[0] if isinstance(mask, list) else mask
        of_outputs = mask if self.return_sequences else None
        return [of_outputs] if self.return_state else of_outputs

    def _run(self, step: Any, state_size: tuple[int, ...], inputs: Any, initial_state: Any, mask: Any) -> Any:
        mask = mask[0] if isinstance(mask, list) else mask
        if isinstance(inputs, (list, tuple)):
            inputs, *initial_state = inputs
        if self.go_backwards:
            inputs = reverse(inputs, [1])
            mask = None if mask is None else reverse(mask, [1])
        if initial_state is None:
            initial_state = []
            for size in state_size:
                zeros = making.zeros(joining.stack([shaping.shape(inputs)[0], size]), inputs.dtype)
                zeros.set_shape([inputs.get_shape()[0], size])
                initial_state.append(zeros)
        start = tuple(initial_state) if isinstance(initial_state, (list, tuple)) else (initial_state,)
        run = _Run(step, state_size, state_size[0], mask is not None, f"{self.name}_step")
        fed = inputs if mask is None else (inputs, shaping.expand_dims(mask, -1))
        outputs, states = dynamic_rnn(run, fed, initial_state=start)
        result = outputs if self.return_sequences else states[0]
        return [result, *states] if self.return_state else result


class _Recurrent(_Running, _Steps):
    """Base of the recurrent layers of one kind of steps.

    Args:
        units: int, the size of the outputs.
        *args: further options of the steps.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: False; states that stay between batches are not offered.
        **kwargs: arguments of `KerasLayer`; `implementation` and `unroll`, accepted.

    Raises:
        NotImplementedError: if `stateful` is given.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {
        **_CONSTRAINTS,
        "activity_regularizer": None,
        "implementation": 1,
        "unroll": False,
    }

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
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs.pop("time_major", False):
            raise NotImplementedError("time_major: the inputs are batches of sequences; transpose them")
        for accepted in ("implementation", "unroll"):
            kwargs.pop(accepted, None)
        constraints = {
            name: kwargs.pop(name, None) for name in ("kernel_constraint", "recurrent_constraint", "bias_constraint")
        }
        kwargs.setdefault("dtype", "float32")
        super().__init__(**kwargs)
        self._set_running(return_sequences, return_state, go_backwards, stateful)
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
            **constraints,
        )

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.
        """
        super().build(input_shape[0] if isinstance(input_shape, list) else input_shape)

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
            ones = making.ones(joining.stack([shaping.shape(sequence)[0], size]), sequence.dtype)
            return [in_train_phase(lambda: left_out(ones, rate), ones, training) for _ in range(self._GATES)]

        self._kept_of_inputs = kept(self.dropout, int(sequence.get_shape()[-1]))
        self._kept_of_state = kept(self.recurrent_dropout, self.units)
        return self._run(self._step, (self.units,) * self._STATES, inputs, initial_state, mask)


class _Cell(_Steps):
    """Base of the cells: one step, for a batch of inputs and states."""

    _OPTIONS: ClassVar[dict[str, Any]] = {
        "use_bias": True,
        "kernel_initializer": "glorot_uniform",
        "recurrent_initializer": "orthogonal",
        "bias_initializer": "zeros",
        "kernel_regularizer": None,
        "recurrent_regularizer": None,
        "bias_regularizer": None,
        **_CONSTRAINTS,
        "dropout": 0.0,
        "recurrent_dropout": 0.0,
        "implementation": 1,
    }

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        names = ("name", "trainable", "dtype", "input_shape", "batch_input_shape", "weights")
        of_layer = {name: kwargs.pop(name) for name in names if name in kwargs}
        kwargs.pop("implementation", None)
        if kwargs.get("dropout") or kwargs.get("recurrent_dropout"):
            raise NotImplementedError("dropout in cells is not offered; the layers SimpleRNN, GRU and LSTM have it")
        of_layer.setdefault("dtype", "float32")
        super().__init__(**of_layer)
        self._set_options(units, *args, **kwargs)

    @property
    def state_size(self) -> Any:
        """The size of the state, or the tuple of those of the states."""
        return self.units if self._STATES == 1 else (self.units,) * self._STATES

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self.units

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Tensor, list[Tensor]]:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            states: list of Tensors of that dtype, of shape [batch, units].
            training: accepted; a cell does the same in training.

        Returns:
            The output, Tensor of the dtype of `inputs` and of shape [batch, units], and the list of the new states.
        """
        output, new = self._step(inputs, tuple(states))
        return output, list(new)


class SimpleRNN(_Recurrent, _SimpleSteps):
    """Recurrent layer: `activation(inputs @ kernel + output @ recurrent_kernel + bias)`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the outputs, or its name.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the bias, or its name.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name; None for none.
        recurrent_regularizer: callable of the states' weights that gives a loss, or its name; None for none.
        bias_regularizer: callable of the bias that gives a loss, or its name; None for none.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: False; states that stay between batches are not offered.
        **kwargs: `kernel_constraint`, `recurrent_constraint` and `bias_constraint`; `implementation` and `unroll`,
            accepted; `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        NotImplementedError: if `stateful` is given.
    """


class GRU(_Recurrent, _GatedSteps):
    """Layer of gated recurrent units.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        **kwargs: `use_bias`, `kernel_initializer`, `recurrent_initializer`, `bias_initializer`, regularizers,
            constraints, `dropout`, `recurrent_dropout`, `return_sequences`, `return_state` and `go_backwards`;
            arguments of `KerasLayer`. `reset_after`, bool: if True, the reset gate multiplies the product of the state
            and the weights, as cuDNN does, and the bias has the shape [2, 3 * units].

    Raises:
        NotImplementedError: if `stateful` is given.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {**_Recurrent._OPTIONS, "reset_after": False}

    def __init__(
        self,
        units: int,
        activation: Identifier = "tanh",
        recurrent_activation: Identifier = "hard_sigmoid",
        **kwargs: Any,
    ) -> None:
        self.reset_after = bool(kwargs.pop("reset_after", False))
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = named.activation(recurrent_activation)


class LSTM(_Recurrent, _MemorySteps):
    """Layer of long short-term memory.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        unit_forget_bias: bool. If True, the forget gate's bias starts from 1.
        **kwargs: as `GRU`.

    Source: Hochreiter, Schmidhuber, Long Short-Term Memory, 1997.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = named.activation(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias


class SimpleRNNCell(_Cell, _SimpleSteps):
    """One step of `SimpleRNN`, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the outputs, or its name.
        **kwargs: `use_bias`, initializers, regularizers and constraints as those of `SimpleRNN`; arguments of
            `KerasLayer`.

    Raises:
        NotImplementedError: if `dropout` or `recurrent_dropout` is given.
    """

    def __init__(self, units: int, activation: Identifier = "tanh", **kwargs: Any) -> None:
        super().__init__(units, activation, **kwargs)


class GRUCell(_Cell, _GatedSteps):
    """One step of `GRU`, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        **kwargs: `use_bias`, initializers, regularizers and constraints as those of `GRU`; `reset_after`
            as that of `GRU`; arguments of `KerasLayer`.

    Raises:
        NotImplementedError: if `dropout` or `recurrent_dropout` is given.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {**_Cell._OPTIONS, "reset_after": False}

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid", **kwargs: Any
    ) -> None:
        self.reset_after = bool(kwargs.pop("reset_after", False))
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = named.activation(recurrent_activation)


class LSTMCell(_Cell, _MemorySteps):
    """One step of `LSTM`, for `RNN`.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        unit_forget_bias: bool. If True, the forget gate's bias starts from 1.
        **kwargs: `use_bias`, initializers, regularizers and constraints as those of `LSTM`; arguments of
            `KerasLayer`.

    Raises:
        NotImplementedError: if `dropout` or `recurrent_dropout` is given.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = named.activation(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias


def _sizes(cell: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in nest.flatten(cell.state_size))


class StackedRNNCells(KerasLayer):
    """Stack of cells as one cell: its states are those of the highest cell, then of the others below.

    Args:
        cells: list of cells, the lowest first.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if an element is not a cell.
    """

    def __init__(self, cells: Sequence[Any], **kwargs: Any) -> None:
        for cell in cells:
            _check_cell(cell)
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> tuple[int, ...]:
        """The sizes of the states of all cells, those of the highest first."""
        return tuple(size for cell in reversed(self.cells) for size in _sizes(cell))

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the cells.

        Args:
            input_shape: TensorShape of the inputs, [batch, size].
        """
        batch = TensorShape(input_shape)[0]
        for cell in self.cells:
            if isinstance(cell, KerasLayer) and not cell.built:
                cell.build(input_shape)
                cell.built = True
            input_shape = TensorShape([batch, _sizes(cell)[0]])
        self.built = True

    def call(self, inputs: NestedTensors, states: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """Computes one step of all cells.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            states: list of Tensors of that dtype, of shape [batch, state size], as `state_size`.
            **kwargs: further arguments of the cells.

        Returns:
            The output of the highest cell, Tensor of the dtype of `inputs`, and the list of the new states.
        """
        left, new = list(states), []
        for cell in self.cells:
            count = len(_sizes(cell))
            of_cell, left = left[-count:], left[:-count]
            inputs, made = cell.call(inputs, of_cell, **kwargs)
            new.append(list(made))
        return inputs, [state for of_cell in reversed(new) for state in of_cell]

    @property
    def trainable_weights(self) -> list[Any]:
        """The weights of the cells that are trained."""
        return [w for cell in self.cells for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The weights of the cells that are not trained."""
        return _not_trained(self, self.cells)

    @property
    def losses(self) -> list[Any]:
        """The losses of the cells' weights."""
        return [x for cell in self.cells for x in cell.losses]


def _check_cell(cell: Any) -> None:
    if not hasattr(cell, "call"):
        raise ValueError(f"`cell` should have a `call` method. The RNN was passed: {cell}")
    if not hasattr(cell, "state_size"):
        raise ValueError(
            "The RNN cell should have an attribute `state_size` (tuple of integers, one integer per state)."
        )


def _not_trained(layer: Any, inner: Sequence[Any]) -> list[Any]:
    """Returns the weights of inner layers that are not trained."""
    if layer.trainable:
        return [w for one in inner for w in one.non_trainable_weights]
    return [w for one in inner for w in one.trainable_weights + one.non_trainable_weights]


class RNN(_Running):
    """Layer that runs a cell over the steps of sequences.

    Args:
        cell: layer whose `call` takes inputs and the list of states, and returns an output and the list of new states;
            or list of such cells. Its `state_size` is an int or list of ints, the first of which is the size of the
            output.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        return_state: bool. If True, the last states are returned too.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: False; states that stay between batches are not offered.
        unroll: bool, accepted.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `cell` is not a cell.
        NotImplementedError: if `stateful` is given.
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        del unroll
        super().__init__(**kwargs)
        self.cell: Any = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        _check_cell(self.cell)
        self._set_running(return_sequences, return_state, go_backwards, stateful)

    def build(self, input_shape: Any) -> None:
        """Makes the weights of the cell.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, size], or list of it and those of states.
        """
        shape = TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        if isinstance(self.cell, KerasLayer) and not self.cell.built:
            if self.cell._dtype is None:
                self.cell._dtype = self._dtype or dtypes.float32.name
            if not isinstance(self.cell, StackedRNNCells):
                # TF 1.x: the variables of the cell have the names of this layer.
                self.cell._scope = self._scope
            self.cell.build(TensorShape([shape[0], *shape[2:]]))
            self.cell.built = True
        self.built = True

    def call(
        self,
        inputs: NestedTensors,
        mask: NestedTensors | None = None,
        training: BoolLike | None = None,
        initial_state: NestedTensors | None = None,
    ) -> Any:
        """Runs the cell over the steps.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, size], or list of it and the first states.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all. At the others states
                stay.
            training: bool, or Tensor of bool of shape [], for cells that take it.
            initial_state: list of Tensors of the dtype of `inputs`, of shape [batch, state size]; None for zeros.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, size], or [batch, steps, size]; with `return_state` a
            list of it and the states.
        """

        def step(x: NestedTensors, states: Any) -> Any:
            extra = {} if training is None else {"training": training}
            output, new = self.cell.call(x, list(states), **extra)
            return output, tuple(new)

        return self._run(step, _sizes(self.cell), inputs, initial_state, mask)

    @property
    def trainable_weights(self) -> list[Any]:
        """The weights of the cell that are trained."""
        return list(getattr(self.cell, "trainable_weights", [])) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The weights of the cell that are not trained."""
        return _not_trained(self, [self.cell]) if isinstance(self.cell, KerasLayer) else []

    @property
    def losses(self) -> list[Any]:
        """The losses of the cell's weights and of the outputs."""
        return [*super().losses, *getattr(self.cell, "losses", [])]
