"""Functions of tensors under Keras's names and with its arguments: shapes, joints and paddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, IntLike, NestedTensors, ShapeLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant as constant_of
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend import get_session, tracked_variable
from ferroflow._src.keras.backend_nn import seed_or_new
from ferroflow._src.keras.settings import data_format_of, dtype_of
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.image.resizing import resize_centered
from ferroflow._src.ops.math import linalg
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.ops.ragged.making import placeholder as ragged_placeholder
from ferroflow._src.ops.random.sampling import random_normal, random_uniform
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.variables.variable import Variable


def is_sparse(tensor: NestedTensors) -> bool:
    """Returns True if a tensor is sparse.

    Args:
        tensor: Tensor or SparseTensor of any dtype and shape.

    Returns:
        bool.
    """
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Tensor:
    """Returns a sparse tensor as a dense one; a dense one unchanged.

    Args:
        tensor: Tensor or SparseTensor of any dtype and shape.

    Returns:
        Tensor of its dtype and shape.
    """
    dense: Tensor = sparse_tensor_to_dense(tensor) if isinstance(tensor, SparseTensor) else tensor
    return dense


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """Makes a variable; a sparse tensor for a sparse matrix.

    Args:
        value: array or Tensor: the initial value, of any shape; or a matrix of `scipy.sparse`.
        dtype: DType; None for `floatx()`.
        name: str, its name.
        constraint: callable of the value after each update, or None.

    Returns:
        Variable of `dtype`, of the shape of `value`; SparseTensor of the matrix's dtype and shape.

    Raises:
        ValueError: if `value` is a Tensor of another dtype.
    """
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        return SparseTensor(np.stack([matrix.row, matrix.col], axis=1).astype(np.int64), matrix.data, matrix.shape)
    kind = dtype_of(dtype)
    return tracked_variable(convert_to_tensor(value, dtype=kind), name=name, constraint=constraint)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """Makes a constant.

    Args:
        value: number, or array.
        dtype: DType; None for `floatx()`.
        shape: list of ints, the shape; None for that of `value`.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype` and `shape`.
    """
    return constant_of(value, dtype=dtype_of(dtype), shape=shape, name=name or "Const")


def placeholder(
    shape: ShapeLike | None = None,
    ndim: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """Makes a placeholder.

    Args:
        shape: tuple, with None for sizes that are not known.
        ndim: int, the rank, in the place of a shape.
        dtype: DType; None for `floatx()`.
        sparse: bool. If True, a sparse tensor is fed.
        name: str, name of the operation.
        ragged: bool. If True, a ragged tensor is fed, with a ragged dimension for each unknown
            size that directly follows the first.

    Returns:
        Tensor, SparseTensor or RaggedTensor of `dtype`, of shape `shape`.

    Raises:
        ValueError: if both `sparse` and `ragged` are true.
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True when creating a placeholder.")
    if shape is None and ndim is not None:
        shape = (None,) * ndim
    if ragged:
        inner: list[int | None] = TensorShape(shape).as_list()[1:]
        rank = next((i for i, size in enumerate(inner) if size is not None), len(inner))
        return ragged_placeholder(dtype_of(dtype), rank, inner[rank:], name)
    make = making.sparse_placeholder if sparse else making.placeholder
    return make(dtype_of(dtype), shape=shape, name=name)


def ndim(x: Any) -> int | None:
    """Returns the rank of a tensor.

    Args:
        x: Tensor or Variable of any dtype and shape.

    Returns:
        int; None if unknown.
    """
    rank: int | None = x.get_shape().ndims
    return rank


def dtype(x: Any) -> str:
    """Returns the name of the dtype of a tensor.

    Args:
        x: Tensor or Variable of any dtype and shape.

    Returns:
        str.
    """
    return str(x.dtype.base_dtype.name)


def eval(x: NestedTensors) -> Any:  # Keras's name
    """Returns the value of a tensor that needs nothing fed.

    Args:
        x: Tensor or Variable of any dtype and shape.

    Returns:
        numpy.ndarray of its dtype and shape.
    """
    return get_session().run(to_dense(x))


def _filled(make: Any, shape: Any, dtype: Any, name: str | None) -> Any:
    value = make(shape, dtype_of(dtype))
    return tracked_variable(value, name=name) if value.shape.is_fully_defined() else value


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Makes a variable of zeros.

    Args:
        shape: tuple of ints, or Tensor of int32, whose value need not be known.
        dtype: DType; None for `floatx()`.
        name: str, its name.

    Returns:
        Variable of `dtype` and `shape`, or Tensor where the shape is not known.
    """
    return _filled(making.zeros, shape, dtype, name)


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Makes a variable of ones.

    Args:
        shape: tuple of ints, or Tensor of int32, whose value need not be known.
        dtype: DType; None for `floatx()`.
        name: str, its name.

    Returns:
        Variable of `dtype` and `shape`, or Tensor where the shape is not known.
    """
    return _filled(making.ones, shape, dtype, name)


def eye(size: int, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """Makes a variable that is an identity matrix.

    Args:
        size: int, the number of rows.
        dtype: DType; None for `floatx()`.
        name: str, its name.

    Returns:
        Variable of `dtype`, of shape [size, size].
    """
    return tracked_variable(linalg.eye(size, dtype=dtype_of(dtype)), name=name)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Returns zeros in the shape of a tensor.

    Args:
        x: Tensor or Variable of any dtype and shape.
        dtype: DType; None for that of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`, of the shape of `x`.
    """
    return making.zeros_like(x, dtype=dtype, name=name)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Returns ones in the shape of a tensor.

    Args:
        x: Tensor or Variable of any dtype and shape.
        dtype: DType; None for that of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`, of the shape of `x`.
    """
    return making.ones_like(x, dtype=dtype, name=name)


