"""Pooling layers of models, over windows or over whole images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.function_families import constructor_defaults
from ferroflow._src.base.typing import IntsLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers import pooling
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max, reduce_mean, reduce_sum


class _KerasPooling(KerasLayer):
    """Base of the pooling layers: windows do not overlap by default."""

    def __init__(
        self,
        pool_size: IntsLike = 2,
        strides: IntsLike | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        strides = pool_size if strides is None else strides
        super().__init__(pool_size, strides, padding, data_format or "channels_last", **kwargs)


@constructor_defaults(data_format="channels_last")
class MaxPooling1D(_KerasPooling, pooling.MaxPooling1D):
    """Layer that returns the largest element of each window over one dimension.

    Args:
        pool_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(pool_size=(2, 2))
class MaxPooling2D(_KerasPooling, pooling.MaxPooling2D):
    """Layer that returns the largest element of each window over two dimensions.

    Args:
        pool_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(pool_size=(2, 2, 2))
class MaxPooling3D(_KerasPooling, pooling.MaxPooling3D):
    """Layer that returns the largest element of each window over three dimensions.

    Args:
        pool_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(data_format="channels_last")
class AveragePooling1D(_KerasPooling, pooling.AveragePooling1D):
    """Layer that returns the mean of each window over one dimension.

    Args:
        pool_size: int, or list of one int: the sizes of windows.
        strides: int, or list of one int: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(pool_size=(2, 2))
class AveragePooling2D(_KerasPooling, pooling.AveragePooling2D):
    """Layer that returns the mean of each window over two dimensions.

    Args:
        pool_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints, of rows and columns: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


@constructor_defaults(pool_size=(2, 2, 2))
class AveragePooling3D(_KerasPooling, pooling.AveragePooling3D):
    """Layer that returns the mean of each window over three dimensions.

    Args:
        pool_size: int, or list of three ints: the sizes of windows.
        strides: int, or list of three ints: the distances between windows; None for `pool_size`.
        padding: str, "valid" or "same".
        data_format: str, "channels_last" or "channels_first"; None for the first.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if a size, a stride, `padding` or `data_format` is not one of the listed values.
    """


class _GlobalPooling(KerasLayer):
    """Base of the global pooling layers."""

    _REDUCTION: Callable[..., Tensor]
    _DIMENSIONS = 1

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_spec = InputSpec(ndim=self._DIMENSIONS + 2)
        self.data_format = data_format or image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(f"Unknown data_format: {data_format}")

    def call(self, inputs: Any) -> Tensor:
        """Reduces all positions.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, places ..., channels], or [batch, channels, places ...].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, channels].
        """
        first = 2 if self.data_format == "channels_first" else 1
        return type(self)._REDUCTION(inputs, axis=list(range(first, first + self._DIMENSIONS)))


class _GlobalPoolingOfSteps(_GlobalPooling):
    """Base of the global pooling layers over steps."""

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)


class GlobalMaxPooling1D(_GlobalPoolingOfSteps):
    """Layer that returns the largest element over all steps.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.
    """

    _REDUCTION = staticmethod(reduce_max)


class GlobalMaxPooling2D(_GlobalPooling):
    """Layer that returns the largest element over all positions of an image.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_max)
    _DIMENSIONS = 2


class GlobalMaxPooling3D(_GlobalPooling):
    """Layer that returns the largest element over all positions of a volume.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_max)
    _DIMENSIONS = 3


class GlobalAveragePooling1D(_GlobalPoolingOfSteps):
    """Layer that returns the mean over all steps.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.
    """

    _REDUCTION = staticmethod(reduce_mean)

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the mean of the steps that count.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, channels].
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, channels].
        """
        if mask is None:
            return super().call(inputs)
        steps, channels = (2, 1) if self.data_format == "channels_first" else (1, 2)
        counts = shaping.expand_dims(cast(mask, inputs.dtype.base_dtype), channels)
        return reduce_sum(inputs * counts, axis=steps) / reduce_sum(counts, axis=steps)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """Which steps of the output count: it has none.

        Args:
            inputs: accepted.
            mask: accepted.
        """


class GlobalAveragePooling2D(_GlobalPooling):
    """Layer that returns the mean over all positions of an image.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_mean)
    _DIMENSIONS = 2


class GlobalAveragePooling3D(_GlobalPooling):
    """Layer that returns the mean over all positions of a volume.

    Args:
        data_format: str, "channels_last" or "channels_first"; None for `tf.keras.backend.image_data_format()`.
        **kwargs: `input_shape`, the shape of an example, and the other arguments of a layer.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """

    _REDUCTION = staticmethod(reduce_mean)
    _DIMENSIONS = 3
