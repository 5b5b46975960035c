"""Names and types of the columns of CSV files, read from the files."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.files.file import GFile


class CsvLayout:
    """Format of the records of CSV files.

    Args:
        filenames: list of str.
        field_delim: str, one character between fields.
        use_quote_delim: bool. If True, fields may be quoted.
        na_value: str that stands for no value, as an empty field does.
        header: bool. If True, the first line of each file names the columns.
        comment: str, one character that lines begin with which are no records, or None.
    """

    def __init__(
        self,
        filenames: Sequence[str],
        field_delim: str,
        use_quote_delim: bool,
        na_value: str,
        header: bool,
        comment: str | None = None,
    ) -> None:
        self.filenames = filenames
        self.field_delim = field_delim
        self.use_quote_delim = use_quote_delim
        self.na_value = na_value
        self.header = header
        self.comment = comment

    def _rows(self, filename: str) -> Iterator[list[str]]:
        with GFile(filename, "r") as file:
            if self.use_quote_delim:
                yield from csv.reader(file, delimiter=self.field_delim)
            else:
                yield from csv.reader(file, delimiter=self.field_delim, quoting=csv.QUOTE_NONE)

    def column_names(self) -> list[str]:
        """Returns the column names in the files' header lines.

        Raises:
            ValueError: if a file has no header line, or the header lines differ.
        """
        if not self.header:
            raise ValueError("Cannot infer column names without a header line.")
        names: list[str] | None = None
        for filename in self.filenames:
            found = next(self._rows(filename), None)
            if found is None:
                raise ValueError(f"Received StopIteration when reading the header line of {filename}.  Empty file?")
            if names is not None and found != names:
                raise ValueError("Files have different column names in the header row.")
            names = found
        return names or []

    def _records(self, count: int) -> Iterator[list[str]]:
        for filename in self.filenames:
            for row in itertools.islice(self._rows(filename), int(self.header), None):
                if self.comment is not None and row and row[0].startswith(self.comment):
                    continue
                if len(row) != count:
                    raise ValueError(
                        "Problem inferring types: CSV row has different number of fields than expected."
                        f" Expected {count}, got {len(row)} in {filename}: {row}"
                    )
                yield row

    def column_types(self, count: int, columns: Sequence[int], float_type: Any, rows: int | None) -> list[dtypes.DType]:
        """Returns the narrowest dtypes that hold what the columns have in the first records.

        Args:
            count: fields of a record.
            columns: numbers of the columns to read.
            float_type: `tf.float32` or `tf.float64`.
            rows: int, the number of records that are read; None for all.

        Returns:
            int32, int64, `float_type` or string for each column read; string if there are no values.

        Raises:
            ValueError: if a record has a wrong number of fields.
        """
        widths = [0] * len(columns)
        kinds = (dtypes.int32, dtypes.int64, dtypes.as_dtype(float_type), dtypes.string)
        empty = [True] * len(columns)
        for row in itertools.islice(self._records(count), rows):
            for i, column in enumerate(columns):
                field = row[column]
                if field in ("", self.na_value):
                    continue
                empty[i] = False
                while not _is_spelled(field, kinds[widths[i]]):
                    widths[i] += 1
        return [dtypes.string if e else kinds[w] for e, w in zip(empty, widths, strict=True)]


def _is_spelled(field: str, dtype: dtypes.DType) -> bool:
    """Returns True if a field parses as a value of a dtype."""
    if dtype == dtypes.string:
        return True
    try:
        if dtype.is_floating:
            # TF 1.x: not for nan, infinity and what becomes that.
            with np.errstate(over="ignore"):
                return bool(dtype.as_numpy_dtype(field) < np.inf)
        bounds = np.iinfo(dtype.as_numpy_dtype)
        return int(bounds.min) <= int(field) <= int(bounds.max)
    except ValueError:
        return False


def selected_columns(select_columns: Sequence[int | str], column_names: Sequence[str]) -> list[int]:
    """Returns the numbers of columns that are given by name or number, rising.

    Raises:
        ValueError: if a column does not exist, or is given twice.
    """
    numbers = []
    for column in select_columns:
        if isinstance(column, int):
            if not 0 <= column < len(column_names):
                raise ValueError(f"Column index {column} specified in select_columns out of valid range.")
            numbers.append(column)
        elif column in column_names:
            numbers.append(list(column_names).index(column))
        else:
            raise ValueError(f"Value '{column}' specified in select_columns not a valid column index or name.")
    if len(set(numbers)) != len(numbers):
        raise ValueError("select_columns contains duplicate columns")
    return sorted(numbers)
