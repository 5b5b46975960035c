"""Convolutions over one to three dimensions, and operations on blocks of space, which give windows holes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntsLike, ListLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.array.space_to_batch import required_space_to_batch_paddings
from ferroflow._src.ops.nn.conv import conv1d, conv2d, conv3d


def _is_channels_first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


class _PlainConvolution:
    """A convolution without holes: `conv1d`, `conv2d` or `conv3d`, by the rank of its shapes."""

    def __init__(
        self,
        input_shape: TensorShape,
        filter_shape: TensorShape,
        padding: Any,
        data_format: str | None,
        strides: Any,
        name: str | None,
    ) -> None:
        rank = filter_shape.ndims if input_shape.ndims is None else input_shape.ndims
        if rank is None:
            raise ValueError("Rank of convolution must be known")
        filter_shape.with_rank(rank)
        input_shape.with_rank(rank)
        if not 3 <= rank <= 5:
            raise ValueError("`input` and `filter` must have rank at least 3 and at most 5")
        self._space = rank - 2
        numbers = [1] * self._space if strides is None else [int(s) for s in strides]
        if len(numbers) != self._space:
            raise ValueError(f"len(strides)={len(numbers)}, but should be {self._space}")
        allowed, message = {
            1: (("NWC", "NCW", "NCHW", "NHWC"), 'data_format must be "NWC" or "NCW".'),
            2: (("NHWC", "NCHW"), 'data_format must be "NHWC" or "NCHW".'),
            3: (("NDHWC", "NCDHW"), f'data_format must be "NDHWC" or "NCDHW". Have: {data_format}'),
        }[self._space]
        if data_format is None:
            data_format = allowed[0]
        if data_format not in allowed:
            raise ValueError(message)
        self._data_format = data_format
        self._strides = [1, 1, *numbers] if _is_channels_first(data_format) else [1, *numbers, 1]
        self._stride = numbers[0]
        self._padding = padding
        self._name = name

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        """Adds the operation."""
        name, data_format = self._name, self._data_format
        if self._space == 1:
            return conv1d(inp, filter, self._stride, self._padding, data_format=data_format, name=name)
        plain = conv2d if self._space == 2 else conv3d
        return plain(inp, filter, self._strides, self._padding, data_format=data_format, name=name)


# (number of dimensions of space, padding) -> (input, filter) -> result.
_Build = Callable[[int, Any], Callable[[Tensor, Any], Tensor]]


class _SpaceToBatch:
    """An operation with holes in its windows: it runs without holes on blocks of space, moved to the batch."""

    def __init__(
        self,
        input_shape: TensorShape,
        dilation_rate: Any,
        padding: Any,
        build_op: _Build,
        filter_shape: Any = None,
        spatial_dims: Any = None,
        data_format: str | None = None,
    ) -> None:
        rate = convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
        try:
            rate_shape = rate.get_shape().with_rank(1)
        except ValueError:
            raise ValueError("rate must be rank 1") from None
        count = rate_shape[0].value
        if count is None:
            raise ValueError("rate must have known shape")
        first = 2 if _is_channels_first(data_format) else 1
        given = list(range(first, count + first) if spatial_dims is None else spatial_dims)
        dims = sorted({int(x) for x in given})
        if dims != given or any(x < 1 for x in dims):
            raise ValueError("spatial_dims must be a monotonically increasing sequence of positive integers")
        if dims:
            last = dims[-1] if _is_channels_first(data_format) else dims[-1] + 1
            input_shape.with_rank_at_least(last)
        known_rate = constant_value(rate)
        if known_rate is not None and np.any(known_rate < 1):
            raise ValueError("dilation_rate must be positive")
        self._plain: Callable[[Tensor, Any], Tensor] | None = None
        if known_rate is not None and np.all(known_rate == 1):
            self._plain = build_op(count, padding)
            return
        self._paddings: Any = None
        self._rate_value: Any = rate if known_rate is None else known_rate
        self._count = count
        if padding == "SAME":
            if filter_shape is None:
                raise ValueError("filter_shape must be specified for SAME padding")
            if not isinstance(filter_shape, TensorShape) or filter_shape.is_fully_defined():
                filter_shape = convert_to_tensor(filter_shape, name="filter_shape")
                known = constant_value(filter_shape)
                self._paddings = self._base_paddings(filter_shape if known is None else known)
        elif padding == "VALID":
            self._paddings = np.zeros([count, 2], np.int32)
        else:
            raise ValueError(f"Invalid padding method {padding!r}")
        self._input_shape = input_shape
        self._dims = dims
        self._rate = rate
        self._data_format = data_format
        self._op = build_op(count, "VALID")

    def _base_paddings(self, filter_shape: Any) -> Tensor:
        """Returns the paddings that replace "SAME" by "VALID": like `conv2d`, with the larger half at the end."""
        sizes = filter_shape[: self._count]
        total = sizes + (sizes - 1) * (self._rate_value - 1) - 1
        before = total // 2
        after = total - before
        return joining.stack([[before[i], after[i]] for i in range(self._count)])

    def __call__(self, inp: Tensor, filter: Any) -> Tensor:
        """Adds the operations."""
        if self._plain is not None:
            return self._plain(inp, filter)
        space: Any = None
        if self._input_shape.ndims is not None:
            sizes = self._input_shape.as_list()
            space = [sizes[i] for i in self._dims]
        if space is None or None in space:
            found = shaping.shape(inp)
            space = joining.stack([found[i] for i in self._dims])
        paddings = self._base_paddings(shaping.shape(filter)) if self._paddings is None else self._paddings
        paddings, crops = required_space_to_batch_paddings(
            input_shape=space, base_paddings=paddings, block_shape=self._rate
        )
        rate = _spread(self._rate, 1, self._dims)
        paddings = _spread(paddings, 0, self._dims)
        crops = _spread(crops, 0, self._dims)
        result = self._op(shaping.space_to_batch_nd(inp, rate, paddings), filter)
        result = shaping.batch_to_space_nd(result, rate, crops)
        if _is_channels_first(self._data_format) and filter is not None and not result.get_shape()[1].value:
            shape = result.get_shape().as_list()
            shape[1] = filter.get_shape()[-1]
            result.set_shape(shape)
        return result


def _spread(values: Tensor, fill: int, dims: Sequence[int]) -> Any:
    """Returns row i of the values as row `dims[i] - 1` of the result, other rows filled: an array where the values
    are constant.
    """
    known = constant_value(values)
    source: Any = values if known is None else known
    rest = values.get_shape().as_list()[1:]
    parts: list[Any] = []
    previous, i = 0, 0
    while i < len(dims):
        start = i
        if dims[start] > 1:
            parts.append(np.full([dims[start] - 1 - previous, *rest], fill, dtype=values.dtype.as_numpy_dtype))
        while i + 1 < len(dims) and dims[i + 1] == dims[i] + 1:
            i += 1
        parts.append(source[start : i + 1])
        previous = dims[i]
        i += 1
    if known is not None:
        return np.concatenate(parts)
    return joining.concat(parts, 0)


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: IntsLike,
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: TensorLike | None = None,
    spatial_dims: ListLike | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Runs an operation on windows as if their points lay `dilation_rate` apart.

    Args:
        input: Tensor of any dtype, of a rank above that of the last of `spatial_dims`.
        dilation_rate: Tensor of int32, of shape [n] that must be known.
        padding: "SAME" or "VALID".
        op: function of (Tensor, number of dimensions of space, padding), giving a Tensor.
        filter_shape: Tensor of int32, of shape [n] or more: the windows' sizes; needed for "SAME".
        spatial_dims: list of n ints of at least 1, increasing: the dimensions of space; None for those after the batch.
        data_format: str; the channels are dimension 1 if it starts with "NC", else the last.

    Returns:
        Tensor of the dtype and shape that `op` gives: for `input` itself where all rates are 1, else for its blocks,
        put together again.

    Raises:
        ValueError: if the shapes, sizes and `padding` are incompatible.
    """
    input = convert_to_tensor(input, name="input")

    def build(count: int, padding: Any) -> Callable[[Tensor, Any], Tensor]:
        return lambda inp, _: op(inp, count, padding)

    return _SpaceToBatch(input.get_shape(), dilation_rate, padding, build, filter_shape, spatial_dims, data_format)(
        input, None
    )


