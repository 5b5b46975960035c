"""Layers that repeat, pad, cut and order places and dimensions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import IntsLike, NestedTensors
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend_shaping import repeat_elements, resize_images
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.space import normalize_tuple
from ferroflow._src.ops.array import joining, shaping


def _edges(given: Any, count: int, name: str) -> tuple[tuple[int, int], ...]:
    """Returns the sizes before and after along each dimension.

    Raises:
        ValueError: if the value has none of these forms.
    """
    if isinstance(given, int):
        return ((given, given),) * count
    if count == 1 and len(given) == 2 and all(isinstance(x, int) for x in given):
        return ((given[0], given[1]),)
    if len(given) != count:
        raise ValueError(f"`{name}` should have {count} elements. Found: {given}")
    return tuple((x, x) if isinstance(x, int) else (x[0], x[1]) for x in given)


class _Spatial(KerasLayer):
    """Base of the layers over spatial dimensions."""

    _DIMENSIONS = 1

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_spec = InputSpec(ndim=self._DIMENSIONS + 2)
        self.data_format = data_format or image_data_format()
        if self.data_format not in ("channels_first", "channels_last"):
            raise ValueError(f"Unknown data_format: {self.data_format}")

    @property
    def _first(self) -> int:
        """The first dimension of places."""
        return 2 if self.data_format == "channels_first" and self._DIMENSIONS > 1 else 1


class _Padding(_Spatial):
    def _pad(self, inputs: Any, edges: tuple[tuple[int, int], ...]) -> Tensor:
        around = [[0, 0]] * self._first + [list(edge) for edge in edges]
        rank = self._DIMENSIONS + 2
        return shaping.pad(inputs, around + [[0, 0]] * (rank - len(around)))


class _Cropping(_Spatial):
    def _crop(self, inputs: Any, edges: tuple[tuple[int, int], ...]) -> Tensor:
        kept = [slice(before, -after if after else None) for before, after in edges]
        whole = [slice(None)] * self._first
        result: Tensor = inputs[tuple(whole + kept)]
        return result


class _UpSampling(_Spatial):
    def _repeat(self, inputs: Any, factors: tuple[int, ...]) -> Tensor:
        sizes = inputs.get_shape().as_list()
        for dimension, factor in enumerate(factors, self._first):
            inputs = repeat_elements(inputs, factor, dimension)
            sizes[dimension] = None if sizes[dimension] is None else sizes[dimension] * factor
        repeated: Tensor = inputs
        repeated.set_shape(sizes)
        return repeated


class UpSampling1D(_UpSampling):
    """Layer that repeats steps.

    Args:
        size: int, or tuple of ints: how often along each dimension.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `size` has none of these forms.
    """

    _DIMENSIONS = 1
    _NOT_TOLD = frozenset(("data_format",))

    def __init__(self, size: Any = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = int(*normalize_tuple(size, 1, "size"))

    def call(self, inputs: NestedTensors) -> Tensor:
        """Layer that repeats the positions of volumes.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, steps, channels].

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._repeat(inputs, (self.size,))


