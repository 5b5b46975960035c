"""LSTM cells of sequences, images and volumes, with convolutions in place of products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import ListLike, ScopeLike
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.nn.conv import conv1d, conv2d, conv3d
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant

_CONVOLUTIONS: dict[int, tuple[Callable[..., Any], Any]] = {
    1: (conv1d, 1),
    2: (conv2d, [1, 1, 1, 1]),
    3: (conv3d, [1, 1, 1, 1, 1]),
}


class ConvLSTMCell(RNNCell):
    """An LSTM cell whose gates are convolutions, with stride 1 and padding, of the inputs and the last output.

    Args:
        conv_ndims: int, the number of dimensions to convolve along: 1, 2 or 3.
        input_shape: list of int, the shape of the inputs without the batch, channels last.
        output_channels: int, the number of channels of the state.
        kernel_shape: list of int, the window.
        use_bias: bool. If True, a bias is added.
        skip_connection: bool. If True, the inputs are joined to the outputs along the channels.
        forget_bias: float, added to the forget gates' inputs.
        initializers: accepted and ignored, as TensorFlow does.
        name: str, name of the layer.

    Raises:
        ValueError: if `input_shape` does not have `conv_ndims` + 1 dimensions.

    Source: Shi et al., Convolutional LSTM Network, 2015.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: ListLike,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: object = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims = conv_ndims
        self._input_shape = list(input_shape)
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._skip_connection = skip_connection
        self._forget_bias = forget_bias

    @property
    def state_size(self) -> Any:
        """LSTMStateTuple of TensorShapes."""
        shape = TensorShape([*self._input_shape[:-1], self._output_channels])
        return LSTMStateTuple(shape, shape)

    @property
    def output_size(self) -> Any:
        """TensorShape."""
        channels = self._output_channels + (self._input_shape[-1] if self._skip_connection else 0)
        return TensorShape([*self._input_shape[:-1], channels])

    def call(self, inputs: Any, state: Any, scope: ScopeLike | None = None) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, *input_shape].
            state: LSTMStateTuple of Tensors of the dtype of `inputs`, of shape [batch, ..., channels].
            scope: VariableScope, that of the call.

        Returns:
            The output and the next state.
        """
        c, h = state
        joined = concat([inputs, h], axis=self._conv_ndims + 1)
        features = 4 * self._output_channels
        depth = joined.get_shape()[-1].value
        kernel = get_variable("kernel", [*self._kernel_shape, depth, features], dtype=inputs.dtype)
        convolve, strides = _CONVOLUTIONS[self._conv_ndims]
        total = convolve(joined, kernel, strides, padding="SAME")
        if self._use_bias:
            zeros = Constant(0.0, dtype=inputs.dtype)
            total = total + get_variable("biases", [features], dtype=inputs.dtype, initializer=zeros)
        i, j, f, o = split(value=total, num_or_size_splits=4, axis=self._conv_ndims + 1)
        new_c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * tanh(j)
        output = tanh(new_c) * sigmoid(o)
        if self._skip_connection:
            # TF 1.x: the joined output is also kept as the state, so that such a cell runs for one step only.
            output = concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(new_c, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of sequences.

    Args:
        name: str, name of the layer.
        **kwargs: the other arguments of `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of images.

    Args:
        name: str, name of the layer.
        **kwargs: the other arguments of `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` of volumes.

    Args:
        name: str, name of the layer.
        **kwargs: the other arguments of `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
