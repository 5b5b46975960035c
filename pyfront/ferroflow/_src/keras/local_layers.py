"""Layers like convolutions, but with weights of its own for each place."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base.function_families import constructor_defaults
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.image.cropping import extract_image_patches
from ferroflow._src.ops.math.linalg import matmul


class _LocallyConnected(KerasLayer):
    """Base of the locally connected layers."""

    _DIMENSIONS = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        if implementation != 1:
            raise NotImplementedError(
                "implementation: the weights are those of implementation 1, a matrix for each place, as they are needed"
            )
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        if padding.lower() != "valid":
            raise ValueError(
                f'Invalid border mode for {type(self).__name__} (only "valid" is supported): {padding.lower()}'
            )
        if data_format not in (None, "channels_last"):
            raise NotImplementedError("data_format: the channels are the last dimension; transpose the inputs")
        self.filters, self.padding, self.data_format = filters, "valid", "channels_last"
        self.kernel_size, self.strides = (self._sizes(x) for x in (kernel_size, strides))
        self.activation, self.use_bias = named.activation(activation), use_bias
        self.kernel_initializer = named.initializer(kernel_initializer)
        self.bias_initializer = named.initializer(bias_initializer)
        self.kernel_regularizer = named.regularizer(kernel_regularizer)
        self.bias_regularizer = named.regularizer(bias_regularizer)
        self.kernel_constraint, self.bias_constraint = map(named.constraint, (kernel_constraint, bias_constraint))

    def _sizes(self, given: Any) -> tuple[int, ...]:
        sizes = (given,) * self._DIMENSIONS if isinstance(given, int) else tuple(given)
        if len(sizes) != self._DIMENSIONS:
            raise ValueError(f"{given} is neither an int nor a tuple of {self._DIMENSIONS} ints")
        return sizes

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, [batch, places ..., channels].

        Returns:
            TensorShape.
        """
        batch, *places, _ = TensorShape(input_shape).as_list()
        windows = zip(places, self.kernel_size, self.strides, strict=True)
        counts = [None if x is None else (x - size) // stride + 1 for x, size, stride in windows]
        return TensorShape([batch, *counts, self.filters])

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, [batch, places ..., channels].

        Raises:
            ValueError: if the number of places or channels is unknown.
        """
        shape: Any = TensorShape(input_shape).as_list()
        if None in shape[1:]:
            raise ValueError(
                f"The places and channels of the inputs to a {type(self).__name__} should be fully-defined, but layer "
                f"received the inputs shape {shape}"
            )
        places: Any = self.compute_output_shape(input_shape).as_list()[1:-1]
        self.kernel = self.add_weight(
            "kernel",
            (math.prod(places), math.prod(self.kernel_size) * shape[-1], self.filters),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (*places, self.filters),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """Multiplies each window by the weights of its place.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, places ..., channels].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, places ..., filters].
        """
        shape = self.compute_output_shape(inputs.get_shape())
        images = shaping.expand_dims(inputs, 1) if self._DIMENSIONS == 1 else inputs
        window, step = ([1] * (3 - self._DIMENSIONS) + [*x, 1] for x in (self.kernel_size, self.strides))
        patches = extract_image_patches(images, sizes=window, strides=step, rates=[1, 1, 1, 1], padding="VALID")
        count, width, _ = self.kernel.get_shape().as_list()
        by_place = shaping.transpose(shaping.reshape(patches, [-1, count, width]), [1, 0, 2])
        outputs = shaping.transpose(matmul(by_place, self.kernel), [1, 0, 2])
        outputs = shaping.reshape(outputs, [-1, *shape.as_list()[1:]])
        outputs.set_shape(shape)
        result: Tensor = self.activation(outputs if self.bias is None else outputs + self.bias)
        return result


class LocallyConnected1D(_LocallyConnected):
    """A convolution along one dimension with separate weights for each position.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or tuple of one int: the sizes of windows.
        strides: int, or tuple of one int: the distances between windows.
        padding: str, "valid".
        data_format: str, "channels_last"; None for that.
        activation: callable of the outputs, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape [places, kernel_size * channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [places, filters], or its name.
        kernel_regularizer: function of the kernel that gives a loss, or its name, or None.
        bias_regularizer: function of the bias that gives a loss, or its name, or None.
        activity_regularizer: function of the outputs that gives a loss, or its name, or None.
        kernel_constraint: function of the kernel after updates, or its name, or None.
        bias_constraint: function of the bias after updates, or its name, or None.
        implementation: int, 1; the other layouts of the weights are not offered.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride or `padding` is not one of the listed values.
        NotImplementedError: if `data_format` is "channels_first", or `implementation` is not 1.
    """


@constructor_defaults(strides=(1, 1))
class LocallyConnected2D(_LocallyConnected):
    """A convolution of images with separate weights for each position.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or tuple of two ints, of rows and columns: the sizes of windows.
        strides: int, or tuple of two ints, of rows and columns: the distances between windows.
        padding: str, "valid".
        data_format: str, "channels_last"; None for that.
        activation: callable of the outputs, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape [places, size of a window * channels, filters], or its
            name.
        bias_initializer: initializer of the bias, of shape [rows, columns, filters], or its name.
        kernel_regularizer: function of the kernel that gives a loss, or its name, or None.
        bias_regularizer: function of the bias that gives a loss, or its name, or None.
        activity_regularizer: function of the outputs that gives a loss, or its name, or None.
        kernel_constraint: function of the kernel after updates, or its name, or None.
        bias_constraint: function of the bias after updates, or its name, or None.
        implementation: int, 1; the other layouts of the weights are not offered.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride or `padding` is not one of the listed values.
        NotImplementedError: if `data_format` is "channels_first", or `implementation` is not 1.
    """

    _DIMENSIONS = 2
