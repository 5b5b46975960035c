"""Joining tensors to one and splitting one into several."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.compat import integral_types
from ferroflow._src.base.typing import ArrayObject, IntsLike, ListLike, TensorLike, TensorLikes, TensorObject
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping


@add_dispatch_support
def stack(values: ListLike | TensorObject | ArrayObject, axis: int = 0, name: str = "stack") -> Tensor:
    """Stacks tensors of one shape along a new dimension.

    Args:
        values: list of Tensors of one dtype and shape.
        axis: int, where the new dimension goes, in [-rank - 1, rank].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of the values, with one dimension more.

    Raises:
        ValueError: if `axis` is out of range, or the shapes differ.
        TypeError: if the dtypes differ.

    Example:
        >>> x, y = tf.constant([1, 2, 3]), tf.constant([4, 5, 6])
        >>> print(sess.run(tf.stack([x, y])))
        [[1 2 3]
         [4 5 6]]
        >>> print(tf.stack([x, y], axis=1).shape)
        (3, 2)
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            # TF 1.x: what is no nest of numbers and tensors of one dtype is left to the op, which converts and
            # complains.
            pass
    parts: Any = values
    ndims = convert_to_tensor(parts[0], name=name).get_shape().ndims
    if ndims is not None and not -(ndims + 1) <= axis <= ndims:
        raise ValueError(f"axis = {axis} not in [{-(ndims + 1)}, {ndims + 1})")
    return tensor_op("Pack", [list(parts)], {"axis": axis}, name=name)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Stacks tensors of one known shape along a new first dimension.

    Args:
        values: list of Tensors of one dtype and one fully known shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of the values, with one dimension more.
    """
    with name_scope(name):
        shape = tensor_shape.TensorShape([len(values)]).concatenate(convert_to_tensor(values[0]).get_shape())
        return tensor_op("ParallelConcat", [[shaping.expand_dims(value, 0) for value in values]], {"shape": shape})


def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """Splits a tensor into slices along a dimension, and removes that dimension.

    Args:
        value: Tensor of any dtype, of rank 1 or more.
        num: int, the size of that dimension; None to take it from the shape.
        axis: int, the dimension, in [-rank, rank).
        name: str, name of the operation.

    Returns:
        List of `num` Tensors of the dtype of `value`, with one dimension less.

    Raises:
        ValueError: if `axis` is out of range, or the size is unknown and `num` not given.

    Example:
        >>> x = tf.constant([[1, 2], [3, 4], [5, 6]])
        >>> first, second, third = tf.unstack(x)
        >>> print(sess.run(second))
        [3 4]
        >>> print(len(tf.unstack(x, axis=1)))
        2
    """
    if num is None:
        value = convert_to_tensor(value)
        shape = value.get_shape()
        if shape.ndims is not None:
            if not -shape.ndims <= axis < shape.ndims:
                raise ValueError(f"axis = {axis} not in [{-shape.ndims}, {shape.ndims})")
            num = shape[axis].value
        if num is None:
            raise ValueError(f"Cannot infer num from shape {shape}")
    return list(apply_op("Unpack", [value], {"num": num, "axis": axis}, name=name).outputs)


@add_dispatch_support
def concat(values: TensorLikes, axis: IntsLike, name: str = "concat") -> Tensor:
    """Joins tensors along a dimension.

    Args:
        values: list of Tensors of one dtype, whose shapes differ in that dimension only.
        axis: Tensor of int32 or int64, of shape []: the dimension, in [-rank, rank).
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of the values.

    Raises:
        ValueError: if `axis` is out of range, or the shapes are incompatible.
        TypeError: if the dtypes differ, or the arguments are in the order of TensorFlow before 1.0.

    Example:
        >>> a, b = tf.constant([[1, 2]]), tf.constant([[3, 4]])
        >>> print(sess.run(tf.concat([a, b], axis=0)))
        [[1 2]
         [3 4]]
        >>> print(sess.run(tf.concat([a, b], axis=1)))
        [[1 2 3 4]]
    """
    if isinstance(values, int) and isinstance(axis, (list, tuple)):
        raise TypeError("tf.concat takes the values first and then the axis: tf.concat(values, axis).")
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        # TF 1.x: one value is checked for its axis and passed on.
        with name_scope(name):
            axis = convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32)
            axis.get_shape().assert_is_compatible_with(tensor_shape.scalar())
            return making.identity(values[0], name=name)
    return tensor_op("ConcatV2", [list(values), axis], name=name)


def split(
    value: TensorLike, num_or_size_splits: IntsLike, axis: IntsLike = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Splits a tensor into pieces along a dimension.

    Args:
        value: Tensor of any dtype, of rank 1 or more.
        num_or_size_splits: int, the number of equal pieces; or Tensor of int32 or int64, of shape [n]: the size of each
            piece, of which one may be -1 for the remaining elements.
        axis: Tensor of int32, of shape []: the dimension, in [-rank, rank).
        num: int, the number of pieces; needed if `num_or_size_splits` does not determine it.
        name: str, name of the operation.

    Returns:
        List of Tensors of the dtype of `value`.

    Raises:
        ValueError: if the dimension cannot be split this way, or the number of pieces is unknown.

    Example:
        >>> x = tf.range(6)
        >>> print(sess.run(tf.split(x, 3)))
        [array([0, 1], dtype=int32), array([2, 3], dtype=int32), array([4, 5], dtype=int32)]
        >>> a, b = tf.split(x, [2, 4])
        >>> print(sess.run(b))
        [2 3 4 5]
    """
    if isinstance(num_or_size_splits, (*integral_types, tensor_shape.Dimension)):
        # TF 1.x makes a constant of it that nothing reads. It counts for the seeds of operations after it.
        convert_to_tensor(int(num_or_size_splits))
        return list(apply_op("Split", [axis, value], {"num_split": int(num_or_size_splits)}, name=name).outputs)
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.get_shape().ndims == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{num_or_size_splits}"
        )
    if num is None:
        shape = sizes.get_shape()
        num = shape[0].value if shape.ndims == 1 else None
        if num is None:
            raise ValueError(f"Cannot infer num from shape {num_or_size_splits}")
    return list(apply_op("SplitV", [value, sizes, axis], {"num_split": num}, name=name).outputs)


