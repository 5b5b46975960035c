"""Transposed convolutional layers of two and three dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.function_families import FunctionFamily, constructor_defaults
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Activation, Initializer, IntsLike, ScopeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers import space
from ferroflow._src.layers.convolution import ZEROS, Conv, conv_fields
from ferroflow._src.layers.layer_functions import add_arguments, layer_arguments
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.nn.conv import (
    atrous_conv2d_transpose,
    conv2d_transpose as conv2d_transpose_op,
    conv3d_transpose as conv3d_transpose_op,
)


def transposed_images(
    inputs: Any,
    kernel: Any,
    output_shape: Any,
    strides: list[int],
    padding: str,
    data_format: str,
    dilation_rate: Sequence[int],
) -> Any:
    """Returns the transpose of a convolution of images, whose windows may have distances between their points.

    Raises:
        ValueError: if the distances of rows and columns differ.
    """
    if set(dilation_rate) == {1}:
        return conv2d_transpose_op(inputs, kernel, output_shape, strides, padding, data_format=data_format)
    rate, across = dilation_rate
    if rate != across:
        raise ValueError(f"The dilation rates of rows and columns must be equal. Received: {tuple(dilation_rate)}")
    if data_format == "NHWC":
        return atrous_conv2d_transpose(inputs, kernel, output_shape, rate, padding)
    sizes = joining.stack([output_shape[i] for i in (0, 2, 3, 1)])
    inputs = shaping.transpose(inputs, [0, 2, 3, 1])
    return shaping.transpose(atrous_conv2d_transpose(inputs, kernel, sizes, rate, padding), [0, 3, 1, 2])


class ConvTranspose(Conv):
    """A layer that computes `activation(c + bias)` for c the transpose of a convolution with a kernel.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or an int for each dimension of space: the sizes of windows.
        strides: int, or an int for each dimension of space: how many times as large the outputs are.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [filters, channels]; None for the
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

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
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
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )

    # The length of the outputs beyond the reach of the windows, for each dimension of space; None to infer it.
    output_padding: tuple[int, ...] | None = None

    def _may_be_causal(self) -> bool:
        return False

    def build(self, input_shape: Any) -> None:
        """Makes the kernel and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, space ..., channels] or [batch, channels, space ...].

        Raises:
            ValueError: if the inputs have a wrong rank, or the number of channels is unknown.
        """
        shape = TensorShape(input_shape)
        if shape.ndims != self.rank + 2:
            raise ValueError(f"Inputs should have rank {self.rank + 2}. Received input shape: {shape}")
        self._add_kernel((*self.kernel_size, self.filters, self._channels(shape)))
        self._add_bias()
        self.built = True

    def _output_shape(self, shape: list[Any]) -> list[Any]:
        shape[self._channel_axis] = self.filters
        more = self.output_padding or (None,) * self.rank
        windows = zip(self._space_axes(), self.kernel_size, self.strides, self.dilation_rate, more, strict=True)
        for axis, size, stride, dilation, longer in windows:
            shape[axis] = space.transposed_output_length(shape[axis], size, self.padding, stride, dilation, longer)
        return shape

    def call(self, inputs: Any) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.

        Returns:
            Tensor of the dtype of `inputs`, with `filters` channels.
        """
        sizes = shaping.shape(inputs)
        # TensorFlow: the number of channels is taken from the inputs in two dimensions, though nothing reads it.
        axes = {*range(4)} if self.rank == 2 else {0, *self._space_axes()}
        in_step = self._output_shape([sizes[i] if i in axes else None for i in range(self.rank + 2)])
        strides = [1] * (self.rank + 2)
        for axis, stride in zip(self._space_axes(), self.strides, strict=True):
            strides[axis] = stride
        shape, padding, data_format = joining.stack(in_step), self.padding.upper(), self._op_data_format()
        if self.rank == 2:
            outputs = transposed_images(inputs, self.kernel, shape, strides, padding, data_format, self.dilation_rate)
        else:
            outputs = conv3d_transpose_op(inputs, self.kernel, shape, strides, padding, data_format=data_format)
        outputs.set_shape(self._output_shape(inputs.get_shape().as_list()))
        return self._activated(self._with_bias(outputs))

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the shape of the outputs for that of the inputs.

        Args:
            input_shape: TensorShape of the inputs, [batch, space ..., channels] or [batch, channels, space ...].

        Returns:
            TensorShape.
        """
        return TensorShape(self._output_shape(TensorShape(input_shape).as_list()))


@constructor_defaults(strides=(1, 1))
class Conv2DTranspose(ConvTranspose):
    """A layer that computes `activation(c + bias)` for c the transpose of a convolution over two dimensions."""

    _RANK = 2


@constructor_defaults(strides=(1, 1, 1))
class Conv3DTranspose(ConvTranspose):
    """A layer that computes `activation(c + bias)` for c the transpose of a convolution over three dimensions."""

    _RANK = 3


@FunctionFamily
def _transpose(
    layer: type[ConvTranspose],
    inputs: TensorLike,
    filters: int,
    kernel_size: IntsLike,
    strides: IntsLike = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
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
    """Computes the transpose of a convolution over {dimensions}, with new variables.

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


for _layer in (Conv2DTranspose, Conv3DTranspose):
    add_arguments(_layer)

conv2d_transpose = _transpose("conv2d_transpose", Conv2DTranspose, {"strides": (1, 1)}, **conv_fields(Conv2DTranspose))
conv3d_transpose = _transpose(
    "conv3d_transpose", Conv3DTranspose, {"strides": (1, 1, 1)}, **conv_fields(Conv3DTranspose)
)
