"""Pooling: the largest element, or the mean, of each window of images and volumes."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import DTypeLike, IntsLike, ListLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn.convolution import strides_and_dilation_rate, with_space_to_batch

MaxPoolWithArgmax = collections.namedtuple("MaxPoolWithArgmax", ["output", "argmax"])
FractionalMaxPool = collections.namedtuple(
    "FractionalMaxPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)
FractionalAvgPool = collections.namedtuple(
    "FractionalAvgPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)


def _attrs(ksize: Any, strides: Any, padding: Any, data_format: str | None) -> dict[str, Any]:
    attrs = {"ksize": _sizes("ksize", ksize), "strides": _sizes("strides", strides), "padding": padding}
    if data_format is not None:
        attrs["data_format"] = data_format
    return attrs


def _sizes(argument: str, values: Any) -> list[int]:
    if not hasattr(values, "__iter__") or isinstance(values, str):
        raise TypeError(f"Expected list for '{argument}' argument, not {values!r}.")
    return [int(v) for v in values]


def _for_all_dimensions(argument: str, values: Any, spatial: int, data_format: str) -> list[int]:
    """Returns sizes for every dimension, of one for all spatial dimensions, one for each, or one for every
    dimension.
    """
    sizes = [int(values)] if isinstance(values, (int, np.integer)) else _sizes(argument, values)
    if len(sizes) == spatial + 2:
        return sizes
    if len(sizes) == 1:
        sizes = sizes * spatial
    if len(sizes) != spatial:
        raise ValueError(f"{argument} should be of length 1, {spatial} or {spatial + 2} but was {len(sizes)}")
    return [1, 1, *sizes] if data_format.startswith("NC") else [1, *sizes, 1]


def _pool_2d(
    op_type: str, value: Any, ksize: Any, strides: Any, padding: Any, data_format: str, name: str | None, input: Any
) -> Tensor:
    value = deprecated_argument_lookup("input", input, "value", value)
    with name_scope(name, op_type, [value]) as scope:
        ksize = _for_all_dimensions("ksize", ksize, 2, data_format)
        strides = _for_all_dimensions("strides", strides, 2, data_format)
        value = convert_to_tensor(value, name="input")
        return tensor_op(op_type, [value], _attrs(ksize, strides, padding, data_format), name=scope)


def _pool_1d(
    op_type: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, name: str | None
) -> Tensor:
    """Pools sequences as images of one row."""
    with name_scope(name, f"{op_type}1D", [input]) as scope:
        data_format = data_format or "NWC"
        if data_format not in ("NWC", "NCW"):
            raise ValueError(f"data_format must be NWC or NCW, not {data_format}")
        row = 1 if data_format == "NWC" else 2
        ksize = [1, *_for_all_dimensions("ksize", ksize, 1, data_format)]
        strides = [1, *_for_all_dimensions("strides", strides, 1, data_format)]
        images = shaping.expand_dims(input, row)
        format_2d = "NHWC" if row == 1 else "NCHW"
        pooled = _pool_2d(op_type, images, ksize, strides, padding, format_2d, scope, None)
        return shaping.squeeze(pooled, [row])


def _pool_3d(
    op_type: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str, name: str | None
) -> Tensor:
    ksize = _for_all_dimensions("ksize", ksize, 3, data_format)
    strides = _for_all_dimensions("strides", strides, 3, data_format)
    return tensor_op(op_type, [input], _attrs(ksize, strides, padding, data_format), name=name)


def _pool_nd(
    kind: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, name: str | None
) -> Tensor:
    """Pools sequences, images or volumes, by the rank of the input or the format."""
    input = convert_to_tensor(input, name="input")
    rank = input.get_shape().ndims
    if rank is None and data_format is not None:
        rank = len(data_format)
    if rank not in (3, 4, 5):
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {rank}.")
    if rank == 3:
        return _pool_1d(f"{kind}Pool", input, ksize, strides, padding, data_format, name)
    if rank == 4:
        return _pool_2d(f"{kind}Pool", input, ksize, strides, padding, data_format or "NHWC", name, None)
    return _pool_3d(f"{kind}Pool3D", input, ksize, strides, padding, data_format or "NDHWC", name)


@FunctionFamily
def _of_any_rank(
    kind: str,
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """{what} of each window of sequences, images or volumes.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of rank 3, 4 or 5: [batch, ..., channels].
        ksize: int or list of ints, the window's size: for all spatial dimensions, for each, or for every dimension.
        strides: int or list of ints, how far windows lie apart, as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NWC", "NHWC" or "NDHWC", or "NC..." for channels in the second dimension; None for the former.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and rank of `input`.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.
    """
    return _pool_nd(kind, input, ksize, strides, padding, data_format, name)


@FunctionFamily
def _of_sequences(
    op_type: str,
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """{what} of each window of sequences.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, time, channels].
        ksize: int, or list of 1 or 3 ints, the window's size.
        strides: int, or list of 1 or 3 ints, how far windows lie apart.
        padding: "SAME" or "VALID".
        data_format: "NWC", or "NCW" for channels in the second dimension.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of rank 3.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.
    """
    return _pool_1d(op_type, input, ksize, strides, padding, data_format, name)


avg_pool1d = _of_sequences("avg_pool1d", "AvgPool", what="Computes the mean")
max_pool1d = _of_sequences("max_pool1d", "MaxPool", what="Finds the largest element")
avg_pool_v2 = _of_any_rank("avg_pool_v2", "Avg", what="Computes the mean")
max_pool_v2 = _of_any_rank("max_pool_v2", "Max", what="Finds the largest element")


def avg_pool(
    value: TensorLike | None = None,
    ksize: IntsLike | None = None,
    strides: IntsLike | None = None,
    padding: str | ListLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Returns the mean of each window; positions outside the image are not counted.

    Args:
        value: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, channels].
        ksize: list of 4 ints, the window's size in each dimension; or int or list of 2 ints, for the spatial ones.
        strides: list of 4 ints, how far windows lie apart; or as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC", or "NCHW" for channels in the second dimension.
        name: str, name of the operation.
        input: the newer name of `value`.

    Returns:
        Tensor of the dtype of `value`: the images, pooled.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.

    Example:
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> pooled = tf.nn.avg_pool(image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        >>> print(sess.run(pooled)[0, :, :, 0])
        [[ 2.5  4.5]
         [10.5 12.5]]
    """
    return _pool_2d("AvgPool", value, ksize, strides, padding, data_format, name, input)


