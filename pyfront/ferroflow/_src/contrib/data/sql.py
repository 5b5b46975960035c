"""A dataset of the rows of a SQL query."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedDTypes, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset import Dataset, StructuredDataset
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.comparison import equal

__all__ = ["SqlDataset"]

_ALLOWED = (
    *(dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16),
    *(dtypes.bool, dtypes.float64),
)


def _value(field: Any, dtype: dtypes.DType) -> Any:
    """Returns a field as SQLite converts it: NULL is 0 or empty, and a text that is no number is 0."""
    if dtype == dtypes.string:
        return b"" if field is None else field if isinstance(field, bytes) else str(field).encode()
    if isinstance(field, bytes):
        field = field.decode(errors="replace")
    try:
        number = float(field or 0) if dtype == dtypes.float64 else int(field or 0)
    except ValueError:
        number = 0
    return number != 0 if dtype == dtypes.bool else number


def _rows(source: Any, query: Any, kinds: list[dtypes.DType]) -> Iterator[list[Any]]:
    with closing(sqlite3.connect(f"file:{source.decode()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        cursor = connection.execute(query.decode())
        columns = len(cursor.description or ())
        if columns != len(kinds):
            raise ValueError(
                f"The number of columns in query ({columns}) must match the number of elements in output_types "
                f"({len(kinds)})."
            )
        for row in cursor:
            yield [_value(field, kind) for field, kind in zip(row, kinds, strict=True)]


class SqlDataset(StructuredDataset):
    """Dataset of the rows that a SQL query finds, as tuples of scalars.

    Args:
        driver_name: string Tensor of shape [], "sqlite".
        data_source_name: string Tensor of shape [], the path of the database.
        query: string Tensor of shape [].
        output_types: tuple of dtypes, one for each column: string, bool, float64, or an integer.

    Raises:
        TypeError: if a dtype is none of these.
        tf.errors.InvalidArgumentError: when the step runs, if the driver is not "sqlite", or the number of columns
            differs.
        tf.errors.UnknownError: when the step runs, if SQLite refuses the query.
    """

    def __init__(
        self, driver_name: TensorLike, data_source_name: TensorLike, query: TensorLike, output_types: NestedDTypes
    ) -> None:
        self._structure = Structure.declared(output_types, nest.map_structure(lambda _: TensorShape([]), output_types))
        kinds = [dtypes.as_dtype(kind) for kind in self._structure.flat_types()]
        for kind in kinds:
            if kind not in _ALLOWED:
                raise TypeError(f"output_types: {kind.name} is none of {', '.join(k.name for k in _ALLOWED)}")
        driver: Tensor = convert_to_tensor(driver_name, dtypes.string, name="driver_name")
        source: Tensor = convert_to_tensor(data_source_name, dtypes.string, name="data_source_name")
        text: Tensor = convert_to_tensor(query, dtypes.string, name="query")
        is_known = Assert(equal(driver, "sqlite"), ["The database type, ", driver, ", is not supported: use sqlite."])
        source = with_dependencies([is_known], source)

        def read(place: Any, words: Any) -> Iterator[Any]:
            for row in _rows(place, words, kinds):
                yield nest.pack_sequence_as(self._structure.types, row)

        def of_query(place: Tensor, words: Tensor) -> Dataset:
            return Dataset.from_generator(read, self._structure.types, self._structure.shapes, (place, words))

        self._rows = Dataset.from_tensors((source, text)).flat_map(of_query)

    def _as_variant_tensor(self) -> Tensor:
        return self._rows._as_variant_tensor()
