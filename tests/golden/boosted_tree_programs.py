"""Estimators of boosted trees on fixed data: losses, trees, metrics, predictions and explanations."""

import tempfile

import numpy as np

_RANDOM = np.random.RandomState(7)
SIZE = 60
X = _RANDOM.uniform(-2.0, 2.0, (SIZE, 3)).astype(np.float32)
COLORS = np.array(["red", "green", "blue", "grey"])[_RANDOM.randint(0, 4, SIZE)]
WEIGHTS = _RANDOM.uniform(0.5, 2.0, (SIZE, 1)).astype(np.float32)
_SCORE = X[:, 0] + np.where(X[:, 1] > 0.5, 1.5, -0.5) - (COLORS == "red") + 0.3 * X[:, 2] ** 2
CLASSES = (_SCORE > 0.2).astype(np.int32).reshape(-1, 1)
NUMBERS = (2.0 * _SCORE + 1.0).astype(np.float32).reshape(-1, 1)
NAMES = np.where(CLASSES == 1, "yes", "no")


def columns_of(tf, kinds):
    made = tf.feature_column
    known = {
        "bucketized": lambda: made.bucketized_column(made.numeric_column("a"), [-1.0, 0.0, 0.5, 1.0]),
        "float": lambda: made.numeric_column("b"),
        "floats": lambda: made.numeric_column("pair", shape=(2,)),
        "indicator": lambda: made.indicator_column(
            made.categorical_column_with_vocabulary_list("color", ["red", "green", "blue"])
        ),
    }
    return [known[kind]() for kind in kinds]


def _features(rows):
    return {
        "a": X[rows, :1],
        "b": X[rows, 1:2],
        "pair": X[rows, 1:],
        "color": COLORS[rows].astype(bytes).astype(object).reshape(-1, 1),
        "w": WEIGHTS[rows],
    }


def inputs_of(tf, labels, batch):
    """Returns an input function that gives batches in order, again and again."""

    def input_fn():
        rows = np.arange(SIZE)
        dataset = tf.data.Dataset.from_tensor_slices((_features(rows), labels)).repeat().batch(batch)
        return tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()

    return input_fn


def whole(tf, labels):
    """Returns an input function that gives all examples in one batch."""

    def input_fn():
        features = {name: tf.constant(values.tolist()) for name, values in _features(np.arange(SIZE)).items()}
        return features, tf.constant(labels.tolist())

    return input_fn


class Case:
    def __init__(self, kind, columns, labels, batch=SIZE, batches=1, steps=100, **arguments):
        self.kind, self.columns, self.labels = kind, columns, labels
        self.batch, self.batches, self.steps, self.arguments = batch, batches, steps, arguments


ALL = ["bucketized", "floats", "indicator"]
SMALL = {"n_trees": 2, "max_depth": 2}
CASES = {
    "classifier of buckets": Case("Classifier", ["bucketized"], CLASSES, n_trees=2, max_depth=3),
    "classifier of all columns": Case("Classifier", ALL, CLASSES, n_trees=3, max_depth=3, learning_rate=0.5),
    "centered classifier": Case("Classifier", ALL, CLASSES, center_bias=True, **SMALL),
    "classifier of batches": Case("Classifier", ALL, CLASSES, batch=20, batches=3, l2_regularization=0.01, **SMALL),
    "weighted classifier": Case("Classifier", ["bucketized", "float"], CLASSES, weight_column="w", **SMALL),
    "named classifier": Case("Classifier", ["bucketized"], NAMES, label_vocabulary=["no", "yes"], **SMALL),
    "classifier that prunes before": Case(
        "Classifier", ALL, CLASSES, pruning_mode="pre", tree_complexity=0.02, n_trees=2, max_depth=3
    ),
    "regression that prunes after": Case(
        "Regressor", ALL, NUMBERS, pruning_mode="post", tree_complexity=0.3, n_trees=3, max_depth=3
    ),
    "classifier in memory": Case("Classifier", ALL, CLASSES, train_in_memory=True, center_bias=True, **SMALL),
    "pruned classifier in memory": Case(
        "Classifier", ["bucketized"], CLASSES, train_in_memory=True, pruning_mode="post", tree_complexity=0.05, **SMALL
    ),
    "regression of all columns": Case("Regressor", ALL, NUMBERS, n_trees=3, max_depth=3, learning_rate=0.3),
    "centered regression": Case("Regressor", ["float", "indicator"], NUMBERS, center_bias=True, **SMALL),
    "regression of batches": Case(
        "Regressor", ["floats"], NUMBERS, batch=15, batches=4, l1_regularization=0.1, center_bias=True, **SMALL
    ),
    "regression of heavy nodes": Case("Regressor", ["bucketized"], NUMBERS, steps=12, min_node_weight=0.9, **SMALL),
    "weighted regression in memory": Case(
        "Regressor", ALL, NUMBERS, train_in_memory=True, weight_column="w", quantile_sketch_epsilon=0.012, **SMALL
    ),
    "own head": Case("Estimator", ["bucketized", "indicator"], NUMBERS, center_bias=True, **SMALL),
}


