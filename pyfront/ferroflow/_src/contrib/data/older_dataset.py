"""`tf.contrib.data.Dataset` and its readers: datasets with the methods and arguments that TensorFlow 1.3 gave them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import StringLike, TensorLike
from ferroflow._src.data import batching, grouping, readers, transformations
from ferroflow._src.data.dataset import Dataset as NewDataset, StructuredDataset
from ferroflow._src.data.dataset_base import structure_of, variant_of
from ferroflow._src.data.options import Options
from ferroflow._src.framework.handles import Tensor

__all__ = ["Dataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"]

Element = Callable[..., Any]


class Dataset(StructuredDataset):
    """A dataset whose `map` also takes `num_threads` and `output_buffer_size`.

    Args:
        dataset: `tf.data.Dataset` of its elements.
    """

    def __init__(self, dataset: NewDataset) -> None:
        self._structure = structure_of(dataset)
        self._dataset = dataset

    def _as_variant_tensor(self) -> Tensor:
        return variant_of(self._dataset)

    def _inputs(self) -> list[NewDataset]:
        return [self._dataset]

    def options(self) -> Options:
        """Returns the `tf.data.Options` of the dataset."""
        return self._dataset.options()

    def apply(self, transformation_func: Callable[[NewDataset], NewDataset]) -> Dataset:
        """Applies a function to the dataset.

        Args:
            transformation_func: function from a Dataset to a Dataset.

        Returns:
            Dataset of what the function returned.

        Raises:
            TypeError: if the function returns something else.
        """
        return Dataset(super().apply(transformation_func))

    def map(  # type: ignore[override]  # the order of arguments is TensorFlow 1.3's
        self,
        map_func: Element,
        num_threads: TensorLike | None = None,
        output_buffer_size: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
    ) -> Dataset:
        """Applies a function to each element.

        Args:
            map_func: function from an element to an element.
            num_threads: int32 scalar, older name of `num_parallel_calls`.
            output_buffer_size: int64 scalar, number of results to compute ahead; None for 0.
            num_parallel_calls: int32 scalar, number of elements to compute at a time; None for one.

        Returns:
            Dataset of the function's results.
        """
        mapped = super().map(map_func, num_threads if num_parallel_calls is None else num_parallel_calls)
        return Dataset(mapped if output_buffer_size is None else mapped.prefetch(output_buffer_size))

    def dense_to_sparse_batch(self, batch_size: TensorLike, row_shape: Any) -> Dataset:
        """Combines elements of different shapes into batches.

        Args:
            batch_size: int64 scalar.
            row_shape: TensorShape, or int64 [rank]: the largest shape of an element.

        Returns:
            Dataset of SparseTensors.
        """
        return self.apply(batching.dense_to_sparse_batch(batch_size, row_shape))

    def unbatch(self) -> Dataset:
        """Returns the dataset of the rows of this one's elements."""
        return Dataset(super().unbatch())

    def group_by_window(self, key_func: Element, reduce_func: Element, window_size: TensorLike) -> Dataset:
        """Applies a function to the elements with equal keys.

        Args:
            key_func: function from an element to its key, an int64 scalar.
            reduce_func: function from a key and a Dataset of elements to a Dataset.
            window_size: int64 scalar, number of elements that the second function gets.

        Returns:
            Dataset of the elements of the function's results.
        """
        return self.apply(grouping.group_by_window(key_func, reduce_func, window_size))

    def ignore_errors(self) -> Dataset:
        """Returns the dataset without the elements whose computation fails."""
        return self.apply(transformations.ignore_errors())

    def enumerate(self, start: TensorLike = 0) -> Dataset:
        """Numbers the elements.

        Args:
            start: int64 scalar, the first number.

        Returns:
            Dataset of pairs of an int64 scalar and an element.
        """
        return Dataset(super().enumerate(start))


def _wrapping(name: str, *, is_source: bool) -> Any:
    """Returns a method of `tf.data.Dataset` whose result is a Dataset of this module."""
    method = getattr(NewDataset, name)

    @functools.wraps(method)
    def wrapping(*args: Any, **kwargs: Any) -> Dataset:
        return Dataset(method(*args, **kwargs))

    return staticmethod(wrapping) if is_source else wrapping


for _name in ("from_generator", "from_sparse_tensor_slices", "from_tensor_slices", "from_tensors", "list_files"):
    setattr(Dataset, _name, _wrapping(_name, is_source=True))
for _name in ("range", "zip"):
    setattr(Dataset, _name, _wrapping(_name, is_source=True))
for _name in ("batch", "cache", "concatenate", "filter", "flat_map", "interleave", "padded_batch", "prefetch"):
    setattr(Dataset, _name, _wrapping(_name, is_source=False))
for _name in ("repeat", "shard", "shuffle", "skip", "take", "with_options"):
    setattr(Dataset, _name, _wrapping(_name, is_source=False))


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Args:
        filenames: string, list of them, or Tensor of string.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: int64 scalar, bytes to read ahead.
    """

    def __init__(self, filenames: StringLike, compression_type: Any = None, buffer_size: Any = None) -> None:
        super().__init__(readers.TextLineDataset(filenames, compression_type, buffer_size))


class TFRecordDataset(Dataset):
    """The records of TFRecord files.

    Args:
        filenames: string, list of them, or Tensor of string.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: int64 scalar, bytes to read ahead.
        num_parallel_reads: int64 scalar, number of files to read at a time; None for one.
    """

    def __init__(
        self,
        filenames: StringLike,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        super().__init__(readers.TFRecordDataset(filenames, compression_type, buffer_size, num_parallel_reads))


class FixedLengthRecordDataset(Dataset):
    """The pieces of one length that files are cut into.

    Args:
        filenames: string, list of them, or Tensor of string.
        record_bytes: int64 scalar, bytes of a record.
        header_bytes: int64 scalar, bytes before the first record.
        footer_bytes: int64 scalar, bytes behind the last record.
        buffer_size: int64 scalar, bytes to read ahead.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
        buffer_size: Any = None,
    ) -> None:
        super().__init__(
            readers.FixedLengthRecordDataset(filenames, record_bytes, header_bytes, footer_bytes, buffer_size)
        )