def random_uniform_variable(
    shape: ShapeLike,
    low: float,
    high: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """Makes a variable of uniform random numbers.

    Args:
        shape: tuple of ints.
        low: float, the lower end.
        high: float, the upper end.
        dtype: DType; None for `floatx()`.
        name: str, its name.
        seed: int, of the random numbers; None for one from NumPy's global generator.

    Returns:
        Variable of `dtype` and `shape`.
    """
    kind = dtype_of(dtype)
    return tracked_variable(
        random_uniform(shape, low, high, dtype=kind, seed=seed_or_new(seed, 1_000_000_000)), name=name
    )


def random_normal_variable(
    shape: ShapeLike,
    mean: float,
    scale: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """Makes a variable of normal random numbers.

    Args:
        shape: tuple of ints.
        mean: float, the mean.
        scale: float, the standard deviation.
        dtype: DType; None for `floatx()`.
        name: str, its name.
        seed: int, of the random numbers; None for one from NumPy's global generator.

    Returns:
        Variable of `dtype` and `shape`.
    """
    kind = dtype_of(dtype)
    return tracked_variable(
        random_normal(shape, mean, scale, dtype=kind, seed=seed_or_new(seed, 1_000_000_000)), name=name
    )


def count_params(x: Any) -> int:
    """Returns the number of elements of a variable.

    Args:
        x: Variable or Tensor of any dtype, of a known shape.

    Returns:
        int.
    """
    return int(x.get_shape().num_elements())


def gather(reference: Any, indices: Any) -> Tensor:
    """Returns rows by their numbers.

    Args:
        reference: Tensor or Variable of any dtype, of rank 1 or more.
        indices: Tensor of int32 or int64, of any shape.

    Returns:
        Tensor of the dtype of `reference`, of the shape of `indices` + that of a row.
    """
    return embedding_lookup(reference, indices)


def concatenate(tensors: Any, axis: int = -1) -> Tensor:
    """Joins tensors along a dimension.

    Args:
        tensors: list of Tensors of one dtype and of the same shape except for the size along the axis.
        axis: int, the dimension.

    Returns:
        Tensor of their dtype.
    """
    return joining.concat([to_dense(x) for x in tensors], axis)


def permute_dimensions(x: Any, pattern: Any) -> Tensor:
    """Permutes dimensions.

    Args:
        x: Tensor of any dtype and shape.
        pattern: tuple of ints, the dimensions in their new order.

    Returns:
        Tensor of the dtype of `x`.
    """
    return shaping.transpose(x, pattern)


def expand_dims(x: Any, axis: int = -1) -> Tensor:
    """Inserts a dimension of size 1.

    Args:
        x: Tensor of any dtype and shape.
        axis: int, its place.

    Returns:
        Tensor of the dtype of `x`, with one dimension more.
    """
    return shaping.expand_dims(x, axis)


def repeat_elements(x: Any, rep: int, axis: int) -> Tensor:
    """Repeats each slice along a dimension.

    Args:
        x: Tensor of any dtype and shape.
        rep: int, how often.
        axis: int, the dimension.

    Returns:
        Tensor of the dtype of `x`, whose size along the axis is `rep` times as large.
    """
    x = convert_to_tensor(x)
    sizes = x.get_shape().as_list()
    if sizes[axis] is not None:
        parts = joining.split(x, sizes[axis], axis=axis)
        return concatenate([part for part in parts for _ in range(rep)], axis)
    dims: Any = shaping.shape(x)
    widened = shaping.expand_dims(x, axis + 1)
    multiples = [1] * (len(sizes) + 1)
    multiples[axis + 1] = rep
    factors = [1] * len(sizes)
    factors[axis] = rep
    repeated = shaping.reshape(shaping.tile(widened, multiples), dims * constant_of(factors, dtypes.int32))
    repeated.set_shape(sizes)
    return repeated


def repeat(x: Any, n: int) -> Tensor:
    """Repeats each example.

    Args:
        x: Tensor of any dtype, of shape [batch, size].
        n: int, how often.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, n, size].
    """
    return shaping.tile(shaping.expand_dims(x, 1), joining.stack([1, n, 1]))


def arange(start: IntLike, stop: IntLike | None = None, step: IntLike = 1, dtype: str = "int32") -> Tensor:
    """Returns numbers in equal distances.

    Args:
        start: int or float, the first number; the end if no other is given.
        stop: int or float, the end, which is not reached; None for numbers from 0 to `start`.
        step: int or float, the distance.
        dtype: str, the dtype.

    Returns:
        Tensor of `dtype`, of rank 1.
    """
    if stop is None:
        start, stop = 0, max(start, 0)
    found: Tensor = cast(making.range(start, limit=stop, delta=step, name="arange"), dtype)
    return found


def tile(x: Any, n: Any) -> Tensor:
    """Repeats a tensor along its dimensions.

    Args:
        x: Tensor of any dtype and shape.
        n: int, or list of ints: how often along each dimension.

    Returns:
        Tensor of the dtype of `x`.
    """
    return shaping.tile(x, [n] if isinstance(n, int) else n)


def flatten(x: Any) -> Tensor:
    """Returns all elements in one dimension.

    Args:
        x: Tensor of any dtype and shape.

    Returns:
        Tensor of the dtype of `x`, of rank 1.
    """
    return shaping.reshape(x, [-1])


def batch_flatten(x: Any) -> Tensor:
    """Returns the elements of each example in one dimension.

    Args:
        x: Tensor of any dtype, of shape [batch, ...].

    Returns:
        Tensor of the dtype of `x`, of shape [batch, elements].
    """
    x = convert_to_tensor(x)
    size = x.get_shape()[1:].num_elements()
    found = shaping.reshape(x, joining.stack([-1, shaping.size(x[0]) if size is None else size]))
    # A scalar becomes a matrix of one element.
    found.set_shape([x.get_shape()[0] if x.get_shape().ndims != 0 else 1, size])
    return found


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Tensor:
    """Returns zeros before and after the steps.

    Args:
        x: Tensor of any number dtype, of shape [batch, steps, size].
        padding: pair of ints, the numbers of steps before and after.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, steps + both, size].
    """
    return shaping.pad(x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None) -> Tensor:
    """Returns zeros around images.

    Args:
        x: Tensor of any number dtype, of shape [batch, rows, columns, channels].
        padding: pair of pairs of ints, the numbers of rows above and below, and of columns left and right.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    around = [list(padding[0]), list(padding[1])]
    if data_format_of(data_format) == "channels_first":
        return shaping.pad(x, [[0, 0], [0, 0], *around])
    return shaping.pad(x, [[0, 0], *around, [0, 0]])


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Tensor:
    """Enlarges images by whole factors.

    Args:
        x: Tensor of a real number dtype, of shape [batch, rows, columns, channels].
        height_factor: int, how many times as many rows.
        width_factor: int, how many times as many columns.
        data_format: str, "channels_last" or "channels_first".
        interpolation: str, "nearest" to repeat rows and columns, or "bilinear".

    Returns:
        Tensor of the dtype of `x`; "bilinear": of float32.

    Raises:
        ValueError: if `data_format` or `interpolation` is not one of the listed values.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid `data_format` argument: {data_format}")
    if interpolation not in ("nearest", "bilinear"):
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    x = convert_to_tensor(x)
    is_first = data_format == "channels_first"
    rows, columns = (2, 3) if is_first else (1, 2)
    known = x.get_shape().as_list()
    sizes: Any = shaping.shape(x)[rows : columns + 1]
    sizes = sizes * constant_of([height_factor, width_factor], dtypes.int32)
    images = shaping.transpose(x, [0, 2, 3, 1]) if is_first else x
    images = resize_centered(images, sizes, method=interpolation)
    outputs = shaping.transpose(images, [0, 3, 1, 2]) if is_first else images
    for axis, factor in ((rows, height_factor), (columns, width_factor)):
        known[axis] = None if known[axis] is None else known[axis] * factor
    outputs.set_shape(known)
    return outputs


def stack(x: Any, axis: int = 0) -> Tensor:
    """Stacks tensors along a new dimension.

    Args:
        x: list of Tensors of one dtype and shape.
        axis: int, the place of the dimension.

    Returns:
        Tensor of their dtype, with one dimension more.
    """
    return joining.stack(x, axis=axis)


def one_hot(indices: Any, num_classes: int) -> Tensor:
    """Returns rows of zeros with a 1 at the number of a class.

    Args:
        indices: Tensor of an integer dtype, of any shape.
        num_classes: int, the length of a row.

    Returns:
        Tensor of float32, of the shape of `indices` + [num_classes].
    """
    return making.one_hot(indices, depth=num_classes, axis=-1)


def reverse(x: Any, axes: Any) -> Tensor:
    """Reverses dimensions.

    Args:
        x: Tensor of any dtype and shape.
        axes: int, or list of ints: the dimensions.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return shaping.reverse(x, [axes] if isinstance(axes, int) else list(axes))
