"""Methods of `Dataset` that repeat, select, order and keep elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import (
    BoolLike,
    IntLike,
    TensorLike,
)
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.cache_progress import watch_cache
from ferroflow._src.data.dataset_base import DatasetBase, int64, op_dataset, structure_of
from ferroflow._src.data.dataset_sources import DatasetSources
from ferroflow._src.data.seeds import seed_tensors
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor

if TYPE_CHECKING:
    from ferroflow._src.data.dataset import Dataset

_LAST = int(np.iinfo(np.int64).max)


class DatasetOrder(DatasetBase):
    """Methods of `Dataset` that repeat, select, order and keep elements."""

    def concatenate(self, dataset: Dataset) -> Dataset:
        """Returns the elements of this dataset and then those of another.

        Args:
            dataset: Dataset of elements of the same structure, types and classes.

        Returns:
            Dataset; its shapes keep the dimensions that both have in common.

        Raises:
            TypeError: if it is no Dataset, or the types or classes of elements differ.
            ValueError: if elements have different nesting.
        """
        if not hasattr(dataset, "output_types"):
            raise TypeError(f"a dataset is concatenated with a Dataset, not with {dataset!r}")
        nest.assert_same_structure(self.output_types, dataset.output_types)
        for a, b in zip(nest.flatten(self.output_types), nest.flatten(dataset.output_types), strict=True):
            if a != b:
                raise TypeError(
                    f"Two datasets to concatenate have different types {self.output_types} and {dataset.output_types}"
                )
        for a, b in zip(nest.flatten(self.output_classes), nest.flatten(dataset.output_classes), strict=True):
            if a != b:
                raise TypeError(
                    f"Two datasets to concatenate have different classes {self.output_classes} and "
                    f"{dataset.output_classes}"
                )
        pairs = zip(nest.flatten(self.output_shapes), nest.flatten(dataset.output_shapes), strict=True)
        shapes = nest.pack_sequence_as(self.output_shapes, [a.most_specific_compatible_shape(b) for a, b in pairs])
        structure = structure_of(self)._replace(shapes=shapes)
        return op_dataset("ConcatenateDataset", [self, dataset], structure)

    def repeat(self, count: TensorLike | None = None) -> Dataset:
        """Returns this dataset several times over.

        Args:
            count: int64 scalar, the number of repetitions; None and -1 repeat without end.

        Returns:
            Dataset.
        """
        return self._like("RepeatDataset", int64(-1 if count is None else count, "count"))

    def take(self, count: TensorLike) -> Dataset:
        """Returns the first elements.

        Args:
            count: int64 scalar, how many; all for -1.

        Returns:
            Dataset.
        """
        return self._like("TakeDataset", int64(count, "count"))

    def skip(self, count: TensorLike) -> Dataset:
        """Returns all but the first elements.

        Args:
            count: int64 scalar, how many are left out; all for -1.

        Returns:
            Dataset.
        """
        return self._like("SkipDataset", int64(count, "count"))

    def shard(self, num_shards: TensorLike, index: TensorLike) -> Dataset:
        """Returns every `num_shards`-th element, from element `index` on.

        Args:
            num_shards: int64 scalar, number of parts.
            index: int64 scalar, number of this part.

        Returns:
            Dataset.

        Raises:
            ValueError: if `num_shards` is below 1, or `index` not below it.
        """
        count, number = int64(num_shards, "num_shards"), int64(index, "index")
        known_count, known_number = constant_value(count), constant_value(number)
        if known_count is not None and known_count < 1:
            raise ValueError(f"num_shards must be >= 1; got: {known_count}")
        if known_number is not None and known_number < 0:
            raise ValueError(f"index must be >= 0; got: {known_number}")
        if known_count is not None and known_number is not None and known_number >= known_count:
            raise ValueError(f"index must be <= num_shards; {known_number} is not < {known_count}")
        return self._like("ShardDataset", count, number)

    def enumerate(self, start: TensorLike = 0) -> Dataset:
        """Returns pairs of a number and an element.

        Args:
            start: int64 scalar, the first number.

        Returns:
            Dataset of pairs of an int64 scalar and an element.
        """
        return self._enumerate(start)

    def _enumerate(self, start: Any = 0) -> Dataset:
        return DatasetSources.zip((DatasetSources.range(start, _LAST), self))

    def shuffle(
        self, buffer_size: TensorLike, seed: IntLike | None = None, reshuffle_each_iteration: BoolLike | None = None
    ) -> Dataset:
        """Returns the elements in random order, each drawn from the `buffer_size` that come next.

        Args:
            buffer_size: int64 scalar, how many elements each is drawn from.
            seed: int or int64 scalar; with the graph's seed it decides the order.
            reshuffle_each_iteration: If True, each pass has an order of its own; by default it has.

        Returns:
            Dataset.
        """
        reshuffles = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        inputs = [int64(buffer_size, "buffer_size"), *seed_tensors(seed)]
        return self._like("ShuffleDataset", *inputs, attrs={"reshuffle_each_iteration": reshuffles})

    def cache(self, filename: Any = "") -> Dataset:
        """Returns this dataset with a cache, filled in the first whole pass.

        Args:
            filename: string, the prefix of the files with the elements; in memory for "". A file that takes more than
                a second to write is shown on the terminal.

        Returns:
            Dataset.
        """
        name = convert_to_tensor(filename, dtype=dtypes.string, name="filename")
        if isinstance(filename, (str, bytes)) and filename:
            watch_cache(filename, name.graph)
        return self._like("CacheDataset", name)

    def prefetch(self, buffer_size: TensorLike) -> Dataset:
        """Returns this dataset, read ahead by a thread.

        Args:
            buffer_size: int64 scalar, how many elements are read ahead at most; None and -1 choose the number
                automatically.

        Returns:
            Dataset.
        """
        return self._like("PrefetchDataset", int64(-1 if buffer_size is None else buffer_size, "buffer_size"))
