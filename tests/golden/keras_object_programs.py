"""Programs with Keras's losses and metrics that are objects; under Python 3.7 and later."""

from __future__ import annotations

import numpy as np


def data():
    """Returns labels and predictions by kind, and weights."""
    r = np.random.RandomState(0)
    shares = r.rand(8, 3).astype("f")
    shares /= shares.sum(1, keepdims=True)
    scores = r.rand(8, 3).astype("f") * 0.8 + 0.1
    return {
        "shares": shares,
        "scores": scores,
        "probabilities": scores / scores.sum(1, keepdims=True),
        "yes": (shares > 0.35).astype("f"),
        "rounded": np.round(scores),
        "classes": np.array([0, 2, 1, 1, 0, 2, 2, 1], "f"),
        "guessed": np.array([1, 0, 2, 1, 1, 0, 2, 2], "f"),
        "weights": np.array([1.0, 0.0, 2.0, 0.5, 1, 1, 3, 0.2], "f"),
    }


LOSSES = [
    ("MeanSquaredError", {}, "shares", "scores"),
    ("MeanAbsoluteError", {}, "shares", "scores"),
    ("MeanAbsolutePercentageError", {}, "shares", "scores"),
    ("MeanSquaredLogarithmicError", {}, "shares", "scores"),
    ("Hinge", {}, "yes", "scores"),
    ("SquaredHinge", {}, "yes", "scores"),
    ("CategoricalHinge", {}, "yes", "scores"),
    ("Poisson", {}, "shares", "scores"),
    ("LogCosh", {}, "shares", "scores"),
    ("KLDivergence", {}, "shares", "scores"),
    ("Huber", {"delta": 0.2}, "shares", "scores"),
    ("CosineSimilarity", {}, "shares", "scores"),
    ("BinaryCrossentropy", {}, "yes", "scores"),
    ("BinaryCrossentropy", {"from_logits": True, "label_smoothing": 0.1}, "yes", "scores"),
    ("CategoricalCrossentropy", {}, "shares", "probabilities"),
    ("CategoricalCrossentropy", {"from_logits": True, "label_smoothing": 0.2}, "shares", "scores"),
    ("SparseCategoricalCrossentropy", {}, "classes", "probabilities"),
    ("SparseCategoricalCrossentropy", {"from_logits": True}, "classes", "scores"),
]
METRICS = [
    ("Mean", {}, "scores"),
    ("Sum", {}, "scores"),
    ("MeanTensor", {}, "classes"),
    ("Accuracy", {}, "yes", "rounded"),
    ("BinaryAccuracy", {}, "yes", "scores"),
    ("BinaryAccuracy", {"threshold": 0.3}, "yes", "scores"),
    ("CategoricalAccuracy", {}, "shares", "scores"),
    ("SparseCategoricalAccuracy", {}, "classes", "scores"),
    ("TopKCategoricalAccuracy", {"k": 2}, "shares", "scores"),
    ("SparseTopKCategoricalAccuracy", {"k": 2}, "classes", "scores"),
    ("MeanSquaredError", {}, "shares", "scores"),
    ("MeanAbsoluteError", {}, "shares", "scores"),
    ("MeanAbsolutePercentageError", {}, "shares", "scores"),
    ("MeanSquaredLogarithmicError", {}, "shares", "scores"),
    ("Hinge", {}, "yes", "scores"),
    ("SquaredHinge", {}, "yes", "scores"),
    ("CategoricalHinge", {}, "yes", "scores"),
    ("LogCoshError", {}, "shares", "scores"),
    ("Poisson", {}, "shares", "scores"),
    ("KLDivergence", {}, "shares", "scores"),
    ("CosineSimilarity", {}, "shares", "scores"),
    ("BinaryCrossentropy", {}, "yes", "scores"),
    ("CategoricalCrossentropy", {"label_smoothing": 0.1}, "shares", "probabilities"),
    ("SparseCategoricalCrossentropy", {}, "classes", "probabilities"),
    ("RootMeanSquaredError", {}, "shares", "scores"),
    ("MeanRelativeError", {"normalizer": [[2.0, 0.0, 4.0]] * 8}, "shares", "scores"),
    ("MeanIoU", {"num_classes": 3}, "classes", "guessed"),
    ("TruePositives", {}, "yes", "scores"),
    ("FalsePositives", {"thresholds": [0.3, 0.6]}, "yes", "scores"),
    ("TrueNegatives", {}, "yes", "scores"),
    ("FalseNegatives", {}, "yes", "scores"),
    ("Precision", {}, "yes", "scores"),
    ("Precision", {"top_k": 2}, "yes", "scores"),
    ("Precision", {"thresholds": [0.2, 0.7], "class_id": 1}, "yes", "scores"),
    ("Recall", {}, "yes", "scores"),
    ("Recall", {"top_k": 1, "class_id": 0}, "yes", "scores"),
    ("SensitivityAtSpecificity", {"specificity": 0.5}, "yes", "scores"),
    ("SpecificityAtSensitivity", {"sensitivity": 0.5, "num_thresholds": 20}, "yes", "scores"),
    ("AUC", {}, "yes", "scores"),
    ("AUC", {"curve": "PR"}, "yes", "scores"),
    ("AUC", {"num_thresholds": 30, "curve": "PR", "summation_method": "majoring"}, "yes", "scores"),
    ("AUC", {"num_thresholds": 30, "summation_method": "minoring"}, "yes", "scores"),
    ("AUC", {"thresholds": [0.3, 0.5]}, "yes", "scores"),
]


