"""Heads and models of `tf.contrib.learn`: their nodes, losses, metrics, predictions and variables after training."""

import numpy as np

LOGITS = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [-0.5, 0.75, 2.0], [1.5, -0.25, 0.0]], np.float32)
NUMBERS = np.array([[0], [1], [1], [2]])
BITS = np.array([[1], [0], [1], [1]])
FLAGS = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 1]])
COUNTS = np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 1.0], [2.0, 2.0]], np.float32)
NAMES = np.array([["a"], ["b"], ["b"], ["c"]])
WEIGHTS = np.array([1.0, 2.0, 0.5, 0.0], np.float32)


def _own_loss(tf):
    def loss(labels, logits, weights=1.0):
        return tf.losses.absolute_difference(labels, logits, weights)

    return loss


def head_cases(tf):
    """Returns the heads by name: a function that makes one, the columns of its logits, the labels, the weights."""
    learn = tf.contrib.learn
    made = learn.head
    return {
        "regression": (lambda: learn.regression_head(), 1, COUNTS[:, 0], None),
        "regression of two": (
            lambda: learn.regression_head(None, "w", 2, True, "r", tf.exp),
            2,
            COUNTS,
            np.stack([WEIGHTS, WEIGHTS], 1),
        ),
        "counts": (lambda: learn.poisson_regression_head(label_dimension=2), 2, COUNTS, None),
        "two classes": (lambda: learn.multi_class_head(2, thresholds=[0.25, 0.5]), 1, BITS, None),
        "two classes with weights": (lambda: learn.multi_class_head(2, "b", "w", True, "h"), 1, {"b": BITS}, WEIGHTS),
        "own loss": (lambda: learn.multi_class_head(2, loss_fn=_own_loss(tf)), 1, BITS, None),
        "several classes": (lambda: learn.multi_class_head(3, metric_class_ids=[0, 2]), 3, NUMBERS, None),
        "several classes with weights": (
            lambda: learn.multi_class_head(3, None, "w", True, "h", metric_class_ids=[1]),
            3,
            NUMBERS,
            WEIGHTS,
        ),
        "labels of one dimension": (lambda: learn.multi_class_head(3), 3, NUMBERS[:, 0], None),
        "names": (lambda: learn.multi_class_head(3, label_keys=["b", "a", "c"]), 3, NAMES, None),
        "margins": (lambda: learn.binary_svm_head(enable_centered_bias=True), 1, BITS, None),
        "margins with weights": (lambda: learn.binary_svm_head("b", "w", head_name="s"), 1, {"b": BITS}, WEIGHTS),
        "flags": (lambda: learn.multi_label_head(3, metric_class_ids=[0, 2]), 3, FLAGS, None),
        "flags with weights": (
            lambda: learn.multi_label_head(3, None, "w", True, "m", metric_class_ids=[1]),
            3,
            FLAGS,
            WEIGHTS,
        ),
        "sparse flags": (
            lambda: learn.multi_label_head(3),
            3,
            lambda: tf.SparseTensor([[0, 0], [1, 1], [1, 2], [2, 0]], np.array([0, 1, 2, 0]), [4, 3]),
            None,
        ),
        "several heads": (
            lambda: learn.multi_head(
                [
                    learn.multi_class_head(2, "b", head_name="one"),
                    learn.regression_head("n", label_dimension=2, head_name="two"),
                ],
                [1.0, 0.5],
            ),
            3,
            {"b": BITS, "n": COUNTS},
            None,
        ),
        "a loss more": (
            lambda: learn.multi_head(
                [
                    learn.multi_class_head(2, "b", head_name="one"),
                    made.loss_only_head(lambda: [tf.constant(1.5), tf.constant(2.0)], "more"),
                ]
            ),
            1,
            {"b": BITS},
            None,
        ),
    }


def _nodes(tf):
    """Returns the names of nodes, without those of parts that have shorter graphs on ferroflow."""
    others = ("/metrics/", "gradients/", "SparseToIndicator/", "_feature_columns/", "linear/linear")
    names = [node.name for node in tf.get_default_graph().as_graph_def().node]
    return sorted(name for name in names if not any(part in name for part in others))


def _trained(tf, session, ops, has_bias):
    """Returns the losses before each of three steps, and the variables behind them."""
    losses = []
    for _ in range(3):
        losses.append(session.run(ops.loss))
        session.run(ops.train_op)
    # Two optimizers write a centered bias at a time on TensorFlow: its value and what follows from it vary.
    values = {v.op.name: str(v.shape.as_list()) if has_bias else session.run(v) for v in tf.global_variables()}
    return {"losses": losses[:1] if has_bias else losses, "variables": values}


