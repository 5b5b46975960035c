"""Embeddings: rows of one table, or of a table cut into parts, by id."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.tensor_shape import as_shape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor, convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    colocate_with,
    name_scope,
)
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping, slicing
from ferroflow._src.ops.math import segment
from ferroflow._src.ops.math.arithmetic import div
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_norm
from ferroflow._src.ops.math.elementwise import sqrt
from ferroflow._src.ops.math.reduction import reduce_prod, reduce_sum
from ferroflow._src.ops.sparse.shaping import sparse_fill_empty_rows, sparse_reshape, sparse_retain


def _as_list(params: Any) -> list[Any]:
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError("Need at least one param")
    # A partitioned variable is the list of its parts.
    parts = getattr(params, "_get_variable_list", None)
    if parts is not None:
        return list(parts())
    return list(params) if isinstance(params, (list, tuple)) else [params]


def _clip_rows(rows: Tensor, ids: Tensor, max_norm: Any) -> Tensor:
    if max_norm is None:
        return rows
    ids_rank, rows_rank = ids.get_shape().ndims, rows.get_shape().ndims
    axes: Any
    if ids_rank is not None and rows_rank is not None:
        axes = list(builtins.range(ids_rank, rows_rank))
    else:
        axes = making.range(shaping.rank(ids), shaping.rank(rows))
    clipped: Tensor = clip_by_norm(rows, max_norm, axes=axes)
    return clipped


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Looks up rows of a table by id.

    Args:
        params: Tensor or Variable of shape [ids, ...]; or a list of them or a partitioned Variable: parts of one table.
        ids: Tensor of int32 or int64, of any shape.
        partition_strategy: "mod" if id i is row i // parts of part i % parts. "div" if the parts are consecutive
            pieces, the first ones longer by one row if needed.
        name: str, name of the operation.
        validate_indices: bool, without effect: ids are always checked.
        max_norm: float, the Euclidean norm that longer rows are scaled down to; None for no limit.

    Returns:
        Tensor of the dtype of `params`, of the shape of `ids` + the shape of a row.

    Raises:
        ValueError: if there is no table, or `partition_strategy` is not "mod" or "div".

    Example:
        >>> table = tf.constant([[0.0, 0.1], [1.0, 1.1], [2.0, 2.1]])
        >>> print(sess.run(tf.nn.embedding_lookup(table, [2, 0, 2])))
        [[2.  2.1]
         [0.  0.1]
         [2.  2.1]]
    """
    del validate_indices
    return lookup_and_transform(params, ids, partition_strategy, name, max_norm)


