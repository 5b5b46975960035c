"""`tf.contrib.learn`: estimators, experiments and monitors of programs of 2016 and 2017."""

import numpy as np
import pytest
from deprecations import logged_warnings

import ferroflow as tf

learn, layers = tf.contrib.learn, tf.contrib.layers


@pytest.fixture(autouse=True)
def _estimators_use_no_old_names():
    with logged_warnings() as logged:
        yield
    assert [record.getMessage() for record in logged if " is deprecated; use " in record.getMessage()] == []


def _points(n=90, classes=3):
    random = np.random.RandomState(0)
    labels = np.arange(n) % classes
    centers = np.array([[4.0, 0.0], [-4.0, 0.0], [0.0, 5.0]])
    return centers[labels] + random.randn(n, 2) * 0.5, labels


def test_the_iris_tutorial():
    x, y = _points()
    columns = [layers.real_valued_column("", dimension=2)]
    model = learn.DNNClassifier(feature_columns=columns, hidden_units=[10, 20], n_classes=3)
    with pytest.raises(learn.NotFittedError):
        next(iter(model.predict(x)))
    assert model.fit(x=x, y=y, steps=150) is model
    found = model.evaluate(x=x, y=y)
    assert found["accuracy"] > 0.95
    assert found["global_step"] == 150
    assert list(model.predict(x[:5])) == list(y[:5])
    probabilities = np.array(list(model.predict_proba(x[:6])))
    np.testing.assert_allclose(probabilities.sum(1), 1.0, rtol=1e-5)
    assert {"dnn/hiddenlayer_0/weights", "dnn/hiddenlayer_1/biases", "dnn/logits/weights", "global_step"} <= set(
        model.get_variable_names()
    )
    assert model.get_variable_value("dnn/hiddenlayer_0/weights").shape == (2, 10)


def test_training_goes_on_from_the_checkpoint(tmp_path):
    x, y = _points()
    columns = learn.infer_real_valued_columns_from_input(x)
    for steps in (10, 20):
        model = learn.LinearClassifier(feature_columns=columns, n_classes=3, model_dir=str(tmp_path))
        model.fit(x, y, steps=10, batch_size=30)
        assert model.get_variable_value("global_step") == steps
    model.fit(x, y, max_steps=20)
    assert model.get_variable_value("global_step") == 20
    with pytest.raises(ValueError, match="steps and max_steps"):
        model.fit(x, y, steps=1, max_steps=30)
    with pytest.raises(ValueError, match="input_fn"):
        model.fit()


def test_metrics_of_two_classes_follow_numpy():
    x, y = _points(40, 2)
    model = learn.LinearClassifier(feature_columns=learn.infer_real_valued_columns_from_input(x))
    model.fit(x, y, steps=20)
    found = model.evaluate(x, y, metrics={"own": learn.MetricSpec(tf.metrics.accuracy, prediction_key="classes")})
    probability = np.array(list(model.predict_proba(x)))[:, 1]
    np.testing.assert_allclose(found["labels/prediction_mean"], probability.mean(), rtol=1e-5)
    np.testing.assert_allclose(found["accuracy"], np.mean((probability > 0.5) == y), rtol=1e-6)
    np.testing.assert_allclose(found["own"], found["accuracy"])
    loss = -np.mean(np.where(y == 1, np.log(probability), np.log1p(-probability)))
    np.testing.assert_allclose(found["loss"], loss, rtol=1e-4)
    assert found["labels/actual_label_mean"] == 0.5


@pytest.mark.parametrize("kind", ["linear", "network", "both"])
def test_regression(kind):
    x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(-1, 1)
    y = (3 * x[:, 0] + 1).astype(np.float32)
    columns = [layers.real_valued_column("x")]
    rate = tf.train.AdamOptimizer(0.1)
    model = {
        "linear": lambda: learn.LinearRegressor(columns, optimizer=rate),
        "network": lambda: learn.DNNRegressor([8], columns, optimizer=rate, dropout=0.0, gradient_clip_norm=50.0),
        "both": lambda: learn.DNNLinearCombinedRegressor(
            linear_feature_columns=columns, dnn_feature_columns=columns, dnn_hidden_units=[4], linear_optimizer=rate
        ),
    }[kind]()

    def inputs():
        return {"x": tf.constant(x)}, tf.constant(y)

    model.fit(input_fn=inputs, steps=150)
    assert model.evaluate(input_fn=inputs, steps=1)["loss"] < 0.1
    scores = model.predict({"x": x[:4]}, as_iterable=False)
    assert scores.shape == (4,)
    np.testing.assert_allclose(scores, y[:4], atol=0.7)


