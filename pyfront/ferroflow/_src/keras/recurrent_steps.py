"""Steps of the recurrent layers and cells of models: their weights, and what a step computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import bias_add
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.dropout_masks import DropoutMasks
from ferroflow._src.ops.array import joining
from ferroflow._src.ops.array.joining import split, unstack
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

        Raises:
            ValueError: if their rank is unknown.
        """
        made: Any = self  # the attributes that the constructor sets by name
        width, size = self._GATES * self.units, TensorShape(input_shape).as_list()[-1]
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

    @property
    def _at_once(self) -> bool:
        """True if one product is computed for all gates."""
        return self.implementation != 1

    def _step(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the states after a step."""
        raise NotImplementedError

    def _gate(self, x: Any, i: int) -> Any:
        """Returns the elements of a gate in a bias."""
        units, last = self.units, i == self._GATES - 1
        return x[i * units :] if last else x[(i * units or None) : (i + 1) * units]

    def _matrix(self, weights: Any, i: int) -> Any:
        """Returns the matrix of a gate."""
        units, last = self.units, i == self._GATES - 1
        return weights[:, i * units :] if last else weights[:, (i * units or None) : (i + 1) * units]

    def _dropped(self, x: Any, rate: float, kept: Any) -> list[Any]:
        """Returns inputs or a state for each gate, with dropout if there is some."""
        return [x * mask for mask in kept] if 0 < rate < 1 else [x] * self._GATES

    def _dropped_once(self, x: Any, rate: float, kept: Any) -> Any:
        return x * kept[0] if 0 < rate < 1 else x

    def _of_inputs(self, inputs: Any) -> list[Tensor]:
        """Returns the products of the inputs and each gate's weights, with the bias."""
        bias = self._biases()[0]
        given = self._dropped(inputs, self.dropout, self._dropout_mask)
        products = [
            matmul(x, w) for x, w in zip(given, [self._matrix(self.kernel, i) for i in range(self._GATES)], strict=True)
        ]
        return products if bias is None else [bias_add(x, self._gate(bias, i)) for i, x in enumerate(products)]

    def _whole(self, x: Any, place: int) -> Tensor:
        """Returns the product of the inputs or the state and all gates' weights, with the bias."""
        product, bias = matmul(x, self._kernels()[place]), self._biases()[place]
        return product if bias is None else bias_add(product, bias)


class SimpleSteps(Steps):
    """Steps that get their last output as input."""

    def _step(self, inputs: Any, state: Any) -> Any:
        (last,) = state
        if self._dropout_mask is not None:
            inputs = inputs * self._dropout_mask
        product = self._whole(inputs, 0)
        if self._recurrent_dropout_mask is not None:
            last = last * self._recurrent_dropout_mask
        output = self.activation(product + matmul(last, self.recurrent_kernel))
        return output, (output,)


class GatedSteps(Steps):
    """Steps with an update and a reset gate."""

    _GATES = 3

    recurrent_activation: Any
    # If True, the reset gate multiplies the product of the state and the weights, and not the state.
    reset_after = False
    # The two biases of a step, of the inputs and of the state.
    _parted_bias: tuple[Any, Any] = (None, None)

    def _bias_shape(self, width: int) -> tuple[int, ...]:
        return (2, width) if self.reset_after else (width,)

    def _biases(self) -> tuple[Any, Any]:
        return self._parted_bias

    def _part_bias(self) -> None:
        bias = self.bias
        of_inputs, of_state = (bias, None) if bias is None or not self.reset_after else unstack(bias)
        self._parted_bias = of_inputs, of_state

    def _step(self, inputs: Any, state: Any) -> Any:
        self._part_bias()
        (last,) = state
        update, new, last = (self._gates_at_once if self._at_once else self._gates)(inputs, last)
        output = update * last + (1 - update) * new
        return output, (output,)

    def _gates(self, inputs: Any, last: Any) -> tuple[Any, Any, Any]:
        """Returns the update gate, the new outputs and the state, with a product for each gate."""
        x_update, x_reset, x_new = self._of_inputs(inputs)
        for_update, for_reset, for_new = self._dropped(last, self.recurrent_dropout, self._recurrent_dropout_mask)
        weights, bias = self.recurrent_kernel, self._biases()[1]
        h_update = matmul(for_update, self._matrix(weights, 0))
        h_reset = matmul(for_reset, self._matrix(weights, 1))
        if bias is not None:
            h_update, h_reset = bias_add(h_update, self._gate(bias, 0)), bias_add(h_reset, self._gate(bias, 1))
        update = self.recurrent_activation(x_update + h_update)
        reset = self.recurrent_activation(x_reset + h_reset)
        if self.reset_after:
            h_new = matmul(for_new, self._matrix(weights, 2))
            h_new = reset * (h_new if bias is None else bias_add(h_new, self._gate(bias, 2)))
        else:
            h_new = matmul(reset * for_new, self._matrix(weights, 2))
        return update, self.activation(x_new + h_new), last

    def _gates_at_once(self, inputs: Any, last: Any) -> tuple[Any, Any, Any]:
        """Returns the update gate, the new outputs and the state, with one product for all gates."""
        units = self.units
        inputs = self._dropped_once(inputs, self.dropout, self._dropout_mask)
        of_inputs = self._whole(inputs, 0)
        x_update, x_reset, x_new = (self._matrix(of_inputs, i) for i in range(3))
        last = self._dropped_once(last, self.recurrent_dropout, self._recurrent_dropout_mask)
        weights = self._kernels()[1]
        of_state: Any = self._whole(last, 1) if self.reset_after else matmul(last, weights[:, : 2 * units])
        update = self.recurrent_activation(x_update + of_state[:, :units])
        reset = self.recurrent_activation(x_reset + of_state[:, units : 2 * units])
        whole = of_state[:, 2 * units :] if self.reset_after else None
        h_new = matmul(reset * last, weights[:, 2 * units :]) if whole is None else reset * whole
        return update, self.activation(x_new + h_new), last


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
        memory, output_gate = (self._gates_at_once if self._at_once else self._gates)(inputs, last, memory)
        output = output_gate * self.activation(memory)
        return output, (output, memory)

    def _gates(self, inputs: Any, last: Any, memory: Any) -> tuple[Any, Any]:
        """Returns the new memory and the output gate, with a product for each gate."""
        given = self._dropped(inputs, self.dropout, self._dropout_mask)
        ahead = [matmul(x, w) for x, w in zip(given, split(self.kernel, 4, axis=1), strict=True)]
        if self.bias is not None:
            ahead = [bias_add(x, b) for x, b in zip(ahead, split(self.bias, 4, axis=0), strict=True)]
        states = self._dropped(last, self.recurrent_dropout, self._recurrent_dropout_mask)

        def gate(i: int) -> Any:
            return ahead[i] + matmul(states[i], self._matrix(self.recurrent_kernel, i))

        return self._next_memory(gate, memory)

    def _gates_at_once(self, inputs: Any, last: Any, memory: Any) -> tuple[Any, Any]:
        """Returns the new memory and the output gate, with one product for all gates."""
        inputs = self._dropped_once(inputs, self.dropout, self._dropout_mask)
        kernel, recurrent_kernel = self._kernels()
        z = matmul(inputs, kernel)
        last = self._dropped_once(last, self.recurrent_dropout, self._recurrent_dropout_mask)
        z = z + matmul(last, recurrent_kernel)
        for bias in self._biases():
            if bias is not None:
                z = bias_add(z, bias)
        return self._next_memory(split(z, 4, axis=1).__getitem__, memory)

    def _next_memory(self, gate: Callable[[int], Any], memory: Any) -> tuple[Any, Any]:
        """Returns the new memory and the output gate for the sums before the activations of the gates."""
        keep_new, forget = self.recurrent_activation(gate(0)), self.recurrent_activation(gate(1))
        memory = forget * memory + keep_new * self.activation(gate(2))
        return memory, self.recurrent_activation(gate(3))
