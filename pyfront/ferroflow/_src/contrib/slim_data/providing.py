"""Data sets of records, and what provides their items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base.typing import StringLike
from ferroflow._src.contrib.slim_data.decoding import DataDecoder
from ferroflow._src.contrib.slim_data.reading import parallel_read


class Dataset:
    """A data set of files of records; its arguments are its attributes.

    Args:
        data_sources: str or list of str, names or patterns of files.
        reader: class of readers, such as `tf.TFRecordReader`.
        decoder: DataDecoder.
        num_samples: int, how many records there are; None if that is not known.
        items_to_descriptions: dict from the names of items to str.
        **kwargs: further attributes.
    """

    def __init__(
        self,
        data_sources: StringLike,
        reader: Callable[..., Any],
        decoder: DataDecoder,
        num_samples: int | None,
        items_to_descriptions: Mapping[str, str],
        **kwargs: Any,
    ) -> None:
        kwargs["data_sources"] = data_sources
        kwargs["reader"] = reader
        kwargs["decoder"] = decoder
        kwargs["num_samples"] = num_samples
        kwargs["items_to_descriptions"] = items_to_descriptions
        self.__dict__.update(kwargs)


class DataProvider:
    """Items by name.

    Args:
        items_to_tensors: dict from the names of items to Tensors.
        num_samples: int, how many there are; None if that is not known.
    """

    def __init__(self, items_to_tensors: Mapping[str, Any], num_samples: int | None) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """Returns items.

        Args:
            items: list or tuple of str, their names.

        Returns:
            list of Tensors.

        Raises:
            ValueError: if `items` is not a list or tuple, or a name is not known.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        for item in items:
            if item not in self._items_to_tensors:
                known = ", ".join(self.list_items())
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {known}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> list[str]:
        """Returns the names of the items, a list of str."""
        return list(self._items_to_tensors)

    def num_samples(self) -> int | None:
        """Returns how many records there are, an int or None."""
        return self._num_samples


class DatasetDataProvider(DataProvider):
    """Reads the records of a `Dataset` side by side and decodes them.

    Args:
        dataset: Dataset.
        num_readers: int.
        reader_kwargs: dict of the readers' arguments.
        shuffle: bool. If True, records come in random order.
        num_epochs: int, how often each file is read; None for without end.
        common_queue_capacity: int, of the queue of records.
        common_queue_min: int, how many records stay in the queue for the random order.
        record_key: str, the name of the item that is the record's key.
        seed: int.
        scope: str, name scope.

    Raises:
        ValueError: if an item has the name `record_key`, or there is no file.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Mapping[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        found = dict(zip(items, dataset.decoder.decode(data, items), strict=True))
        if record_key in found:
            raise ValueError(
                f"The item name used for `record_key` cannot also be used for a dataset item: {record_key}"
            )
        found[record_key] = key
        super().__init__(items_to_tensors=found, num_samples=dataset.num_samples)
