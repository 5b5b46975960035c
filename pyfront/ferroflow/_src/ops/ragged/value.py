"""`RaggedTensorValue`: the value of a ragged tensor, made of arrays."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


class RaggedTensorValue:
    """Values in rows of different lengths, as `Session.run` returns them for a RaggedTensor.

    Args:
        values: array of any dtype, of shape [n, ...], or RaggedTensorValue: the rows, one after the other.
        row_splits: array of int32 or int64, of shape [rows + 1]: where each row begins, and where the last one ends.

    Raises:
        TypeError: if an argument has another type, dtype or rank.
        ValueError: if `row_splits` and those of `values` have different dtypes.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        is_array = isinstance(row_splits, (np.ndarray, np.generic))
        if not is_array or row_splits.dtype not in (np.int64, np.int32) or row_splits.ndim != 1:
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values = values
        self._row_splits = row_splits

    @property
    def row_splits(self) -> Any:
        """The splits, an array of int32 or int64, of shape [rows + 1]."""
        return self._row_splits

    @property
    def values(self) -> Any:
        """The rows, one after the other: an array or RaggedTensorValue."""
        return self._values

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""
        return self._values.dtype

    @property
    def flat_values(self) -> Any:
        """The values below all ragged dimensions, an array."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged dimensions, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape; None for the ragged dimensions."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"

    def to_list(self) -> list[Any]:
        """Returns the rows as nested lists.

        Returns:
            list of a list for each row.
        """
        values = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        splits = self._row_splits.tolist()
        return [values[start:end] for start, end in itertools.pairwise(splits)]
