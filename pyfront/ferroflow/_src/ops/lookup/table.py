"""Base of the lookup tables, the table that is filled once, and the operation that fills all tables."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.trackable import track
from ferroflow._src.framework.trackable_resources import CapturableResource
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.lookup.initializer import TableInitializerBase


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """Returns an operation that initializes all tables of the default graph.

    Args:
        name: str, name of the operation.

    Returns:
        Operation.
    """
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    if initializers:
        return group(*initializers, name=name)
    return no_op(name=name)


@deprecated("tf.tables_initializer", name="tf.initialize_all_tables")
def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """Returns an operation that initializes all tables of the default graph."""
    return tables_initializer(name)


class LookupInterface:
    """A table from keys of one dtype to values of another.

    Args:
        key_dtype: DType of the keys.
        value_dtype: DType of the values.
        name: str, name of the table.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike, name: str) -> None:
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)
        self._name = name

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def init(self) -> Operation:
        """The operation that fills the table.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table."""
        return self.init

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of rows, int64 [].

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Looks up keys.

        Args:
            keys: Tensor or SparseTensor of the table's key dtype.
            name: str, name of the operation.

        Returns:
            Tensor or SparseTensor, as `keys` is, of the value dtype.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError

    def _check_keys(self, dtype: dtypes.DType) -> None:
        if dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {dtype}.")


def export_rows(
    table: Any, key_shape: tensor_shape.TensorShape, value_shape: tensor_shape.TensorShape, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns all keys and values of a table."""
    attrs = {"Tkeys": table.key_dtype, "Tvalues": table.value_dtype}
    keys, values = apply_op("LookupTableExportV2", [table.table_ref], attrs, name=name).outputs
    rows = tensor_shape.vector(None)
    keys.set_shape(rows.concatenate(key_shape))
    values.set_shape(rows.concatenate(value_shape))
    return keys, values


class InitializableLookupTableBase(LookupInterface, CapturableResource):
    """A table that is filled once, by `initializer`; missing keys have the value `default_value`.

    Args:
        default_value: Tensor of the value dtype, of shape [].
        initializer: TableInitializerBase, which has the key and the value dtype.
    """

    def __init__(self, default_value: TensorLike, initializer: TableInitializerBase) -> None:
        default = convert_to_tensor(default_value, dtype=initializer.value_dtype)
        default.get_shape().merge_with(tensor_shape.scalar())
        CapturableResource.__init__(self)
        self._initializer = initializer
        track(self, initializer, "_initializer")
        # A table outlives the branch or loop in which it is made.
        with control_dependencies(None):
            self._table_ref = self._make(initializer, self._shared_name)
        own_name = self._table_ref.op.name.rsplit("/", 1)[-1]
        LookupInterface.__init__(self, initializer.key_dtype, initializer.value_dtype, own_name)
        self._default_value = default
        self._init = initializer.initialize(self)

    # Tables of one name are one table; "" for the name of the operation.
    _shared_name = ""

    def _make(self, initializer: TableInitializerBase, shared_name: str) -> Tensor:
        """Returns the handle of a new table: Tensor of resource, of shape []."""
        raise NotImplementedError

    def _create_resource(self) -> Tensor:
        # In functions of their own, operations of several tables would have one name.
        return self._make(self._initializer, self._shared_name or self._table_ref.op.name)

    def _initialize(self) -> Operation:
        return self._initializer.initialize(self)

    @property
    def table_ref(self) -> Tensor:
        """The tensor that names the table, resource []."""
        return self._table_ref

    @property
    def resource_handle(self) -> Tensor:
        """The tensor that names the table, resource []."""
        return self._table_ref

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in the table: Tensor of the value dtype, of shape []."""
        return self._default_value

    @property
    def init(self) -> Operation:
        """The operation that fills the table."""
        return self._init

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of rows, int64 []."""
        with name_scope(name, f"{self._name}_Size", [self._table_ref]):
            return tensor_op("LookupTableSizeV2", [self._table_ref])

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Looks up keys.

        Args:
            keys: Tensor or SparseTensor of the table's key dtype.
            name: str, name of the operation.

        Returns:
            Tensor or SparseTensor, as `keys` is, of the value dtype.

        Raises:
            TypeError: if `keys` do not have the table's key dtype.
            tf.errors.FailedPreconditionError: when the step runs, if the table is not filled.
        """
        if not isinstance(keys, SparseTensor):
            keys = convert_to_tensor(keys)
        self._check_keys(keys.dtype)
        tensor = keys.values if isinstance(keys, SparseTensor) else keys
        with name_scope(name, f"{self._name}_Lookup", (self._table_ref, tensor, self._default_value)):
            values = tensor_op("LookupTableFindV2", [self._table_ref, tensor, self._default_value])
        values.set_shape(tensor.get_shape())
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, values, keys.dense_shape)
        return values


class HashTable(InitializableLookupTableBase):
    """A table that is filled once and then only read.

    Args:
        initializer: the initializer of the table, such as a `KeyValueTensorInitializer`.
        default_value: scalar, the value of keys that are not in the table.
        shared_name: str; tables of one name are one table, over the sessions that share state.
        name: str, name of the operation.
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self._shared_name = shared_name or ""
        self._op_name = name or "hash_table"
        super().__init__(default_value, initializer)
        self._value_shape = self._default_value.get_shape()

    def _make(self, initializer: TableInitializerBase, shared_name: str) -> Tensor:
        attrs = {
            "shared_name": shared_name,
            "key_dtype": initializer.key_dtype,
            "value_dtype": initializer.value_dtype,
        }
        return tensor_op("HashTableV2", [], attrs, name=self._op_name)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys and their values.

        Args:
            name: str, name of the operation.

        Returns:
            Tensors of shape [n] of the key dtype and of the value dtype.
        """
        with name_scope(name, f"{self._name}_Export", [self._table_ref]) as name:
            return export_rows(self, tensor_shape.scalar(), self._value_shape, name)


StaticHashTable = HashTable