def test_columns_of_categories_and_weights():
    colors, ages = np.array(["r", "g", "b", "r"] * 8), np.array([1, 2, 3, 4] * 8)
    features = {"color": colors[:, None], "age": ages[:, None], "w": np.ones(32)}
    labels = np.array([1, 0, 0, 1] * 8)
    color = layers.sparse_column_with_hash_bucket("color", 20)
    age = layers.bucketized_column(layers.real_valued_column("age"), [2, 3])
    model = learn.DNNLinearCombinedClassifier(
        linear_feature_columns=[color, age, layers.crossed_column([color, age], 50)],
        dnn_feature_columns=[layers.embedding_column(color, 4), age],
        dnn_hidden_units=[8],
        weight_column_name="w",
    )
    model.fit(features, labels, steps=60, batch_size=16)
    assert model.evaluate(features, labels)["accuracy"] == 1.0


def _line(features, labels, mode, params):
    slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
    predictions = features["x"] * slope
    loss = train = None
    if mode != "infer":
        loss = tf.losses.mean_squared_error(labels, predictions)
        train = layers.optimize_loss(loss, tf.train.get_global_step(), params["rate"], "SGD")
    if params.get("is_tuple"):
        return predictions, loss, train
    return learn.ModelFnOps(mode, {"y": predictions}, loss, train)


def _line_inputs():
    x = np.arange(4, dtype=np.float32)
    return {"x": tf.constant(x)}, tf.constant(2 * x)


@pytest.mark.parametrize("is_tuple", [False, True])
def test_a_model_function(is_tuple):
    model = learn.Estimator(_line, params={"rate": 0.05, "is_tuple": is_tuple})
    model.fit(input_fn=_line_inputs, steps=60)
    metric = tf.metrics.mean_absolute_error
    metrics = {"error": learn.MetricSpec(lambda predictions, labels: metric(labels, predictions))}
    found = model.evaluate(input_fn=_line_inputs, steps=1, metrics=metrics)
    assert found["error"] < 0.01
    predicted = list(learn.SKCompat(model).predict({"x": np.float32([3.0])}).items()) if not is_tuple else None
    assert predicted is None or abs(predicted[0][1][0] - 6) < 0.05


def test_a_model_function_without_params_refuses_them():
    with pytest.raises(ValueError, match="params"):
        learn.Estimator(lambda features, labels: None, params={"a": 1})
    model = learn.Estimator(lambda features, labels: 7)
    with pytest.raises(ValueError, match="model_fn"):
        model.fit(input_fn=_line_inputs, steps=1)


def test_sk_compat():
    x, y = _points()
    model = learn.SKCompat(learn.LinearClassifier(learn.infer_real_valued_columns_from_input(x), n_classes=3))
    model.fit(x, y, steps=60)
    assert model.score(x, y)["accuracy"] > 0.9
    assert set(model.predict(x)) == {"classes", "logits", "probabilities"}
    assert model.predict(x, outputs=["classes"])["classes"].shape == (90,)


def _experiment(run_config, hparams):
    rate = 0.05 if hparams is None else hparams.rate
    model = learn.Estimator(_line, params={"rate": rate}, config=run_config)
    return learn.Experiment(model, _line_inputs, _line_inputs, train_steps=30, eval_steps=1, eval_delay_secs=0)


