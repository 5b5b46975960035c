"""Programs of `tf.contrib.learn` that train, export and read files, alike on TensorFlow 1.15 and ferroflow."""

import os

import numpy as np

X = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
Y = np.array([[1.0], [3.0], [5.0], [7.0]], np.float32)


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


def _signatures(tf, session, folder):
    message = tf.saved_model.loader.load(session, ["serve"], folder)
    return {
        key: [
            signature.method_name,
            {name: info.name for name, info in signature.inputs.items()},
            {name: info.name for name, info in signature.outputs.items()},
        ]
        for key, signature in message.signature_def.items()
    }


def export_of_two_heads(tf, folder):
    """Trains a network with two heads, and exports it with each of them as the default."""
    learn = tf.contrib.learn
    head = learn.multi_head(
        [
            learn.multi_class_head(3, "c", head_name="classes"),
            learn.regression_head("n", head_name="numbers"),
        ]
    )
    column = tf.contrib.layers.real_valued_column("x")
    model = learn.DNNEstimator(head, [2], [column], os.path.join(folder, "model"))

    def inputs():
        return {"x": tf.constant(X)}, {"c": tf.constant([[0], [1], [2], [1]]), "n": tf.constant(Y)}

    model.fit(input_fn=inputs, steps=2)
    serving = learn.build_parsing_serving_input_fn({"x": tf.FixedLenFeature([1], tf.float32)})
    found = {}
    for key in ("classes", "numbers"):
        made = model.export_savedmodel(os.path.join(folder, key), serving, default_output_alternative_key=key)
        with tf.Graph().as_default(), tf.Session() as session:
            found[key] = _signatures(tf, session, made)
    for key in (None, "other"):
        try:
            model.export_savedmodel(os.path.join(folder, "none"), serving, default_output_alternative_key=key)
        except ValueError as error:
            found[f"error of {key}"] = str(error)
    return found


def export_strategy(tf, folder):
    """Exports a linear model with a strategy that keeps one export, and predicts with the export."""
    learn = tf.contrib.learn
    model = learn.LinearRegressor([tf.contrib.layers.real_valued_column("x")], os.path.join(folder, "model"))
    model.fit(input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(Y)), steps=5)
    serving = learn.build_parsing_serving_input_fn({"x": tf.FixedLenFeature([1], tf.float32)})
    strategy = learn.make_export_strategy(serving, exports_to_keep=1)
    base = os.path.join(folder, "export")
    made = [strategy.export(model, base) for _ in range(2)]
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.append(2.0)
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = _signatures(tf, session, made[1])
        _, inputs, outputs = signatures["serving_default"]
        values = session.run(outputs["outputs"], {inputs["inputs"]: [example.SerializeToString()]})
    return {"name": strategy.name, "left": len(os.listdir(base)), "signatures": signatures, "values": values}


def _parabola(tf):
    """Returns a new graph, its step, the loss and the rate."""
    with tf.Graph().as_default() as graph:
        step = tf.train.create_global_step()
        rate = tf.placeholder_with_default(0.1, [])
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        loss = tf.square(weight - 3.0, name="loss_of_graph")
        tf.summary.scalar("loss", loss)
        return graph, tf.train.GradientDescentOptimizer(rate).minimize(loss, step), loss, rate


