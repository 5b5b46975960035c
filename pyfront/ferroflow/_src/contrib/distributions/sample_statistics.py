"""Statistics of samples: percentiles and correlations of a series with itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.distributions.matrices_and_vectors import pad
from ferroflow._src.contrib.distributions.static_shapes import prefer_static_rank, prefer_static_shape, rotate_transpose
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import minimum, pow as power
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.complex_parts import complex as complex_of
from ferroflow._src.ops.math.elementwise import ceil, conj, floor, log, round as rounded
from ferroflow._src.ops.math.reduction import reduce_mean
from ferroflow._src.ops.nn.ranking import top_k
from ferroflow._src.ops.spectral.fourier import fft, ifft


def auto_correlation(
    x: Any,
    axis: int = -1,
    max_lags: Any = None,
    center: bool = True,
    normalize: bool = True,
    name: str = "auto_correlation",
) -> Any:
    """Returns the autocorrelation of a series at lags 0, 1, 2 ...

    Args:
        x: Tensor of float32, float64, complex64 or complex128.
        axis: int, the dimension of the series.
        max_lags: Tensor of int32, of shape []: the highest number of steps; None for all.
        center: bool. If True, the mean is subtracted first.
        normalize: bool. If True, the result is divided by that for 0 steps.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`, of its shape except for the dimension `axis`, which is of size `max_lags + 1`.

    Raises:
        TypeError: if `x` has a different dtype.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        dtype = x.dtype
        if not dtype.is_complex and not dtype.is_floating:
            raise TypeError(f"Argument x must have either float or complex dtype found: {dtype}")
        rank = prefer_static_rank(x)
        shift = rank - 1 - (rank + axis if axis < 0 else axis)
        series = rotate_transpose(x, shift)
        if center:
            series = series - reduce_mean(series, axis=-1, keepdims=True)
        size = prefer_static_shape(series)[-1]
        # Zeros behind the series keep its end from being multiplied by its beginning.
        exact = cast(size, dtypes.float64)
        padded_size = power(np.float64(2.0), ceil(log(exact * 2.0) / np.log(2.0)))
        padded = pad(series, axis=-1, back=True, count=cast(padded_size - exact, dtypes.int32))
        if not dtype.is_complex:
            padded = complex_of(padded, dtype.real_dtype.as_numpy_dtype(0.0))
        spectrum = fft(padded)
        products = cast(ifft(spectrum * conj(spectrum)), dtype)
        static = series.get_shape()
        is_static = static.is_fully_defined()
        lags: Any = size - 1
        if max_lags is not None:
            wanted = convert_to_tensor(max_lags, name="max_lags")
            known = constant_value(wanted)
            is_static = is_static and known is not None
            lags = min(int(size) - 1, int(known)) if is_static and known is not None else minimum(size - 1, wanted)
        products = products[..., : lags + 1]
        if is_static:
            dims = static.as_list()
            dims[-1] = int(lags) + 1
            products.set_shape(dims)
        # Moved by k steps, n - k products are left.
        real = dtype.real_dtype
        counts = cast(size, real) - making.range(cast(0.0, real), cast(lags, real) + 1.0)
        result = products / cast(counts, dtype)
        if normalize:
            result = result / result[..., :1]
        return rotate_transpose(result, -shift)


_ROUNDED = {"lower": ceil, "higher": floor, "nearest": rounded}


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the element below which lie q percent of the elements.

    Args:
        x: Tensor of a numeric dtype.
        q: Tensor of a numeric dtype, of shape [], in [0, 100].
        axis: int or list of int, the dimensions of the elements; None for all.
        interpolation: str, which element is taken where q lies between two: "lower", "higher" or "nearest"; None for
            the last.
        keep_dims: bool. If True, the dimensions stay, with size 1.
        validate_args: bool. If True, steps check `q`.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`, of its shape without the dimensions.

    Raises:
        ValueError: if `interpolation` is unknown, `q` is not a scalar, or an axis is unknown or out of range.
    """
    if interpolation is None:
        interpolation = "nearest"
    elif interpolation not in _ROUNDED:
        raise ValueError(f"Argument 'interpolation' must be in {set(_ROUNDED)}.  Found {interpolation}")
    with name_scope(name, "percentile", [x, q]):
        x = convert_to_tensor(x, name="x")
        q = cast(q, dtypes.float64, name="q")
        if q.get_shape().ndims not in (None, 0):
            raise ValueError(f"Expected argument 'x' to have ndims 0.  Found tensor {q}")
        if validate_args:
            low, high = np.float64(0.0), np.float64(100.0)
            checks = [
                checking.assert_rank(q, 0),
                checking.assert_greater_equal(q, low),
                checking.assert_less_equal(q, high),
            ]
            q = with_dependencies(checks, q)
        axes = None if axis is None else _known_axes(x, axis)
        elements = shaping.reshape(x, [-1]) if axes is None else _with_axes_last(x, axes)
        descending, _ = top_k(elements, k=shaping.shape(elements)[-1])
        size = shaping.shape(elements)[-1]
        place = _ROUNDED[interpolation]((cast(size, dtypes.float64) - 1.0) * (1.0 - q / 100.0))
        result = descending[..., clip_by_value(cast(place, dtypes.int32), 0, size - 1)]
        result.set_shape(elements.get_shape()[:-1])
        if not keep_dims:
            return result
        if axes is None:
            ones = making.ones(convert_to_tensor([prefer_static_rank(x)]), dtype=dtypes.int32)
            return shaping.reshape(result, ones)
        for i in sorted(axes):
            result = shaping.expand_dims(result, axis=i)
        return result


def _known_axes(x: Any, axis: Any) -> list[int]:
    """Returns dimensions as a list of int, not below 0."""
    axis = convert_to_tensor(axis, name="axis")
    checking.assert_integer(axis)
    known = constant_value(axis)
    if known is None:
        raise ValueError(f"Expected argument 'axis' to be statically available.  Found: {axis}")
    if known.ndim > 1:
        raise ValueError(f"Expected argument 'x' to have ndims <= 1.  Found tensor {axis}")
    ndims = x.get_shape().ndims
    if ndims is None:
        raise ValueError(f"Expected argument 'x' to have statically defined 'ndims'.  Found: {x}")
    if ndims < 1:
        raise ValueError(f"Expected argument 'x' to have ndims >= 1.  Found tensor {x}")
    axes = []
    for i in np.atleast_1d(known).tolist():
        if i >= ndims:
            raise ValueError(f"dim {i} not in the interval [0, {ndims - 1}].")
        if i < -ndims:
            raise ValueError(f"Negatively indexed dim {i} not in the interval [-{ndims}, -1]")
        axes.append(i % ndims)
    return axes


def _with_axes_last(x: Any, axes: list[int]) -> Any:
    """Returns a tensor whose last dimension has the elements along some dimensions."""
    others = [i for i in range(x.get_shape().ndims) if i not in axes]
    moved = shaping.transpose(x, perm=[*others, *axes])
    return shaping.reshape(moved, joining.concat([shaping.shape(moved)[: len(others)], [-1]], 0))
