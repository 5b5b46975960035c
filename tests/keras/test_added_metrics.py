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
