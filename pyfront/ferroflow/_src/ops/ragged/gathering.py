"""Rows of ragged tensors picked by index."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.arguments import as_ragged, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes
from ferroflow._src.ops.ragged.shaping import expand_dims, tile
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged

_NO_BATCH = "batch shape from indices does not match params shape"


def _converted(params: Any, indices: Any) -> tuple[Any, ...]:
    """Returns both as dense or ragged tensors, whose splits have one dtype."""
    params = convert_to_tensor_or_ragged_tensor(params, name="params")
    return match_row_splits_dtypes(params, convert_to_tensor_or_ragged_tensor(indices, name="indices"))


def _rank_of(indices: Any, unknown: str) -> int:
    """Returns the rank of indices, at least 1; raises ValueError, with the message `unknown` for an unknown one."""
    rank: int | None = indices.shape.ndims
    if rank is None:
        raise ValueError(unknown)
    if rank == 0:
        raise ValueError("indices.rank must be at least 1.")
    return rank


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = 0, batch_dims: int = 0, name: str | None = None
) -> Any:
    """Gathers rows by index; the arguments are those of `tf.gather`, and may be ragged.

    Raises:
        ValueError: if `axis` or `batch_dims` is not 0, or the rank of `indices` is unknown.
    """
    del validate_indices
    if axis is not None and (not isinstance(axis, int) or axis != 0):
        raise ValueError("axis != 0 is not supported for ragged gather yet.")
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with name_scope(name, "RaggedGather", [params, indices]):
        params, indices = _converted(params, indices)
        if isinstance(indices, RaggedTensor):
            return indices.with_values(gather(params, indices.values))
        if not isinstance(params, RaggedTensor):
            return indexing.gather(params, indices)
        indices = convert_to_tensor(indices)
        if indices.shape.ndims is None:
            raise ValueError("indices.shape.ndims must be known statically")
        splits = list(params.nested_row_splits)
        out_rank = indices.shape.ndims + len(splits) - 1
        inputs = [splits, params.flat_values, indices]
        *out_splits, values = apply_op("RaggedGather", inputs, {"OUTPUT_RAGGED_RANK": out_rank}).outputs
        return RaggedTensor.from_nested_row_splits(values, out_splits, validate=False)


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0) -> Any:
    """Gathers slices by coordinates; the arguments are those of `tf.gather_nd`, and may be ragged.

    Raises:
        ValueError: if `batch_dims` is not 0, or a rank or the number of coordinates is unknown.
    """
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    if not is_ragged(params) and not is_ragged(indices):
        return indexing.gather_nd(params, indices, name)
    with name_scope(name, "RaggedGatherNd", [params, indices]):
        params, indices = _converted(params, indices)
        rank = _rank_of(indices, "indices.rank be statically known.")
        if isinstance(indices, RaggedTensor) and rank == indices.ragged_rank + 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        coordinates = indices.shape.as_list()[-1]
        if coordinates is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        if rank > 2:
            return _gather_nd_of_rows(params, indices, rank)
        return _gather_nd_of_matrix(params, indices, coordinates)


def _gather_nd_of_rows(params: Any, indices: Any, rank: int) -> Any:
    """Gathers by coordinates in more than two dimensions: their outer ones become those of the result."""
    is_dense = not isinstance(indices, RaggedTensor)
    if is_dense:
        indices = as_ragged(indices, params.row_splits.dtype, ragged_rank=rank - 2)
    found = indices.with_flat_values(gather_nd(params, indices.flat_values))
    if is_dense and found.ragged_rank == rank - 2:
        return found.to_tensor()
    return found


def _gather_nd_of_matrix(params: RaggedTensor, indices: Tensor, coordinates: int) -> Any:
    """Gathers by one or more sets of coordinates, each of which leads through the ragged dimensions."""
    if coordinates == 0:
        inner_rank = params.ragged_rank + shaping.rank(params.flat_values)
        for _ in range((indices.shape.ndims or 1) - 1):
            params = expand_dims(params, axis=0)
        outer = shaping.shape(indices)[:-1]
        return tile(params, joining.concat([outer, making.ones([inner_rank], dtypes.int32)], axis=0))
    if coordinates == 1:
        return gather(params, shaping.reshape(indices, [-1]))
    indices = cast(indices, params.row_splits.dtype)
    place = indexing.gather(params.row_splits, indices[..., 0]) + indices[..., 1]
    values = params.values
    for axis in range(2, coordinates):
        if not isinstance(values, RaggedTensor):
            inner = joining.concat([shaping.expand_dims(place, axis=1), indices[..., axis:]], axis=1)
            return indexing.gather_nd(values, inner)
        place = indexing.gather(values.row_starts(), place) + indices[..., axis]
        values = values.values
    return gather(values, place)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Gathers in each row by index; the arguments are those of `tf.batch_gather`, and may be ragged.

    Raises:
        ValueError: if the rank of `indices` is unknown or 0, or the shapes do not fit together.
    """
    if not is_ragged(params) and not is_ragged(indices):
        return indexing.batch_gather(params, indices, name)
    with name_scope(name, "RaggedBatchGather", [params, indices]):
        params, indices = _converted(params, indices)
        rank = _rank_of(indices, "batch_gather does not allow indices with unknown shape.")
        if isinstance(indices, RaggedTensor):
            return _batch_gather_ragged(params, indices, rank)
        if rank == 1:
            return gather(params, indices)
        if rank > 2:
            raise ValueError(_NO_BATCH)
        starts = shaping.expand_dims(params.row_starts(), 1)
        return gather(params.values, cast(indices, starts.dtype) + starts)


def _batch_gather_ragged(params: Any, indices: RaggedTensor, rank: int) -> Any:
    splits = indices.row_splits
    if rank > 2:
        if not isinstance(params, RaggedTensor):
            raise ValueError(_NO_BATCH)
        with control_dependencies([checking.assert_equal(params.row_splits, splits)]):
            inner = batch_gather(params.values, indices.values)
            return RaggedTensor.from_row_splits(inner, splits, validate=False)
    if not isinstance(params, RaggedTensor) and params.shape.ndims is not None and params.shape.ndims < 2:
        raise ValueError(_NO_BATCH)
    rows = as_ragged(params, splits.dtype)
    counts = indices.row_lengths()
    starts = shaping.repeat(rows.row_starts(), counts, axis=0)
    picked = gather(rows.values, cast(indices.values, starts.dtype) + starts)
    return RaggedTensor.from_row_splits(picked, splits, validate=False)