def lookup_and_transform(
    params: Any,
    ids: Any,
    partition_strategy: str,
    name: str | None = None,
    max_norm: float | None = None,
    transform: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Looks up rows as `embedding_lookup`, and computes something of each part's rows where the part is.

    Args:
        params: as for `embedding_lookup`.
        ids: as for `embedding_lookup`.
        partition_strategy: "mod" or "div".
        name: str, name of the operation.
        max_norm: float, the greatest norm of rows, or None.
        transform: function of a Tensor of rows that returns a Tensor of as many results; None for the rows.

    Returns:
        Tensor of the shape of `ids` + the shape of a row, or of a result.

    Raises:
        ValueError: on the same conditions as `embedding_lookup`.
    """
    params = _as_list(params)
    with name_scope(name, "embedding_lookup", [*params, ids]) as scope:
        count = len(params)
        if not any(hasattr(p, "_read_rows") for p in params):
            params = convert_n_to_tensor_or_indexed_slices(params, name="params")
        ids = convert_to_tensor(ids, name="ids")
        if count == 1 and (transform is None or ids.get_shape().ndims == 1):
            with colocate_with(params[0]):
                rows = _clip_rows(indexing.gather(params[0], ids, name=scope), ids, max_norm)
                rows = rows if transform is None else transform(rows)
            # Operations that read the rows must not be colocated with the table.
            return tensor_op("Identity", [rows])
        flat_ids = shaping.reshape(ids, [-1])
        positions = making.range(shaping.size(flat_ids))
        if partition_strategy == "mod":
            parts, rows = flat_ids % count, flat_ids // count
        elif partition_strategy == "div":
            parts, rows = _consecutive(params, flat_ids)
        else:
            raise ValueError(f"Unrecognized partition strategy: {partition_strategy}")
        parts = cast(parts, dtypes.int32)
        rows_of_part = joining.dynamic_partition(rows, parts, count)
        positions_of_part = joining.dynamic_partition(positions, parts, count)
        found = []
        for part, part_rows in zip(params, rows_of_part, strict=True):
            with colocate_with(part):
                of_part = indexing.gather(part, part_rows)
                found.append(of_part if transform is None else transform(_clip_rows(of_part, part_rows, max_norm)))
        result = tensor_op("ParallelDynamicStitch", [positions_of_part, found], name=scope)
        row_static = params[0].get_shape()[1:] if transform is None else result.get_shape()[1:]
        for part in params[1:] if transform is None else ():
            row_static = row_static.merge_with(part.get_shape()[1:])
        if row_static.is_fully_defined():
            row_shape: Any = row_static.as_list()
        elif transform is not None:
            row_shape = shaping.shape(result)[1:]
        else:
            with colocate_with(params[0]):
                row_shape = shaping.shape(params[0])[1:]
        shape = joining.concat([shaping.shape(ids), row_shape], 0)
        result = shaping.reshape(result, shape)
        result.set_shape(ids.get_shape().concatenate(row_static))
        return _clip_rows(result, ids, max_norm) if transform is None else result


def _consecutive(params: list[Any], flat_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Returns (part, row in it) of each id in a table whose parts are consecutive pieces."""
    count = len(params)
    dtype = flat_ids.dtype.base_dtype
    sizes = [p.get_shape()[0].value for p in params]
    if None not in sizes:
        total = constant(sum(sizes), dtype)
    else:
        sizes_now = []
        for part, size in zip(params, sizes, strict=True):
            if size is not None:
                sizes_now.append(size)
            else:
                with colocate_with(part):
                    sizes_now.append(shaping.shape(part)[0])
        total = reduce_sum(cast(joining.stack(sizes_now), dtype))
    per_part = total // count
    extras = total % count
    parts = tensor_op("Maximum", [flat_ids // (per_part + 1), (flat_ids - extras) // per_part])
    rows = indexing.where(parts < extras, flat_ids % (per_part + 1), (flat_ids - extras) % per_part)
    return parts, rows


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: TensorLike | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """Looks up rows of a table by id, and combines the rows for each row of a sparse matrix of ids.

    Args:
        params: as `embedding_lookup` takes it.
        sp_ids: SparseTensor of int32 or int64, of shape [n, m]: ids; every row must hold at least one.
        sp_weights: SparseTensor of float32 or float64 with the indices of `sp_ids`: weights; None for 1.
        partition_strategy: as `embedding_lookup` takes it.
        name: str, name of the operation.
        combiner: "sum", "mean" (divided by the sum of weights) or "sqrtn" (divided by the root of the sum of their
            squares); None for "mean".
        max_norm: float, the Euclidean norm that longer rows of the table are scaled down to; None for no limit.

    Returns:
        Tensor of the dtype of `params`, of shape [n] + the shape of a row.

    Raises:
        TypeError: if `sp_ids` or `sp_weights` is not a SparseTensor.
        ValueError: if `combiner` is not one of these, or the shapes differ.
    """
    if combiner is None:
        tf_logging.warn('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
        combiner = "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    params = _as_list(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError("sp_ids must be SparseTensor")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError("sp_weights must be either None or SparseTensor")
        for part in ("values", "indices", "dense_shape"):
            getattr(sp_ids, part).get_shape().assert_is_compatible_with(getattr(sp_weights, part).get_shape())
    with name_scope(name, "embedding_lookup_sparse", [*params, sp_ids]) as scope:
        segments = cast(sp_ids.indices[:, 0], dtypes.int32)
        ids, positions = indexing.unique(sp_ids.values)
        rows = embedding_lookup(params, ids, partition_strategy=partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            combine = {
                "sum": segment.sparse_segment_sum,
                "mean": segment.sparse_segment_mean,
                "sqrtn": segment.sparse_segment_sqrt_n,
            }[combiner]
            return combine(rows, positions, segments, name=scope)
        rows = indexing.gather(rows, positions)
        weights = cast(sp_weights.values, rows.dtype)
        static = weights.get_shape()
        ones = making.fill(shaping.expand_dims(shaping.rank(rows) - 1, 0), 1)
        weights = shaping.reshape(weights, joining.concat([shaping.shape(weights), ones], 0))
        ndims = rows.get_shape().ndims
        if ndims is not None:
            weights.set_shape(static.concatenate([1] * (ndims - 1)))
        rows = rows * weights
        if combiner == "sum":
            return segment.segment_sum(rows, segments, name=scope)
        total = segment.segment_sum(rows, segments)
        if combiner == "mean":
            return div(total, segment.segment_sum(weights, segments), name=scope)
        squares = segment.segment_sum(tensor_op("Pow", [weights, 2]), segments)
        return div(total, sqrt(squares), name=scope)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Tensor:
    """Combines rows of a table as `embedding_lookup_sparse` does, for ids of any rank, some of which are not valid.

    Negative ids are left out, and so are ids of weights that are not positive, where `combiner` is not "sum".

    Args:
        embedding_weights: as `embedding_lookup` takes it.
        sparse_ids: SparseTensor of int32 or int64, of shape [d0, ..., dn]: ids.
        sparse_weights: SparseTensor of float32 or float64 with the indices of `sparse_ids`: weights; None for 1.
        combiner: "sum", "mean" or "sqrtn", as `embedding_lookup_sparse` takes it.
        default_id: int, the id if none is left; None for zeros there.
        name: str, name scope of the operations.
        partition_strategy: as `embedding_lookup` takes it.
        max_norm: float, the Euclidean norm that longer rows of the table are scaled down to; None for no limit.

    Returns:
        Tensor of the dtype of `embedding_weights`, of shape [d0, ..., d(n-1)] + the shape of a row.

    Raises:
        ValueError: if there is no table, or `combiner` or `partition_strategy` is unknown.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    params = _as_list(embedding_weights)
    with name_scope(name, "embedding_lookup", [*params, sparse_ids, sparse_weights]) as scope:
        full_shape = sparse_ids.dense_shape
        rank = full_shape.get_shape()[0].value
        last = shaping.size(full_shape) - 1 if rank is None else rank - 1
        # TF 1.x: as many operations, for the seeds of what follows.
        rows_of_ids = reduce_prod(slicing.slice(full_shape, [0], [last]))
        ids = sparse_reshape(sparse_ids, [rows_of_ids, indexing.gather(full_shape, last)])
        weights = None
        if sparse_weights is not None:
            weights = SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        ids, weights = _with_valid_ids(ids, weights)
        if weights is not None and combiner != "sum":
            positive = tensor_op("Greater", [weights.values, 0])
            ids, weights = sparse_retain(ids, positive), sparse_retain(weights, positive)
        ids, is_empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        rows = embedding_lookup_sparse(
            params,
            ids,
            weights,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            combiner=combiner,
            max_norm=max_norm,
        )
        if default_id is None:
            widths = joining.stack([1, shaping.shape(rows)[1]])
            is_empty = shaping.tile(shaping.reshape(is_empty, [-1, 1]), widths)
            rows = indexing.where(is_empty, making.zeros_like(rows), rows, name=scope)
        outer = slicing.slice(cast(full_shape, dtypes.int32), [0], [last])
        row_shape = slicing.slice(shaping.shape(rows), [1], [-1])
        result = shaping.reshape(rows, joining.concat([outer, row_shape], 0))
        known = [None] * (rank - 1) if rank is not None else None
        result.set_shape(as_shape(known).concatenate(rows.get_shape()[1:]))
        return result


def _with_valid_ids(ids: SparseTensor, weights: SparseTensor | None) -> tuple[SparseTensor, SparseTensor | None]:
    """Returns ids and weights without those of negative ids."""
    valid = tensor_op("GreaterEqual", [ids.values, 0])
    if weights is None:
        return sparse_retain(ids, valid), None
    valid = tensor_op("LogicalAnd", [valid, making.ones_like(weights.values, dtype=dtypes.bool)])
    return sparse_retain(ids, valid), sparse_retain(weights, valid)


def embedding_lookup_unique(params: TensorLike, ids: TensorLike, name: str | None = None) -> Tensor:
    """Looks up rows of a table like `embedding_lookup`, each row only once.

    Args:
        params: Tensor of any dtype, of shape [rows, ...], or list of such parts, or a PartitionedVariable.
        ids: Tensor of int32 or int64, of any shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `params`, of shape ids.shape + params.shape[1:].

    Raises:
        ValueError: if `params` is empty.
    """
    with name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        found = indexing.unique(shaping.reshape(ids, [-1]))
        rows = embedding_lookup(params, found.y)
        sizes = joining.concat([shaping.shape(ids), shaping.shape(rows)[1:]], 0)
        outputs = shaping.reshape(indexing.gather(rows, found.idx), sizes)
        outputs.set_shape(ids.get_shape().concatenate(rows.get_shape()[1:]))
        return outputs
