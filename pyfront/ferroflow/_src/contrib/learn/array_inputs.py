"""Input functions of arrays and iterators, for estimators that take `x` and `y`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.learn.data_feeders import setup_train_data_feeder
from ferroflow._src.framework.handles import Tensor

__all__ = ["InputFn", "input_fns_of"]

InputFn = Callable[..., Any]


def input_fns_of(
    x: Any,
    y: Any,
    input_fn: InputFn | None,
    feed_fn: InputFn | None,
    batch_size: int | None,
    shuffle: bool = False,
    epochs: int | None = 1,
) -> tuple[InputFn, InputFn | None]:
    """Returns an input function, and the function of the values to feed at each step.

    Args:
        x: array, dict of arrays of one length, or iterator; None where `input_fn` is given.
        y: array or dict of arrays of the length of `x`, iterator, or None.
        input_fn: function of no arguments; None where `x` is given.
        feed_fn: function of no arguments that returns a dict of values to feed, beside `input_fn`; or None.
        batch_size: int; None for all examples at once.
        shuffle: bool. If True, examples of arrays come in random order.
        epochs: int, how often each example of arrays comes; None for without end.

    Returns:
        function of no arguments that returns features and labels; and a function of no arguments that returns a dict,
        or None if nothing is fed.

    Raises:
        ValueError: if both or neither of `x` and `input_fn` are given, `y` or `batch_size` is given with `input_fn`,
            `feed_fn` with `x`, or `x` or `y` is a Tensor.
    """
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError("Can not provide both input_fn and x or y.")
        if batch_size is not None:
            raise ValueError("Can not provide both input_fn and batch_size.")
        return input_fn, feed_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
    if feed_fn is not None:
        raise ValueError("Can not provide both feed_fn and x or y.")
    feeder = setup_train_data_feeder(x, y, n_classes=None, batch_size=batch_size, shuffle=shuffle, epochs=epochs)
    return feeder.input_builder, feeder.get_feed_dict_fn()
