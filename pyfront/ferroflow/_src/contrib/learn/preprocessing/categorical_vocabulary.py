"""Vocabularies that number categories, such as words, in the order of their arrival."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any


class CategoricalVocabulary:
    """Numbering of categories from 1; 0 is the unknown one.

    Args:
        unknown_token: the category that has the number 0.
        support_reverse: bool. If True, categories are found by their numbers.
    """

    # TF 1.x: the names of these attributes are those in pickled files.
    def __init__(self, unknown_token: Hashable = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._freq: dict[Any, int] = defaultdict(int)
        self._freeze = False
        self._number([])

    def _number(self, categories: list[Any]) -> None:
        self._mapping = {self._unknown_token: 0}
        self._mapping.update((category, number) for number, category in enumerate(categories, 1))
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token, *categories]

    def __len__(self) -> int:
        """Returns the number of categories, including the unknown one."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Treats new categories as unknown.

        Args:
            freeze: bool, False to number new categories again.
        """
        self._freeze = freeze

    def get(self, category: Hashable) -> int:
        """Returns the number of a category, which gets one if it is new and the vocabulary is not frozen.

        Args:
            category: a hashable value, such as a string or an integer.

        Returns:
            int; 0 for unknown words.
        """
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Hashable, count: int = 1) -> None:
        """Counts a category.

        Args:
            category: a hashable value, such as a string or an integer.
            count: int, how often it came.
        """
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Removes rare and frequent categories, and renumbers the others: frequent ones first, then in sorted order.

        Args:
            min_frequency: int, which a category must come more often than.
            max_frequency: int, which a category must come less often than; -1 for any number of times.
        """
        kept = [
            (category, count)
            for category, count in self._freq.items()
            if count > min_frequency and (max_frequency <= 0 or count < max_frequency)
        ]
        kept.sort(key=lambda item: (-item[1], isinstance(item[0], str), item[0]))
        self._number([category for category, _ in kept])
        self._freq = defaultdict(int, kept)

    def reverse(self, class_id: int) -> Any:
        """Returns the category that has a number.

        Args:
            class_id: int, the number.

        Returns:
            The category with that number: usually a str.

        Raises:
            ValueError: if the vocabulary was made without `support_reverse`.
            IndexError: if no category has that number.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]
