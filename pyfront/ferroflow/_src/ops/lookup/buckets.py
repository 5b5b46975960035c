"""Tables of ids with buckets for words that are not in the vocabulary."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base import compat, dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.lookup.table import HashTable, InitializableLookupTableBase, LookupInterface
from ferroflow._src.ops.math.arithmetic import add
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.ops.string.hashing import (
    string_to_hash_bucket,
    string_to_hash_bucket_fast,
    string_to_hash_bucket_strong,
)


class HasherSpec(NamedTuple):
    """Hash that selects buckets, and its key.

    Args:
        hasher: str, name of the hash: "fasthash", "stronghash" or "legacy".
        key: list of two ints, the key of the strong hash; None for the others.
    """

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


def StrongHashSpec(key: Any) -> HasherSpec:  # noqa: N802  # TF1's spelling
    """Returns the hash whose buckets nobody can aim at without the key.

    Args:
        key: two ints.

    Returns:
        HasherSpec.

    Raises:
        ValueError: if `key` does not have two elements.
        TypeError: if the elements are not ints.
    """
    if len(key) != 2:
        raise ValueError(f"key must have size 2, got {len(key)}.")
    if not all(isinstance(part, compat.integral_types) for part in key):
        raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
    return HasherSpec("stronghash", key)


def _hash_function(spec: HasherSpec) -> Callable[..., Tensor]:
    if spec.hasher == "fasthash":
        return string_to_hash_bucket_fast
    if spec.hasher == "legacy":
        return string_to_hash_bucket
    if spec.hasher == "stronghash":
        return functools.partial(string_to_hash_bucket_strong, key=spec.key)
    raise ValueError(f"Unknown hasher {spec.hasher}")


class IdTableWithHashBuckets(LookupInterface):
    """Table of ids in which missing keys have the ids of buckets after its last row.

    Args:
        table: a table with values of int64; None for buckets alone.
        num_oov_buckets: int, the number of buckets.
        hasher_spec: HasherSpec, how buckets are chosen.
        name: str, name scope of the operations.
        key_dtype: dtype of keys; None for that of `table`, or string.

    Raises:
        TypeError: if a dtype or `hasher_spec` has the wrong type.
        ValueError: if there is neither a table nor a bucket.
    """

    def __init__(
        self,
        table: InitializableLookupTableBase | None,
        num_oov_buckets: int,
        hasher_spec: Any = FastHashSpec,
        name: str | None = None,
        key_dtype: DTypeLike | None = None,
    ) -> None:
        name = name.rstrip("/") if name else None
        key_dtype = None if key_dtype is None else dtypes.as_dtype(key_dtype)
        if table is not None:
            key_dtype = key_dtype or table.key_dtype
            supported = (dtypes.int64, dtypes.string)
            if table.key_dtype not in supported:
                raise TypeError(f"Invalid key dtype, expected one of {supported}, but got {key_dtype}.")
            if table.key_dtype.is_integer != key_dtype.is_integer:
                kind = "integer" if key_dtype.is_integer else "non-integer"
                raise TypeError(f"Invalid key dtype, expected {kind} but got {table.key_dtype}.")
            if table.value_dtype != dtypes.int64:
                raise TypeError(f"Invalid value dtype, expected {dtypes.int64} but got {table.value_dtype}.")
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError("oov_buckets must be > 0 if no table is supplied.")
            key_dtype = key_dtype or dtypes.string
            name = name or "hash_bucket"
        if not key_dtype.is_integer and key_dtype != dtypes.string:
            raise TypeError(f"Invalid key_dtype, expected integer or string, got {key_dtype}.")
        self._table = table
        self._num_oov_buckets = num_oov_buckets
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"hasher_spec must be of type HasherSpec, got {hasher_spec}")
        self._hasher_spec = hasher_spec
        super().__init__(key_dtype, dtypes.int64, name.rsplit("/", 1)[-1])

    @property
    def init(self) -> Operation:
        """The operation that fills the table."""
        if self._table is not None:
            return self._table.init
        with name_scope(None, "init"):
            return no_op()

    @property
    def table_ref(self) -> Tensor | None:
        """The tensor that names the table, resource []; None for buckets alone."""
        return None if self._table is None else self._table.table_ref

    @property
    def resource_handle(self) -> Tensor | None:
        """The tensor that names the table, resource []; None for buckets alone."""
        return self.table_ref

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of rows and buckets, int64 []."""
        with name_scope(name, f"{self.name}_Size"):
            rows = convert_to_tensor(0, dtype=dtypes.int64) if self._table is None else self._table.size()
            return rows + self._num_oov_buckets

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Looks up keys.

        Args:
            keys: Tensor or SparseTensor of the table's key dtype.
            name: str, name of the operation.

        Returns:
            Tensor or SparseTensor of int64, as `keys` is.

        Raises:
            TypeError: if `keys` do not have the table's key dtype.
        """
        if not isinstance(keys, SparseTensor):
            keys = convert_to_tensor(keys)
        self._check_keys(keys.dtype)
        values = keys.values if isinstance(keys, SparseTensor) else keys
        if self._table is not None and self._table.key_dtype.base_dtype == dtypes.int64:
            values = cast(values, dtypes.int64)
        if self._num_oov_buckets == 0 and self._table is not None:
            ids = self._table.lookup(values, name=name)
        else:
            with name_scope(name, f"{self.name}_Lookup"):
                text = values if values.dtype.base_dtype == dtypes.string else as_string(values)
                hashed = _hash_function(self._hasher_spec)
                buckets = hashed(text, num_buckets=self._num_oov_buckets, name="hash_bucket")
                if self._table is None:
                    ids = buckets
                else:
                    ids = self._table.lookup(values)
                    buckets = add(buckets, self._table.size())
                    ids = where(not_equal(ids, self._table.default_value), ids, buckets)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids


def StaticVocabularyTable(  # noqa: N802  # TF1's spelling
    initializer: Any, num_oov_buckets: int, lookup_key_dtype: DTypeLike | None = None, name: str | None = None
) -> IdTableWithHashBuckets:
    """Table of ids in which missing keys have the ids of buckets after its last row.

    Args:
        initializer: the initializer of the table, with values of int64; None for buckets alone.
        num_oov_buckets: int, the number of buckets, at least 1.
        lookup_key_dtype: dtype of keys.
        name: str, name of the operation.

    Returns:
        IdTableWithHashBuckets.

    Raises:
        ValueError: if there are no buckets.
        TypeError: if a dtype has the wrong type.
    """
    if num_oov_buckets <= 0:
        raise ValueError("oov_buckets must be > 0.")
    table = None
    if initializer is not None:
        if initializer.value_dtype != dtypes.int64:
            raise TypeError(f"Invalid value dtype, expected {dtypes.int64} but got {initializer.value_dtype}.")
        table = HashTable(initializer, default_value=-1)
    return IdTableWithHashBuckets(table, num_oov_buckets, FastHashSpec, name, lookup_key_dtype)
