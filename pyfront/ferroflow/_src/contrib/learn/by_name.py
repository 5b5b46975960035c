"""Datasets by the names that `tf.contrib.learn` gives them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.learn.csv_tables import load_boston, load_iris
from ferroflow._src.datasets.mnist import load_mnist

DATASETS = {"boston": load_boston, "iris": load_iris, "mnist": load_mnist}


def load_dataset(name: str) -> Any:
    """Loads a dataset by name.

    Args:
        name: str, of `DATASETS`.

    Returns:
        The dataset, as returned by the function of that name.

    Raises:
        ValueError: if no dataset has that name.

    Example:
        >>> iris = tf.contrib.learn.datasets.load_dataset("iris")
        >>> print(iris.data.shape, iris.target.shape)
        (150, 4) (150,)
        >>> print(iris.data[0], iris.target[0])
        [5.1 3.5 1.4 0.2] 0
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    return DATASETS[name]()