def strides_and_dilation_rate(space: int, strides: Any, dilation_rate: Any) -> tuple[Any, Any]:
    """Returns the strides and rates of `space` dimensions as int32 arrays, ones where not given.

    Args:
        space: int, the dimensions of space.
        strides: sequence of `space` ints, or None.
        dilation_rate: sequence of `space` ints, or None.

    Returns:
        `(strides, dilation_rate)`.

    Raises:
        ValueError: if there are more or fewer numbers, some are not positive, or neither argument is all ones.
    """
    found = []
    for name, numbers in (("dilation_rate", dilation_rate), ("strides", strides)):
        if numbers is None:
            numbers = [1] * space
        elif len(numbers) != space:
            raise ValueError(f"len({name})={len(numbers)} but should be {space}")
        array = np.array(numbers, dtype=np.int32)
        if np.any(array < 1):
            raise ValueError(f"all values of {name} must be positive")
        found.append(array)
    rate, steps = found
    if np.any(steps > 1) and np.any(rate > 1):
        raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
    return steps, rate


class Convolution:
    """A convolution of tensors of given shapes, to be called with the tensors.

    Args:
        input_shape: TensorShape of the input, as far as it is known.
        filter_shape: TensorShape of the filter, as far as it is known.
        padding: as for `convolution`.
        strides: as for `convolution`.
        dilation_rate: as for `convolution`.
        name: as for `convolution`.
        data_format: as for `convolution`.

    Raises:
        ValueError: if the shapes, sizes and `padding` are incompatible.
    """

    def __init__(
        self,
        input_shape: TensorShape,
        filter_shape: TensorShape,
        padding: str | ListLike,
        strides: IntsLike | None = None,
        dilation_rate: IntsLike | None = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        rank = input_shape.ndims if filter_shape.ndims is None else filter_shape.ndims
        if rank is None:
            raise ValueError("rank of input or filter must be known")
        space = rank - 2
        for shape, what in ((input_shape, "input"), (filter_shape, "filter")):
            if shape.ndims not in (None, rank):
                raise ValueError(f"{what} tensor must have rank {rank}")
        first = _is_channels_first(data_format)
        channels = input_shape[1 if first else space + 1]
        if not channels.is_compatible_with(filter_shape[space]):
            raise ValueError(
                "number of input channels does not match corresponding dimension of filter, "
                f"{channels} != {filter_shape[space]}"
            )
        strides, dilation_rate = strides_and_dilation_rate(space, strides, dilation_rate)
        self.input_shape = input_shape
        self.filter_shape = filter_shape
        self.data_format = data_format
        self.strides = strides
        self.name = name
        self.conv_op = _SpaceToBatch(
            input_shape,
            dilation_rate=dilation_rate,
            padding=padding,
            build_op=self._build_op,
            filter_shape=filter_shape,
            spatial_dims=range(2, space + 2) if first else range(1, space + 1),
            data_format=data_format,
        )

    def _build_op(self, _: int, padding: Any) -> _PlainConvolution:
        return _PlainConvolution(
            self.input_shape, self.filter_shape, padding, self.data_format, self.strides, self.name
        )

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        """Adds the operations that convolve tensors of the shapes given.

        Args:
            inp: Tensor, the input.
            filter: Tensor, the filter.

        Returns:
            Tensor, as for `convolution`.
        """
        return self.conv_op(inp, filter)


def convolution(
    input: Any,
    filter: Any = None,
    padding: Any = None,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Computes a convolution over one, two or three dimensions, with strides or with holes.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch] + space + [in_channels], or [batch,
            in_channels] + space if `data_format` starts with "NC".
        filter: Tensor of the dtype of `input`, of shape space + [in_channels, out_channels].
        padding: "SAME" or "VALID".
        strides: list of an int for each dimension of space: the distances between windows; None for ones.
        dilation_rate: list of an int for each dimension of space: the distances between a window's points; None for
            ones.
        name: str, name scope of the operations.
        data_format: "NWC" or "NCW", "NHWC" or "NCHW", "NDHWC" or "NCDHW"; None for the first of these.
        filters: another name of `filter`.
        dilations: another name of `dilation_rate`.

    Returns:
        Tensor of the dtype of `input`, of shape [batch] + space + [out_channels], or as `data_format` says.

    Raises:
        ValueError: if the shapes are incompatible, or strides and rates are both not all ones.
    """
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    dilation_rate = deprecated_argument_lookup("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, "convolution", [input, filter]) as scope:
        input = convert_to_tensor(input, name="input")
        filter = convert_to_tensor(filter, name="filter")
        op = Convolution(
            input.get_shape(), filter.get_shape(), padding, strides, dilation_rate, name=scope, data_format=data_format
        )
        return op(input, filter)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: str, name: str | None = None) -> Tensor:
    """Computes a 2-D convolution with holes.

    Args:
        value: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels].
        filters: Tensor of the dtype of `value`, of shape [height, width, in_channels, out_channels].
        rate: int, the distance of the points of a window.
        padding: "SAME" or "VALID".
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `value`, of shape [batch, height, width, out_channels].

    Raises:
        ValueError: if the shapes are incompatible, or `padding` is not one of the listed values.
    """
    return convolution(value, filters, padding, dilation_rate=np.broadcast_to(rate, (2,)), name=name)
