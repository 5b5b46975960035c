"""A dataset of the rows of a SQL query."""

from __future__ import annotations

import math
import os
import re
import sqlite3
import urllib.parse
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedDTypes, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset import Dataset, StructuredDataset
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.script.py_func import numpy_function

__all__ = ["SqlDataset"]

_ALLOWED = (
    *(dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16),
    *(dtypes.bool, dtypes.float64),
)


# The number at the beginning of a text, as SQLite reads it.
_INTEGER = re.compile(r"\s*([+-]?[0-9]+)")
_FLOAT = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_LEAST, _LARGEST = -(1 << 63), (1 << 63) - 1


def _float(field: Any) -> float:
    if isinstance(field, bytes):
        found = _FLOAT.match(field.decode(errors="replace"))
        return float(found[1]) if found else 0.0
    return float(field or 0)


def _integer(field: Any) -> int:
    if isinstance(field, bytes):
        found = _INTEGER.match(field.decode(errors="replace"))
        number = int(found[1]) if found else 0
    elif isinstance(field, float):
        number = int(max(min(field, _LARGEST), _LEAST))
    else:
        number = field or 0
    return max(min(number, _LARGEST), _LEAST)


def _text(field: Any) -> bytes:
    if isinstance(field, float):
        if math.isinf(field):
            return b"Inf" if field > 0 else b"-Inf"
        digits, exponent, power = f"{field:.15g}".partition("e")
        return f"{digits}{'' if '.' in digits else '.0'}{exponent}{power}".encode()
    return b"" if field is None else field if isinstance(field, bytes) else str(field).encode()


def _value(field: Any, dtype: dtypes.DType) -> Any:
    """Returns a field as SQLite converts it: NULL is 0 or empty, and a text is the number at its beginning, or 0."""
    if dtype == dtypes.string:
        return _text(field)
    if dtype == dtypes.float64:
        return _float(field)
    if dtype == dtypes.bool:
        return _integer(field) != 0
    # TF 1.x: an integer that the type cannot hold loses its high bits.
    return np.array(_integer(field), np.int64).astype(dtype.as_numpy_dtype)


def _failure(error: sqlite3.Error, place: str) -> errors.OpError:
    """Returns the status of an error of SQLite. TF 1.x: a damaged database is lost data, others are unknown."""
    if "readonly database" in str(error):
        return errors.InvalidArgumentError(None, None, f"{place}: {error}. A query that writes has no columns.")
    # In Python 3.10, only the class and the message of an error show its code.
    if type(error) is not sqlite3.DatabaseError:
        return errors.UnknownError(None, None, f"{place}: {error}")
    if "not a database" in str(error):
        return errors.InvalidArgumentError(None, None, f"{place}: {error}")
    return errors.DataLossError(None, None, f"{place}: {error}")


def _checked(driver: Any) -> Any:
    if driver != b"sqlite":
        raise errors.InvalidArgumentError(
            None,
            None,
            f"The database type, {driver.decode(errors='replace')}, is not supported by SqlDataset. The set of "
            "supported databases is: {'sqlite'}.",
        )
    return driver


def _rows(source: Any, query: Any, kinds: list[dtypes.DType]) -> Iterator[list[Any]]:
    place = os.fsdecode(source)
    if not os.path.exists(source):
        raise errors.NotFoundError(None, None, f"{place}; No such file or directory")
    try:
        with closing(sqlite3.connect(f"file:{urllib.parse.quote(source)}?mode=ro", uri=True)) as connection:
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
    except sqlite3.Error as error:
        raise _failure(error, place) from None


class SqlDataset(StructuredDataset):
    """Dataset of the rows that a SQL query finds, as tuples of scalars.

    Args:
        driver_name: string Tensor of shape [], "sqlite".
        data_source_name: string Tensor of shape [], the path of the database.
        query: string Tensor of shape [].
        output_types: tuple of dtypes, one for each column: string, bool, float64, or an integer.

    Raises:
        TypeError: if a dtype is none of these.
        tf.errors.InvalidArgumentError: when the step runs, if the driver is not "sqlite", the file is not a database,
            or the number of columns differs.
        tf.errors.NotFoundError: when the step runs, if the file does not exist.
        tf.errors.DataLossError: when the step runs, if the database is damaged.
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

        def read(_: Any, source: Any, query: Any) -> Iterator[Any]:
            for row in _rows(source, query, kinds):
                yield nest.pack_sequence_as(self._structure.types, row)

        def of_query(*arguments: Tensor) -> Dataset:
            return Dataset.from_generator(read, self._structure.types, self._structure.shapes, arguments)

        # TF 1.x: the driver is checked when the iterator is made.
        driver = numpy_function(_checked, [driver], dtypes.string)
        driver.set_shape([])
        self._rows = Dataset.from_tensors((driver, source, text)).flat_map(of_query)

    def _as_variant_tensor(self) -> Tensor:
        return self._rows._as_variant_tensor()