def graph_actions(tf, folder):
    """Trains, evaluates and runs a graph."""
    learn = tf.contrib.learn
    found = {}
    graph, step, loss, _ = _parabola(tf)
    learn.train(graph, folder, step, loss, supervisor_save_summaries_steps=1, steps=5)
    found["checkpoint"] = os.path.basename(tf.train.latest_checkpoint(folder))
    found["weight"] = tf.train.load_variable(folder, "weight")
    graph, step, loss, rate = _parabola(tf)
    learn.train(graph, folder, step, loss, max_steps=7, feed_fn=lambda: {rate: 0.25})
    found["weight after feeds"] = tf.train.load_variable(folder, "weight")
    graph, _, loss, _ = _parabola(tf)
    evaluated = os.path.join(folder, "eval")
    results, at = learn.evaluate(graph, evaluated, folder, {"loss": loss}, max_steps=2)
    found["results"], found["at"] = results, int(at)
    for name, path in (("train", folder), ("eval", evaluated)):
        (file,) = (file for file in os.listdir(path) if "tfevents" in file)
        events = tf.train.summary_iterator(os.path.join(path, file))
        values = [(event.step, value) for event in events for value in event.summary.value]
        found[f"summaries of {name}"] = [f"{at} {value.tag} {value.simple_value:.4f}" for at, value in values]
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        try:
            learn.train(graph, folder, tf.no_op(), None)
        except ValueError as error:
            found["error"] = str(error)
    with tf.Graph().as_default():
        tf.train.create_global_step()
        given = tf.placeholder(tf.float32, [])
        weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
        product = {"product": weight * given}
        feeds = [{given: value} for value in (1.0, 2.0)]
        restored = learn.run_feeds(product, feeds, tf.train.latest_checkpoint(folder))
        found["feeds"] = [values["product"] for values in learn.run_feeds(product, feeds)]
        found["restored"] = [values["product"] for values in restored]
        found["n"] = [values["product"] for values in learn.run_n(product, {given: 4.0}, n=3)]
        found["once"] = learn.graph_actions.infer(None, product, {given: 5.0})
    return found


def _written(tf, folder):
    paths = []
    for i in range(2):
        path = os.path.join(folder, f"part{i}.tfrecord")
        with tf.python_io.TFRecordWriter(path) as writer:
            for j in range(3):
                example = tf.train.Example()
                example.features.feature["age"].int64_list.value.append(10 * i + j)
                example.features.feature["tags"].bytes_list.value.extend([b"a"] * j)
                writer.write(example.SerializeToString())
        paths.append(path)
    return os.path.join(folder, "part*.tfrecord")


def _run_all(tf, fetches):
    found = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while True:
                found.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)
    return found


def _names(tf):
    names = [node.name for node in tf.get_default_graph().as_graph_def().node]
    return sorted(name for name in names if "ParseExample/" not in name)


def files(tf, folder):
    """Reads examples and features of files in order."""
    learn = tf.contrib.learn
    pattern = _written(tf, folder)
    features = {"age": tf.FixedLenFeature([], tf.int64), "tags": tf.VarLenFeature(tf.string)}
    found = {}
    with tf.Graph().as_default():
        keys, examples = learn.read_keyed_batch_examples(
            pattern, 4, tf.TFRecordReader, randomize_input=False, num_epochs=1
        )
        parsed = tf.parse_example(examples, features)
        batches = _run_all(tf, [keys, parsed["age"]])
        found["keys"] = [[os.path.basename(key) for key in map(bytes.decode, batch[0].tolist())] for batch in batches]
        found["ages"] = [batch[1] for batch in batches]
        found["nodes"] = _names(tf)
    with tf.Graph().as_default():
        read = learn.read_batch_features(
            pattern, 2, features, tf.TFRecordReader, randomize_input=False, num_epochs=1, num_enqueue_threads=1
        )
        batches = _run_all(tf, [read["age"], read["tags"].values])
        found["features"] = sorted(age for batch in batches for age in batch[0].tolist())
        found["tags"] = sum(len(batch[1]) for batch in batches)
        found["nodes of features"] = _names(tf)
    with tf.Graph().as_default():
        _, examples = learn.read_keyed_batch_examples_shared_queue(
            pattern, 2, tf.TFRecordReader, randomize_input=False, num_epochs=1
        )
        found["shared"] = [age for batch in _run_all(tf, tf.parse_example(examples, features)["age"]) for age in batch]
    with tf.Graph().as_default():
        read = learn.read_batch_record_features(pattern, 2, features, num_epochs=2)
        found["twice"] = sorted(age for batch in _run_all(tf, read["age"]) for age in batch.tolist())
    for arguments in ({"batch_size": 0}, {"batch_size": 5, "queue_capacity": 5}, {"batch_size": 2, "num_epochs": 0}):
        try:
            learn.read_batch_examples(pattern, reader=tf.TFRecordReader, **arguments)
        except ValueError as error:
            found[f"error {sorted(arguments.items())}"] = str(error)
    return found


