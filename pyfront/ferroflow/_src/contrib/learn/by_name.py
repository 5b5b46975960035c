"""Datasets by the names that `tf.contrib.learn` gives them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.learn.csv_tables import load_iris
from ferroflow._src.datasets.mnist import load_mnist

DATASETS = {"iris": load_iris, "mnist": load_mnist}


def load_dataset(name: str) -> Any:
    """Loads a dataset by name.

    Args:
        name: str, of `DATASETS`.

    Returns:
        The dataset, as returned by the function of that name.

    Raises:
        ValueError: if no dataset has that name.
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    return DATASETS[name]()
