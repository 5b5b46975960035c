"""Functions that move, cut, join or drop the elements of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup, warn_deprecated
from ferroflow._src.base.typing import IntsLike, ListLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping, slicing
from ferroflow._src.ops.array.slicing import slice_tensor
from ferroflow._src.ops.flow import checking, grouping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max
from ferroflow._src.ops.sparse.arguments import as_sparse, as_sparse_list


def sparse_concat(
    axis: Any,
    sp_inputs: ListLike,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Joins sparse tensors along a dimension.

    Args:
        axis: int, the dimension, in [-rank, rank).
        sp_inputs: list of SparseTensors of one dtype and rank, their indices in row-major order.
        name: str, name of the operation.
        expand_nonconcat_dim: bool. If True, the other dimensions may differ; the largest of each is taken.
        concat_dim: deprecated name of `axis`.
        expand_nonconcat_dims: bool, newer name of `expand_nonconcat_dim`.

    Returns:
        SparseTensor of the dtype of the inputs.

    Raises:
        TypeError: if an input is not sparse.
        ValueError: if both names of an argument are given.
    """
    if concat_dim is not None:
        warn_deprecated("The argument concat_dim of sparse_concat", "axis")
    axis = deprecated_argument_lookup("axis", axis, "concat_dim", concat_dim)
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    inputs = as_sparse_list(sp_inputs)
    if len(inputs) == 1:
        return inputs[0]
    shapes = [sp_input.dense_shape for sp_input in inputs]
    if expand:
        largest = reduce_max(joining.concat([shaping.reshape(shape, [1, -1]) for shape in shapes], 0), 0)
        shapes = [_with_largest(shape, largest, axis) for shape in shapes]
    op = apply_op(
        "SparseConcat",
        [[sp.indices for sp in inputs], [sp.values for sp in inputs], shapes],
        {"concat_dim": int(axis)},
        name=name,
    )
    known = [constant_value(shape) for shape in shapes]
    if any(shape is None for shape in known):
        return SparseTensor(*op.outputs)
    dense_shape = np.array(known[0])
    dense_shape[axis] = sum(shape[axis] for shape in known)
    return SparseTensor(op.outputs[0], op.outputs[1], convert_to_tensor(dense_shape))


def _with_largest(shape: Tensor, largest: Tensor, axis: int) -> Tensor:
    """Returns `shape` along `axis` and `largest` along the other dimensions."""
    end = axis + 1 or None
    before, own = slice_tensor(largest, np.s_[:axis]), slice_tensor(shape, np.s_[axis:end])
    return joining.concat([before, own, [] if end is None else slice_tensor(largest, np.s_[end:])], 0)


class KeywordRequired:
    """Placeholder for a positional argument, so that the others must be given by name."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


_KEYWORD_REQUIRED = KeywordRequired()


def sparse_split(
    keyword_required: Any = _KEYWORD_REQUIRED,
    sp_input: TensorLike | None = None,
    num_split: int | None = None,
    axis: IntsLike | None = None,
    name: str | None = None,
    split_dim: IntsLike | None = None,
) -> list[SparseTensor]:
    """Splits a sparse tensor along a dimension; the first parts are longer by one if the size does not divide.

    Args:
        keyword_required: do not set; the other arguments must be given by name.
        sp_input: SparseTensor of any dtype.
        num_split: int, the number of parts.
        axis: Tensor of int32 or int64, of shape []: the dimension.
        name: str, name of the operation.
        split_dim: deprecated name of `axis`.

    Returns:
        list of `num_split` SparseTensors of the dtype of `sp_input`.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if an argument is missing or positional.
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    if sp_input is None:
        raise ValueError("sp_input is required")
    if num_split is None:
        raise ValueError("num_split is required")
    if split_dim is not None:
        warn_deprecated("The argument split_dim of sparse_split", "axis")
    axis = deprecated_argument_lookup("axis", axis, "split_dim", split_dim)
    if axis is None:
        raise ValueError("axis is required")
    sp_input = as_sparse(sp_input)
    inputs = [axis, sp_input.indices, sp_input.values, sp_input.dense_shape]
    if isinstance(axis, Tensor) and axis.dtype == dtypes.int32:
        inputs[0] = cast(axis, dtypes.int64)
    outputs = apply_op("SparseSplit", inputs, {"num_split": num_split}, name=name).outputs
    return [SparseTensor(*outputs[i::num_split]) for i in range(num_split)]


