"""Programs of `tf.contrib.learn` that train, export and read files, alike on TensorFlow 1.15 and ferroflow."""

import importlib
import json
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
        # A thread writes the speed, at a step that depends on time.
        values = [(e.step, value) for e in events for value in e.summary.value if value.tag != "global_step/sec"]
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


def _internal(tf, path):
    return importlib.import_module(f"{tf.__name__}.contrib.{path}")


def data_feeders(tf, folder):
    """Feeds batches of arrays, of dicts of arrays and of iterators."""
    feeders = _internal(tf, "learn.python.learn.learn_io.data_feeder")
    x, classes = np.arange(10.0).reshape(5, 2), np.array([0, 2, 1, 2, 0])
    cases = {
        "numbers": feeders.DataFeeder(x, classes.astype(np.float32), n_classes=0, batch_size=2),
        "classes": feeders.DataFeeder(x, classes, n_classes=3, batch_size=2, shuffle=False, epochs=1),
        "labels of steps": feeders.DataFeeder(x[:2], np.array([[0, 1], [2, 2]]), n_classes=3),
        "dicts": feeders.DataFeeder({"a": x, "b": x[:, 0]}, {"c": classes, "d": x}, {"c": 3}, 3),
        "as they are": feeders.DataFeeder(x, classes.reshape(5, 1), None, 4),
        "iterators": feeders.StreamingDataFeeder(iter(list(x)), iter(list(classes)), 3, 2),
        "iterator alone": feeders.StreamingDataFeeder(iter(list(x)), None, None, 4),
    }
    found = {}
    for name, feeder in cases.items():
        with tf.Graph().as_default():
            placeholders = [feeder.input_builder()]
            if name == "numbers":
                placeholders.append(feeder.make_epoch_variable())
            shapes = [
                (t.name, t.dtype.name, str(t.shape))
                for t in tf.contrib.framework.nest.flatten(placeholders)
                if t is not None
            ]
            feeds, next_feeds = [], feeder.get_feed_dict_fn()
            try:
                for _ in range(4):
                    feeds.append(next_feeds())
            except StopIteration:
                feeds.append("end")
        found[name] = {
            "placeholders": shapes,
            "feeds": {str(i): feed for i, feed in enumerate(feeds)},
            "params": feeder.get_feed_params(),
            "shape": feeder.input_shape,
        }
    found["to predict"] = [list(feeders.setup_predict_data_feeder(part, 2)) for part in (x, x[:, 0], iter(list(x)))]
    return found


def generators(tf, folder):
    """Reads batches of a generator's dicts."""
    make = _internal(tf, "learn.python.learn.learn_io.generator_io").generator_input_fn

    def generator():
        for i in range(3):
            yield {"a": np.ones(2) * i, "b": np.array(i), "c": np.arange(i + 1.0)}

    found = {}
    for name, options in (
        ("one label", {"target_key": "b", "batch_size": 2, "pad_value": -1.0}),
        ("two labels", {"target_key": ["a", "b"], "batch_size": 3, "num_epochs": 2, "pad_value": 0.0}),
        ("no label", {"batch_size": 9, "pad_value": 5.0}),
    ):
        with tf.Graph().as_default(), tf.Session() as session:
            batch = make(generator, shuffle=False, **options)()
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            found[name] = {}
            try:
                for i in range(9):
                    values = tf.contrib.framework.nest.flatten(session.run(batch))
                    found[name][str(i)] = {str(j): value for j, value in enumerate(values)}
            except tf.errors.OutOfRangeError:
                coordinator.request_stop()
                coordinator.join(threads)
    return found


def signatures_of_tensors(tf, folder):
    """Compares tensors with signatures, and makes placeholders and parsers of these."""
    signature = _internal(tf, "learn.python.learn.estimators.tensor_signature")
    tensors = {
        "a": tf.placeholder(tf.int32, [2, 3]),
        "b": tf.placeholder(tf.float64, [None, 3]),
        "c": tf.sparse_placeholder(tf.string),
        "d": tf.placeholder(tf.int32),
        "e": tf.placeholder(tf.int32, [5, 3]),
    }
    made = signature.create_signatures(tensors)
    found = {f"{x} {y}": signature.tensors_compatible(tensors[x], made[y]) for x in tensors for y in tensors}
    some = {key: made[key] for key in "ab"}
    found["dicts"] = [signature.tensors_compatible(tensors, some), signature.tensors_compatible(some and None, some)]
    placeholders = signature.create_placeholders_from_signatures({key: made[key] for key in "abc"})
    found["placeholders"] = {key: [p.dtype.name, str(p.get_shape())] for key, p in placeholders.items() if key != "c"}
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.extend([1, 2, 3])
    example.features.feature["b"].float_list.value.extend([0.5, 1.5, 2.5])
    parsed = signature.create_example_parser_from_signatures(some, tf.constant([example.SerializeToString()]))
    with tf.Session() as session:
        found["parsed"] = session.run(parsed)
    found["types"] = {key: value.dtype.name for key, value in parsed.items()}
    return found


