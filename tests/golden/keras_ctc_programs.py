"""Keras's CTC functions, as programs of either library: the tensors that they give."""

from __future__ import annotations

from typing import Any

import numpy as np


def programs(tf: Any) -> dict[str, Any]:
    """The programs of a library: names and functions that return a list of Tensors."""
    numbers = np.random.RandomState(3).uniform(-2, 2, [3, 5, 4]).astype(np.float32)
    scores = np.exp(numbers) / np.exp(numbers).sum(-1, keepdims=True)
    labels = np.array([[0, 1, 2], [2, 0, 0], [1, 1, 0]])
    lengths, label_lengths = np.array([[5], [4], [5]], np.int32), np.array([[3], [1], [2]], np.int32)
    backend = tf.keras.backend

    def sparse() -> Any:
        result = backend.ctc_label_dense_to_sparse(labels, label_lengths[:, 0])
        return [result.indices, result.values, result.dense_shape]

    def decoded(**options: Any) -> Any:
        found, score = backend.ctc_decode(scores, lengths[:, 0], **options)
        return [*found, score]

    return {
        "labels": sparse,
        "cost": lambda: [backend.ctc_batch_cost(labels, scores, lengths, label_lengths)],
        "greedy": decoded,
        "beams": lambda: decoded(greedy=False, beam_width=7, top_paths=2),
    }
