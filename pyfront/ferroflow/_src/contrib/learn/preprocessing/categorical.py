"""Numbers of categories in the columns of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ferroflow._src.contrib.learn.data_feeders import setup_processor_data_feeder
from ferroflow._src.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary

__all__ = ["CategoricalProcessor"]


def _is_known(value: Any) -> bool:
    return not (isinstance(value, float) and np.isnan(value))


class CategoricalProcessor:
    """Numbering of the categories of each column; categories that are no number (NaN) have the number 0.

    Args:
        min_frequency: int, how often a category must occur to get a number.
        share: bool. If True, all columns share a vocabulary.
        vocabularies: list of CategoricalVocabulary, one for each column; None to make them.
    """

    def __init__(
        self, min_frequency: int = 0, share: bool = False, vocabularies: list[CategoricalVocabulary] | None = None
    ) -> None:
        self.min_frequency, self.share, self.vocabularies_ = min_frequency, share, vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Treats new categories as unknown.

        Args:
            freeze: bool, False to number new categories again.
        """
        for vocabulary in self.vocabularies_ or ():
            vocabulary.freeze(freeze)

    def _of(self, row: Sequence[Any]) -> list[CategoricalVocabulary]:
        if self.vocabularies_ is None:
            shared = CategoricalVocabulary()
            self.vocabularies_ = [shared if self.share else CategoricalVocabulary() for _ in row]
        return self.vocabularies_

    def fit(self, x: Any, unused_y: Any = None) -> CategoricalProcessor:
        """Numbers the categories of a table.

        Args:
            x: array or pandas.DataFrame of shape [rows, columns], or iterable of rows.
            unused_y: accepted and not used.

        Returns:
            The processor.
        """
        for row in setup_processor_data_feeder(x):
            for vocabulary, value in zip(self._of(row), row, strict=False):
                if _is_known(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_ or ():
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Any, unused_y: Any = None) -> Iterator[npt.NDArray[np.int64]]:
        """Numbers the categories of a table, and returns the numbers.

        Args:
            x: array or pandas.DataFrame of shape [rows, columns], or iterable of rows.
            unused_y: accepted and not used.

        Returns:
            iterator of arrays of int64, of shape [columns].
        """
        return self.fit(x).transform(x)

    def transform(self, x: Any) -> Iterator[npt.NDArray[np.int64]]:
        """Returns the numbers of the categories of a table.

        Args:
            x: array or pandas.DataFrame of shape [rows, columns], or iterable of rows.

        Yields:
            array of int64, of shape [columns].
        """
        self.freeze()
        rows: Iterable[Any] = setup_processor_data_feeder(x)
        for row in rows:
            pairs = zip(self._of(row), row, strict=False)
            numbers = [vocabulary.get(value) if _is_known(value) else 0 for vocabulary, value in pairs]
            yield np.array(numbers, dtype=np.int64)
