"""Recurrent layers of models."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.layers import resolved
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.shaping import reverse
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.variables.initializers import Ones

__all__ = ["GRU", "LSTM", "SimpleRNN"]


class _Step(RNNCell):
    """One step of a recurrent layer, with the layer's variables."""

    def __init__(self, layer: Any) -> None:
        super().__init__(name=f"{layer.name}_step")
        self._layer = layer

    @property
    def state_size(self) -> Any:
        """The sizes of the layer's states."""
        return (self._layer.units,) * self._layer._STATES

    @property
    def output_size(self) -> int:
        """The number of units."""
        units: int = self._layer.units
        return units

    def call(self, inputs: Any, state: Any) -> Any:
        """The output and the states after a step."""
        return self._layer._step(inputs, state)


class _Recurrent(KerasLayer):
    """What the recurrent layers share.

    Args:
        units: int, the size of the outputs.
        activation: callable of the outputs, or its name.
        use_bias: bool, whether a bias is added.
        kernel_initializer: initializer of the inputs' weights, or its name.
        recurrent_initializer: initializer of the states' weights, or its name.
        bias_initializer: initializer of the bias, or its name.
        kernel_regularizer: callable of the inputs' weights that gives a loss, or its name; None for none.
        recurrent_regularizer: the same of the states' weights.
        bias_regularizer: the same of the bias.
        dropout: 0; dropout within the layer is not offered.
        recurrent_dropout: 0; the same.
        return_sequences: bool, whether all outputs are returned, and not the last one alone.
        return_state: bool, whether the last states are returned too.
        go_backwards: bool, whether the inputs are taken from the last to the first.
        stateful: False; states that stay between batches are not offered.
        **kwargs: arguments of `KerasLayer`; `implementation` and `unroll`, accepted.

    Raises:
        NotImplementedError: `dropout`, `recurrent_dropout` or `stateful` is given.
    """

    _STATES = 1
    _GATES = 1

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
        if dropout or recurrent_dropout:
            raise NotImplementedError("dropout in recurrent layers is not offered; put a Dropout layer before it")
        if stateful:
            raise NotImplementedError("stateful: give the states of a batch to the next one with `initial_state`")
        for accepted in ("implementation", "unroll"):
            kwargs.pop(accepted, None)
        kwargs.setdefault("dtype", "float32")
        super().__init__(**kwargs)
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
        }
        for name, value in resolved(options).items():
            setattr(self, name, value)
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards

    def build(self, input_shape: Any) -> None:
        """Makes the weights for inputs of shape [batch, steps, size]."""
        made: Any = self  # the attributes that the constructor sets by name
        width, size = self._GATES * self.units, input_shape[-1].value
        self.kernel = self.add_weight(
            "kernel", (size, width), initializer=made.kernel_initializer, regularizer=made.kernel_regularizer
        )
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel",
            (self.units, width),
            initializer=made.recurrent_initializer,
            regularizer=made.recurrent_regularizer,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", (width,), initializer=self._initial_bias(), regularizer=made.bias_regularizer
            )
        self.built = True

    def _initial_bias(self) -> Any:
        made: Any = self
        return made.bias_initializer

    def _step(self, inputs: Any, state: Any) -> Any:
        raise NotImplementedError

    def _of_inputs(self, inputs: Any) -> Tensor:
        product = matmul(inputs, self.kernel)
        return product if self.bias is None else product + self.bias

    def _gates(self, x: Tensor) -> list[Tensor]:
        return [x[:, i * self.units : (i + 1) * self.units] for i in range(self._GATES)]

    def call(self, inputs: Any, initial_state: Any = None) -> Any:
        """Runs over the steps of Tensor of shape [batch, steps, size].

        Args:
            inputs: Tensor.
            initial_state: list of Tensor of shape [batch, units]; None for zeros.

        Returns:
            Tensor of shape [batch, units], or [batch, steps, units]; with `return_state` a list of it and the states.
        """
        if self.go_backwards:
            inputs = reverse(inputs, [1])
        if initial_state is None:
            zeros = making.zeros(joining.stack([shaping.shape(inputs)[0], self.units]))
            zeros.set_shape([inputs.get_shape()[0], self.units])
            initial_state = [zeros] * self._STATES
        start = tuple(initial_state) if isinstance(initial_state, (list, tuple)) else (initial_state,)
        outputs, states = dynamic_rnn(_Step(self), inputs, initial_state=start)
        result = outputs if self.return_sequences else states[0]
        return [result, *states] if self.return_state else result


class SimpleRNN(_Recurrent):
    """A layer whose output goes back to it; the arguments are those of `GRU` without the gates'."""

    def _step(self, inputs: Any, state: Any) -> Any:
        output = self.activation(self._of_inputs(inputs) + matmul(state[0], self.recurrent_kernel))
        return output, (output,)


class GRU(_Recurrent):
    """Gated recurrent units.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        **kwargs: `use_bias`, `kernel_initializer`, `recurrent_initializer`, `bias_initializer`, regularizers,
            `return_sequences`, `return_state` and `go_backwards`; arguments of `KerasLayer`.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.
    """

    _GATES = 3

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid", **kwargs: Any
    ) -> None:
        super().__init__(units, activation, **kwargs)
        self.recurrent_activation = named.activation(recurrent_activation)

    def _step(self, inputs: Any, state: Any) -> Any:
        (last,) = state
        x_update, x_reset, x_new = self._gates(self._of_inputs(inputs))
        units = self.units
        of_last = matmul(last, self.recurrent_kernel[:, : 2 * units])
        update = self.recurrent_activation(x_update + of_last[:, :units])
        reset = self.recurrent_activation(x_reset + of_last[:, units:])
        new = self.activation(x_new + matmul(reset * last, self.recurrent_kernel[:, 2 * units :]))
        output = update * last + (1 - update) * new
        return output, (output,)


class LSTM(_Recurrent):
    """Long short-term memory.

    Args:
        units: int, the size of the outputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        unit_forget_bias: bool, whether the forget gate's bias starts from 1.
        **kwargs: as `GRU`.

    Source: Hochreiter, Schmidhuber, Long Short-Term Memory, 1997.
    """

    _STATES = 2
    _GATES = 4

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
        gates = self._gates(self._of_inputs(inputs) + matmul(last, self.recurrent_kernel))
        keep_new, forget, output_gate = (self.recurrent_activation(gates[i]) for i in (0, 1, 3))
        memory = forget * memory + keep_new * self.activation(gates[2])
        output = output_gate * self.activation(memory)
        return output, (output, memory)
