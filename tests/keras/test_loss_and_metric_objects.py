"""Losses and metrics that are objects have the values of TensorFlow 1.15.5."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf

GOLDEN = Path(__file__).parents[1] / "golden"
FOUND = json.loads((GOLDEN / "keras_objects.json").read_text(encoding="utf-8"))
sys.path.insert(0, str(GOLDEN))
try:
    import keras_object_programs as programs
finally:
    sys.path.pop(0)


def _title(case):
    return "-".join(str(part) for part in case[:2])


def _assert_close(found, expected):
    assert len(found) == len(expected)
    for value, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, other, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("place", range(len(programs.LOSSES)), ids=map(_title, programs.LOSSES))
def test_losses_have_tensorflows_values(place):
    found, expected = programs.loss_values(tf, programs.LOSSES[place]), FOUND["losses"][place]
    assert found["name"] == expected["name"]
    _assert_close(found["values"], expected["values"])


@pytest.mark.parametrize("place", range(len(programs.METRICS)), ids=map(_title, programs.METRICS))
def test_metrics_have_tensorflows_values_names_and_options(place):
    found, expected = programs.metric_values(tf, programs.METRICS[place]), FOUND["metrics"][place]
    assert {k: v for k, v in found.items() if k != "values"} == {k: v for k, v in expected.items() if k != "values"}
    _assert_close(found["values"], expected["values"])


def test_a_model_with_objects_trains_as_tensorflows():
    found, expected = programs.training(tf), FOUND["training"]
    assert found["names"] == expected["names"]
    assert sorted(found["history"]) == sorted(expected["history"])
    for name, values in expected["history"].items():
        np.testing.assert_allclose(found["history"][name], values, rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(found["evaluated"], expected["evaluated"], rtol=1e-4)


def test_batches_add_up_until_metrics_are_reset():
    tf.keras.backend.clear_session()
    layer = tf.keras.layers.Dense(1, use_bias=False, input_shape=(1,), kernel_initializer="ones")
    model = tf.keras.Sequential([layer])
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.MeanAbsoluteError()])
    near, far = (np.array([[1.0]]), np.array([[1.5]])), (np.array([[1.0]]), np.array([[4.0]]))
    assert model.test_on_batch(*near, reset_metrics=False)[1] == 0.5
    assert model.test_on_batch(*far, reset_metrics=False)[1] == (0.5 + 3) / 2
    # The metrics begin anew after a batch.
    assert model.test_on_batch(*far)[1] == pytest.approx((0.5 + 3 + 3) / 3)
    assert model.test_on_batch(*far)[1] == 3
    assert model.stateful_metric_names == ["mean_absolute_error"]


def test_a_mask_takes_no_part():
    tf.keras.backend.clear_session()
    inputs = tf.keras.layers.Input((3, 1))
    outputs = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones"))(
        tf.keras.layers.Masking()(inputs)
    )
    model = tf.keras.Model(inputs, outputs)
    model.compile("sgd", tf.keras.losses.MeanSquaredError(), metrics=[tf.keras.metrics.MeanSquaredError(name="error")])
    x = np.array([[[1.0], [2.0], [0.0]]])
    loss, error = model.test_on_batch(x, np.array([[[2.0], [2.0], [9.0]]]))
    # The loss is divided by the number of all steps, the metric by that of the steps that count.
    np.testing.assert_allclose([loss, error], [1 / 3, 1 / 2], rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.keras.losses.MeanSquaredError(reduction="mean"), "Invalid Reduction Key"),
        (lambda: tf.keras.metrics.Precision(thresholds=[0.5, 1.5]), r"must be in \[0, 1\]"),
        (lambda: tf.keras.metrics.AUC(curve="LIFT"), "Invalid curve"),
        (lambda: tf.keras.metrics.AUC(num_thresholds=1), "must be > 1"),
        (lambda: tf.keras.metrics.SensitivityAtSpecificity(2.0), "must be in the range"),
        (lambda: tf.keras.metrics.MeanTensor().result(), "does not have any result yet"),
    ],
)
def test_invalid_options_are_refused(make, message):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        make()


def test_predictions_outside_of_their_interval_fail():
    with tf.Graph().as_default(), tf.Session() as session:
        metric = tf.keras.metrics.AUC()
        predictions = tf.placeholder(tf.float32, [2])
        update = metric.update_state([1.0, 0.0], predictions)
        session.run([v.initializer for v in metric.variables])
        with pytest.raises(tf.errors.InvalidArgumentError, match="predictions must be <= 1"):
            session.run(update, {predictions: [0.5, 1.5]})
        assert session.run(metric.result()) == 0


def test_configurations_make_equal_objects():
    loss = tf.keras.losses.Huber(delta=0.5, reduction="sum")
    again = tf.keras.losses.Huber.from_config(loss.get_config())
    assert again.get_config() == {"delta": 0.5, "reduction": "sum", "name": "huber_loss"}
    with tf.Graph().as_default():
        metric = tf.keras.metrics.Precision(thresholds=0.7, name="p")
        assert tf.keras.metrics.Precision.from_config(metric.get_config()).get_config() == metric.get_config()


def test_own_losses_define_call():
    class Above(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.maximum(y_pred - y_true, 0.0)

    with tf.Graph().as_default(), tf.Session() as session:
        value = Above(name="above")(tf.constant([[1.0], [2.0]]), tf.constant([[3.0], [1.0]]))
        assert session.run(value) == 1
        assert value.name.startswith("above/")
        with pytest.raises(NotImplementedError, match="Must be implemented in subclasses"):
            tf.keras.losses.Loss()([1.0], [1.0])
