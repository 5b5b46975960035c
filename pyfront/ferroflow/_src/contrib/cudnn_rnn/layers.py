"""`CudnnLSTM` and its kin: layers of cells, one above the other, in one direction or both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import BoolLike, DTypeLike, Initializer, TensorLike
from ferroflow._src.contrib.cudnn_rnn.cells import (
    CudnnCompatibleGRUCell,
    CudnnCompatibleLSTMCell,
    CudnnCompatibleRNNCell,
)
from ferroflow._src.control_flow.smart_conditional import smart_cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import identity, zeros
from ferroflow._src.ops.math.elementwise import tanh
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.normalization import dropout
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.initializers import GlorotUniform, Zeros
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import AUTO_REUSE

__all__ = [
    "CudnnCompatibleGRUCell",
    "CudnnCompatibleLSTMCell",
    "CudnnGRU",
    "CudnnLSTM",
    "CudnnRNNRelu",
    "CudnnRNNTanh",
]

CUDNN_RNN_UNIDIRECTION: Final = "unidirectional"
CUDNN_RNN_BIDIRECTION: Final = "bidirectional"
CUDNN_INPUT_LINEAR_MODE: Final = "linear_input"
CUDNN_INPUT_SKIP_MODE: Final = "skip_input"
CUDNN_INPUT_AUTO_MODE: Final = "auto_select"


class _CudnnLayer(ABC):
    """Layers of cells, computed on the CPU; variables have the names of cuDNN's checkpoints.

    Args:
        num_layers: int, how many layers of cells there are.
        num_units: int, the number of units of each.
        input_mode: str, "linear_input" or "auto_select".
        direction: str, "unidirectional" or "bidirectional".
        dropout: float, the share of elements that are dropped between layers in training.
        seed: int, of the random elements.
        dtype: float dtype of the variables.
        kernel_initializer: initializer of the kernels; None for a Glorot uniform distribution.
        bias_initializer: initializer of the biases; None for zeros.
        name: str, the scope of the variables; None for one of the class's name.

    Raises:
        ValueError: if a mode, a direction or the dropout is not in its range.
        NotImplementedError: if `input_mode` is "skip_input".
    """

    _default_name = ""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
        name: str | None = None,
    ) -> None:
        if direction not in (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION):
            raise ValueError(f"direction must be 'unidirectional' or 'bidirectional', got {direction!r}")
        if input_mode not in (CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE):
            raise ValueError(f"input_mode must be 'linear_input', 'skip_input' or 'auto_select', got {input_mode!r}")
        if input_mode == CUDNN_INPUT_SKIP_MODE:
            raise NotImplementedError("input_mode 'skip_input' is not offered: use 'linear_input'")
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout must be between 0 and 1, got {dropout}")
        self._num_layers, self._num_units, self._direction = num_layers, num_units, direction
        self._input_mode, self._dropout, self._seed = input_mode, dropout, seed
        self._dtype = dtypes.as_dtype(dtype)
        self._kernel_initializer = kernel_initializer or GlorotUniform()
        self._bias_initializer = bias_initializer or Zeros()
        self._name = name
        self._scope: Any = None

    @property
    def num_layers(self) -> int:
        """The number of layers of cells, an int."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """The number of units of a layer, an int."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """The mode of the inputs, a str."""
        return self._input_mode

    @property
    def direction(self) -> str:
        """The direction, a str."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """The number of directions, 1 or 2."""
        return 1 if self._direction == CUDNN_RNN_UNIDIRECTION else 2

    @property
    def name(self) -> str | None:
        """The scope of the variables, a str; None before the first call if it was not given."""
        return self._name if self._scope is None else self._scope.name

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables, a list; empty before the first call."""
        if self._scope is None:
            return []
        return list(get_collection(GraphKeys.TRAINABLE_VARIABLES, f"{self._scope.name}/"))

    variables = weights = trainable_weights = trainable_variables

    def state_shape(self, batch_size: Any) -> tuple[Any, ...]:
        """Returns the shapes of the states for a batch, a tuple of lists."""
        return ([self._num_layers * self.num_dirs, batch_size, self._num_units],)

    @abstractmethod
    def _cell(self) -> Any:
        """Returns the cell of one layer."""

    def _cell_state(self, states: tuple[Any, ...], i: int) -> Any:
        return states[0][i]

    def _layer_state(self, state: Any) -> tuple[Any, ...]:
        return (state,)

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: Any = None,
        sequence_lengths: TensorLike | None = None,
        time_major: bool = True,
        training: BoolLike = True,
    ) -> tuple[Any, tuple[Any, ...]]:
        """Runs the layers over the steps of inputs.

        Args:
            inputs: Tensor of the layer's dtype, of shape [steps, batch, size], or [batch, steps, size].
            initial_state: tuple of Tensors of the shapes of `state_shape`; None for zeros.
            sequence_lengths: Tensor of int32, of shape [batch]; None for all steps.
            time_major: bool. If True, the first dimension of `inputs` is that of the steps.
            training: bool, or scalar Tensor of bool. If True, elements between layers are dropped.

        Returns:
            Tensor of the outputs, of the first two dimensions of `inputs` and the units of all directions; and the
            tuple of the last states.

        Raises:
            ValueError: if `inputs` has not three dimensions, or the number of states is wrong.
        """
        values = convert_to_tensor(inputs, dtype=self._dtype)
        if values.shape.ndims not in (None, 3):
            raise ValueError(f"inputs must have three dimensions, got shape {values.shape}")
        if not time_major:
            values = shaping.transpose(values, [1, 0, 2])
        states = self._states(initial_state, values)
        given = self._scope or self._name
        with variable_scope(given, self._default_name, [values], reuse=AUTO_REUSE if given else None) as scope:
            self._scope = scope
            outputs, last = self._run(values, states, sequence_lengths, training)
        merged = tuple(stack(parts) for parts in zip(*last, strict=True))
        return (outputs if time_major else shaping.transpose(outputs, [1, 0, 2])), merged

    def _states(self, given: Any, values: Any) -> tuple[Any, ...]:
        shapes = self.state_shape(shaping.shape(values)[1])
        if given is None:
            return tuple(zeros(shape, self._dtype) for shape in shapes)
        if not isinstance(given, (tuple, list)) or len(given) != len(shapes):
            raise ValueError(f"initial_state must be a tuple of {len(shapes)} Tensors, got {given}")
        return tuple(convert_to_tensor(state, dtype=self._dtype) for state in given)

    def _run(self, values: Any, states: tuple[Any, ...], lengths: Any, training: Any) -> tuple[Any, list[Any]]:
        last = []
        for i in range(self._num_layers):
            if i and self._dropout:
                values = self._dropped(values, training)
            outputs = []
            for direction in range(self.num_dirs):
                state = self._cell_state(states, i * self.num_dirs + direction)
                steps = values if direction == 0 else _reversed(values, lengths)
                found, after = self._steps(steps, state, lengths, i, direction)
                outputs.append(found if direction == 0 else _reversed(found, lengths))
                last.append(self._layer_state(after))
            values = outputs[0] if len(outputs) == 1 else concat(outputs, 2)
        return values, last

    def _dropped(self, values: Any, training: Any) -> Any:
        keep = 1.0 - self._dropout
        return smart_cond(training, lambda: dropout(values, keep, seed=self._seed), lambda: identity(values))

    def _steps(self, values: Any, state: Any, lengths: Any, i: int, direction: int) -> Any:
        outer, inner = "rnn/multi_rnn_cell", f"cell_{i}"
        if self.num_dirs == 2:
            outer, inner = f"stack_bidirectional_rnn/cell_{i}/bidirectional_rnn", ("fw", "bw")[direction]
        with variable_scope(outer, initializer=self._kernel_initializer, reuse=AUTO_REUSE):
            return dynamic_rnn(self._cell(), values, lengths, state, time_major=True, scope=inner)


