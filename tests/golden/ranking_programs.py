"""Metrics of the classes predicted highest, fed three fixed batches, and what their steps and names are."""

from __future__ import annotations

from typing import Any

import numpy as np

_RNG = np.random.RandomState(11)
BATCHES = 3
SCORES = _RNG.permutation(np.arange(BATCHES * 2 * 4 * 6)).reshape(BATCHES, 2, 4, 6).astype(np.float32)
LABELS = np.stack([[_RNG.permutation(6)[:2] for _ in range(4)] for _ in range(BATCHES * 2)]).reshape(BATCHES, 2, 4, 2)
WEIGHTS = _RNG.randint(0, 4, (BATCHES, 2, 4)).astype(np.float64)
# The first of two labels only where a bit is set, as sparse tensors.
_KEPT = _RNG.randint(0, 2, (BATCHES, 2, 4, 2)).astype(bool)

_METRICS = {
    "precision_at_k": {"k": 2},
    "recall_at_k": {"k": 3},
    "precision_at_k_of_class": {"k": 2, "class_id": 3},
    "recall_at_k_of_class": {"k": 2, "class_id": 3},
    "average_precision_at_k": {"k": 3},
    "precision_at_top_k": {},
    "recall_at_top_k": {"k": 2},
}
CASES = [
    f"{metric}/{labels}/{weights}"
    for metric in _METRICS
    for labels in ("dense", "sparse", "single", "single_sparse")
    for weights in ("one", "weighted")
]


def _sparse(labels: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.argwhere(kept).astype(np.int64), labels[kept], np.array(labels.shape, np.int64)


def describe(tf: Any, case: str, known_shapes: bool = True) -> dict[str, Any]:
    """What the value and the update of a metric are at each step, and the names of all it makes."""
    metric, kind, weights = case.split("/")
    more = _METRICS[metric]
    with tf.Graph().as_default() as graph:
        scores = tf.placeholder(tf.float32, [2, 4, 6] if known_shapes else None)
        labels_of = LABELS[..., 0] if kind.startswith("single") else LABELS
        kept = _KEPT[..., 0] if kind.startswith("single") else _KEPT
        if kind.endswith("sparse"):
            labels = tf.sparse_placeholder(tf.int64, labels_of.shape[1:] if known_shapes else None)
        else:
            labels = tf.placeholder(tf.int64, labels_of.shape[1:] if known_shapes else None)
        weight = None if weights == "one" else tf.placeholder(tf.float64, [2, 4] if known_shapes else None)
        given = scores
        if "top_k" in metric:
            given = tf.nn.top_k(scores, 2).indices
        function = getattr(tf.metrics, metric.replace("_of_class", ""))
        value, update = function(
            labels, given, weights=weight, metrics_collections="values", updates_collections=["updates"], **more
        )
        steps = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            steps.append(session.run(value))
            for step in range(BATCHES):
                feeds = {scores: SCORES[step]}
                if kind.endswith("sparse"):
                    feeds[labels] = tf.SparseTensorValue(*_sparse(labels_of[step], kept[step]))
                else:
                    feeds[labels] = labels_of[step]
                if weight is not None:
                    feeds[weight] = WEIGHTS[step]
                steps.append(session.run(update, feeds))
                steps.append(session.run(value))
        # TensorFlow 2 has made an operation of this name before, TensorFlow 1 has not.
        variables = [v.name.replace("/max_1:", "/max:") for v in tf.local_variables()]
        return {
            "steps": np.nan_to_num(np.array(steps), nan=-1).tolist(),
            "names": [value.name, update.name],
            "variables": variables,
            "collections": {key: [x.name for x in graph.get_collection(key)] for key in ("values", "updates")},
        }