def logistic_regressor(tf, folder):
    """Evaluates an estimator of probabilities."""
    learn = tf.contrib.learn

    def model_fn(features, labels, mode):
        weight = tf.get_variable("weight", [1, 1], initializer=tf.constant_initializer(0.3))
        predictions = tf.sigmoid(tf.matmul(features["x"], weight) - 0.5)
        loss = tf.losses.log_loss(labels, predictions) if labels is not None else None
        step = tf.train.get_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step) if mode == "train" else tf.no_op()
        return predictions, loss, train

    def inputs():
        return {"x": tf.constant(X)}, tf.constant([[0.0], [1.0], [0.0], [1.0]])

    model = learn.LogisticRegressor(model_fn, thresholds=[0.25, 0.6], model_dir=folder)
    model.fit(input_fn=inputs, steps=3)
    return model.evaluate(input_fn=inputs, steps=1)


def recurrent(tf, folder):
    """Builds recurrent estimators in each mode, and trains them from constant variables."""
    learn, layers = tf.contrib.learn, tf.contrib.layers
    kinds = learn.ProblemType
    steps, context = layers.real_valued_column("s", dimension=2), layers.real_valued_column("c")
    sequences = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(3, 4, 2)
    features = {
        "s": sequences,
        "c": np.array([[1.0], [0.5], [-1.0]], np.float32),
        "sequence_length": np.array([4, 2, 3], np.int32),
    }
    cases = {
        "classes": (
            {"problem_type": kinds.CLASSIFICATION, "prediction_type": 1, "num_classes": 3, "num_units": 2},
            np.array([0, 2, 1]),
        ),
        "classes of steps": (
            {
                "problem_type": kinds.CLASSIFICATION,
                "prediction_type": 2,
                "num_classes": 2,
                "num_units": [3, 2],
                "cell_type": "lstm",
                "predict_probabilities": True,
                "context_feature_columns": [context],
                "optimizer": "Momentum",
                "momentum": 0.5,
            },
            np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]]),
        ),
        "numbers": (
            {"problem_type": kinds.LINEAR_REGRESSION, "prediction_type": 1, "num_units": 2, "cell_type": "gru"},
            np.array([0.5, 1.0, -1.0], np.float32),
        ),
    }
    found = {}
    for name, (arguments, labels) in cases.items():
        model = learn.DynamicRnnEstimator(sequence_feature_columns=[steps], model_dir=folder, **arguments)
        for mode in ("train", "eval", "infer"):
            with tf.Graph().as_default(), tf.Session() as session:
                tf.train.create_global_step()
                given = {key: tf.constant(value) for key, value in features.items()}
                ops = model._call_model_fn(given, None if mode == "infer" else tf.constant(labels), mode)
                session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
                for i, variable in enumerate(tf.trainable_variables()):
                    shape = variable.shape.as_list()
                    values = (np.arange(int(np.prod(shape))) % 7 - 3.0).reshape(shape) * 0.2 + 0.01 * i
                    variable.load(values.astype(np.float32), session)
                one = {"names": sorted(value.op.name for value in ops.predictions.values())}
                if mode == "train":
                    one["losses"] = []
                    for _ in range(3):
                        one["losses"].append(session.run(ops.loss))
                        session.run(ops.train_op)
                    one["variables"] = {v.op.name: session.run(v) for v in tf.global_variables()}
                else:
                    one["predictions"] = session.run(ops.predictions)
                if mode == "eval":
                    session.run([update for _, update in ops.eval_metric_ops.values()])
                    one["metrics"] = session.run({key: value for key, (value, _) in ops.eval_metric_ops.items()})
                found[f"{name}, {mode}"] = one
    return found


PROGRAMS = {
    "export of two heads": export_of_two_heads,
    "export strategy": export_strategy,
    "graph actions": graph_actions,
    "files": files,
    "logistic regressor": logistic_regressor,
    "recurrent": recurrent,
}


def result_of(tf, name, folder):
    """Returns what a program gives, for JSON.

    Args:
        tf: the module, TensorFlow's or ferroflow.
        name: str, of `PROGRAMS`.
        folder: str, an empty folder.
    """
    return _plain(PROGRAMS[name](tf, folder))