def loss_values(tf, case):
    """Returns the values of a loss: plain, weighted, summed, and of each example."""
    name, options, labels, predictions = case
    given = data()
    with tf.Graph().as_default(), tf.Session() as session:
        kind = getattr(tf.keras.losses, name)
        y, p = tf.constant(given[labels]), tf.constant(given[predictions])
        weights = given["weights"]
        losses = [
            kind(**options)(y, p),
            kind(**options)(y, p, sample_weight=weights),
            kind(reduction="sum", **options)(y, p, weights),
            kind(reduction="none", **options)(y, p),
        ]
        return {"name": kind(**options).name, "values": [np.ravel(v).tolist() for v in session.run(losses)]}


def metric_values(tf, case):
    """Returns the name, variables and configuration of a metric, and its values after two batches."""
    name, options = case[:2]
    given = data()
    with tf.Graph().as_default(), tf.Session() as session:
        metric = getattr(tf.keras.metrics, name)(**options)
        tensors = [tf.constant(given[kind]) for kind in case[2:]]
        # TensorFlow does not weight a single class.
        weights = None if options.get("class_id") is not None else tf.constant(given["weights"])
        updates = [metric.update_state(*tensors), metric.update_state(*tensors, sample_weight=weights)]
        value = metric.result()
        session.run([v.initializer for v in metric.variables])
        values = []
        for update in updates:
            session.run(update)
            values.append(np.ravel(session.run(value)).tolist())
        variables = [v.name for v in metric.variables]
        return {"name": metric.name, "variables": variables, "config": sorted(metric.get_config()), "values": values}


def training(tf):
    """Returns what a model with losses and metrics that are objects shows."""
    tf.keras.backend.clear_session()

    class Total(tf.keras.metrics.Metric):
        def __init__(self, name="total_error", **kwargs):
            super().__init__(name=name, **kwargs)
            self.error = self.add_weight("error", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.error.assign_add(tf.reduce_sum(y_pred - y_true))

        def result(self):
            return self.error

    layer = tf.keras.layers.Dense(1, activation="sigmoid", input_shape=(3,), kernel_initializer="ones")
    model = tf.keras.Sequential([layer])
    model.compile(
        "sgd",
        loss=tf.keras.losses.BinaryCrossentropy(),
        metrics=[tf.keras.metrics.AUC(name="auc"), "accuracy", tf.keras.metrics.Precision(name="precision"), Total()],
        weighted_metrics=[tf.keras.metrics.Recall(name="recall")],
    )
    x = np.random.RandomState(0).randn(64, 3).astype("f")
    y = (x.sum(1) > 0.3).astype("f")
    weights = np.linspace(0.1, 1, 64)
    validation = (x[:12], y[:12])
    history = model.fit(
        x, y, batch_size=16, epochs=2, verbose=0, shuffle=False, validation_data=validation, sample_weight=weights
    )
    return {
        "names": model.metrics_names,
        "history": {name: [float(v) for v in values] for name, values in sorted(history.history.items())},
        "evaluated": [float(v) for v in model.evaluate(x, y, verbose=0, batch_size=16)],
    }
