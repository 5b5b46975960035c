"""Layers whose weights are multiplied by masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Collections, DictLike, Initializer, IntsLike, ScopeLike, TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.contrib.layers.collecting import NAMES, XAVIER, ZEROS, finished, model_variables_called
from ferroflow._src.contrib.model_pruning.masks import MASKED_WEIGHT_NAME, collect_masked
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.layers.convolution import Conv2D
from ferroflow._src.layers.dense import Dense
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.ops.math.linalg import matmul, tensordot
from ferroflow._src.ops.nn.activation import bias_add, relu
from ferroflow._src.ops.nn.convolution import convolution
from ferroflow._src.variables.initializers import Ones, Zeros
from ferroflow._src.variables.scope import variable_scope

_DATA_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


class _Masked(Layer):
    """A layer with a mask and a threshold beside its kernel."""

    kernel: Any
    mask: Any = None
    threshold: Any = None
    masked_kernel: Any = None

    def _add_mask(self, shape: Any) -> None:
        self.mask = self.add_weight("mask", shape=shape, initializer=Ones(), trainable=False, dtype=self.dtype)

    def _add_threshold(self) -> None:
        self.threshold = self.add_weight("threshold", shape=[], initializer=Zeros(), trainable=False, dtype=self.dtype)

    def _apply_mask(self) -> None:
        self.masked_kernel = multiply(self.mask, self.kernel, MASKED_WEIGHT_NAME)
        collect_masked(self.kernel, self.mask, self.threshold, self.masked_kernel)


class MaskedConv2D(Conv2D, _Masked):
    """`tf.layers.Conv2D` with a masked kernel; the arguments are the same.

    `mask`, `threshold` and `masked_kernel` are attributes of the built layer.
    """

    def build(self, input_shape: Any) -> None:
        """Makes the mask, the kernel, the threshold and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, height, width, channels] or [batch, channels, height,
                width].

        Raises:
            ValueError: if the number of channels is unknown.
        """
        shape = (*self.kernel_size, self._channels(input_shape), self.filters)
        self._add_mask(shape)
        self._add_kernel(shape)
        self._add_threshold()
        self._apply_mask()
        self._add_bias()
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, height, width, channels] or [batch, channels, height,
                width].

        Returns:
            Tensor of the dtype of `inputs`, with `filters` channels.
        """
        outputs = convolution(
            inputs,
            self.masked_kernel,
            padding=self.padding.upper(),
            strides=self.strides,
            dilation_rate=self.dilation_rate,
            data_format=self._op_data_format(),
        )
        return self._activated(self._with_bias(outputs))


