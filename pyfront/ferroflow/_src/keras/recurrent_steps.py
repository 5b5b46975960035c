"""Steps of the recurrent layers and cells of models: their weights, and what a step computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.dropout_masks import DropoutMasks
from ferroflow._src.ops.array import joining
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.variables.initializers import Ones


class Steps(DropoutMasks, KerasLayer):
    """Base of the kinds of steps: the weights, which are divided equally among the gates."""

    _STATES = 1
    _GATES = 1
    # 1 for a dropout mask for each gate, 2 for one mask for all.
    implementation = 1

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
        for name, value in named.resolved(options).items():
            setattr(self, name, value)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))

    def _make_masks(self, inputs: Any, state: Any, training: Any) -> None:
        """Makes the masks of a batch, unless there are some, for inputs and a state of the shapes of a step."""
        if self._GATES == 1 or self.dropout < 1:
            self.get_dropout_mask_for_cell(inputs, training, self._GATES)
        if self._GATES == 1 or self.recurrent_dropout < 1:
            self.get_recurrent_dropout_mask_for_cell(state, training, self._GATES)

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
        """Returns the biases of the inputs' products and of the state's, or None."""
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
        products = self._products(inputs, self._kernels()[0], self._dropout_mask, range(self._GATES))
        bias = self._biases()[0]
        return products if bias is None else [x + self._gate(bias, i) for i, x in enumerate(products)]

    def _of_state(self, state: Any, gates: Sequence[int]) -> list[Tensor]:
        """Returns the products of the state and the weights, with the state's own bias, for some gates."""
        products = self._products(state, self._kernels()[1], self._recurrent_dropout_mask, gates)
        bias = self._biases()[1]
        return products if bias is None else [x + self._gate(bias, i) for i, x in zip(gates, products, strict=True)]

    def _products(self, x: Any, weights: Any, kept: Any, gates: Sequence[int]) -> list[Tensor]:
        if kept is not None:
            kept = kept if isinstance(kept, list) else [kept]
            if self.implementation != 1:
                return self._products(x * kept[0], weights, None, gates)
            return [matmul(x * kept[i], self._gate(weights, i)) for i in gates]
        first, last = gates[0], gates[-1] + 1
        product = matmul(x, weights[:, first * self.units : last * self.units])
        return [self._gate(product, i - first) for i in gates]


class SimpleSteps(Steps):
    """Steps that get their last output as input."""

    def _step(self, inputs: Any, state: Any) -> Any:
        output = self.activation(self._of_inputs(inputs)[0] + self._of_state(state[0], [0])[0])
        return output, (output,)


class GatedSteps(Steps):
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
        if self.implementation != 1 and self._recurrent_dropout_mask is not None:
            last = last * self._recurrent_dropout_mask[0]
        output = update * last + (1 - update) * new
        return output, (output,)


class MemorySteps(Steps):
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
