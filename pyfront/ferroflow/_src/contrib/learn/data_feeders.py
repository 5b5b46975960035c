"""Data feeders of `tf.contrib.learn`: batches of arrays or of iterators, which placeholders of the graph get."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.contrib.learn.table_inputs import (
    is_dask_table,
    pandas_data,
    pandas_labels,
    pandas_matrix,
)
from ferroflow._src.ops.array.making import placeholder

__all__ = [
    "DataFeeder",
    "StreamingDataFeeder",
    "check_array",
    "setup_predict_data_feeder",
    "setup_processor_data_feeder",
    "setup_train_data_feeder",
]


def _each(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Returns a function's result for a value; or for each value of a dict, with other dicts' values at its key."""
    if first is None:
        return None
    if not isinstance(first, Mapping):
        return function(first, *others)
    return {
        key: function(value, *(other.get(key) if isinstance(other, Mapping) else other for other in others))
        for key, value in first.items()
    }


def _first(parts: Any) -> Any:
    return next(iter(parts.values())) if isinstance(parts, Mapping) else parts


def _array(values: Any) -> Any:
    return np.array(values) if isinstance(values, (list, tuple)) else values


def _dtype(values: Any) -> Any:
    if values.dtype == np.float64:
        tf_logging.warning("Many models do not take float64; cast the array to float32.")
    return values.dtype


def _input_shape(shape: Sequence[int], batch_size: int) -> list[int]:
    return [batch_size, *(shape[1:] or [1])]


def _output_shape(shape: Sequence[int], n_classes: int | None, batch_size: int) -> list[int]:
    rest = list(shape[1:])
    if rest[:1] == [1]:
        rest = rest[1:]
    return [batch_size, *rest, *([n_classes] if n_classes is not None and n_classes > 1 else [])]


def _rows(values: Any, rows: npt.NDArray[Any]) -> Any:
    return values.iloc[rows].to_numpy() if hasattr(values, "iloc") else values[rows]


def _columns(values: Any, rows: npt.NDArray[Any]) -> Any:
    """Returns rows of an array of two dimensions or more."""
    chosen = _rows(values, rows)
    return np.reshape(chosen, (-1, 1)) if len(values.shape) == 1 else chosen


def _labels(values: Any, shape: Sequence[int], dtype: Any, n_classes: int | None) -> npt.NDArray[Any]:
    """Returns labels in the shape that is fed: class numbers become ones at their places."""
    made: npt.NDArray[Any] = np.zeros([len(values), *shape[1:]], dtype)
    given = np.asarray(values)
    if n_classes is not None and n_classes > 1:
        np.put_along_axis(made, given.astype(np.int64).reshape((*made.shape[:-1], 1)), 1, axis=-1)
    else:
        made[...] = given.reshape(made.shape)
    return made


def _feeds(placeholders: Any, values: Any) -> dict[str, Any]:
    if isinstance(placeholders, Mapping):
        return {placeholders[key].name: values[key] for key in placeholders}
    return {placeholders.name: values}


def check_array(array: Any, dtype: npt.DTypeLike) -> Any:
    """Returns an array with a dtype.

    Args:
        array: array or list of any shape; another object is returned unchanged.
        dtype: the NumPy dtype of the result.

    Returns:
        array of `dtype`.
    """
    return np.asarray(array, dtype=dtype) if isinstance(array, (np.ndarray, list)) else array


