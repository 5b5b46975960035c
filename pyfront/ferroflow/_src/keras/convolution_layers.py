"""Convolution layers of models: plain, transposed, separable and depthwise."""

from __future__ import annotations

from typing import Any, ClassVar

from ferroflow._src.base.function_families import constructor_defaults
from ferroflow._src.base.typing import (
    DictLike,
    Identifier,
    Initializer,
    IntsLike,
)
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import bias_add
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers import (
    convolution,
    separable_convolution,
    space,
    transposed_convolution,
)
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.nn.depthwise import depthwise_conv2d


class _KerasConvolution(KerasLayer):
    """Base of the convolution layers."""

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: IntsLike = 1,
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        own = {
            "strides": strides,
            "padding": padding,
            "data_format": data_format or "channels_last",
            "dilation_rate": dilation_rate,
            "activation": activation,
            "use_bias": use_bias,
            "kernel_initializer": kernel_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "bias_regularizer": bias_regularizer,
            "activity_regularizer": activity_regularizer,
            "kernel_constraint": kernel_constraint,
            "bias_constraint": bias_constraint,
        }
        super().__init__(filters, kernel_size, **named.resolved({**own, **kwargs}))


class Conv1D(_KerasConvolution, convolution.Conv1D):
    """Convolution layer over one dimension: `activation(convolution(inputs, kernel) + bias)`.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows.
        padding: str, "valid", "same" or "causal": outputs depend on no later input.
        data_format: str, "channels_last" or "channels_first".
        dilation_rate: int, or list of one int: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: IntsLike = 1,
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )


@constructor_defaults(strides=(1, 1), dilation_rate=(1, 1))
class Conv2D(_KerasConvolution, convolution.Conv2D):
    """Convolution layer over two dimensions: `activation(convolution(inputs, kernel) + bias)`.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        dilation_rate: int, or list of two ints, of rows and columns: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
class Conv3D(_KerasConvolution, convolution.Conv3D):
    """Convolution layer over three dimensions: `activation(convolution(inputs, kernel) + bias)`.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: the distances between windows.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        dilation_rate: int, or list of three ints: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class _Transposed(KerasLayer):
    """Base of the transposed convolutions."""

    rank: int
    strides: tuple[int, ...]
    output_padding: tuple[int, ...] | None

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        own = {
            "strides": strides,
            "padding": padding,
            "data_format": data_format or image_data_format(),
            "activation": activation,
            "use_bias": use_bias,
            "kernel_initializer": kernel_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "bias_regularizer": bias_regularizer,
            "activity_regularizer": activity_regularizer,
            "kernel_constraint": kernel_constraint,
            "bias_constraint": bias_constraint,
        }
        super().__init__(filters, kernel_size, **named.resolved({**own, **kwargs}))
        if output_padding is None:
            return
        self.output_padding = space.normalize_tuple(output_padding, self.rank, "output_padding")
        if any(more >= stride for stride, more in zip(self.strides, self.output_padding, strict=True)):
            raise ValueError(f"Stride {self.strides} must be greater than output padding {self.output_padding}")


class Conv2DTranspose(_Transposed, transposed_convolution.Conv2DTranspose):
    """The transpose of a convolution along two dimensions, which enlarges images.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: how many times larger the outputs are.
        padding: str, "valid" or "same".
        output_padding: int, or list of two ints less than the strides: how much longer the outputs are than the
            windows reach; None to infer it.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: int, or list of two equal ints: the distances between a window's points.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [filters, channels], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = (1, 1),
        padding: str = "valid",
        output_padding: IntsLike | None = None,
        data_format: str | None = None,
        dilation_rate: IntsLike = (1, 1),
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        kernel_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            output_padding,
            data_format,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            dilation_rate=dilation_rate,
            **kwargs,
        )


@constructor_defaults(strides=(1, 1, 1))
class Conv3DTranspose(_Transposed, transposed_convolution.Conv3DTranspose):
    """The transpose of a convolution along three dimensions, which enlarges volumes.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: how many times larger the outputs are.
        padding: str, "valid" or "same".
        output_padding: int, or list of three ints less than the strides: how much longer the outputs are than the
            windows reach; None to infer it.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape kernel_size + [filters, channels], or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        kernel_regularizer: callable of the kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    _NOT_TOLD = frozenset(("dilation_rate",))


class _Separable(KerasLayer):
    """Base of the separable convolutions: of each channel, then over the channels."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Identifier | None = None,
        pointwise_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        depthwise_constraint: Identifier | None = None,
        pointwise_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        own = {
            "strides": strides,
            "padding": padding,
            "data_format": data_format or image_data_format(),
            "dilation_rate": dilation_rate,
            "depth_multiplier": depth_multiplier,
            "activation": activation,
            "use_bias": use_bias,
            "depthwise_initializer": depthwise_initializer,
            "pointwise_initializer": pointwise_initializer,
            "bias_initializer": bias_initializer,
            "depthwise_regularizer": depthwise_regularizer,
            "pointwise_regularizer": pointwise_regularizer,
            "bias_regularizer": bias_regularizer,
            "activity_regularizer": activity_regularizer,
            "depthwise_constraint": depthwise_constraint,
            "pointwise_constraint": pointwise_constraint,
            "bias_constraint": bias_constraint,
        }
        super().__init__(filters, kernel_size, **named.resolved({**own, **kwargs}))


