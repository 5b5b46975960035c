"""Crosses of features: every combination of one feature of each column."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.cast import cast

# TF 1.x: if no key is given.
_HASH_KEY = 0xDECAFCAFFE


def _crossed(inputs: Any, hashed: bool, num_buckets: int, hash_key: int | None, name: str | None) -> SparseTensor:
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(x, (SparseTensor, Tensor)) for x in inputs):
        raise TypeError("All inputs must be SparseTensors")
    sparse = [x for x in inputs if isinstance(x, SparseTensor)]
    values = [_features(x.values) for x in sparse]
    dense = [_features(x) for x in inputs if not isinstance(x, SparseTensor)]
    types = [t.dtype.base_dtype for t in (*values, *dense)]
    attrs = {
        "hashed_output": hashed,
        "num_buckets": num_buckets,
        "hash_key": hash_key or _HASH_KEY,
        "out_type": dtypes.int64 if hashed else dtypes.string,
        "internal_type": dtypes.int64 if dtypes.int64 in types else dtypes.string,
    }
    indices, shapes = [x.indices for x in sparse], [x.dense_shape for x in sparse]
    return SparseTensor(*apply_op("SparseCross", [indices, values, shapes, dense], attrs, name=name).outputs)


def _features(x: Tensor) -> Tensor:
    return x if x.dtype.base_dtype == dtypes.string else cast(x, dtypes.int64)


def sparse_cross(inputs: ListLike, name: str | None = None) -> SparseTensor:
    """Joins, row by row, every combination of one feature of each column with "_X_".

    Args:
        inputs: list of SparseTensors and Tensors of int32, int64 or string, of shape [batch, ...]: the columns.
        name: str, name of the operation.

    Returns:
        SparseTensor of string, of shape [batch, most combinations in a row].

    Raises:
        TypeError: if `inputs` is not a list, or an element is neither a Tensor nor a SparseTensor.
    """
    return _crossed(inputs, False, 0, None, name)


def sparse_cross_hashed(
    inputs: ListLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Hashes, row by row, every combination of one feature of each column.

    Args:
        inputs: list of SparseTensors and Tensors of int32, int64 or string, of shape [batch, ...]: the columns.
        num_buckets: int, results are in [0, num_buckets); 0 for all of int64 that is not negative.
        hash_key: int, where the hash starts from; None for TF's own.
        name: str, name of the operation.

    Returns:
        SparseTensor of int64, of shape [batch, most combinations in a row].

    Raises:
        TypeError: if `inputs` is not a list, or an element is neither a Tensor nor a SparseTensor.
    """
    return _crossed(inputs, True, num_buckets, hash_key, name)
