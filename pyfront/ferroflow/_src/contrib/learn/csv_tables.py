"""Tables of features with a target, read from CSV files; Fisher's irises among them."""

from __future__ import annotations

import collections
import csv
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ferroflow._src.base.docstrings import document
from ferroflow._src.base.files.staging import fetched

Dataset = collections.namedtuple("Dataset", ["data", "target"])
document(
    Dataset,
    """Rows of a table: their features, and the label of each.

Args:
    data: array of shape [rows, columns], of the requested dtype.
    target: array of shape [rows], of the requested dtype.
""",
)
# The measures of 150 irises (cm), 50 of each of three species: R. A. Fisher, 1936. TF 1.x: as the UCI repository has
# them, where two samples are not Fisher's.
_IRIS = Path(__file__).with_name("iris.csv")


def _split(
    rows: list[list[str]], target_dtype: npt.DTypeLike, features_dtype: npt.DTypeLike, target_column: int
) -> Dataset:
    target = np.array([row.pop(target_column) for row in rows], dtype=target_dtype)
    return Dataset(data=np.array(rows, dtype=features_dtype), target=target)


def load_csv_with_header(
    filename: str | os.PathLike[str],
    target_dtype: npt.DTypeLike,
    features_dtype: npt.DTypeLike,
    target_column: int = -1,
) -> Dataset:
    """Reads a table whose first line begins with the numbers of samples and of features.

    Args:
        filename: str, the file's path.
        target_dtype: the target's NumPy type.
        features_dtype: the features' NumPy type.
        target_column: int, the target's column.

    Returns:
        `Dataset` of `data` [samples, features] and `target` [samples].

    Raises:
        ValueError: if the table does not have the size that its first line states, or a field is not of its type.
        OSError: if the file cannot be read.
    """
    copy = fetched(filename)
    with open(copy.path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader)
        rows = list(reader)
    size = int(header[0]), int(header[1])
    found = _split(rows, target_dtype, features_dtype, target_column)
    if found.data.shape != size:
        raise ValueError(f"{filename} has samples and features {found.data.shape} but its first line says {size}")
    return found


def load_csv_without_header(
    filename: str | os.PathLike[str],
    target_dtype: npt.DTypeLike,
    features_dtype: npt.DTypeLike,
    target_column: int = -1,
) -> Dataset:
    """Reads a table.

    Args:
        filename: str, the file's path.
        target_dtype: the target's NumPy type.
        features_dtype: the features' NumPy type.
        target_column: int, the target's column.

    Returns:
        `Dataset` of `data` [samples, features] and `target` [samples].

    Raises:
        ValueError: if a field is not of its type.
    """
    copy = fetched(filename)
    with open(copy.path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return _split(rows, target_dtype, features_dtype, target_column)


def load_iris(data_path: str | os.PathLike[str] | None = None) -> Dataset:
    """Reads the measures and species of 150 irises.

    Args:
        data_path: str, a file to read them from; None for the one that ferroflow has.

    Returns:
        `Dataset` of `data` float64 [150, 4] (cm) and `target` int64 [150].

    Raises:
        ValueError: on the same conditions as `load_csv_with_header`.
        OSError: if the file cannot be read.
    """
    return load_csv_with_header(_IRIS if data_path is None else data_path, np.int64, np.float64)


def load_boston(data_path: str | os.PathLike[str] | None = None) -> Dataset:
    """Reads a table of house prices in Boston, which is not part of ferroflow.

    Args:
        data_path: str, the file to read them from, as TensorFlow has it.

    Returns:
        `Dataset` of `data` float64 [samples, 13] and `target` float64 [samples].

    Raises:
        NotImplementedError: if there is no `data_path`.
        ValueError: on the same conditions as `load_csv_with_header`.
        OSError: if the file cannot be read.
    """
    if data_path is None:
        raise NotImplementedError(
            "load_boston: the data is not part of ferroflow; pass the path of TensorFlow's boston_house_prices.csv."
        )
    return load_csv_with_header(data_path, np.float64, np.float64)
