"""Writes a model's initial weights, its batch and its first loss to a file, from which torch and JAX start.

python steps_start.py MODEL small|large FILE

For the loss, nothing is random: dropout is off, noise is zero, and the sampled words are the first.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any
from unittest import mock

import numpy as np
from models import MODELS

import ferroflow as tf


def _nce_loss(actual: Any) -> Any:
    """Returns `nce_loss` with the first words as its samples, and with what it expects of samples with replacement."""

    def replaced(*, labels: Any, num_sampled: int, num_classes: int, **given: Any) -> Any:
        def expected(ids: Any) -> Any:
            ids = tf.cast(ids, tf.float32)
            return num_sampled * tf.log((ids + 2.0) / (ids + 1.0)) / tf.log(num_classes + 1.0)

        sampled = tf.range(num_sampled, dtype=tf.int64)
        values = sampled, expected(labels), expected(sampled)
        given.update(labels=labels, num_sampled=num_sampled, num_classes=num_classes)
        return actual(**given, sampled_values=values)

    return replaced


@contextlib.contextmanager
def nothing_random() -> Any:
    """Replaces the functions of ferroflow that are random in a step."""
    with (
        mock.patch.object(tf.nn, "dropout", lambda x, keep_prob, seed: x),
        mock.patch.object(tf, "random_normal", lambda shape, seed: tf.zeros(shape)),
        mock.patch.object(tf.nn, "nce_loss", _nce_loss(tf.nn.nce_loss)),
    ):
        yield


def main() -> None:
    """Writes the arrays `weights:NAME`, `batch:NUMBER` and `loss`."""
    name, size, path = sys.argv[1:]
    with tf.Graph().as_default(), nothing_random():
        tf.set_random_seed(1)
        model = MODELS[name](tf, size == "large")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            arrays = {f"weights:{v.op.name}": value for v, value in _values(sess)}
            arrays["loss"] = sess.run(model.loss, model.feeds)
    arrays.update((f"batch:{i:02}", value) for i, value in enumerate(model.feeds.values()))
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def _values(sess: Any) -> Any:
    variables = tf.trainable_variables()
    return zip(variables, sess.run(variables), strict=True)


if __name__ == "__main__":
    main()