def max_pool(
    value: TensorLike | None = None,
    ksize: IntsLike | None = None,
    strides: IntsLike | None = None,
    padding: str | ListLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Returns the largest element of each window.

    Args:
        value: Tensor of a real number dtype, of shape [batch, height, width, channels].
        ksize: list of 4 ints, the window's size in each dimension; or int or list of 2 ints, for the spatial ones.
        strides: list of 4 ints, how far windows lie apart; or as `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC", or "NCHW" for channels in the second dimension.
        name: str, name of the operation.
        input: the newer name of `value`.

    Returns:
        Tensor of the dtype of `value`: the images, pooled.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.

    Example:
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> pooled = tf.nn.max_pool(image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        >>> print(sess.run(pooled)[0, :, :, 0])
        [[ 5.  7.]
         [13. 15.]]
    """
    # TF 1.x: for the sizes of all dimensions, and of this function alone.
    if 0 in (_sizes("ksize", ksize) if hasattr(ksize, "__iter__") else [ksize]):
        raise ValueError("ksize cannot be zero.")
    return _pool_2d("MaxPool", value, ksize, strides, padding, data_format, name, input)


def avg_pool2d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of images; the newer form of `avg_pool`.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, channels].
        ksize: int, or list of 1, 2 or 4 ints, the window's size.
        strides: int, or list of 1, 2 or 4 ints, how far windows lie apart.
        padding: "SAME" or "VALID".
        data_format: "NHWC", or "NCHW" for channels in the second dimension.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`: the images, pooled.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.
    """
    with name_scope(name, "AvgPool2D", [input]) as scope:
        return _pool_2d("AvgPool", input, ksize, strides, padding, data_format, scope, None)


def max_pool2d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Finds the largest element of each window of images; the newer form of `max_pool`.

    Args:
        input: Tensor of a real number dtype, of shape [batch, height, width, channels].
        ksize: int, or list of 1, 2 or 4 ints, the window's size.
        strides: int, or list of 1, 2 or 4 ints, how far windows lie apart.
        padding: "SAME" or "VALID".
        data_format: "NHWC", or "NCHW" for channels in the second dimension.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`: the images, pooled.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.
    """
    with name_scope(name, "MaxPool2d", [input]) as scope:
        return _pool_2d("MaxPool", input, ksize, strides, padding, data_format, scope, None)


def max_pool3d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Finds the largest element of each window of volumes.

    Args:
        input: Tensor of float16, bfloat16 or float32, of shape [batch, depth, height, width, channels].
        ksize: int, or list of 1, 3 or 5 ints: the window's size in each dimension.
        strides: int, or list of 1, 3 or 5 ints: how far windows lie apart in each dimension.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", or "NCDHW" for channels in the second dimension.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`: the volumes, pooled.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.
    """
    return _pool_3d("MaxPool3D", input, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of volumes; what lies outside the volume does not count.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, depth, height, width, channels].
        ksize: int, or list of 1, 3 or 5 ints: the window's size in each dimension.
        strides: int, or list of 1, 3 or 5 ints: how far windows lie apart in each dimension.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", or "NCDHW" for channels in the second dimension.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`: the volumes, pooled.

    Raises:
        ValueError: if sizes are not positive, or a window does not fit.
        TypeError: if `ksize` or `strides` is neither int nor list.
    """
    return _pool_3d("AvgPool3D", input, ksize, strides, padding, data_format, name)


def pool(
    input: TensorLike,
    window_shape: ListLike,
    pooling_type: str,
    padding: str,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Pools over 1 to 3 dimensions of space, in windows that may have holes.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, ..., channels].
        window_shape: list of n ints, the window's size in each dimension of space.
        pooling_type: "MAX" or "AVG".
        padding: "SAME" or "VALID".
        dilation_rate: list of n ints, how far points of a window lie apart; None for 1; not with strides.
        strides: list of n ints, how far windows lie apart; None for 1; none above the window's size.
        name: str, name of the operation.
        data_format: "NWC", "NHWC" or "NDHWC", or "NC..." for channels in the second dimension; None for the former.
        dilations: the newer name of `dilation_rate`.

    Returns:
        Tensor of the dtype and rank of `input`.

    Raises:
        ValueError: if the shapes, sizes and `padding` are incompatible.
    """
    dilation_rate = deprecated_argument_lookup("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        space = len(window_shape)
        if not 1 <= space <= 3:
            raise ValueError("It is required that 1 <= num_spatial_dims <= 3.")
        input.get_shape().with_rank(space + 2)
        strides, dilation_rate = strides_and_dilation_rate(space, strides, dilation_rate)
        if padding == "SAME" and np.any(dilation_rate > 1):
            raise ValueError("pooling with SAME padding is not implemented for dilation_rate > 1")
        if np.any(strides > np.asarray(window_shape)):
            raise ValueError(
                "strides > window_shape not supported due to inconsistency between CPU and GPU implementations"
            )
        if pooling_type not in ("MAX", "AVG"):
            raise ValueError(f"{space}-D {pooling_type} pooling is not supported.")
        kind = pooling_type.capitalize()
        is_first = data_format is not None and data_format.startswith("NC")
        if space == 1 and data_format not in (None, "NWC", "NCW"):
            raise ValueError('data_format must be either "NWC" or "NCW".')
        dims = list(range(2, space + 2) if is_first else range(1, space + 1))

        def pooled(blocks: Tensor, _: int, padding: str) -> Tensor:
            if space == 1:
                # Sequences are images of one row.
                blocks = shaping.expand_dims(blocks, dims[0])
            ones = [1, 1] if space == 1 else [1]
            ksize = [*ones, 1, *window_shape] if is_first else [*ones, *window_shape, 1]
            steps = [*ones, 1, *strides] if is_first else [*ones, *strides, 1]
            plain = ("NCHW" if is_first else "NHWC") if space < 3 else ("NCDHW" if is_first else "NDHWC")
            if space < 3:
                result = _pool_2d(f"{kind}Pool", blocks, ksize, steps, padding, plain, scope, None)
            else:
                result = tensor_op(f"{kind}Pool3D", [blocks], _attrs(ksize, steps, padding, plain), name=scope)
            return shaping.squeeze(result, [dims[0]]) if space == 1 else result

        return with_space_to_batch(input, dilation_rate, padding, pooled, filter_shape=window_shape, spatial_dims=dims)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: Any = "NHWC",
    Targmax: DTypeLike | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
    include_batch_in_index: bool = False,
) -> MaxPoolWithArgmax:
    """Finds the largest element of each window and where it is.

    Args:
        input: Tensor of a real number dtype, of shape [batch, height, width, channels].
        ksize: list of 4 ints, the window's size in each dimension.
        strides: list of 4 ints, how far windows lie apart in each dimension.
        padding: "SAME" or "VALID".
        data_format: "NHWC". TF 1.x: before 1.14 the fifth argument is `Targmax`, and so is a dtype that is given here.
        Targmax: DType of the places: int32, or int64 if None.
        name: str, name of the operation.
        output_dtype: the newer name of `Targmax`.
        include_batch_in_index: bool. If True, places are counted over the whole batch and not within each image.

    Returns:
        (output, argmax): the images, pooled, and for each element its place,
        `(row * width + column) * channels + channel`.

    Raises:
        ValueError: if the sizes are incompatible, or the channels are the second dimension.
        TypeError: if `ksize` or `strides` is not a list.
    """
    if data_format not in ("NHWC", "NCHW"):
        data_format, Targmax = "NHWC", data_format if Targmax is None else Targmax
    if data_format != "NHWC":
        raise ValueError("data_format values other than 'NHWC' are not supported")
    place_dtype = deprecated_argument_lookup("output_dtype", output_dtype, "Targmax", Targmax)
    attrs = _attrs(ksize, strides, padding, None)
    attrs["Targmax"] = dtypes.as_dtype(dtypes.int64 if place_dtype is None else place_dtype)
    attrs["include_batch_in_index"] = include_batch_in_index
    return MaxPoolWithArgmax(*apply_op("MaxPoolWithArgmax", [input], attrs, name=name).outputs)


def _fractional(
    op_type: str,
    value: Any,
    pooling_ratio: Sequence[float],
    flags: dict[str, bool],
    seeds: tuple[int, int],
    name: str | None,
) -> list[Tensor]:
    attrs: dict[str, Any] = {"pooling_ratio": [float(r) for r in pooling_ratio], **flags}
    attrs["seed"], attrs["seed2"] = seeds
    return list(apply_op(op_type, [value], attrs, name=name).outputs)


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """Pools the largest element of random regions, whose sizes have a mean ratio that need not be whole.

    Args:
        value: Tensor of float32, float64, int32 or int64, of shape [batch, height, width, channels].
        pooling_ratio: list of 4 floats, at least 1: how much smaller each dimension gets; 1 for batch and channels.
        pseudo_random: bool. If True, the regions follow from one random number, rather than each from its own.
        overlapping: bool. If True, a region includes the first row and column of the next.
        deterministic: bool. If True, every run takes the same regions.
        seed: int, with `deterministic`: the first seed.
        seed2: int, with `deterministic`: the second seed.
        name: str, name of the operation.

    Returns:
        (output, row_pooling_sequence, col_pooling_sequence): the images, pooled, and the borders of the regions, int64.

    Source: Graham, Fractional Max-Pooling, 2015.
    """
    flags = {"pseudo_random": pseudo_random, "overlapping": overlapping, "deterministic": deterministic}
    return FractionalMaxPool(*_fractional("FractionalMaxPool", value, pooling_ratio, flags, (seed, seed2), name))


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """Computes the mean of regions whose sizes are random and make up a ratio that need not be whole.

    Args:
        value: Tensor of float32, float64, int32 or int64, of shape [batch, height, width, channels].
        pooling_ratio: list of 4 floats, at least 1: how much smaller each dimension gets; 1 for batch and channels.
        pseudo_random: bool. If True, the regions follow from one random number, rather than each from its own.
        overlapping: bool. If True, a region includes the first row and column of the next.
        deterministic: bool. If True, every run takes the same regions.
        seed: int, with `deterministic`: the first seed.
        seed2: int, with `deterministic`: the second seed.
        name: str, name of the operation.

    Returns:
        (output, row_pooling_sequence, col_pooling_sequence): the images, pooled, and the borders of the regions, int64.

    Source: Graham, Fractional Max-Pooling, 2015.
    """
    flags = {"pseudo_random": pseudo_random, "overlapping": overlapping, "deterministic": deterministic}
    return FractionalAvgPool(*_fractional("FractionalAvgPool", value, pooling_ratio, flags, (seed, seed2), name))
