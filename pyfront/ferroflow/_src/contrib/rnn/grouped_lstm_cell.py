"""`GLSTMCell`: units in groups, each of which sees its part of inputs and outputs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Initializer
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.projection import Projection
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


class GLSTMCell(RNNCell):
    """A long short-term memory whose weights are those of groups of units.

    Args:
        num_units: int, the number of units, a multiple of `number_of_groups`.
        initializer: initializer of the weights; None for the scope's.
        num_proj: int, the size of a projection of the output, a multiple of `number_of_groups`, or None.
        number_of_groups: int, the number of groups.
        forget_bias: float, added to the forget gate.
        activation: callable, of the cell state.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        ValueError: if a size is not a multiple of the number of groups.

    Source: Kuchaiev and Ginsburg, Factorization Tricks for LSTM Networks, 2017.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Initializer | None = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Callable[..., Any] = tanh,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        for what, size in (("num_units", num_units), ("num_proj", num_proj)):
            if size and size % number_of_groups != 0:
                raise ValueError(f"{what} must be divisible by number_of_groups")
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._number_of_groups = number_of_groups
        self._forget_bias = forget_bias
        self._activation = activation
        self._output_size = num_proj or num_units
        self._of_groups: dict[int, Projection] = {}
        self._output_projection: Projection | None = None

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int: the number of units and the size of outputs."""
        return LSTMStateTuple(self._num_units, self._output_size)

    @property
    def output_size(self) -> Any:
        """int, the size of the projection, or the number of units."""
        return self._output_size

    def _group(self, number: int, inputs: Any, h_before: Any, depth: int) -> list[Any]:
        """Returns the four parts of a group: input gate, new values, forget gate and output gate."""
        parts = [
            slice_of(x, [0, number * size], [-1, size])
            for x, size in ((inputs, depth), (h_before, self._output_size // self._number_of_groups))
        ]
        joined = [concat(parts, axis=1)]
        if number not in self._of_groups:
            size = 4 * (self._num_units // self._number_of_groups)
            self._of_groups[number] = Projection(joined, size, build_bias=False)
        return split(self._of_groups[number](joined), 4, 1)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size], the size a multiple of the number of groups.
            state: LSTMStateTuple of Tensors of shapes [batch, units] and [batch, outputs].

        Returns:
            The output, of shape [batch, outputs], and the next LSTMStateTuple.

        Raises:
            ValueError: if the size of the inputs is unknown, or no multiple of the number of groups.
        """
        c_before, h_before = state
        depth, count = inputs.shape[1].value, self._number_of_groups
        if depth is None:
            raise ValueError("input size must be statically known")
        if depth % count != 0:
            raise ValueError(f"input size ({depth}) must be divisible by number_of_groups ({count})")
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            groups = []
            for number in range(count):
                with variable_scope(f"group{number}"):
                    groups.append(self._group(number, inputs, h_before, depth // count))
            zero = Constant(0.0, dtype=inputs.dtype)
            i, j, f, o = (
                bias_add(
                    concat(list(parts), axis=1),
                    get_variable(f"bias_{letter}", shape=[self._num_units], dtype=inputs.dtype, initializer=zero),
                )
                for letter, parts in zip("ijfo", zip(*groups, strict=True), strict=True)
            )
        # TF 1.x: the activation is that of the cell state alone.
        c = sigmoid(f + self._forget_bias) * c_before + sigmoid(i) * tanh(j)
        h = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            with variable_scope("projection"):
                if self._output_projection is None:
                    self._output_projection = Projection([h], self._num_proj, build_bias=False)
                h = self._output_projection([h])
        return h, LSTMStateTuple(c, h)
