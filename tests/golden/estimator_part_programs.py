"""Parts of `tf.contrib.estimator` that build graphs alike on TensorFlow 1.15 and on ferroflow."""

import numpy as np

AGES = [[1.0, 2.0, 3.0], [4.0], [5.0, 6.0]]
WORDS = [["a", "b"], ["c"], ["b", "b"]]


def _sparse(tf, rows, dtype):
    places = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = np.array([value for row in rows for value in row], dtype)
    return tf.SparseTensor(places, values, [len(rows), max(map(len, rows))])


def _filled(tf, session):
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run(tf.tables_initializer())
    for i, variable in enumerate(tf.trainable_variables()):
        shape = variable.shape.as_list()
        values = (np.arange(int(np.prod(shape))) % 7 - 3.0).reshape(shape) * 0.2 + 0.01 * i
        variable.load(values.astype(np.float32), session)


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def _result(tf, build, mode):
    """Returns the variables, losses, predictions and metrics of a model in a mode."""
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        tf.train.create_global_step()
        spec = build(mode)
        _filled(tf, session)
        names = [value.op.name for value in spec.predictions.values()]
        found = {"names": sorted(name for name in names if "ExpandDims" not in name)}
        if mode == "train":
            found["losses"] = []
            for _ in range(3):
                found["losses"].append(session.run(spec.loss))
                session.run(spec.train_op)
            found["variables"] = {v.op.name: session.run(v) for v in tf.global_variables()}
            found["devices"] = {v.op.name: v.device for v in tf.trainable_variables()}
        else:
            found["predictions"] = session.run(spec.predictions)
        if mode == "eval":
            found["loss"] = session.run(spec.loss)
            session.run([update for _, update in spec.eval_metric_ops.values()])
            found["metrics"] = session.run({key: value for key, (value, _) in spec.eval_metric_ops.items()})
        return found


def _sequence_columns(tf):
    made = tf.contrib.feature_column
    words = made.sequence_categorical_column_with_vocabulary_list("words", ["a", "b", "c"])
    return [
        made.sequence_numeric_column("ages"),
        tf.feature_column.embedding_column(words, 2, initializer=tf.constant_initializer(0.5)),
        tf.feature_column.indicator_column(
            made.sequence_categorical_column_with_hash_bucket("more", 3),
        ),
    ]


def _sequence_features(tf):
    return {
        "ages": _sparse(tf, AGES, np.float32),
        "words": _sparse(tf, [["a", "b", "a"], ["c"], ["b", "b"]], str),
        "more": _sparse(tf, [["x", "y", "z"], ["x"], ["z", "x"]], str),
        "context": tf.constant([[1.0], [2.0], [-1.0]]),
    }


def sequence_input(tf):
    """Computes the input of a recurrent network."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, lengths = tf.contrib.feature_column.sequence_input_layer(_sequence_features(tf), _sequence_columns(tf))
        _filled(tf, session)
        values, steps = session.run([inputs, lengths])
        return {
            "values": values,
            "lengths": steps,
            "name": inputs.op.name,
            "name of lengths": lengths.op.name,
            "variables": [v.op.name for v in tf.global_variables()],
        }


def sequence_values(tf):
    """Computes the numbers of columns with steps of several numbers, and of identities."""
    made = tf.contrib.feature_column
    with tf.Graph().as_default(), tf.Session() as session:
        ids = made.sequence_categorical_column_with_identity("ids", 4)
        pairs = made.sequence_numeric_column("pairs", shape=(2,), default_value=-1.0, normalizer_fn=lambda x: x)
        features = {
            "ids": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], np.array([3, 1, 0]), [3, 2]),
            "pairs": tf.SparseTensor(
                [[0, 0], [0, 1], [0, 2], [1, 0]], np.array([1.0, 2.0, 3.0, 4.0], np.float32), [3, 4]
            ),
        }
        numbers, lengths = made.sequence_input_layer({"pairs": features["pairs"]}, [pairs])
        hot, steps = made.sequence_input_layer({"ids": features["ids"]}, [tf.feature_column.indicator_column(ids)])
        fetched = session.run([numbers, lengths, hot, steps])
        return {name: fetched[i] for i, name in enumerate(["numbers", "lengths", "hot", "steps"])}


def recurrent(tf, kind):
    """Returns the results of a recurrent classifier, or of an estimator with a head."""
    made = tf.contrib.estimator
    context = [tf.feature_column.numeric_column("context")]
    if kind == "classifier":
        labels = [[0], [2], [1]]
        model = made.RNNClassifier(_sequence_columns(tf), context, [3, 2], "lstm", n_classes=3)
    else:
        labels = [[0.5], [1.0], [-2.0]]
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        model = made.RNNEstimator(made.regression_head(), _sequence_columns(tf), num_units=[2], optimizer=optimizer)

    def build(mode):
        given = None if mode == "infer" else tf.constant(labels)
        return model.model_fn(_sequence_features(tf), given, mode, model.config)

    return {mode: _result(tf, build, mode) for mode in ("train", "eval", "infer")}


def replicated(tf, reduction, devices):
    """Returns the results of a model whose batches several devices share."""
    made = tf.contrib.estimator

    def model_fn(features, labels, mode, params):
        table = tf.get_variable("table", [4, 1], initializer=tf.ones_initializer())
        logits = tf.layers.dense(features["x"], 1, name="dense") + tf.nn.embedding_lookup(table, features["ids"])
        optimizer = made.TowerOptimizer(lambda: tf.train.AdamOptimizer(params["rate"]))
        head = made.regression_head(loss_reduction=reduction)
        return head.create_estimator_spec(
            features,
            mode,
            logits,
            labels,
            train_op_fn=lambda loss: optimizer.minimize(loss, tf.train.get_global_step()),
        )

    replicas = made.replicate_model_fn(model_fn, reduction, devices=devices)
    x = np.linspace(-1.0, 1.0, 8, dtype=np.float32).reshape(4, 2)

    def build(mode):
        features = {"x": tf.constant(x), "ids": tf.constant([0, 2, 2, 1])}
        labels = None if mode == "infer" else tf.constant([[1.0], [2.0], [0.0], [-1.0]])
        return replicas(features, labels, mode, {"rate": 0.1}, None)

    return {mode: _result(tf, build, mode) for mode in ("train", "eval", "infer")}


def programs(tf):
    """Returns the programs by name."""
    two, mean, total = ["/cpu:0", "/cpu:1"], tf.losses.Reduction.SUM_OVER_BATCH_SIZE, tf.losses.Reduction.SUM
    return {
        "sequence input": lambda: sequence_input(tf),
        "sequence values": lambda: sequence_values(tf),
        "recurrent classifier": lambda: recurrent(tf, "classifier"),
        "recurrent with a head": lambda: recurrent(tf, "head"),
        "one replica": lambda: replicated(tf, mean, ["/cpu:0"]),
        "two replicas": lambda: replicated(tf, mean, two),
        "two replicas of sums": lambda: replicated(tf, total, two),
    }


def result_of(program):
    """Returns what a program gives, for JSON."""
    return _plain(program())