def sparse_slice(
    sp_input: TensorLike, start: TensorLike, size: ShapeTensorLike, name: str | None = None
) -> SparseTensor:
    """Extracts a box of a sparse tensor.

    Args:
        sp_input: SparseTensor of any dtype and rank.
        start: Tensor of int64, of shape [rank]: the corner.
        size: Tensor of int64, of shape [rank]: the lengths; positions beyond the bounds are ignored.
        name: str, name of the operation.

    Returns:
        SparseTensor of the dtype of `sp_input`, whose indices count from the corner.

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    sp_input = as_sparse(sp_input)
    start = convert_to_tensor(start, dtypes.int64)
    size = convert_to_tensor(size, dtypes.int64)
    with name_scope(name, "SparseSlice", [sp_input]) as scope:
        inputs = [sp_input.indices, sp_input.values, sp_input.dense_shape, start, size]
        return SparseTensor(*apply_op("SparseSlice", inputs, name=scope).outputs)


def sparse_reorder(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """Sorts the elements of a sparse tensor in row-major order.

    Args:
        sp_input: SparseTensor of any dtype.
        name: str, name of the operation.

    Returns:
        SparseTensor of the dtype and shape of `sp_input`.

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    sp_input = as_sparse(sp_input)
    op = apply_op("SparseReorder", [sp_input.indices, sp_input.values, sp_input.dense_shape], name=name)
    static = sp_input.get_shape()
    dense_shape: Any = static.as_list() if static.is_fully_defined() else making.identity(sp_input.dense_shape)
    return SparseTensor(op.outputs[0], op.outputs[1], dense_shape)


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor another shape of as many elements.

    Args:
        sp_input: SparseTensor of any dtype, its indices in row-major order.
        shape: Tensor of int32 or int64, of shape [new rank]; one element may be -1, for the remaining elements.
        name: str, name scope of the operations.

    Returns:
        SparseTensor of the dtype of `sp_input`.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if the numbers of elements are known to differ.
    """
    sp_input = as_sparse(sp_input)
    shape = cast(shape, dtype=dtypes.int64)
    with name_scope(name, "SparseReshape", [sp_input]) as scope:
        indices, dense_shape = apply_op(
            "SparseReshape", [sp_input.indices, sp_input.dense_shape, shape], name=scope
        ).outputs
        target, static = constant_value(shape), sp_input.get_shape()
        if target is not None and static.is_fully_defined():
            dense_shape = constant(_resolved([int(d) for d in target], static.num_elements()), dtypes.int64)
        return SparseTensor(indices, making.identity(sp_input.values), dense_shape)


def _resolved(target: list[int], elements: int) -> list[int]:
    """Returns `target` with its -1 replaced by what is left of `elements`."""
    if target.count(-1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {target}")
    result = list(target)
    if -1 in target:
        others = int(np.prod([d for d in target if d != -1], dtype=np.int64))
        result[target.index(-1)] = elements // others if others else 0
    size = int(np.prod(result, dtype=np.int64))
    if size != elements:
        raise ValueError(f"Cannot reshape a tensor with {elements} elements to shape {target} ({size} elements).")
    return result


def sparse_retain(sp_input: TensorLike, to_retain: TensorLike) -> SparseTensor:
    """Keeps some elements of a sparse tensor.

    Args:
        sp_input: SparseTensor of any dtype, with n elements.
        to_retain: Tensor of bool, of shape [n]: which stay.

    Returns:
        SparseTensor of the dtype and shape of `sp_input`.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if `to_retain` is not a vector of that length.
    """
    sp_input = as_sparse(sp_input)
    to_retain = convert_to_tensor(to_retain)
    retain_shape = to_retain.get_shape()
    retain_shape.assert_has_rank(1)
    sp_input.values.get_shape()[0].merge_with(retain_shape[0])
    kept = shaping.reshape(indexing.where(to_retain), [-1])
    return SparseTensor(
        indexing.gather(sp_input.indices, kept),
        indexing.gather(sp_input.values, kept),
        making.identity(sp_input.dense_shape),
    )


def sparse_reset_shape(sp_input: TensorLike, new_shape: ShapeTensorLike | None = None) -> SparseTensor:
    """Returns a sparse tensor a larger shape, or the smallest one that holds its elements.

    Args:
        sp_input: SparseTensor of any dtype, of rank r.
        new_shape: Tensor of int32 or int64, of shape [r]; None for the smallest shape.

    Returns:
        SparseTensor of the dtype of `sp_input`, with its elements and indices.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if `new_shape` has another rank, or is known to be smaller.
    """
    sp_input = as_sparse(sp_input)
    indices, values = making.identity(sp_input.indices), making.identity(sp_input.values)
    old_shape = making.identity(sp_input.dense_shape)
    shape: Any
    if new_shape is None:
        last = reduce_max(indices, axis=0)
        beyond = tensor_op("Add", [last, making.ones_like(old_shape)])
        shape = tensor_op("Maximum", [constant(0, dtype=dtypes.int64), beyond])
        return SparseTensor(indices, values, shape)
    shape = convert_to_tensor(new_shape)
    shape.get_shape().assert_has_rank(1)
    shape = cast(shape, dtypes.int64)
    # The rank is that of the old shape, of the elements and of the new one.
    shape.get_shape()[0].merge_with(old_shape.get_shape()[0])
    known, static = constant_value(shape), sp_input.get_shape()
    if known is not None and static.is_fully_defined():
        old = np.array(static.as_list())
        if not np.all(old <= known):
            raise ValueError(
                f"Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape ({known}), "
                f"sp_input.shape ({old})."
            )
        shape = known
    else:
        same_rank = checking.assert_equal(shaping.shape(old_shape), shaping.shape(shape))
        shape = grouping.with_dependencies([same_rank], shape)
        shape = grouping.with_dependencies([checking.assert_less_equal(old_shape, shape)], shape)
    return SparseTensor(indices, values, shape)


def sparse_fill_empty_rows(
    sp_input: TensorLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Inserts a default element at the front of each row that has no element.

    Args:
        sp_input: SparseTensor of any dtype, of shape [n, ...].
        default_value: Tensor of the dtype of `sp_input`, of shape [].
        name: str, name scope of the operations.

    Returns:
        (SparseTensor of the dtype and shape of `sp_input`, Tensor of bool, of shape [n]: which rows were empty).

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sp_input]):
        default_value = convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        inputs = [sp_input.indices, sp_input.values, sp_input.dense_shape, default_value]
        indices, values, empty, _ = apply_op("SparseFillEmptyRows", inputs).outputs
        return SparseTensor(indices, values, sp_input.dense_shape), empty


def sparse_transpose(sp_input: TensorLike, perm: IntsLike | None = None, name: str | None = None) -> SparseTensor:
    """Permutes the dimensions of a sparse tensor.

    Args:
        sp_input: SparseTensor of any dtype.
        perm: Tensor of int32 or int64, of shape [rank]: for each new dimension the old one; None for their reverse.
        name: str, name scope of the operations.

    Returns:
        SparseTensor of the dtype of `sp_input`, its indices in row-major order.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseTranspose", [sp_input]):
        if perm is None:
            rank = shaping.rank(sp_input)
            perm = (rank - 1) - making.range(0, rank, 1)
        perm = convert_to_tensor(perm)
        columns = shaping.transpose(sp_input.indices)
        indices = shaping.transpose(indexing.gather(columns, perm))
        order, static = constant_value(perm), sp_input.get_shape()
        shape: Any
        if order is not None and static.is_fully_defined():
            sizes = static.as_list()
            shape = [sizes[d] for d in order]
        else:
            shape = indexing.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, shape))


