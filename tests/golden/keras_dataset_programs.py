"""Calls of tf.keras.datasets on small files, whose results TensorFlow 1.15 gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def files_of_data() -> dict[str, dict[str, Any]]:
    """The arrays of the files."""
    random = np.random.RandomState(0)

    def texts(count: int) -> Any:
        found = np.empty(count, object)
        for i in range(count):
            found[i] = random.randint(1, 30, size=random.randint(1, 9)).tolist()
        return found

    reviews = {"x_train": texts(7), "x_test": texts(5), "y_train": np.arange(7) % 2, "y_test": np.arange(5) % 2}
    return {
        "boston_housing.npz": {"x": random.uniform(size=(11, 13)), "y": random.uniform(size=11)},
        "imdb.npz": reviews,
        "reuters.npz": {"x": texts(12), "y": np.arange(12)},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(x) for x in value]
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    return value.item() if isinstance(value, np.generic) else value


def programs(tf: Any) -> dict[str, Callable[[], Any]]:
    """The calls by name."""
    options: dict[str, list[dict[str, Any]]] = {
        "boston_housing": [{}, {"test_split": 0.5, "seed": 3}],
        "imdb": [
            *({}, {"num_words": 12}, {"skip_top": 5, "oov_char": None}, {"maxlen": 6}),
            *({"start_char": None}, {"start_char": None, "index_from": 0, "seed": 5}),
        ],
        "reuters": [{}, {"num_words": 20, "test_split": 0.4}, {"maxlen": 7, "skip_top": 4}, {"start_char": None}],
    }
    found = {}
    for name, calls in options.items():
        for i, arguments in enumerate(calls):
            found[f"{name} {i}"] = lambda name=name, arguments=arguments: _plain(
                getattr(tf.keras.datasets, name).load_data(**arguments)
            )
    return found