class MaskedFullyConnected(Dense, _Masked):
    """`tf.layers.Dense` with a masked kernel; the arguments are the same.

    `mask`, `threshold` and `masked_kernel` are attributes of the built layer.
    """

    def build(self, input_shape: Any) -> None:
        """Makes the kernel, the mask, the threshold and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, ..., size].

        Raises:
            ValueError: if the last dimension of the inputs is unknown.
        """
        size = TensorShape(input_shape)[-1].value
        if size is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            dtype=self.dtype,
        )
        self._add_mask([size, self.units])
        self._add_threshold()
        self._apply_mask()
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                dtype=self.dtype,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [..., size].

        Returns:
            Tensor of the dtype of `inputs`, of shape [..., units].
        """
        inputs = convert_to_tensor(inputs, dtype=dtypes.as_dtype(self.dtype))
        shape = inputs.get_shape().as_list()
        if len(shape) > 2:
            outputs = tensordot(inputs, self.masked_kernel, [[len(shape) - 1], [0]])
            outputs.set_shape([*shape[:-1], self.units])
        else:
            outputs = matmul(inputs, self.masked_kernel)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


@add_arg_scope
def masked_convolution(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: IntsLike,
    stride: IntsLike = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: IntsLike = 1,
    activation_fn: Callable[..., Any] | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Initializer = XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Initializer | None = ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: object = None,
    variables_collections: Collections | DictLike | None = None,
    outputs_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> Any:
    """Convolves over two dimensions with masked weights, adds biases, and applies an activation, by default relu.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, height, width, channels], or [batch, channels, height, width].
        num_outputs: int, the number of channels of the outputs.
        kernel_size: int, or list of two ints: the height and width of windows.
        stride: int, or list of two ints: the distances between windows.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW"; None for "NHWC".
        rate: int, or list of two ints: the distances between a window's points.
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable that is applied in place of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights.
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, weights and biases are trained; the mask never is.
        scope: str, the variable scope; None for "Conv", made unique.

    Returns:
        Tensor of the dtype of `inputs`, with `num_outputs` channels.

    Raises:
        ValueError: if the rank of the inputs is not 4, or `data_format` is not one of the listed values.
    """
    if data_format not in _DATA_FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    getter = model_variables_called(NAMES)
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank != 4:
            raise ValueError("Sparse Convolution not supported for input with rank", rank)
        if data_format not in (None, "NHWC", "NCHW"):
            raise ValueError("Unsupported data format", data_format)
        layer = MaskedConv2D(
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if data_format == "NCHW" else "channels_last",
            dilation_rate=rate,
            use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer or ZEROS,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            dtype=inputs.dtype.base_dtype,
            _scope=opened,
            _reuse=reuse,
        )
        return finished(
            layer,
            inputs,
            opened.original_name_scope,
            normalizer_fn,
            normalizer_params,
            activation_fn,
            variables_collections,
            outputs_collections,
        )


masked_conv2d = masked_convolution


@add_arg_scope
def masked_fully_connected(
    inputs: TensorLike,
    num_outputs: int,
    activation_fn: Callable[..., Any] | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Initializer = XAVIER,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: Initializer | None = ZEROS,
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: object = None,
    variables_collections: Collections | DictLike | None = None,
    outputs_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> Any:
    """Computes `activation_fn(inputs @ (mask * weights) + biases)` along the last dimension, by default with relu.

    Args:
        inputs: Tensor of a float dtype, of shape [..., size].
        num_outputs: int, the size of the last dimension of the outputs.
        activation_fn: callable of the outputs, or None.
        normalizer_fn: callable applied instead of adding biases; None for biases.
        normalizer_params: dict of further arguments of it.
        weights_initializer: initializer of the weights, of shape [size, num_outputs].
        weights_regularizer: callable of the weights that gives a loss.
        biases_initializer: initializer of the biases, of shape [num_outputs]; None for no biases.
        biases_regularizer: callable of the biases that gives a loss.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.
        variables_collections: list of keys of collections for the variables, or dict from "weights" and "biases" to
            such lists.
        outputs_collections: str or list of str, keys of collections that the result is put into, or None.
        trainable: bool. If True, weights and biases are trained; the mask never is.
        scope: str, the variable scope; None for "fully_connected", made unique.

    Returns:
        Tensor of the dtype of `inputs`, of shape [..., num_outputs].

    Raises:
        ValueError: if `num_outputs` is not an int, or the last dimension of the inputs is unknown.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 8])
        >>> y = tf.contrib.model_pruning.masked_fully_connected(x, 3)
        >>> print([v.op.name for v in tf.global_variables()])
        ['fully_connected/weights', 'fully_connected/mask', 'fully_connected/threshold', 'fully_connected/biases']
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs should be int or long, got {num_outputs}.")
    getter = model_variables_called(NAMES)
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as opened:
        inputs = convert_to_tensor(inputs)
        layer = MaskedFullyConnected(
            num_outputs,
            use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer or ZEROS,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            dtype=inputs.dtype.base_dtype,
            _scope=opened,
            _reuse=reuse,
        )
        return finished(
            layer,
            inputs,
            opened.original_name_scope,
            normalizer_fn,
            normalizer_params,
            activation_fn,
            variables_collections,
            outputs_collections,
        )
