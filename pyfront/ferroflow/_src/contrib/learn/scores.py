"""Scores of predictions and random splits of arrays, as scikit-learn has them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["accuracy_score", "mean_squared_error", "train_test_split"]


def accuracy_score(y_true: np.ndarray[Any, Any], y_pred: np.ndarray[Any, Any]) -> float:
    """Returns the share of predictions that are right.

    Args:
        y_true: array, the right values.
        y_pred: array of the same shape, the predictions.

    Returns:
        float.
    """
    return float(np.average(y_true == y_pred))


def mean_squared_error(y_true: np.ndarray[Any, Any], y_pred: np.ndarray[Any, Any]) -> float:
    """Returns the mean of the squared errors of predictions.

    Args:
        y_true: array of numbers, the right values.
        y_pred: array of as many numbers, the predictions.

    Returns:
        float.
    """
    return float(np.average(np.square(np.squeeze(y_true) - np.squeeze(y_pred))))


def train_test_split(
    *arrays: np.ndarray[Any, Any],
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: int | None = None,
) -> tuple[np.ndarray[Any, Any], ...]:
    """Divides the rows of arrays at random, those of all arrays alike.

    Args:
        *arrays: arrays with equally many rows.
        test_size: float, the share of the second parts; None for the rest.
        train_size: float, the share of the first parts; None for the rest, or 0.75 if both are None.
        random_state: int, the seed; None for another division in each call.

    Returns:
        tuple of the first and the second part of each array.
    """
    if train_size is None:
        train_size = 0.75 if test_size is None else 1 - test_size
    order = np.random.RandomState(random_state).permutation(len(arrays[0]))
    first = int(train_size * len(order))
    return tuple(array[rows] for array in arrays for rows in (order[:first], order[first:]))
