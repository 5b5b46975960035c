"""A model's predictions: those that a program selects, and the examples of a batch of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def chosen_predictions(predictions: Any, keys: Any) -> Any:
    """Returns the predictions that have one of the keys.

    Args:
        predictions: Tensor of any dtype and shape, or dict of them.
        keys: list of str; None or empty for all predictions.

    Returns:
        Tensor or dict of Tensors, as `predictions`.

    Raises:
        ValueError: if the predictions are no dict, or none has such a key.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {key: value for key, value in predictions.items() if key in keys}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {predictions.keys()}, provided {keys}.")
    return chosen


def examples_of(batch: Any) -> Iterator[Any]:
    """Yields the predictions of each example of a batch.

    Args:
        batch: array of any dtype, of shape [batch, ...], or dict of them.

    Yields:
        array, or dict of arrays.

    Raises:
        ValueError: if the arrays of a dict have different lengths.
    """
    if not isinstance(batch, dict):
        yield from batch
        return
    for i in range(_length(batch)):
        yield {key: value[i] for key, value in batch.items()}


def _length(batch: Mapping[str, Any]) -> int:
    lengths = {key: value.shape[0] for key, value in batch.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Batch length of predictions should be same. The lengths are {lengths}.")
    return next(iter(lengths.values()), 0)
