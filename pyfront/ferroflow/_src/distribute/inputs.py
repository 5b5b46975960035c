"""Parts of datasets: what each replica reads."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.data.grouping import group_by_window
from ferroflow._src.data.iterator import Iterator
from ferroflow._src.distribute.choices import Replicas
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.shaping import shape


class ReplicaIterator:
    """Iterator of a replica's batches.

    Args:
        iterator: iterator of the replica's dataset.
    """

    def __init__(self, iterator: Iterator) -> None:
        self._iterator = iterator

    def get_next(self, name: str | None = None) -> Any:
        """Returns the next element.

        Args:
            name: name of the operation.

        Returns:
            Nest of Tensors of the dataset's dtypes and shapes.
        """
        return self._iterator.get_next(name)

    def initialize(self) -> list[Any]:
        """Returns the operations that start the iterator; a session must run them first."""
        return [self._iterator.initializer]

    @property
    def initializer(self) -> Any:
        """The operation that starts the iterator."""
        return self._iterator.initializer

    @property
    def output_types(self) -> Any:
        """Structure of the elements' dtypes."""
        return self._iterator.output_types

    @property
    def output_shapes(self) -> Any:
        """Structure of the elements' shapes."""
        return self._iterator.output_shapes

    @property
    def output_classes(self) -> Any:
        """Structure of the elements' classes."""
        return self._iterator.output_classes


def part_of_elements(dataset: Dataset, replicas: Replicas) -> Dataset:
    """Returns every n-th element of a dataset for one of n replicas.

    The elements after the last n are left out, so that all replicas get equally many.

    Args:
        dataset: Dataset.
        replicas: the replica, and how many there are.
    """
    rank, size = replicas
    if size == 1:
        return dataset

    def own(_: Any, window: Dataset) -> Dataset:
        # Without the second part, an incomplete window would give an element to its first replicas.
        pair = Dataset.zip((window.skip(rank).take(1), window.skip(size - 1).take(1)))
        return pair.map(lambda element, _: element)

    return dataset.apply(group_by_window(lambda *_: constant(0, dtypes.int64), own, window_size=size))


def part_of_rows(dataset: Dataset, replicas: Replicas) -> Dataset:
    """Returns a dataset whose elements have one replica's rows of each batch.

    A batch of fewer rows than replicas is left out.

    Args:
        dataset: Dataset of nests of Tensors of shape [batch, ...].
        replicas: the replica, and how many there are.

    Raises:
        ValueError: if a component has no batch dimension, or the number of replicas is known not to divide it.
        NotImplementedError: if a component is a SparseTensor.
    """
    rank, size = replicas
    if size == 1:
        return dataset
    for one in nest.flatten(dataset.output_classes):
        if one is SparseTensor:
            raise NotImplementedError(
                "a batch of SparseTensors cannot be divided: use make_input_fn_iterator, whose function makes the "
                "batches of one replica."
            )
    for known in nest.flatten(dataset.output_shapes):
        if known.ndims == 0:
            raise ValueError("the dataset must have batches, but an element has a component of shape [].")
        rows = None if known.ndims is None else known[0].value
        if rows is not None and rows % size != 0:
            raise ValueError(f"The batch size {rows} is not divisible by the number of replicas {size}.")

    def rows_of(element: Any) -> Any:
        return shape(nest.flatten(element)[0], out_type=dtypes.int64)[0]

    def own(*element: Any) -> Any:
        count = rows_of(element)
        begin, end = rank * count // size, (rank + 1) * count // size
        parts = nest.map_structure(lambda one: one[begin:end], element)
        return parts if len(element) > 1 else parts[0]

    return dataset.filter(lambda *element: rows_of(element) >= size).map(own)
