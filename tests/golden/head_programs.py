"""Heads of `tf.contrib.estimator` and `tf.estimator` on fixed logits: losses, metrics, predictions, exported names."""

import numpy as np

LOGITS = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [-0.5, 0.75, 2.0], [1.5, -0.25, 0.0]], np.float32)
NUMBERS = np.array([[0], [1], [1], [2]])
BITS = np.array([[1], [0], [1], [1]])
FLAGS = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 1]])
COUNTS = np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 1.0], [2.0, 2.0]], np.float32)
NAMES = np.array([["a"], ["b"], ["b"], ["a"]])
WEIGHTS = np.array([[1.0], [2.0], [0.5], [0.0]], np.float32)
WEIGHTS_OF_EACH = np.array([[1.0, 2.0], [2.0, 1.0], [0.5, 0.0], [0.0, 1.0]], np.float32)


def _own_loss(tf):
    return lambda labels, logits: tf.reduce_sum(tf.abs(tf.cast(labels, tf.float32) - logits), axis=-1, keepdims=True)


def _sparse(tf, values):
    return tf.SparseTensor([[0, 0], [1, 1], [1, 2], [2, 0], [3, 1]], values, [4, 3])


def cases(tf):
    """Returns the cases by name: a function that makes the head, the columns of its logits, the labels, the weights."""
    made, sums = tf.contrib.estimator, tf.losses.Reduction.SUM
    by_name = {
        "several classes": (lambda: made.multi_class_head(3), 3, NUMBERS, None),
        "weights": (lambda: made.multi_class_head(3, weight_column="w", name="h"), 3, NUMBERS, WEIGHTS),
        "names": (
            lambda: made.multi_class_head(3, label_vocabulary=["b", "a", "c"], loss_reduction=sums),
            3,
            NAMES,
            None,
        ),
        "two classes": (lambda: made.binary_classification_head(thresholds=[0.25, 0.7]), 1, BITS, None),
        "two named classes": (
            lambda: made.binary_classification_head("w", label_vocabulary=["a", "b"], name="two"),
            1,
            NAMES,
            WEIGHTS,
        ),
        "own loss": (lambda: made.binary_classification_head(loss_fn=_own_loss(tf)), 1, BITS, None),
        "regression": (lambda: made.regression_head(label_dimension=2), 2, COUNTS, None),
        "regression with a link": (
            lambda: made.regression_head("w", 2, inverse_link_fn=tf.exp, name="r"),
            2,
            COUNTS,
            WEIGHTS_OF_EACH,
        ),
        "counts": (lambda: made.poisson_regression_head(label_dimension=2), 2, COUNTS, None),
        "counts without a constant": (
            lambda: made.poisson_regression_head(label_dimension=2, compute_full_loss=False),
            2,
            COUNTS,
            None,
        ),
        "chances": (lambda: made.logistic_regression_head("w"), 1, BITS.astype(np.float32), WEIGHTS),
        "labels": (
            lambda: made.multi_label_head(3, thresholds=[0.4], classes_for_class_based_metrics=[0, 2]),
            3,
            FLAGS,
            None,
        ),
        "weighted labels": (
            lambda: made.multi_label_head(3, "w", classes_for_class_based_metrics=[1], name="m"),
            3,
            FLAGS,
            WEIGHTS,
        ),
        "sparse labels": (lambda: made.multi_label_head(3), 3, lambda: _sparse(tf, np.array([0, 1, 2, 1, 2])), None),
        "sparse names": (
            lambda: made.multi_label_head(
                3, label_vocabulary=["x", "y", "z"], classes_for_class_based_metrics=["y"], loss_reduction=sums
            ),
            3,
            lambda: _sparse(tf, np.array(["x", "y", "z", "y", "z"])),
            None,
        ),
        "several heads": (
            lambda: made.multi_head(
                [made.binary_classification_head(name="a"), made.regression_head(label_dimension=2, name="b")],
                [1.0, 0.5],
            ),
            3,
            {"a": BITS, "b": COUNTS},
            None,
        ),
    }
    return by_name