def configurations(tf, folder):
    """Reads clusters and tasks from the environment."""
    cluster = {"ps": ["h1:1", "h2:2"], "worker": ["h3:3", "h4:4"], "master": ["h5:5"]}
    cases = {
        "none": {},
        "worker": {"cluster": cluster, "task": {"type": "worker", "index": 1}},
        "master in a cloud": {"cluster": cluster, "task": {"type": "master"}, "environment": "cloud"},
        "no task": {"cluster": cluster},
        "alone": {"cluster": {"worker": ["h1:1"]}, "task": {"type": "worker", "index": 0}},
        "unknown task": {"cluster": cluster, "task": {"type": "other"}},
        "unknown index": {"cluster": cluster, "task": {"type": "worker", "index": 7}},
    }
    names = (
        "task_type",
        "task_id",
        "master",
        "evaluation_master",
        "num_ps_replicas",
        "num_worker_replicas",
        "is_chief",
    )
    found = {}
    for name, config in cases.items():
        os.environ["TF_CONFIG"] = json.dumps(config)
        try:
            made = tf.contrib.learn.RunConfig(save_checkpoints_steps=5, save_checkpoints_secs=3)
            found[name] = {key: str(getattr(made, key)) for key in (*names, "environment", "save_checkpoints_secs")}
        except ValueError as error:
            found[f"error of {name}"] = str(error).split(" in the")[0]
        finally:
            del os.environ["TF_CONFIG"]
    return found


def debug_models(tf, folder):
    """Trains models that learn the labels' distribution alone."""
    debug = _internal(tf, "learn.python.learn.estimators.debug")

    def inputs():
        return {"x": tf.constant(X)}, tf.constant([[0], [2], [2], [1]])

    classifier = debug.DebugClassifier(os.path.join(folder, "classes"), n_classes=3)
    classifier.fit(input_fn=inputs, steps=5)
    regressor = debug.DebugRegressor(os.path.join(folder, "numbers"))
    regressor.fit(X, Y, steps=5, batch_size=2)
    metrics = {
        "classes": classifier.evaluate(input_fn=inputs, steps=1),
        "numbers": regressor.evaluate(X, Y, batch_size=3),
    }
    # Two operations of a step update the bias; in TensorFlow their order is not known.
    return {
        "names": classifier.get_variable_names(),
        "classes": list(classifier.predict_classes(inputs)),
        "probabilities": np.round(list(classifier.predict_proba(inputs)), 2),
        "metrics": {
            key: {name: round(float(value), 2) for name, value in found.items()} for key, found in metrics.items()
        },
        "scores": [round(float(one["scores"]), 1) for one in regressor.predict(X, outputs=["scores"], batch_size=3)],
    }


def composable_models(tf, folder):
    """Trains a linear model and a network that are parts of an estimator's model."""
    layers = tf.contrib.layers
    parts = _internal(tf, "learn.python.learn.estimators.composable_model")
    columns = [layers.real_valued_column("x"), layers.sparse_column_with_integerized_feature("i", 4)]
    ids = tf.SparseTensor
    models = {
        "linear": (parts.LinearComposableModel(1, gradient_clip_norm=1.0), columns),
        "joint": (parts.LinearComposableModel(1, _joint_weights=True, scope="own"), columns[1:]),
        "network": (parts.DNNComposableModel(1, [2], activation_fn=tf.nn.tanh, optimizer="SGD"), columns[:1]),
    }
    found = {}
    for name, (part, chosen) in models.items():
        model_dir = os.path.join(folder, name)
        with tf.Graph().as_default(), tf.Session() as session:
            features = {"x": tf.constant(X), "i": ids([[0, 0], [1, 0], [2, 0], [3, 0]], [0, 1, 2, 1], [4, 1])}
            step = tf.train.create_global_step()
            loss = tf.reduce_mean(tf.square(part.build_model(features, chosen, is_training=True) - Y))
            train = part.get_train_step(loss)
            session.run(tf.global_variables_initializer())
            for i, variable in enumerate(tf.trainable_variables()):
                variable.load(np.full(variable.shape.as_list(), 0.1 * (i + 1), np.float32), session)
            losses = [session.run([loss, *train])[0] for _ in range(3)]
            names = sorted(variable.op.name for variable in tf.global_variables())
            tf.train.Saver().save(session, os.path.join(model_dir, "model"), step)
        found[name] = [losses, names, part.get_scope_name()]
        if name != "joint":
            found[name] += [part.get_weights(model_dir), part.get_bias(model_dir)]
    return found


