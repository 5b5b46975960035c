"""`tf.lookup.experimental.DenseHashTable`: the dense table of later versions, which has a key for deleted buckets."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.contrib.lookup.mutable import MutableDenseHashTable
from ferroflow._src.framework.handles import Operation


class DenseHashTable(MutableDenseHashTable):
    """A table of one array of buckets.

    Args:
        key_dtype: DType of the keys.
        value_dtype: DType of the values.
        default_value: the value for keys that are not in the table.
        empty_key: the key of empty buckets, which no element may have.
        deleted_key: the key of deleted buckets, which no element may have.
        initial_num_buckets: int, a power of 2; None for the engine's choice.
        name: str, name of the operation that makes the table.
        checkpoint: bool. If True, checkpoints contain the table.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(
            key_dtype,
            value_dtype,
            default_value,
            empty_key,
            initial_num_buckets,
            name=name,
            checkpoint=checkpoint,
            deleted_key=deleted_key,
        )

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Sets the values of keys.

        Args:
            keys: Tensor of the keys' dtype, of any shape.
            values: Tensor of the values' dtype, of the shape of `keys`.
            name: str, name of the operation.

        Returns:
            Operation.
        """
        return self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation:
        """Removes keys, whose values are the default from then on.

        Args:
            keys: Tensor of the keys' dtype, of any shape.
            name: str, name of the operation.

        Returns:
            Operation.
        """
        return self.remove(keys, name)
