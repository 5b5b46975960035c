"""Layers of depthwise convolutions followed by pointwise ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.function_families import FunctionFamily, constructor_defaults
from ferroflow._src.base.typing import Activation, Initializer, IntsLike, ScopeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.convolution import ZEROS, Conv, conv_fields
from ferroflow._src.layers.layer_functions import add_arguments, layer_arguments
from ferroflow._src.layers.named_functions import initializer_of
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.depthwise import separable_conv2d as separable_conv2d_op


class SeparableConv(Conv):
    """A layer that convolves each channel on its own, mixes the results, adds a bias and applies an activation.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or an int for each dimension of space: the sizes of windows.
        strides: int, or an int for each dimension of space, all equal: the distances between windows.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: int, or an int for each dimension of space: the distances between a window's points.
        depth_multiplier: int, how many channels are made of each before they are mixed.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        depthwise_initializer: initializer of the depthwise kernel, of shape kernel_size + [channels,
            depth_multiplier]; None for the scope's, or Glorot's.
        pointwise_initializer: initializer of the pointwise kernel, of shape ones + [channels * depth_multiplier,
            filters]; None for the scope's, or Glorot's.
        bias_initializer: initializer of the bias, of shape [filters].
        depthwise_regularizer: callable of the depthwise kernel that gives a loss.
        pointwise_regularizer: callable of the pointwise kernel that gives a loss.
        bias_regularizer: callable of the bias that gives a loss.
        activity_regularizer: callable of the outputs that gives a loss.
        depthwise_constraint: callable that optimizers apply to the depthwise kernel after updates.
        pointwise_constraint: callable that optimizers apply to the pointwise kernel after updates.
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
        dilation_rate: IntsLike = 1,
        depth_multiplier: int = 1,
        activation: Activation | None = None,
        use_bias: bool = True,
        depthwise_initializer: Initializer | None = None,
        pointwise_initializer: Initializer | None = None,
        bias_initializer: Initializer = ZEROS,
        depthwise_regularizer: Callable[..., Any] | None = None,
        pointwise_regularizer: Callable[..., Any] | None = None,
        bias_regularizer: Callable[..., Any] | None = None,
        activity_regularizer: Callable[..., Any] | None = None,
        depthwise_constraint: Callable[..., Any] | None = None,
        pointwise_constraint: Callable[..., Any] | None = None,
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
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializer_of(depthwise_initializer)
        self.pointwise_initializer = initializer_of(pointwise_initializer)
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, space ..., channels] or [batch, channels, space ...].

        Raises:
            ValueError: if the number of channels is unknown.
        """
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
            dtype=self.dtype,
        )
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel",
            shape=(1,) * self.rank + (channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            dtype=self.dtype,
        )
        self._add_bias()
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.

        Returns:
            Tensor of the dtype of `inputs`, with `filters` channels.
        """
        inputs = self._with_steps_before(inputs)
        depthwise, pointwise, rate = self.depthwise_kernel, self.pointwise_kernel, self.dilation_rate
        strides = self.strides
        height_axis = self._space_axes()[0]
        if self.rank == 1:
            # A sequence is an image of height 1.
            inputs = shaping.expand_dims(inputs, height_axis)
            depthwise, pointwise = shaping.expand_dims(depthwise, 0), shaping.expand_dims(pointwise, 0)
            rate, strides = (1, *rate), strides * 2
        first = self.data_format == "channels_first"
        data_format = "NCHW" if first else "NHWC"
        outputs = separable_conv2d_op(
            inputs,
            depthwise,
            pointwise,
            strides=(1, 1, *strides) if first else (1, *strides, 1),
            padding=self._op_padding,
            rate=rate,
            data_format=data_format,
        )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=data_format)
        if self.rank == 1:
            outputs = shaping.squeeze(outputs, [height_axis])
        return self._activated(outputs)


class SeparableConv1D(SeparableConv):
    """A layer that convolves each channel on its own and mixes the results, over one dimension."""

    _RANK = 1


@constructor_defaults(strides=(1, 1), dilation_rate=(1, 1))
class SeparableConv2D(SeparableConv):
    """A layer that convolves each channel on its own and mixes the results, over two dimensions."""

    _RANK = 2


@FunctionFamily
def _convolve(
    layer: type[SeparableConv],
    inputs: TensorLike,
    filters: int,
    kernel_size: IntsLike,
    strides: IntsLike = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: IntsLike = 1,
    depth_multiplier: int = 1,
    activation: Activation | None = None,
    use_bias: bool = True,
    depthwise_initializer: Initializer | None = None,
    pointwise_initializer: Initializer | None = None,
    bias_initializer: Initializer = ZEROS,
    depthwise_regularizer: Callable[..., Any] | None = None,
    pointwise_regularizer: Callable[..., Any] | None = None,
    bias_regularizer: Callable[..., Any] | None = None,
    activity_regularizer: Callable[..., Any] | None = None,
    depthwise_constraint: Callable[..., Any] | None = None,
    pointwise_constraint: Callable[..., Any] | None = None,
    bias_constraint: Callable[..., Any] | None = None,
    trainable: bool = True,
    name: ScopeLike | None = None,
    reuse: object = None,
) -> Tensor:
    """Convolves each channel on its own and mixes the results over {dimensions}, with new variables.

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


for _layer in (SeparableConv1D, SeparableConv2D):
    add_arguments(_layer)

separable_conv1d = _convolve("separable_conv1d", SeparableConv1D, **conv_fields(SeparableConv1D))
separable_conv2d = _convolve(
    "separable_conv2d",
    SeparableConv2D,
    {"strides": (1, 1), "dilation_rate": (1, 1)},
    **conv_fields(SeparableConv2D),
)
