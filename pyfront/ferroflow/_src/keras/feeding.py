"""Data that a model is fitted to: arrays, or tensors of the graph that are computed batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from ferroflow._src.base.errors import OutOfRangeError
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.data.iterator import Iterator as DatasetIterator
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.batches import Batch, part_of, places

_next_elements: WeakKeyDictionary[DatasetIterator, Any] = WeakKeyDictionary()


class Arrays:
    """Examples in arrays.

    Args:
        batch: the inputs, labels and weights; all lists are empty where a model is fed nothing.
    """

    # Returns the first process's value on all processes that train together; None for one process.
    agreed: Callable[[Any], Any] | None = None

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        inputs, labels, _ = batch
        self.count: int | None = next((len(array) for array in [*inputs, *labels]), None)

    def batches(self, batch_size: int | None, steps: int | None, shuffle: Any = False) -> Iterator[tuple[Batch, int]]:
        """Batches and how much each counts: all examples at once in each of `steps`, else `batch_size` of them."""
        if steps is not None:
            for _ in range(steps):
                yield self.batch, 1
        else:
            for chosen in places(self.count or 0, 32 if batch_size is None else batch_size, shuffle, self.agreed):
                yield part_of(self.batch, chosen), len(chosen)


class Drawn:
    """Examples that the graph computes.

    Args:
        draw: callable that computes a batch.
        start: callable that begins the examples again, which a dataset's begin with; None if they have no beginning.
    """

    count: int | None = None

    def __init__(self, draw: Callable[[], Batch], start: Callable[[], Any] | None = None) -> None:
        self._draw, self._start = draw, start
        self._is_started = False

    @property
    def has_start(self) -> bool:
        """True if the examples are those of a dataset, which each epoch can begin again."""
        return self._start is not None

    def batches(self, batch_size: int | None, steps: int | None, shuffle: Any = False) -> Iterator[tuple[Batch, int]]:
        """Batches and how much each counts: the next `steps` ones, or those from the first to the last one."""
        if self._start is not None and (steps is None or not self._is_started):
            self._start()
            self._is_started = True
        for _ in itertools.count() if steps is None else range(steps):
            try:
                batch = self._draw()
            except OutOfRangeError:
                if steps is not None:
                    raise
                return
            yield batch, 1


def is_symbolic(given: Any) -> bool:
    """Returns True if the data is a graph's tensors.

    Raises:
        ValueError: if some are, and some are not.
    """
    if isinstance(given, dict):
        given = list(given.values())
    if not isinstance(given, (list, tuple)):
        return isinstance(given, Tensor)
    found = {isinstance(one, Tensor) for one in given}
    if len(found) > 1:
        raise ValueError("Do not pass inputs that mix Numpy arrays and TensorFlow tensors.")
    return found == {True}


def pair_of(x: Any, inputs: int, outputs: int) -> tuple[Any, Any]:
    """Returns inputs and labels of a list of Tensors that holds both, as a dataset's iterator gives them.

    Args:
        x: the inputs of a call, of any kind.
        inputs: int, number of the model's inputs.
        outputs: int, number of its outputs that need labels.

    Returns:
        the inputs and the labels; `x` and None if it is no such list.
    """
    if isinstance(x, (list, tuple)) and len(x) == inputs + outputs and all(isinstance(one, Tensor) for one in x):
        return list(x[:inputs]), list(x[inputs:])
    return x, None


def next_of(x: NestedTensors, y: NestedTensors, weights: NestedTensors, labelled: bool = True) -> tuple[Any, Any, Any]:
    """Inputs, labels and weights, which are the next element of a dataset's iterator if the inputs are one.

    Raises:
        ValueError: if labels are given in addition to the iterator, or its elements have none.
    """
    if not isinstance(x, DatasetIterator):
        return x, y, weights
    if y is not None:
        raise ValueError(
            "The inputs are a dataset or its iterator, whose elements have the labels: do not pass a target `y`."
        )
    if x not in _next_elements:
        _next_elements[x] = x.get_next()
    element = _next_elements[x]
    if not labelled and not isinstance(element, tuple):
        return element, None, None
    if not isinstance(element, tuple) or len(element) not in (2, 3):
        raise ValueError(
            f"Please provide data as a list or tuple of 2 elements - input and target pair. Received {element}"
        )
    return element[0], element[1], element[2] if len(element) == 3 else weights
