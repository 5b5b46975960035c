"""An estimator trains from its checkpoints on, and evaluates, predicts and exports what it has trained."""

import functools

import numpy as np
import pytest

import ferroflow as tf

X = np.arange(12, dtype=np.float32).reshape(6, 2)
Y = X @ np.array([[0.5], [-0.25]], np.float32) + 1


def dataset(batch_size=3, epochs=1):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(epochs).batch(batch_size)


def linear(features, labels, mode, params):
    """A linear regression, trained by gradient descent."""
    predicted = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer(), name="layer")
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"twice": tf.estimator.export.PredictOutput({"twice": predicted * 2})}
        return tf.estimator.EstimatorSpec(mode, predictions={"y": predicted}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, predicted)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def estimator(path, **kwargs):
    return tf.estimator.Estimator(linear, str(path), params={"rate": 0.01}, **kwargs)


def trained_by_hand(steps):
    weights, bias = np.zeros((2, 1)), 0.0
    for step in range(steps):
        x, y = X[step % 2 * 3 :][:3], Y[step % 2 * 3 :][:3]
        error = 2 * (x @ weights + bias - y) / 3
        weights, bias = weights - 0.01 * x.T @ error, bias - 0.01 * error.sum()
    return weights, bias


def test_it_trains_from_its_checkpoint_on(tmp_path):
    first = estimator(tmp_path)
    assert first.latest_checkpoint() is None
    assert first.train(lambda: dataset(epochs=None), steps=3) is first
    assert first.latest_checkpoint() == str(tmp_path / "model.ckpt-3")
    # The order of batches starts anew with each call.
    weights, bias = trained_by_hand(3)
    np.testing.assert_allclose(first.get_variable_value("layer/kernel"), weights, rtol=1e-4)
    np.testing.assert_allclose(first.get_variable_value("layer/bias"), [bias], rtol=1e-4)
    again = estimator(tmp_path)
    again.train(lambda: dataset(), max_steps=100)  # two batches, then the input ends
    assert again.get_variable_value("global_step") == 5
    again.train(lambda: dataset(epochs=None), max_steps=6)
    again.train(lambda: dataset(epochs=None), max_steps=6)
    assert again.get_variable_value("global_step") == 6
    assert sorted(again.get_variable_names()) == ["global_step", "layer/bias", "layer/kernel"]


def test_it_evaluates_all_batches_or_some(tmp_path):
    model = estimator(tmp_path).train(lambda: dataset(epochs=None), steps=4)
    weights, bias = trained_by_hand(4)
    error = X @ weights + bias - Y
    every = model.evaluate(lambda: dataset())
    assert every["global_step"] == 4
    np.testing.assert_allclose(every["error"], np.abs(error).mean(), rtol=1e-4)
    np.testing.assert_allclose(every["loss"], (error**2).mean(), rtol=1e-4)
    some = model.evaluate(lambda: dataset(), steps=1, name="some")
    np.testing.assert_allclose(some["loss"], (error[:3] ** 2).mean(), rtol=1e-4)
    events = [e for path in (tmp_path / "eval_some").iterdir() for e in tf.train.summary_iterator(str(path))]
    values = {v.tag: (e.step, v.simple_value) for e in events for v in e.summary.value}
    assert values == {"error": (4, some["error"]), "loss": (4, some["loss"])}
    tf.summary.FileWriterCache.clear()


def test_it_predicts_one_by_one_or_in_batches(tmp_path):
    model = estimator(tmp_path).train(lambda: dataset(epochs=None), steps=4)
    weights, bias = trained_by_hand(4)
    single = list(model.predict(lambda: dataset(4)))
    assert [p["y"].shape for p in single] == [(1,)] * 6
    np.testing.assert_allclose(np.stack([p["y"] for p in single]), X @ weights + bias, rtol=1e-4)
    batches = list(model.predict(lambda: dataset(4), predict_keys=["y"], yield_single_examples=False))
    assert [b["y"].shape for b in batches] == [(4, 1), (2, 1)]
    with pytest.raises(ValueError, match="Expected to run at least one output"):
        next(model.predict(lambda: dataset(), predict_keys=["z"]))


