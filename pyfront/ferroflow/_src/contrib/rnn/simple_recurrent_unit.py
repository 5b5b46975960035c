"""`SRUCell`: a simple recurrent unit, whose gates see the inputs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import LayerRNNCell, known_depth
from ferroflow._src.variables.initializers import Constant


class SRUCell(LayerRNNCell):
    """A cell with a matrix product of the inputs only, so that it can be computed for all steps at once.

    Args:
        num_units: int, the number of units.
        activation: callable, of the state; None for `tanh`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer; None for "sru_cell".

    Source: Lei et al., Simple Recurrent Units for Highly Parallelizable Recurrence, 2017.
    """

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None = None,
        reuse: object = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name)
        self._num_units = num_units
        self._activation = activation or tanh
        self._kernel: Any = None
        self._bias: Any = None
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of shape [inputs, 4 units], and the bias of the gates.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        units = self._num_units
        self._kernel = self.add_variable("kernel", shape=[known_depth(inputs_shape), 4 * units])
        self._bias = self.add_variable("bias", shape=[2 * units], initializer=Constant(0.0))
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size].
            state: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output and the next state, of shape [batch, units].
        """
        new, forget, reset, skipped = split(value=matmul(inputs, self._kernel), num_or_size_splits=4, axis=1)
        gates = sigmoid(bias_add(concat([forget, reset], 1), self._bias))
        forget, reset = split(value=gates, num_or_size_splits=2, axis=1)
        c = forget * state + (1.0 - forget) * new
        return reset * self._activation(c) + (1.0 - reset) * skipped, c
