"""Convolutional layers of one, two and three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily, constructor_defaults
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Activation, Initializer, IntsLike, ScopeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers import space
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.layer_functions import DIMENSIONS, add_arguments, described_arguments, layer_arguments
from ferroflow._src.layers.named_functions import activation_of, initializer_of
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.convolution import Convolution
from ferroflow._src.variables.initializers import Zeros

ZEROS = Zeros()


class Conv(Layer):
    """A layer that computes `activation(convolution(inputs, kernel) + bias)`; `_RANK` is the rank of space.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or an int for each dimension of space: the sizes of windows.
        strides: int, or an int for each dimension of space: the distances between windows.
        padding: "valid" or "same"; "causal" along one dimension, where outputs depend on no later input.
        data_format: "channels_last" or "channels_first".
        dilation_rate: int, or an int for each dimension of space: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters]; None for the
            scope's, or Glorot's.
        bias_initializer: initializer of the bias, of shape [filters].
        kernel_regularizer: callable of the kernel that gives a loss.
        bias_regularizer: callable of the bias that gives a loss.
        activity_regularizer: callable of the outputs that gives a loss.
        kernel_constraint: callable that optimizers apply to the kernel after updates.
        bias_constraint: callable that optimizers apply to the bias after updates.
        trainable: bool. If True, the variables are trained.
        name: str, name of the layer.
        **kwargs: further arguments of `Layer`.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    _RANK = 0

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: IntsLike = 1,
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer = ZEROS,
        kernel_regularizer: Callable[..., Any] | None = None,
        bias_regularizer: Callable[..., Any] | None = None,
        activity_regularizer: Callable[..., Any] | None = None,
        kernel_constraint: Callable[..., Any] | None = None,
        bias_constraint: Callable[..., Any] | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.rank = self._RANK
        self.filters = filters
        self.kernel_size = space.normalize_tuple(kernel_size, self.rank, "kernel_size")
        self.strides = space.normalize_tuple(strides, self.rank, "strides")
        self.padding = space.normalize_padding(padding)
        if self.padding == "causal" and not self._may_be_causal():
            raise ValueError("Causal padding is only supported for `Conv1D` and ``SeparableConv1D`.")
        self.data_format = space.normalize_data_format(data_format)
        self.dilation_rate = space.normalize_tuple(dilation_rate, self.rank, "dilation_rate")
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    def _may_be_causal(self) -> bool:
        return self.rank == 1

    @property
    def _op_padding(self) -> str:
        """The padding of the operation; the inputs of a causal layer are padded before it."""
        return "VALID" if self.padding == "causal" else self.padding.upper()

    def _with_steps_before(self, inputs: Any) -> Any:
        """Returns the inputs, with zeros before the first step if the layer is causal."""
        if self.padding != "causal":
            return inputs
        edges = [[0, 0], [0, 0], [0, 0]]
        edges[self._space_axes()[0]][0] = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return shaping.pad(inputs, edges)

    @property
    def _channel_axis(self) -> int:
        return 1 if self.data_format == "channels_first" else -1

    def _space_axes(self) -> range:
        return range(2, self.rank + 2) if self.data_format == "channels_first" else range(1, self.rank + 1)

    def _op_data_format(self) -> str:
        return space.op_data_format(self.data_format, self.rank)

    def _channels(self, input_shape: Any) -> int:
        """Returns the number of channels of the inputs, which `input_spec` then requires."""
        channels: int | None = TensorShape(input_shape)[self._channel_axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        return channels

    def _add_kernel(self, shape: tuple[int, ...]) -> None:
        self.kernel = self.add_weight(
            name="kernel",
            shape=shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
        )

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(self.filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
            )

    def build(self, input_shape: Any) -> None:
        """Makes the kernel and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, space ..., channels] or [batch, channels, space ...].

        Raises:
            ValueError: if the number of channels is unknown.
        """
        self._add_kernel((*self.kernel_size, self._channels(input_shape), self.filters))
        self._add_bias()
        self.built = True

    def _with_bias(self, outputs: Any) -> Any:
        if not self.use_bias:
            return outputs
        if self.data_format == "channels_last":
            return bias_add(outputs, self.bias, data_format="NHWC")
        if self.rank != 1:
            return bias_add(outputs, self.bias, data_format="NCHW")
        return outputs + shaping.reshape(self.bias, (1, self.filters) + (1,) * self.rank)

    def _activated(self, outputs: Any) -> Any:
        return outputs if self.activation is None else self.activation(outputs)

    def call(self, inputs: Any) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.

        Returns:
            Tensor of the dtype of `inputs`, with `filters` channels.
        """
        inputs = self._with_steps_before(inputs)
        return self._activated(self._with_bias(self._convolution_op(inputs, self.kernel)))

    def _convolution_op(self, inputs: Any, kernel: Any) -> Any:  # programs' subclasses call it with other kernels
        convolution = Convolution(
            inputs.get_shape(),
            kernel.get_shape(),
            dilation_rate=self.dilation_rate,
            strides=self.strides,
            padding=self._op_padding,
            data_format=self._op_data_format(),
        )
        return convolution(inputs, kernel)

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the shape of the outputs for that of the inputs.

        Args:
            input_shape: TensorShape of the inputs, [batch, space ..., channels] or [batch, channels, space ...].

        Returns:
            TensorShape.
        """
        shape = TensorShape(input_shape).as_list()
        shape[self._channel_axis] = self.filters
        for i, axis in enumerate(self._space_axes()):
            shape[axis] = space.window_output_length(
                shape[axis], self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i]
            )
        return TensorShape(shape)


