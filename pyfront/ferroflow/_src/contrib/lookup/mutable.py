"""Tables whose rows change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collection, colocate_with, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.ops.lookup.initializer import check_table_dtypes
from ferroflow._src.ops.lookup.table import LookupInterface, export_rows


class _MutableTable(LookupInterface):
    """Base of the tables with changing rows."""

    def __init__(self, key_dtype: Any, value_dtype: Any, table_ref: Tensor, default_value: Tensor) -> None:
        super().__init__(key_dtype, value_dtype, table_ref.op.name.rsplit("/", 1)[-1])
        self._table_ref = table_ref
        self._default_value = default_value
        self._value_shape = default_value.get_shape()
        self._key_shape = tensor_shape.scalar()

    @property
    def table_ref(self) -> Tensor:
        """The tensor that names the table, resource []."""
        return self._table_ref

    @property
    def resource_handle(self) -> Tensor:
        """The tensor that names the table, resource []."""
        return self._table_ref

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of rows, int64 []."""
        with name_scope(name, f"{self._name}_Size", [self._table_ref]), colocate_with(self._table_ref):
            return tensor_op("LookupTableSizeV2", [self._table_ref])

    def _looked_up_shape(self, keys: Tensor) -> tensor_shape.TensorShape:
        return keys.get_shape().concatenate(self._value_shape)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Looks up keys.

        Args:
            keys: Tensor of the table's key dtype.
            name: str, name of the operation.

        Returns:
            Tensor of the value dtype.

        Raises:
            TypeError: if `keys` do not have the table's key dtype.
        """
        keys = convert_to_tensor(keys)
        self._check_keys(keys.dtype)
        values = (self._table_ref, keys, self._default_value)
        with name_scope(name, f"{self._name}_lookup_table_find", values), colocate_with(self._table_ref):
            found = tensor_op("LookupTableFindV2", list(values))
        found.set_shape(self._looked_up_shape(keys))
        return found

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Adds rows, or gives rows new values.

        Args:
            keys: Tensor of the table's key dtype.
            values: Tensor of the table's value dtype.
            name: str, name of the operation.

        Returns:
            Operation.

        Raises:
            TypeError: if the dtypes differ.
        """
        with name_scope(name, f"{self._name}_lookup_table_insert", [self._table_ref, keys, values]):
            keys = convert_to_tensor(keys, preferred_dtype=self._key_dtype, name="keys")
            values = convert_to_tensor(values, preferred_dtype=self._value_dtype, name="values")
            check_table_dtypes(self, keys.dtype, values.dtype)
            with colocate_with(self._table_ref):
                return apply_op("LookupTableInsertV2", [self._table_ref, keys, values])

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Removes rows; keys that are not in the table are ignored.

        Args:
            keys: Tensor of the table's key dtype.
            name: str, name of the operation.

        Returns:
            Operation.

        Raises:
            TypeError: if the dtype differs.
        """
        keys = convert_to_tensor(keys, preferred_dtype=self._key_dtype, name="keys")
        self._check_keys(keys.dtype)
        inputs = [self._table_ref, keys]
        with name_scope(name, f"{self._name}_lookup_table_remove", inputs):
            return apply_op("LookupTableRemoveV2", inputs)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys and their values.

        Args:
            name: str, name of the operation.

        Returns:
            Tensors of the key dtype, of shape [n, ...], and of the value dtype, of shape [n, ...].
        """
        scope = name_scope(name, f"{self._name}_lookup_table_export_values", [self._table_ref])
        with scope, colocate_with(self._table_ref):
            return export_rows(self, self._key_shape, self._value_shape)


class _TableSaveable(SaveableObject):
    """The rows of a table, saved as keys and values."""

    def __init__(self, table: _MutableTable, name: str) -> None:
        keys, values = table.export()
        super().__init__(table, [SaveSpec(keys, "", name + "-keys"), SaveSpec(values, "", name + "-values")], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Operation:
        """Replaces the table's rows."""
        del restored_shapes
        table_ref = self.op.table_ref
        with name_scope(f"{self.name}_table_restore"), colocate_with(table_ref):
            return apply_op("LookupTableImportV2", [table_ref, *restored_tensors])


class MutableHashTable(_MutableTable):
    """A table of scalars or vectors by scalar keys.

    Args:
        key_dtype: dtype of keys.
        value_dtype: dtype of values.
        default_value: scalar or vector, the value of keys that are not in the table.
        shared_name: str; tables of one name are one table, over the sessions that share state.
        name: str, name of the operation.
        checkpoint: bool. If True, savers save its rows, as tensors `name-keys` and `name-values`.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        default = convert_to_tensor(default_value, dtype=value_dtype)
        attrs: dict[str, Any] = {
            "shared_name": shared_name or "",
            "use_node_name_sharing": checkpoint and shared_name is None,
            "key_dtype": dtypes.as_dtype(key_dtype),
            "value_dtype": dtypes.as_dtype(value_dtype),
        }
        op_type = "MutableHashTableV2"
        if default.get_shape().ndims != 0:
            op_type = "MutableHashTableOfTensorsV2"
            attrs["value_shape"] = default.get_shape()
        super().__init__(key_dtype, value_dtype, tensor_op(op_type, [], attrs, name=name), default)
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self, name))


class MutableDenseHashTable(_MutableTable):
    """A table of scalars or vectors by keys that are scalars or vectors.

    Args:
        key_dtype: dtype of keys.
        value_dtype: dtype of values.
        default_value: scalar or vector, the value of keys that are not in the table.
        empty_key: scalar or vector, a key that is never used.
        initial_num_buckets: int, a power of two; the table grows as it must.
        shared_name: str; tables of one name are one table, over the sessions that share state.
        name: str, name of the operation.
        checkpoint: bool. If True, savers save its rows, as tensors `name-keys` and `name-values`.
        deleted_key: scalar or vector, another key that is never used, as TensorFlow 1.15 requires, or None.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: Any,
        empty_key: Any,
        initial_num_buckets: int | None = None,
        shared_name: str | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        deleted_key: Any = None,
    ) -> None:
        default = convert_to_tensor(default_value, dtype=value_dtype, name="default_value")
        empty = convert_to_tensor(empty_key, dtype=key_dtype, name="empty_key")
        # The same tensor in both places: the table has no key for deleted rows.
        deleted = empty if deleted_key is None else convert_to_tensor(deleted_key, dtype=key_dtype, name="deleted_key")
        attrs: dict[str, Any] = {
            "shared_name": shared_name or "",
            "use_node_name_sharing": checkpoint and shared_name is None,
            "value_dtype": dtypes.as_dtype(value_dtype),
            "value_shape": default.get_shape(),
        }
        if initial_num_buckets is not None:
            attrs["initial_num_buckets"] = initial_num_buckets
        table_ref = tensor_op("MutableDenseHashTableV2", [empty, deleted], attrs, name=name)
        super().__init__(dtypes.as_dtype(key_dtype), value_dtype, table_ref, default)
        self._key_shape = empty.get_shape()
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self, name))

    def _looked_up_shape(self, keys: Tensor) -> tensor_shape.TensorShape:
        shape = keys.get_shape()
        if shape.ndims:
            return tensor_shape.TensorShape([shape[0]]).concatenate(self._value_shape)
        return tensor_shape.unknown_shape()
