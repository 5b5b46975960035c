"""Ready-made estimators learn, with TensorFlow's variable names, metrics and predictions."""

import numpy as np
import pytest

import ferroflow as tf

fc = tf.feature_column
RNG = np.random.RandomState(3)
X = RNG.rand(300, 2).astype(np.float32)
KIND = RNG.randint(0, 3, 300)
CLASS = ((X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.5)).astype(np.int64)
VALUE = (X @ [[1.0], [2.0]] + KIND[:, None]).astype(np.float32)
DENSE = [fc.numeric_column("x", shape=2), fc.indicator_column(fc.categorical_column_with_identity("kind", 3))]
WIDE = [fc.numeric_column("x", shape=2), fc.categorical_column_with_identity("kind", 3)]


def given(labels, epochs=None, shuffle=False):
    return tf.estimator.inputs.numpy_input_fn({"x": X, "kind": KIND}, labels, 50, epochs, shuffle)


def make(kind, path, **kwargs):
    config = tf.estimator.RunConfig(str(path), tf_random_seed=1, log_step_count_steps=None)
    columns = {"DNNLinearCombined": {"linear_feature_columns": WIDE, "dnn_feature_columns": DENSE}}
    for start, arguments in (
        ("DNNLinearCombined", {**columns["DNNLinearCombined"], "dnn_hidden_units": [8], "linear_optimizer": "Adam"}),
        ("DNN", {"hidden_units": [8, 8], "feature_columns": DENSE}),
        ("Linear", {"feature_columns": WIDE}),
    ):
        if kind.startswith(start):
            return getattr(tf.estimator, kind)(config=config, **arguments, **kwargs)
    raise AssertionError(kind)


@pytest.mark.parametrize(("kind", "least"), [("DNN", 0.8), ("Linear", 0.55), ("DNNLinearCombined", 0.75)])
def test_classifiers_learn_three_classes(tmp_path, kind, least):
    model = make(f"{kind}Classifier", tmp_path, n_classes=3)
    metrics = model.train(given(CLASS), steps=600).evaluate(given(CLASS, 1, False))
    assert set(metrics) == {"accuracy", "average_loss", "loss", "global_step"}
    assert metrics["accuracy"] > least
    np.testing.assert_allclose(metrics["loss"], metrics["average_loss"] * 50, rtol=1e-4)
    predictions = list(model.predict(given(None, 1, False)))
    ids = np.array([p["class_ids"][0] for p in predictions])
    np.testing.assert_allclose((ids == CLASS).mean(), metrics["accuracy"], rtol=1e-5)
    assert [p["classes"][0] for p in predictions] == [str(i).encode() for i in ids]
    np.testing.assert_allclose(np.sum([p["probabilities"] for p in predictions], 1), 1, rtol=1e-5)


@pytest.mark.parametrize("kind", ["DNN", "Linear", "DNNLinearCombined"])
def test_regressors_learn(tmp_path, kind):
    model = make(f"{kind}Regressor", tmp_path)
    metrics = model.train(given(VALUE), steps=800).evaluate(given(VALUE, 1, False))
    assert metrics["average_loss"] < 0.1 * VALUE.var()
    predicted = np.array([p["predictions"] for p in model.predict(given(None, 1, False))])
    np.testing.assert_allclose(np.mean((predicted - VALUE) ** 2), metrics["average_loss"], rtol=1e-3)


def test_two_classes_have_more_metrics_and_names(tmp_path):
    names = np.where(X[:, 0] > 0.5, "high", "low")
    model = make("LinearClassifier", tmp_path, label_vocabulary=["low", "high"])
    metrics = model.train(given(names), steps=400).evaluate(given(names, 1, False))
    assert set(metrics) == {
        *("accuracy", "accuracy_baseline", "auc", "auc_precision_recall", "average_loss", "global_step"),
        *("label/mean", "loss", "precision", "prediction/mean", "recall"),
    }
    share = (names == "high").mean()
    np.testing.assert_allclose(metrics["label/mean"], share, rtol=1e-5)
    np.testing.assert_allclose(metrics["accuracy_baseline"], max(share, 1 - share), rtol=1e-5)
    assert metrics["accuracy"] > 0.9
    assert {p["classes"][0] for p in model.predict(given(None, 1, False))} == {b"low", b"high"}
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(fc.make_parse_example_spec(WIDE))
    folder = model.export_savedmodel(str(tmp_path / "export"), receiver).decode()
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([0.9, 0.1])
    example.features.feature["kind"].int64_list.value.append(0)
    served = tf.contrib.predictor.from_saved_model(folder)({"inputs": [example.SerializeToString()]})
    assert served["classes"].tolist() == [[b"low", b"high"]]
    assert served["scores"][0, 1] > 0.5


