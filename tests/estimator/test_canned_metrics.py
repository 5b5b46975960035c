"""Canned estimators give TensorFlow 1.15.5's metrics and predictions, and train their layers' moving averages."""

import numpy as np
import pytest

import ferroflow as tf

X = np.random.RandomState(0).randn(40, 2).astype("f")
SUMS = X.sum(1, keepdims=True)
CLASSES = (SUMS > 0).astype(int)
COLUMNS = [tf.feature_column.numeric_column("x", shape=2)]


def _input(labels):
    return tf.estimator.inputs.numpy_input_fn({"x": X}, labels, batch_size=20, num_epochs=1, shuffle=False)


def test_a_regression_has_the_means_of_labels_and_predictions(tmp_path):
    regressor = tf.estimator.LinearRegressor(COLUMNS, model_dir=str(tmp_path))
    regressor.train(_input(SUMS), steps=2)
    found = regressor.evaluate(_input(SUMS))
    # Values of TensorFlow 1.15.5.
    expected = {
        "average_loss": 0.99696654,
        "label/mean": -0.061084557,
        "loss": 19.939331,
        "prediction/mean": 0.024825644,
        "global_step": 2,
    }
    assert set(found) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    ("options", "labels", "names"),
    [
        ({"label_vocabulary": ["a", "b"]}, np.where(CLASSES, "b", "a"), [b"a", b"b"]),
        ({"n_classes": 3}, CLASSES, [b"0", b"1", b"2"]),
    ],
)
def test_predictions_name_all_classes(tmp_path, options, labels, names):
    classifier = tf.estimator.LinearClassifier(COLUMNS, model_dir=str(tmp_path), **options)
    classifier.train(_input(labels), steps=2)
    found = next(classifier.predict(_input(None)))
    assert found["all_classes"].tolist() == names
    assert found["all_class_ids"].tolist() == list(range(len(names)))
    assert found["all_class_ids"].dtype == np.int32
    assert len(found["probabilities"]) == len(names)


@pytest.mark.parametrize("kind", ["network", "combined"])
def test_moving_averages_of_layers_are_trained(tmp_path, kind):
    if kind == "network":
        made = tf.estimator.DNNClassifier([3], COLUMNS, model_dir=str(tmp_path), batch_norm=True)
    else:
        made = tf.estimator.DNNLinearCombinedClassifier(
            str(tmp_path), COLUMNS, dnn_feature_columns=COLUMNS, dnn_hidden_units=[3], batch_norm=True
        )
    made.train(_input(CLASSES), steps=2)
    name = "dnn/hiddenlayer_0/batchnorm_0/moving_variance"
    assert (made.get_variable_value(name) < 1).all()
    assert np.isfinite(made.evaluate(_input(CLASSES))["loss"])
