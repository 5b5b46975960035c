"""Layers that take the largest element or the mean of windows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntsLike, ShapeTensorLike, TensorLike, makes
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers import space
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.layer import Layer
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn import pooling


class Pooling(Layer):
    """A layer that pools windows; `_RANK` is the rank of space.

    Args:
        pool_size: int, or an int for each dimension of space: the sizes of windows.
        strides: int, or an int for each dimension of space: the distances of windows.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: str, name of the layer.
        **kwargs: further arguments of `Layer`.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """

    _RANK = 0
    _OPERATION: Callable[..., Any] = staticmethod(pooling.max_pool)

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


_DIMENSIONS = {1: "one dimension", 2: "two dimensions", 3: "three dimensions"}


def _layer(name: str, what: str, rank: int, operation: Callable[..., Any]) -> type[Pooling]:
    _, args, arguments = inspect.cleandoc(Pooling.__doc__ or "").partition("Args:\n")
    members = {
        "__doc__": f"A layer that takes {what} of windows over {_DIMENSIONS[rank]}.\n\n{args}{arguments}",
        "__module__": __name__,
        "_RANK": rank,
        "_OPERATION": staticmethod(operation),
    }
    return type(name, (Pooling,), members)


def _function_signature(
    inputs: TensorLike,
    pool_size: IntsLike,
    strides: IntsLike,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Has the signature of the functions that `_function` makes."""
    raise NotImplementedError


@makes(_function_signature)
def _function(name: str, layer: type[Pooling], what: str) -> Callable[..., Any]:
    def function(
        inputs: TensorLike,
        pool_size: IntsLike,
        strides: IntsLike,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
    ) -> Any:
        return layer(pool_size, strides, padding=padding, data_format=data_format, name=name)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Takes {what} of windows over {_DIMENSIONS[layer._RANK]}.

    Args:
        inputs: Tensor of a float dtype, of shape [batch] + space + [channels], or [batch, channels] + space.
        pool_size: int, or an int for each dimension of space: the sizes of windows.
        strides: int, or an int for each dimension of space: the distances of windows.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: str, name of the layer.

    Returns:
        Tensor of the dtype of `inputs`, with an element for each window and channel.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """
    return function


_LARGEST, _MEAN = "the largest element", "the mean"
MaxPooling1D = _layer("MaxPooling1D", _LARGEST, 1, pooling.max_pool)
MaxPooling2D = _layer("MaxPooling2D", _LARGEST, 2, pooling.max_pool)
MaxPooling3D = _layer("MaxPooling3D", _LARGEST, 3, pooling.max_pool3d)
AveragePooling1D = _layer("AveragePooling1D", _MEAN, 1, pooling.avg_pool)
AveragePooling2D = _layer("AveragePooling2D", _MEAN, 2, pooling.avg_pool)
AveragePooling3D = _layer("AveragePooling3D", _MEAN, 3, pooling.avg_pool3d)
max_pooling1d = _function("max_pooling1d", MaxPooling1D, _LARGEST)
max_pooling2d = _function("max_pooling2d", MaxPooling2D, _LARGEST)
max_pooling3d = _function("max_pooling3d", MaxPooling3D, _LARGEST)
average_pooling1d = _function("average_pooling1d", AveragePooling1D, _MEAN)
average_pooling2d = _function("average_pooling2d", AveragePooling2D, _MEAN)
average_pooling3d = _function("average_pooling3d", AveragePooling3D, _MEAN)
