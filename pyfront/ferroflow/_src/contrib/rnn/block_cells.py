"""`LSTMBlockCell`, `GRUBlockCell` and `GRUBlockCellV2`: cells whose step is one operation."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.typing import DTypeLike, ListLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.rnn.cell import LayerRNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.initializers import Constant


class LSTMWeights:
    """The variables of an LSTM, made in the scope of a layer, and its step.

    Args:
        layer: Layer that makes the variables.
        input_size: int, the size of inputs.
        num_units: int, the number of units.
        forget_bias: float, added to the forget gate.
        cell_clip: float, the bound of cell states; None, or not positive, for none.
        use_peephole: bool. If True, the gates use the cell state.
    """

    def __init__(
        self,
        layer: Any,
        input_size: int,
        num_units: int,
        forget_bias: float,
        cell_clip: float | None,
        use_peephole: bool,
    ) -> None:
        self._num_units = num_units
        self._attrs = {
            "forget_bias": forget_bias,
            "cell_clip": -1.0 if cell_clip is None else cell_clip,
            "use_peephole": use_peephole,
        }
        self._kernel = layer.add_variable("kernel", [input_size + num_units, 4 * num_units])
        self._bias = layer.add_variable("bias", [4 * num_units], initializer=Constant(0.0))
        self._peepholes: list[Any] = []
        if use_peephole:
            self._peepholes = [layer.add_variable(f"w_{gate}_diag", [num_units]) for gate in "ifo"]

    def _inputs(self, inputs: Any, c_before: Any, h_before: Any, dtype: DTypeLike) -> list[Any]:
        peepholes = self._peepholes or [zeros([self._num_units], dtype=dtype)] * 3
        return [inputs, c_before, h_before, self._kernel, *peepholes, self._bias]

    def step(self, inputs: Any, c_before: TensorLike, h_before: TensorLike, dtype: DTypeLike) -> tuple[Any, Any]:
        """Computes a step.

        Args:
            inputs: Tensor of float16 or float32, of shape [batch, size].
            c_before: Tensor of the dtype of `inputs`, of shape [batch, units]: the cell state.
            h_before: Tensor of the dtype of `inputs`, of shape [batch, units]: the output before.
            dtype: DType of `inputs`.

        Returns:
            The next cell state and the output.
        """
        _, c, _, _, _, _, h = apply_op(
            "LSTMBlockCell", self._inputs(inputs, c_before, h_before, dtype), self._attrs
        ).outputs
        return c, h

    def steps(
        self, count: Any, inputs: Any, c_before: TensorLike, h_before: TensorLike, dtype: DTypeLike
    ) -> tuple[Any, Any]:
        """Computes steps in time.

        Args:
            count: Tensor of int64, of shape []; the number of steps to compute.
            inputs: Tensor of float16 or float32, of shape [time, batch, size].
            c_before: Tensor of the dtype of `inputs`, of shape [batch, units]: the cell state.
            h_before: Tensor of the dtype of `inputs`, of shape [batch, units]: the output before.
            dtype: DType of `inputs`.

        Returns:
            The cell states and the outputs, of shape [time, batch, units]; zeros after `count` steps.
        """
        given = [count, *self._inputs(inputs, c_before, h_before, dtype)]
        _, c, _, _, _, _, h = apply_op("BlockLSTM", given, self._attrs).outputs
        return c, h


class LSTMBlockCell(LayerRNNCell):
    """A long short-term memory whose step is one operation, with the variables of `LSTMCell`.

    TF 1.x: the gradient of a clipped cell state is passed on as if it were not clipped.

    Args:
        num_units: int, the number of units.
        forget_bias: float, added to the forget gate; `LSTMCell` restores its own variables with the same one.
        cell_clip: float, the bound of cell states; None, or not positive, for none.
        use_peephole: bool. If True, the gates use the cell state.
        dtype: DType of the variables, float16 or float32; None for that of the inputs.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer.

    Source: Gers et al., Learning to Forget: Continual Prediction with LSTM, 1999.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: DTypeLike | None = None,
        reuse: object = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip
        self._use_peephole = use_peephole
        self._weights: Any = None
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of int, the number of units."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables.

        Args:
            inputs_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        if not inputs_shape[1].value:
            raise ValueError(f"Expecting inputs_shape[1] to be set: {inputs_shape}")
        self._weights = LSTMWeights(
            self,
            inputs_shape[1].value,
            self._num_units,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        self.built = True

    def call(self, inputs: TensorLike, state: ListLike) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of float16 or float32, of shape [batch, size].
            state: pair of Tensors of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output, of shape [batch, units], and the next LSTMStateTuple.

        Raises:
            ValueError: if the state is not a pair.
        """
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        c, h = self._weights.step(inputs, *state, dtype=self.dtype)
        return h, LSTMStateTuple(c, h)


class GRUBlockCell(LayerRNNCell):
    """A gated recurrent unit whose step is one operation.

    Args:
        num_units: int, the number of units.
        cell_size: deprecated name of `num_units`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer.

    Raises:
        ValueError: if both or neither of `num_units` and `cell_size` are given.

    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.
    """

    _names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self, num_units: int | None = None, cell_size: int | None = None, reuse: object = None, name: str = "gru_cell"
    ) -> None:
        super().__init__(_reuse=reuse, name=name)
        if cell_size is not None:
            warn_deprecated("The argument cell_size of GRUBlockCell", "num_units")
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        self._cell_size: Any = cell_size if num_units is None else num_units
        self._gates: Any = None
        self._candidate: Any = None
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """int, the number of units."""
        return self._cell_size

    @property
    def output_size(self) -> Any:
        """int, the number of units."""
        return self._cell_size

    def build(self, input_shape: Any) -> None:
        """Makes the kernels, of shapes [inputs + units, 2 units] and [inputs + units, units], and the biases.

        Args:
            input_shape: TensorShape of the inputs, [batch, inputs].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        input_size, units = input_shape[1].value, self._cell_size
        if input_size is None:
            raise ValueError("Expecting input_size to be set.")
        names = iter(self._names)

        def pair(size: int, bias: float) -> tuple[Any, Any]:
            kernel = self.add_variable(next(names), [input_size + units, size])
            return kernel, self.add_variable(next(names), [size], initializer=Constant(bias))

        self._gates = pair(2 * units, 1.0)
        self._candidate = pair(units, 0.0)
        self.built = True

    def call(self, inputs: TensorLike, h_prev: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of float32, of shape [batch, size].
            h_prev: Tensor of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output and the next state: one Tensor of shape [batch, units], returned twice.

        Raises:
            ValueError: if the state has a wrong size.
        """
        size = h_prev.get_shape().with_rank(2)[1]
        if size.value != self._cell_size:
            raise ValueError(f"Shape of h_prev[1] incorrect: cell_size {self._cell_size} vs {size}")

        _, _, _, h = apply_op(
            "GRUBlockCell",
            [inputs, h_prev, self._gates[0], self._candidate[0], self._gates[1], self._candidate[1]],
        ).outputs
        return h, h


class GRUBlockCellV2(GRUBlockCell):
    """A `GRUBlockCell` whose variables have the names of those of `GRUCell`.

    Args:
        num_units: int, the number of units.
        cell_size: deprecated name of `num_units`.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        name: str, name of the layer.

    Raises:
        ValueError: if both or neither of `num_units` and `cell_size` are given.
    """

    _names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