def _reversed(values: Any, lengths: Any) -> Any:
    if lengths is None:
        return shaping.reverse(values, [0])
    return shaping.reverse_sequence(values, lengths, seq_axis=0, batch_axis=1)


class CudnnLSTM(_CudnnLayer):
    __doc__ = _CudnnLayer.__doc__
    _default_name = "cudnn_lstm"

    def state_shape(self, batch_size: Any) -> tuple[Any, ...]:
        """Returns the shapes of the outputs' and the cells' states for a batch, a pair of lists."""
        return super().state_shape(batch_size) * 2

    def _cell(self) -> Any:
        return CudnnCompatibleLSTMCell(self._num_units)

    def _cell_state(self, states: tuple[Any, ...], i: int) -> Any:
        return LSTMStateTuple(c=states[1][i], h=states[0][i])

    def _layer_state(self, state: Any) -> tuple[Any, ...]:
        return (state.h, state.c)


class CudnnGRU(_CudnnLayer):
    __doc__ = _CudnnLayer.__doc__
    _default_name = "cudnn_gru"

    def _cell(self) -> Any:
        return CudnnCompatibleGRUCell(
            self._num_units, kernel_initializer=self._kernel_initializer, bias_initializer=self._bias_initializer
        )


class CudnnRNNTanh(_CudnnLayer):
    __doc__ = _CudnnLayer.__doc__
    _default_name = "cudnn_rnn_tanh"

    def _cell(self) -> Any:
        return CudnnCompatibleRNNCell(self._num_units, tanh)


class CudnnRNNRelu(_CudnnLayer):
    __doc__ = _CudnnLayer.__doc__
    _default_name = "cudnn_rnn_relu"

    def _cell(self) -> Any:
        return CudnnCompatibleRNNCell(self._num_units, relu)