def test_an_exported_model_serves(tmp_path):
    model = estimator(tmp_path / "model").train(lambda: dataset(epochs=None), steps=4)
    spec = {"x": tf.FixedLenFeature([2], tf.float32)}
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    (tmp_path / "notes").write_text("hello", encoding="utf-8")
    folder = model.export_savedmodel(str(tmp_path), receiver, assets_extra={"a/notes": str(tmp_path / "notes")})
    assert (tmp_path / folder.decode().rsplit("/", 1)[1] / "assets.extra" / "a" / "notes").read_text(
        encoding="utf-8"
    ) == "hello"
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([3.0, 4.0])
    predict = tf.contrib.predictor.from_saved_model(folder.decode())
    weights, bias = trained_by_hand(4)
    result = predict({"examples": [example.SerializeToString()]})
    np.testing.assert_allclose(result["twice"], 2 * ([[3.0, 4.0]] @ weights + bias), rtol=1e-4)


def test_hooks_and_listeners_are_called(tmp_path):
    seen = []

    class Hook(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append("step")

    class Listener(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            seen.append(f"saved {global_step_value}")

    model = estimator(tmp_path, config=tf.estimator.RunConfig(save_checkpoints_steps=2, log_step_count_steps=None))
    model.train(lambda: dataset(epochs=None), hooks=[Hook()], steps=3, saving_listeners=[Listener()])
    assert seen.count("step") == 3
    assert [x for x in seen if x != "step"][-1] == "saved 3"
    with pytest.raises(TypeError, match="Hooks must be a SessionRunHook"):
        model.train(lambda: dataset(), hooks=["hook"])
    with pytest.raises(TypeError, match="CheckpointSaverListener"):
        model.train(lambda: dataset(), saving_listeners=["listener"])


def test_equal_seeds_give_equal_models(tmp_path):
    def random(features, labels, mode):
        predicted = tf.layers.dense(features["x"], 1, name="layer")
        loss = tf.losses.mean_squared_error(labels, predicted)
        train_op = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    kernels = []
    for i, seed in enumerate((1, 1, 2)):
        config = tf.estimator.RunConfig(tf_random_seed=seed)
        model = tf.estimator.Estimator(random, str(tmp_path / str(i)), config).train(lambda: dataset(), steps=1)
        kernels.append(model.get_variable_value("layer/kernel").tolist())
    assert kernels[0] == kernels[1] != kernels[2]


def test_a_model_starts_warm(tmp_path):
    source = estimator(tmp_path / "source").train(lambda: dataset(epochs=None), steps=4)

    def still(features, labels, mode):
        predicted = tf.layers.dense(features["x"], 1, name="other")
        loss = tf.losses.mean_squared_error(labels, predicted)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(tf.train.get_global_step(), 1))

    settings = tf.estimator.WarmStartSettings(
        str(tmp_path / "source"), "other/kernel", None, {"other/kernel": "layer/kernel"}
    )
    model = tf.estimator.Estimator(still, str(tmp_path / "target"), warm_start_from=settings)
    model.train(lambda: dataset(), steps=1)
    kernel = source.get_variable_value("layer/kernel")
    assert model.get_variable_value("other/kernel").tolist() == kernel.tolist()
    assert model.get_variable_value("global_step") == 1
    whole = estimator(tmp_path / "whole", warm_start_from=str(tmp_path / "source"))
    whole.train(lambda: tf.data.Dataset.from_tensors(({"x": X[:1] * 0}, Y[:1] * 0)), steps=1)
    assert whole.get_variable_value("layer/kernel").tolist() == kernel.tolist()


def test_functions_get_the_arguments_that_they_take(tmp_path):
    seen = {}

    def model_fn(features, mode, config):
        seen["model"] = (mode, config.model_dir)
        return tf.estimator.EstimatorSpec(mode, predictions=features)

    def input_fn(other, params, mode):
        seen["input"] = (other, params, mode)
        return dataset().map(lambda features, labels: features["x"])

    with tf.Graph().as_default(), tf.Session() as sess:
        tf.train.create_global_step()
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, str(tmp_path / "model.ckpt"), 0)
    model = tf.estimator.Estimator(model_fn, str(tmp_path))
    rows = list(model.predict(functools.partial(input_fn, other=1)))
    assert [row.tolist() for row in rows] == X.tolist()
    assert seen == {"model": ("infer", str(tmp_path)), "input": (1, {}, "infer")}