class Conv1D(Conv):
    """A layer that computes `activation(convolution(inputs, kernel) + bias)` over one dimension."""

    _RANK = 1


@constructor_defaults(strides=(1, 1), dilation_rate=(1, 1))
class Conv2D(Conv):
    """A layer that computes `activation(convolution(inputs, kernel) + bias)` over two dimensions."""

    _RANK = 2


@constructor_defaults(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
class Conv3D(Conv):
    """A layer that computes `activation(convolution(inputs, kernel) + bias)` over three dimensions."""

    _RANK = 3


def conv_fields(layer: type[Conv]) -> dict[str, str]:
    """Returns the texts for the docstring of the function that makes and applies a layer."""
    return {"dimensions": DIMENSIONS[layer._RANK], "arguments": described_arguments(layer)}


@FunctionFamily
def _convolve(
    layer: type[Conv],
    inputs: TensorLike,
    filters: int,
    kernel_size: IntsLike,
    strides: IntsLike = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: IntsLike = 1,
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: Initializer | None = None,
    bias_initializer: Initializer = ZEROS,
    kernel_regularizer: Callable[..., Any] | None = None,
    bias_regularizer: Callable[..., Any] | None = None,
    activity_regularizer: Callable[..., Any] | None = None,
    kernel_constraint: Callable[..., Any] | None = None,
    bias_constraint: Callable[..., Any] | None = None,
    trainable: bool = True,
    name: ScopeLike | None = None,
    reuse: object = None,
) -> Tensor:
    """Convolves over {dimensions}, with new variables.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        {arguments}
        name: str, the variable scope; None for the name of the layer, made unique.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Returns:
        Tensor of the dtype of `inputs`.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values, or the number of
            channels is unknown. Also if variables exist and `reuse` is not set, or the reverse.
    """
    inputs = convert_to_tensor(inputs)
    outputs: Tensor = layer(**layer_arguments(locals()))(inputs)
    return outputs


for _layer in (Conv1D, Conv2D, Conv3D):
    add_arguments(_layer)

conv1d = _convolve("conv1d", Conv1D, **conv_fields(Conv1D))
conv2d = _convolve("conv2d", Conv2D, {"strides": (1, 1), "dilation_rate": (1, 1)}, **conv_fields(Conv2D))
conv3d = _convolve("conv3d", Conv3D, {"strides": (1, 1, 1), "dilation_rate": (1, 1, 1)}, **conv_fields(Conv3D))


add_example(
    conv2d,
    """
    >>> images = tf.zeros([8, 28, 28, 1])
    >>> features = tf.layers.conv2d(images, filters=32, kernel_size=5, padding="same", activation=tf.nn.relu)
    >>> print(features.shape)
    (8, 28, 28, 32)
    >>> print([(v.name, v.shape.as_list()) for v in tf.trainable_variables()])
    [('conv2d/kernel:0', [5, 5, 1, 32]), ('conv2d/bias:0', [32])]
    """,
)
