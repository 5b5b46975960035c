"""Losses of fixed numbers, and what a graph and a step make of them: values, gradients, names, collections."""

from __future__ import annotations

from typing import Any

import numpy as np

PREDICTIONS = np.array([[0.9, 0.2, 0.4], [0.1, 0.8, 0.6]], np.float32)
LABELS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], np.float32)
LOGITS = np.array([[2.0, -1.0, 0.5], [0.3, 0.1, -3.0]], np.float32)
CLASSES = np.array([[0], [2]], np.int64)

WEIGHTS = {
    "one": 1.0,
    "scalar": 2.5,
    "zero": 0.0,
    "rows": np.array([[0.0], [3.0]], np.float32),
    "all": np.array([[1.0, 0.0, 2.0], [0.5, 0.0, 4.0]], np.float32),
}

FUNCTIONS = {
    "absolute_difference": (LABELS, PREDICTIONS, {}),
    "cosine_distance": (LABELS, PREDICTIONS, {"axis": 1}),
    "hinge_loss": (LABELS, LOGITS, {}),
    "huber_loss": (LABELS, PREDICTIONS, {"delta": 0.5}),
    "log_loss": (LABELS, PREDICTIONS, {}),
    "mean_pairwise_squared_error": (LABELS, PREDICTIONS, {}),
    "mean_squared_error": (LABELS, PREDICTIONS, {}),
    "sigmoid_cross_entropy": (LABELS, LOGITS, {"label_smoothing": 0.1}),
    "softmax_cross_entropy": (LABELS, LOGITS, {"label_smoothing": 0.2}),
    "sparse_softmax_cross_entropy": (CLASSES, LOGITS, {}),
}

REDUCTIONS = ("NONE", "SUM", "MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS")
# Losses of one number for an example take no weights of elements.
_BY_EXAMPLE = ("cosine_distance", "softmax_cross_entropy", "mean_pairwise_squared_error")

CASES = [
    f"{function}/{weights}/{reduction}"
    for function in FUNCTIONS
    for weights in WEIGHTS
    for reduction in (("SUM",) if function == "mean_pairwise_squared_error" else REDUCTIONS)
    if not (weights == "all" and function in (*_BY_EXAMPLE, "sparse_softmax_cross_entropy"))
]


def describe(tf: Any, case: str) -> dict[str, Any]:
    """The loss of a case: its value, its gradient by the predictions, its name and its collection."""
    function, weights, reduction = case.split("/")
    labels, predictions, more = FUNCTIONS[function]
    given = WEIGHTS[weights]
    if function == "softmax_cross_entropy" and weights == "rows":
        given = given[:, 0]
    if function != "mean_pairwise_squared_error":
        more = {**more, "reduction": getattr(tf.losses.Reduction, reduction)}
    with tf.Graph().as_default():
        inputs = tf.constant(predictions)
        with tf.name_scope("outer"):
            loss = getattr(tf.losses, function)(labels, inputs, weights=given, **more)
        gradient = tf.gradients(loss, inputs)[0]
        with tf.Session() as session:
            values = session.run([loss, gradient])
        return {
            "value": np.asarray(values[0]).tolist(),
            "gradient": values[1].tolist(),
            "name": loss.name,
            "collection": [x.name for x in tf.losses.get_losses()],
        }
