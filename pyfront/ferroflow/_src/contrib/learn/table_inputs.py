"""Arrays from the tables of pandas, and tables of dask with known divisions, for `tf.contrib.learn`."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any, Final

from ferroflow._src.base.deprecation import deprecated

__all__ = [
    "HAS_DASK",
    "HAS_PANDAS",
    "extract_dask_data",
    "extract_dask_labels",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "is_dask_table",
]

HAS_DASK: Final = importlib.util.find_spec("dask") is not None
HAS_PANDAS: Final = importlib.util.find_spec("pandas") is not None

_NUMBERS: Final = frozenset(
    (
        *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
        *(f"float{bits}" for bits in (16, 32, 64)),
        "bool",
    )
)


def _is_of(module: str, value: Any, *names: str) -> bool:
    """Returns True for an object of a class of a library; without that library there is none."""
    library = sys.modules.get(module)
    return library is not None and isinstance(value, tuple(getattr(library, name) for name in names))


def _check_numbers(table: Any, kind: str) -> None:
    wrong = [f"{name!r} type={table[name].dtype.name!r}" for name in table if table[name].dtype.name not in _NUMBERS]
    if wrong:
        raise ValueError(f"Data types for extracting {kind} must be int, float, or bool. Found: {', '.join(wrong)}")


def pandas_data(data: Any) -> Any:
    """Returns the numbers of a table of pandas, an array of float64; what is no table is returned as it is."""
    if not _is_of("pandas", data, "DataFrame"):
        return data
    _check_numbers(data, "pandas data")
    return data.to_numpy().astype("float")


def pandas_labels(labels: Any) -> Any:
    """Returns the labels of a table of pandas with one column, an array; what is no table is returned as it is."""
    if not _is_of("pandas", labels, "DataFrame"):
        return labels
    if len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    _check_numbers(labels, "labels")
    return labels.to_numpy()


def pandas_matrix(data: Any) -> Any:
    """Returns the values of a table of pandas, an array; what is no table is returned as it is."""
    return data.to_numpy() if _is_of("pandas", data, "DataFrame") else data


@deprecated("pandas.DataFrame.to_numpy")
def extract_pandas_data(data: Any) -> Any:
    """Returns the numbers of a table of pandas.

    Args:
        data: pandas.DataFrame, or something else.

    Returns:
        array of float64, of shape [rows, columns]; what is no table is returned as it is.

    Raises:
        ValueError: if a column has no numbers.
    """
    return pandas_data(data)


@deprecated("pandas.DataFrame.to_numpy")
def extract_pandas_matrix(data: Any) -> Any:
    """Returns the values of a table of pandas.

    Args:
        data: pandas.DataFrame, or something else.

    Returns:
        array of the columns' common dtype, of shape [rows, columns]; what is no table is returned as it is.
    """
    return pandas_matrix(data)


@deprecated("pandas.DataFrame.to_numpy")
def extract_pandas_labels(labels: Any) -> Any:
    """Returns the labels of a table of pandas with one column.

    Args:
        labels: pandas.DataFrame, or something else.

    Returns:
        array of the column's dtype, of shape [rows, 1]; what is no table is returned as it is.

    Raises:
        ValueError: if there are several columns, or the column has no numbers.
    """
    return pandas_labels(labels)


def is_dask_table(value: Any) -> bool:
    """Returns True for a table or column of dask."""
    return _is_of("dask.dataframe", value, "DataFrame", "Series")


def _with_divisions(table: Any) -> Any:
    """Returns a table of dask whose index counts the rows, with the row at which each part begins."""
    starts = [0]
    for length in table.map_partitions(len).compute():
        starts.append(starts[-1] + int(length))
    dask = sys.modules["dask"]
    parts = [dask.delayed(_counted_from)(part, start) for part, start in zip(table.to_delayed(), starts, strict=False)]
    return sys.modules["dask.dataframe"].from_delayed(parts, meta=table._meta, divisions=starts)


def _counted_from(part: Any, start: int) -> Any:
    counted = part.copy()
    counted.index = counted.index + start
    return counted


@deprecated("tf.data")
def extract_dask_data(data: Any) -> Any:
    """Returns a table of dask whose index counts the rows of all its parts.

    Args:
        data: dask.dataframe.DataFrame or Series, or something else.

    Returns:
        dask.dataframe.DataFrame or Series; what is no table is returned as it is: any object.
    """
    return _with_divisions(data) if is_dask_table(data) else data


@deprecated("tf.data")
def extract_dask_labels(labels: Any) -> Any:
    """Returns a table of dask with one column, whose index counts the rows of all its parts.

    Args:
        labels: dask.dataframe.DataFrame or Series, or something else.

    Returns:
        dask.dataframe.DataFrame or Series; what is no table is returned as it is: any object.

    Raises:
        ValueError: if there are several columns.
    """
    if _is_of("dask.dataframe", labels, "DataFrame") and len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    return _with_divisions(labels) if is_dask_table(labels) else labels
