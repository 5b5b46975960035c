"""Crosses of features, and embeddings that are scattered over one vector of parameters by hashes."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, unique
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import range as number_range, zeros_like
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import bitwise_and, bitwise_xor, floormod, left_shift, right_shift
from ferroflow._src.ops.math.cast import bitcast, cast
from ferroflow._src.ops.math.reduction import reduce_all
from ferroflow._src.ops.math.segment import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    unsorted_segment_sum,
)
from ferroflow._src.ops.nn.embedding import embedding_lookup, embedding_lookup_sparse
from ferroflow._src.ops.ragged.text import string_split
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.ops.sparse.crossing import sparse_cross, sparse_cross_hashed
from ferroflow._src.ops.sparse.shaping import sparse_fill_empty_rows
from ferroflow._src.ops.string.characters import regex_replace
from ferroflow._src.ops.string.encoding import as_string, string_to_number
from ferroflow._src.ops.string.hashing import fingerprint
from ferroflow._src.variables.partitioned_variable import PartitionedVariable

__all__ = [
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY",
    "embedding_lookup_sparse_with_distributed_aggregation",
    "scattered_embedding_lookup",
    "scattered_embedding_lookup_sparse",
    "sparse_feature_cross",
]

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY: Final = 0xDECAFCAFFE
# The hash without a key starts from this number, and mixes with that constant.
_SEED: Final = 0xDECAFCAFFE
_MIX: Final = 0x9E3779B97F4A7800 - (1 << 64)
_MAX: Final = (1 << 63) - 1


def sparse_feature_cross(
    inputs: list[Any],
    hashed_output: bool = False,
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Returns, row by row, every combination of one feature of each column.

    Args:
        inputs: list of SparseTensors and Tensors of an integer dtype or string, of shape [batch, ...]: the columns.
        hashed_output: bool. If True, combinations are hashes, otherwise texts joined by "_X_".
        num_buckets: int, hashes are in [0, num_buckets); 0 for all of int64 that is not negative.
        hash_key: int, where the hash starts from. None for the older hash, which has more collisions.
        name: str, name of the operation.

    Returns:
        SparseTensor of int64 or string, of shape [batch, most combinations in a row].

    Raises:
        TypeError: if `inputs` is no list, or an element is neither a Tensor nor a SparseTensor.
    """
    if not hashed_output:
        return sparse_cross(inputs, name=name)
    if hash_key:
        return sparse_cross_hashed(inputs, num_buckets, hash_key, name=name)
    return _crossed_without_key(inputs, num_buckets, name)


def _crossed_without_key(inputs: list[Any], num_buckets: int, name: str | None) -> SparseTensor:
    with name_scope(name, "SparseFeatureCross"):
        # The op crosses the numbers of the features, and the older hash is computed from what has these numbers.
        numbered: list[Any] = []
        hashes: list[Tensor] = []
        columns = sorted(inputs, key=lambda column: not isinstance(column, SparseTensor))
        for column in columns:
            features = column.values if isinstance(column, SparseTensor) else column
            flat = shaping.reshape(features, [-1])
            numbers = as_string(number_range(shaping.size(flat)))
            if isinstance(column, SparseTensor):
                numbered.append(SparseTensor(column.indices, numbers, column.dense_shape))
            else:
                numbered.append(shaping.reshape(numbers, shaping.shape(column)))
            hashes.append(_fingerprints(flat))
        crossed = sparse_cross(numbered)
        parts = string_split(regex_replace(crossed.values, "_X_", " "), " ").values
        numbers_of = shaping.reshape(string_to_number(parts, dtypes.int64), [-1, len(columns)])
        hashed = constant(_SEED, dtypes.int64) + zeros_like(shaping.reshape(numbers_of[:, :1], [-1]))
        for place, values in enumerate(hashes):
            hashed = _combined(hashed, gather(values, numbers_of[:, place]))
        return SparseTensor(crossed.indices, _unsigned_modulo(hashed, num_buckets or _MAX), crossed.dense_shape)


def _fingerprints(features: Tensor) -> Tensor:
    if features.dtype.base_dtype != dtypes.string:
        return cast(features, dtypes.int64)
    numbers: Tensor = bitcast(fingerprint(features), dtypes.int64)
    return numbers


def _combined(first: Tensor, second: Tensor) -> Tensor:
    ten, four = constant(10, dtypes.int64), constant(4, dtypes.int64)
    mixed = second + constant(_MIX, dtypes.int64) + left_shift(first, ten) + right_shift(first, four)
    combined: Tensor = bitwise_xor(first, mixed)
    return combined


