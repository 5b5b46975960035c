"""Layers like convolutions, but with weights of its own for each place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.base.function_families import constructor_defaults
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.image.cropping import extract_image_patches
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.sparse.arithmetic import sparse_tensor_dense_matmul


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
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        if not isinstance(padding, str) or padding.lower() not in ("valid", "same"):
            raise ValueError(f'The `padding` argument must be one of "valid", "same". Received: {padding}')
        if padding.lower() != "valid" and implementation == 1:
            raise ValueError(
                f'Invalid border mode for {type(self).__name__} (only "valid" is supported if implementation is 1): '
                f"{padding.lower()}"
            )
        self.filters, self.padding, self.implementation = filters, padding.lower(), implementation
        self.data_format = data_format or image_data_format()
        if self.data_format not in ("channels_first", "channels_last"):
            raise ValueError(f"Unknown data_format: {data_format}")
        self.kernel_size, self.strides = (self._sizes(x) for x in (kernel_size, strides))
        self.input_spec = InputSpec(ndim=self._DIMENSIONS + 2)
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

    @property
    def _is_first(self) -> bool:
        """True if the channels precede the places."""
        return self.data_format == "channels_first"

    def _taken_apart(self, shape: Any) -> tuple[list[Any], Any]:
        """Returns the numbers of places and of channels."""
        _, *sizes = TensorShape(shape).as_list()
        return (sizes[1:], sizes[0]) if self._is_first else (sizes[:-1], sizes[-1])

    def _joined(self, places: Any, channels: Any) -> list[Any]:
        """Returns the dimensions of places and channels in the order of the data."""
        return [channels, *places] if self._is_first else [*places, channels]

    def _counts(self, places: Any) -> list[Any]:
        """Returns the numbers of the outputs' places."""
        windows = zip(places, self.kernel_size, self.strides, strict=True)
        if self.padding == "same":
            return [None if x is None else -(-x // stride) for x, _, stride in windows]
        return [None if x is None else (x - size) // stride + 1 for x, size, stride in windows]

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, [batch, places ..., channels], or [batch, channels, places ...].

        Returns:
            TensorShape.
        """
        places, _ = self._taken_apart(input_shape)
        return TensorShape([TensorShape(input_shape)[0], *self._joined(self._counts(places), self.filters)])

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: TensorShape of the inputs, [batch, places ..., channels], or [batch, channels, places ...].

        Raises:
            ValueError: if the number of places or channels is unknown, or `implementation` is not 1, 2 or 3.
        """
        shape: Any = TensorShape(input_shape).as_list()
        if None in shape[1:]:
            raise ValueError(
                f"The places and channels of the inputs to a {type(self).__name__} should be fully-defined, but layer "
                f"received the inputs shape {shape}"
            )
        places, channels = self._taken_apart(input_shape)
        counts = self._counts(places)
        if self.implementation == 1:
            size: Any = (math.prod(counts), math.prod(self.kernel_size) * channels, self.filters)
        elif self.implementation == 2:
            size = (*self._joined(places, channels), *self._joined(counts, self.filters))
            self._mask = self._connections(places, 1, 1)
        elif self.implementation == 3:
            ends = (math.prod(places) * channels, math.prod(counts) * self.filters)
            connected = self._connections(places, channels, self.filters).reshape(ends).T
            self._indices, self._ends = np.argwhere(connected), ends[::-1]
            size = (len(self._indices),)
        else:
            raise ValueError(f"Unrecognized implementation mode: {self.implementation}.")
        self.kernel = self.add_weight(
            "kernel",
            size,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (*counts, self.filters),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def _connections(self, places: Any, channels: int, filters: int) -> Any:
        """Returns 1 for each input and output that a weight connects, and 0 for the others.

        Args:
            places: list of int, the numbers of the inputs' places.
            channels: int, the number of the inputs' channels.
            filters: int, the number of the outputs' channels.

        Returns:
            numpy.ndarray of float32, of the inputs' dimensions and those of the outputs.
        """
        count = self._DIMENSIONS
        found: Any = np.ones(1, np.float32)
        for size, outputs, window, stride in zip(
            places, self._counts(places), self.kernel_size, self.strides, strict=True
        ):
            # TF 1.x: with "same", the window around a place begins half its size before it.
            starts = np.arange(outputs) * stride - (window // 2 if self.padding == "same" else 0)
            distance = np.arange(size)[:, None] - starts
            found = np.multiply.outer(found, ((distance >= 0) & (distance < window)).astype(np.float32))
        found = found[0].transpose([*range(0, 2 * count, 2), *range(1, 2 * count, 2)])
        before, after = (0, count + 1) if self._is_first else (count, 2 * count + 1)
        return np.repeat(np.repeat(np.expand_dims(found, (before, after)), channels, before), filters, after)

    def call(self, inputs: Any) -> Tensor:
        """Multiplies each window by the weights of its place.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, places ..., channels], or [batch, channels, places ...].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, places ..., filters], or [batch, filters, places ...].
        """
        shape = self.compute_output_shape(inputs.get_shape())
        if self.implementation == 1:
            outputs = self._by_places(inputs)
        else:
            flat = shaping.reshape(inputs, [-1, math.prod(inputs.get_shape().as_list()[1:])])
            outputs = shaping.reshape(self._by_matrix(flat), [-1, *shape.as_list()[1:]])
        outputs.set_shape(shape)
        if self.bias is not None:
            # TF 1.x: the numbers of the bias are taken in their order, also if the channels precede the places.
            outputs = outputs + shaping.reshape(self.bias, [1, *shape.as_list()[1:]])
        result: Tensor = self.activation(outputs)
        return result

    def _by_matrix(self, flat: Tensor) -> Any:
        if self.implementation == 2:
            weights = self.kernel * self._mask.astype(self.kernel.dtype.as_numpy_dtype)
            return matmul(flat, shaping.reshape(weights, [flat.get_shape().as_list()[1], -1]))
        weights = SparseTensor(self._indices, identity(self.kernel), self._ends)
        return shaping.transpose(sparse_tensor_dense_matmul(weights, flat, adjoint_b=True))

    def _by_places(self, inputs: Any) -> Tensor:
        places, channels = self._taken_apart(inputs.get_shape())
        last = [0, *range(2, self._DIMENSIONS + 2), 1]
        images = shaping.transpose(inputs, last) if self._is_first else inputs
        images = shaping.expand_dims(images, 1) if self._DIMENSIONS == 1 else images
        window, step = ([1] * (3 - self._DIMENSIONS) + [*x, 1] for x in (self.kernel_size, self.strides))
        patches = extract_image_patches(images, sizes=window, strides=step, rates=[1, 1, 1, 1], padding="VALID")
        count, width, _ = self.kernel.get_shape().as_list()
        if self._is_first:
            patches = shaping.reshape(patches, [-1, count, width // channels, channels])
            patches = shaping.transpose(patches, [0, 1, 3, 2])
        by_place = shaping.transpose(shaping.reshape(patches, [-1, count, width]), [1, 0, 2])
        outputs = shaping.transpose(matmul(by_place, self.kernel), [1, 0, 2])
        outputs = shaping.reshape(outputs, [-1, *self._counts(places), self.filters])
        first = [0, self._DIMENSIONS + 1, *range(1, self._DIMENSIONS + 1)]
        return shaping.transpose(outputs, first) if self._is_first else outputs


class LocallyConnected1D(_LocallyConnected):
    """A convolution along one dimension with separate weights for each position.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or tuple of one int: the sizes of windows.
        strides: int, or tuple of one int: the distances between windows.
        padding: str, "valid", or "same" if `implementation` is not 1.
        data_format: str, "channels_last" or "channels_first"; None for the setting.
        activation: callable of the outputs, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernel, of shape [places, kernel_size * channels, filters], or its name.
        bias_initializer: initializer of the bias, of shape [places, filters], or its name.
        kernel_regularizer: function of the kernel that gives a loss, or its name, or None.
        bias_regularizer: function of the bias that gives a loss, or its name, or None.
        activity_regularizer: function of the outputs that gives a loss, or its name, or None.
        kernel_constraint: function of the kernel after updates, or its name, or None.
        bias_constraint: function of the bias after updates, or its name, or None.
        implementation: 1 for a matrix of weights for each place; 2 for one matrix of all inputs and outputs; 3 for the
            vector of the weights in it that are used.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(strides=(1, 1))
class LocallyConnected2D(_LocallyConnected):
    """A convolution of images with separate weights for each position.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or tuple of two ints, of rows and columns: the sizes of windows.
        strides: int, or tuple of two ints, of rows and columns: the distances between windows.
        padding: str, "valid", or "same" if `implementation` is not 1.
        data_format: str, "channels_last" or "channels_first"; None for the setting.
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
        implementation: 1 for a matrix of weights for each place; 2 for one matrix of all inputs and outputs; 3 for the
            vector of the weights in it that are used.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    _DIMENSIONS = 2