def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """Spreads coordinates of each dimension over a grid.

    Args:
        *args: Tensors of one number dtype, of shape [n_i].
        indexing: "xy" for grids of shape [n_2, n_1, n_3, ...], "ij" for [n_1, n_2, n_3, ...].
        name: str, name scope of the operations.

    Returns:
        List of as many Tensors as `args`, each of the shape of the grid.

    Raises:
        ValueError: if `indexing` is neither "xy" nor "ij".
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, "meshgrid", args):
        count = len(args)
        if not args:
            return []
        coordinates = [shaping.reshape(stack(x), [1] * i + [-1] + [1] * (count - 1 - i)) for i, x in enumerate(args)]
        sizes = [shaping.size(x) for x in args]
        dtype = coordinates[0].dtype.base_dtype
        if indexing == "xy" and count > 1:
            coordinates[0] = shaping.reshape(coordinates[0], [1, -1] + [1] * (count - 2))
            coordinates[1] = shaping.reshape(coordinates[1], [-1, 1] + [1] * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        ones = making.ones(sizes, dtype)
        return [x * ones for x in coordinates]


@add_dispatch_support
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Sorts slices of a tensor into partitions.

    Args:
        data: Tensor of any dtype, whose shape begins with that of `partitions`.
        partitions: Tensor of int32: for each slice, its partition, in [0, num_partitions).
        num_partitions: int, at least 1.
        name: str, name of the operation.

    Returns:
        List of `num_partitions` Tensors of the dtype of `data`, the slices of each in their order.
    """
    return list(apply_op("DynamicPartition", [data, partitions], {"num_partitions": num_partitions}, name=name).outputs)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Merges slices of several tensors at given indices; among equal indices the last one counts.

    Args:
        indices: list of Tensors of int32.
        data: list of Tensors of one dtype; the shape of each begins with that of its indices.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `data`, of shape [largest index + 1] + shape of a slice.
    """
    return tensor_op("DynamicStitch", [list(indices), list(data)], name=name)