def estimator_of(tf, case, folder):
    made = getattr(tf.estimator, f"BoostedTrees{case.kind}")
    arguments = dict(case.arguments)
    if case.kind == "Estimator":
        arguments["head"] = tf.contrib.estimator.regression_head()
    config = tf.estimator.RunConfig(tf_random_seed=1, save_summary_steps=1000)
    columns = columns_of(tf, case.columns)
    return made(columns, case.batches, model_dir=folder, config=config, **arguments)


def _plain(message):
    """Returns a message as dicts and lists; fields of default values are left out."""
    found = {}
    for field, value in message.ListFields():
        if hasattr(value, "ListFields"):
            found[field.name] = _plain(value)
        elif hasattr(value, "append") or hasattr(value, "add"):
            found[field.name] = [_plain(item) if hasattr(item, "ListFields") else item for item in value]
        else:
            found[field.name] = value
    return found


def trees_of(reader, ensemble_class):
    return _plain(ensemble_class.FromString(reader.get_tensor("boosted_trees:0_serialized")))


def _values(predictions):
    kept = ("logits", "predictions", "logistic", "bias")
    return [
        {
            **{key: np.asarray(p[key]).reshape(-1).tolist() for key in kept if key in p},
            **({"dfc": sorted([name, float(value)] for name, value in p["dfc"].items())} if "dfc" in p else {}),
        }
        for p in predictions
    ]


def result_of(tf, case, ensemble_class, folder=None):
    folder = folder or tempfile.mkdtemp()
    estimator = estimator_of(tf, case, folder)
    losses = []

    class Losses(tf.train.SessionRunHook):
        def before_run(self, run_context):
            graph = run_context.session.graph
            return tf.train.SessionRunArgs(graph.get_collection(tf.GraphKeys.LOSSES)[-1])

        def after_run(self, run_context, run_values):
            losses.append(float(run_values.results))

    in_memory = case.arguments.get("train_in_memory")
    train = whole(tf, case.labels) if in_memory else inputs_of(tf, case.labels, case.batch)
    estimator.train(train, hooks=[Losses()], max_steps=case.steps)
    reader = tf.train.load_checkpoint(folder)
    evaluate = whole(tf, case.labels)
    metrics = estimator.evaluate(evaluate, steps=1)
    found = {
        "losses": losses,
        "variables": sorted([n, s] for n, s in reader.get_variable_to_shape_map().items()),
        "trees": trees_of(reader, ensemble_class),
        "metrics": {name: float(value) for name, value in metrics.items()},
        "predictions": _values(next_of(estimator.predict(evaluate), 8)),
        "importances": [[name, float(v)] for name, v in estimator.experimental_feature_importances().items()],
    }
    if case.arguments.get("center_bias"):
        explained = estimator.experimental_predict_with_explanations(evaluate)
        found["explanations"] = _values(next_of(explained, 4))
    return found


CONTINUED = "classifier in memory"


def begun(tf, folder):
    """Trains half of the trees of a case."""
    case = CASES[CONTINUED]
    estimator_of(tf, case, folder).train(whole(tf, case.labels), max_steps=3)


def continued(tf, folder):
    """Returns predictions and metrics of what `begun` trained, and after the rest of the training."""
    case = CASES[CONTINUED]
    found = []
    for steps in (3, 100):
        estimator = estimator_of(tf, case, folder)
        if steps > 3:
            estimator.train(whole(tf, case.labels), max_steps=steps)
        metrics = estimator.evaluate(whole(tf, case.labels), steps=1)
        found.append({name: float(metrics[name]) for name in ("loss", "global_step")})
        found.append({"predictions": _values(next_of(estimator.predict(whole(tf, case.labels)), 5))})
    return found


def next_of(iterator, count):
    return [next(iterator) for _ in range(count)]