class SeparableConv1D(_Separable, separable_convolution.SeparableConv1D):
    """A convolution of each channel along one dimension, then one over the channels.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows.
        padding: str, "valid", "same" or "causal": outputs depend on no later input.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: int, or list of one int: the distances between a window's points.
        depth_multiplier: int, the number of results of each channel.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        depthwise_initializer: initializer of the channels' kernels, or its name.
        pointwise_initializer: initializer of the kernel over the channels, or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        depthwise_regularizer: callable of the channels' kernels that gives a loss, or its name, or None.
        pointwise_regularizer: callable of the kernel over the channels that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        depthwise_constraint: callable of the channels' kernels after each update, or its name, or None.
        pointwise_constraint: callable of the kernel over the channels after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(strides=(1, 1), dilation_rate=(1, 1))
class SeparableConv2D(_Separable, separable_convolution.SeparableConv2D):
    """A convolution of each channel along two dimensions, then one over the channels.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: int, or list of two ints, of rows and columns: the distances between a window's points.
        depth_multiplier: int, the number of results of each channel.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        depthwise_initializer: initializer of the channels' kernels, or its name.
        pointwise_initializer: initializer of the kernel over the channels, or its name.
        bias_initializer: initializer of the bias, of shape [filters], or its name.
        depthwise_regularizer: callable of the channels' kernels that gives a loss, or its name, or None.
        pointwise_regularizer: callable of the kernel over the channels that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        depthwise_constraint: callable of the channels' kernels after each update, or its name, or None.
        pointwise_constraint: callable of the kernel over the channels after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class DepthwiseConv2D(KerasLayer):
    """A convolution of each channel along two dimensions.

    Args:
        kernel_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows.
        padding: str, "valid" or "same".
        depth_multiplier: int, the number of results of each channel.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        activation: callable, or its name, or None.
        use_bias: bool. If True, a bias is added.
        depthwise_initializer: initializer of the kernel, of shape kernel_size + [channels, multiplier], or its name.
        bias_initializer: initializer of the bias, of shape [channels * multiplier], or its name.
        depthwise_regularizer: callable of the channels' kernels that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        depthwise_constraint: callable of the channels' kernels after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        **kwargs: `dilation_rate`, int, or list of two ints: the distances between a window's points; arguments of
            `KerasLayer`.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {"dilation_rate": (1, 1)}

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Initializer | DictLike = "glorot_uniform",
        bias_initializer: Initializer | DictLike = "zeros",
        depthwise_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        depthwise_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        **kwargs: Any,
    ) -> None:
        self.dilation_rate = space.normalize_tuple(kwargs.pop("dilation_rate", 1), 2, "dilation_rate")
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self.kernel_size = space.normalize_tuple(kernel_size, 2, "kernel_size")
        self.strides = space.normalize_tuple(strides, 2, "strides")
        self.input_spec = InputSpec(ndim=4)
        self.padding, self.depth_multiplier = padding, depth_multiplier
        self.data_format = data_format or image_data_format()
        self.activation = named.activation(activation)
        self.use_bias = use_bias
        self.depthwise_initializer = named.initializer(depthwise_initializer)
        self.bias_initializer = named.initializer(bias_initializer)
        self.depthwise_regularizer = named.regularizer(depthwise_regularizer)
        self.bias_regularizer = named.regularizer(bias_regularizer)
        self.depthwise_constraint = named.constraint(depthwise_constraint)
        self.bias_constraint = named.constraint(bias_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes the kernel and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, rows, columns, channels].
        """
        channels = int(input_shape[1 if self.data_format == "channels_first" else 3])
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            (*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (channels * self.depth_multiplier,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the convolution.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, rows, columns, channels].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, rows, columns, channels * multiplier].
        """
        is_first = self.data_format == "channels_first"
        outputs: Tensor = depthwise_conv2d(
            inputs,
            self.depthwise_kernel,
            strides=[1, 1, *self.strides] if is_first else [1, *self.strides, 1],
            padding=self.padding.upper(),
            rate=self.dilation_rate,
            data_format="NCHW" if is_first else "NHWC",
        )
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias, self.data_format)
        return self.activation(outputs)