def bad_spec(**kwargs):
    with tf.Graph().as_default():
        one = tf.constant(1.0)
        made = {key: value(one) if callable(value) else value for key, value in kwargs.items()}
        tf.estimator.EstimatorSpec(**made)


OUTPUT = tf.estimator.export.PredictOutput


@pytest.mark.parametrize(
    ("kwargs", "error", "reason"),
    [
        ({"mode": "train", "loss": lambda one: one}, ValueError, "Missing train_op"),
        ({"mode": "eval"}, ValueError, "Missing loss"),
        ({"mode": "infer"}, ValueError, "Missing predictions"),
        ({"mode": "eval", "loss": 1.0}, TypeError, "loss must be Tensor"),
        ({"mode": "eval", "loss": lambda one: tf.stack([one, one])}, ValueError, "Loss must be scalar"),
        ({"mode": "train", "loss": lambda one: one, "train_op": 3}, TypeError, "train_op must be Operation or Tensor"),
        ({"mode": "infer", "predictions": {"a": 1}}, TypeError, r"predictions\[a\] must be Tensor"),
        ({"mode": "eval", "loss": lambda one: one, "eval_metric_ops": [1]}, TypeError, "must be a dict"),
        (
            {"mode": "eval", "loss": lambda one: one, "eval_metric_ops": lambda one: {"m": one}},
            TypeError,
            r"\(metric_value, update_op\) tuples",
        ),
        ({"mode": "infer", "predictions": lambda one: one, "export_outputs": {"a": 1}}, TypeError, "ExportOutput"),
        (
            {
                "mode": "infer",
                "predictions": lambda one: one,
                "export_outputs": lambda one: {"a": OUTPUT(one), "b": OUTPUT(one)},
            },
            ValueError,
            "none of them is specified as the default",
        ),
        ({"mode": "infer", "predictions": lambda one: one, "prediction_hooks": [1]}, TypeError, "SessionRunHook"),
        ({"mode": "infer", "predictions": lambda one: one, "scaffold": 1}, TypeError, "tf.train.Scaffold"),
    ],
)
def test_specs_are_checked(kwargs, error, reason):
    with pytest.raises(error, match=reason):
        bad_spec(**kwargs)


def test_a_spec_is_of_the_default_graph():
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the default graph"):
        tf.estimator.EstimatorSpec("infer", predictions=other)


def without_features(labels):
    return labels


def with_more(features, more):
    return features, more


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: tf.estimator.Estimator(None, path), "model_fn must be provided"),
        (lambda path: tf.estimator.Estimator(without_features, path), "must include features"),
        (lambda path: tf.estimator.Estimator(with_more, path), r"not expected args: \['more'\]"),
        (lambda path: tf.estimator.Estimator(lambda features: 1, path, params={}), "does not include params"),
        (lambda path: estimator(path, config=3), "must be an instance of RunConfig"),
        (lambda path: estimator(path, config=tf.estimator.RunConfig("/other")), "different values"),
        (lambda path: estimator(path, warm_start_from=3), "WarmStartSettings"),
        (lambda path: estimator(path).train(dataset, steps=1, max_steps=1), "both steps and max_steps"),
        (lambda path: estimator(path).train(dataset, steps=0), "steps > 0"),
        (lambda path: estimator(path).train(dataset, max_steps=-1), "max_steps > 0"),
        (lambda path: estimator(path).evaluate(dataset, checkpoint_path=path + "/none"), "not a valid checkpoint"),
        (lambda path: next(estimator(path).predict(dataset, checkpoint_path=path + "/none")), "not a valid checkpoint"),
        (lambda path: estimator(path).get_variable_names(), "Could not find trained model"),
        (lambda path: estimator(path).export_savedmodel(path, None), "serving_input_receiver_fn must be defined"),
        (lambda path: estimator(path).train(lambda: (1, 2, 3)), "len 2 tuple"),
        (lambda path: tf.estimator.Estimator(lambda features: 1, path).train(dataset), "does not take labels"),
        (
            lambda path: tf.estimator.Estimator(lambda features, labels: 1, path).train(dataset),
            "return an EstimatorSpec",
        ),
    ],
)
def test_arguments_are_checked(tmp_path, make, reason):
    with pytest.raises(ValueError, match=reason):
        make(str(tmp_path))


