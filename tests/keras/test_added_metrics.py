"""Metrics of layers and models, and weighted losses, have TensorFlow 1.15's names and values."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_metric_programs import results

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_metrics.json").read_text(encoding="utf-8"))


def assert_equal(ours, theirs):
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            assert_equal(ours[name], value)
    elif isinstance(theirs, list) and any(isinstance(x, (str, list, dict)) for x in theirs):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_equal(one, other)
    elif isinstance(theirs, (str, int)):
        assert ours == theirs
    else:
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(name):
    assert_equal(results(tf, name), GOLDEN[name])


def test_added_metrics_are_in_no_checkpoint_and_no_weights():
    with tf.Graph().as_default():
        inputs = tf.keras.layers.Input((2,))
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
        model.add_metric(tf.reduce_sum(model.output), name="sum", aggregation="mean")
        assert len(model.weights) == len(model.layers) == 2
        assert not any(ref.name == "_added_metrics" for ref in model._checkpoint_dependencies)


def test_a_model_inside_keeps_the_metrics_of_its_own_compilation():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.keras.backend.set_session(session)
        layers = tf.keras.layers
        inner = tf.keras.Sequential([layers.Dense(1, input_shape=(2,))])
        inner.compile("sgd", "mse", metrics=["mae"])
        start = layers.Input((2,))
        outer = tf.keras.Model(start, inner(layers.Dense(2)(start)))
        outer.compile("sgd", "mse")
        x, y = np.ones((4, 2)), np.ones((4, 1))
        assert outer.metrics_names == ["loss"]
        assert np.ndim(outer.train_on_batch(x, y)) == 0
        assert len(inner.train_on_batch(x, y)) == 2


def test_steps_search_no_metrics_and_add_no_operations():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.keras.backend.set_session(session)
        inputs = tf.keras.layers.Input((2,))
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
        model.add_metric(tf.reduce_sum(model.output), name="sum", aggregation="mean")
        model.compile("sgd", "mse", metrics=["mae"])
        x, y = np.ones((4, 2)), np.ones((4, 1))
        model.train_on_batch(x, y)
        before = len(graph.get_operations())
        found = model._other_metrics()
        model.train_on_batch(x, y)
        assert len(graph.get_operations()) == before
        assert model._other_metrics() is found
        # The states begin anew after each batch.
        error = np.abs(model.predict(x) - y).mean()
        assert model.test_on_batch(x, y)[1] == pytest.approx(error, rel=1e-5)
