"""`HDF5Matrix`: a part of an HDF5 file as an array that is read where it is used."""

from __future__ import annotations

import collections
import os
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.keras.hdf5 import h5py


class HDF5Matrix:
    """The rows from `start` to `end` of a data set in an HDF5 file.

    Args:
        datapath: str, the file.
        dataset: str, the data set's name in the file.
        start: int, the first row.
        end: int, the row after the last; None for all.
        normalizer: callable of an array of rows, applied where they are read, or None.

    Raises:
        ImportError: if h5py is not installed.
        FileNotFoundError: if the file does not exist.
        KeyError: if the file has no such data set.
    """

    # The open files by path, which matrices of the same file share.
    refs: ClassVar[collections.defaultdict[str, Any]] = collections.defaultdict(int)

    def __init__(
        self,
        datapath: str,
        dataset: str,
        start: int = 0,
        end: int | None = None,
        normalizer: Callable[..., Any] | None = None,
    ) -> None:
        path = os.fspath(datapath)
        if not self.refs[path]:
            self.refs[path] = h5py().File(path, "r")
        self.data = self.refs[path][dataset]
        self.start = start
        self.end: int = self.data.shape[0] if end is None else end
        self.normalizer = normalizer

    def __len__(self) -> int:
        """Returns the number of rows."""
        return self.end - self.start

    def __getitem__(self, key: NestedTensors) -> Any:
        """Returns rows.

        Args:
            key: int, slice, or list or array of ints, counted from `start`.

        Returns:
            numpy.ndarray of the data set's dtype, or what `normalizer` gives.

        Raises:
            IndexError: if a row is after the last.
        """
        index: Any = key
        if isinstance(index, slice):
            first = 0 if index.start is None else index.start
            last = len(self) if index.stop is None else index.stop
            self._check(last + self.start > self.end)
            index = slice(first + self.start, last + self.start)
        elif isinstance(index, (int, np.integer)):
            self._check(index + self.start >= self.end)
            index = index + self.start
        else:
            rows = np.asarray(index)
            self._check(bool(rows.size) and int(rows.max()) + self.start >= self.end)
            index = [int(row) + self.start for row in rows]
        found = self.data[index]
        return found if self.normalizer is None else self.normalizer(found)

    def _check(self, is_outside: bool) -> None:
        if is_outside:
            raise IndexError(f"{self.data.name}: a row is outside of the {len(self)} rows")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the rows, which `normalizer` may change."""
        if self.normalizer is None:
            return (len(self), *self.data.shape[1:])
        first = self.normalizer(self.data[self.start : self.start + 1])
        return (len(self), *first.shape[1:])

    @property
    def dtype(self) -> Any:
        """The NumPy type of the rows, which `normalizer` may change."""
        if self.normalizer is None:
            return self.data.dtype
        return self.normalizer(self.data[self.start : self.start + 1]).dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return int(self.data.ndim)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape))
