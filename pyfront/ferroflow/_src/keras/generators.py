"""Batches of a program's own: `Sequence`, and passes over sequences and generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class Sequence:
    """Batches by their number, for `Model.fit_generator` and related methods; a subclass defines `__getitem__`."""

    def __getitem__(self, index: int) -> Any:
        """Returns a batch: tuple of inputs and labels, and weights if there are any."""
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__(index), which returns a batch.")

    def __len__(self) -> int:
        """Returns the number of batches."""
        raise NotImplementedError(f"{type(self).__name__} is to define __len__(), the number of batches.")

    def on_epoch_end(self) -> None:
        """Is called after each training pass over all batches."""

    def __iter__(self) -> Iterator[Any]:
        """Yields all batches, again and again."""
        while True:
            yield from (self[i] for i in range(len(self)))


def yields_batches(given: Any) -> bool:
    """Returns True for a generator, and for a Sequence."""
    return hasattr(given, "__next__") or isinstance(given, Sequence)


class Passes:
    """The batches of a generator, or of an object with `__len__` and `__getitem__`, in repeated passes.

    Args:
        generator: generator, or such an object, which may have `on_epoch_end`.
        steps: int, the number of batches of an epoch; None for the object's length.
        shuffle: bool. If True, each pass takes the batches of an object in another order, by NumPy's global generator.

    Attributes:
        steps: int, the number of batches of an epoch.

    Raises:
        ValueError: if there are no batches, or `steps` is None and a generator has no length.
    """

    def __init__(self, generator: Any, steps: int | None, shuffle: bool = False) -> None:
        self._generator, self._shuffle = generator, shuffle
        self._has_length = hasattr(generator, "__getitem__") and hasattr(generator, "__len__")
        if self._has_length and not len(generator):
            raise ValueError(f"There are no batches in {generator}.")
        if steps is None and not self._has_length:
            raise ValueError("The number of steps is needed: a generator has no length.")
        self.steps = len(generator) if steps is None else steps
        self._left: Iterator[Any] = iter(()) if self._has_length else iter(generator)
        self._count = 0

    def next(self) -> Any:
        """Returns the next batch.

        Raises:
            ValueError: if a generator has ended.
        """
        if self._has_length:
            if not self._count:
                self._begin()
            self._count -= 1
        try:
            return next(self._left)
        except StopIteration:
            raise ValueError("The generator ended before the last step: yield more batches.") from None

    def _begin(self) -> None:
        self._count = len(self._generator)
        order = np.random.permutation(self._count) if self._shuffle else range(self._count)
        self._left = (self._generator[int(i)] for i in order)

    def end_pass(self) -> None:
        """Calls the object's `on_epoch_end` if the last batch ended a pass."""
        if self._has_length and not self._count and hasattr(self._generator, "on_epoch_end"):
            self._generator.on_epoch_end()