class UpSampling2D(_UpSampling):
    """Layer that enlarges images by whole factors.

    Args:
        size: int, or tuple of ints: how many times as many rows and columns.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        interpolation: str, "nearest" to repeat rows and columns, or "bilinear".
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `size` has none of these forms, or another argument is not one of the listed values.
    """

    _DIMENSIONS = 2

    def __init__(
        self, size: Any = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError('`interpolation` argument should be one of `"nearest"` or `"bilinear"`.')
        self.size = normalize_tuple(size, 2, "size")
        self.interpolation = interpolation

    def call(self, inputs: NestedTensors) -> Tensor:
        """Enlarges images.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, rows, columns, channels].

        Returns:
            Tensor of the dtype of `inputs`; "bilinear": of float32.
        """
        rows, columns = self.size
        return resize_images(inputs, rows, columns, self.data_format, self.interpolation)


class UpSampling3D(_UpSampling):
    """Layer that repeats the positions of volumes.

    Args:
        size: int, or tuple of ints: how often along each dimension.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `size` has none of these forms, or `data_format` is not one of the listed values.
    """

    _DIMENSIONS = 3

    def __init__(self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        # TF 1.x: the rank of the inputs is not checked, so that dimensions may be missing or follow.
        self.input_spec = InputSpec(min_ndim=4)
        self.size = normalize_tuple(size, 3, "size")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Layer that repeats the positions of volumes.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, places ..., channels], with three dimensions of places.

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._repeat(inputs, self.size)


class ZeroPadding1D(_Padding):
    """Layer that adds zeros before and after the steps.

    Args:
        padding: int, or for each dimension an int or the pair of how many before and after.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `padding` has none of these forms.
    """

    _DIMENSIONS = 1
    _NOT_TOLD = frozenset(("data_format",))

    def __init__(self, padding: str | IntsLike = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        (self.padding,) = _edges(padding, 1, "padding")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Pads with zeros.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, steps, channels].

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._pad(inputs, (self.padding,))


class ZeroPadding2D(_Padding):
    """Layer that adds zeros before and after the rows and columns.

    Args:
        padding: int, or for each dimension an int or the pair of how many before and after.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `padding` has none of these forms, or `data_format` is not one of the listed values.
    """

    _DIMENSIONS = 2

    def __init__(self, padding: str | IntsLike = (1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = _edges(padding, 2, "padding")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Pads with zeros.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, rows, columns, channels].

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._pad(inputs, self.padding)


class ZeroPadding3D(_Padding):
    """Layer that adds zeros before and after each spatial dimension.

    Args:
        padding: int, or for each dimension an int or the pair of how many before and after.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `padding` has none of these forms, or `data_format` is not one of the listed values.
    """

    _DIMENSIONS = 3

    def __init__(self, padding: str | IntsLike = (1, 1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = _edges(padding, 3, "padding")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Pads with zeros.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, places ..., channels], with three dimensions of places.

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._pad(inputs, self.padding)


class Cropping1D(_Cropping):
    """Layer that removes steps at the ends.

    Args:
        cropping: int, or for each dimension an int or the pair of how many before and after.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `cropping` has none of these forms.
    """

    _DIMENSIONS = 1
    _NOT_TOLD = frozenset(("data_format",))

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        (self.cropping,) = _edges(cropping, 1, "cropping")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Removes the ends.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, steps, channels].

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._crop(inputs, (self.cropping,))


class Cropping2D(_Cropping):
    """Layer that removes rows and columns at the ends.

    Args:
        cropping: int, or for each dimension an int or the pair of how many before and after.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `cropping` has none of these forms, or `data_format` is not one of the listed values.
    """

    _DIMENSIONS = 2

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = _edges(cropping, 2, "cropping")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Removes the ends.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, rows, columns, channels].

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._crop(inputs, self.cropping)


class Cropping3D(_Cropping):
    """Layer that removes positions at the ends of each spatial dimension.

    Args:
        cropping: int, or for each dimension an int or the pair of how many before and after.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `cropping` has none of these forms, or `data_format` is not one of the listed values.
    """

    _DIMENSIONS = 3

    def __init__(self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = _edges(cropping, 3, "cropping")

    def call(self, inputs: NestedTensors) -> Tensor:
        """Removes the ends.

        Args:
            inputs: Tensor of a number dtype, of shape [batch, places ..., channels], with three dimensions of places.

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return self._crop(inputs, self.cropping)


class Permute(KerasLayer):
    """Layer that permutes the dimensions of examples.

    Args:
        dims: tuple of ints, the dimensions in their new order, counted from 1.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if `dims` has other numbers than those from 1 on. In a call: if the inputs have another rank.
    """

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                f"Invalid permutation `dims` for Permute Layer: {self.dims}. The set of indices in `dims` must be "
                "consecutive and start from 1."
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Tensor:
        """Permutes the dimensions.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...].

        Returns:
            Tensor of the dtype of `inputs`.
        """
        return shaping.transpose(inputs, (0, *self.dims))


class RepeatVector(KerasLayer):
    """Layer that repeats each example.

    Args:
        n: int, how often.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: when the layer is called, if the inputs are no matrix.
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Tensor:
        """Repeats the examples.

        Args:
            inputs: Tensor of any dtype, of shape [batch, size].

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, n, size].
        """
        return shaping.tile(shaping.expand_dims(inputs, 1), joining.stack([1, self.n, 1]))
