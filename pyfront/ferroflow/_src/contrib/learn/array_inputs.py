"""Input functions of arrays, for estimators that take `x` and `y`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.estimator.inputs import numpy_input_fn

__all__ = ["input_fn_of"]


def _array(values: Any) -> Any:
    """Returns an array with the dtypes that `tf.contrib.learn` feeds: float64 as float32, integers as int64."""
    array = np.asarray(values)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    return array.astype(np.int64) if array.dtype.kind in "iu" else array


def input_fn_of(
    x: Any,
    y: Any,
    input_fn: Callable[..., Any] | None,
    batch_size: int | None,
    shuffle: bool = False,
    num_epochs: int | None = 1,
) -> Callable[..., Any]:
    """Returns an input function.

    Args:
        x: array, or dict of arrays, of one length; None where `input_fn` is given.
        y: array, or dict of arrays, of the length of `x`, or None.
        input_fn: function of no arguments; None where `x` is given.
        batch_size: int; None for all examples at once.
        shuffle: bool. If True, examples come in random order.
        num_epochs: int, how often each example comes; None for without end.

    Returns:
        function of no arguments that returns features and labels; features of one array are a Tensor.

    Raises:
        ValueError: if both or neither of `x` and `input_fn` are given, or `y` or `batch_size` with `input_fn`.
    """
    if input_fn is not None:
        if x is not None or y is not None or batch_size is not None:
            raise ValueError("Can not provide x, y or batch_size together with input_fn.")
        return input_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    features = {key: _array(part) for key, part in x.items()} if isinstance(x, Mapping) else {"x": _array(x)}
    labels = {key: _array(part) for key, part in y.items()} if isinstance(y, Mapping) else y
    if labels is not None and not isinstance(labels, dict):
        labels = _array(labels)
    size = len(next(iter(features.values())))
    of_arrays = numpy_input_fn(features, labels, min(batch_size or size, size), num_epochs, shuffle)

    def call() -> Any:
        made = of_arrays()
        found, wanted = (made, None) if labels is None else made
        return (found if isinstance(x, Mapping) else found["x"]), wanted

    return call
