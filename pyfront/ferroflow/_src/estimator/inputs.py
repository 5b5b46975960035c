"""Input functions of estimators that read arrays and data frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base.typing import DictLike
from ferroflow._src.estimator.feeding import enqueue_arrays


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(f"shuffle must be provided and explicitly set as boolean; got {shuffle}")


def _in_order(values: dict[Any, Any]) -> dict[Any, Any]:
    return {key: values[key] for key in sorted(values)}


def _batch(queue: Any, batch_size: int, num_epochs: int | None) -> list[Any]:
    """Returns one batch without the numbers of the examples; the last one may have fewer."""
    batch = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
    return list(batch)[1:]


def numpy_input_fn(
    x: DictLike,
    y: np.ndarray[Any, Any] | DictLike | None = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Returns an input function that makes batches of examples from NumPy arrays.

    Args:
        x: dict of arrays of one length, the features; or one array.
        y: array of that length, or dict of them, the labels, or None.
        batch_size: int, the number of examples of a batch.
        num_epochs: int, how often each example is returned; None for no limit.
        shuffle: bool. If True, the examples come in random order; required.
        queue_capacity: int, the number of examples that are read ahead.
        num_threads: int, the number of threads that read.

    Returns:
        Callable without arguments. It returns the features, a dict of Tensors or a Tensor with the dtypes of the
        arrays, of shape [batch, ...], and the labels, if there are any.

    Raises:
        TypeError: if `shuffle` is not given.

    The function raises ValueError if arrays are empty or differ in length, or if a label has a feature's name. It
    raises TypeError if `x` is neither a dict nor an array.

    Example:
        >>> input_fn = tf.estimator.inputs.numpy_input_fn(
        ...     {"x": np.array([1.0, 2.0, 3.0])}, y=np.array([0, 1, 0]), batch_size=2, num_epochs=1, shuffle=False
        ... )
        >>> features, labels = input_fn()
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run([features["x"], labels]))
        [array([1., 2.]), array([0, 1])]
    """
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        if isinstance(x, dict):
            if not x:
                raise ValueError("x cannot be an empty dict")
            features = _in_order(x)
        elif isinstance(x, np.ndarray):
            if x.size == 0:
                raise ValueError("x cannot be an empty array")
            features = {"x": x}
        else:
            raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
        if isinstance(y, dict):
            if not y:
                raise ValueError("y cannot be empty dict, use None instead.")
            labels = _in_order(y)
            twice = set(features) & set(labels)
            if twice and isinstance(x, dict):
                raise ValueError(f"{len(twice)} duplicate keys are found in both x and y: {twice}")
        else:
            labels = {} if y is None else {"y": y}
        arrays = [*features.values(), *labels.values()]
        if len({array.shape[0] for array in arrays}) != 1:
            of_x = {key: array.shape for key, array in features.items()}
            of_y = (
                {key: array.shape for key, array in labels.items()}
                if isinstance(y, dict)
                else getattr(y, "shape", None)
            )
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
                f"Shapes in x: {of_x}\nShapes in y: {of_y}\n"
            )
        queue = enqueue_arrays(
            dict(enumerate(arrays)),  # type: ignore[arg-type]  # the names do not matter
            queue_capacity,
            shuffle=bool(shuffle),
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        batch = _batch(queue, batch_size, num_epochs)
        given = dict(zip(features, batch, strict=False)) if isinstance(x, dict) else batch[0]
        if y is None:
            return given
        targets = batch[len(features) :]
        return given, dict(zip(labels, targets, strict=True)) if isinstance(y, dict) else targets[0]

    return input_fn


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns an input function that gives batches of the rows of a pandas DataFrame.

    Args:
        x: pandas.DataFrame, the features by column.
        y: pandas.Series of the same index, the labels, or None.
        batch_size: int, the number of rows of a batch.
        num_epochs: int, how often each row is returned; None for no limit.
        shuffle: bool. If True, the rows come in random order; to be given.
        queue_capacity: int, the number of rows that are read ahead; None for all, or four times as many to shuffle.
        num_threads: int, the number of threads that read.
        target_column: str, a name for the labels that no column has.

    Returns:
        Callable without arguments that gives the features, a dict of Tensors of the dtypes of the columns, of shape
        [batch], and the labels if there are any.

    Raises:
        TypeError: if `shuffle` is not given.
        ValueError: if a column has the labels' name, or the indices differ.
    """
    _check_shuffle(shuffle)
    columns = {name: x[name].to_numpy() for name in x.columns}
    if y is not None:
        if target_column in columns:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a column with that name: "
                f"{x.columns}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n")
        columns[target_column] = y.to_numpy()
    capacity = queue_capacity if queue_capacity is not None else (4 * len(x) if shuffle else len(x))

    def input_fn() -> Any:
        queue = enqueue_arrays(
            columns,
            capacity,
            shuffle=bool(shuffle),
            min_after_dequeue=max(capacity // 4, 1),
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        features = dict(zip(columns, _batch(queue, batch_size, num_epochs), strict=True))
        if y is None:
            return features
        target = features.pop(target_column)
        return features, target

    return input_fn