def test_variables_have_tensorflows_names(tmp_path):
    model = make("DNNLinearCombinedClassifier", tmp_path, n_classes=3).train(given(CLASS), steps=1)
    names = {name for name in model.get_variable_names() if "Ada" not in name and "power" not in name}
    assert names == {
        "global_step",
        *(f"dnn/{layer}/{part}" for layer in ("hiddenlayer_0", "logits") for part in ("bias", "kernel")),
        *("linear/linear_model/bias_weights", "linear/linear_model/kind/weights", "linear/linear_model/x/weights"),
    }


def test_weights_of_examples_count(tmp_path):
    labels = np.zeros(300, np.int64)
    labels[150:] = 1
    arrays = {"one": np.ones((300, 1), np.float32), "weight": np.where(labels == 1, 3.0, 1.0).astype(np.float32)}
    input_fn = tf.estimator.inputs.numpy_input_fn(arrays, labels, 300, None, False)
    model = tf.estimator.LinearClassifier(
        [fc.numeric_column("one")], str(tmp_path), weight_column="weight", optimizer=tf.train.AdamOptimizer(0.05)
    ).train(input_fn, steps=300)
    metrics = model.evaluate(tf.estimator.inputs.numpy_input_fn(arrays, labels, 300, 1, False))
    np.testing.assert_allclose(metrics["label/mean"], 0.75, rtol=1e-5)
    np.testing.assert_allclose(metrics["prediction/mean"], 0.75, atol=0.02)


@pytest.mark.parametrize(
    ("kwargs", "labels", "reason"),
    [
        ({"n_classes": 3}, CLASS.astype(np.float32), "should be integer"),
        ({"n_classes": 3}, np.stack([CLASS, CLASS], 1), "Mismatched label shape"),
        ({"n_classes": 3}, None, "must provide a labels Tensor"),
        ({"label_vocabulary": ["a", "b"]}, CLASS, "should be string"),
        ({"optimizer": "Newton"}, CLASS, "Unsupported optimizer name"),
        ({"optimizer": lambda: 3}, CLASS, "not an Optimizer instance"),
    ],
)
def test_labels_and_optimizers_are_checked(tmp_path, kwargs, labels, reason):
    model = make("DNNClassifier", tmp_path, **kwargs)
    with pytest.raises(ValueError, match=reason):
        model.train(given(labels), steps=1)


def test_labels_outside_the_classes_fail_in_the_step(tmp_path):
    model = make("DNNClassifier", tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Labels must <= n_classes - 1"):
        model.train(given(CLASS), steps=1)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: tf.estimator.DNNClassifier([4], DENSE, n_classes=1), "n_classes must be > 1"),
        (lambda: tf.estimator.DNNRegressor([4], DENSE, label_dimension=0), "Invalid label_dimension"),
        (lambda: tf.estimator.LinearRegressor(WIDE, loss_reduction="none"), "Invalid loss_reduction"),
        (lambda: tf.estimator.LinearClassifier(WIDE, label_vocabulary="ab"), "should be a list or a tuple"),
        (lambda: tf.estimator.DNNLinearCombinedRegressor(), "Either linear_feature_columns or dnn_feature_columns"),
        (
            lambda: tf.estimator.DNNLinearCombinedClassifier(dnn_feature_columns=DENSE),
            "dnn_hidden_units must be defined",
        ),
    ],
)
def test_arguments_are_checked(build, reason):
    with pytest.raises(ValueError, match=reason):
        build()


def test_a_training_step_writes_the_loss_and_its_average(tmp_path):
    column = tf.feature_column.numeric_column("x")
    model = tf.estimator.LinearRegressor(
        [column],
        str(tmp_path),
        weight_column="w",
        optimizer=tf.train.GradientDescentOptimizer(0.0),
        loss_reduction=tf.losses.Reduction.SUM,
        config=tf.estimator.RunConfig(save_summary_steps=1),
    )
    features = {"x": [[1.0], [2.0]], "w": [[1.0], [3.0]]}
    model.train(lambda: tf.data.Dataset.from_tensors((features, [[2.0], [4.0]])), steps=1)
    tf.summary.FileWriterCache.clear()
    (path,) = tmp_path.glob("events*")
    values = {v.tag: v.simple_value for e in tf.train.summary_iterator(str(path)) for v in e.summary.value}
    # The model predicts 0: 1 * 2 ** 2 + 3 * 4 ** 2, and that by the sum of the weights.
    assert (values["loss"], values["average_loss"]) == (52.0, 13.0)


def test_evaluations_log_their_progress(tmp_path, caplog):
    column = tf.feature_column.numeric_column("x")
    model = tf.estimator.LinearRegressor([column], str(tmp_path))
    model.train(lambda: tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[2.0]])), steps=1)
    with caplog.at_level("INFO", logger="tensorflow"):
        model.evaluate(lambda: tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[2.0]])).repeat(3), steps=2)
    assert [f"Evaluation [{i}/2]" in caplog.text for i in (1, 2, 3)] == [True, True, False]
