"""Taking and placing elements by index or by condition."""

from __future__ import annotations

import collections

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.deprecation import deprecated, warn_deprecated
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import DTypeLike, IntsLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math.cast import cast

Unique = collections.namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = collections.namedtuple("UniqueWithCounts", ["y", "idx", "count"])
ListDiff = collections.namedtuple("ListDiff", ["out", "idx"])


@add_dispatch_support
def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Selects elements of `x` or `y` by a condition; without them, returns the positions where it is True.

    Args:
        condition: Tensor of bool; with `x` and `y` of their shape, or of shape [] or [size of their first dimension].
        x: Tensor of any dtype: taken where the condition is True.
        y: Tensor of the dtype and shape of `x`: taken where it is False.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`. Without `x` and `y`, Tensor of int64, of shape [n, rank of `condition`]:
        the positions of True, in row-major order.

    Raises:
        ValueError: if just one of `x` and `y` is given, or the shapes are incompatible.

    Example:
        >>> x = tf.constant([1, -2, 3])
        >>> print(sess.run(tf.where(x > 0, x, tf.zeros_like(x))))
        [1 0 3]
        >>> print(sess.run(tf.where(x > 0)))
        [[0]
         [2]]
    """
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
            return tensor_op("Where", [condition], name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return tensor_op("Select", [condition, x, y], name=name)


def where_v2(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Takes elements of `x` or of `y` where a condition holds or not; all three broadcast to one shape.

    Args:
        condition: Tensor of bool.
        x: Tensor of any dtype: taken where the condition is True.
        y: Tensor of the dtype of `x`: taken where it is False.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of the shape that the three shapes broadcast to. Without `x` and `y`, the positions
        of True, as `where` returns them.

    Raises:
        ValueError: if just one of `x` and `y` is given, or the shapes are incompatible.
    """
    if x is None and y is None:
        return where(condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return tensor_op("SelectV2", [condition, x, y], name=name)


@add_dispatch_support
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: IntsLike | None = None,
    batch_dims: int = 0,
) -> Tensor:
    """Gathers slices of a tensor by index.

    Args:
        params: Tensor of any dtype, of rank above `axis`.
        indices: Tensor of int32 or int64, of any shape, in [0, size of the dimension).
        validate_indices: bool, without effect: indices are always checked.
        name: str, name of the operation.
        axis: Tensor of int32 or int64, of shape []: the dimension to take slices of, in [-rank, rank); None for
            `batch_dims`.
        batch_dims: int, the number of leading dimensions that `params` and `indices` share.

    Returns:
        Tensor of the dtype of `params`. In the shape of `params`, dimension `axis` is replaced by the dimensions of
        `indices` after the first `batch_dims`.

    Raises:
        ValueError: if `axis` or `batch_dims` is out of range.

    Example:
        >>> rows = tf.constant([[1, 2], [3, 4], [5, 6]])
        >>> print(sess.run(tf.gather(rows, [2, 0])))
        [[5 6]
         [1 2]]
        >>> print(sess.run(tf.gather(rows, 1, axis=1)))
        [2 4 6]
    """
    del validate_indices
    # Variables behind handles read only the selected rows.
    read_rows = getattr(params, "_read_rows", None)
    if read_rows is not None and not batch_dims and (axis is None or (isinstance(axis, int) and axis == 0)):
        rows: Tensor = read_rows(indices, name)
        return rows
    attrs = {"batch_dims": batch_dims} if batch_dims else None
    return tensor_op("GatherV2", [params, indices, batch_dims if axis is None else axis], attrs, name=name)


@add_dispatch_support
@deprecated("tf.gather with batch_dims=-1", name="tf.batch_gather")
def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Gathers slices of the dimension after the leading dimensions that two tensors share.

    Args:
        params: Tensor of any dtype, of shape [batch..., n, ...].
        indices: Tensor of int32 or int64, of shape [batch..., m], in [0, n), of known rank.
        name: str, name scope of the operation.

    Returns:
        Tensor of the dtype of `params`, of shape [batch..., m, ...].

    Raises:
        ValueError: if the rank of `indices` is unknown.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        if indices.shape.ndims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return gather(params, indices, batch_dims=indices.shape.ndims - 1)


@add_dispatch_support
def gather_nd(params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0) -> Tensor:
    """Gathers slices of a tensor by indices into several dimensions.

    Args:
        params: Tensor of any dtype.
        indices: Tensor of int32 or int64, of shape [..., k] with k up to the rank of `params`.
        name: str, name of the operation.
        batch_dims: int, the number of leading dimensions that `params` and `indices` share.

    Returns:
        Tensor of the dtype of `params`, of shape [...] + the shape of `params` after its first k dimensions.

    Raises:
        ValueError: if k is above the rank of `params`, or a rank does not allow `batch_dims`.

    Example:
        >>> x = tf.constant([[1, 2], [3, 4]])
        >>> print(sess.run(tf.gather_nd(x, [[0, 1], [1, 0]])))
        [2 3]
    """
    if batch_dims == 0:
        return tensor_op("GatherNd", [params, indices], name=name)
    with name_scope(name, "gather_nd", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        rank = indices.shape.ndims
        if rank is None or not 0 < batch_dims < rank:
            raise ValueError(f"batch_dims = {batch_dims} must be positive and less than rank(indices) = {rank}")
        # Indices into the leading dimensions are put before the given ones.
        shape = shaping.shape(indices)
        leading = [making.range(shape[i]) for i in range(batch_dims)]
        grid = joining.stack(joining.meshgrid(*leading, indexing="ij"), axis=-1)
        ones = [1] * (rank - 1 - batch_dims)
        grid = shaping.reshape(
            grid,
            joining.concat([shape[:batch_dims], ones, [batch_dims]], 0)
            if ones
            else joining.concat([shape[:batch_dims], [batch_dims]], 0),
        )
        grid = shaping.broadcast_to(grid, joining.concat([shape[:-1], [batch_dims]], 0))
        full = joining.concat([cast(grid, indices.dtype), indices], -1)
        return tensor_op("GatherNd", [params, full])


def unravel_index(indices: TensorLike, dims: IntsLike, name: str | None = None) -> Tensor:
    """Returns the coordinates of elements that are counted in row-major order.

    Args:
        indices: Tensor of int32 or int64, of shape [] or [n].
        dims: Tensor of the dtype of `indices`, of shape [rank]: the sizes of the array.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `indices`, of shape [rank] or [rank, n]. A step raises `InvalidArgumentError` for an
        index that is not in the array.
    """
    return tensor_op("UnravelIndex", [indices, dims], name=name)


@FunctionFamily
def _tensor_scatter(
    op_type: str, tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """Makes a tensor from another by {what} slices by indices into several dimensions.

    Args:
        tensor: Tensor of any dtype, left as it is.
        indices: Tensor of int32 or int64, of shape [..., k] with k up to the rank of `tensor`.
        updates: Tensor of the dtype of `tensor`, of shape [...] + the shape of `tensor` after its first k dimensions.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `tensor`.

    Raises:
        ValueError: if the shapes are incompatible.
    """
    return tensor_op(op_type, [tensor, indices, updates], name=name)


tensor_scatter_update = _tensor_scatter("tensor_scatter_update", "TensorScatterUpdate", what="setting")
tensor_scatter_add = _tensor_scatter("tensor_scatter_add", "TensorScatterAdd", what="adding to")
tensor_scatter_sub = _tensor_scatter("tensor_scatter_sub", "TensorScatterSub", what="subtracting from")


def scatter_nd(indices: TensorLike, updates: TensorLike, shape: ShapeTensorLike, name: str | None = None) -> Tensor:
    """Adds slices up at indices of a tensor of zeros.

    Args:
        indices: Tensor of int32 or int64, of shape [..., k].
        updates: Tensor of a number dtype, of shape [...] + shape[k:].
        shape: Tensor of the dtype of `indices`, of shape [rank].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `updates` and of the shape `shape`.
    """
    return tensor_op("ScatterNd", [indices, updates, shape], name=name)


def boolean_mask(tensor: TensorLike, mask: TensorLike, name: str = "boolean_mask", axis: int | None = None) -> Tensor:
    """Returns the slices of a tensor at which a mask is True.

    Args:
        tensor: Tensor of any dtype.
        mask: Tensor of bool, of known rank of at least 1, whose shape is that of `tensor` from `axis` on.
        name: str, name scope of the operations.
        axis: int, the first dimension of `tensor` that the mask covers; None for 0.

    Returns:
        Tensor of the dtype of `tensor`, with the dimensions of the mask replaced by one of the number of True elements.

    Raises:
        ValueError: if the mask is a scalar, has no known rank, or its shape does not fit.
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        mask_shape = mask.get_shape()
        if mask_shape.ndims is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  "
                "E.g. shape=[None] is ok, but shape=None is not."
            )
        if mask_shape.ndims == 0:
            raise ValueError("mask cannot be scalar.")
        axis = 0 if axis is None else axis
        end = axis + mask_shape.ndims
        static = tensor.get_shape()
        static[axis:end].assert_is_compatible_with(mask_shape)
        covered = tensor_op("Prod", [shaping.shape(tensor)[axis:end], [0]])
        new_shape = joining.concat([shaping.shape(tensor)[:axis], [covered], shaping.shape(tensor)[end:]], 0)
        tensor = shaping.reshape(tensor, new_shape)
        n_covered = static[axis:end].num_elements() if static.ndims is not None else None
        tensor.set_shape(tensor_shape.as_shape(static[:axis]).concatenate([n_covered]).concatenate(static[end:]))
        indices = shaping.squeeze(where(shaping.reshape(mask, [-1])), axis=[1])
        return gather(tensor, indices, axis=axis)


def sparse_mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """Removes slices by their index.

    Args:
        a: IndexedSlices of any dtype and shape.
        mask_indices: Tensor of the dtype of the indices, of shape [n]: which to remove.
        name: str, name of the operation.

    Returns:
        IndexedSlices of the others, of the same dtype.
    """
    with name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        kept, positions = setdiff1d(a.indices, mask_indices)
        return IndexedSlices(gather(a.values, positions, name=scope), kept, a.dense_shape)


def setdiff1d(x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: str | None = None) -> ListDiff:
    """Finds the elements of a list that another list does not hold.

    Args:
        x: Tensor of any dtype, of shape [n].
        y: Tensor of the dtype of `x`, of shape [m].
        index_dtype: DType of the positions, int32 or int64.
        name: str, name of the operation.

    Returns:
        (out, idx): these elements in their order, and their positions in `x`.
    """
    return ListDiff(*apply_op("ListDiff", [x, y], {"out_idx": dtypes.dtype_or_none(index_dtype)}, name=name).outputs)


def listdiff(x: TensorLike, y: TensorLike, out_idx: DTypeLike | None = None, name: str | None = None) -> ListDiff:
    """Deprecated: use `tf.setdiff1d` instead.

    Args:
        x: Tensor of any dtype, of shape [n].
        y: Tensor of the dtype of `x`, of shape [m].
        out_idx: DType of the positions, int32 or int64; None for int32.
        name: str, name of the operation.

    Returns:
        The result of `setdiff1d`.
    """
    warn_deprecated("tf.listdiff", "tf.setdiff1d")
    return setdiff1d(x, y, dtypes.int32 if out_idx is None else out_idx, name)


def unique(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Unique:
    """Finds the different elements of a list.

    Args:
        x: Tensor of any dtype, of shape [n].
        out_idx: DType of the positions, int32 or int64.
        name: str, name of the operation.

    Returns:
        (y, idx): the different elements in the order of their first appearance, and for each element of `x` its
        position
        in `y`.
    """
    return Unique(*apply_op("Unique", [x], {"out_idx": dtypes.dtype_or_none(out_idx)}, name=name).outputs)


def unique_with_counts(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """Finds the different elements of a list and how often each is in it.

    Args:
        x: Tensor of any dtype, of shape [n].
        out_idx: DType of the positions and counts, int32 or int64.
        name: str, name of the operation.

    Returns:
        (y, idx, count): as `unique` gives them, and the number of each.
    """
    return UniqueWithCounts(
        *apply_op("UniqueWithCounts", [x], {"out_idx": dtypes.dtype_or_none(out_idx)}, name=name).outputs
    )
