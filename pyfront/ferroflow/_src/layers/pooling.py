"""Layers that take the largest element or the mean of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers import space
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.layer_functions import DIMENSIONS, add_arguments, described_arguments
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn import pooling


class Pooling(Layer):
    """A layer that pools windows; `_RANK` is the rank of space.

    Args:
        pool_size: int, or an int for each dimension of space: the sizes of windows.
        strides: int, or an int for each dimension of space: the distances between windows.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: str, name of the layer.
        **kwargs: further arguments of `Layer`.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    _RANK = 0
    _OPERATION: Callable[..., Any]

    def __init__(
        self,
        pool_size: IntsLike,
        strides: IntsLike,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(name=name, **kwargs)
        self.pool_size = space.normalize_tuple(pool_size, self._RANK, "pool_size")
        self.strides = space.normalize_tuple(strides, self._RANK, "strides")
        self.padding = space.normalize_padding(padding)
        self.data_format = space.normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._RANK + 2)

    def call(self, inputs: TensorLike) -> Any:
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.

        Returns:
            Tensor of the dtype of `inputs`, with an element for each window and channel.
        """
        first = self.data_format == "channels_first"
        sizes, strides = self.pool_size, self.strides
        if self._RANK == 3:
            # Volumes are pooled with their channels last.
            if first:
                inputs = shaping.transpose(inputs, (0, 2, 3, 4, 1))
            outputs = self._OPERATION(inputs, (1, *sizes, 1), (1, *strides, 1), self.padding.upper())
            return shaping.transpose(outputs, (0, 4, 1, 2, 3)) if first else outputs
        row = 2 if first else 1
        if self._RANK == 1:
            # A sequence is an image of one row.
            inputs, sizes, strides = shaping.expand_dims(inputs, row), (1, *sizes), (1, *strides)
        windows = [(1, 1, *x) if first else (1, *x, 1) for x in (sizes, strides)]
        data_format = "NCHW" if first else "NHWC"
        outputs = self._OPERATION(inputs, *windows, self.padding.upper(), data_format=data_format)
        return shaping.squeeze(outputs, [row]) if self._RANK == 1 else outputs

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> TensorShape:
        """Returns the shape of the outputs for that of the inputs.

        Args:
            input_shape: TensorShape of the inputs, [batch, space ..., channels] or [batch, channels, space ...].

        Returns:
            TensorShape.
        """
        shape = TensorShape(input_shape).as_list()
        start = 2 if self.data_format == "channels_first" else 1
        for i in range(self._RANK):
            shape[start + i] = space.window_output_length(
                shape[start + i], self.pool_size[i], self.padding, self.strides[i]
            )
        return TensorShape(shape)


class MaxPooling1D(Pooling):
    """A layer that takes the largest element of windows over one dimension."""

    _RANK = 1
    _OPERATION = staticmethod(pooling.max_pool)


class MaxPooling2D(Pooling):
    """A layer that takes the largest element of windows over two dimensions."""

    _RANK = 2
    _OPERATION = staticmethod(pooling.max_pool)


class MaxPooling3D(Pooling):
    """A layer that takes the largest element of windows over three dimensions."""

    _RANK = 3
    _OPERATION = staticmethod(pooling.max_pool3d)


class AveragePooling1D(Pooling):
    """A layer that takes the mean of windows over one dimension."""

    _RANK = 1
    _OPERATION = staticmethod(pooling.avg_pool)


class AveragePooling2D(Pooling):
    """A layer that takes the mean of windows over two dimensions."""

    _RANK = 2
    _OPERATION = staticmethod(pooling.avg_pool)


class AveragePooling3D(Pooling):
    """A layer that takes the mean of windows over three dimensions."""

    _RANK = 3
    _OPERATION = staticmethod(pooling.avg_pool3d)


@FunctionFamily
def _pool(
    layer: type[Pooling],
    inputs: TensorLike,
    pool_size: IntsLike,
    strides: IntsLike,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes {what} of windows over {dimensions}.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        {arguments}
        name: str, name of the layer.

    Returns:
        Tensor of the dtype of `inputs`, with an element for each window and channel.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """
    outputs: Tensor = layer(pool_size, strides, padding=padding, data_format=data_format, name=name)(inputs)
    return outputs


def _fields(layer: type[Pooling]) -> dict[str, str]:
    return {"dimensions": DIMENSIONS[layer._RANK], "arguments": described_arguments(layer)}


for _layer in (MaxPooling1D, MaxPooling2D, MaxPooling3D, AveragePooling1D, AveragePooling2D, AveragePooling3D):
    add_arguments(_layer)

_LARGEST, _MEAN = "the largest element", "the mean"
max_pooling1d = _pool("max_pooling1d", MaxPooling1D, what=_LARGEST, **_fields(MaxPooling1D))
max_pooling2d = _pool("max_pooling2d", MaxPooling2D, what=_LARGEST, **_fields(MaxPooling2D))
max_pooling3d = _pool("max_pooling3d", MaxPooling3D, what=_LARGEST, **_fields(MaxPooling3D))
average_pooling1d = _pool("average_pooling1d", AveragePooling1D, what=_MEAN, **_fields(AveragePooling1D))
average_pooling2d = _pool("average_pooling2d", AveragePooling2D, what=_MEAN, **_fields(AveragePooling2D))
average_pooling3d = _pool("average_pooling3d", AveragePooling3D, what=_MEAN, **_fields(AveragePooling3D))


add_example(
    max_pooling2d,
    """
    >>> images = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> pooled = tf.layers.max_pooling2d(images, pool_size=2, strides=2)
    >>> print(sess.run(pooled)[0, :, :, 0])
    [[ 5.  7.]
     [13. 15.]]
    """,
)