def sparse_expand_dims(sp_input: TensorLike, axis: TensorLike | None = None, name: str | None = None) -> SparseTensor:
    """Adds a dimension of size 1 to a sparse tensor.

    Args:
        sp_input: SparseTensor of any dtype, of known rank.
        axis: int, or Tensor of an integer dtype, of shape []: where the new dimension goes, in [-rank - 1, rank]; None
            for -1.
        name: str, name scope of the operations.

    Returns:
        SparseTensor of the dtype of `sp_input`, with one dimension more.

    Raises:
        TypeError: if `axis` is not an integer, or a Tensor of another dtype.
        ValueError: if `axis` is out of range, or the rank is unknown.
    """
    sp_input = as_sparse(sp_input)
    rank = sp_input.get_shape().ndims
    if rank is None:
        raise ValueError("The rank of sp_input must be known.")
    axis = -1 if axis is None else axis
    at: Any
    if isinstance(axis, Tensor):
        if axis.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
            raise TypeError(f"axis must be of int32 or int64, not {axis.dtype.base_dtype.name}.")
        at = indexing.where_v2(axis >= 0, axis, axis + (rank + 1))
    elif isinstance(axis, int | np.integer):
        if not -rank - 1 <= axis <= rank:
            raise ValueError(f"axis={axis} is out of range: it must be in [{-rank - 1}, {rank}].")
        at = int(axis) % (rank + 1)
    else:
        raise TypeError("axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]")
    with name_scope(name, "expand_dims", [sp_input]):
        indices, shape = sp_input.indices, sp_input.dense_shape
        column = making.zeros_like(slice_tensor(indices, np.s_[:, :1]))
        before, after = slicing.slice(indices, [0, 0], [-1, at]), slicing.slice(indices, [0, at], [-1, -1])
        new_indices = joining.concat([before, column, after], 1)
        one = constant([1], dtype=dtypes.int64)
        new_shape = joining.concat([slicing.slice(shape, [0], [at]), one, slicing.slice(shape, [at], [-1])], 0)
        return SparseTensor(new_indices, sp_input.values, new_shape)
