"""Recurrent layers of models, which run steps or cells over sequences."""

from __future__ import annotations

from typing import Any, ClassVar

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, Identifier, NestedTensors
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import dropout as left_out, in_train_phase
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.recurrent_cells import (
    StackedRNNCells,
    check_cell,
    state_sizes,
    variables_not_trained,
)
from ferroflow._src.keras.recurrent_steps import CONSTRAINTS, GatedSteps, MemorySteps, SimpleSteps, Steps
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.shaping import reverse
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dynamic_running import dynamic_rnn


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


class Recurrent(_Running, Steps):
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
        **CONSTRAINTS,
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


class GRU(Recurrent, GatedSteps):
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

    _OPTIONS: ClassVar[dict[str, Any]] = {**Recurrent._OPTIONS, "reset_after": False}

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


class LSTM(Recurrent, MemorySteps):
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
        check_cell(self.cell)
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

        return self._run(step, state_sizes(self.cell), inputs, initial_state, mask)

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
