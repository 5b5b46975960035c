"""Sparse tensors made from dense ones and dense ones from sparse ones."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, IntLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor, SparseTensorValue
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.array.slicing import slice_tensor
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.sparse.arguments import as_sparse
from ferroflow._src.ops.sparse.shaping import sparse_reorder

_DEFAULTS: dict[dtypes.DType, Any] = {dtypes.string: "", dtypes.bool: False}


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: ShapeTensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Writes values at their indices into a tensor of one default value.

    Args:
        sparse_indices: Tensor of int32 or int64, of shape [], [n] or [n, rank]: where the values go.
        output_shape: Tensor of the dtype of `sparse_indices`, of shape [rank].
        sparse_values: Tensor of any dtype, of shape [n], or of shape [] for all indices.
        default_value: Tensor of the dtype of `sparse_values`, of shape [].
        validate_indices: bool. If True, indices must be in row-major order without repetition.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `sparse_values`, of shape `output_shape`.
    """
    inputs = [sparse_indices, output_shape, sparse_values, default_value]
    return tensor_op("SparseToDense", inputs, {"validate_indices": validate_indices}, name=name)


def _nothing(dtype: dtypes.DType) -> Any:
    """Returns the value of an element that is not stored."""
    return {dtypes.string: "", dtypes.bool: False}.get(dtype, 0)


def sparse_tensor_to_dense(
    sp_input: TensorLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Makes a sparse tensor dense.

    Args:
        sp_input: SparseTensor of any dtype.
        default_value: Tensor of the dtype of `sp_input`, of shape []: the value of missing elements; None for zero
            (False, the empty string).
        validate_indices: bool. If True, indices must be in row-major order without repetition.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `sp_input`.

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = _nothing(sp_input.dtype.base_dtype)
    return sparse_to_dense(
        sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name
    )


def sparse_to_indicator(sp_input: TensorLike, vocab_size: IntLike, name: str | None = None) -> Tensor:
    """Computes which ids a sparse tensor of ids has in each row.

    Args:
        sp_input: SparseTensor of int32 or int64, of shape [d0, ..., dn]: ids in [0, vocab_size).
        vocab_size: int, or Tensor of int64, of shape [].
        name: str, name scope of the operations.

    Returns:
        Tensor of bool, of shape [d0, ..., d(n-1), vocab_size].

    Raises:
        TypeError: if `sp_input` is not sparse.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sp_input]) as scope:
        count = slice_tensor(shaping.shape(sp_input.indices), 0)
        present = making.fill(shaping.expand_dims(count, 0), True)
        merged = sparse_merge(
            sp_input, SparseTensor(sp_input.indices, present, sp_input.dense_shape), vocab_size, scope
        )
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False, name=scope)


def _checked_sizes(sp_ids: Any, vocab_size: Any) -> tuple[list[Any], list[Any]]:
    """Lists of ids and of vocabulary sizes of one length."""

    def is_size(x: TensorLike) -> bool:
        return isinstance(x, (Tensor, numbers.Integral))

    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        if not is_size(vocab_size):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
        return [sp_ids], [vocab_size]
    if not isinstance(sp_ids, Iterable):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    if isinstance(vocab_size, Tensor) or not isinstance(vocab_size, Iterable):
        raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
    ids, sizes = list(sp_ids), list(vocab_size)
    for size in sizes:
        if not is_size(size):
            raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(size)}")
    if len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    return ids, sizes


def sparse_merge(
    sp_ids: TensorLike,
    sp_values: TensorLike,
    vocab_size: IntLike,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Replaces the last index of each value by ids from sparse tensors with the same indices.

    Args:
        sp_ids: SparseTensor of int32 or int64, or a list of them with the same indices: one for each new dimension.
        sp_values: SparseTensor of any dtype with the indices of `sp_ids`.
        vocab_size: int or Tensor of int64 of shape [], or a list of them: the sizes of the new dimensions.
        name: str, name scope of the operations.
        already_sorted: bool; True if the result is known to be in row-major order.

    Returns:
        SparseTensor of the dtype of `sp_values`.

    Raises:
        TypeError: if an argument has the wrong kind.
        ValueError: if there are not as many sizes as ids.
    """
    ids, sizes = _checked_sizes(sp_ids, vocab_size)
    with name_scope(name, "SparseMerge", [*ids, sp_values]):
        sparse_ids = [as_sparse(sp) for sp in ids]
        sp_values = as_sparse(sp_values)
        columns = [shaping.expand_dims(cast(sp.values, dtypes.int64), axis=1) for sp in sparse_ids]
        sizes = [cast(size, dtypes.int64) for size in sizes]
        first = sparse_ids[0]
        indices = joining.concat([slice_tensor(first.indices, np.s_[:, :-1]), *columns], 1)
        kept = slice_tensor(first.dense_shape, np.s_[:-1])
        new_shape = joining.concat([kept, joining.stack(sizes)], 0)
        result = SparseTensor(indices, sp_values.values, new_shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, new_shape)


def sparse_from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor of the elements of a dense one that are not zero.

    Args:
        tensor: Tensor of a number dtype, bool or string.
        name: str, name scope of the operations.

    Returns:
        SparseTensor of the dtype and shape of `tensor`.
    """
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        zero = constant(_DEFAULTS.get(tensor.dtype.base_dtype, 0), tensor.dtype.base_dtype)
        indices = indexing.where(tensor_op("NotEqual", [tensor, zero]))
        return SparseTensor(indices, indexing.gather_nd(tensor, indices), shaping.shape(tensor, out_type=dtypes.int64))


def _size(value: TensorLike, argument: str) -> Tensor:
    """Returns a size as a Tensor of int64; numbers that are no integers are refused, and Tensors are cast."""
    if not isinstance(value, (numbers.Integral, Tensor)) or isinstance(value, bool):
        raise TypeError(f"{argument} must be an integer value")
    return cast(value, dtypes.int64)


def sparse_eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Makes a sparse identity matrix.

    Args:
        num_rows: Tensor of int64, of shape [].
        num_columns: Tensor of int64, of shape []; None for `num_rows`.
        dtype: DType of the elements.
        name: str, name scope of the operations.

    Returns:
        SparseTensor of `dtype`, of shape [num_rows, num_columns].
    """
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = _size(num_rows, "num_rows")
        columns = rows if num_columns is None else _size(num_columns, "num_columns")
        size = arithmetic.minimum(rows, columns)
        diagonal = making.range(size, dtype=dtypes.int64)
        ones = making.ones(shaping.expand_dims(size, 0), dtype=dtype)
        return SparseTensor(joining.stack([diagonal, diagonal], axis=1), ones, joining.stack([rows, columns]))
