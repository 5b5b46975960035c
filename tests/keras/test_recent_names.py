"""Copies of models, attention, constraints and functions of TF 1.13 to 1.15 compute TensorFlow's values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.keras_recent_programs import PROGRAMS
from golden.recent_runs import near, result_of
from hypothesis import given, settings, strategies as st

import ferroflow as tf

RECENT = json.loads((Path(__file__).parents[1] / "golden" / "recent.json").read_text(encoding="utf-8"))
EXPECTED = {k.partition(": ")[2]: v for k, v in RECENT.items() if k.startswith("keras_recent: ")}
layers = tf.keras.layers


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        tf.keras.backend.clear_session()


def test_every_golden_program_is_compared():
    assert set(PROGRAMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_results_are_tensorflows(name):
    found = json.loads(json.dumps(result_of(tf, PROGRAMS[name])))
    assert near(found, EXPECTED[name]), found


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.booleans())
def test_a_copy_with_the_same_weights_predicts_the_same(widths, functional):
    with tf.Graph().as_default():
        x = start = layers.Input((2,))
        stack = [layers.Dense(width, activation="tanh") for width in widths]
        for layer in stack:
            x = layer(x)
        model = tf.keras.Model(start, x) if functional else tf.keras.Sequential([layers.InputLayer((2,)), *stack])
        copy = tf.keras.models.clone_model(model)
        copy.set_weights(model.get_weights())
        inputs = np.random.RandomState(0).rand(3, 2)
        np.testing.assert_array_equal(copy.predict(inputs), model.predict(inputs))
        assert not {id(w) for w in copy.weights} & {id(w) for w in model.weights}


def test_added_losses_are_not_dropped_silently():
    start = layers.Input((2,))
    model = tf.keras.Model(start, layers.Dense(1)(start))
    model.add_loss(tf.reduce_sum(model.outputs[0]))
    with pytest.raises(NotImplementedError, match="add_loss"):
        tf.keras.models.clone_model(model)


@given(st.integers(0, 2**31), st.booleans())
@settings(max_examples=10, deadline=None)
def test_attention_stays_between_the_values_and_averages_for_equal_scores(seed, causal):
    rng = np.random.RandomState(seed)
    query, value = rng.rand(2, 3, 4).astype(np.float32), rng.rand(2, 5, 4).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        layer = layers.Attention(causal=causal)
        found, even = sess.run([layer([tf.constant(query), tf.constant(value)]), layer([0.0 * query, value])])
    lowest, highest = value.min(1, keepdims=True), value.max(1, keepdims=True)
    assert ((found >= lowest - 1e-5) & (found <= highest + 1e-5)).all()
    means = [value[:, : i + 1 if causal else 5].mean(1) for i in range(3)]
    np.testing.assert_allclose(even, np.stack(means, 1), rtol=1e-4)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7])
def test_radial_kernels_have_one_value_in_each_square(size):
    kernel = np.random.RandomState(size).rand(size, size, 2, 3).astype(np.float32)
    with tf.Session() as sess:
        found = sess.run(tf.keras.constraints.RadialConstraint()(tf.constant(kernel)))
    assert found.shape == kernel.shape
    for turned in (np.rot90(found), found[::-1], np.swapaxes(found, 0, 1)):
        np.testing.assert_array_equal(turned, found)
    assert len(np.unique(found[:, :, 0, 0])) == (size + 1) // 2
    with pytest.raises(ValueError, match="square"):
        tf.keras.constraints.RadialConstraint()(tf.zeros([2, 3, 1, 1]))
