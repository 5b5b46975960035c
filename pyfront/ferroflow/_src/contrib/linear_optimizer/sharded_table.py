"""`ShardedMutableDenseHashTable`: a table whose rows are spread over several tables."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.contrib.lookup.mutable import MutableDenseHashTable
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.joining import dynamic_partition, dynamic_stitch
from ferroflow._src.ops.array.making import range
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.array.slicing import slice
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import LookupInterface
from ferroflow._src.ops.math.arithmetic import add_n, mod
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs


class ShardedMutableDenseHashTable(LookupInterface):
    """A table of scalars or vectors, spread over tables by the remainders of its keys.

    Args:
        key_dtype: dtype of keys, of integers.
        value_dtype: dtype of values.
        default_value: scalar or vector, the value of keys that are not in the table.
        empty_key: scalar or vector, a key that is never used.
        num_shards: int, the number of tables.
        checkpoint: bool. If True, savers save the rows.
        name: str, name of the operations.
        deleted_key: scalar or vector, another key that is never used, or None.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        empty_key: Any,
        num_shards: int = 1,
        checkpoint: bool = True,
        name: str = "ShardedMutableHashTable",
        deleted_key: Any = None,
    ) -> None:
        with name_scope(name, "sharded_mutable_hash_table") as scope:
            super().__init__(key_dtype, value_dtype, scope)
            self._table_shards = [
                MutableDenseHashTable(
                    key_dtype=key_dtype,
                    value_dtype=value_dtype,
                    default_value=default_value,
                    empty_key=empty_key,
                    checkpoint=checkpoint,
                    name=f"{name}-{i}-of-{num_shards}",
                    deleted_key=deleted_key,
                )
                for i in builtins.range(1, num_shards + 1)
            ]
        self._value_shape = self._table_shards[0]._value_shape

    @property
    def table_shards(self) -> list[MutableDenseHashTable]:
        """The tables that have the rows."""
        return self._table_shards

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of rows, int64 []."""
        with name_scope(name, "sharded_mutable_hash_table_size"):
            return add_n([table.size() for table in self._table_shards])

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Looks up keys.

        Args:
            keys: Tensor of the table's key dtype, of a known shape of rank 1 or 2.
            name: str, name of the operations.

        Returns:
            Tensor of the value dtype, with a row for each key.

        Raises:
            TypeError: if `keys` do not have the table's key dtype.
            ValueError: if the shape of `keys` is not known, or its rank is not 1 or 2.
        """
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")
        found: Tensor
        if (divide := self._divider(keys)) is None:
            found = self._table_shards[0].lookup(keys, name=name)
            return found
        values = [table.lookup(part, name=name) for table, part in zip(self._table_shards, divide(keys), strict=True)]
        count = keys.get_shape()[0]
        found = dynamic_stitch(divide(range(count)), values)
        found.set_shape(TensorShape([count]).concatenate(self._value_shape))
        return found

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Adds rows, or gives rows new values.

        Args:
            keys: Tensor of the table's key dtype, of a known shape of rank 1 or 2.
            values: Tensor of the table's value dtype, with a row for each key.
            name: str, name of the operations.

        Returns:
            Operation.

        Raises:
            ValueError: if the shape of `keys` is not known, or its rank is not 1 or 2.
        """
        if (divide := self._divider(keys)) is None:
            return self._table_shards[0].insert(keys, values, name=name)
        parts = zip(self._table_shards, divide(keys), divide(values), strict=True)
        return group(*(table.insert(of_keys, of_values, name=name) for table, of_keys, of_values in parts))

    def export_sharded(self, name: str | None = None) -> tuple[list[Tensor], list[Tensor]]:
        """Returns all keys and their values, by table.

        Args:
            name: str, name of the operations.

        Returns:
            Lists of Tensors of the key dtype, of shape [n, ...], and of the value dtype, of shape [n, ...].
        """
        exported = [table.export(name=name) for table in self._table_shards]
        return [keys for keys, _ in exported], [values for _, values in exported]

    def _divider(self, keys: Tensor) -> Callable[[Any], list[Tensor]] | None:
        """Returns the function that divides rows as `keys` are divided between the tables; None for a single table."""
        shape = keys.get_shape()
        if not shape.is_fully_defined():
            raise ValueError(f"Key shape must be fully defined, got {shape}.")
        if shape.ndims not in (1, 2):
            raise ValueError(f"Expected a vector or matrix for keys, got {shape}.")
        shards = len(self._table_shards)
        if shards == 1:
            return None
        if shape.ndims == 2:
            keys = reshape(slice(keys, [0, 0], [shape[0], 1]), [-1])
        numbers = cast(mod(abs(keys), shards), dtypes.int32)
        return lambda rows: dynamic_partition(rows, numbers, shards)
