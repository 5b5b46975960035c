"""`tf.contrib.predictor`: predictors compute what estimators predict."""

import numpy as np
import pytest

import ferroflow as tf

X = np.array([1.0, 2.0], np.float32)


def core_model(features, labels, mode):
    weight = tf.get_variable("w", [], initializer=tf.constant_initializer(3.0))
    predictions = {"y": features["x"] * weight, "z": features["x"] + weight}
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {
            "serving_default": tf.estimator.export.PredictOutput(predictions),
            "one": tf.estimator.export.RegressionOutput(predictions["y"]),
        }
        return tf.estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
    step = tf.group(tf.assign_add(weight, 1.0), tf.assign_add(tf.train.get_global_step(), 1))
    return tf.estimator.EstimatorSpec(mode, predictions, loss=tf.reduce_mean(predictions["y"]), train_op=step)


def receiver():
    x = tf.placeholder(tf.float32, [None])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def text_receiver():
    text = tf.placeholder(tf.string, [None])
    return tf.estimator.export.ServingInputReceiver({"x": tf.strings.to_number(text)}, {"examples": text})


def inputs():
    x = tf.placeholder(tf.float32, [None])
    return tf.contrib.learn.InputFnOps({"x": x}, None, {"x": x})


def batch():
    return {"x": tf.constant(X)}, tf.constant(X)


def test_a_predictor_uses_the_latest_checkpoint(tmp_path):
    estimator = tf.estimator.Estimator(core_model, model_dir=str(tmp_path))
    np.testing.assert_array_equal(tf.contrib.predictor.from_estimator(estimator, receiver)({"x": X})["y"], 3 * X)
    estimator.train(batch, steps=2)
    predictor = tf.contrib.predictor.from_estimator(estimator, receiver, config=tf.ConfigProto())
    found = predictor({"x": X})
    np.testing.assert_array_equal(found["y"], 5 * X)
    np.testing.assert_array_equal(found["z"], 5 + X)
    assert predictor.graph is predictor.session.graph
    with pytest.raises(ValueError, match="unexpected keys"):
        predictor({"q": X})


def test_an_output_is_chosen_by_its_key(tmp_path):
    estimator = tf.estimator.Estimator(core_model, model_dir=str(tmp_path))
    graph = tf.Graph()
    predictor = tf.contrib.predictor.from_estimator(estimator, text_receiver, output_key="one", graph=graph)
    assert predictor.graph is graph
    np.testing.assert_array_equal(predictor({"inputs": [b"1.5"]})["outputs"], [4.5])
    with pytest.raises(KeyError, match="output_key must be one of"):
        tf.contrib.predictor.from_estimator(estimator, receiver, output_key="none")


def test_predictions_are_the_output_of_a_model_without_others(tmp_path):
    def model(features, mode):
        return tf.estimator.EstimatorSpec(mode, {"twice": 2.0 * features["x"]})

    estimator = tf.estimator.Estimator(model, model_dir=str(tmp_path))
    found = tf.contrib.predictor.from_estimator(estimator, receiver)({"x": X})
    np.testing.assert_array_equal(found["twice"], 2 * X)


def learn_model(heads):
    def model(features, labels, mode):
        weight = tf.get_variable("w", [], initializer=tf.constant_initializer(3.0))
        predictions = {"y": features["x"] * weight, "z": features["x"] - weight}
        step = None
        if mode == tf.contrib.learn.ModeKeys.TRAIN:
            step = tf.group(tf.assign_add(weight, 1.0), tf.assign_add(tf.train.get_global_step(), 1))
        alternatives = {name: (0, {name: predictions[name]}) for name in heads}
        return tf.contrib.learn.ModelFnOps(
            mode, predictions, tf.reduce_sum(predictions["y"]), step, output_alternatives=alternatives
        )

    return model


@pytest.mark.parametrize(("heads", "key", "expected"), [("", None, "yz"), ("y", None, "y"), ("yz", "z", "z")])
def test_heads_of_learns_estimators(tmp_path, heads, key, expected):
    estimator = tf.contrib.learn.Estimator(learn_model(heads), model_dir=str(tmp_path))
    estimator.fit(input_fn=batch, steps=2)
    predictor = tf.contrib.predictor.from_contrib_estimator(estimator, inputs, output_alternative_key=key)
    found = predictor({"x": X})
    assert sorted(found) == list(expected)
    for name, value in found.items():
        np.testing.assert_array_equal(value, {"y": 5 * X, "z": X - 5}[name])


def test_missing_heads_and_inputs_of_learns_estimators(tmp_path):
    several = tf.contrib.learn.Estimator(learn_model("yz"), model_dir=str(tmp_path))
    none = tf.contrib.learn.Estimator(learn_model(""), model_dir=str(tmp_path))
    make = tf.contrib.predictor.from_contrib_estimator
    with pytest.raises(ValueError, match="Please specify a default_output_alternative"):
        make(several, inputs)
    with pytest.raises(ValueError, match="available output_alternatives are"):
        make(several, inputs, output_alternative_key="q")
    with pytest.raises(ValueError, match="available output_alternatives are"):
        make(none, inputs, output_alternative_key="q")
    with pytest.raises(KeyError):
        make(none, inputs, input_alternative_key="q")
    with pytest.raises(ValueError, match="Features must be defined"):
        make(none, lambda: tf.contrib.learn.InputFnOps({}, None, {}))


@pytest.mark.parametrize("classes", [2, 3])
def test_classifiers_serve_all_classes(classes):
    def rows():
        return {"x": tf.constant([[1.0], [2.0]])}, tf.constant([[1], [0]])

    def fed():
        x = tf.placeholder(tf.float32, [None, 1])
        return tf.contrib.learn.InputFnOps({"x": x}, None, {"x": x})

    column = tf.contrib.layers.real_valued_column("x")
    estimator = tf.contrib.learn.LinearClassifier([column], n_classes=classes)
    estimator.fit(input_fn=rows, steps=1)
    found = tf.contrib.predictor.from_contrib_estimator(estimator, fed)({"x": [[1.0], [2.0]]})
    assert found["classes"].tolist() == 2 * [[str(i).encode() for i in range(classes)]]
    np.testing.assert_allclose(found["probabilities"].sum(1), [1, 1], rtol=1e-6)


def test_each_kind_of_estimator_has_its_function(tmp_path):
    learn = tf.contrib.learn.Estimator(learn_model(""), model_dir=str(tmp_path))
    core = tf.estimator.Estimator(core_model, model_dir=str(tmp_path))
    with pytest.raises(TypeError, match="from_contrib_estimator"):
        tf.contrib.predictor.from_estimator(learn, receiver)
    with pytest.raises(TypeError, match="from_estimator"):
        tf.contrib.predictor.from_contrib_estimator(core, inputs)


def test_tensors_of_a_saved_model_are_chosen_by_names(tmp_path):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.multiply(x, tf.Variable(2.0), name="y")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": y})
    predictor = tf.contrib.predictor.from_saved_model(
        str(tmp_path / "model"), input_names={"in": "x:0"}, output_names={"out": "y:0"}, config=tf.ConfigProto()
    )
    assert predictor({"in": 4.0}) == {"out": 8.0}
