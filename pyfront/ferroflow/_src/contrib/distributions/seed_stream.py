"""`SeedStream`: seeds that are made from one."""

from __future__ import annotations

import hashlib


class SeedStream:
    """A series of seeds made from a seed and a word: each call gives the next.

    Args:
        seed: int; None for a series of None.
        salt: str, a word that makes the series another than that of other words.
    """

    def __init__(self, seed: int | None, salt: str) -> None:
        self._seed = seed
        self._salt = salt
        self._counter = 0

    @property
    def original_seed(self) -> int | None:
        """The seed that the series is made from."""
        return self._seed

    @property
    def salt(self) -> str:
        """The word from which the series is made."""
        return self._salt

    def __call__(self) -> int | None:
        """Returns the next seed, an int; None if the first seed is None."""
        self._counter += 1
        if self._seed is None:
            return None
        # The text is TensorFlow's: other texts would give other seeds.
        text = str((self._seed, self._counter, self._salt))
        return int(hashlib.sha512(text.encode("utf-8")).hexdigest(), 16)