def _plain(value):
    if isinstance(value, dict):
        return {"|".join(key) if isinstance(key, tuple) else str(key): _plain(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def _constants(tf, labels):
    if isinstance(labels, dict):
        return {name: tf.constant(value) for name, value in labels.items()}
    return labels() if callable(labels) else tf.constant(labels)


def result_of_head(tf, case):
    """Returns the nodes and the values of a head in each mode, for JSON."""
    make, columns, labels, weights = case
    found = {}
    for mode in ("train", "eval", "infer"):
        with tf.Graph().as_default(), tf.Session() as session:
            variable = tf.Variable(LOGITS[:, :columns], name="given")
            features = {"x": tf.constant(LOGITS)}
            if weights is not None:
                features["w"] = tf.constant(weights)
            given = None if mode == "infer" else _constants(tf, labels)
            ops = make().create_model_fn_ops(
                features,
                mode,
                given,
                train_op_fn=lambda loss, given=variable: tf.train.GradientDescentOptimizer(0.5).minimize(
                    loss, None, [given]
                ),
                logits=tf.identity(variable),
            )
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(tf.tables_initializer())
            one = {"nodes": _nodes(tf)}
            if mode == "train":
                has_bias = any("centered_bias" in v.name for v in tf.global_variables())
                one.update(_trained(tf, session, ops, has_bias))
            if mode != "train":
                one["predictions"] = session.run(ops.predictions)
            if mode == "eval":
                session.run([update for _, update in ops.eval_metric_ops.values()])
                one["metrics"] = session.run({key: value for key, (value, _) in ops.eval_metric_ops.items()})
            if mode == "infer":
                exported = {str(key): kind for key, (kind, _) in ops.output_alternatives.items()}
                one["exported"] = exported
                for key, (_, outputs) in ops.output_alternatives.items():
                    one[f"exported {key}"] = session.run(outputs)
            found[mode] = _plain(one)
    return found


FEATURES = {
    "age": np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], np.float32),
    "size": np.array([[0.1, 1.0], [0.5, 0.2], [0.3, -1.0], [1.0, 0.0], [0.2, 0.3], [0.0, -0.5]], np.float32),
    "color": np.array([["r"], ["g"], ["b"], ["r"], ["g"], ["r"]]),
    "w": np.array([[1.0], [2.0], [0.5], [1.0], [1.0], [0.25]], np.float32),
}
CLASSES = np.array([[0], [1], [2], [1], [0], [2]])
TWO = np.array([[0], [1], [1], [1], [0], [0]])
TARGETS = np.array([[1.0], [0.5], [2.0], [-1.0], [0.0], [3.0]], np.float32)


