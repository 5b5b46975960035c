"""Initializers of tables: from tensors of keys and values, and from files."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.trackable import Trackable, track
from ferroflow._src.framework.trackable_resources import TrackableAsset


def check_table_dtypes(table: Any, key_dtype: dtypes.DType, value_dtype: dtypes.DType) -> None:
    """Raises TypeError unless the dtypes of keys and values are those of a table.

    Raises:
        TypeError: if the dtypes are not the table's.
    """
    if key_dtype.base_dtype != table.key_dtype:
        raise TypeError(f"Invalid key dtype, expected {table.key_dtype} but got {key_dtype}.")
    if value_dtype.base_dtype != table.value_dtype:
        raise TypeError(f"Invalid value dtype, expected {table.value_dtype} but got {value_dtype}.")


class TableInitializerBase(Trackable):
    """Base of the initializers, which fill a table with keys and values of two dtypes.

    Args:
        key_dtype: DType of the keys.
        value_dtype: DType of the values.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Operation:
        """Makes the operation that fills a table.

        Args:
            table: the table, of the same dtypes.

        Returns:
            Operation.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializerBase):
    """Initializer that fills a table from tensors.

    Args:
        keys: Tensor of shape [n].
        values: Tensor of shape [n].
        key_dtype: dtype of `keys`, if they are not Tensors.
        value_dtype: dtype of `values`, if they are not Tensors.
        name: str, name of the operation.
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = "key_value_init" if name is None else name
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Operation:
        """Makes the operation that fills a table.

        Args:
            table: a table of the same dtypes.

        Returns:
            Operation, which is in the collection `TABLE_INITIALIZERS`.

        Raises:
            TypeError: if the dtypes differ.
        """
        check_table_dtypes(table, self._keys.dtype, self._values.dtype)
        with name_scope(self._name, values=(table.table_ref, self._keys, self._values)):
            init_op = apply_op("LookupTableImportV2", [table.table_ref, self._keys, self._values])
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, init_op)
        return init_op


class TextFileIndex:
    """Positions of keys and values on a line, in addition to columns."""

    WHOLE_LINE: Final = -2
    LINE_NUMBER: Final = -1


class TextFileInitializer(TableInitializerBase):
    """Initializer that fills a table with one row for each line of a file.

    Args:
        filename: str, or Tensor of string of shape [].
        key_dtype: dtype of the keys.
        key_index: int, the column of the keys, or one of `TextFileIndex`.
        value_dtype: dtype of the values.
        value_index: int, the column of the values, or one of `TextFileIndex`.
        vocab_size: int, the number of lines to read; None for all.
        delimiter: str, the character between columns.
        name: str, name of the operation.

    Raises:
        ValueError: if there is no file name, or an index does not fit its dtype.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError(f"Filename required for {name}.")
        key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        _check_index("key", key_index, key_dtype)
        _check_index("value", value_index, value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        asset = TrackableAsset(filename)
        track(self, asset, "_filename")
        self._filename = asset.asset_path
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name
        super().__init__(key_dtype, value_dtype)

    def initialize(self, table: Any) -> Operation:
        """Makes the operation that fills a table.

        Args:
            table: a table of the same dtypes.

        Returns:
            Operation, which is in the collection `TABLE_INITIALIZERS`.

        Raises:
            TypeError: if the dtypes differ.
        """
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        with name_scope(self._name, "text_file_init", (table.table_ref,)):
            attrs = {
                "key_index": self._key_index,
                "value_index": self._value_index,
                "vocab_size": -1 if self._vocab_size is None else self._vocab_size,
                "delimiter": self._delimiter,
            }
            init_op = apply_op("InitializeTableFromTextFileV2", [table.table_ref, self._filename], attrs)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, init_op)
        if self._filename.op.type == "Const":
            add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        return init_op


def _check_index(what: str, index: int, dtype: dtypes.DType) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"Invalid {what} index {index}.")
    many = f"Signature mismatch. {what.capitalize()}s must be"
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        raise ValueError(f"{many} dtype {dtypes.int64}, got {dtype}.")
    if index == TextFileIndex.WHOLE_LINE and dtype != dtypes.string:
        if what == "value":
            raise ValueError(f"{many} dtype {dtypes.string}, got {dtype}.")
        if not dtype.is_integer:
            raise ValueError(f"{many} integer or string, got {dtype}.")


class TextFileStringTableInitializer(TextFileInitializer):
    """Initializer that fills a table from line numbers to lines, by default.

    Args:
        filename: str, or Tensor of string of shape [].
        key_column_index: int, the column of the keys, or one of `TextFileIndex`.
        value_column_index: int, the column of the values, or one of `TextFileIndex`.
        vocab_size: int, the number of lines to read; None for all.
        delimiter: str, the character between columns.
        name: str, name of the operation.

    Raises:
        ValueError: if there is no file name, or an index does not fit its dtype.
    """

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size, delimiter, name
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """Initializer that fills a table from lines to line numbers, by default.

    Args:
        filename: str, or Tensor of string of shape [].
        key_column_index: int, the column of the keys, or one of `TextFileIndex`.
        value_column_index: int, the column of the values, or one of `TextFileIndex`.
        vocab_size: int, the number of lines to read; None for all.
        delimiter: str, the character between columns.
        name: str, name of the operation.
        key_dtype: DType of the keys.

    Raises:
        ValueError: if there is no file name, or an index does not fit its dtype.
    """

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: DTypeLike = dtypes.string,
    ) -> None:
        super().__init__(
            filename, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter, name
        )