def public_cases(tf):
    """Returns the cases of the heads of `tf.estimator`, as `cases`."""
    made = tf.estimator
    return {
        "several classes": (lambda: made.MultiClassHead(3), 3, NUMBERS, None),
        "named classes": (
            lambda: made.MultiClassHead(3, "w", ["b", "a", "c"], "sum", name="h"),
            3,
            NAMES,
            WEIGHTS,
        ),
        "two classes": (lambda: made.BinaryClassHead(thresholds=[0.25, 0.7]), 1, BITS, None),
        "two named classes": (
            lambda: made.BinaryClassHead("w", [0.6], ["a", "b"], name="two"),
            1,
            NAMES,
            WEIGHTS,
        ),
        "regression": (lambda: made.RegressionHead(2), 2, COUNTS, None),
        "regression with a link": (
            lambda: made.RegressionHead(2, "w", "sum", inverse_link_fn=tf.exp, name="r"),
            2,
            COUNTS,
            WEIGHTS_OF_EACH,
        ),
        "counts": (lambda: made.PoissonRegressionHead(2), 2, COUNTS, None),
        "chances": (lambda: made.LogisticRegressionHead("w"), 1, BITS.astype(np.float32), WEIGHTS),
        "labels": (
            lambda: made.MultiLabelHead(3, thresholds=[0.4], classes_for_class_based_metrics=[0, 2]),
            3,
            FLAGS,
            None,
        ),
        "weighted labels": (
            lambda: made.MultiLabelHead(3, "w", [0.5], classes_for_class_based_metrics=[1], name="m"),
            3,
            FLAGS,
            WEIGHTS,
        ),
        "several heads": (
            lambda: made.MultiHead(
                [made.BinaryClassHead(name="a"), made.RegressionHead(2, name="b")], head_weights=[1.0, 0.5]
            ),
            3,
            {"a": BITS, "b": COUNTS},
            None,
        ),
    }


def _plain(value):
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def _key(key):
    return "|".join(key) if isinstance(key, tuple) else key


def result_of(tf, case, is_public=False):
    """Returns what a head gives in each mode, for JSON."""
    make, columns, labels, weights = case
    found = {}
    for mode in ("train", "eval", "infer"):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.train.get_or_create_global_step()
            variable = tf.Variable(LOGITS[:, :columns], use_resource=is_public)
            logits = tf.identity(variable)
            features = {"x": tf.constant(LOGITS)}
            if weights is not None:
                features["w"] = tf.constant(weights)
            given = labels() if callable(labels) else labels
            if mode == "infer":
                given = None
            elif isinstance(given, dict):
                given = {name: tf.constant(value) for name, value in given.items()}
            elif isinstance(given, np.ndarray):
                given = tf.constant(given)
            more = {}
            if mode == "train" and is_public:
                more = {"optimizer": tf.keras.optimizers.SGD(0.5), "trainable_variables": [variable]}
            elif mode == "train":
                more = {"optimizer": tf.train.GradientDescentOptimizer(0.5)}
            spec = make().create_estimator_spec(features=features, mode=mode, logits=logits, labels=given, **more)
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(tf.tables_initializer())
            if mode == "train":
                summaries = sorted(
                    session.run(tensor.op.inputs[0]).decode() for tensor in tf.get_collection("summaries")
                )
                loss = session.run([spec.loss, spec.train_op])[0]
                found[mode] = {
                    "loss": loss,
                    "logits": session.run(variable),
                    "step": session.run(step),
                    "summaries": summaries,
                }
            elif mode == "eval":
                updates = {key: pair[1] for key, pair in spec.eval_metric_ops.items()}
                loss = session.run([spec.loss, updates])[0]
                metrics = session.run({key: pair[0] for key, pair in spec.eval_metric_ops.items()})
                found[mode] = {"loss": loss, "metrics": metrics}
            else:
                values = session.run(spec.predictions)
                outputs = {key: type(value).__name__ for key, value in spec.export_outputs.items()}
                found[mode] = {"predictions": {_key(key): value for key, value in values.items()}, "outputs": outputs}
    return {
        mode: {
            key: {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else _plain(value)
            for key, value in parts.items()
        }
        for mode, parts in found.items()
    }