def session_bundle(tf, folder):
    """Exports models as session bundles, and reads their signatures."""
    learn = tf.contrib.learn
    manifest = _internal(tf, "session_bundle.manifest_pb2")
    column = tf.contrib.layers.real_valued_column("x")
    found = {}
    for name, kind, labels in (
        ("classes", learn.LinearClassifier, np.array([[0], [1], [1], [0]])),
        ("numbers", learn.DNNRegressor, Y),
    ):
        more = {"hidden_units": [2]} if name == "numbers" else {}
        model = kind(feature_columns=[column], model_dir=os.path.join(folder, name), **more)
        model.fit({"x": X}, labels, steps=3)
        made = model.export(os.path.join(folder, f"{name} exported"), exports_to_keep=2).decode()
        with tf.Graph().as_default():
            saver = tf.train.import_meta_graph(os.path.join(made, "export.meta"))
            collections = saver.export_meta_graph().collection_def
        (packed,) = collections["serving_signatures"].any_list.value
        signatures = manifest.Signatures()
        packed.Unpack(signatures)
        initializers = list(collections["serving_init_op"].node_list.value)
        found[name] = [
            os.path.basename(made),
            sorted(os.listdir(made)),
            str(signatures.default_signature),
            initializers,
        ]
    return found


def experiments(tf, folder):
    """Trains and evaluates a linear model by several schedules."""
    learn = tf.contrib.learn

    def inputs():
        return {"x": tf.constant(X)}, tf.constant(Y)

    def experiment(name, **options):
        model = learn.LinearRegressor([tf.contrib.layers.real_valued_column("x")], os.path.join(folder, name))
        options = {"train_steps": 4, "eval_steps": 1, "eval_delay_secs": 0, **options}
        return learn.Experiment(model, inputs, inputs, continuous_eval_throttle_secs=0, **options)

    runs = {
        "at the end": experiment("a", min_eval_frequency=0).train_and_evaluate,
        "in turns": experiment("b", train_steps_per_iteration=3).continuous_train_and_eval,
    }
    found = {}
    for name, run in runs.items():
        results, exports = run()
        found[name] = {"results": results, "exports": len(exports)}
    found["one step"] = experiment("c").test()
    seen = []
    experiment("a").continuous_eval(continuous_eval_predicate_fn=lambda results: seen.append(results) or len(seen) < 3)
    found["watched"] = {str(i): results for i, results in enumerate(seen) if results is not None}
    for options in ({"train_steps_per_iteration": "3"}, {"saving_listeners": [1]}):
        try:
            experiment("d", **options)
        except ValueError as error:
            found[f"error of {sorted(options)}"] = str(error)
    return found


PROGRAMS = {
    "export of two heads": export_of_two_heads,
    "export strategy": export_strategy,
    "graph actions": graph_actions,
    "files": files,
    "logistic regressor": logistic_regressor,
    "recurrent": recurrent,
    "data feeders": data_feeders,
    "generators": generators,
    "signatures of tensors": signatures_of_tensors,
    "configurations": configurations,
    "debug models": debug_models,
    "composable models": composable_models,
    "session bundle": session_bundle,
    "experiments": experiments,
}


def result_of(tf, name, folder):
    """Returns what a program gives, for JSON.

    Args:
        tf: the module, TensorFlow's or ferroflow.
        name: str, of `PROGRAMS`.
        folder: str, an empty folder.
    """
    return _plain(PROGRAMS[name](tf, folder))
