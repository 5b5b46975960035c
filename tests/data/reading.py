"""Reads datasets to their end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ferroflow as tf


def plain(value: Any) -> Any:
    """A value of a step with lists in place of arrays, for comparisons."""
    if isinstance(value, tf.SparseTensorValue):
        return tuple(plain(part) for part in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return value


def elements(build: Callable[[], Any], threads: int = 0, most: int | None = None) -> list[Any]:
    """The elements of the dataset that `build` makes in a graph of its own, up to `most` of them."""
    found: list[Any] = []
    with tf.Graph().as_default():
        iterator = build().make_initializable_iterator()
        element = iterator.get_next()
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Session(config=config) as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            session.run(iterator.initializer)
            while most is None or len(found) < most:
                try:
                    found.append(plain(session.run(element)))
                except tf.errors.OutOfRangeError:
                    break
    return found
