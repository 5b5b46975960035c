"""Metrics fed three fixed batches, and what a graph and its steps make of them: results, names, variables."""

from __future__ import annotations

from typing import Any

import numpy as np

_RNG = np.random.RandomState(7)
BATCHES = 3
PROBABILITIES = _RNG.randint(0, 17, (BATCHES, 4, 3)).astype(np.float32) / 16
TRUTHS = _RNG.randint(0, 2, (BATCHES, 4, 3)).astype(np.float32)
NUMBERS = _RNG.randint(-8, 9, (2, BATCHES, 4, 3)).astype(np.float32) / 4
CLASSES = _RNG.randint(0, 4, (2, BATCHES, 4, 1)).astype(np.int64)
WEIGHTS = {
    "one": None,
    "rows": _RNG.randint(0, 4, (BATCHES, 4, 1)).astype(np.float32),
    "all": _RNG.randint(0, 4, (BATCHES, 4, 3)).astype(np.float32),
}
THRESHOLDS = [0.2, 0.5, 0.8]

_CUT = (TRUTHS, PROBABILITIES)
_TRUTH = (TRUTHS, PROBABILITIES > 0.5)
# Name: its inputs, a batch of each a step, and its other arguments.
METRICS: dict[str, tuple[Any, dict[str, Any]]] = {
    "accuracy": ((CLASSES[0], CLASSES[1]), {}),
    "auc": (_CUT, {"num_thresholds": 20}),
    "false_negatives": (_TRUTH, {}),
    "false_negatives_at_thresholds": (_CUT, {"thresholds": THRESHOLDS}),
    "false_positives": (_TRUTH, {}),
    "false_positives_at_thresholds": (_CUT, {"thresholds": THRESHOLDS}),
    "mean": ((NUMBERS[0],), {}),
    "mean_absolute_error": ((NUMBERS[0], NUMBERS[1]), {}),
    "mean_cosine_distance": ((NUMBERS[0], NUMBERS[1]), {"dim": 1}),
    "mean_iou": ((CLASSES[0], CLASSES[1]), {"num_classes": 4}),
    "mean_per_class_accuracy": ((CLASSES[0], CLASSES[1]), {"num_classes": 4}),
    "mean_relative_error": ((NUMBERS[0], NUMBERS[1], np.abs(NUMBERS[0])), {}),
    "mean_squared_error": ((NUMBERS[0], NUMBERS[1]), {}),
    "mean_tensor": ((NUMBERS[0],), {}),
    "percentage_below": ((NUMBERS[0],), {"threshold": 0.3}),
    "precision": (_TRUTH, {}),
    "precision_at_thresholds": (_CUT, {"thresholds": THRESHOLDS}),
    "recall": (_TRUTH, {}),
    "recall_at_thresholds": (_CUT, {"thresholds": THRESHOLDS}),
    "root_mean_squared_error": ((NUMBERS[0], NUMBERS[1]), {}),
    "sensitivity_at_specificity": (_CUT, {"specificity": 0.6}),
    "specificity_at_sensitivity": (_CUT, {"sensitivity": 0.6}),
    "true_negatives": (_TRUTH, {}),
    "true_negatives_at_thresholds": (_CUT, {"thresholds": THRESHOLDS}),
    "true_positives": (_TRUTH, {}),
    "true_positives_at_thresholds": (_CUT, {"thresholds": THRESHOLDS}),
}
_OF_ROWS = ("accuracy", "mean_cosine_distance", "mean_iou", "mean_per_class_accuracy")

CASES = [
    f"{metric}/{weights}" for metric in METRICS for weights in WEIGHTS if weights != "all" or metric not in _OF_ROWS
]
CASES += [
    f"auc/{weights}/{curve}/{method}"
    for weights in WEIGHTS
    for curve in ("ROC", "PR")
    for method in ("trapezoidal", "careful_interpolation", "minoring", "majoring")
]


def _weights(metric: str, weights: str, step: int) -> Any:
    given = WEIGHTS[weights]
    if given is None:
        return None
    return given[step][:1] if metric == "mean_cosine_distance" else given[step]


def describe(tf: Any, case: str, known_shapes: bool = True) -> dict[str, Any]:
    """What the value and the update of a metric are at each step, and the names of all it makes."""
    metric, weights, *method = case.split("/")
    inputs, more = METRICS[metric]
    if method:
        more = {**more, "curve": method[0], "summation_method": method[1]}
    with tf.Graph().as_default() as graph:
        shapes = [x.shape[1:] if known_shapes or metric == "mean_tensor" else None for x in inputs]
        fed = [tf.placeholder(x.dtype, shape) for x, shape in zip(inputs, shapes, strict=True)]
        if metric == "percentage_below":
            fed.append(more["threshold"])
            more = {}
        weight = None
        if weights != "one":
            example = _weights(metric, weights, 0)
            weight = tf.placeholder(tf.float32, example.shape if known_shapes else None)
        value, update = getattr(tf.metrics, metric)(
            *fed, weights=weight, metrics_collections="values", updates_collections=["updates"], **more
        )
        steps = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            steps.append(session.run(value))
            for step in range(BATCHES):
                feeds = {t: x[step] for t, x in zip(fed[: len(inputs)], inputs, strict=True)}
                if weight is not None:
                    feeds[weight] = _weights(metric, weights, step)
                steps.append(session.run(update, feeds))
                steps.append(session.run(value))
        return {
            "steps": [np.asarray(x).tolist() for x in steps],
            "names": [value.name, update.name],
            "variables": [v.name for v in tf.local_variables()],
            "collections": {
                key: [x.name for x in graph.get_collection(key)] for key in ("metric_variables", "values", "updates")
            },
        }