def test_members_are_not_overridden(tmp_path):
    class Other(tf.estimator.Estimator):
        def train(self, input_fn):
            return self

    with pytest.raises(ValueError, match="cannot override members"):
        Other(linear, str(tmp_path), params={"rate": 1.0})


def test_training_evaluation_and_prediction_use_the_session_config(tmp_path):
    devices = []

    class Hook(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            devices.append(len(session.list_devices()))

    config = tf.estimator.RunConfig(session_config=tf.ConfigProto(device_count={"CPU": 3}))
    model = tf.estimator.Estimator(linear, str(tmp_path), config, {"rate": 0.1})
    model.train(lambda: dataset(), hooks=[Hook()], steps=1)
    model.evaluate(lambda: dataset(), hooks=[Hook()], steps=1)
    list(model.predict(lambda: dataset(), hooks=[Hook()]))
    assert devices == [3, 3, 3]


def test_a_loss_of_one_element_becomes_a_scalar():
    spec = tf.estimator.EstimatorSpec("eval", loss=tf.constant([2.0]), predictions=tf.constant(1.0))
    assert spec.loss.shape == []


def test_a_model_without_a_checkpoint_starts_at_its_initial_values(tmp_path):
    def model(features, labels, mode):
        weight = tf.get_variable("w", [], initializer=tf.constant_initializer(3.0))
        prediction = features * weight
        return tf.estimator.EstimatorSpec(
            mode, predictions=prediction, loss=None if labels is None else tf.reduce_sum(prediction - labels)
        )

    made = tf.estimator.Estimator(model, str(tmp_path))
    numbers = np.float32([1, 2])
    predicted = made.predict(lambda: tf.data.Dataset.from_tensors((numbers, numbers)))
    assert list(predicted) == [3, 6]
    results = made.evaluate(lambda: tf.data.Dataset.from_tensors((numbers, numbers)))
    assert results == {"loss": 6.0, "global_step": 0}


@pytest.mark.parametrize("source", [None, ""])
def test_warm_starts_need_a_source(source):
    with pytest.raises(ValueError, match="`ckpt_to_initialize_from` MUST be set"):
        tf.estimator.WarmStartSettings(source)


def test_warm_starts_rename_nothing_by_default():
    assert tf.estimator.WarmStartSettings("a") == ("a", ".*", {}, {})


def test_parts_of_predictions_have_joined_names():
    value = tf.constant(1)
    assert tf.estimator.export.PredictOutput({("head", "logits"): value}).outputs == {"head/logits": value}


def test_receivers_take_features_of_unknown_shape():
    features = {"any": tf.placeholder(tf.float32), "batch": tf.placeholder(tf.float32, [3, 2])}
    receivers = tf.estimator.export.build_raw_serving_input_receiver_fn(features, default_batch_size=5)()
    assert receivers.features["any"].shape.ndims is None
    assert receivers.features["batch"].shape == [5, 2]


@pytest.mark.parametrize("spec", [None, {}])
def test_parsing_receivers_need_features(spec):
    with pytest.raises(ValueError, match="Missing: features was"):
        tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)()