def model_cases(tf):
    """Returns the models by name: a function that makes one in a folder, and the labels."""
    learn, layers = tf.contrib.learn, tf.contrib.layers
    age, size = layers.real_valued_column("age"), layers.real_valued_column("size", dimension=2)
    color = layers.sparse_column_with_hash_bucket("color", 8)
    ages = layers.bucketized_column(age, [2.5, 4.5])
    embedded = layers.embedding_column(color, 2, initializer=tf.constant_initializer(0.25))
    wide = [age, color, ages, layers.crossed_column([color, ages], 10)]
    core = [tf.feature_column.numeric_column("age"), tf.feature_column.numeric_column("size", shape=(2,))]
    cut = {"gradient_clip_norm": 0.5}
    return {
        "linear": (lambda folder: learn.LinearClassifier(wide, folder, weight_column_name="w"), TWO),
        "linear with a bias": (
            lambda folder: learn.LinearClassifier(wide, folder, 3, enable_centered_bias=True, **cut),
            CLASSES,
        ),
        "linear with joint weights": (
            lambda folder: learn.LinearClassifier([color, wide[3]], folder, 3, _joint_weight=True),
            CLASSES,
        ),
        "linear of core columns": (lambda folder: learn.LinearRegressor(core, folder, optimizer="SGD"), TARGETS),
        "linear regression": (lambda folder: learn.LinearRegressor([age, size], folder, "w", **cut), TARGETS),
        "linear with a head": (
            lambda folder: learn.LinearEstimator([age, size], learn.poisson_regression_head(), folder),
            np.abs(TARGETS),
        ),
        "network": (lambda folder: learn.DNNClassifier([4, 3], [age, size, embedded], folder, 3), CLASSES),
        "network with a bias": (
            lambda folder: learn.DNNRegressor([3], [size], folder, "w", enable_centered_bias=True, **cut),
            TARGETS,
        ),
        "network of core columns": (lambda folder: learn.DNNClassifier([3], core, folder, activation_fn="tanh"), TWO),
        "network with a factor": (
            lambda folder: learn.DNNClassifier([3], [size, embedded], folder, embedding_lr_multipliers={embedded: 0.5}),
            TWO,
        ),
        "network with a head": (
            lambda folder: learn.DNNEstimator(learn.multi_class_head(3, head_name="h"), [3], [size], folder),
            CLASSES,
        ),
        "both": (
            lambda folder: learn.DNNLinearCombinedClassifier(
                folder, linear_feature_columns=wide, dnn_feature_columns=[size, embedded], dnn_hidden_units=[3]
            ),
            TWO,
        ),
        "both, counted once": (
            lambda folder: learn.DNNLinearCombinedRegressor(
                folder,
                "w",
                linear_feature_columns=[age],
                dnn_feature_columns=[size],
                dnn_hidden_units=[3],
                linear_optimizer=tf.train.GradientDescentOptimizer(0.01),
                dnn_optimizer="SGD",
                enable_centered_bias=True,
                fix_global_step_increment_bug=True,
            ),
            TARGETS,
        ),
        "both with a head": (
            lambda folder: learn.DNNLinearCombinedEstimator(
                learn.multi_class_head(2), folder, linear_feature_columns=core, linear_optimizer="Ftrl"
            ),
            TWO,
        ),
    }


def result_of_model(tf, case, folder):
    """Returns the nodes, the losses and the variables of a model's training, and its metrics, for JSON."""
    make, labels = case
    found = {}
    for mode in ("train", "eval", "infer"):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.train.create_global_step()
            features = {name: tf.constant(value) for name, value in FEATURES.items()}
            given = None if mode == "infer" else tf.constant(labels)
            ops = make(folder)._call_model_fn(features, given, mode)
            one = {"nodes": _nodes(tf)}
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(tf.tables_initializer())
            for i, variable in enumerate(tf.trainable_variables()):
                shape = variable.shape.as_list()
                size = int(np.prod(shape))
                values = (np.arange(size) % 7 - 3.0).reshape(shape) * 0.1 + 0.01 * i
                variable.load(values.astype(np.float32), session)
            if mode == "train":
                has_bias = any("centered_bias" in v.name for v in tf.global_variables())
                one.update(_trained(tf, session, ops, has_bias), step=session.run(step))
            else:
                one["predictions"] = session.run(ops.predictions)
            if mode == "eval":
                session.run([update for _, update in ops.eval_metric_ops.values()])
                one["metrics"] = session.run({key: value for key, (value, _) in ops.eval_metric_ops.items()})
            found[mode] = _plain(one)
    return found


def bias_alone(tf):
    """Returns the centered bias of each head, trained in five steps without the model."""
    found = {}
    for name, case in head_cases(tf).items():
        make, columns, labels, weights = case
        with tf.Graph().as_default(), tf.Session() as session:
            features = {} if weights is None else {"w": tf.constant(weights)}
            ops = make().create_model_fn_ops(
                features,
                "train",
                _constants(tf, labels),
                train_op_fn=lambda _: tf.no_op(),
                logits=tf.constant(LOGITS[:, :columns]),
            )
            session.run(tf.global_variables_initializer())
            session.run(tf.tables_initializer())
            for _ in range(5):
                session.run(ops.train_op)
            if tf.global_variables():
                found[name] = {v.op.name: session.run(v) for v in tf.global_variables()}
    return _plain(found)


def results(tf, folder):
    """Returns functions that compute all results, by their names.

    Args:
        tf: the module, TensorFlow's or ferroflow.
        folder: str, an empty folder for the models' estimators.
    """
    of = {"bias alone": lambda: bias_alone(tf)}
    of.update({f"head: {name}": lambda case=case: result_of_head(tf, case) for name, case in head_cases(tf).items()})
    of.update(
        {
            f"model: {name}": lambda case=case: result_of_model(tf, case, folder)
            for name, case in model_cases(tf).items()
        }
    )
    return of
