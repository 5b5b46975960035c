"""Transposed, separable and in-plane convolutions of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.contrib.layers.collecting import (
    NAMES,
    XAVIER,
    ZEROS,
    finished,
    followed,
    model_variables_called,
)
from ferroflow._src.contrib.layers.model_utils import (
    channel_dimension,
    get_variable_collections,
    last_dimension,
    two_element_tuple,
)
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.layers.separable_convolution import SeparableConv2D
from ferroflow._src.layers.transposed_convolution import Conv2DTranspose, Conv3DTranspose, ConvTranspose
from ferroflow._src.ops.array.shaping import tile
from ferroflow._src.ops.nn.activation import bias_add, relu
from ferroflow._src.ops.nn.depthwise import depthwise_conv2d
from ferroflow._src.variables.scope import variable_scope

_SEPARABLE_NAMES = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}
# TF 1.x: both kernels go where the weights go.
_SEPARABLE_KINDS = {"depthwise_kernel": "weights", "pointwise_kernel": "weights", "bias": "biases"}


def _transposed(
    public_name: str, layer: type[ConvTranspose], default_scope: str, last: str, first: str
) -> Callable[..., Any]:
    def function(
        inputs: Any,
        num_outputs: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str = last,
        activation_fn: Callable[..., Any] | None = relu,
        normalizer_fn: Callable[..., Any] | None = None,
        normalizer_params: dict[str, Any] | None = None,
        weights_initializer: Any = XAVIER,
        weights_regularizer: Callable[..., Any] | None = None,
        biases_initializer: Any = ZEROS,
        biases_regularizer: Callable[..., Any] | None = None,
        reuse: Any = None,
        variables_collections: Any = None,
        outputs_collections: Any = None,
        trainable: bool = True,
        scope: Any = None,
    ) -> Any:
        if data_format not in (last, first):
            raise ValueError(f"data_format has to be either {first} or {last}.")
        getter = model_variables_called(NAMES)
        with variable_scope(scope, default_scope, [inputs], reuse=reuse, custom_getter=getter) as opened:
            inputs = convert_to_tensor(inputs)
            made = layer(
                num_outputs,
                kernel_size,
                strides=stride,
                padding=padding,
                data_format="channels_first" if data_format == first else "channels_last",
                use_bias=normalizer_fn is None and biases_initializer is not None,
                kernel_initializer=weights_initializer,
                bias_initializer=biases_initializer,
                kernel_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=opened.name,
                dtype=inputs.dtype.base_dtype,
                _scope=opened,
                _reuse=reuse,
            )
            return finished(
                made,
                inputs,
                opened.name,
                normalizer_fn,
                normalizer_params,
                activation_fn,
                variables_collections,
                outputs_collections,
            )

    rank = len(last) - 2
    document(
        function,
        f"""Transposes a {rank}-D convolution, adds biases, and applies an activation, by default relu.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        num_outputs: int, the number of channels of the outputs.
        kernel_size: int, or list of an int for each dimension of space: the sizes of windows.
        stride: int, or list of an int for each dimension of space: how many times as large the outputs are.
        padding: "SAME" or "VALID".
        data_format: "{last}" or "{first}".
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable that is applied in place of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights, of shape kernel_size + [num_outputs, channels].
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases, of shape [num_outputs]; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        scope: str, the variable scope; None for "{default_scope}", made unique.

    Returns:
        Tensor of the dtype of `inputs`, with `num_outputs` channels.

    Raises:
        ValueError: if `data_format`, `kernel_size` or `stride` is not one of the listed values; if the inputs' rank is
            wrong or unknown; or if the number of channels is unknown.
    """,
        name=public_name,
    )
    return add_arg_scope(function)


convolution2d_transpose = conv2d_transpose = _transposed(
    "convolution2d_transpose", Conv2DTranspose, "Conv2d_transpose", "NHWC", "NCHW"
)
convolution3d_transpose = conv3d_transpose = _transposed(
    "convolution3d_transpose", Conv3DTranspose, "Conv3d_transpose", "NDHWC", "NCDHW"
)


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Callable[..., Any] | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Convolves each channel on its own, mixes the results, adds biases, and applies an activation, by default relu.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels], or [batch, channels, height, width].
        num_outputs: int, the number of channels of the outputs; None to leave the results unmixed.
        kernel_size: int, or list of two ints: the height and width of windows.
        depth_multiplier: int, how many channels are made of each before they are mixed.
        stride: int, or list of two equal ints: the distances between windows.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        rate: int, or list of two ints: the distances between a window's points; 1 if `stride` is not.
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable that is applied in place of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the depthwise weights, of shape [height, width, channels,
            depth_multiplier], and of the pointwise ones, of shape [1, 1, channels * depth_multiplier, num_outputs].
        weights_regularizer: callable of the weights of either kind that gives a loss.
        biases_initializer: initializer of the biases, of shape [channels of the outputs]; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights", for both kinds,
            and "biases" to such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        scope: str, the variable scope; None for "SeparableConv2d", made unique.

    Returns:
        Tensor of the dtype of `inputs`, with `num_outputs` channels, or channels * depth_multiplier if it is None.

    Raises:
        ValueError: if `data_format`, `kernel_size`, `stride` or `rate` is not one of the listed values, or the number
            of channels of the inputs is unknown.
    """
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    is_first = data_format == "NCHW"
    use_bias = normalizer_fn is None and biases_initializer is not None
    getter = model_variables_called(_SEPARABLE_NAMES)
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert_to_tensor(inputs)
        dtype = inputs.dtype.base_dtype
        if num_outputs is not None:
            layer = SeparableConv2D(
                num_outputs,
                kernel_size,
                strides=stride,
                padding=padding,
                data_format="channels_first" if is_first else "channels_last",
                dilation_rate=two_element_tuple(rate),
                depth_multiplier=depth_multiplier,
                use_bias=use_bias,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=opened.name,
                dtype=dtype,
                _scope=opened,
                _reuse=reuse,
            )
            return finished(
                layer,
                inputs,
                opened.name,
                normalizer_fn,
                normalizer_params,
                activation_fn,
                variables_collections,
                outputs_collections,
                _SEPARABLE_KINDS,
            )
        height, width = two_element_tuple(stride)
        channels = channel_dimension(inputs.get_shape(), "channels_first" if is_first else "channels_last", min_rank=4)
        weights = model_variable(
            "depthwise_weights",
            [*two_element_tuple(kernel_size), channels, depth_multiplier],
            dtype,
            weights_initializer,
            weights_regularizer,
            trainable=trainable,
            collections=get_variable_collections(variables_collections, "weights"),
        )
        strides = [1, 1, height, width] if is_first else [1, height, width, 1]
        outputs = depthwise_conv2d(
            inputs, weights, strides, padding, rate=two_element_tuple(rate), data_format=data_format
        )
        if use_bias:
            biases = model_variable(
                "biases",
                [channels * depth_multiplier],
                dtype,
                biases_initializer,
                biases_regularizer,
                trainable=trainable,
                collections=get_variable_collections(variables_collections, "biases"),
            )
            outputs = bias_add(outputs, biases, data_format=data_format)
        return followed(outputs, opened.name, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Callable[..., Any] | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Convolves every channel with the same weights, adds biases, and applies an activation, by default relu.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels].
        kernel_size: int, or list of two ints: the height and width of windows.
        stride: int, or list of two equal ints: the distances between windows.
        padding: "SAME" or "VALID".
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable that is applied in place of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights, of shape [height, width, 1, 1].
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases, of shape [channels]; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, the variables are trained.
        scope: str, the variable scope; None for "ConvInPlane", made unique.

    Returns:
        Tensor of the dtype of `inputs`, of shape [batch, out height, out width, channels].

    Raises:
        ValueError: if `kernel_size` or `stride` is not one of the listed values, or the number of channels of the
            inputs is unknown.
    """
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        dtype = inputs.dtype.base_dtype
        size, (height, width) = two_element_tuple(kernel_size), two_element_tuple(stride)
        channels = last_dimension(inputs.get_shape(), min_rank=4)
        weights = model_variable(
            "weights",
            [*size, 1, 1],
            dtype,
            weights_initializer,
            weights_regularizer,
            trainable=trainable,
            collections=get_variable_collections(variables_collections, "weights"),
        )
        outputs = depthwise_conv2d(inputs, tile(weights, [1, 1, channels, 1]), [1, height, width, 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            biases = model_variable(
                "biases",
                [channels],
                dtype,
                biases_initializer,
                biases_regularizer,
                trainable=trainable,
                collections=get_variable_collections(variables_collections, "biases"),
            )
            outputs = bias_add(outputs, biases)
        return followed(outputs, opened.name, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


conv2d_in_plane = convolution2d_in_plane
separable_conv2d = separable_convolution2d