class DataFeeder:
    """Batches of arrays, with labels as they are or as ones at the places of their classes.

    Args:
        x: array of any dtype and shape [examples, ...], or dict of such arrays: the features.
        y: array of shape [examples, ...], or dict of such arrays: the labels; or None.
        n_classes: int, the number of classes, of which 0 and 1 stand for a regression; None for labels as they are;
            for a dict of labels a dict of these.
        batch_size: int; None for all examples at once.
        shuffle: bool. If True, each epoch has an order of its own.
        random_state: numpy.random.RandomState of the order; None for one with the seed 42.
        epochs: int, how often each example is fed; None for no limit.

    Raises:
        ValueError: if `batch_size` is not positive.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: Any,
        batch_size: int | None = None,
        shuffle: bool = True,
        random_state: np.random.RandomState | None = None,
        epochs: int | None = None,
    ) -> None:
        self._x, self._y = _each(_array, x), _each(_array, y)
        if y is not None and n_classes is not None and not isinstance(y, Mapping):
            self._y = np.asarray(self._y, dtype=np.int64 if n_classes > 1 else np.float32)
        self._describe(_each(np.shape, self._x), _each(np.shape, self._y), n_classes, batch_size)
        self.max_epochs = epochs
        self._input_dtype = _each(_dtype, self._x)
        types = _each(_dtype, self._y)
        if isinstance(types, dict) and n_classes is not None:
            types = {key: np.float32 if key in n_classes else kind for key, kind in types.items()}
        self._output_dtype = np.float32 if y is None else types
        self._shuffle = shuffle
        self.random_state = np.random.RandomState(42) if random_state is None else random_state
        self._size = int(np.shape(_first(self._x))[0])
        self.indices = self._order()
        self.offset = self.epoch = 0

    def _describe(self, x_shape: Any, y_shape: Any, n_classes: Any, batch_size: int | None) -> None:
        if batch_size is None:
            batch_size = int(_first(x_shape)[0])
        elif batch_size <= 0:
            raise ValueError(f"Invalid batch_size {batch_size}.")
        self.n_classes, self._batch_size = n_classes, batch_size
        self.input_shape = _each(_input_shape, x_shape, batch_size)
        self.output_shape = _each(_output_shape, y_shape, n_classes, batch_size)
        self._input_placeholder: Any = None
        self._output_placeholder: Any = None
        self._epoch_placeholder: Any = None

    def _order(self) -> npt.NDArray[Any]:
        return self.random_state.permutation(self._size) if self._shuffle else np.arange(self._size)

    @property
    def x(self) -> Any:
        """The features, an array or dict of arrays."""
        return self._x

    @property
    def y(self) -> Any:
        """The labels, an array, dict of arrays or None."""
        return self._y

    @property
    def shuffle(self) -> bool:
        """True if each epoch has an order of its own."""
        return self._shuffle

    @property
    def input_dtype(self) -> Any:
        """The NumPy dtype of the features, or a dict of them."""
        return self._input_dtype

    @property
    def output_dtype(self) -> Any:
        """The NumPy dtype of the labels that are fed, or a dict of them."""
        return self._output_dtype

    @property
    def batch_size(self) -> int:
        """The number of examples of a batch, an int."""
        return self._batch_size

    def make_epoch_variable(self) -> Any:
        """Adds a placeholder that gets the number of the epoch.

        Returns:
            Tensor of int32, of shape [1].
        """
        self._epoch_placeholder = placeholder(dtypes.int32, [1], name="epoch")
        return self._epoch_placeholder

    def input_builder(self) -> tuple[Any, Any]:
        """Adds placeholders of features and labels.

        Returns:
            A pair of Tensors of shape [None, ...], or dicts of them; the second one is None without labels.
        """
        self.set_placeholders(
            _placeholders("input", self.input_shape, self._input_dtype),
            _placeholders("output", self.output_shape, self._output_dtype),
        )
        return self._input_placeholder, self._output_placeholder

    def set_placeholders(self, input_placeholder: Any, output_placeholder: Any) -> None:
        """Sets the placeholders that are fed.

        Args:
            input_placeholder: Tensor of the features' dtype and shape, or dict of Tensors.
            output_placeholder: Tensor of the labels' dtype and shape, dict of Tensors, or None.
        """
        self._input_placeholder, self._output_placeholder = input_placeholder, output_placeholder

    def get_feed_params(self) -> dict[str, Any]:
        """Returns the epoch, the offset in it and the batch size, a dict of int by name."""
        return {"epoch": self.epoch, "offset": self.offset, "batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[str, Any]]:
        """Returns a function that feeds the next batch.

        Returns:
            callable without arguments that returns a dict from the placeholders' names to arrays. It raises
            StopIteration after the last epoch.
        """
        return self._next_feeds

    def _next_feeds(self) -> dict[str, Any]:
        if self.max_epochs is not None and self.epoch >= self.max_epochs:
            raise StopIteration
        feeds: dict[str, Any] = {}
        if self._epoch_placeholder is not None:
            feeds[self._epoch_placeholder.name] = [self.epoch]
        chosen = self.indices[self.offset : self.offset + self._batch_size]
        self.offset += self._batch_size
        if self.offset >= self._size:
            self.indices, self.offset, self.epoch = self._order(), 0, self.epoch + 1
        feeds.update(_feeds(self._input_placeholder, _each(_columns, self._x, chosen)))
        if self._output_placeholder is not None:
            given = _each(_rows, self._y, chosen)
            labels = _each(_labels, given, self.output_shape, self._output_dtype, self.n_classes)
            feeds.update(_feeds(self._output_placeholder, labels))
        return feeds


def _placeholders(name: str, shapes: Any, types: Any) -> Any:
    if not isinstance(shapes, Mapping):
        return None if shapes is None else placeholder(dtypes.as_dtype(types), [None, *shapes[1:]], name=name)
    return {key: _placeholders(f"{name}_{key}", shape, types[key]) for key, shape in shapes.items()}


def _label_dtype(label: Any) -> Any:
    if isinstance(label, np.ndarray):
        return label.dtype
    return _label_dtype(label[0]) if isinstance(label, list) else np.dtype(type(label))


class StreamingDataFeeder(DataFeeder):
    """Batches of iterators of examples.

    Args:
        x: iterator of arrays of one shape, or of dicts of them: the features of an example.
        y: iterator of arrays, numbers, or dicts of them: the label of an example; or None.
        n_classes: int, the number of classes, of which 0 and 1 stand for a regression; None for labels as they are;
            for dicts of labels a dict of these.
        batch_size: int, the number of examples of a batch; None for one.

    Raises:
        ValueError: if `batch_size` is not positive.
        StopIteration: if an iterator has no element.
    """

    def __init__(self, x: Iterator[Any], y: Iterator[Any] | None, n_classes: Any, batch_size: int | None) -> None:
        example = next(x)
        self._x = itertools.chain([example], x)
        label = None
        self._y = None
        if y is not None:
            label = next(y)
            self._y = itertools.chain([label], y)
        x_shape, y_shape = (_each(lambda part: (1, *np.shape(part)), part) for part in (example, label))
        self._describe(x_shape, y_shape, n_classes, batch_size)
        self._input_dtype = _each(_dtype, example)
        self._output_dtype = _each(_label_dtype, label)
        if n_classes is not None and not isinstance(label, Mapping) and n_classes > 0:
            self._output_dtype = np.float32
        self.stopped = False

    def get_feed_params(self) -> dict[str, Any]:
        """Returns the batch size, a dict with an int."""
        return {"batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[str, Any]]:
        """Returns a function that feeds the next examples of the iterators.

        Returns:
            callable without arguments that returns a dict from the placeholders' names to arrays. It raises
            StopIteration when an iterator has ended.
        """
        self.stopped = False
        return self._next_feeds

    def _next_feeds(self) -> dict[str, Any]:
        if self.stopped:
            raise StopIteration
        examples = list(itertools.islice(self._x, self._batch_size))
        self.stopped = len(examples) < self._batch_size
        if not examples:
            raise StopIteration
        parts = _each(_labels, _transposed(examples), self.input_shape, self._input_dtype, None)
        feeds = _feeds(self._input_placeholder, parts)
        if self._y is not None:
            labels = list(itertools.islice(self._y, len(examples)))
            if len(labels) < len(examples):
                raise StopIteration
            made = _each(_labels, _transposed(labels), self.output_shape, self._output_dtype, self.n_classes)
            feeds.update(_feeds(self._output_placeholder, made))
        return feeds


def _transposed(examples: list[Any]) -> Any:
    """Returns the values of all examples, or a dict of them for examples that are dicts."""
    if not isinstance(examples[0], Mapping):
        return examples
    return {key: [example[key] for example in examples] for key in examples[0]}


def _is_iterator(values: Any) -> bool:
    return hasattr(values, "__next__")


def setup_train_data_feeder(
    x: Any,
    y: Any,
    n_classes: Any,
    batch_size: int | None = None,
    shuffle: bool = True,
    epochs: int | None = None,
) -> DataFeeder:
    """Returns the data feeder of arrays, tables of pandas, or iterators.

    Args:
        x: array or pandas.DataFrame of any dtype and shape [examples, ...], a dict of arrays, or an iterator.
        y: as `x`, or None.
        n_classes: int, the number of classes; None for labels as they are; for a dict of labels a dict of these.
        batch_size: int; None for all examples at once, or for one of an iterator.
        shuffle: bool. If True, each epoch of arrays has an order of its own.
        epochs: int, how often each example of arrays is fed; None for no limit.

    Returns:
        DataFeeder.

    Raises:
        ValueError: if `x` is an iterator and `y` is none, or `batch_size` is not positive.
        NotImplementedError: if `x` or `y` is a table of dask.
    """
    if is_dask_table(x) or is_dask_table(y):
        raise NotImplementedError("Tables of dask are not fed; use x.compute() and y.compute(), which are of pandas.")
    x, y = pandas_data(x), pandas_labels(y)
    if _is_iterator(x):
        if y is not None and not _is_iterator(y):
            raise ValueError("Both x and y should be iterators for streaming learning to work.")
        return StreamingDataFeeder(x, y, n_classes, batch_size)
    return DataFeeder(x, y, n_classes, batch_size, shuffle=shuffle, epochs=epochs)


def setup_predict_data_feeder(x: Any, batch_size: int | None = None) -> Any:
    """Returns the batches of an array, a table of pandas or an iterator.

    Args:
        x: array or pandas.DataFrame of any dtype and shape [examples, ...], or an iterator of examples or dicts.
        batch_size: int; None for all examples at once.

    Returns:
        list of arrays of shape [batch, ...], or an iterator of them or of dicts of them.

    Raises:
        ValueError: if `batch_size` is not positive.
    """
    if batch_size is not None and batch_size <= 0:
        raise ValueError(f"Invalid batch_size {batch_size}.")
    x = pandas_data(x)
    if _is_iterator(x):
        return _batches(x, batch_size)
    if len(x.shape) == 1:
        x = np.reshape(x, (-1, 1))
    size = batch_size or max(len(x), 1)
    return [x[start : start + size] for start in range(0, max(len(x), 1), size)]


def _batches(examples: Iterator[Any], batch_size: int | None) -> Iterator[Any]:
    while batch := list(itertools.islice(examples, batch_size)):
        yield _each(np.atleast_2d, _transposed(batch))


def setup_processor_data_feeder(x: Any) -> Any:
    """Returns the values of a table of pandas.

    Args:
        x: pandas.DataFrame; another object is returned unchanged.

    Returns:
        array of the columns' common dtype, of shape [rows, columns].
    """
    return pandas_matrix(x)