def _unsigned_modulo(numbers: Tensor, divisor: int) -> Tensor:
    """Returns the remainders of int64 numbers that are taken as unsigned."""
    lower = bitwise_and(numbers, constant(_MAX, dtypes.int64))
    has_top = cast(comparison.less(numbers, cast(0, dtypes.int64)), dtypes.int64)
    if divisor == _MAX:
        remainder = floormod(lower, constant(divisor, dtypes.int64)) + has_top
        return floormod(remainder, constant(divisor, dtypes.int64))
    top = constant((1 << 63) % divisor, dtypes.int64)
    number = constant(divisor, dtypes.int64)
    return floormod(floormod(lower, number) + has_top * top, number)


def _parts_of(params: Any) -> list[Any]:
    if isinstance(params, (PartitionedVariable, list, tuple)):
        return list(params)
    return [params]


def _sampled_scattered_embedding_lookup(
    params: Any,
    values: TensorLike,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns embeddings whose elements are at the hashes of (value, number of the element).

    Args:
        params: Tensor of a float dtype, of shape [parameters], or the parts of one, of almost equal sizes.
        values: Tensor of an integer dtype or string, of any shape.
        dimension: int, the size of an embedding, if there are no candidates.
        sampled_candidates: Tensor of int64, of the shape of `values` and one dimension more: which elements.
        hash_key: int, as `sparse_feature_cross`.
        name: str, name scope.

    Returns:
        Tensor of `params`' dtype, of the shape of `values` and one dimension more.

    Raises:
        ValueError: if there is neither, `dimension` is not positive, or the sizes of parts differ by more than one.
    """
    parts = _parts_of(params)
    with name_scope(name, "scattered_embedding_lookup", [*parts, dimension, values]):
        given: Tensor = convert_to_tensor(values)
        dims = shaping.shape(given)
        column = shaping.reshape(given, [-1, 1])
        if sampled_candidates is None:
            if dimension is None:
                raise ValueError("You must specify either dimension or sampled_candidates.")
            if dimension <= 0:
                raise ValueError(f"Dimension must be >0. Given is {dimension}")
            chosen = shaping.tile(number_range(0, dimension)[None], shaping.shape(column))
            size = dimension
        else:
            chosen = convert_to_tensor(sampled_candidates)
            size = shaping.shape(chosen)[-1]
            fits = reduce_all(comparison.equal(shaping.shape(chosen), concat([dims, [size]], 0)))
            message = ["The shape of sampled_candidates: ", shaping.shape(chosen)]
            check = Assert(fits, [*message, " does not match the shape of values: ", dims])
            with control_dependencies([check]):
                chosen = shaping.reshape(chosen, [-1, size])
        sizes = [part.get_shape().with_rank(1)[0].value for part in parts]
        total = sum(sizes)
        for number, length in enumerate(sizes):
            expected = (total - number - 1) // len(parts) + 1
            if length != expected:
                raise ValueError(f"Tensor {number} in params has size {length}, expected {expected}.")
        crossed = sparse_feature_cross([chosen, column], hashed_output=True, num_buckets=total, hash_key=hash_key)
        found = embedding_lookup(parts, sparse_tensor_to_dense(crossed), partition_strategy="div")
        return shaping.reshape(found, concat([dims, [size]], 0))


def scattered_embedding_lookup(
    params: Any, values: TensorLike, dimension: int, name: str | None = None, hash_key: int | None = None
) -> Tensor:
    """Returns embeddings whose elements are at the hashes of (value, number of the element).

    Args:
        params: Tensor of a float dtype, of shape [parameters], or the parts of one, of almost equal sizes.
        values: Tensor of an integer dtype or string, of any shape.
        dimension: int, the size of an embedding.
        name: str, name scope.
        hash_key: int, as `sparse_feature_cross`.

    Returns:
        Tensor of `params`' dtype, of the shape of `values` and one dimension more.

    Raises:
        ValueError: if `dimension` is not positive, or the sizes of parts differ by more than one.
    """
    if dimension is None:
        raise ValueError("You must specify dimension.")
    return _sampled_scattered_embedding_lookup(params, values, dimension=dimension, hash_key=hash_key, name=name)


_COMBINERS = {"sum": sparse_segment_sum, "mean": sparse_segment_mean, "sqrtn": sparse_segment_sqrt_n}


def scattered_embedding_lookup_sparse(
    params: Any,
    sparse_values: SparseTensor,
    dimension: int,
    combiner: str | None = None,
    default_value: Any = None,
    name: str | None = None,
    hash_key: int | None = None,
) -> Tensor:
    """Returns the joined `scattered_embedding_lookup` of each row's values.

    Args:
        params: Tensor of a float dtype, of shape [parameters], or the parts of one.
        sparse_values: SparseTensor of an integer dtype or string, of shape [rows, ...].
        dimension: int, the size of an embedding.
        combiner: str, "mean", "sqrtn" or "sum"; None for "mean".
        default_value: the value of rows without values; None for a number or text of TensorFlow.
        name: str, name scope.
        hash_key: int, as `sparse_feature_cross`.

    Returns:
        Tensor of `params`' dtype, of shape [rows, dimension].

    Raises:
        TypeError: if `sparse_values` is no SparseTensor.
        ValueError: if `combiner` is none of these.
    """
    joined = combiner or "mean"
    if not isinstance(sparse_values, SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    if joined not in _COMBINERS:
        raise ValueError("Combiner must be one of 'mean', 'sqrtn' or 'sum'.")
    with name_scope(name, "scattered_embedding_lookup_sparse", [*_parts_of(params), sparse_values]) as scope:
        usual = "6ZxWzWOHxZ" if sparse_values.dtype == dtypes.string else 1288896567
        filled, _ = sparse_fill_empty_rows(sparse_values, usual if default_value is None else default_value)
        values, places = unique(filled.values)
        found = scattered_embedding_lookup(params, values, dimension, hash_key=hash_key)
        return _COMBINERS[joined](found, places, cast(filled.indices[:, 0], dtypes.int32), name=scope)


def _sampled_scattered_embedding_lookup_sparse(
    params: Any,
    sp_values: SparseTensor,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: int | None = None,
    with_sign_hash: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the sums of the embeddings of each row's values, of chosen elements.

    Args:
        params: Tensor of a float dtype, of shape [parameters], or the parts of one.
        sp_values: SparseTensor of an integer dtype or string, of shape [rows, ...].
        dimension: int, the size of an embedding, if there are no candidates.
        sampled_candidates: Tensor of int64, of shape [rows, chosen]: which elements of each row.
        hash_key: int, as `sparse_feature_cross`.
        with_sign_hash: bool. If True, elements have a sign by another hash.
        name: str, name scope.

    Returns:
        Tensor of `params`' dtype, of shape [rows, elements].

    Raises:
        TypeError: if `sp_values` is no SparseTensor.
    """
    if not isinstance(sp_values, SparseTensor):
        raise TypeError("sp_values must be SparseTensor")
    with name_scope(name, "sampled_scattered_embedding_lookup_sparse", [*_parts_of(params), sp_values, dimension]) as s:
        rows = cast(sp_values.indices[:, 0], dtypes.int32)
        chosen = None if sampled_candidates is None else gather(sampled_candidates, rows)
        found = _sampled_scattered_embedding_lookup(
            params, sp_values.values, dimension, chosen, hash_key=hash_key, name="values_lookup"
        )
        if with_sign_hash:
            signs = constant([-1.0, 1.0], found.dtype.base_dtype)
            found *= _sampled_scattered_embedding_lookup(
                signs, sp_values.values, dimension, chosen, hash_key=hash_key, name="signs_lookup"
            )
        return unsorted_segment_sum(found, rows, cast(sp_values.dense_shape[0], dtypes.int32), name=s)


def embedding_lookup_sparse_with_distributed_aggregation(
    params: Any,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """Returns the joined embeddings of each row, as `tf.nn.embedding_lookup_sparse`.

    Args:
        params: Tensor or variable of a float dtype, of shape [ids, ...], or the parts of one.
        sp_ids: SparseTensor of an integer dtype, of shape [rows, ...].
        sp_weights: SparseTensor of a float dtype, of the same indices; None for 1.
        partition_strategy: str, "mod" or "div".
        name: str, name scope.
        combiner: str, "mean", "sqrtn" or "sum"; None for "mean".
        max_norm: float, the greatest norm of an embedding; None for no bound.

    Returns:
        Tensor of `params`' dtype, of shape [rows, ...].

    Raises:
        ValueError: if `combiner` is none of these.
        TypeError: if `sp_ids` or `sp_weights` is no SparseTensor.
    """
    return embedding_lookup_sparse(
        params,
        sp_ids,
        sp_weights,
        partition_strategy=partition_strategy,
        name=name,
        combiner=combiner or "mean",
        max_norm=max_norm,
    )