@pytest.mark.parametrize("schedule", [None, "train_and_evaluate", "continuous_train_and_eval", "local_run", "test"])
def test_an_experiment(tmp_path, schedule):
    config = learn.RunConfig(model_dir=str(tmp_path), save_checkpoints_steps=10)
    assert config.save_checkpoints_secs is None
    found = learn.learn_runner.run(
        _experiment, run_config=config, schedule=schedule, hparams=tf.contrib.training.HParams(rate=0.01)
    )
    if schedule == "test":
        assert found["global_step"] == 1
    else:
        metrics, exported = found
        assert metrics["global_step"] == 30
        assert exported == []


def test_an_experiment_of_a_folder_and_what_is_refused(tmp_path):
    run = learn.learn_runner.run

    def made(output_dir):
        model = learn.Estimator(_line, params={"rate": 0.05}, model_dir=output_dir)
        return learn.Experiment(model, _line_inputs, _line_inputs, train_steps=3, eval_delay_secs=0, eval_steps=1)

    run(made, str(tmp_path), schedule="train")
    assert run(made, str(tmp_path), schedule="evaluate")["global_step"] == 3
    with pytest.raises(ValueError, match="non-existent task"):
        run(made, str(tmp_path), schedule="fly")
    with pytest.raises(ValueError, match="model_dir"):
        run(_experiment, run_config=learn.RunConfig())
    with pytest.raises(ValueError, match="output_dir"):
        run(made)
    with pytest.raises(TypeError, match="Experiment"):
        run(lambda output_dir: 1, str(tmp_path))


def test_an_experiment_of_a_core_estimator(tmp_path):
    def model_fn(features, labels, mode):
        slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(labels, features["x"] * slope)
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    model = tf.estimator.Estimator(model_fn, str(tmp_path))
    seen = learn.monitors.CaptureVariable("slope:0", every_n=5)
    experiment = learn.Experiment(
        model, _line_inputs, _line_inputs, train_steps=20, eval_steps=1, train_monitors=[seen], min_eval_frequency=0
    )
    metrics, _ = experiment.train_and_evaluate()
    assert metrics["global_step"] == 20
    assert sorted(seen.values) == [1, 6, 11, 16]


def test_a_validation_monitor_ends_training(tmp_path):
    model = learn.Estimator(
        _line,
        params={"rate": 0.0},
        config=learn.RunConfig(model_dir=str(tmp_path), save_checkpoints_steps=2, save_checkpoints_secs=None),
    )
    monitor = learn.monitors.ValidationMonitor(
        input_fn=_line_inputs, eval_steps=1, every_n_steps=1, early_stopping_rounds=6, check_interval_secs=None
    )
    model.fit(input_fn=_line_inputs, steps=500, monitors=[monitor])
    assert monitor.early_stopped
    assert monitor.best_value == pytest.approx(14.0)
    assert model.get_variable_value("global_step") < 30
    wrong = learn.monitors.ValidationMonitor(
        input_fn=_line_inputs,
        eval_steps=1,
        every_n_steps=1,
        early_stopping_rounds=6,
        check_interval_secs=None,
        early_stopping_metric="nothing",
    )
    with pytest.raises(ValueError, match="Metric nothing missing"):
        model.fit(input_fn=_line_inputs, steps=10, monitors=[wrong])


class _Log(learn.monitors.EveryN):
    def __init__(self):
        super().__init__(every_n_steps=4, first_n_steps=2)
        self.seen = []

    def every_n_step_begin(self, step):
        return ["slope"]

    def every_n_step_end(self, step, outputs):
        self.seen.append((step, sorted(outputs)))
        return step == 10

    def every_n_post_step(self, step, session):
        self.seen.append((step, session.run("slope:0").shape))


def test_the_calls_of_a_monitor():
    model, log = learn.Estimator(_line, params={"rate": 0.01}), _Log()
    model.fit(input_fn=_line_inputs, steps=30, monitors=[log, learn.monitors.StopAtStep(last_step=10)])
    assert [step for step, _ in log.seen] == [1, 1, 2, 2, 6, 6, 10, 10]
    assert log.seen[0] == (1, ["slope"])
    log.begin()
    with pytest.raises(ValueError, match="begin called twice"):
        log.begin()
